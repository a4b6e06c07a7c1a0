# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Colours of points by their material, as the fields that Lichtblick, Foxglove and Rerun read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.palette import material_colour
from osi_lidar.clouds.origins import TABLE
from osi_lidar.scan.records import NO_MATERIAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from osi_lidar.output.accumulation import Rows

RGBA = ("red", "green", "blue", "alpha")
"""Names of the fields; the viewers find them by these names, and need all four."""
LABEL = "label"
"""Name of the field that holds the class of each point, as in a ROS 2 bag."""
_NO_COLOUR = "absorber"  # of points without a material, such as false alarms


def rgb(material: str) -> tuple[int, int, int]:
    """Return the colour in which viewers show a material: red, green, blue from 0 to 255."""
    return _numbers(material_colour(material))


def _numbers(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


_OF_ORIGIN = {
    number: _numbers(each.colour) for number, each in enumerate(TABLE) if each.colour is not None
}


class PointColours:
    """Adds colours and classes to points.

    Parameters
    ----------
    materials : sequence of str
        Names of the materials, indexed by ``material_id``.
    """

    def __init__(self, materials: Sequence[str]) -> None:
        self._of_material = np.full((NO_MATERIAL + 1, 4), (*rgb(_NO_COLOUR), 255), np.uint8)
        self._of_material[: len(materials), :3] = [rgb(name) for name in materials]

    def drawn(self, points: Rows, classes: NDArray[np.uint16]) -> Rows:
        """Return points with the fields `RGBA` (uint8) and `LABEL` (uint16) after their own.

        Parameters
        ----------
        points : structured (n_point,)
            The cloud, with material_id.
        classes : uint16 (n_point,)
            The class of each point.
        """
        added = [*((name, "u1") for name in RGBA), (LABEL, "<u2")]
        drawn = np.empty(len(points), [*points.dtype.descr, *added])
        # as bytes: field by field takes three times as long
        of_row = drawn.view(np.uint8).reshape(len(points), drawn.itemsize)
        own, n_own = np.ascontiguousarray(points), points.itemsize
        of_row[:, :n_own] = own.view(np.uint8).reshape(len(points), n_own)
        of_row[:, n_own : n_own + len(RGBA)] = self._of_material[points["material_id"]]
        if "origin" in (points.dtype.names or ()):
            for origin, colour in _OF_ORIGIN.items():
                of_row[points["origin"] == origin, n_own : n_own + 3] = colour
        drawn[LABEL] = classes
        return drawn
