# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Forwarding of log messages to the master."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Sink: TypeAlias = Callable[[int, str], None]

TOLD_AS_REMARKS = ("osi_lidar.world.fallbacks", "osi_lidar.world.ground")
"""Loggers whose messages a master gets in another way, see `fmu_src.remarks`."""
MOST_CHARACTERS = 500  # masters print into buffers of a fixed size


def one_line(text: str) -> str:
    """Return a text as a single line of limited length and valid UTF-8."""
    line = " ".join(text.replace("\0", " ").split())
    if len(line) > MOST_CHARACTERS:
        line = line[: MOST_CHARACTERS - 3] + "..."
    return line.encode("utf-8", "backslashreplace").decode()


def printf_safe(text: str) -> str:
    """Return a text that is safe for masters of FMI 2.0, which use it as a printf format.

    The result is one line with percent signs doubled.
    """
    return one_line(text).replace("%", "%%")


class Forwarder(logging.Handler):
    """Forwards the sensor model's log messages to an instance's log.

    It lives as long as the instance: Python loses a KeyboardInterrupt that comes while a handler
    is being deleted.
    """

    def __init__(self) -> None:
        super().__init__()
        self._sink: Sink | None = None
        self._thread = 0

    @contextmanager
    def forwarding(self, sink: Sink) -> Iterator[None]:
        """Forward messages of this thread within the block; other instances may run in others.

        Parameters
        ----------
        sink : callable
            Takes the level and the text of each message.
        """
        from osi_lidar.loggers import LOGGERS  # noqa: PLC0415  absent until a Python has it

        self._sink, self._thread = sink, threading.get_ident()
        loggers = [logging.getLogger(name) for name in LOGGERS]
        for logger in loggers:
            logger.addHandler(self)
        try:
            yield
        finally:
            for logger in loggers:
                logger.removeHandler(self)
            self._sink = None

    def emit(self, record: logging.LogRecord) -> None:
        """Forward a record of this handler's thread."""
        sink = self._sink
        if sink and record.thread == self._thread and record.name not in TOLD_AS_REMARKS:
            sink(record.levelno, record.getMessage())
