# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""FMI interface: the class that pythonfmu calls. No Python exception crosses into C.

pythonfmu 0.7.0 answers an exception with fmi2Fatal and releases its references to the instance, and
releases them again when the instance is freed. All exceptions are therefore caught here. Only a
failed initialization must be reported to FMI by an exception; ``_keep_alive`` compensates for the
references that pythonfmu then releases too often. It also compensates for the reference to the
module's globals that every instantiation releases.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import logging
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pythonfmu import Fmi2Slave
from pythonfmu.enums import Fmi2Status
from pythonfmu.logmsg import LogMsg

from lidar_base.process.threads import sleep_soon
from osi_lidar.version import __version__

from .contents import Build, packed_config, read_build
from .errors import CallError, FmuError, InitializationError
from .host_record import give_back_sigint
from .log import printf_safe
from .references import references
from .sensor import OsmpLidar
from .step_clock import StepClock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .variables import Value

_STATUS = {logging.WARNING: Fmi2Status.warning, logging.ERROR: Fmi2Status.error}


class OsiLidarSlave(Fmi2Slave):  # type: ignore[misc]  # pythonfmu has no types
    """FMU of a lidar. Each build derives its own class from this one."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  of pythonfmu
        super().__init__(**options)
        give_back_sigint()
        resources = Path(self.resources)
        self._startup_problem = ""
        try:
            build = read_build(resources)
        except (OSError, ValueError, TypeError) as error:
            build = Build()
            self._startup_problem = f"{resources}: the FMU is incomplete: {error}"
        if build.version != __version__:
            text = f"built with osi-lidar {build.version}, running {__version__}"
            self._to_log(logging.WARNING, text)
        self._clock = StepClock()
        # The sensor must not refer to self: a cycle would keep its scene alive after freeInstance.
        self._sensor = OsmpLidar(
            instance_name=self.instance_name,
            packed=packed_config(resources),
            start=build.start or {},
            log=functools.partial(_append_log, self.log_queue),
        )
        _tidy_path(str(self.resources))
        _keep_alive(vars(sys.modules[type(self).__module__]))

    def __del__(self) -> None:
        """Complete the output files if the master frees or resets the instance during a run."""
        sensor = getattr(self, "_sensor", None)
        if sensor is not None:
            with contextlib.suppress(Exception):  # the log is gone
                sensor.close()

    def exit_initialization_mode(self) -> None:
        """Build the model; raise InitializationError, and log it, if that fails.

        This is the only callback that may fail.
        """
        text = self._startup_problem or self._initialize()
        if text:
            self._to_log(logging.ERROR, text)
            _to_stderr(f"{self.instance_name}: {text}")
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

    def setup_experiment(self, start_time: float, *_more: float | None) -> None:
        """Set the start time of the instance, ``start_time`` [s].

        A time that is NaN or beyond the limits of OSI is ignored and changes nothing. Further
        arguments, such as the stop time, are ignored.
        """
        with contextlib.suppress(CallError):
            self._clock.start(start_time)

    def do_step(self, current_time: float, step_size: float) -> bool:
        """Answer the current input message; a bad message does not make the step fail.

        A step that FMI does not allow fails: its size is not above 0, it begins before the end of
        the last step, or its times are beyond the limits of OSI. The return value False is the only
        failure status that pythonfmu offers.

        Parameters
        ----------
        current_time : float
            Start of the step. [s]
        step_size : float
            Length of the step. [s]

        Returns
        -------
        bool
            False if the step failed; the reason is in the log, and the outputs are cleared.
        """
        try:
            remark = self._clock.take(current_time, step_size)
            if remark:
                self._to_log(logging.WARNING, f"fmi2DoStep: {remark}", "FMI")
            self._sensor.step(current_time, step_size)
        except CallError as error:
            self._sensor.skip_step()
            self._to_log(logging.ERROR, f"fmi2DoStep: {error}", "FMI")
            return False
        except BaseException as error:  # noqa: BLE001
            self._to_log(logging.ERROR, self._unexpected(error))
        return True

    def terminate(self) -> None:
        """Complete the output files."""
        try:
            self._sensor.close()
        except BaseException as error:  # noqa: BLE001
            self._to_log(logging.ERROR, str(error))

    def get_integer(self, vrs: Sequence[int]) -> list[int]:
        """Return variables by their value references ``vrs``; 0 for one that cannot be read."""
        return [int(self._get(vr, 0)) for vr in vrs]

    def get_real(self, vrs: Sequence[int]) -> list[float]:
        """Return variables by their value references ``vrs``; 0 for one that cannot be read."""
        return [float(self._get(vr, 0.0)) for vr in vrs]

    def get_boolean(self, vrs: Sequence[int]) -> list[bool]:
        """Return variables by their value references ``vrs``; False for one that cannot be read."""
        return [bool(self._get(vr, False)) for vr in vrs]

    def get_string(self, vrs: Sequence[int]) -> list[str]:
        """Return variables by their value references ``vrs``; "" for one that cannot be read."""
        return [str(self._get(vr, "")) for vr in vrs]

    def set_integer(self, vrs: Sequence[int], values: Sequence[int]) -> None:
        """Set Integer variables; the log names each one that cannot be set.

        ``vrs`` are their value references, and ``values`` the new values in the same order.
        """
        self._set(vrs, values, int)

    def set_real(self, vrs: Sequence[int], values: Sequence[float]) -> None:
        """Set Real variables; the log names each one that cannot be set.

        ``vrs`` are their value references, and ``values`` the new values in the same order.
        """
        self._set(vrs, values, float)

    def set_boolean(self, vrs: Sequence[int], values: Sequence[bool]) -> None:
        """Set Boolean variables; the log names each one that cannot be set.

        ``vrs`` are their value references, and ``values`` the new values in the same order.
        """
        self._set(vrs, values, bool)

    def set_string(self, vrs: Sequence[int], values: Sequence[str]) -> None:
        """Set String variables; the log names each one that cannot be set.

        ``vrs`` are their value references, and ``values`` the new values in the same order.
        """
        self._set(vrs, values, str)

    def _get(self, reference: int, otherwise: Value) -> Value:
        try:
            return type(otherwise)(self._sensor.get(_name(reference)))
        except FmuError as error:
            self._to_log(logging.ERROR, f"get: {error}", "FMI")
            return otherwise
        except BaseException as error:  # noqa: BLE001
            self._to_log(logging.ERROR, f"get {reference}: {self._unexpected(error)}", "FMI")
            return otherwise

    def _set(self, numbers: Sequence[int], values: Sequence[Value], kind: type[Any]) -> None:
        for reference, value in zip(numbers, values, strict=True):
            try:
                name = _name(reference)
                if type(self._sensor.get(name)) is not kind:
                    text = f"{name} is not of type {kind.__name__}; not set"
                    self._to_log(logging.ERROR, text, "FMI")
                    continue
                self._sensor.set(name, value)
            except FmuError as error:
                self._to_log(logging.ERROR, f"set: {error}", "FMI")
            except BaseException as error:  # noqa: BLE001
                self._to_log(logging.ERROR, f"set {reference}: {self._unexpected(error)}", "FMI")

    def _unexpected(self, error: BaseException) -> str:
        """Return one line about an unexpected error, and log its traceback."""
        for line in traceback.format_exception(error):
            self._sensor.log(logging.DEBUG, line)
        return f"internal error: {type(error).__name__}: {error}"

    def _to_log(self, level: int, text: str, category: str = "OSMP") -> None:
        _append_log(self.log_queue, level, text, category)


def _name(reference: int) -> str:
    """Return the name of a variable.

    Raises
    ------
    FmuError
        There is no variable of this value reference.
    """
    known = references(2)
    if not 0 <= reference < len(known):
        raise FmuError(f"got the value reference {reference}, which no variable has")
    return known[reference].name


def _append_log(queue: list[Any], level: int, text: str, category: str = "OSI") -> None:
    """Append a message to the queue that pythonfmu reads after each call."""
    status = _STATUS.get(min(level, logging.ERROR), Fmi2Status.ok)
    queue.append(LogMsg(status, category, printf_safe(text)))


def _to_stderr(text: str) -> None:
    """Write a line to stderr: with logging off, masters do not show why initialization failed."""
    if sys.stderr is not None:  # it is None in programs with a window
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()


def _keep_alive(*objects: object) -> None:
    """Add a reference to each object, because pythonfmu releases one that it does not own."""
    for each in objects:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))


def _tidy_path(folder: str) -> None:
    """Remove duplicates of a folder from sys.path: pythonfmu adds the folder for every instance."""
    while sys.path.count(folder) > 1:
        sys.path.remove(folder)
