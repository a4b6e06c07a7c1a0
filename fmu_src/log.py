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

PACKAGES = ("osi_lidar", "osi_bridge", "raycore", "material_mapping", "lidar_base")
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


class _Forwarder(logging.Handler):
    """Log handler for one thread only; another instance may run in another thread."""

    def __init__(self, sink: Sink) -> None:
        super().__init__()
        self._sink = sink
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        """Forward a record of this handler's thread."""
        if record.thread == self._thread and record.name not in TOLD_AS_REMARKS:
            self._sink(record.levelno, record.getMessage())


@contextmanager
def forwarding(sink: Sink) -> Iterator[None]:
    """Forward the sensor model's log messages within the block to an instance's log."""
    handler = _Forwarder(sink)
    loggers = [logging.getLogger(name) for name in PACKAGES]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
