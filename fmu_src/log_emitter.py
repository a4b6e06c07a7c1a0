# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages to the master, through a function of the native wrapper.

This module imports only the standard library.
"""

from __future__ import annotations

import ctypes
from enum import IntEnum

from .log import one_line

CATEGORIES = {
    "FMI": "Calls that the FMU cannot follow.",
    "OSMP": "Messages in and out, handshake.",
    "OSI": "What the sensor model has to say about the content.",
}
"""Log categories and their descriptions."""


class Status(IntEnum):
    """Status of a call, by the numbers that FMI 2.0 and FMI 3.0 share."""

    OK = 0
    WARNING = 1
    DISCARD = 2
    ERROR = 3


_Emit = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int
)


class Emitter:
    """Sends log messages of an instance to the master.

    Parameters
    ----------
    emit, component : int
        Addresses of the wrapper's logging function, and of the component that is its first
        argument.

    Attributes
    ----------
    categories : set of str
        Categories that the master wants; at first all keys of `CATEGORIES`.
    """

    def __init__(self, emit: int, component: int) -> None:
        self._emit = _Emit(emit)
        self._component = component
        self.categories = set(CATEGORIES)

    def tell(self, status: Status, category: str, text: str) -> None:
        """Send a log message to the master, unless the master has switched the category off.

        Parameters
        ----------
        status : Status
            Severity of the message, as the status of a call.
        category : str
            One of the keys of `CATEGORIES`: "FMI", "OSMP" or "OSI".
        text : str
            The message; it is sent as one line of limited length.
        """
        if category in self.categories:
            self._send(status, category, text, is_refusal=False)

    def refuse(self, text: str, category: str = "FMI") -> None:
        """Report why the instance cannot be used: to the master's log, or else to stderr.

        It goes to stderr if the master has logging off. ``text`` is the reason, sent as one line of
        limited length. ``category`` is one of the keys of `CATEGORIES`, which need not be switched
        on.
        """
        self._send(Status.ERROR, category, text, is_refusal=True)

    def _send(self, status: Status, category: str, text: str, *, is_refusal: bool) -> None:
        line = one_line(text).encode()
        self._emit(self._component, status, category.encode(), line, is_refusal)
