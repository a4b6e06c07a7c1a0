# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The way back: answers to a source on its own connection, one for each of its messages."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from osi_bridge import frame_prefix
from osi_lidar.live.endpoint import peer_name

if TYPE_CHECKING:
    from osi_lidar.live.counters import Counters

logger = logging.getLogger(__name__)

PATIENCE_S = 5.0
"""If a source has not read an answer for this long, the log says once that it does not read. [s]"""


class WayBack:
    """Sends a source one answer for each of its messages, on the connection they arrive on.

    Parameters
    ----------
    writer : asyncio.StreamWriter
        Writer of that connection.
    counters : Counters
        Counters of messages.
    """

    def __init__(self, writer: asyncio.StreamWriter, counters: Counters) -> None:
        # with this, drain() waits until the system has taken all bytes
        writer.transport.set_write_buffer_limits(high=0)
        self._writer = writer
        self._counters = counters
        self._owed = 0
        self._paid = asyncio.Event()
        self._logged = False

    def expect(self) -> None:
        """Count a message that is still to be answered."""
        self._owed += 1
        self._paid.clear()

    async def send(self, answer: bytes) -> None:
        """Send ``answer`` as the answer to the oldest message that has not been answered yet.

        The answer is empty if there is no SensorData. This method waits while the source does not
        read, and sends nothing if the source is gone.
        """
        try:
            if not self._writer.is_closing():
                self._writer.writelines((frame_prefix(answer), answer))
                await self._room()
                self._counters.sent_back += 1
        except OSError as error:
            error.__traceback__ = None  # asyncio keeps the error, and thereby the answer
        self._owed -= 1
        if not self._owed:
            self._paid.set()

    async def settled(self) -> None:
        """Wait until every message has been answered."""
        if self._owed:
            await self._paid.wait()

    async def _room(self) -> None:
        draining = asyncio.ensure_future(self._writer.drain())
        done, _ = await asyncio.wait([draining], timeout=PATIENCE_S)
        if not (done or self._logged):
            self._logged = True
            logger.warning(
                "source %s does not read the answers that are sent to it; the stream waits",
                peer_name(self._writer),
            )
        await draining
