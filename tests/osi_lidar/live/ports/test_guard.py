# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Who may ask a port that speaks HTTP: by host, origin, site and token."""

from http import HTTPStatus
from http.client import HTTPMessage

import pytest

from osi_lidar import InputError
from osi_lidar.live.ports.guard import Guard, read_token
from tests.builders.refusals import one_line

OWN = "127.0.0.1:8080"


def headers(*pairs):
    message = HTTPMessage()
    for name, value in pairs:
        message[name] = value
    return message


def status(guard, *pairs, target="/", own="127.0.0.1", **options):
    refusal = guard.refusal(headers(*pairs), target, own, **options)
    return None if refusal is None else refusal.status


@pytest.mark.parametrize("host", [OWN, "localhost", "LOCALHOST:1", "[::1]:80", "192.0.2.7", "sim"])
def test_addresses_and_names_of_this_machine_are_let_in(host):
    assert status(Guard(), ("Host", host), own="sim") is None


@pytest.mark.parametrize(
    "host",
    ["", "attacker.test", "attacker.test:8080", "localhost.attacker.test", "127.0.0.1.nip.io"],
)
def test_a_name_of_somebody_else_that_leads_here_is_refused(host):
    assert status(Guard(), ("Host", host)) == HTTPStatus.FORBIDDEN
    assert status(Guard(), ("Host", OWN), ("Host", host)) == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:9999", "http://localhost:8080", "https://127.0.0.1:8080", "null",
               "http://attacker.test", "file://", "https://app.foxglove.dev.attacker.test"],
)  # fmt: skip
def test_a_page_of_another_origin_is_refused(origin):
    asked = ("Host", OWN), ("Origin", origin)
    assert status(Guard(), *asked, origins=["https://app.foxglove.dev"]) == HTTPStatus.FORBIDDEN


def test_the_own_page_and_the_origins_that_are_named_are_let_in():
    guard = Guard.parse(["http://localhost:8080/", "file://", "Simbox.lan"], None)
    for origin in (f"http://{OWN}", "http://localhost:8080", "file://", "https://viewer"):
        assert status(guard, ("Host", OWN), ("Origin", origin), origins=["https://viewer"]) is None
    assert status(guard, ("Host", "simbox.lan:8080")) is None


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_request_without_an_origin_from_another_site_is_refused_unless_it_is_a_link(site):
    asked = [("Host", OWN), ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "no-cors")]
    assert status(Guard(), *asked, ("Sec-Fetch-Dest", "image")) == HTTPStatus.FORBIDDEN
    link = [*asked[:2], ("Sec-Fetch-Mode", "navigate")]
    assert status(Guard(), *link, ("Sec-Fetch-Dest", "iframe")) == HTTPStatus.FORBIDDEN
    assert status(Guard(), *link, ("Sec-Fetch-Dest", "document")) is None


def test_the_token_is_a_header_or_a_field_of_the_query():
    guard = Guard(token="p+q/r=s&t")  # noqa: S106  of this test
    own = ("Host", OWN)
    assert status(guard, own) == HTTPStatus.UNAUTHORIZED
    assert status(guard, own, ("Authorization", "Bearer p+q/r=s&t")) is None
    assert status(guard, own, ("Authorization", "Bearer guess")) == HTTPStatus.UNAUTHORIZED
    assert status(guard, own, target="/frame?after=1&token=p%2Bq%2Fr%3Ds%26t") is None
    assert status(guard, own, target="/?token=") == HTTPStatus.UNAUTHORIZED
    assert status(guard, own, target="//[::1?token=x") == HTTPStatus.UNAUTHORIZED
    assert status(guard, own, target="/?" + "a=1&" * 99) == HTTPStatus.UNAUTHORIZED


@pytest.mark.parametrize("text", ["", "http://", "a b", "https://viewer/path", "*", "http://a@b"])
def test_what_is_neither_a_host_nor_an_origin_is_refused(text):
    if text == "http://":  # an origin without a host, as file:// is
        assert Guard.parse([text], None).allowed == {"http://"}
        return
    with one_line(InputError, start="--allow: got"):
        Guard.parse([text], None)


def test_a_token_is_read_from_a_file_or_the_environment(tmp_path, monkeypatch):
    assert read_token(None) is None
    monkeypatch.setenv("OSI_LIDAR_TOKEN", "from the environment")
    with one_line(InputError, start="OSI_LIDAR_TOKEN: expected a token"):
        read_token(None)
    monkeypatch.setenv("OSI_LIDAR_TOKEN", "environment")
    assert read_token(None) == "environment"
    file = tmp_path / "token"
    file.write_text("of-the-file\n")
    assert read_token(file) == "of-the-file"
    for data in (b"", b"short", b"\xff" * 20, b"x" * 201):
        file.write_bytes(data)
        with one_line(InputError, start="--token-file"):
            read_token(file)
    with one_line(InputError, "No such file", start="--token-file"):
        read_token(tmp_path / "none")
