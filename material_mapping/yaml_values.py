# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of the values in YAML files of materials; a problem is reported at its key."""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, PlainValidator, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

from lidar_base.sections import problem_at
from material_mapping.bands import WAVELENGTHS_NM
from material_mapping.by_wavelength import ByWavelength

if TYPE_CHECKING:
    from collections.abc import Callable

Value = TypeVar("Value")


def number(content: object, *place: str | int) -> float:
    """Return a finite number of a YAML file as float; raise ValueError for anything else.

    ``content`` is the decoded value; a bool is no number. ``place`` is for the error only: keys and
    indices that lead to the number in the value of its key, such as 0 for the first item of a list.
    """
    if isinstance(content, bool) or not (
        isinstance(content, int | float) and math.isfinite(content)
    ):
        raise problem_at(*place, message=f"got {reprlib.repr(content)}, expected a number")
    return float(content)


def wavelength(content: object) -> float:
    """Return a wavelength [nm] of a YAML file as float.

    ``content`` is the decoded value. Raise ValueError if it is no number, or outside of
    `WAVELENGTHS_NM`.
    """
    wavelength_nm, (low, high) = number(content), WAVELENGTHS_NM
    if not low <= wavelength_nm <= high:
        raise ValueError(f"wavelength {wavelength_nm:g} nm, expected {low:.0f} to {high:.0f}")
    return wavelength_nm


def by_wavelength(content: object, read: Callable[..., Value]) -> dict[float | None, Value]:
    """Return values by wavelength [nm] from a YAML value: one for all wavelengths, or a mapping.

    A mapping of wavelength to value is returned in increasing order. Any other content is one value
    and is returned as ``{None: value}``. Each value is converted by ``read``, which takes it and,
    in a mapping, its key. Raise ValueError for an empty mapping, or a wavelength that is not valid
    or is given twice.
    """
    if not isinstance(content, dict):
        return {None: read(content)}
    if not content:
        raise ValueError("is empty, expected {wavelength in nm: value}")
    values: dict[float, Value] = {}
    for word, each in content.items():
        wavelength_nm = wavelength(_plain_number(word))
        if wavelength_nm in values:
            raise ValueError(f"{wavelength_nm:g} nm is given twice")
        values[wavelength_nm] = read(each, word)
    return dict(sorted(values.items()))


def _plain_number(word: str) -> object:
    """Return a key of the file, which is a string, as a number if it is one."""
    try:
        return float(word)
    except ValueError:
        return word


def _text(content: object) -> str:
    """Return a text without line breaks."""
    if not isinstance(content, str):
        raise problem_at(message=f"got {reprlib.repr(content)}, expected a text")
    return " ".join(content.split())


Text = Annotated[str, PlainValidator(_text), WithJsonSchema({"type": "string"})]
SomeText = Annotated[str | None, PlainValidator(_text), WithJsonSchema({"type": "string"})]
"""Type of an optional text in YAML: its key may be absent, but not null."""
SomeWavelength = Annotated[
    float | None,
    PlainValidator(wavelength),
    WithJsonSchema({"type": "number", "minimum": 200.0, "maximum": 20_000.0}),
]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Annotation of a pydantic field, by which it takes a number within bounds from a YAML file.

    The field then holds a `ByWavelength`, also if the file states a single number.

    Attributes
    ----------
    least, most : float
        Least and greatest allowed value; both are allowed.
    spectral : bool
        Whether the file may also state a mapping of wavelength [nm] to number.
    """

    least: float = 0.0
    most: float = 1.0
    spectral: bool = False

    def read(self, content: object) -> ByWavelength:
        """Return the number, or numbers by wavelength, that a YAML value states.

        ``content`` is the decoded value: one number, which holds at all wavelengths, or a mapping
        of wavelength [nm] to number, which is accepted only if ``spectral``. Raise ValueError for a
        number out of bounds, and for anything else.
        """
        if self.spectral:
            return ByWavelength.of(by_wavelength(content, self._checked))
        return ByWavelength((), (self._checked(content),))

    def _checked(self, content: object, *place: str | int) -> float:
        value = number(content, *place)
        if not self.least <= value <= self.most:
            message = f"got {value:g}, expected {self.least:g} to {self.most:g}"
            raise problem_at(*place, message=message)
        return value

    def __get_pydantic_core_schema__(self, _kind: object, _: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, _: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        one = {"type": "number", "minimum": self.least, "maximum": self.most}
        return spectral_schema(one) if self.spectral else one


def spectral_schema(one: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a value that may be given by wavelength.

    ``one`` is the schema of the value itself.
    """
    return {"anyOf": [one, {"type": "object", "additionalProperties": one, "minProperties": 1}]}
