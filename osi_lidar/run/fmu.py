# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An OSMP master: drives an FMU with a recorded trace. Needs FMPy (``osi-lidar[fmu]``)."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from osi_bridge import (
    MESSAGE_PARTS,
    OsiInputError,
    Pointer,
    address_of,
    custom_name,
    message_time_ns,
    open_trace,
    open_trace_writer,
    trace_start,
)
from osi_lidar.errors import InputError, OutputError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from osi_bridge import TraceReader

    Value = float | int | bool | str

INPUTS = {"SensorView": "OSMPSensorViewIn", "GroundTruth": "OSMPGroundTruthIn"}
OUTPUT = "OSMPSensorDataOut"

_SWITCH = {"true": True, "1": True, "false": False, "0": False}


class Fmu:
    """An instance of an OSMP FMU, which exchanges messages by name instead of by pointer.

    Parameters
    ----------
    path : path
        The FMU.
    instance_name : str
        Name of the instance.
    on_log : callable, optional
        Called with the status and the text of every log message of the FMU.

    Raises
    ------
    InputError
        If FMPy is not installed, or the file is not an FMU that can be instantiated.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        instance_name: str = "lidar",
        on_log: Callable[[int, str], None] = lambda *_: None,
    ) -> None:
        try:
            import fmpy  # noqa: PLC0415  an extra
            from fmpy import fmi2  # noqa: PLC0415
        except ImportError as error:
            raise InputError("FMPy is not installed: pip install 'osi-lidar[fmu]'") from error
        self.path = Path(path)
        self._kept: dict[str, list[bytes]] = {}
        self._folder = Path(tempfile.mkdtemp(prefix="osi_lidar_fmu_"))
        self._callbacks = fmi2.fmi2CallbackFunctions()
        self._callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(
            lambda _environment, _instance, status, _category, text: on_log(
                status, (text or b"").decode("utf-8", "replace").replace("%%", "%")
            )
        )
        self._callbacks.allocateMemory = fmi2.fmi2CallbackAllocateMemoryTYPE(fmpy.calloc)
        self._callbacks.freeMemory = fmi2.fmi2CallbackFreeMemoryTYPE(fmpy.free)
        try:
            self.description: Any = fmpy.read_model_description(str(self.path))
            fmpy.extract(str(self.path), str(self._folder))
            self._slave = fmi2.FMU2Slave(
                guid=self.description.guid,
                unzipDirectory=str(self._folder),
                modelIdentifier=self.description.coSimulation.modelIdentifier,
                instanceName=instance_name,
            )
            self._slave.instantiate(callbacks=self._callbacks, loggingOn=True)
        except Exception as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise InputError(f"{self.path}: is not a usable FMU: {error}") from error
        self._variables = {each.name: each for each in self.description.modelVariables}

    @property
    def names(self) -> Collection[str]:
        """The names of all variables."""
        return self._variables.keys()

    @property
    def step_s(self) -> float:
        """The preferred step size of the FMU in seconds."""
        experiment = self.description.defaultExperiment
        return float(experiment.stepSize) if experiment and experiment.stepSize else 0.1

    def initialize(self, parameters: Mapping[str, Value] = {}, start_s: float = 0.0) -> None:
        """Set the parameters and initialize the FMU.

        Raises
        ------
        InputError
            If there is no such parameter, or the FMU reports an error.
        """
        for name, value in parameters.items():
            self.set(name, value)
        self._call("setupExperiment", startTime=start_s)
        self._call("enterInitializationMode")
        self._call("exitInitializationMode")

    def set(self, name: str, value: Value) -> None:
        """Set a variable; a text is converted to the type of the variable.

        Raises
        ------
        InputError
            If there is no such variable, or it has another type.
        """
        kind = self._kind(name)
        convert: dict[str, Callable[[Any], Any]] = {
            "Real": float,
            "Integer": int,
            "Boolean": lambda given: given if isinstance(given, bool) else _SWITCH[given.lower()],
            "String": str,
        }
        try:
            converted = convert[kind](value)
        except (ValueError, KeyError) as error:
            what = "true or false" if kind == "Boolean" else f"a value of type {kind}"
            raise InputError(f"{name}: got {value!r}, expected {what}") from error
        self._call(f"set{kind}", [self._variables[name].valueReference], [converted])

    def get(self, name: str) -> Any:  # noqa: ANN401  of the variable's type
        """Return the value of a variable.

        Raises
        ------
        InputError
            If there is no such variable.
        """
        value = self._call(f"get{self._kind(name)}", [self._variables[name].valueReference])[0]
        return value.decode() if isinstance(value, bytes) else value

    def put(self, prefix: str, data: bytes) -> None:
        """Set an OSMP input to a message, which is kept in memory as long as OSMP requires."""
        self._kept[prefix] = [*self._kept.get(prefix, [])[-1:], data]
        pointer = Pointer.to(address_of(data), len(data)) if data else Pointer()
        self.put_pointer(prefix, pointer)

    def put_pointer(self, prefix: str, pointer: Pointer) -> None:
        """Set the three integers of an OSMP input directly."""
        self._call("setInteger", self._references(prefix), list(pointer))

    def pointer(self, prefix: str) -> Pointer:
        """Return the three integers of an OSMP output."""
        return Pointer(*self._call("getInteger", self._references(prefix)))

    def message(self, prefix: str) -> bytes:
        """Return a copy of the message of an OSMP output."""
        return self.pointer(prefix).read()

    def step(self, time_s: float, step_s: float) -> None:
        """Do one step.

        Raises
        ------
        InputError
            If the FMU reports an error.
        """
        self._call("doStep", currentCommunicationPoint=time_s, communicationStepSize=step_s)

    def reset(self) -> None:
        """Reset the FMU to its state after instantiation."""
        self._call("reset")

    def terminate(self) -> None:
        """End the run."""
        self._call("terminate")

    def close(self) -> None:
        """Free the instance and its files; a second call does nothing."""
        slave, self._slave = self._slave, None
        if slave is not None:
            slave.freeInstance()
            shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def has(self, prefix: str) -> bool:
        """Return whether the FMU has an OSMP variable."""
        return all(f"{prefix}.{part}" in self._variables for part in MESSAGE_PARTS)

    def _kind(self, name: str) -> str:
        if name not in self._variables:
            raise InputError(f"{self.path}: has no variable {name}")
        return str(self._variables[name].type)

    def _references(self, prefix: str) -> list[int]:
        if not self.has(prefix):
            raise InputError(f"{self.path}: has no OSMP variable {prefix}")
        return [self._variables[f"{prefix}.{part}"].valueReference for part in MESSAGE_PARTS]

    def _call(self, function: str, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        try:
            return getattr(self._slave, function)(*arguments, **options)
        except Exception as error:
            raise InputError(f"{self.path}: {error}") from error


@dataclass(slots=True)
class FmuReport:
    """The outcome of a run with an FMU.

    Attributes
    ----------
    steps, valid, detections : int
        Number of steps, of steps with an answer, and of detections in all answers.
    trace : Path or None
        The SensorData trace that was written.
    log : Counter of str
        Log messages of the FMU, and the number of each.
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
    trace_file: Path,
    out: Path,
    *,
    parameters: Mapping[str, Value] = {},
    on_step: Callable[[FmuReport], bool] = lambda _: True,
) -> FmuReport:
    """Drive an FMU with every message of a trace, and write its answers to a trace.

    Each message is the input of the step from its timestamp to that of the next message.

    Parameters
    ----------
    fmu_file : Path
        An OSMP FMU with SensorView or GroundTruth in, and SensorData out.
    trace_file : Path
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
        If a file cannot be used, or the FMU reports an error.
    """
    report = FmuReport()
    reader = open_trace(trace_file)
    if reader.message_type not in INPUTS:
        raise InputError(
            f"{trace_file}: it holds {reader.message_type}, which is not an input of a sensor"
        )
    _make(out)
    log: list[str] = []
    with (
        Fmu(fmu_file, on_log=lambda _status, text: log.append(text)) as fmu,
        open_trace_writer(
            out, "osi", custom_name=custom_name(trace_file.name), start=trace_start(trace_file.name)
        ) as writer,
    ):
        for data, begin_ns, end_ns in _steps(reader, round(fmu.step_s * 1e9)):
            if not report.steps:
                _initialize(fmu, parameters, begin_ns, log)
            fmu.put(INPUTS[reader.message_type], data)
            fmu.step(begin_ns / 1e9, (end_ns - begin_ns) / 1e9)
            answer = fmu.message(OUTPUT)
            report.steps += 1
            report.valid += bool(answer)
            report.detections += fmu.get("count") if "count" in fmu.names else 0
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


def _initialize(
    fmu: Fmu, parameters: Mapping[str, Value], start_ns: int, log: Sequence[str]
) -> None:
    """Initialize the FMU; its log message says more about an error than the returned status."""
    try:
        fmu.initialize(parameters, start_ns / 1e9)
    except InputError as error:
        raise InputError(f"{fmu.path}: {log[0]}" if log else str(error)) from error


def _steps(reader: TraceReader, last_ns: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield each message with the begin and end of its step; the last one lasts one step size."""
    kept: tuple[bytes, int] | None = None
    for raw in reader:
        try:
            time_ns = message_time_ns(reader.message_type, raw.data)
        except OsiInputError as error:
            raise InputError(f"{reader.path}: message {raw.index}: {error}") from error
        if kept is not None:
            yield (*kept, max(time_ns, kept[1]))
        kept = raw.data, time_ns
    if kept is not None:
        yield (*kept, kept[1] + last_ns)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror}") from error
