# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The variations of a sweep: keys of a configuration, each with its values.

sensors.0.pattern.azimuth_hz=1:50:1      from:to:step, both ends included
sensors.0.preset=OS1-128,VLP-16          a list of values
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import yaml

from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_VARIANTS = 100_000
Value: TypeAlias = "float | int | bool | str | None"
Key: TypeAlias = "tuple[str | int, ...]"
_EXPECTED = "expected KEY=FROM:TO:STEP or KEY=A,B,.., as sensors.0.max_range_m=50:200:25"


@dataclass(frozen=True, slots=True)
class Variation:
    """One key of the configuration that a sweep varies, and the values that it takes.

    Attributes
    ----------
    name : str
        The key with dots, as the user wrote it, such as "sensors.0.preset".
    values : tuple
        The values in the order of the user's text: numbers, texts, booleans or None.
    """

    name: str
    values: tuple[Value, ...]

    @property
    def key(self) -> Key:
        """The parts of `name` between its dots, such as ("sensors", 0, "preset").

        A part of decimal digits is an int, which is the index of an entry in a list.
        """
        return key_of(self.name)


def key_of(name: str) -> Key:
    """Split the dotted name of a configuration key into a tuple of its parts.

    Parameters
    ----------
    name : str
        The key with dots, such as "sensors.0.preset".

    Returns
    -------
    tuple of (str or int)
        Such as ("sensors", 0, "preset"): a part of decimal digits becomes an int.
    """
    return tuple(int(part) if part.isdecimal() else part for part in name.split("."))


def read_variation(text: str) -> Variation:
    """Return the variation that the text of ``--vary`` states, such as "seed=1:5:1".

    Raise InputError if the text has no key or no value, or its range is invalid, never reaches
    its end, or has more than `MOST_VARIANTS` values.
    """
    name, _, values = text.partition("=")
    name = name.strip()
    if not values.strip() or not all(name.split(".")):
        raise InputError(f"--vary: got {text!r}, {_EXPECTED}")
    ends = values.split(":")
    if len(ends) > 1 and all(map(_is_number, ends)):
        if len(ends) != 3:
            raise InputError(f"--vary: got {text!r}, {_EXPECTED}")
        return Variation(name, _range(text, *map(_number, ends)))
    return Variation(name, tuple(_scalar(part) for part in values.split(",")))


def variants(variations: Sequence[Variation]) -> list[tuple[Value, ...]]:
    """Return all combinations of the values of the keys that a sweep varies.

    Parameters
    ----------
    variations : sequence of Variation
        The varied keys, each with its values.

    Returns
    -------
    list of tuple
        One tuple for each variant, with one value for each key, in the order of `variations`. The
        value of the last key changes fastest.

    Raises
    ------
    InputError
        If a key is given twice, or there are more than `MOST_VARIANTS` variants.
    """
    names = [variation.name for variation in variations]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"--vary: {name} is given twice")
    n = math.prod(len(variation.values) for variation in variations)
    if n > MOST_VARIANTS:
        raise InputError(f"--vary: {n} variants, at most {MOST_VARIANTS} are allowed")
    return list(product(*(variation.values for variation in variations)))


def _range(text: str, first: float, last: float, step: float) -> tuple[Value, ...]:
    """Return evenly spaced values: integers if `first` and `step` are, else floats."""
    if not step or (last - first) / step < 0:
        raise InputError(f"--vary: {text!r} never reaches its end, {_EXPECTED}")
    n = math.floor((last - first) / step * (1 + 1e-12) + 1e-9)
    if n >= MOST_VARIANTS:
        raise InputError(f"--vary: {text!r} has {n + 1} values, at most {MOST_VARIANTS}")
    values = [first + number * step for number in range(n + 1)]
    return tuple(value if isinstance(value, int) else float(f"{value:.12g}") for value in values)


def _scalar(text: str) -> Value:
    """Return a number, boolean, None or text, as YAML would read it."""
    if _is_number(text):
        return _number(text)
    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        value = text.strip()
    return value if value is None or isinstance(value, bool | str) else text.strip()


def _number(text: str) -> float:
    """Return an integer if the text is one, else a float."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
