# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The places of a port: when all are taken, the client that has been silent longest gives way."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(eq=False, slots=True)
class Guest:
    """A client that has one of the places of a port.

    Attributes
    ----------
    hang_up : callable
        Closes its connection at once; may be called from any thread.
    heard : int
        When it last gave a sign of life, as a number that counts the signs of life of all clients.
    is_known : bool
        Whether it has used the port as intended. Clients that have not done so lose their place
        before all others.
    stays : bool
        Whether it never loses its place to another client.
    """

    hang_up: Callable[[], object]
    heard: int = 0
    is_known: bool = False
    stays: bool = False


class Guests:
    """The clients of a port. Their number is limited, and silent clients cannot keep others out.

    ``len`` of the object is the number of clients that have a place now.

    Parameters
    ----------
    most : int
        Number of places: the largest number of clients at a time.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._guests: set[Guest] = set()
        self._order = itertools.count()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._guests)

    def admit(self, hang_up: Callable[[], object]) -> Guest | None:
        """Give a place to a new client; return None if all places belong to clients that ``stay``.

        If all places are taken, the client that has been silent longest is disconnected. Clients
        that never used the port as intended are disconnected before all others.

        Parameters
        ----------
        hang_up : callable
            Closes the new client's connection at once. It gets no arguments, and may be called from
            any thread.

        Returns
        -------
        Guest or None
            The new client, to be passed to the other methods.
        """
        leaving = None
        with self._lock:
            if len(self._guests) >= self.most:
                others = [guest for guest in self._guests if not guest.stays]
                if not others:
                    return None
                leaving = min(others, key=lambda guest: (guest.is_known, guest.heard))
                self._guests.discard(leaving)
            guest = Guest(hang_up, next(self._order))
            self._guests.add(guest)
        if leaving is not None:
            leaving.hang_up()
        return guest

    def heard(self, guest: Guest) -> None:
        """Record that a client, ``guest`` from `admit`, has just used the port as intended."""
        guest.heard = next(self._order)
        guest.is_known = True

    def doubt(self, guest: Guest) -> None:
        """Mark a client that may be gone, ``guest`` from `admit`.

        It is the first to lose its place to a new client, unless `heard` is called for it again.
        """
        guest.heard = -1
        guest.is_known = False
        guest.stays = False

    def close(self) -> None:
        """Disconnect all clients; each keeps its place until `leave` is called for it."""
        with self._lock:
            guests = list(self._guests)
        for guest in guests:
            guest.hang_up()

    def leave(self, guest: Guest) -> None:
        """Free the place of a client that is gone, ``guest`` from `admit`.

        There is no effect if the client has already lost its place to another one.
        """
        with self._lock:
            self._guests.discard(guest)
