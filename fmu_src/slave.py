# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""FMI interface: the class that pythonfmu calls. No Python exception crosses into C.

pythonfmu 0.7.0 answers an exception with fmi2Fatal and releases its references to the instance, and
releases them again when the instance is freed. All exceptions are therefore caught here. The only
failure that FMI must be told of is that of the initialization; ``_keep_alive`` compensates for the
lost references. It also compensates for the reference to the module's globals that every
instantiation releases.
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
    """FMU of a lidar. Each build derives its own class from this one."""

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
            self._startup_problem = f"{resources}: the FMU is incomplete: {error}"
        self.guid = build.guid
        self.default_experiment = DefaultExperiment(start_time=0.0, step_size=build.step_s)
        if build.version != __version__:
            text = f"built with osi-lidar {build.version}, running {__version__}"
            self._to_log(logging.WARNING, text)
        # The sensor must not refer to self: a cycle would keep its scene alive after freeInstance.
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
        """Complete the files if the master frees or resets the instance during a run."""
        sensor = getattr(self, "_sensor", None)
        if sensor is not None:
            with contextlib.suppress(Exception):  # the log is gone
                sensor.close()

    def to_xml(self, model_options: dict[str, str] | None = None) -> Element:
        """Return the model description with the elements required by OSMP."""
        root: Element = super().to_xml(model_options or {})
        complete_description(root)
        return root

    def exit_initialization_mode(self) -> None:
        """Build the model. This is the only callback that may fail."""
        text = self._startup_problem or self._initialize()
        if text:
            self._to_log(logging.ERROR, text)
            _keep_alive(self, type(self), self.log_queue)
            raise InitializationError(printf_safe(text))

    def _initialize(self) -> str:
        """Build the model; return the problem, empty if there is none."""
        sleep_soon()
        try:
            self._sensor.initialize()
        except InitializationError as error:
            return str(error)
        except BaseException as error:  # noqa: BLE001
            return self._unexpected(error)
        return ""

    def do_step(self, current_time: float, step_size: float) -> bool:
        """Answer the current input message; a bad message does not make the step fail."""
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
        """Return values by reference; 0 for a variable that cannot be read."""
        return [int(self._get(vr, 0)) for vr in vrs]

    def get_real(self, vrs: Sequence[int]) -> list[float]:
        """Return values by reference; 0 for a variable that cannot be read."""
        return [float(self._get(vr, 0.0)) for vr in vrs]

    def get_boolean(self, vrs: Sequence[int]) -> list[bool]:
        """Return values by reference; false for a variable that cannot be read."""
        return [bool(self._get(vr, False)) for vr in vrs]

    def get_string(self, vrs: Sequence[int]) -> list[str]:
        """Return values by reference; an empty string for a variable that cannot be read."""
        return [str(self._get(vr, "")) for vr in vrs]

    def set_integer(self, vrs: Sequence[int], values: Sequence[int]) -> None:
        """Set values by reference; a variable that cannot be set is named in the log."""
        self._set(vrs, values, int)

    def set_real(self, vrs: Sequence[int], values: Sequence[float]) -> None:
        """Set values by reference; a variable that cannot be set is named in the log."""
        self._set(vrs, values, float)

    def set_boolean(self, vrs: Sequence[int], values: Sequence[bool]) -> None:
        """Set values by reference; a variable that cannot be set is named in the log."""
        self._set(vrs, values, bool)

    def set_string(self, vrs: Sequence[int], values: Sequence[str]) -> None:
        """Set values by reference; a variable that cannot be set is named in the log."""
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
                    text = f"{variable.name} is not of type {kind.__name__}; not set"
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
        """Return one line about an unexpected error, and log its traceback."""
        for line in traceback.format_exception(error):
            self._sensor.log(logging.DEBUG, line)
        return f"internal error: {type(error).__name__}: {error}"

    def _to_log(self, level: int, text: str, category: str = "OSMP") -> None:
        _append_log(self.log_queue, level, text, category)


def _append_log(queue: list[Any], level: int, text: str, category: str = "OSI") -> None:
    """Append a message to the queue that pythonfmu reads after each call."""
    status = _STATUS.get(min(level, logging.ERROR), Fmi2Status.ok)
    queue.append(LogMsg(status, category, printf_safe(text)))


def _keep_alive(*objects: object) -> None:
    """Add a reference to each object, for the one that pythonfmu releases without owning it."""
    for each in objects:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))


def _tidy_path(folder: str) -> None:
    """Remove duplicates of a folder from sys.path: pythonfmu adds one for every instance."""
    while sys.path.count(folder) > 1:
        sys.path.remove(folder)
