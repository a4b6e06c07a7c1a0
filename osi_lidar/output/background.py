# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Work on a thread of its own, in order, while the next piece of work is made."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from threading import Semaphore
from typing import TYPE_CHECKING, Generic, TypeVar

from osi_lidar.threads import give_way

if TYPE_CHECKING:
    from collections.abc import Callable

Item = TypeVar("Item")
MOST_WAITING = 2
"""Items that may wait behind the one in work; who gives a further one waits as well."""


class Background(Generic[Item]):
    """One thread that does the same with each item that it is given, one after the other.

    It gives way to others, so that what is made next is not held up by what is done.

    An error ends the work: no later item is done, and the error is raised where the next one is
    given, or by ``flush``. A Ctrl-C comes to the main thread, never within an item. Nothing that
    an item refers to may be changed once it is given; the reference is gone once it is done.

    Parameters
    ----------
    work : callable
        Does what there is to do with an item.
    """

    def __init__(self, work: Callable[[Item], object]) -> None:
        self._work = work
        self._items: deque[Item] = deque()
        self._room = Semaphore(MOST_WAITING + 1)
        # starts with the first item, and ends by itself with this object or the interpreter
        self._thread = ThreadPoolExecutor(1, "osi-lidar-background", initializer=give_way)
        self._error: BaseException | None = None
        self._told = False

    @property
    def undone(self) -> tuple[Item, ...]:
        """What was given and is not done; after an error that from which it came comes first."""
        return tuple(self._items)

    def give(self, item: Item) -> None:
        """Take an item, as soon as there is room for it.

        Raises
        ------
        BaseException
            What the work on an earlier item has raised; then this one is not taken.
        """
        self._tell()
        self._room.acquire()
        self._items.append(item)
        self._thread.submit(self._drain)

    def flush(self) -> None:
        """Return when all that was given is done.

        Raises
        ------
        BaseException
            As ``give``, unless that has raised it before.
        """
        if self._items and self._error is None:
            self._thread.submit(self._drain).result()
        if not self._told:
            self._tell()

    def close(self) -> None:
        """End the thread when all that was given is done; nothing may be given then.

        Raises
        ------
        BaseException
            As ``flush``.
        """
        try:
            self.flush()
        finally:
            self._thread.shutdown()

    def _tell(self) -> None:
        if self._error is not None:
            self._told = True
            raise self._error

    def _drain(self) -> None:
        try:
            while self._items and self._error is None:
                self._work(self._items[0])
                self._items.popleft()
                self._room.release()
        except BaseException as error:  # noqa: BLE001  it is raised in the other thread
            self._error = error
            self._room.release()  # who waits there is told next time
