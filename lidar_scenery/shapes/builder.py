# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Interface of a built-in shape: its name, its usual size, and how it is built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from lidar_scenery.shapes.solids import SolidModel
    from osi_bridge.description.details import ObjectDetails

Size = tuple[float, float, float]
"""Length, width and height. [m]"""

PAINT = "Paint"
"""Name of the visual material of painted bodywork; the colour is chosen for each vehicle later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Builder:
    """A built-in shape: how its model is built, its usual size, and a description.

    Attributes
    ----------
    build : callable
        Function that takes a size and details of an object, and returns the model: x forward, y
        left, z up. Its bounding box has exactly this size and is centred on the origin.
    usual_m : (float, float, float)
        Usual length, width and height. [m]
    words : str
        Description of the shape in a few words.
    """

    build: Callable[[Size, ObjectDetails], SolidModel]
    usual_m: Size
    words: str
