# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""HTTP server of a port that browsers may ask: it answers GET requests that its guard lets in."""

from __future__ import annotations

import logging
import socket
import sys
import threading
from contextlib import contextmanager, suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, urlsplit

from osi_lidar.errors import InputError
from osi_lidar.live.first_times import FirstTimes
from osi_lidar.live.ports.guests import Guests
from osi_lidar.live.ports.policy import HEADER_BYTES, MOST_BROWSERS, REQUEST_S
from osi_lidar.live.unexpected import unexpected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from osi_lidar.live.endpoint import Endpoint
    from osi_lidar.live.ports.guard import Guard
    from osi_lidar.live.ports.guests import Guest

    Accepted = socket.socket | tuple[bytes, socket.socket]
    """A connection, as ``socketserver`` hands it over."""

logger = logging.getLogger(__name__)

_MOST_FIELDS = 20
_LOOK_S = 0.05
"""Interval at which the server checks whether it has to end. [s]"""
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",  # no other page may embed the answer
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class HttpRequest(NamedTuple):
    """An HTTP GET request that the guard of the port let in.

    Attributes
    ----------
    path : str
        Path of the URL, such as "/metrics", without the query.
    query : mapping of str to list of str
        Values of each field of the query, by the field's name.
    accept : str
        Value of the header Accept: the content types that the client takes; "*/*" if it is absent.
    """

    path: str
    query: Mapping[str, list[str]]
    accept: str

    def field(self, name: str) -> str:
        """Return the first value of a field of the query, by the field's ``name``; "" if absent."""
        return self.query.get(name, [""])[0]


class HttpAnswer(NamedTuple):
    """The answer to an HTTP request.

    Attributes
    ----------
    status : HTTPStatus
        Status code.
    kind : str
        Content type, such as "text/plain".
    body : bytes
        The content.
    """

    status: HTTPStatus
    kind: str = "text/plain"
    body: bytes = b""


@contextmanager
def serving_http(
    endpoint: Endpoint, guard: Guard, answer: Callable[[HttpRequest], HttpAnswer], *, name: str
) -> Iterator[Endpoint]:
    """Answer HTTP requests while the ``with`` block runs; yield the address with its actual port.

    Parameters
    ----------
    endpoint : Endpoint
        Address to listen at.
    guard : Guard
        Decides which requests are let in.
    answer : callable
        Gets an `HttpRequest` and returns an `HttpAnswer`. It is called in a thread for each client,
        and may take long.
    name : str
        Name of the server's thread.

    Raises
    ------
    InputError
        The host name does not resolve, or the port is in use.
    """
    endpoint.warn_if_open()
    try:
        server = _Server(endpoint, guard, answer)
    except UnicodeError as error:
        raise InputError(
            f"{endpoint.option}: got {endpoint.host!r}, expected the name or address of a host"
        ) from error
    except OSError as error:
        raise endpoint.unusable(error) from error
    serve = partial(server.serve_forever, poll_interval=_LOOK_S)
    thread = threading.Thread(target=serve, name=name, daemon=True)
    thread.start()
    try:
        yield endpoint.at(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    """HTTP server with a thread for each client; the stream ends without waiting for them."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(
        self, endpoint: Endpoint, guard: Guard, answer: Callable[[HttpRequest], HttpAnswer]
    ) -> None:
        found = socket.getaddrinfo(*endpoint.address, type=socket.SOCK_STREAM)
        self.address_family, *_ = found[0]
        self.guard = guard
        self.answer = answer
        self.host = endpoint.host
        self.guests = Guests(MOST_BROWSERS)
        self.places: dict[object, Guest] = {}
        self._logged = FirstTimes()
        super().__init__(endpoint.address, _Handler)

    def process_request(self, request: Accepted, client_address: object) -> None:
        """Give the client a place and a thread; the longest silent client may lose its place."""
        place = self.guests.admit(partial(_hang_up, request))
        if place is None:
            self.shutdown_request(request)
            return
        self.places[request] = place
        super().process_request(request, client_address)

    def shutdown_request(self, request: Accepted) -> None:
        """Close a connection and free its place."""
        place = self.places.pop(request, None)
        if place is not None:
            self.guests.leave(place)
        super().shutdown_request(request)

    def handle_error(self, _request: object, _client_address: object) -> None:
        """Log an error in our code, in one line; errors of the connection are ignored."""
        error = sys.exc_info()[1]
        text = unexpected(error or RuntimeError())
        if not isinstance(error, OSError) and self._logged.is_first(text):
            logger.warning("a request was not answered: %s", text)


class _Bounded(BufferedIOBase):
    """The lines of a request; they end after a maximum number of bytes."""

    def __init__(self, file: BufferedIOBase) -> None:
        self._file = file
        self.left = HEADER_BYTES

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return the next line; no bytes once the maximum is reached."""
        most = self.left if size is None or size < 0 else min(size, self.left)
        line = self._file.readline(most)
        self.left -= len(line)
        return line

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one client."""

    protocol_version = "HTTP/1.1"
    timeout = REQUEST_S
    server: _Server

    def setup(self) -> None:
        """Open the connection."""
        super().setup()
        self._input = _Bounded(self.rfile)
        self.rfile = self._input

    def handle_one_request(self) -> None:
        """Read and answer the next request."""
        self._input.left = HEADER_BYTES
        super().handle_one_request()

    def do_GET(self) -> None:
        """Answer a request that the guard lets in, and refuse all others."""
        if self._input.left <= 0:
            words = f"a request of more than {HEADER_BYTES} bytes"
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, words)
            return
        refusal = self.server.guard.refusal(self.headers, self.path, self.server.host)
        if refusal is not None:
            self._refuse(refusal.status, refusal.reason)
        elif "Content-Length" in self.headers or "Transfer-Encoding" in self.headers:
            self._refuse(HTTPStatus.BAD_REQUEST, "a request with a body")
        else:
            self._answer(self._answered())

    def _answered(self) -> HttpAnswer:
        try:
            parts = urlsplit(self.path)
            query = parse_qs(parts.query, max_num_fields=_MOST_FIELDS)
        except ValueError:
            return HttpAnswer(HTTPStatus.NOT_FOUND, body=b"not a path")
        place = self.server.places.get(self.connection)
        if place is not None:
            self.server.guests.heard(place)
        accept = self.headers.get("Accept", "*/*")
        return self.server.answer(HttpRequest(parts.path, query, accept))

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        self.close_connection = True
        self._answer(HttpAnswer(status, body=reason.encode(errors="replace")))

    def _answer(self, answer: HttpAnswer) -> None:
        with suppress(OSError):  # the client has gone, or takes nothing any more
            self.send_response(answer.status)
            if answer.status != HTTPStatus.NO_CONTENT:
                self.send_header("Content-Type", answer.kind)
                self.send_header("Content-Length", str(len(answer.body)))
            if answer.status == HTTPStatus.UNAUTHORIZED:
                self.send_header("WWW-Authenticate", "Bearer")
            if self.close_connection:
                self.send_header("Connection", "close")
            for header, value in _HEADERS.items():
                self.send_header(header, value)
            self.end_headers()
            self.wfile.write(answer.body)

    def version_string(self) -> str:
        """Return what the header Server says."""
        return "osi-lidar"

    def log_message(self, *words: object) -> None:
        """Log requests at the level DEBUG."""
        logger.debug(*words)


def _hang_up(accepted: Accepted) -> None:
    """End a connection, so that a thread that is waiting for its input continues."""
    connection = accepted[1] if isinstance(accepted, tuple) else accepted
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
