# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The calls of FMI 2.0 and FMI 3.0, as the native wrapper hands them over.

Arguments are numbers and addresses of C arrays. A call returns a status; if the status is not OK,
the master's log gives the reason. A call raises only KeyboardInterrupt, which the wrapper passes on
to a master that runs in Python.
"""

from __future__ import annotations

import logging
import traceback
from contextlib import nullcontext
from typing import TYPE_CHECKING

from lidar_base.process.interrupts import interrupts_held
from lidar_base.process.threads import sleep_soon
from osi_lidar.version import __version__

from . import arrays
from .contents import packed_config, read_build
from .errors import CallError, InitializationError
from .log_emitter import CATEGORIES, Status
from .references import TIME, references
from .sensor import OsmpLidar
from .step_clock import StepClock

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .log_emitter import Emitter
    from .references import Reference
    from .variables import Value

INSTANTIATED, INITIALIZATION, STEPS = "instantiated", "in initialization mode", "in step mode"
REFUSED, TERMINATED = "refused in its initialization", "terminated"
_ANY = (INSTANTIATED, INITIALIZATION, STEPS, REFUSED, TERMINATED)
_SETTABLE = (INSTANTIATED, INITIALIZATION, STEPS)
_CALLS = {
    "SetDebugLogging": ("_set_debug_logging", _ANY),
    "SetupExperiment": ("_set_up_experiment", (INSTANTIATED,)),
    "EnterInitializationMode": ("_enter_initialization_mode", (INSTANTIATED,)),
    "ExitInitializationMode": ("_exit_initialization_mode", (INITIALIZATION,)),
    "Get": ("_get", _ANY),
    "GetBinary": ("_get_binary", _ANY),
    "Set": ("_set", _SETTABLE),
    "SetBinary": ("_set_binary", _SETTABLE),
    "DoStep": ("_do_step", (STEPS,)),
    "Terminate": ("_terminate", _ANY),
    "Reset": ("_reset", _ANY),
    "FreeInstance": ("_terminate", _ANY),
}
_STATUS = {logging.WARNING: Status.WARNING, logging.ERROR: Status.ERROR}


class _SensorLog:
    """Passes the sensor model's log to the master, and records the worst status.

    It has no reference to the instance.
    """

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter
        self.worst = Status.OK

    def __call__(self, level: int, text: str) -> None:
        """Send a message to the master's log."""
        status = _STATUS.get(min(level, logging.ERROR), Status.OK)
        self.worst = max(self.worst, status)
        self._emitter.tell(status, "OSI", text)


class Instance:
    """An instance of the FMU.

    Parameters
    ----------
    emitter : Emitter
        Sends log messages to the master.
    resources : Path
        Folder of the FMU's resources.
    fmi : int
        Major version of FMI.
    name, token : str
        Name of the instance, and GUID or instantiation token, from the master.

    Raises
    ------
    OSError, ValueError, TypeError
        The FMU is incomplete, or the token is another FMU's; one line says so.
    """

    def __init__(
        self, emitter: Emitter, resources: Path, fmi: int, *, name: str, token: str
    ) -> None:
        self._emitter, self._resources, self._fmi, self._name = emitter, resources, fmi, name
        self._build = read_build(resources)
        if token != self._build.guid:
            what = "GUID" if fmi == 2 else "instantiation token"
            raise ValueError(f"{what}: got '{token}', expected '{self._build.guid}' of this FMU")
        if self._build.version != __version__:
            text = f"built with osi-lidar {self._build.version}, running {__version__}"
            self._emitter.tell(Status.WARNING, "FMI", text)
        self._variables = references(fmi)
        self._sensor: OsmpLidar
        self._texts: dict[int, bytes] = {}
        self._reset()

    def call(self, function: str, arguments: tuple[int | float | str, ...]) -> int:
        """Execute a call of the master, and return the FMI status as a number.

        A call that fails gives the status Error, with the reason in the master's log.

        Parameters
        ----------
        function : str
            Name of the FMI function without prefix and data type, such as "DoStep" or "Get".
        arguments : tuple
            Its arguments from the native wrapper: numbers, texts, and addresses of C arrays.
        """
        # an initialization may take long (it compiles kernels), and tolerates an interrupt
        is_quick = function != "ExitInitializationMode"
        try:
            with interrupts_held() if is_quick else nullcontext():
                return int(self._method(function)(*arguments))
        except CallError as error:
            kind = arguments[0] if function in ("Get", "Set") else ""
            self._emitter.tell(Status.ERROR, "FMI", f"fmi{self._fmi}{function}{kind}: {error}")
        except KeyboardInterrupt:  # of a master in Python: the wrapper hands it on
            raise
        except BaseException as error:  # noqa: BLE001
            self._emitter.tell(Status.ERROR, "FMI", self._unexpected(error))
        return Status.ERROR

    def _method(self, function: str) -> Callable[..., Status]:
        """Return the method that executes a call, if the state of the instance allows the call."""
        if function not in _CALLS:
            raise CallError("is not supported by this FMU")
        method, states = _CALLS[function]
        if self._state not in states:
            raise CallError(f"the instance is {self._state}, expected {' or '.join(states)}")
        follow: Callable[..., Status] = getattr(self, method)
        return follow

    def _set_debug_logging(self, is_on: int, address: int, n: int) -> Status:
        names = arrays.read_values(self._fmi, "String", address, n) if is_on else []
        unknown = [name for name in names if name not in CATEGORIES]
        if unknown:
            raise CallError(f"got category '{unknown[0]}', expected {', '.join(CATEGORIES)}")
        self._emitter.categories = {str(name) for name in names} or set(CATEGORIES)
        return Status.OK

    def _set_up_experiment(self, start_s: float) -> Status:
        self._clock.start(start_s)
        return Status.OK

    def _enter_initialization_mode(self, start_s: float | None = None) -> Status:
        if start_s is not None:  # in FMI 3.0, which has no SetupExperiment
            self._clock.start(start_s)
        self._state = INITIALIZATION
        return Status.OK

    def _exit_initialization_mode(self) -> Status:
        """Build the model; if this fails, the reason is reported even with logging off."""
        sleep_soon()
        try:
            self._sensor.initialize()
        except BaseException as error:
            is_expected = isinstance(error, InitializationError)
            self._state = REFUSED
            self._emitter.refuse(str(error) if is_expected else self._unexpected(error), "OSMP")
            if isinstance(error, KeyboardInterrupt):
                raise
            return Status.ERROR
        self._state = STEPS
        return Status.OK

    def _do_step(self, time_s: float, step_s: float) -> Status:
        """Answer the current input message; an unusable message is logged, and no error."""
        try:
            remark = self._clock.take(time_s, step_s)
        except CallError:
            self._sensor.skip_step()
            raise
        if remark:
            self._emitter.tell(Status.WARNING, "FMI", f"fmi{self._fmi}DoStep: {remark}")
        self._sensor.step(time_s, step_s)
        return Status.OK  # after a gap, too: some masters end at a warning

    def _terminate(self) -> Status:
        """Complete the output files; masters also call this after a failed initialization."""
        self._log.worst = Status.OK
        self._sensor.close()
        self._state = TERMINATED
        return Status.OK

    def _reset(self) -> Status:
        if hasattr(self, "_sensor"):
            self._sensor.close()
        self._clock = StepClock()
        self._state = INSTANTIATED
        self._log = _SensorLog(self._emitter)
        self._sensor = OsmpLidar(
            instance_name=self._name,
            packed=packed_config(self._resources),
            start=self._build.start or {},
            log=self._log,
        )
        return Status.OK

    def _get(self, kind: str, address: int, n: int, values: int, n_values: int) -> Status:
        found = self._referred(kind, address, n, n_values)
        if not found:
            return Status.OK
        results: list[Value | bytes] = [self._value(variable) for _, variable in found]
        if kind == "String":
            texts = {number: self._text(variable) for number, variable in found}
            results = [texts[number] for number, _ in found]
            self._texts |= texts
        arrays.write_values(self._fmi, kind, values, results)
        return Status.OK

    def _set(self, kind: str, address: int, n: int, values: int, n_values: int) -> Status:
        found = self._referred(kind, address, n, n_values)
        if not found:
            return Status.OK
        given = arrays.read_values(self._fmi, kind, values, n)
        self._check_settable(found)
        self._log.worst = Status.OK
        for (_, variable), value in zip(found, given, strict=True):
            self._sensor.set(variable.name, value)
        return min(self._log.worst, Status.WARNING)  # an unusable value does not change the run

    def _get_binary(self, address: int, n: int, sizes: int, values: int, n_values: int) -> Status:
        found = self._referred("Binary", address, n, n_values)
        pointers = [self._sensor.pointer(variable.name) for _, variable in found]
        arrays.write_addresses(values, [pointer.address for pointer in pointers])
        arrays.sizes(sizes, n)[:] = [pointer.size for pointer in pointers]
        return Status.OK

    def _set_binary(self, address: int, n: int, sizes: int, values: int, n_values: int) -> Status:
        found = self._referred("Binary", address, n, n_values)
        messages = arrays.read_binaries(values, list(arrays.sizes(sizes, n)))
        self._check_settable(found)
        for (_, variable), message in zip(found, messages, strict=True):
            self._sensor.put(variable.name, message)
        return Status.OK

    def _text(self, variable: Reference) -> bytes:
        return arrays.text_bytes(str(self._value(variable)))

    def _value(self, variable: Reference) -> Value:
        return self._clock.time_s if variable.name == TIME else self._sensor.get(variable.name)

    def _referred(
        self, kind: str, address: int, n: int, n_values: int
    ) -> list[tuple[int, Reference]]:
        """Return (value reference, variable) for each element of an array of value references."""
        if n != n_values:
            raise CallError(f"got {n_values} values, expected {n}, one per value reference")
        found = []
        for number in arrays.value_references(address, n):
            if number >= len(self._variables):
                raise CallError(
                    f"got value reference {number}, expected at most {len(self._variables) - 1}"
                )
            variable = self._variables[number]
            has = arrays.type_name(self._fmi, variable.kind)
            if has != kind:
                raise CallError(f"{variable.name}: got {kind}, expected {has}")
            found.append((number, variable))
        return found

    def _check_settable(self, found: list[tuple[int, Reference]]) -> None:
        for _, reference in found:
            causality = reference.variable.causality if reference.variable else "independent"
            if causality not in ("input", "parameter"):
                raise CallError(
                    f"{reference.name}: cannot be set, its causality is {causality}, expected "
                    "input or parameter"
                )

    def _unexpected(self, error: BaseException) -> str:
        """Return one line about an unexpected error, and log its traceback."""
        for line in traceback.format_exception(error):
            self._sensor.log(logging.DEBUG, line)
        return f"internal error: {type(error).__name__}: {error}"
