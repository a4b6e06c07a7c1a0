# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Guard of the ports that browsers can speak to: host, origin and token of a request.

A page of a stranger, open in the user's browser, can send requests to this machine. Three headers
distinguish its requests from the user's. ``Origin`` names the page's origin, and not the port's.
``Host`` names the page's host if its name leads to this machine (DNS rebinding).
``Sec-Fetch-Site`` says whether a request comes from another site, also if it has no origin.
"""

from __future__ import annotations

import hmac
import os
import re
import socket
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import parse_qs, urlsplit

from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

VARIABLE = "OSI_LIDAR_TOKEN"
_TOKEN = re.compile(r"[!-~]{8,200}")
_HOST = re.compile(r"[a-z0-9]([a-z0-9_.-]*[a-z0-9])?")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s?#@]*")


class Headers(Protocol):
    """Headers of a request, as `http.server` and websockets give them."""

    def get_all(self, name: str, /) -> Sequence[str] | None:
        """Return all values of the header ``name``, in any case, as texts; None if it is absent."""


class Refusal(NamedTuple):
    """The HTTP answer to a request that is not let in.

    Attributes
    ----------
    status : HTTPStatus
        Status code: 401 if the token is missing or wrong, 403 for all other refusals.
    reason : str
        The reason in words.
    """

    status: HTTPStatus
    reason: str


@dataclass(frozen=True, slots=True)
class Guard:
    """Decides which requests are let in.

    Attributes
    ----------
    allowed : frozenset of str
        Further hosts (``simbox.lan``) and origins (``https://viewer.example``), in lower case.
    token : str or None
        Token that each request has to carry; None: no token is needed.
    """

    allowed: frozenset[str] = frozenset()
    token: str | None = None

    @classmethod
    def parse(cls, allowed: Iterable[str], token: str | None) -> Guard:
        """Return the guard for the values of the option ``--allow``, and for a token.

        Parameters
        ----------
        allowed : iterable of str
            The values: further hosts (``simbox.lan``) and origins (``https://viewer.example``).
        token : str or None
            Token that each request has to carry; None: no token is needed.

        Raises
        ------
        InputError
            A value is neither a host nor an origin.
        """
        names = [text.strip().lower().rstrip("/") for text in allowed]
        names = [f"{name}//" if name.endswith(":") else name for name in names]  # file://
        for name in names:
            if not (_HOST.fullmatch(name) or _ORIGIN.fullmatch(name)):
                raise InputError(
                    f"--allow: got {name!r}, expected a host such as simbox.lan, or an origin such "
                    "as https://viewer.example or file://"
                )
        return cls(frozenset(names), token)

    def refusal(
        self, headers: Headers, target: str, own_host: str, *, origins: Sequence[str] = ()
    ) -> Refusal | None:
        """Return the answer to a request that is refused; None if the request is let in.

        Parameters
        ----------
        headers : Headers
            Headers of the request.
        target : str
            Path and query of the request.
        own_host : str
            Host that the command line option of the port names; requests to it are let in.
        origins : sequence of str
            Origins that are let in besides ``allowed``.
        """
        host = _value(headers, "Host")
        if not self._is_own(host, own_host):
            return Refusal(HTTPStatus.FORBIDDEN, f"host {host[:100]!r} is not let in")
        origin = _value(headers, "Origin").lower()
        if origin and origin not in (f"http://{host.lower()}", *origins, *self.allowed):
            return Refusal(HTTPStatus.FORBIDDEN, f"origin {origin[:100]!r} is not let in")
        if not origin and _is_of_another_site(headers):
            return Refusal(HTTPStatus.FORBIDDEN, "requests of other sites are not let in")
        if self.token is not None and not self._has_token(headers, target):
            return Refusal(HTTPStatus.UNAUTHORIZED, "the token is missing or wrong")
        return None

    def is_token(self, given: object) -> bool:
        """Return whether a value equals the guard's token; False if the guard has no token.

        ``given`` is the value that a client has sent; anything but a str gives False. The
        comparison takes constant time, so that its duration does not reveal the token.
        """
        if self.token is None or not isinstance(given, str):
            return False
        return hmac.compare_digest(given.encode(errors="replace"), self.token.encode())

    def _is_own(self, host: str, own_host: str) -> bool:
        """Return whether the header Host is an IP address, this machine or an allowed name."""
        name = host.rsplit(":", 1)[0] if host.rpartition(":")[2].isdecimal() else host
        name = name.lower()
        if name in {"localhost", own_host.lower(), socket.gethostname().lower()} | self.allowed:
            return bool(name)
        try:
            ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True

    def _has_token(self, headers: Headers, target: str) -> bool:
        scheme, _, given = _value(headers, "Authorization").partition(" ")
        if scheme.lower() == "bearer":
            return self.is_token(given.strip())
        try:
            query = parse_qs(urlsplit(target).query, max_num_fields=20)
        except ValueError:
            return False
        return self.is_token(query.get("token", [""])[0])


NOT_GUARDED = Guard()
"""A guard without a token: it lets requests in that address this machine by its own names."""


def read_token(file: Path | None) -> str | None:
    """Return the token in a file or, if ``file`` is None, in the variable OSI_LIDAR_TOKEN.

    None: the variable is not set, or empty.

    Raises
    ------
    InputError
        The file cannot be read, or the token is too short, too long or not of visible ASCII.
    """
    if file is None:
        name, text = VARIABLE, os.environ.get(VARIABLE, "")
        if not text:
            return None
    else:
        name = f"--token-file {file}"
        try:
            with file.open(encoding="ascii") as lines:
                text = lines.read(1000)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a text of ASCII characters"
            raise InputError(f"{name}: {reason}") from error
    if not _TOKEN.fullmatch(text.strip()):
        raise InputError(f"{name}: expected a token of 8 to 200 visible ASCII characters")
    return text.strip()


def _value(headers: Headers, name: str) -> str:
    """Return the value of a header; several values are joined to a text that no check accepts."""
    return ", ".join(headers.get_all(name) or ()).strip()


def _is_of_another_site(headers: Headers) -> bool:
    """Return whether a browser says that another site made the request, not by a link."""
    site = _value(headers, "Sec-Fetch-Site")
    is_link = (
        _value(headers, "Sec-Fetch-Mode") == "navigate"
        and _value(headers, "Sec-Fetch-Dest") == "document"
    )
    return site not in ("", "same-origin", "none") and not is_link
