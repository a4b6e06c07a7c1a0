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
        Number of its last sign of life, in the order of all clients' signs of life.
    is_known : bool
        Whether it has used the port as intended. Clients that have not lose their place first.
    stays : bool
        Whether it never loses its place to another client.
    """

    hang_up: Callable[[], object]
    heard: int = 0
    is_known: bool = False
    stays: bool = False


class Guests:
    """The clients of a port. Their number is limited, and silent clients cannot keep others out.

    Parameters
    ----------
    most : int
        Number of places.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._guests: set[Guest] = set()
        self._order = itertools.count()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._guests)

    def admit(self, hang_up: Callable[[], object]) -> Guest | None:
        """Give a place to a new client; None if all places belong to clients that ``stay``.

        If all places are taken, the client that has been silent longest is hung up on, clients
        that were never heard first.
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
        """Note that a client has used the port, so that it is not silent."""
        guest.heard = next(self._order)
        guest.is_known = True

    def doubt(self, guest: Guest) -> None:
        """Make a client that may be gone the first to lose its place, until it is heard again."""
        guest.heard = -1
        guest.is_known = False
        guest.stays = False

    def close(self) -> None:
        """Hang up on all clients; each keeps its place until it `leave`s."""
        with self._lock:
            guests = list(self._guests)
        for guest in guests:
            guest.hang_up()

    def leave(self, guest: Guest) -> None:
        """Free the place of a client that has gone, unless another client has got it already."""
        with self._lock:
            self._guests.discard(guest)
