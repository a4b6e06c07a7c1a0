# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A background thread that processes items in order while the caller produces the next ones."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from threading import Semaphore
from typing import TYPE_CHECKING, Generic, TypeVar

from lidar_base.process.threads import give_way

if TYPE_CHECKING:
    from collections.abc import Callable

Item = TypeVar("Item")
MOST_WAITING = 2
"""Items that may wait behind the one being processed; `give` blocks beyond that."""


class Background(Generic[Item]):
    """One thread that applies the same function to each item, in the order they are given.

    The thread has a lower priority, so that it does not slow down the caller.

    An error stops the work: no later item is processed, and the next ``give`` or ``flush`` raises
    the error. Ctrl-C interrupts the main thread, never the processing of an item. Do not modify an
    item, or anything it refers to, after ``give``. The reference is dropped when the item is done.

    Parameters
    ----------
    work : callable
        Processes an item.
    """

    def __init__(self, work: Callable[[Item], object]) -> None:
        self._work = work
        self._items: deque[Item] = deque()
        self._room = Semaphore(MOST_WAITING + 1)
        # starts with the first item; ends by itself with this object or with the interpreter
        self._thread = ThreadPoolExecutor(1, "osi-lidar-background", initializer=give_way)
        self._error: BaseException | None = None
        self._raised = False

    @property
    def undone(self) -> tuple[Item, ...]:
        """Items not yet finished. After an error, the failed item is first."""
        return tuple(self._items)

    def give(self, item: Item) -> None:
        """Accept an item, as soon as there is room for it.

        Raises
        ------
        BaseException
            The error of an earlier item; the new item is then not accepted.
        """
        self._raise_error()
        self._room.acquire()
        self._items.append(item)
        self._thread.submit(self._drain)

    def flush(self) -> None:
        """Wait until all items are finished.

        Raises
        ------
        BaseException
            The error of an item, unless ``give`` or ``flush`` has raised it before.
        """
        if self._items and self._error is None:
            self._thread.submit(self._drain).result()
        if not self._raised:
            self._raise_error()

    def close(self) -> None:
        """Finish all items and stop the thread. Do not call ``give`` afterwards.

        Raises
        ------
        BaseException
            As ``flush``.
        """
        try:
            self.flush()
        finally:
            self._thread.shutdown()

    def _raise_error(self) -> None:
        if self._error is not None:
            self._raised = True
            raise self._error

    def _drain(self) -> None:
        try:
            while self._items and self._error is None:
                self._work(self._items[0])
                self._items.popleft()
                self._room.release()
        except BaseException as error:  # noqa: BLE001  it is raised again in the calling thread
            self._error = error
            self._room.release()  # a caller that waits for room gets the error from its next call
