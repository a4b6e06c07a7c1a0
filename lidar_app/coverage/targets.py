# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Single road users around the vehicle, and the distances at which sensors see them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from osi_bridge import MovingBox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from lidar_app.coverage.mounted import MountedSensors


@dataclass(frozen=True, slots=True, kw_only=True)
class RoadUser:
    """A kind of road user that is placed around the vehicle, with a built-in shape.

    Attributes
    ----------
    name : str
        Name in options and tables.
    type_name, subtype_name : str
        Names of its type and subtype in OSI; the subtype may be empty.
    dimension_m : (float, float, float)
        Length, width and height. [m]
    color : (float, float, float) or None
        Red, green and blue of the paint, 0 to 1; None: not stated.
    """

    name: str
    type_name: str
    subtype_name: str = ""
    color: tuple[float, float, float] | None = None
    dimension_m: tuple[float, float, float]

    @property
    def words(self) -> str:
        """Length, width and height in words, and "grey" if a colour is stated."""
        size = " x ".join(f"{side_m:.2f}" for side_m in self.dimension_m)
        return f"{size} m" + ("" if self.color is None else ", grey")


ROAD_USERS = {
    each.name: each
    for each in (
        RoadUser(name="child", type_name="TYPE_PEDESTRIAN", dimension_m=(0.31, 0.38, 1.1)),
        RoadUser(name="person", type_name="TYPE_PEDESTRIAN", dimension_m=(0.5, 0.6, 1.75)),
        RoadUser(
            name="car",
            type_name="TYPE_VEHICLE",
            subtype_name="TYPE_MEDIUM_CAR",
            dimension_m=(4.4, 1.8, 1.45),
            color=(0.4, 0.41, 0.42),
        ),
    )
}
"""The road users, by name; the child has the proportions of the person, and the car is grey."""
EVEN_STEP_M, EVEN_UNTIL_M, GROWTH = 0.5, 5.0, 1.15
"""First distances to try: steps of `EVEN_STEP_M` up to `EVEN_UNTIL_M` [m], then times `GROWTH`."""
PRECISION_M, PRECISION = 0.02, 0.005
"""Precision of the limits: the larger of 0.02 m and 0.5 % of the distance."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoadUserCoverage:
    """Distances at which sensors see a road user, with enough points on it, in one direction.

    Distances are measured along the direction, from the outline of the vehicle to the road user.
    Arrays have a value for each sensor, and a last one for all sensors together.

    Attributes
    ----------
    user : RoadUser
        The road user.
    bearing_rad : float
        Direction from the middle of the vehicle, counter-clockwise from forward. [rad]
    nearest_m, farthest_m : float64 (n_sensor + 1,)
        Least and greatest distance with enough points; NaN if there is none. [m]
    unbroken_m : float64 (n_sensor + 1,)
        Distance at which the first gap begins: from `nearest_m` up to it, all tried distances have
        enough points. It equals `farthest_m` if there is no gap; NaN if `nearest_m` is NaN. [m]
    """

    user: RoadUser
    bearing_rad: float
    nearest_m: NDArray[np.float64]
    farthest_m: NDArray[np.float64]
    unbroken_m: NDArray[np.float64]


def road_user_coverage(
    sensors: MountedSensors,
    users: Sequence[RoadUser],
    bearings_rad: Sequence[float],
    n_points: int,
) -> Iterator[RoadUserCoverage]:
    """Yield a record for each road user and direction: the distances with enough points on it.

    Parameters
    ----------
    sensors : MountedSensors
        The sensors on their vehicle.
    users : sequence of RoadUser
        The road users.
    bearings_rad : sequence of float
        Directions from the vehicle, counter-clockwise from forward. A road user stands with its
        back to the vehicle. [rad]
    n_points : int
        Least number of points that is enough.

    Notes
    -----
    The number of points jumps as a road user gains and loses rows of beams. Therefore distances
    are tried from 0 m on: every 0.5 m up to 5 m, then each 1.15 times the last one. Bisection
    between two tried distances finds the limits, to 2 cm or 0.5 % of the distance. A gap between
    two tried distances is not found.
    """
    for user in users:
        for bearing_rad in bearings_rad:
            yield _seen(sensors, user, bearing_rad, n_points)


def _seen(
    sensors: MountedSensors, user: RoadUser, bearing_rad: float, n_points: int
) -> RoadUserCoverage:
    def counts_at(distance_m: float) -> NDArray[np.int64]:
        of_each = sensors.points_on(placed(sensors, user, bearing_rad, distance_m))
        return np.append(of_each, of_each.sum())

    reach_m = float(np.linalg.norm(sensors.positions_m, axis=1).max())
    beyond_m = sensors.max_range_m + reach_m + math.hypot(*sensors.vehicle.outline.middle_m)
    limits = np.array([*distance_limits(counts_at, ladder(beyond_m), n_points)])
    return RoadUserCoverage(
        user=user,
        bearing_rad=bearing_rad,
        nearest_m=limits[:, 0],
        farthest_m=limits[:, 1],
        unbroken_m=limits[:, 2],
    )


def placed(
    sensors: MountedSensors, user: RoadUser, bearing_rad: float, distance_m: float
) -> MovingBox:
    """Return a road user on the ground, with its back to the vehicle that carries the sensors.

    Parameters
    ----------
    sensors : MountedSensors
        The sensors on their vehicle, which gives the outline, the height of the ground, and the OSI
        id of the road user.
    user : RoadUser
        Kind of the road user.
    bearing_rad : float
        Direction from the middle of the vehicle, counter-clockwise from forward; also the yaw of
        the road user. [rad]
    distance_m : float
        Distance from the vehicle's outline to the back of the road user, along the direction. [m]

    Returns
    -------
    MovingBox
        The road user as an OSI MovingObject, in the vehicle frame.
    """
    vehicle = sensors.vehicle
    outline = vehicle.outline
    length_m, _, height_m = user.dimension_m
    away_m = outline.exit_m(bearing_rad) + distance_m + 0.5 * length_m
    x_m, y_m = outline.middle_m
    return MovingBox(
        object_id=vehicle.target_id,
        type_name=user.type_name,
        subtype_name=user.subtype_name,
        position_m=(
            x_m + away_m * math.cos(bearing_rad),
            y_m + away_m * math.sin(bearing_rad),
            vehicle.ground_m + 0.5 * height_m,
        ),
        orientation_rad=(0.0, 0.0, bearing_rad),
        dimension_m=user.dimension_m,
        color=user.color,
    )


def ladder(farthest_m: float) -> list[float]:
    """Return the distances at which a road user is tried, in increasing order [m].

    They go from 0 in steps of `EVEN_STEP_M` up to `EVEN_UNTIL_M`, and then each is `GROWTH` times
    the last one, up to the first one above `farthest_m` [m].
    """
    tried_m = [EVEN_STEP_M * n for n in range(round(EVEN_UNTIL_M / EVEN_STEP_M) + 1)]
    while tried_m[-1] <= farthest_m:
        tried_m.append(tried_m[-1] * GROWTH)
    return tried_m


def distance_limits(
    counts_at: Callable[[float], NDArray[np.int64]], tried_m: Sequence[float], n_points: int
) -> Iterator[tuple[float, float, float]]:
    """Yield for each sensor the least and greatest distance with enough points, and the first gap.

    Parameters
    ----------
    counts_at : callable
        Returns the number of points at a distance [m] for each of n sensors, int64 (n,). It is
        called once for each distance.
    tried_m : sequence of float
        Increasing distances that are tried before bisection. [m]
    n_points : int
        Least number of points that is enough.

    Yields
    ------
    (float, float, float)
        Least distance, greatest distance, and the distance at which the first gap begins (the
        greatest distance if there is no gap), to `PRECISION_M` or `PRECISION`. All are NaN if no
        tried distance has enough points; none exceeds the last tried distance. [m]
    """
    points = _Points(counts_at, n_points)
    for column in range(len(points.at(tried_m[0]))):
        is_seen = [points.enough(distance_m, column) for distance_m in tried_m]
        rows = np.flatnonzero(is_seen)
        if not len(rows):
            yield math.nan, math.nan, math.nan
            continue
        first, last = int(rows[0]), int(rows[-1])
        holes = np.flatnonzero(np.logical_not(is_seen[first : last + 1]))
        unbroken = first + int(holes[0]) - 1 if len(holes) else last
        limits = ((first, max(first - 1, 0)), (last, last + 1), (unbroken, unbroken + 1))
        ends = [(tried_m[seen], tried_m[min(to, len(tried_m) - 1)]) for seen, to in limits]
        near_m, far_m, unbroken_m = (points.narrowed(column, *each) for each in ends)
        yield near_m, far_m, unbroken_m


class _Points:
    """Points by distance, each computed only once; arguments as in `distance_limits`."""

    def __init__(self, counts_at: Callable[[float], NDArray[np.int64]], n_points: int) -> None:
        self._counts_at = counts_at
        self._n_points = n_points
        self._counts: dict[float, NDArray[np.int64]] = {}

    def at(self, distance_m: float) -> NDArray[np.int64]:
        """Return the points at a distance [m]."""
        if distance_m not in self._counts:
            self._counts[distance_m] = self._counts_at(distance_m)
        return self._counts[distance_m]

    def enough(self, distance_m: float, column: int) -> bool:
        """Return whether there are enough points at a distance [m]."""
        return bool(self.at(distance_m)[column] >= self._n_points)

    def narrowed(self, column: int, seen_m: float, unseen_m: float) -> float:
        """Return the limit between a distance with enough points and one without [m]."""
        while abs(seen_m - unseen_m) > max(PRECISION_M, PRECISION * seen_m):
            middle_m = 0.5 * (seen_m + unseen_m)
            if self.enough(middle_m, column):
                seen_m = middle_m
            else:
                unseen_m = middle_m
        return seen_m
