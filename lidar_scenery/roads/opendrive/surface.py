# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The surface of a road: from station and lateral offset to a point of the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.roads.opendrive.cubics import Stations
from lidar_scenery.roads.opendrive.reference_line import plan_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.roads.opendrive.records import Road

_LOCATING = 12
_NEAR_M = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """Axes of a road's cross-sections at n stations.

    Attributes
    ----------
    road : Road
        The road.
    stations : Stations
        Stations of the cross-sections.
    origins_m : float64 (n, 3)
        Points of the reference line. [m]
    headings_rad : float64 (n,)
        Headings of the reference line. [rad]
    left, right : float64 (n, 3)
        Unit vectors across the road along its surface, on the left and on the right side of the
        reference line. Both point to the left. They differ if the road has a crossfall.
    up : float64 (n, 3)
        Unit normals of the road's plane, which has the slope and the roll (superelevation) of the
        road, but no crossfall.
    """

    road: Road
    stations: Stations
    origins_m: NDArray[np.float64]
    headings_rad: NDArray[np.float64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    up: NDArray[np.float64]

    @classmethod
    def of(cls, road: Road, stations: Stations) -> Frames:
        """Return the axes of a road's cross-sections at stations.

        The road's plane is turned by the heading, the slope of the elevation and the roll, in this
        order (ASAM OpenDRIVE 1.8, inertial and s/t coordinates).

        Parameters
        ----------
        road : Road
            The road.
        stations : Stations
            The n stations.
        """
        plan = plan_of(road.geometries, stations)
        roll = road.roll.values(stations)
        pitch = np.arctan(road.elevation.slopes(stations))
        c, s = np.cos(plan.heading_rad), np.sin(plan.heading_rad)
        flat = np.column_stack([-s, c, np.zeros_like(c)])
        back = np.sin(pitch)
        above = np.column_stack([-back * c, -back * s, np.cos(pitch)])
        left, right = (
            np.cos(angle)[:, None] * flat + np.sin(angle)[:, None] * above
            for angle in (
                roll - road.left_fall.values(stations),
                roll + road.right_fall.values(stations),
            )
        )
        up = np.cos(roll)[:, None] * above - np.sin(roll)[:, None] * flat
        origins = np.column_stack([plan.x_m, plan.y_m, road.elevation.values(stations)])
        return cls(road, stations, origins, plan.heading_rad, left, right, up)

    @property
    def flat_left(self) -> NDArray[np.float64]:
        """Unit vectors to the left of the road in the horizontal plane, (n, 3)."""
        c, s = np.cos(self.headings_rad), np.sin(self.headings_rad)
        return np.column_stack([-s, c, np.zeros_like(c)])

    @property
    def ahead(self) -> NDArray[np.float64]:
        """Derivative of the reference line's points with respect to the station, (n, 3).

        The horizontal part has length 1; z is the slope of the road.
        """
        c, s = np.cos(self.headings_rad), np.sin(self.headings_rad)
        return np.column_stack([c, s, self.road.elevation.slopes(self.stations)])

    def axes(self, t_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the axes of the surface in the world at one lateral offset per station, (n, 3, 3).

        The columns of each matrix are unit vectors along the road, to its left, and away from its
        surface. `t_m` (n,) has the lateral offsets, positive to the left [m].
        """
        along = self.ahead / np.linalg.norm(self.ahead, axis=1)[:, None]
        left = np.where(t_m[:, None] > 0.0, self.left, self.right)
        return np.stack([along, left, np.cross(along, left)], axis=2)

    def points(self, t_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return world points of the road's surface, one for each station, float64 (n, 3) [m].

        ``t_m`` has the lateral offset from the reference line at each station, positive to the
        left, float64 (n,) [m].
        """
        lateral = np.where(t_m[:, None] > 0.0, self.left, self.right)
        points = self.origins_m + t_m[:, None] * lateral
        return points + self._shape_m(t_m)[:, None] * self.up if self.road.shapes else points

    def _shape_m(self, t_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return heights above the road's plane, interpolated linearly between two shapes."""
        shapes = self.road.shapes
        s = np.array([shape.s_m for shape in shapes])
        held = [np.maximum(t_m, shape.heights.starts_m[0]) for shape in shapes]
        heights = np.stack(
            [shape.heights.values(Stations(t, t)) for shape, t in zip(shapes, held, strict=True)]
        )
        at = np.interp(self.stations.s_m, s, np.arange(len(shapes)))
        first = at.astype(np.intp)
        after = np.minimum(first + 1, len(shapes) - 1)
        share, rows = at - first, np.arange(len(t_m))
        linear: NDArray[np.float64] = (1.0 - share) * heights[first, rows]
        return linear + share * heights[after, rows]


def frames_at(road: Road, s_m: NDArray[np.float64]) -> Frames:
    """Return the axes of a road's cross-sections at stations `s_m` (n,) [m].

    A station without a reference line is replaced by the nearest station that has one.
    """
    held = held_m(road, s_m)
    return Frames.of(road, Stations(held, held))


def held_m(road: Road, s_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each station the nearest station that has a reference line, (n,) [m].

    `s_m` (n,) has any stations of the road; a station with a reference line is returned as it is.
    """
    low, high = np.array(road.spans).T
    own = np.maximum(np.searchsorted(low, s_m, side="right") - 1, 0)
    before = np.clip(s_m, low[own], high[own])
    after = low[np.minimum(own + 1, len(low) - 1)]
    return np.where(np.abs(after - s_m) < np.abs(before - s_m), after, before)


def located(
    road: Road, points_m: NDArray[np.float64], s_m: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (stations, lateral offsets) of points in the horizontal plane, (n,) each [m].

    An iteration moves each point's station and lateral offset until its place on the road is the
    point. In each step, the error is multiplied by the lateral offset over the road's radius of
    curvature.

    Parameters
    ----------
    road : Road
        The road.
    points_m : float64 (n, 2)
        x, y of the points in the world. [m]
    s_m : float
        Station near all points, with which the iteration begins. [m]
    """
    s, t = np.full(len(points_m), s_m), np.zeros(len(points_m))
    for _ in range(_LOCATING):
        frames = frames_at(road, s)
        away = points_m - frames.points(t)[:, :2]
        left = frames.flat_left
        ahead = away[:, 0] * left[:, 1] - away[:, 1] * left[:, 0]
        aside = away[:, 0] * left[:, 0] + away[:, 1] * left[:, 1]
        before = s
        s = held_m(road, s + ahead)
        t = t + aside
        if max(np.abs(s - before).max(), np.abs(aside).max()) < _NEAR_M:
            break
    return s, t
