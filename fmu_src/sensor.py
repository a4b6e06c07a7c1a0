# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OSMP sensor, independent of FMI: parameters, handshake, input and output messages."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from lidar_base.given import given
from lidar_base.process.threads import threads_in_words
from material_mapping import MaterialError
from osi_bridge import (
    MAX_TIME_S,
    MESSAGE_PARTS,
    OsiError,
    OutputBuffer,
    decode_view_configuration,
    encode_view_request,
)
from osi_lidar.errors import OsiLidarError
from osi_lidar.model import LidarModel
from osi_lidar.output.sensor_view import sensor_view_of
from osi_lidar.scan.from_config import scan_pattern
from osi_lidar.scan.step import Scans
from raycore.errors import RayCoreError

from .errors import FmuError, InitializationError
from .files import OutputFiles
from .log import Forwarder, Remarks
from .messages import GROUND_TRUTH, SENSOR_VIEW, MessageInput, MessageReceiver
from .parameters import configuration, named
from .tuning import TUNABLE, tune
from .variables import LOG_LEVELS, MESSAGES, OUTPUTS, PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from osi_bridge import Pointer
    from osi_lidar.config import Config
    from osi_lidar.scan.step import Step

    from .log import Sink
    from .messages import Received
    from .variables import Value

REQUEST, GRANTED = "OSMPSensorViewInConfigRequest", "OSMPSensorViewInConfig"
INITIAL_TRUTH = "OSMPGroundTruthInit"
DATA_OUT, VIEW_OUT = "OSMPSensorDataOut", "OSMPSensorViewOut"
EXPECTED_ERRORS = (FmuError, OsiLidarError, OsiError, RayCoreError, MaterialError)
_NANOSECONDS = 1_000_000_000
_NO_ANSWER: dict[str, Value] = {"valid": False, "count": 0}


class OsmpLidar:
    """The sensor model behind an OSMP interface.

    Parameters
    ----------
    instance_name : str
        Name that the master gave the instance.
    packed : Path or None
        The configuration file inside the FMU; None if the FMU has none.
    start : mapping of name to value
        Start values that replace the defaults in the table of variables.
    log : callable
        Called with the level (of Python's logging) and the text of each message for the master's
        log.
    """

    def __init__(
        self, *, instance_name: str, packed: Path | None, start: Mapping[str, Value], log: Sink
    ) -> None:
        self._instance_name = instance_name
        self._packed = packed
        self._start = {each.name: start.get(each.name, each.default) for each in PARAMETERS}
        self._values = dict(self._start)
        self._results: dict[str, Value] = {each.name: each.default for each in OUTPUTS}
        self._inputs = {
            each.name: MessageInput()
            for each in MESSAGES
            if each.causality in ("input", "parameter")
        }
        self._outputs = {name: OutputBuffer() for name in (DATA_OUT, VIEW_OUT, REQUEST)}
        self._master_log = log
        self._forwarder = Forwarder()
        self._problem = ""
        self._requested_for: tuple[bytes, dict[str, Value]] | None = None
        self._model: LidarModel | None = None
        self._receiver: MessageReceiver | None = None
        self._remarks: Remarks | None = None
        self._files: OutputFiles | None = None
        self._last: tuple[bytes, Step] | None = None  # last message answered, with its answer
        self._n_steps = 0

    def get(self, name: str) -> Value:
        """Return the value of a variable, by its FMI name."""
        if name in self._values:
            return self._values[name]
        if name in self._results:
            return self._results[name]
        prefix, part = name.split(".", 1)
        return self.pointer(prefix)[MESSAGE_PARTS.index(part)]

    def set(self, name: str, value: Value) -> None:
        """Set a parameter, or one integer of the pointer to an input message.

        Nothing is raised for a name that is neither, or a parameter that cannot change: a message
        is logged, and the variable keeps its value. After initialization, only tunable parameters
        can change.

        Parameters
        ----------
        name : str
            FMI name, such as ``log_level`` or ``OSMPSensorViewIn.base.lo``.
        value : float, int, bool or str
            The new value. Before initialization it is only stored; `initialize` checks it.
        """
        if name in self._values:
            if self._model is None or value == self._values[name] or self._tune(name, value):
                self._values[name] = value
            return
        prefix, _, part = name.partition(".")
        if prefix in self._inputs:
            self._inputs[prefix].set(part, int(value))
        else:
            self.log(logging.WARNING, f"{name}: is neither an input nor a parameter")

    def put(self, name: str, data: bytes) -> None:
        """Set an input message, as a master of FMI 3.0 passes it.

        A problem is logged, and raises no exception.

        Parameters
        ----------
        name : str
            FMI name of the input, such as "OSMPSensorViewIn".
        data : bytes
            The serialised message, which is copied. Empty bytes mean no message.
        """
        if name not in self._inputs:
            self.log(logging.WARNING, f"{name}: is not an input message")
            return
        try:
            self._inputs[name].put(data)
        except FmuError as error:
            self.log(logging.WARNING, f"{name}: {error}")

    def pointer(self, name: str) -> Pointer:
        """Return address and size of a message, by its FMI name.

        OSMP defines how long the memory stays valid. The memory of an output message is valid until
        the end of the second step after the step that wrote it. The memory of an input message is
        valid until the master sets the input again.
        """
        if name in self._inputs:
            return self._inputs[name].pointer
        if name == REQUEST and self._model is None:
            self._update_request()
        return self._outputs[name].pointer

    def log(self, level: int, text: str) -> None:
        """Write a message to the master's log, if its level is at least the parameter log_level.

        ``level`` is a level of Python's logging, such as ``logging.WARNING``. ``text`` is the
        message.
        """
        least = str(self._values["log_level"])
        if level >= getattr(logging, least.upper() if least in LOG_LEVELS else "INFO"):
            self._master_log(level, text)

    def initialize(self) -> None:
        """Apply parameters and handshake, and build the model.

        Raises
        ------
        InitializationError
            A parameter, a message or a file cannot be used; one line says why.
        """
        try:
            with self._forwarder.forwarding(self.log):
                config = configuration(self._values, self._start, self._packed)
                self._shake_hands(config)
                self._files = OutputFiles(
                    config,
                    pcd_folder=str(self._values["pcd_folder"]),
                    trace_folder=str(self._values["trace_folder"]),
                    instance_name=self._instance_name,
                )
                model = LidarModel(config)
                if self._values["pattern"]:
                    with named("pattern"):
                        tune(model, "pattern", self._values["pattern"])
                if self._values["weather"]:
                    with named("weather"):
                        tune(model, "weather", self._values["weather"])
                self._model, self._remarks = model, Remarks(model)
                self.log(logging.INFO, f"kernels run on {threads_in_words()}")
        except EXPECTED_ERRORS as error:
            raise InitializationError(str(error)) from error

    def step(self, time_s: float, step_s: float) -> None:
        """Answer the current input message, and set the outputs of the FMU to the answer.

        The time stamp of the answer is the end of the step. An unusable input message raises no
        exception: the output ``valid`` is then false. Without a new message, the last message is
        answered again.

        Parameters
        ----------
        time_s : float
            Start of the step. [s]
        step_s : float
            Length of the step. [s]
        """
        self._results |= _NO_ANSWER
        data_out = view_out = b""
        try:
            with self._forwarder.forwarding(self.log):
                time_ns = _time_ns(time_s + step_s)
                received = self._receive()
                if received is not None:
                    data_out, view_out = self._answer(received, time_ns)
        except EXPECTED_ERRORS as error:
            self._complain(logging.WARNING, str(error))
        finally:
            self._outputs[DATA_OUT].put(data_out)
            self._outputs[VIEW_OUT].put(view_out)

    def skip_step(self) -> None:
        """Clear all outputs, for a step that FMI does not allow at this time."""
        self._results |= _NO_ANSWER
        for name in (DATA_OUT, VIEW_OUT):
            self._outputs[name].put(b"")

    def close(self) -> None:
        """Complete the output files at the end of the run; a second call does nothing.

        A file that cannot be written is logged as an error and raises no exception, because the
        answers to the master were valid without the file.
        """
        remarks, self._remarks = self._remarks, None
        self._tell(remarks.at_end() if remarks else ())
        files, self._files = self._files, None
        if files is not None:
            try:
                files.close()
            except (OsiLidarError, OsiError) as error:
                self.log(logging.ERROR, str(error))

    def _tune(self, name: str, value: Value) -> bool:
        """Change a parameter of the running model; return whether it was changed."""
        if self._model is None or name not in TUNABLE:
            self.log(logging.WARNING, f"{name}: cannot change after initialization")
            return False
        try:
            with self._forwarder.forwarding(self.log):
                tune(self._model, name, value)
        except EXPECTED_ERRORS as error:
            self.log(logging.ERROR, f"{name} is unchanged: {error}")
            return False
        return True

    def _receive(self) -> Received | None:
        """Return the message of this step, None if there is none."""
        if self._model is None or self._receiver is None:
            raise FmuError(
                "got a step before the end of initialization, expected fmi2ExitInitializationMode "
                "(FMI 3: fmi3ExitInitializationMode) first"
            )
        name = SENSOR_VIEW
        try:
            data = self._inputs[name].read()
            if not data:
                name = GROUND_TRUTH
                data = self._inputs[name].read()
            if data:
                return self._receiver.receive(name, data, self._n_steps)
        except OsiError as error:
            raise FmuError(f"{name}: {error}") from error
        self._complain(logging.INFO, f"no message at {SENSOR_VIEW} or {GROUND_TRUTH}")
        return None

    def _answer(self, received: Received, time_ns: int) -> tuple[bytes, bytes]:
        """Return the SensorData message, and the SensorView message if it was requested."""
        model = given(self._model)  # there is no receiver without a model
        step = self._step(model, received, time_ns)
        self._n_steps += 1
        self._tell(self._remarks.on_step(received.frame) if self._remarks else ())
        view = b""
        if self._values["sensor_view_out"]:
            view = sensor_view_of(model, received.data, received.message_type)
        self._problem = ""
        self._results["valid"] = True
        last = [model.last_scans.get(lidar.name) for lidar in model.lidars]
        clouds = [each.cloud for each in last if each is not None]
        self._results["count"] = sum(len(cloud.points) for cloud in clouds if cloud is not None)
        if self._files is not None:
            try:
                self._files.write(step, time_ns)
            except (OsiLidarError, OsiError) as error:  # the answer is valid without files
                files, self._files = self._files, None
                self.log(logging.ERROR, f"{error}; no more files are written")
                with suppress(OsiLidarError, OsiError):  # the problem has been logged
                    files.close()
        return step.sensor_data, view

    def _step(self, model: LidarModel, received: Received, time_ns: int) -> Step:
        """Answer a message with the model; a repeated message causes no new scan."""
        if received.after_late:
            model.leave_out_late()
        if self._last is not None and self._last[0] is received.data:
            return replace(self._last[1], scans=Scans(), sensor_data=model.repeated(time_ns))
        self._last = None
        step = model.step(received.frame, time_ns=time_ns)
        self._last = received.data, step
        return step

    def _tell(self, remarks: Iterable[tuple[int, str]]) -> None:
        for level, text in remarks:
            self.log(level, text)

    def _complain(self, level: int, text: str) -> None:
        """Log a problem with a step, unless it is the same as in the previous step."""
        if text != self._problem:
            self._problem = text
            self.log(level, text)

    def _shake_hands(self, config: Config) -> None:
        """Complete OSMP's handshake: granted configuration, and initial ground truth."""
        try:
            granted = self._inputs[GRANTED].read()
            view = decode_view_configuration(granted) if granted else None
        except OsiError as error:
            raise InitializationError(f"{GRANTED}: {error}") from error
        try:
            truth = self._inputs[INITIAL_TRUTH].read()
            self._receiver = MessageReceiver(truth)
        except OsiError as error:
            raise InitializationError(f"{INITIAL_TRUTH}: {error}") from error
        if view is None:
            self._outputs[REQUEST].put(_request(config))
            return
        if view.omit_static_information and not truth:
            raise InitializationError(
                f"{GRANTED}: omit_static_information is set, but {INITIAL_TRUTH} is empty, "
                "expected the static objects"
            )
        farthest_m = _farthest_m(config)
        if view.range_m is not None and view.range_m < farthest_m:
            text = f"{GRANTED}: range is {view.range_m:g} m, but the sensors see {farthest_m:g} m"
            self.log(logging.WARNING, text)
        self._outputs[REQUEST].put(granted)

    def _update_request(self) -> None:
        """Update OSMP's request: to the granted configuration, or else to the current parameters.

        Invalid parameters give an empty request.
        """
        granted = b""
        if self._inputs[GRANTED].pointer.size >= 0:  # otherwise, initialization reports it
            granted = self._inputs[GRANTED].read()
        if self._requested_for == (granted, self._values):
            return
        self._requested_for = (granted, dict(self._values))
        if granted:
            self._outputs[REQUEST].put(granted)
            return
        try:
            request = _request(configuration(self._values, self._start, self._packed))
        except EXPECTED_ERRORS as error:
            self.log(logging.ERROR, str(error))
            request = b""
        self._outputs[REQUEST].put(request)


def _request(config: Config) -> bytes:
    period_s = min(scan_pattern(sensor).period_s for sensor in config.sensors)
    return encode_view_request(
        range_m=_farthest_m(config), period_ns=round(_NANOSECONDS * period_s)
    )


def _farthest_m(config: Config) -> float:
    return max(sensor.max_range_m for sensor in config.sensors)


def _time_ns(time_s: float) -> int:
    if not abs(time_s) <= MAX_TIME_S:
        raise FmuError(f"the step ends at {time_s} s, expected a time of at most {MAX_TIME_S} s")
    return round(time_s * _NANOSECONDS)
