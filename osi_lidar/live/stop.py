# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Request to end a stream or a player."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Stop:
    """A request to end, from a signal handler or another thread."""

    def __init__(self) -> None:
        self.requested = False
        self._wake: Callable[[], object] = lambda: None

    def request(self) -> None:
        """Request the end, after the message being answered. May be called from any thread."""
        self.requested = True
        self._wake()

    async def wait(self) -> None:
        """Return once the end is requested."""
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
