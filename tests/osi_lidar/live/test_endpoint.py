# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Addresses as users write them."""

import asyncio
import socket

import pytest

from osi_lidar import InputError
from osi_lidar.live.endpoint import Endpoint, words
from tests.osi_lidar.live.helpers import warnings


@pytest.mark.parametrize(
    ("text", "transport", "host", "port", "shown"),
    [
        ("48198", "tcp", "127.0.0.1", 48198, "127.0.0.1:48198"),
        (":48198", "tcp", "127.0.0.1", 48198, "127.0.0.1:48198"),
        (" 48198 ", "tcp", "127.0.0.1", 48198, "127.0.0.1:48198"),
        ("0", "tcp", "127.0.0.1", 0, "127.0.0.1:0"),
        ("localhost:65535", "tcp", "localhost", 65535, "localhost:65535"),
        ("tcp://sim.example:1", "tcp", "sim.example", 1, "sim.example:1"),
        ("0.0.0.0:5", "tcp", "0.0.0.0", 5, "0.0.0.0:5"),  # noqa: S104
        ("[::1]:5", "tcp", "::1", 5, "[::1]:5"),
        ("udp://48198", "udp", "127.0.0.1", 48198, "udp://127.0.0.1:48198"),
        ("udp://[fe80::1%lo]:5", "udp", "fe80::1%lo", 5, "udp://[fe80::1%lo]:5"),
    ],
)
def test_an_address_is_read(text, transport, host, port, shown):
    endpoint = Endpoint.parse("--listen", text, udp=True)
    assert endpoint == Endpoint("--listen", transport, host, port)
    assert endpoint.address == (host, port)
    assert str(endpoint) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        "host",
        "host:",
        "65536",
        "999999",
        "-1",
        "1.5",
        "0x10",
        "::1:80",
        "[::1]",
        "[]:80",
        "a host:80",
        "\u0664\u0668",
        "[::1:80",
        "a:b:80",
        "http://host:80",
        "udp:80:90",
        "host:80/path",
    ],
)
def test_another_text_is_refused_with_what_was_expected(text):
    with pytest.raises(InputError) as caught:
        Endpoint.parse("--listen", text, udp=True)
    assert str(caught.value) == (
        f"--listen: got {text!r}, expected [udp://]HOST:PORT, e.g. 127.0.0.1:48198"
    )


def test_udp_is_refused_where_it_is_not_possible():
    with pytest.raises(InputError, match=r"--publish: got 'udp://1', .* UDP is not supported here"):
        Endpoint.parse("--publish", "udp://1")


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("", True),
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104
        ("[::]", False),
        ("192.0.2.1", False),
        ("localhost.example", False),
        ("127.0.0.1.example", False),
    ],
)
def test_what_others_can_reach_is_warned_of(host, loopback, caplog):
    endpoint = Endpoint.parse("--listen", f"{host}:5")
    endpoint.warn_if_open()
    assert endpoint.is_loopback == loopback
    told = warnings(caplog)
    assert len(told) == (not loopback)
    for line in told:
        assert line.startswith(f"--listen {endpoint}: ")
        assert line.endswith("OSI has no authentication")


def test_another_port_takes_the_place_of_0():
    endpoint = Endpoint.parse("--listen", "udp://[::1]:0", udp=True)
    assert str(endpoint.at(7)) == "udp://[::1]:7"


@pytest.mark.parametrize("host", ["no-such-host", "a..b", "x" * 64])
def test_a_host_name_that_does_not_resolve_is_named(host, monkeypatch):
    def unknown(*_arguments, **_options):
        raise socket.gaierror(-2, "Name or service not known")

    if host == "no-such-host":  # the others are no host names at all
        monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(InputError) as caught:
        asyncio.run(Endpoint.parse("--connect", f"{host}:5").resolve())
    assert str(caught.value) == f"--connect: host name {host!r} does not resolve"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_loopback_addresses_resolve(host):
    asyncio.run(Endpoint.parse("--connect", f"{host}:5").resolve())


def test_socket_errors_say_what_is_wrong_and_not_where():
    assert words(ConnectionRefusedError(111, "Connect call failed ('127.0.0.1', 1)")).endswith(
        "refused"
    )
    assert words(socket.gaierror(-2, "Name or service not known")).startswith("the host name")
    assert words(OSError("Multiple exceptions: a, b")) == "Multiple exceptions: a, b"
    assert words(ConnectionResetError()) == "ConnectionResetError"
