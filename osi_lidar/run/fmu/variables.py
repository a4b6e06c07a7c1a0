# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The variables of an FMU by name: their types, and which of them are OSMP messages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from osi_bridge import MESSAGE_PARTS
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from fmpy.model_description import ModelDescription

BINARY = "Binary"
_STEP_S = 0.1


class FmuVariables:
    """The variables that modelDescription.xml lists.

    Parameters
    ----------
    path : Path
        The FMU, for error messages.
    description : ModelDescription
        Content of modelDescription.xml.
    fmi : int
        Major version of FMI: 2 or 3.
    """

    def __init__(self, path: Path, description: ModelDescription, fmi: int) -> None:
        self._path, self._description, self._fmi = path, description, fmi
        self._of_name = {each.name: each for each in description.modelVariables}

    @property
    def names(self) -> Collection[str]:
        """The names of all variables of the FMU, a collection of str, in the order of the file."""
        return self._of_name.keys()

    @property
    def step_s(self) -> float:
        """The preferred step size in seconds; 0.1 if the FMU states no finite positive number."""
        experiment = self._description.defaultExperiment
        try:
            stated = float((experiment and experiment.stepSize) or 0.0)
        except ValueError:
            return _STEP_S
        return stated if 0.0 < stated < math.inf else _STEP_S

    def has(self, prefix: str) -> bool:
        """Return whether the FMU has an OSMP message with the name ``prefix``.

        It is a binary variable (FMI 3), or three integers with the names ``prefix.base.lo`` etc.
        """
        return self.is_binary(prefix) or all(each in self._of_name for each in _parts(prefix))

    def is_binary(self, name: str) -> bool:
        """Return whether the variable ``name`` is binary (FMI 3), which means that it is a message.

        False if there is no such variable.
        """
        return name in self._of_name and self._of_name[name].type == BINARY

    def kind(self, name: str) -> str:
        """Return the type of a variable as in the names of FMPy's functions, such as "Int32".

        ``name`` is the name of the variable. Enumerations count as integers. Raise InputError if
        there is no such variable.
        """
        if name not in self._of_name:
            raise InputError(f"{self._path}: has no variable {name}")
        kind = str(self._of_name[name].type)
        if kind != "Enumeration":
            return kind
        return "Integer" if self._fmi == 2 else "Int64"

    def reference(self, name: str) -> int:
        """Return the value reference of the variable ``name``; raise KeyError if there is none."""
        return int(self._of_name[name].valueReference)

    def integers(self, prefix: str) -> tuple[str, list[int]]:
        """Return the type and the value references of the three integers that hold a message.

        Parameters
        ----------
        prefix : str
            Name of the message, such as ``OSMPSensorViewIn``.

        Returns
        -------
        (str, list of int)
            The type as `kind` returns it, and the references of ``base.lo``, ``base.hi``, ``size``.

        Raises
        ------
        InputError
            If there are no such integers, or if the message is a binary variable.
        """
        if self.is_binary(prefix):
            raise InputError(f"{self._path}: {prefix} is a binary variable, expected integers")
        if not self.has(prefix):
            raise InputError(f"{self._path}: has no OSMP variable {prefix}")
        parts = _parts(prefix)
        return self.kind(parts[0]), [self.reference(part) for part in parts]


def _parts(prefix: str) -> list[str]:
    return [f"{prefix}.{part}" for part in MESSAGE_PARTS]
