# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The control port of a stream: a command per line, as JSON, and a line in answer to each."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from osi_bridge import other_protocol
from osi_lidar.live.endpoint import ignore, keep_alive, listen, peer_name
from osi_lidar.live.first_times import FirstTimes
from osi_lidar.live.ports.guard import NOT_GUARDED
from osi_lidar.live.ports.guests import Guests
from osi_lidar.live.ports.policy import LAST_WORDS_S, LINE_BYTES, MOST_CONTROLLERS, REQUEST_S

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from osi_lidar.live.endpoint import Endpoint
    from osi_lidar.live.ports.guard import Guard
    from osi_lidar.live.ports.guests import Guest

logger = logging.getLogger(__name__)


class Control:
    """TCP server of commands.

    A connection ends at the first line that is not a JSON object. This keeps web pages out: a page
    in a browser can send commands, but only after the lines of an HTTP request.

    Parameters
    ----------
    endpoint : Endpoint
        Address to listen at.
    act : callable
        Executes a command, a JSON object, and returns the answer; its key ``ok`` says whether
        the command was executed.
    guard : Guard
        Has the token, if there is one.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        act: Callable[[object], Awaitable[dict[str, object]]],
        guard: Guard = NOT_GUARDED,
    ) -> None:
        self.endpoint = endpoint
        self._act = act
        self._guard = guard
        self._guests = Guests(MOST_CONTROLLERS)
        self._serving: set[asyncio.Task[object]] = set()
        self._logged = FirstTimes()

    async def open(self) -> None:
        """Start to listen; ``endpoint`` then has the actual port.

        Raises
        ------
        InputError
            The host name does not resolve, or the port is in use.
        """
        self._server, self.endpoint = await listen(self.endpoint, self._serve)

    async def close(self) -> None:
        """Close all connections; a command that is still being executed gets no answer."""
        self._server.close()
        for task in self._serving:
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        guest = self._guests.admit(writer.transport.abort)
        if task is None or guest is None:
            writer.transport.abort()
            return
        keep_alive(writer)
        self._serving.add(task)
        try:
            with suppress(OSError):  # the client is gone
                await self._follow(reader, writer, guest)
                writer.close()
                await asyncio.wait_for(writer.wait_closed(), REQUEST_S)
        except (TimeoutError, asyncio.TimeoutError):
            self._tell(f"no whole line within {REQUEST_S:g} s; connection closed", writer)
        finally:
            self._serving.discard(task)
            self._guests.leave(guest)
            writer.transport.abort()

    async def _follow(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, guest: Guest
    ) -> None:
        """Answer each line, until the client closes or sends a line that is not a JSON object."""
        has_token = self._guard.token is not None
        is_trusted = not has_token
        while (line := await _line(reader, is_known=guest.is_known)) != b"":
            if line is not None and not line.strip():
                continue
            command = _command(line)
            if isinstance(command, str):
                self._tell(f"{command}; connection closed", writer)
                if other_protocol((line or b"")[:9]) is None:
                    await _last_words(reader, writer, refusal(command))
                return
            given = command.pop("token", None) if has_token else None
            if given is not None or not is_trusted:
                is_trusted = self._guard.is_token(given)
            if not is_trusted:
                self._tell("no token, or a wrong one; connection closed", writer)
                await _last_words(reader, writer, refusal("the first line has to have the token"))
                return
            is_only_token = given is not None and not command
            done: dict[str, object] = {"ok": True}
            answer = done if is_only_token else await self._act(command)
            if answer["ok"]:
                self._guests.heard(guest)
            await _send(writer, answer)

    def _tell(self, problem: str, writer: asyncio.StreamWriter) -> None:
        """Log a problem with a client; each problem once, and only a limited number in all."""
        if self._logged.is_first(problem):
            logger.warning("control %s: %s", peer_name(writer), problem)


def refusal(error: str) -> dict[str, object]:
    """Return the answer to a refused command: ``{"ok": False, "error": error}``."""
    return {"ok": False, "error": " ".join(error.split())}


def _command(line: bytes | None) -> dict[str, object] | str:
    """Return the command in a line, or a text that says why the line is not a command."""
    if line is None:
        return f"a line of more than {LINE_BYTES} bytes"
    other = other_protocol(line[:9])
    if other is not None:
        return f"the client speaks {other}, expected a JSON object in each line"
    try:
        command = json.loads(line)
    except RecursionError:
        return "the line is not JSON: too many brackets within each other"
    except ValueError as error:
        return f"the line is not JSON: {error}"
    if not isinstance(command, dict):
        return f'expected an object such as {{"pattern": ..}}, got {json.dumps(command)[:60]}'
    return command


async def _send(writer: asyncio.StreamWriter, answer: dict[str, object]) -> None:
    writer.write(json.dumps(answer).encode() + b"\n")
    await asyncio.wait_for(writer.drain(), REQUEST_S)


async def _last_words(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: dict[str, object]
) -> None:
    """Send a last answer; then read and discard for a moment what the client still sends.

    Unread input would make the system reset the connection, and the answer could be lost.
    """
    await _send(writer, answer)
    writer.write_eof()
    with suppress(TimeoutError, asyncio.TimeoutError):
        await asyncio.wait_for(ignore(reader), LAST_WORDS_S)


async def _line(reader: asyncio.StreamReader, *, is_known: bool) -> bytes | None:
    """Return the next line, None if it is too long, no bytes at the end of the input.

    A client that has sent a valid command (``is_known``) may be silent between two lines, but not
    within a line.

    Raises
    ------
    TimeoutError
        The line took too long.
    """
    begin = b""
    try:
        if is_known:
            begin = await reader.readexactly(1)
        if begin == b"\n":
            return begin
        return begin + await asyncio.wait_for(reader.readuntil(b"\n"), REQUEST_S)
    except asyncio.IncompleteReadError as error:  # the last line may lack its end
        return begin + error.partial
    except asyncio.LimitOverrunError:
        return None
