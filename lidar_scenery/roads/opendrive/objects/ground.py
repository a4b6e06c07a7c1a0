# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Where objects stand on a road, and patches of paint on its surface."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.opendrive.attributes import PartError
from lidar_scenery.roads.opendrive.surface import frames_at, held_m, located
from lidar_scenery.roads.painted import LIFT_M
from lidar_scenery.roads.parts import Strip
from osi_bridge.rotation import rotation_from_orientation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from lidar_scenery.roads.opendrive.records import MapObject, Outline, Repeat, Road
    from lidar_scenery.roads.opendrive.remarks import MapRemarks
    from lidar_scenery.roads.opendrive.sections import SectionSurface
    from lidar_scenery.roads.opendrive.surface import Frames

MOST_BEYOND_M = 10.0
"""Objects farther beyond the reference line of their road are left out. [m]"""

_BEYOND_M = 0.01  # nearer to the reference line is rounding
ALONG_M, ACROSS_M = 0.25, 0.5
"""Step lengths, along and across, with which a patch of paint follows the surface. [m]"""
_LARGEST_M = 100.0
"""A larger patch of paint is an error. [m]"""


class RoadGround(NamedTuple):
    """A road with its sampled surface, on which objects are placed.

    Attributes
    ----------
    road : Road
        The road as the map states it.
    surfaces : sequence of SectionSurface
        Sampled surface of each lane section of the road, in the world.
    """

    road: Road
    surfaces: Sequence[SectionSurface]  # one for each lane section

    def points(
        self, s_m: NDArray[np.float64], t_m: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], Frames]:
        """Return points of the surface at stations and lateral offsets, and the road's axes there.

        Beyond the ends of its reference line, the road is continued straight.

        Parameters
        ----------
        s_m, t_m : float64 (n,)
            Stations, and lateral offsets from the reference line, positive to the left. [m]

        Returns
        -------
        float64 (n, 3)
            Points in the world. [m]
        Frames
            Axes of cross-sections at the stations; beyond the reference line, at its end.

        Raises
        ------
        PartError
            If a station is more than `MOST_BEYOND_M` beyond the reference line.
        """
        frames = frames_at(self.road, s_m)
        beyond = s_m - frames.stations.s_m
        farthest = int(np.abs(beyond).argmax())
        if not abs(beyond[farthest]) <= MOST_BEYOND_M:
            raise PartError(
                f"its position s = {s_m[farthest]:g} m is more than {MOST_BEYOND_M:g} m beyond the "
                "end of the reference line of its road"
            )
        return frames.points(t_m) + beyond[:, None] * frames.ahead, frames

    def note_beyond(self, s_m: NDArray[np.float64], remarks: MapRemarks, name: str) -> None:
        """Note in `remarks` how far stations lie beyond the reference line, if above 1 cm.

        `s_m` (n,) has the stations of one object [m], `name` is its name in the note.
        """
        beyond = float(np.abs(s_m - held_m(self.road, s_m)).max())
        if beyond > _BEYOND_M:
            used, reason = "straight on from there", "it lies beyond the reference line of its road"
            remarks.add(f"{name} ({beyond:g} m)", used, reason)

    def pose(
        self, s_m: float, t_m: float, z_offset_m: float, angles_rad: tuple[float, float, float]
    ) -> NDArray[np.float64]:
        """Return the pose world_from_object, (4, 4), of an object on or above the road [m].

        Parameters
        ----------
        s_m, t_m, z_offset_m : float
            Station, lateral offset (positive to the left), and height above the road's surface. [m]
        angles_rad : (float, float, float)
            Heading, pitch and roll. The heading is relative to the road; pitch and roll are
            relative to the horizontal plane. [rad]

        Raise PartError if the station is more than `MOST_BEYOND_M` beyond the reference line.
        """
        heading, pitch, roll = angles_rad
        points, frames = self.points(np.array([s_m]), np.array([t_m]))
        yaw = heading + float(frames.headings_rad[0])
        pose = np.eye(4)
        pose[:3, :3] = rotation_from_orientation((roll, pitch, yaw))
        pose[:3, 3] = points[0]
        pose[2, 3] += z_offset_m
        return pose

    def pose_of(self, thing: MapObject) -> NDArray[np.float64]:
        """Return the pose world_from_object of an object of the map, float64 (4, 4) [m].

        ``thing`` is the object, or a copy of an object in a row. A copy in a detached row has its
        own pose, which is returned.

        Raises
        ------
        PartError
            If it lies more than `MOST_BEYOND_M` beyond the reference line.
        """
        if thing.copy is not None and thing.copy.pose is not None:
            return thing.copy.pose
        pose = self.pose(thing.s_m, thing.t_m, thing.z_offset_m, thing.angles_rad)
        if thing.square:
            axes = frames_at(self.road, np.array([thing.s_m])).axes(np.array([thing.t_m]))[0]
            pose[:3, :3] = axes @ rotation_from_orientation((0.0, 0.0, thing.angles_rad[0]))
        return pose

    def ends_of(self, row: Repeat) -> NDArray[np.float64]:
        """Return the positions (start, end) of a row of copies in the world, float64 (2, 3) [m].

        ``row`` (`Repeat`) states where the row lies along the road.

        Raises
        ------
        PartError
            If an end is more than `MOST_BEYOND_M` beyond the reference line.
        """
        s = np.array([row.s_m, row.s_m + row.length_m])
        ends, _ = self.points(s, np.array(row.t_m))
        ends[:, 2] += row.z_offset_m
        return ends

    def corners(
        self, thing: MapObject, outline: Outline, pose: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the corners of an outline and the height of the object above each corner.

        Parameters
        ----------
        thing : MapObject
            The object of the outline, or a copy of it. For a copy, the outline is moved and scaled
            like the copy.
        outline : Outline
            The outline with n corners, as the map states it.
        pose : float64 (4, 4)
            Pose world_from_object of the object or copy. [m]

        Returns
        -------
        float64 (n, 3)
            Corners of the outline, in the frame of the object. [m]
        float64 (n,)
            Height above each corner; NaN if the map does not state it. [m]

        Raises
        ------
        PartError
            If a corner is more than `MOST_BEYOND_M` beyond the reference line.
        """
        rows = np.array([c[2:5] for c in outline.corners], np.float64).reshape(-1, 3)
        heights = np.array([corner.height_m for corner in outline.corners])
        on_road = np.array([corner.on_road for corner in outline.corners], np.bool_)
        copy, place = thing.copy, pose
        if copy is not None:
            heights *= copy.scale[2]
            rows[~on_road] *= copy.scale
            if copy.pose is None:
                own = thing.s_m, thing.t_m, thing.z_offset_m
                rows[on_road] = own + (rows[on_road] - copy.origin_m) * copy.scale
            elif on_road.any():
                place = self.pose(*copy.origin_m, thing.angles_rad)
        if on_road.any():
            s, t, z = rows[on_road].T
            world, _ = self.points(s, t)
            world[:, 2] += z
            rows[on_road] = (world - place[:3, 3]) @ place[:3, :3]
            if copy is not None and copy.pose is not None:
                rows[on_road] *= copy.scale
        return rows, heights

    def patches(self, corners_m: NDArray[np.float64], s_m: float, material: str) -> Iterator[Strip]:
        """Yield four-sided patches of paint as strips that lie on the sampled surface.

        Parameters
        ----------
        corners_m : float64 (k, 4, 2)
            x, y of the corners of each patch in the world, in order around it. [m]
        s_m : float
            A station near the patches, from which the search for their stations starts. [m]
        material : str
            Visual material of the paint.

        Raises
        ------
        PartError
            If a side at the first corner of a patch is longer than 100 m.
        BoundError
            If the map needs more points than the size of its file allows.
        """
        if not len(corners_m):
            return
        corners_m = _counter_clockwise(corners_m)
        first, second, _, fourth = np.moveaxis(corners_m, 1, 0)
        sides = [np.linalg.norm(end - first, axis=1).max() for end in (second, fourth)]
        if not max(sides) <= _LARGEST_M:
            raise PartError(
                f"its paint is {max(sides):g} m long, expected at most {_LARGEST_M:g} m"
            )
        if sides[1] > sides[0]:  # along the longer side
            corners_m, sides = np.roll(corners_m, -1, axis=1), sides[::-1]
        counts = [math.ceil(sides[0] / ALONG_M) + 2, math.ceil(sides[1] / ACROSS_M) + 2]
        self.road.allowance.take(len(corners_m) * math.prod(counts))
        along, across = (np.linspace(0.0, 1.0, count) for count in counts)
        for lines in self._lifted(_grids(corners_m, along, across), s_m):
            for right, left in pairwise(lines):
                yield Strip(material=material, left_m=left, right_m=right)

    def _lifted(self, points_m: NDArray[np.float64], s_m: float) -> NDArray[np.float64]:
        """Return points (..., 2) of the horizontal plane lifted just above the surface (..., 3)."""
        flat = points_m.reshape(-1, 2)
        s, t = located(self.road, flat, s_m)
        lifted = np.column_stack([flat, self.surface_z(s, t) + LIFT_M])
        return lifted.reshape(*points_m.shape[:-1], 3)

    def surface_z(self, s: NDArray[np.float64], t: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the heights of the sampled surface at n places of the road, float64 (n,) [m].

        ``s`` has the stations and ``t`` the lateral offsets from the reference line, positive to
        the left, float64 (n,) each [m].
        """
        z: NDArray[np.float64] = frames_at(self.road, s).points(t)[:, 2]
        for surface in self.surfaces:
            own = (s >= surface.section.start_m) & (s <= surface.section.end_m)
            z[own] = surface.heights_m(s[own], t[own])
        return z


def moved(pose: NDArray[np.float64], x_m: float, y_m: float, z_m: float) -> NDArray[np.float64]:
    """Return a pose (4, 4) moved by a vector along the axes of the posed frame.

    ``pose`` is the pose, float64 (4, 4); it is not changed. ``x_m``, ``y_m`` and ``z_m`` are the
    vector [m].
    """
    by = np.eye(4)
    by[:3, 3] = x_m, y_m, z_m
    return pose @ by


def _grids(
    corners_m: NDArray[np.float64], along: NDArray[np.float64], across: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a grid of points on each patch (k, m, n, 2): m lines across, n points along."""
    a, b, c, d = (corner[:, None, None] for corner in np.moveaxis(corners_m, 1, 0))
    u, v = along[None, None, :, None], across[None, :, None, None]
    grids: NDArray[np.float64] = (1.0 - v) * ((1.0 - u) * a + u * b) + v * ((1.0 - u) * d + u * c)
    return grids


def _counter_clockwise(corners_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return patches (k, 4, 2) with their corners in counter-clockwise order."""
    first, last = corners_m[:, 2] - corners_m[:, 0], corners_m[:, 3] - corners_m[:, 1]
    turned = first[:, 0] * last[:, 1] < first[:, 1] * last[:, 0]
    return np.where(turned[:, None, None], corners_m[:, [0, 3, 2, 1]], corners_m)
