# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Houses: walls with recessed windows and doors, a room behind the glass, a gable roof."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lidar_scenery.shapes.solids import Array, SolidModel, box, extruded, flat, turned

STOREY_M = 2.8
PLINTH_M = 0.4
RECESS_M = 0.1  # the glass lies this deep in the wall
REVEAL_M = 0.16
Corner = tuple[float, float]
Side = tuple[float, float, Corner, Array]  # length, direction, first corner, axes of openings
Opening = tuple[float, float, float, float]  # left, right, bottom, top in a wall's own frame


@dataclass(frozen=True, kw_only=True)
class House:
    """One house; its front wall lies in y = 0 and faces -y, with its left corner at x = 0."""

    width_m: float
    depth_m: float
    storeys: int
    wall: str
    roof_pitch_rad: float = 0.7
    gable_to_street: bool = False
    door_at: int = 1  # which axis of the front has the door

    @property
    def eaves_m(self) -> float:
        """Height of the top of the walls [m]."""
        return PLINTH_M + STOREY_M * self.storeys

    def model(self) -> SolidModel:
        """Build the house; its plinth stands on z = 0."""
        model = SolidModel()
        width, depth = self.width_m, self.depth_m
        sides: tuple[Side, ...] = (
            (width, 0.0, (0.0, 0.0), self._axes(width)),
            (depth, np.pi / 2, (width, 0.0), self._axes(depth)[::2]),
            (width, np.pi, (width, depth), np.empty(0)),
            (depth, -np.pi / 2, (0.0, depth), self._axes(depth)[::2]),
        )
        for number, (length, yaw, corner, axes) in enumerate(sides):
            place = turned(yaw_rad=yaw, to=(*corner, 0.0))
            model.merge(self._wall(length, axes, is_front=number == 0), place)
        self._rooms(model)
        if self.gable_to_street:
            roof = self._roof(span=width, run=depth)
            model.merge(roof, turned(yaw_rad=0))
        else:
            roof = self._roof(span=depth, run=width)
            model.merge(roof, turned(yaw_rad=np.pi / 2, to=(width, 0, 0)))
        chimney = (width * 0.3, depth * 0.6)
        top = (
            self.eaves_m
            + 0.5 * (width if self.gable_to_street else depth) * np.tan(self.roof_pitch_rad)
            + 0.6
        )
        low = (chimney[0], chimney[1], self.eaves_m)
        model.add("House_Brick", box(low, (chimney[0] + 0.7, chimney[1] + 0.6, top), sides="xXyYZ"))
        return model

    def door_x(self) -> float:
        """Return the x of the middle of the door [m]."""
        centres = self._axes(self.width_m)
        return float(centres[self.door_at % len(centres)])

    def _axes(self, length: float) -> Array:
        n = max(1, int(length / 2.7))
        return (np.arange(n) + 0.5) * length / n

    def _wall(self, length: float, axes: Array, *, is_front: bool) -> SolidModel:
        model, openings = SolidModel(), []
        for storey in range(self.storeys):
            floor = PLINTH_M + storey * STOREY_M
            for i, x in enumerate(axes):
                if is_front and storey == 0 and i == self.door_at % len(axes):
                    hole = (x - 0.5, x + 0.5, PLINTH_M, PLINTH_M + 2.1)
                    _door(model, hole)
                else:
                    hole = (x - 0.6, x + 0.6, floor + 0.85, floor + 2.25)
                    _window(model, hole)
                openings.append(hole)
        model.add(self.wall, pierced((0, length, PLINTH_M, self.eaves_m), openings))
        for left, right, low, high in openings:
            reveal = box((left, 0, low), (right, REVEAL_M, high), sides="xXzZ")
            model.add(self.wall, [f[::-1] for f in reveal])
        model.add("House_Plinth", box((-0.03, -0.03, 0), (length + 0.03, 0, PLINTH_M), sides="yZ"))
        return model

    def _rooms(self, model: SolidModel) -> None:
        """Add floors, and a wall 3 m behind the front, which the laser hits through the windows."""
        width, depth = self.width_m, self.depth_m
        for storey in range(self.storeys + 1):
            model.add("Room_Floor", flat((0, width), (0, depth), PLINTH_M + STOREY_M * storey))
        back = min(3.0, depth / 2)
        model.add("Room_Wall", box((0, back, PLINTH_M), (width, back, self.eaves_m), sides="y"))

    def _roof(self, *, span: float, run: float) -> SolidModel:
        """Build gables and two roof planes with overhang; the ridge runs along y."""
        model, rise = SolidModel(), 0.5 * span * np.tan(self.roof_pitch_rad)
        base, ridge = self.eaves_m, self.eaves_m + rise
        for y, flip in ((0.0, 1), (run, -1)):
            model.add(
                self.wall, [np.array([(0, y, base), (span, y, base), (span / 2, y, ridge)])[::flip]]
            )
        out = np.array([np.cos(self.roof_pitch_rad), np.sin(self.roof_pitch_rad)]) * 0.5
        for edge, sign in ((0.0, 1), (span, -1)):
            low, high = (edge - sign * out[0], base - out[1] + 0.05), (span / 2, ridge + 0.05)
            outline = [
                (low[0], -0.35, low[1]),
                (low[0], run + 0.35, low[1]),
                (high[0], run + 0.35, high[1]),
                (high[0], -0.35, high[1]),
            ]
            model.add("Roof_Tile", extruded(outline[::-sign], (0, 0, -0.14)))
            gutter = sorted((low[0] - sign * 0.12, low[0]))
            model.add(
                "Gutter_Zinc",
                box((gutter[0], -0.35, low[1] - 0.14), (gutter[1], run + 0.35, low[1] - 0.03)),
            )
        return model


def pierced(wall: Opening, openings: Sequence[Opening]) -> list[Array]:
    """Cut a wall in y = 0 that faces -y into rectangles around its openings."""
    xs = sorted({wall[0], wall[1], *(x for o in openings for x in o[:2])})
    zs = sorted({wall[2], wall[3], *(z for o in openings for z in o[2:])})
    faces = []
    for low, high in pairwise(zs):
        start = None
        for left, right in pairwise([*xs, np.inf]):
            x, z = (left + right) / 2, (low + high) / 2
            hole = right == np.inf or any(o[0] < x < o[1] and o[2] < z < o[3] for o in openings)
            if not hole and start is None:
                start = left
            elif hole and start is not None:
                faces += box((start, 0, low), (left, 0, high), sides="y")
                start = None
    return faces


def _window(model: SolidModel, hole: Opening) -> None:
    """Add frame, glazing bar, pane and sill."""
    left, right, low, high = hole
    depth, bar = RECESS_M - 0.03, 0.07
    middle = (left + right) / 2
    model.add("Window_Glass", box((left, RECESS_M, low), (right, RECESS_M, high), sides="y"))
    for x0, x1, z0, z1 in (
        (left, left + bar, low, high),
        (right - bar, right, low, high),
        (middle - bar / 2, middle + bar / 2, low + bar, high - bar),
        (left + bar, right - bar, low, low + bar),
        (left + bar, right - bar, high - bar, high),
    ):
        model.add("Window_Frame", box((x0, depth, z0), (x1, RECESS_M, z1), sides="y"))
    model.add(
        "Window_Sill_Stone",
        box((left - 0.06, -0.06, low - 0.05), (right + 0.06, 0, low), sides="xXyzZ"),
    )


def _door(model: SolidModel, hole: Opening) -> None:
    """Add a panelled leaf, two steps and a canopy."""
    left, right, low, high = hole
    model.add("Door_Wood", box((left, 0.12, low), (right, 0.12, high), sides="y"))
    for z in (low + 0.25, low + 1.15):
        model.add(
            "Door_Wood", box((left + 0.18, 0.09, z), (right - 0.18, 0.12, z + 0.7), sides="xXyzZ")
        )
    model.add(
        "Door_Handle_Steel", box((right - 0.14, 0.05, low + 1.0), (right - 0.06, 0.12, low + 1.04))
    )
    for step in (1, 2):
        outer, top = -0.35 * (3 - step), PLINTH_M * step / 2 - 0.02 * (step == 2)
        model.add(
            "Step_Concrete", box((left - 0.3, outer, 0), (right + 0.3, -0.03, top), sides="xXyZ")
        )
    model.add("Canopy_Steel", box((left - 0.3, -0.9, high + 0.2), (right + 0.3, 0, high + 0.28)))
