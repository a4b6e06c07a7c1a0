# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The HTTP server of metrics and the live page: it goes on, whatever a client sends."""

import http.client
import socket
import struct
import threading
from contextlib import ExitStack, suppress
from http import HTTPStatus

import pytest

from osi_lidar.live.endpoint import Endpoint
from osi_lidar.live.ports import http_port
from osi_lidar.live.ports.guard import Guard
from osi_lidar.live.ports.http_port import HttpAnswer, serving_http
from osi_lidar.live.ports.policy import HEADER_BYTES, MOST_BROWSERS
from tests.osi_lidar.live.helpers import DEADLINE_S, warnings

GOOD = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


def answer(asked):
    if asked.path == "/fault":
        raise RuntimeError("a fault\nof ours")
    return HttpAnswer(HTTPStatus.OK, body=b"here")


@pytest.fixture
def address():
    where = Endpoint.parse("--view", "127.0.0.1:0")
    with serving_http(where, Guard(), answer, name="test") as actual:
        yield actual.address


def sent(address, data):
    """Return all that comes in answer to some bytes, until the server hangs up."""
    with socket.create_connection(address, DEADLINE_S) as client:
        with suppress(OSError):  # the server may have hung up
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
        found = bytearray()
        with suppress(ConnectionError):
            while piece := client.recv(65536):
                found += piece
    return bytes(found)


def assert_serves(address):
    assert sent(address, GOOD).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: attacker.test\r\n\r\n", b"403"),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", b"501"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 37\r\n\r\n" + GOOD, b"400"),
        (b"GET http://[::1/ HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
        (b"GET /?" + b"a=1&" * 50 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
        (b"GET /%zz%ff%00?%=%g HTTP/1.1\r\nHost: localhost\r\n\r\n", b"200"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"a: b\r\n" * 200 + b"\r\n", b"431"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nx: " + b"y" * HEADER_BYTES + b"\r\n\r\n", b"431"),
        (b"GET / HTTP/9.9\r\n\r\n", b"505"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: local", b""),
        (b"", b""),
    ],
)
def test_a_request_gets_one_answer_at_most_and_the_next_client_is_served(
    address, capfd, data, status
):
    found = sent(address, data)
    assert status in found[:400]
    assert found.count(b"HTTP/1.1 ") <= 1
    assert b"here" not in found or status == b"200"
    assert_serves(address)
    assert capfd.readouterr().err == ""


def test_no_answer_can_be_read_or_embedded_by_another_page(address):
    found = sent(address, GOOD).lower()
    assert b"access-control-" not in found
    for header in (b"x-content-type-options: nosniff", b"x-frame-options: deny",
                   b"cross-origin-resource-policy: same-origin"):  # fmt: skip
        assert header in found


def test_resets_are_no_errors(address, capfd):
    for _ in range(50):
        client = socket.create_connection(address, DEADLINE_S)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
    assert_serves(address)
    assert capfd.readouterr().err == ""


def test_a_fault_of_ours_is_one_line_told_once(address, caplog):
    for _ in range(3):
        assert sent(address, GOOD.replace(b"GET /", b"GET /fault")) == b""
    assert warnings(caplog) == [
        "a request was not answered: it could not be processed: a fault of ours (RuntimeError)"
    ]


@pytest.mark.parametrize("begin", [b"", b"GET / HTTP/1.1\r\nHost: loc", GOOD])
def test_the_owner_gets_in_beside_100_clients_that_say_nothing_more(address, begin):
    with ExitStack() as stack:
        for _ in range(100):  # as many as wait to be accepted without being asked again
            client = stack.enter_context(socket.create_connection(address, DEADLINE_S))
            client.sendall(begin)
        assert_serves(address)
        names = [thread.name for thread in threading.enumerate()]
        assert sum("process_request" in name for name in names) <= 2 * MOST_BROWSERS


def test_half_a_request_is_given_up(monkeypatch):
    monkeypatch.setattr(http_port._Handler, "timeout", 0.05)
    where = Endpoint.parse("--view", "127.0.0.1:0")
    with (
        serving_http(where, Guard(), answer, name="test") as actual,
        socket.create_connection(actual.address, DEADLINE_S) as client,
    ):
        client.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert client.recv(100) == b""


def test_a_connection_may_ask_again(address):
    connection = http.client.HTTPConnection(*address, timeout=DEADLINE_S)
    for _ in range(3):
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"here"
    connection.close()
