# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objectives of sweeps over mountings: blind area, and ranges of road users.

blind(height=0.3, within=10)       area without a point, in m2
nearest(child, direction=rear)     least distance with enough points, in m
farthest(car, points=10)           greatest distance with enough points, in m

Without a direction, ``nearest`` and ``farthest`` take the worst of twelve directions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.coverage.blind_zones import CellGrid, plane_coverage
from lidar_app.coverage.mounted import MountedSensors
from lidar_app.coverage.survey import CELL_M, ENOUGH_POINTS, N_DIRECTIONS, QUARTERS, SurveySettings
from lidar_app.coverage.targets import ROAD_USERS, road_user_coverage
from lidar_app.coverage.vehicle import stated_vehicle, vehicle_of_trace
from lidar_base.near_match import near_match
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from osi_lidar.config import Config
    from osi_lidar.run.frame_source import FrameSource

KINDS = ("blind", "nearest", "farthest")
LESS_IS_BETTER = ("blind", "nearest")
"""Kinds of `PlacementMeasure` that a sweep minimises, unless the user states another aim."""
_FILTERS = {
    "blind": ("height", "within", "cell", "sensor"),
    "nearest": ("direction", "points", "sensor"),
    "farthest": ("direction", "points", "sensor"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementMeasure:
    """A measure by which mountings of sensors are compared.

    Attributes
    ----------
    kind : str
        "blind": area without points; "nearest", "farthest": distance at which a road user is seen.
    height_m, within_m, cell_m : float
        For "blind": height of the plane above the ground, largest distance from the vehicle, and
        side of a cell. [m]
    road_user : str
        For the other kinds: name of the road user, a key of `ROAD_USERS`.
    bearing_rad : float or None
        Direction of the road user from the vehicle, counter-clockwise from forward; None: the
        worst of twelve directions. [rad]
    n_points : int
        Least number of points at which the road user counts as seen.
    sensor : str or None
        Name of the sensor; None: all sensors together.
    """

    kind: str
    height_m: float = 0.0
    within_m: float = 10.0
    cell_m: float = CELL_M
    road_user: str = ""
    bearing_rad: float | None = None
    n_points: int = ENOUGH_POINTS
    sensor: str | None = None

    def value(self, config: Config, source: FrameSource | None) -> float:
        """Return the measure for a configuration: an area [m²] for "blind", else a distance [m].

        If `bearing_rad` is None, the result is the greatest "nearest" or the least "farthest" of
        twelve directions. "farthest" counts as 0 in a direction without enough points.

        Parameters
        ----------
        config : Config
            The sensors.
        source : FrameSource or None
            Trace whose first message has the vehicle; None: an assumed car.

        Raises
        ------
        InputError
            If the sensor does not exist, a sensor is inside the vehicle or below the ground, the
            trace has no vehicle, or for "nearest" a direction never has enough points.
        """
        vehicle = stated_vehicle(None) if source is None else vehicle_of_trace(source)
        folder = None if source is None else source.path.parent
        mounted = MountedSensors(config, vehicle, folder)
        row = _row(mounted.names, self.sensor)
        return self._blind_m2(mounted, row) if self.kind == "blind" else self._range_m(mounted, row)

    def _blind_m2(self, mounted: MountedSensors, row: int | None) -> float:
        vehicle = mounted.vehicle
        grid = CellGrid.around(vehicle.outline, cell_m=self.cell_m, extent_m=self.within_m)
        plane = plane_coverage(
            mounted.beams(),
            grid,
            height_m=self.height_m,
            ground_m=vehicle.ground_m,
            n_directions=N_DIRECTIONS,
        )
        return grid.area_m2(plane.is_blind(row) & grid.beside(self.within_m))

    def _range_m(self, mounted: MountedSensors, row: int | None) -> float:
        bearings_rad = SurveySettings().bearings_rad
        if self.bearing_rad is not None:
            bearings_rad = [self.bearing_rad]
        users = [ROAD_USERS[self.road_user]]
        seen = [*road_user_coverage(mounted, users, bearings_rad, self.n_points)]
        column = -1 if row is None else row
        if self.kind == "farthest":
            return min(float(np.nan_to_num(each.farthest_m[column])) for each in seen)
        nearest_m = max(float(np.nan_to_num(each.nearest_m[column], nan=np.inf)) for each in seen)
        if math.isinf(nearest_m):
            raise InputError(
                f"a {self.road_user} never has {self.n_points} points in some direction, so no "
                "nearest distance exists; lower points="
            )
        return nearest_m


def read_measure(kind: str, inside: str) -> PlacementMeasure:
    """Return the measure that an objective such as "nearest(car, direction=rear)" states.

    Raise InputError if the text is invalid.

    Parameters
    ----------
    kind : str
        The word before the parentheses, one of `KINDS`.
    inside : str
        The text in the parentheses, such as "car, direction=rear".
    """
    words, filters = _words_and_filters(kind, inside)
    if kind == "blind":
        if words:
            raise InputError(f"--objective: blind takes no road user, got {words[0]!r}")
        return PlacementMeasure(
            kind=kind,
            height_m=_number(filters, "height", 0.0, least=0.0),
            within_m=_number(filters, "within", 10.0, least=1e-3),
            cell_m=_number(filters, "cell", CELL_M, least=1e-3),
            sensor=filters.get("sensor"),
        )
    if len(words) != 1 or words[0] not in ROAD_USERS:
        got = ", ".join(words)
        raise InputError(
            f"--objective: got {kind}({got!r}){near_match(got, ROAD_USERS)}, expected one of "
            f"{', '.join(ROAD_USERS)}"
        )
    return PlacementMeasure(
        kind=kind,
        road_user=words[0],
        bearing_rad=_bearing_rad(filters.get("direction")),
        n_points=int(_number(filters, "points", float(ENOUGH_POINTS), least=1.0)),
        sensor=filters.get("sensor"),
    )


def _words_and_filters(kind: str, text: str) -> tuple[list[str], dict[str, str]]:
    words: list[str] = []
    filters: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            words.append(part)
        elif name not in _FILTERS[kind] or name in filters or not value:
            expected = ", ".join(f"{each}=" for each in _FILTERS[kind])
            raise InputError(
                f"--objective: got {part!r}{near_match(name, _FILTERS[kind])}, expected {expected} "
                "each once"
            )
        else:
            filters[name] = value
    return words, filters


def _number(filters: dict[str, str], name: str, default: float, *, least: float) -> float:
    text = filters.get(name)
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not least <= value < math.inf:
        raise InputError(f"--objective: got {name}={text}, expected a number from {least:g} on")
    return value


def _bearing_rad(text: str | None) -> float | None:
    """Parse a direction, a word or degrees counter-clockwise from forward; return it in rad."""
    if text is None:
        return None
    if text in QUARTERS:
        return 0.5 * math.pi * QUARTERS.index(text)
    try:
        degrees = float(text)
    except ValueError:
        degrees = math.nan
    if not -360.0 <= degrees <= 360.0:
        raise InputError(
            f"--objective: got direction={text}, expected {', '.join(QUARTERS)} or degrees to the "
            "left"
        )
    return math.radians(degrees)


def _row(names: tuple[str, ...], sensor: str | None) -> int | None:
    if sensor is None:
        return None
    if sensor not in names:
        hint = near_match(sensor, names)
        raise InputError(
            f"--objective: there is no sensor {sensor!r}{hint} (known: {', '.join(names)})"
        )
    return names.index(sensor)
