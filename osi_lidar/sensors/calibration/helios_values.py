# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of HELIOS++ elements as checked numbers and vectors; errors name their line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.xml_tree import Element
from osi_lidar.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_MOST_POSITION_M = 1e3
_MOST_NUMBERS = 1000
# from HELIOS++ (x right, y forward, z up) to x forward, y left, z up
_FORWARD = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Checked access to the values of an XML element of a HELIOS++ file.

    Attributes
    ----------
    file : Path
        The file, for error messages.
    element : Element
        The element, such as a scanner or one of its channels. If a channel comes from `over`, it
        also has those attributes and children of its scanner that it lacks itself.
    """

    file: Path
    element: Element

    def over(self, channel: Element) -> Values:
        """Return the values of ``channel``, the XML element of a beam of this scanner.

        Attributes and children that the channel lacks are those of this record, its scanner.
        """
        tags = {child.tag for child in channel.children}
        rest = [child for child in self.element.children if child.tag not in tags]
        attributes = {**self.element.attributes, **channel.attributes}
        merged = Element(
            channel.tag, attributes, channel.line, [*channel.children, *rest], channel.asked
        )
        return Values(self.file, merged)

    @property
    def place(self) -> str:
        """File, line, tag and id of the element, for error messages."""
        name = self.element.get("id")
        line = f"line {self.element.line}: {self.element.tag} {name:.60}".rstrip()
        return f"{self.file}: {line}"

    def problem(self, key: str, what: str) -> ConfigurationError:
        """Return an error to raise, whose text has file, line, element, key and what is wrong."""
        return ConfigurationError(f"{self.place}: {key}: {what}")

    def text(self, key: str) -> str:
        """Return the text of the attribute ``key``; raise ConfigurationError if it is absent."""
        if key not in self.element.attributes:
            raise self.problem(key, "is missing")
        return self.element.get(key)

    def number(
        self,
        key: str,
        *,
        most: float,
        default: float | None = None,
        least: float = 0.0,
        above: float | None = None,
    ) -> float:
        """Return the attribute ``key`` as a number between bounds, or ``default`` if it is absent.

        The bounds are ``least`` and ``most``, both allowed. With ``above``, which is not allowed
        itself, ``least`` has no effect. Raise ConfigurationError if the number is out of bounds, or
        if the attribute is absent and there is no default.
        """
        if default is not None and key not in self.element.attributes:
            return default
        return self._checked(key, self.text(key), least=least, above=above, most=most)

    def numbers(self, key: str, *, above: float, most: float) -> list[float]:
        """Return the comma-separated numbers of the attribute ``key``.

        Raise ConfigurationError if it is absent, has too many numbers, or if a number is not above
        ``above`` or is larger than ``most``.
        """
        texts = self.text(key).split(",")
        if len(texts) > _MOST_NUMBERS:
            raise self.problem(key, f"got {len(texts)} numbers, expected at most {_MOST_NUMBERS}")
        return [self._checked(key, each, least=above, above=above, most=most) for each in texts]

    def child(self, tag: str) -> Values | None:
        """Return the values of the first child element with a tag; None if there is none."""
        found = self.element.first(tag)
        return None if found is None else Values(self.file, found)

    def _checked(
        self, key: str, text: str, *, least: float, above: float | None, most: float
    ) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        low = least if above is None else above
        if not low <= value <= most or not math.isfinite(value) or value == above:
            bounds = f"{'above ' if above is not None else ''}{low:g} to {most:g}"
            raise self.problem(key, f"got {text!r:.40}, expected a number, {bounds}")
        return value


def vector_of(
    values: Values, tag: str, *, default: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> tuple[float, float, float]:
    """Return x, y, z of a child element, converted from the frame of HELIOS++ to this project's.

    ``tag`` is the name of the child of the element ``values``. An absent coordinate is 0. Without
    the child, return ``default`` as it is, in this project's frame. Positions are in metres.
    """
    child = values.child(tag)
    if child is None:
        return default
    given = [
        child.number(key, default=0.0, least=-_MOST_POSITION_M, most=_MOST_POSITION_M)
        for key in "xyz"
    ]
    x, y, z = _FORWARD @ given
    return float(x), float(y), float(z)


def mount_of(values: Values) -> NDArray[np.float64]:
    """Return the rotation that ``beamOrigin`` states, (3, 3): from the optics' frame to the head's.

    ``values`` is a scanner or one of its channels. Both frames have this project's axes (x forward,
    y left, z up). Without ``beamOrigin`` it is the identity. The ``rot`` elements are applied one
    after the other, about the fixed axes of the head or, with ``rotations="local"``, about the axes
    as rotated so far. Raise ConfigurationError if an axis or angle is wrong.
    """
    origin = values.child("beamOrigin")
    turned = np.eye(3)
    if origin is None:
        return turned
    local = origin.element.get("rotations") == "local"
    for element in origin.element.all("rot"):
        one = Values(values.file, element)
        axis = one.text("axis").lower()
        if axis not in ("x", "y", "z"):
            raise one.problem("axis", f"got {axis!r:.40}, expected x, y or z")
        angle_deg = one.number("angle_deg", least=-1e6, most=1e6)
        turn = _rotation("xyz".index(axis), math.radians(angle_deg))
        turned = turned @ turn if local else turn @ turned
    about: NDArray[np.float64] = _FORWARD @ turned @ _FORWARD.T
    return about


def _rotation(axis: int, angle_rad: float) -> NDArray[np.float64]:
    """Return the rotation about x (0), y (1) or z (2), counter-clockwise."""
    matrix = np.eye(3)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrix[j, j] = matrix[k, k] = math.cos(angle_rad)
    matrix[k, j] = math.sin(angle_rad)
    matrix[j, k] = -matrix[k, j]
    return matrix
