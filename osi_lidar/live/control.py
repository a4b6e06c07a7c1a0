# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The control port of a stream: a command per line, as JSON, and a line in answer to each."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING

from osi_lidar.live.endpoint import BUFFER_BYTES, keep_alive, listen

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from osi_lidar.live.endpoint import Endpoint

MOST_CONNECTIONS = 16


class Control:
    """TCP server of commands.

    Parameters
    ----------
    endpoint : Endpoint
        Address to listen at.
    act : callable
        Follows a command and returns its answer; both are values of JSON.
    """

    def __init__(
        self, endpoint: Endpoint, act: Callable[[object], Awaitable[dict[str, object]]]
    ) -> None:
        self.endpoint = endpoint
        self._act = act
        self._serving: set[asyncio.Task[object]] = set()

    async def open(self) -> None:
        """Start to listen.

        Raises
        ------
        InputError
            The host name does not resolve, or the port is in use.
        """
        self._server, self.endpoint = await listen(self.endpoint, self._serve)

    async def close(self) -> None:
        """Close all connections; a command that is being followed gets no answer."""
        self._server.close()
        for task in self._serving:
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or len(self._serving) >= MOST_CONNECTIONS:
            writer.transport.abort()
            return
        keep_alive(writer)
        self._serving.add(task)
        try:
            with suppress(OSError):  # the client is gone
                await self._follow(reader, writer)
                writer.close()
                await writer.wait_closed()
        finally:
            self._serving.discard(task)
            writer.transport.abort()

    async def _follow(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer each line until the client sends no more; blank lines are left out."""
        while (line := await _line(reader)) != b"":
            if line is None or line.strip():
                writer.write(json.dumps(await self._answer(line)).encode() + b"\n")
                await writer.drain()

    async def _answer(self, line: bytes | None) -> dict[str, object]:
        if line is None:
            return refusal(f"a line of more than {BUFFER_BYTES} bytes")
        try:
            command = json.loads(line)
        except RecursionError:
            return refusal("the line is not JSON: too many brackets within each other")
        except ValueError as error:
            return refusal(f"the line is not JSON: {error}")
        return await self._act(command)


def refusal(error: str) -> dict[str, object]:
    """Return the answer to a command that changed nothing."""
    return {"ok": False, "error": " ".join(error.split())}


async def _line(reader: asyncio.StreamReader) -> bytes | None:
    """Return the next line, None if it is too long, no bytes at the end of the input."""
    too_long = False
    while (line := await _end_of_line(reader)) is None:
        too_long = True
    return None if too_long else line


async def _end_of_line(reader: asyncio.StreamReader) -> bytes | None:
    """Return the input to the end of the line; None if there was too much, which is discarded."""
    try:
        return await reader.readuntil(b"\n")
    except asyncio.IncompleteReadError as error:  # the last line may lack its end
        return error.partial
    except asyncio.LimitOverrunError as error:
        await reader.readexactly(error.consumed)
        return None
