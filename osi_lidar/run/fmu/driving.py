# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Drives an FMU with the messages of a recorded trace."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lidar_base.files.whole_files import cause_of
from osi_bridge import (
    MessageOrder,
    OsiInputError,
    Place,
    TraceReader,
    custom_name,
    message_time_ns,
    open_trace,
    open_trace_writer,
    trace_start,
)
from osi_lidar.errors import InputError, OutputError
from osi_lidar.run.fmu.instance import Fmu

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from osi_lidar.run.fmu.instance import Value

INPUTS = {"SensorView": "OSMPSensorViewIn", "GroundTruth": "OSMPGroundTruthIn"}
OUTPUT = "OSMPSensorDataOut"

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class FmuReport:
    """The outcome of a run with an FMU.

    Attributes
    ----------
    steps, valid, detections : int
        Number of steps, number of steps with an answer, and number of detections in all answers.
    trace : Path or None
        The SensorData trace that was written; None before the end, or if there was no answer.
    log : Counter of str
        How often the FMU logged each message.
    interrupted : bool
        Whether the run ended before the trace did.
    """

    steps: int = 0
    valid: int = 0
    detections: int = 0
    trace: Path | None = None
    log: Counter[str] = field(default_factory=Counter)
    interrupted: bool = False


def fmu_run(
    fmu_file: Path,
    trace: Path | TraceReader,
    out: Path,
    *,
    parameters: Mapping[str, Value] = {},
    on_step: Callable[[FmuReport], bool] = lambda _: True,
) -> FmuReport:
    """Drive an FMU with every message of a trace, and write its answers to a trace.

    Each message is the input of one step, which lasts from its time to the time of the next
    message. Messages that are older than the one before are left out.

    Parameters
    ----------
    fmu_file : Path
        An OSMP FMU with SensorView or GroundTruth in, and SensorData out.
    trace : Path or TraceReader
        An OSI trace of one of these types.
    out : Path
        Folder of the SensorData trace.
    parameters : mapping of name to value
        Values to set before initialization.
    on_step : callable
        Called after every step; the run ends, with a whole trace, if it returns False.

    Raises
    ------
    OsiLidarError, OsiError
        If a file cannot be used, the FMU reports an error, or the time of the trace goes back.
    """
    report = FmuReport()
    reader = trace if isinstance(trace, TraceReader) else open_trace(trace)
    trace_file = reader.path
    if reader.message_type not in INPUTS:
        raise InputError(
            f"{trace_file}: contains {reader.message_type}, expected an input of a sensor"
        )
    _make(out)
    log: list[str] = []
    with (
        Fmu(fmu_file, on_log=lambda _status, text: log.append(text)) as fmu,
        open_trace_writer(
            out, "osi", custom_name=custom_name(trace_file.name), start=trace_start(trace_file.name)
        ) as writer,
    ):
        for data, begin_ns, end_ns in _steps(reader, round(fmu.variables.step_s * 1e9)):
            if not report.steps:
                fmu.initialize(parameters, begin_ns / 1e9)
            fmu.put(INPUTS[reader.message_type], data)
            fmu.step(begin_ns / 1e9, (end_ns - begin_ns) / 1e9)
            answer = fmu.message(OUTPUT)
            report.steps += 1
            report.valid += bool(answer)
            report.detections += fmu.get("count") if "count" in fmu.variables.names else 0
            report.log.update(log)
            log.clear()
            if answer:
                writer.write(answer, end_ns)
            if not on_step(report):
                report.interrupted = True
                break
        fmu.terminate()
        report.trace = writer.close()
    return report


def _steps(reader: TraceReader, last_ns: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield each message with the begin and end of its step; the last one lasts one step size.

    Late messages are left out. Of several messages with the same time, only the last is used.

    Raises
    ------
    InputError
        If a message has no time, or begins a new run: the time of an FMU does not go back.
    """
    kept: tuple[bytes, int] | None = None
    order = MessageOrder()
    for raw in reader:
        try:
            time_ns = message_time_ns(reader.message_type, raw.data)
        except OsiInputError as error:
            raise InputError(f"{reader.path}: message {raw.index}: {error}") from error
        place = order.take(time_ns)
        if place is Place.LATE:
            logger.warning("message %d is left out: it is %s", raw.index, place.value)
            continue
        if place is Place.RESTART:
            raise InputError(
                f"{reader.path}: message {raw.index}: its time of {1e-9 * time_ns:.9g} s is before "
                "the previous message, but the time of an FMU cannot go back"
            )
        if kept is not None and place is not Place.AGAIN:
            yield (*kept, time_ns)
        kept = raw.data, time_ns
    if kept is not None:
        yield (*kept, kept[1] + last_ns)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {cause_of(error)}") from error
