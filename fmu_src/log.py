# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The sensor model's lines in a master's log: log messages, and remarks on the input."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from osi_bridge import Frame
    from osi_lidar.model import LidarModel

    Sink: TypeAlias = Callable[[int, str], None]

TOLD_AS_REMARKS = ("osi_lidar.world.fallbacks", "osi_lidar.world.ground")
"""Loggers that are not forwarded, because `Remarks` reports their content to the master."""
NO_CARRIER = "no moving object to carry the sensors: mountings are world poses"
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

    The forwarder lives as long as the instance, because Python loses a KeyboardInterrupt that
    arrives while a handler is being deleted.
    """

    def __init__(self) -> None:
        super().__init__()
        self._sink: Sink | None = None
        self._thread = 0

    @contextmanager
    def forwarding(self, sink: Sink) -> Iterator[None]:
        """Forward log messages of the current thread during the block.

        Other instances of the FMU may run in other threads.

        Parameters
        ----------
        sink : callable
            Called with the level and the text of each message.
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


class Remarks:
    """Remarks for the master's log, each as soon as it is known.

    They tell which substitutes the model uses for missing data, such as meshes, and where the
    ground plane lies. A run of the command line lists the same remarks at its end.

    Parameters
    ----------
    model : LidarModel
        The model, before its first step.
    """

    def __init__(self, model: LidarModel) -> None:
        self._model = model
        self._logged: set[str] = set()
        self._seen: tuple[object, ...] = ()

    def on_step(self, frame: Frame) -> Iterator[tuple[int, str]]:
        """Yield each remark that is new after a step, as (logging level, text).

        ``frame`` is the frame of input that the step answered.
        """
        world = self._model.world
        ground_z_m = world.ground.z_m
        n_meshes = world.scene.counts.meshes_built
        seen = (len(world.fallbacks), n_meshes, ground_z_m, frame.host is None)
        if seen == self._seen:  # listing all fallbacks in each step would be slow
            return
        self._seen = seen
        found = [(logging.WARNING, str(each)) for each in self._fallbacks(of_sensors=False)]
        if frame.host is None:
            found.append((logging.WARNING, NO_CARRIER))
        if ground_z_m is not None:
            found.append((logging.INFO, f"ground plane at z = {ground_z_m:.2f} m"))
        yield from self._new(found)

    def at_end(self) -> Iterator[tuple[int, str]]:
        """Yield (level, text) of each remark on the whole run: sensors that never made a scan."""
        found = [(logging.WARNING, str(each)) for each in self._fallbacks(of_sensors=True)]
        yield from self._new(found)

    def _fallbacks(self, *, of_sensors: bool) -> Iterator[object]:
        for each in self._model.fallbacks:
            if (each.kind == "sensor") == of_sensors:
                yield each

    def _new(self, found: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        for level, text in found:
            if text not in self._logged:
                self._logged.add(text)
                yield level, text
