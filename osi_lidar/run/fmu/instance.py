# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An instance of an FMU; its variables and messages are accessed by name."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from osi_bridge import Pointer, address_of
from osi_lidar.errors import InputError
from osi_lidar.run.fmu.opening import opened, other_maker
from osi_lidar.run.fmu.variables import BINARY, FmuVariables

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from types import TracebackType

    Value = float | int | bool | str

_EXPECTED = {"Boolean": "true or false", BINARY: "a message"}
_SWITCH = {"true": True, "1": True, "false": False, "0": False}
_ERROR = 3
"""From this status on, a log message is the reason of a failure; the same in FMI 2 and 3."""


class Fmu(AbstractContextManager["Fmu"]):
    """An instance of an OSMP FMU of FMI 2.0 or 3.0, which exchanges messages by name.

    A message is a binary variable, or the three integers of a pointer.

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

    Attributes
    ----------
    path : Path
        The FMU.
    fmi : int
        Major version of FMI: 2 or 3.
    variables : FmuVariables
        The variables of the FMU, and which of them are messages.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        instance_name: str = "lidar",
        on_log: Callable[[int, str], None] = lambda *_: None,
    ) -> None:
        self.path = Path(path)
        self._on_log = on_log
        self._reasons: list[str] = []
        self._kept: dict[str, list[bytes]] = {}
        self._folder = Path(tempfile.mkdtemp(prefix="osi_lidar_fmu_"))
        try:
            self._opened = opened(self.path, self._folder, instance_name, self._log)
        except InputError as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            if self._reasons:
                reason = self._reasons[0]
                remark = other_maker(self.path, reason)
                raise InputError(f"{self.path}: {reason}{remark}") from error
            raise
        self._slave = self._opened.slave
        self.fmi = self._opened.fmi
        self.variables = FmuVariables(self.path, self._opened.description, self.fmi)

    def initialize(self, parameters: Mapping[str, Value] = {}, start_s: float = 0.0) -> None:
        """Set the parameters and initialize the FMU.

        Parameters
        ----------
        parameters : mapping of str to float, int, bool or str
            Values of parameters by name; texts are converted as in `set`.
        start_s : float
            Time at which the simulation starts. [s]

        Raises
        ------
        InputError
            If there is no such parameter, or the FMU reports an error.
        """
        for name, value in parameters.items():
            self.set(name, value)
        if self.fmi == 2:
            self._call("setupExperiment", startTime=start_s)
            self._call("enterInitializationMode")
        else:
            self._call("enterInitializationMode", startTime=start_s)
        self._call("exitInitializationMode")

    def set(self, name: str, value: Value) -> None:
        """Set a variable that is no message.

        Parameters
        ----------
        name : str
            Name of the variable.
        value : float, int, bool or str
            The value. It is converted to the type of the variable: also a text, such as "0.5", or
            "true" and "1" for a Boolean.

        Raises
        ------
        InputError
            If there is no such variable, it has another type or cannot hold the value, or the FMU
            reports an error.
        """
        kind = self.variables.kind(name)
        try:
            converted = _converted(value, kind)
        except (ValueError, KeyError, OverflowError) as error:
            expected = _EXPECTED.get(kind, f"a value of type {kind}")
            raise InputError(f"{name}: got {value!r}, expected {expected}") from error
        self._call(f"set{kind}", [self.variables.reference(name)], [converted])

    def get(self, name: str) -> Any:  # noqa: ANN401  of the variable's type
        """Return the value of the variable ``name``: a float, an int, a bool, a str or bytes.

        Raises
        ------
        InputError
            If there is no such variable, or the FMU reports an error.
        """
        value = self._call(f"get{self.variables.kind(name)}", [self.variables.reference(name)])[0]
        return value.decode() if isinstance(value, bytes) and self.fmi == 2 else value

    def put(self, prefix: str, data: bytes) -> None:
        """Set an OSMP input of the FMU to a message.

        If the FMU gets a pointer, the message stays in memory for as long as OSMP requires.

        Parameters
        ----------
        prefix : str
            Name of the input, such as ``OSMPSensorViewIn``, without ``.base.lo`` etc.
        data : bytes
            The message, serialised; empty: no message.

        Raises
        ------
        InputError
            If there is no such input, or the FMU reports an error.
        """
        if self.variables.is_binary(prefix):
            self._call("setBinary", [self.variables.reference(prefix)], [data])
            return
        self._kept[prefix] = [*self._kept.get(prefix, [])[-1:], data]
        pointer = Pointer.to(address_of(data), len(data)) if data else Pointer()
        self.put_pointer(prefix, pointer)

    def message(self, prefix: str) -> bytes:
        """Return a copy of the message of an OSMP output; empty if the output has no message.

        ``prefix`` is the name of the output, such as ``OSMPSensorDataOut``. Raise InputError if
        there is no such output.
        """
        if self.variables.is_binary(prefix):
            return self._call("getBinary", [self.variables.reference(prefix)])[0] or b""
        return self.pointer(prefix).read()

    def put_pointer(self, prefix: str, pointer: Pointer) -> None:
        """Set the three integers of an OSMP input: the address (two integers) and the size.

        ``prefix`` is the name of the input. ``pointer`` has the integers; what it points to must
        stay in memory. Raise InputError if the input is no three integers.
        """
        kind, references = self.variables.integers(prefix)
        self._call(f"set{kind}", references, list(pointer))

    def pointer(self, prefix: str) -> Pointer:
        """Return the three integers of an OSMP output: the address (two) and the size.

        ``prefix`` is the name of the output. Raise InputError if the output is no three integers.
        """
        kind, references = self.variables.integers(prefix)
        return Pointer(*self._call(f"get{kind}", references))

    def step(self, time_s: float, step_s: float) -> None:
        """Let the FMU do one step of the simulation (doStep).

        Parameters
        ----------
        time_s : float
            Time at which the step begins. [s]
        step_s : float
            Duration of the step. [s]

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
        """Tell the FMU that the simulation has ended."""
        self._call("terminate")

    def close(self) -> None:
        """Free the instance and its files; a second call does nothing."""
        slave, self._slave = self._slave, None
        if slave is not None:
            slave.freeInstance()
            shutil.rmtree(self._folder, ignore_errors=True)

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _log(self, status: int, text: str) -> None:
        if status >= _ERROR:
            self._reasons.append(text)
        self._on_log(status, text)

    def _call(self, function: str, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        """Call a function of the FMU; after a failure, raise InputError with the FMU's log text."""
        self._reasons.clear()
        try:
            return getattr(self._slave, function)(*arguments, **options)
        except Exception as error:
            reason = self._reasons[0] if self._reasons else str(error)
            raise InputError(f"{self.path}: {reason}") from error


def _converted(value: Value, kind: str) -> Value:
    """Convert a value to a type of FMI.

    Raises
    ------
    ValueError, KeyError, OverflowError
        The value cannot be converted or does not fit the type, or the type is not known.
    """
    if kind == "Boolean":
        return value if isinstance(value, bool) else _SWITCH[str(value).lower()]
    if kind == "String":
        return str(value)
    if kind.startswith(("Real", "Float")):
        return float(value)
    if kind.startswith(("Int", "UInt")):
        return _fitting(int(value), kind)
    raise ValueError(kind)


def _fitting(value: int, kind: str) -> int:
    """Return an integer; raise ValueError if its type cannot hold it, as FMPy would cut off bits.

    Types are "Integer", of 32 bits, and such as "Int8" and "UInt64".
    """
    bits = int("".join(filter(str.isdigit, kind)) or 32)
    least = 0 if kind.startswith("U") else -(2 ** (bits - 1))
    if not least <= value < least + 2**bits:
        raise ValueError(kind)
    return value
