# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Operator: executes commands and signals between two answers, and records what changed."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING

from lidar_base.given import given
from osi_lidar.live.changes import Changes
from osi_lidar.live.control import refusal
from osi_lidar.live.stream_model import EXPECTED_ERRORS
from osi_lidar.live.unexpected import unexpected

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from osi_lidar.config import Config
    from osi_lidar.live.outside_requests import Reread
    from osi_lidar.live.state import StreamState

logger = logging.getLogger(__name__)

_LONGEST_LINE = 200


class Operator:
    """Changes the sensors of a stream.

    Parameters
    ----------
    state : StreamState
        State of the stream; changes are recorded in it.
    ready : asyncio.Event
        Set once the stream has its model.
    thread : Executor
        The thread of the model.
    reread : callable or None
        Returns the configuration to reload; None: it is read from its file again.
    """

    def __init__(
        self,
        state: StreamState,
        ready: asyncio.Event,
        thread: Executor,
        reread: Callable[[], Config] | None,
    ) -> None:
        self._state = state
        self._ready = ready
        self._thread = thread
        self._reread = reread
        self._changes: Changes | None = None

    async def follow(self, command: object) -> dict[str, object]:
        """Execute a command (see `Changes.apply`) once the model is free, and return its answer.

        Changes are logged, and recorded in the state. If the command fails, nothing is raised: the
        answer has ``ok`` False, and ``error`` says why.
        """
        await self._ready.wait()
        loop, counters = asyncio.get_running_loop(), self._state.counters
        try:
            changes, last = await loop.run_in_executor(self._thread, self._apply, command)
        except EXPECTED_ERRORS as error:
            counters.changes_refused += 1
            return refusal(str(error))
        except Exception as error:  # noqa: BLE001  the stream goes on after any command
            counters.changes_refused += 1
            return refusal(unexpected(error))
        counters.changes += len(changes)
        for change in changes:
            self._state.changes.append({"after_message": last, **change})
            logger.info("%s, after message %s", _words(change), "-" if last is None else last)
        return {"ok": True, "after_message": last, "changes": changes}

    async def follow_requests(self, reread: Reread) -> None:
        """Read the configuration again each time ``reread`` is requested, until cancelled."""
        while True:
            await reread.next()
            answer = await self.follow({"reload": True})
            if not answer["ok"]:
                logger.warning(
                    "the configuration was not read again, and the sensors stay as they are: %s",
                    answer["error"],
                )

    def _apply(self, command: object) -> tuple[list[dict[str, object]], int | None]:
        """Execute a command; return its changes, and the number of the last message before it."""
        stream_model = given(self._state.stream_model)
        if self._changes is None:
            self._changes = Changes(stream_model.model, self._reread)
        return self._changes.apply(command), stream_model.last_number


def _words(change: dict[str, object]) -> str:
    """Return a change in words, in one line of bounded length."""
    parts = []
    for key, value in change.items():
        if key != "sensor":
            text = json.dumps(value)
            cut = text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]} .."
            parts.append(f"{key} {cut}")
    return f"sensor {change['sensor']}: {', '.join(parts)}"
