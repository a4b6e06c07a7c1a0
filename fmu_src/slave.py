# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The FMI side: pythonfmu calls in, calls out, and no Python exception crosses into C.

pythonfmu 0.7.0 answers an exception with fmi2Fatal and gives up its references to the instance,
then once more when the instance is freed. So everything is caught here. The one failure that FMI
must hear of is that of the initialization; ``_keep_alive`` makes up for what it costs. It also
makes up for the reference to the module's globals that every instantiation takes away.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import logging
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from xml.etree.ElementTree import Element  # noqa: TC003  as pythonfmu's own signature

from pythonfmu import DefaultExperiment, Fmi2Slave
from pythonfmu.enums import Fmi2Status
from pythonfmu.logmsg import LogMsg

from osi_lidar.threads import sleep_soon
from osi_lidar.version import __version__

from .contents import Build, packed_config, read_build
from .errors import InitializationError
from .log import printf_safe
from .osmp import complete_description, scalar_variables
from .sensor import OsmpLidar
from .variables import VARIABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .variables import Value

MODEL_NAME = "OsiLidar"
_STATUS = {logging.WARNING: Fmi2Status.warning, logging.ERROR: Fmi2Status.error}


class OsiLidarSlave(Fmi2Slave):  # type: ignore[misc]  # pythonfmu has no types
    """The FMU of a lidar; each build derives a class of its own from it."""

    author = "osi-lidar contributors"
    license = "Apache-2.0"
    copyright = "2026 osi-lidar contributors"
    version = __version__
    description = "Lidar sensor model: ASAM OSI ground truth in, OSI SensorData out, after OSMP"
    log_categories: ClassVar[dict[str, str]] = {
        "FMI": "Calls that the FMU cannot follow.",
        "OSMP": "Messages in and out, handshake.",
        "OSI": "What the sensor model has to say about the content.",
    }

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  of pythonfmu
        super().__init__(**options)
        self.modelName = MODEL_NAME
        resources = Path(self.resources)
        self._startup_problem = ""
        try:
            build = read_build(resources)
        except (OSError, ValueError, TypeError) as error:
            build = Build()
            self._startup_problem = f"{resources}: the FMU is not whole: {error}"
        self.guid = build.guid
        self.default_experiment = DefaultExperiment(start_time=0.0, step_size=build.step_s)
        if build.version != __version__:
            text = f"built with osi-lidar {build.version}, runs with {__version__}"
            self._to_log(logging.WARNING, text)
        # No reference to self in there: cycles would keep whole scenes alive after freeInstance.
        self._sensor = OsmpLidar(
            instance_name=self.instance_name,
            packed=packed_config(resources),
            start=build.start or {},
            log=functools.partial(_append_log, self.log_queue),
        )
        for variable in VARIABLES:
            for each in scalar_variables(variable, self._getter, self._setter):
                self.register_variable(each, nested=False)
        _tidy_path(str(self.resources))
        _keep_alive(vars(sys.modules[type(self).__module__]))

    def __del__(self) -> None:
        """Complete the files when the master frees or resets the instance in mid-run."""
        sensor = getattr(self, "_sensor", None)
        if sensor is not None:
            with contextlib.suppress(Exception):  # there is nobody left to tell
                sensor.close()

    def to_xml(self, model_options: dict[str, str] | None = None) -> Element:
        """Return the model description with what OSMP adds."""
        root: Element = super().to_xml(model_options or {})
        complete_description(root)
        return root

    def exit_initialization_mode(self) -> None:
        """Build the model from what was set; the one callback that may fail."""
        text = self._startup_problem or self._initialize()
        if text:
            self._to_log(logging.ERROR, text)
            _keep_alive(self, type(self), self.log_queue)
            raise InitializationError(printf_safe(text))

    def _initialize(self) -> str:
        """Build the model; return what was wrong."""
        sleep_soon()
        try:
            self._sensor.initialize()
        except InitializationError as error:
            return str(error)
        except BaseException as error:  # noqa: BLE001
            return self._unexpected(error)
        return ""

    def do_step(self, current_time: float, step_size: float) -> bool:
        """Answer the message that is set; a bad one is no failure of the step."""
        try:
            self._sensor.step(current_time, step_size)
        except BaseException as error:  # noqa: BLE001
            self._to_log(logging.ERROR, self._unexpected(error))
        return True

    def terminate(self) -> None:
        """Complete the files."""
        try:
            self._sensor.close()
        except BaseException as error:  # noqa: BLE001
            self._to_log(logging.ERROR, str(error))

    def get_integer(self, vrs: Sequence[int]) -> list[int]:
        """Return values by reference; 0 for one that cannot be had."""
        return [int(self._get(vr, 0)) for vr in vrs]

    def get_real(self, vrs: Sequence[int]) -> list[float]:
        """Return values by reference; 0 for one that cannot be had."""
        return [float(self._get(vr, 0.0)) for vr in vrs]

    def get_boolean(self, vrs: Sequence[int]) -> list[bool]:
        """Return values by reference; false for one that cannot be had."""
        return [bool(self._get(vr, False)) for vr in vrs]

    def get_string(self, vrs: Sequence[int]) -> list[str]:
        """Return values by reference; an empty text for one that cannot be had."""
        return [str(self._get(vr, "")) for vr in vrs]

    def set_integer(self, vrs: Sequence[int], values: Sequence[int]) -> None:
        """Set values by reference; one that cannot be set is named in the log."""
        self._set(vrs, values, int)

    def set_real(self, vrs: Sequence[int], values: Sequence[float]) -> None:
        """Set values by reference; one that cannot be set is named in the log."""
        self._set(vrs, values, float)

    def set_boolean(self, vrs: Sequence[int], values: Sequence[bool]) -> None:
        """Set values by reference; one that cannot be set is named in the log."""
        self._set(vrs, values, bool)

    def set_string(self, vrs: Sequence[int], values: Sequence[str]) -> None:
        """Set values by reference; one that cannot be set is named in the log."""
        self._set(vrs, values, str)

    def _get(self, reference: int, otherwise: Value) -> Value:
        try:
            variable = self.vars[reference]
            return type(otherwise)(variable.getter())
        except BaseException as error:  # noqa: BLE001
            self._to_log(logging.ERROR, f"get {reference}: {self._unexpected(error)}", "FMI")
            return otherwise

    def _set(self, references: Sequence[int], values: Sequence[Value], kind: type[Any]) -> None:
        for reference, value in zip(references, values, strict=True):
            try:
                variable = self.vars[reference]
                if type(self._sensor.get(variable.name)) is not kind:
                    text = f"{variable.name} is no {kind.__name__}; not set"
                    self._to_log(logging.ERROR, text, "FMI")
                    continue
                variable.setter(value)
            except BaseException as error:  # noqa: BLE001
                self._to_log(logging.ERROR, f"set {reference}: {self._unexpected(error)}", "FMI")

    def _getter(self, name: str) -> Callable[[], Value]:
        return functools.partial(self._sensor.get, name)

    def _setter(self, name: str) -> Callable[[Value], None]:
        return functools.partial(self._sensor.set, name)

    def _unexpected(self, error: BaseException) -> str:
        """Return one line for what should not have happened, and log where it did."""
        for line in traceback.format_exception(error):
            self._sensor.log(logging.DEBUG, line)
        return f"internal error: {type(error).__name__}: {error}"

    def _to_log(self, level: int, text: str, category: str = "OSMP") -> None:
        _append_log(self.log_queue, level, text, category)


def _append_log(queue: list[Any], level: int, text: str, category: str = "OSI") -> None:
    """Put a message where pythonfmu takes it from after each call."""
    status = _STATUS.get(min(level, logging.ERROR), Fmi2Status.ok)
    queue.append(LogMsg(status, category, printf_safe(text)))


def _keep_alive(*objects: object) -> None:
    """Take one reference more, for the one that pythonfmu gives up without having it."""
    for each in objects:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))


def _tidy_path(folder: str) -> None:
    """Leave one entry of a folder in sys.path: pythonfmu adds one for every instance."""
    while sys.path.count(folder) > 1:
        sys.path.remove(folder)
