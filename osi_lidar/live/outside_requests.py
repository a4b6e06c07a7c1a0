# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests to a stream or a player from outside of its event loop."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Request:
    """A request to the event loop, made by a signal handler or by another thread.

    ``requested`` becomes True when the request is made; a task of the event loop may wait for it.
    """

    def __init__(self) -> None:
        self.requested = False
        self._wake: Callable[[], object] = lambda: None

    def request(self) -> None:
        """Set ``requested``, and wake the task that waits for it. May be called from any thread."""
        self.requested = True
        self._wake()

    async def wait(self) -> None:
        """Wait until the request is made; return at once if it has been made already.

        Only one task may wait at a time.
        """
        loop, asked = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop is closed: it has ended already
                loop.call_soon_threadsafe(asked.set)

        self._wake = wake
        try:
            while not self.requested:
                await asked.wait()
        finally:
            self._wake = lambda: None


class Stop(Request):
    """A request to end as soon as the current message is answered."""


class Reread(Request):
    """A request to read the configuration file again, which may be made many times."""

    async def next(self) -> None:
        """Wait for the next request; several requests since the last call count as one."""
        await self.wait()
        self.requested = False
