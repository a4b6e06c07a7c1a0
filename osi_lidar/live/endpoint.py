# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Where a socket listens or connects to."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import re
import socket
from dataclasses import dataclass
from typing import Literal

from osi_lidar.errors import InputError

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
_ENDPOINT = re.compile(r"(?:(tcp|udp)://)?(?:(\[[^\]]*\]|[^:\[\]]*):)?(\d{1,5})")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A transport, a host and a port.

    Attributes
    ----------
    option : str
        The command line option that it was given by, for messages.
    """

    option: str
    transport: Literal["tcp", "udp"]
    host: str
    port: int

    @classmethod
    def parse(cls, option: str, text: str, *, udp: bool = False) -> Endpoint:
        """Return the endpoint that a text such as ``localhost:48198`` names.

        Parameters
        ----------
        option : str
            The command line option.
        text : str
            ``[tcp://|udp://][HOST:]PORT``; without a host it is the loopback address.
        udp : bool
            Whether UDP is allowed.

        Raises
        ------
        InputError
            Another text, or a port beyond 65535.
        """
        match = _ENDPOINT.fullmatch(text.strip())
        if match is None or int(match[3]) > 65535:
            form = "[udp://]HOST:PORT" if udp else "HOST:PORT"
            raise InputError(f"{option}: got {text!r}, expected {form}, as 127.0.0.1:48198")
        transport: Literal["tcp", "udp"] = "udp" if match[1] == "udp" else "tcp"
        if transport == "udp" and not udp:
            raise InputError(f"{option}: got {text!r}, expected TCP: UDP is not possible here")
        host = (match[2] or "").strip("[]") or LOOPBACK
        return cls(option, transport, host, int(match[3]))

    @property
    def address(self) -> tuple[str, int]:
        """Host and port, as sockets take them."""
        return self.host, self.port

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine is reached."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def warn_if_open(self) -> None:
        """Warn before listening where others than this machine's programs can connect."""
        if not self.is_loopback:
            logger.warning(
                "%s %s: whoever reaches this address can take part, OSI has no authentication",
                self.option,
                self,
            )

    def at(self, port: int) -> Endpoint:
        """Return the endpoint with another port, such as the one that took the place of 0."""
        return Endpoint(self.option, self.transport, self.host, port)

    async def resolve(self) -> None:
        """Make sure that the host name means something.

        Raises
        ------
        InputError
            It does not.
        """
        try:
            await asyncio.get_running_loop().getaddrinfo(*self.address)
        except (socket.gaierror, UnicodeError) as error:
            raise InputError(f"{self.option}: host name {self.host!r} does not resolve") from error

    def unusable(self, error: OSError) -> InputError:
        """Return what to raise where it cannot be listened at."""
        return InputError(f"{self.option} {self}: cannot listen there: {words(error)}")

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'udp://' if self.transport == 'udp' else ''}{host}:{self.port}"


def words(error: Exception) -> str:
    """Return what a socket error says; asyncio's own texts repeat the address."""
    if isinstance(error, socket.gaierror):
        return "the host name does not resolve"
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    return str(error) or type(error).__name__
