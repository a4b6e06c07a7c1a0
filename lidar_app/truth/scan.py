# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground truth of one scan: objects with points, or that would have points if alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.truth.visibility import points_by_object
from raycore.mesh.parts import bounds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from osi_bridge import ObjectStates
    from osi_lidar.scan.step import LastScan
    from osi_lidar.world.world import World
    from raycore.pattern.scan_pattern import ScanPattern

ALONG = 8
"""Number of sample points along each side of an object's box: 512 in all. The share of them that is
outside of the field of view is the truncation of the box."""
FULL_TURN_GAP_RAD = math.radians(10.0)
"""Widest gap in azimuth between beams of a sensor that counts as seeing all around. [rad]"""
FULLY, PARTLY, LARGELY, UNKNOWN = 0, 1, 2, 3
"""Occlusion as KITTI numbers it."""
FULLY_FROM, PARTLY_FROM = 0.8, 0.4
"""Least visibility of an object that counts as fully, and as partly visible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldOfView:
    """Field of view in the sensor frame: all directions between the outermost beams.

    Attributes
    ----------
    azimuth_rad, half_rad : float
        Middle and half-width of the range of azimuths; a half-width of pi is a full turn. [rad]
    low_rad, high_rad : float
        Lowest and highest elevation. [rad]
    """

    azimuth_rad: float
    half_rad: float
    low_rad: float
    high_rad: float

    @classmethod
    def of(cls, pattern: ScanPattern) -> FieldOfView:
        """Return the field of view of a pattern: all azimuths but the widest gap between beams.

        A gap of at most `FULL_TURN_GAP_RAD` counts as a full turn.
        """
        azimuth_rad = np.sort(pattern.azimuth_rad)
        gap_rad = np.diff(azimuth_rad, append=azimuth_rad[0] + 2.0 * math.pi)
        row = int(gap_rad.argmax())
        half_rad = 0.5 * (2.0 * math.pi - float(gap_rad[row]))
        first_rad = float(azimuth_rad[(row + 1) % len(azimuth_rad)])
        return cls(
            azimuth_rad=first_rad + half_rad,
            half_rad=math.pi if gap_rad[row] <= FULL_TURN_GAP_RAD else half_rad,
            low_rad=float(pattern.elevation_rad.min()),
            high_rad=float(pattern.elevation_rad.max()),
        )

    def share_outside(
        self, sensor_from_box: NDArray[np.float64], size_m: NDArray[np.float64]
    ) -> NDArray[np.float32]:
        """Return the share of each box's volume that is outside of the field of view.

        It is the share of ``ALONG``^3 sample points that are spread evenly in the box.

        Parameters
        ----------
        sensor_from_box : float64 (n, 4, 4)
            Poses of the boxes' centres in the sensor frame. [m]
        size_m : float64 (n, 3)
            Length, width and height. [m]

        Returns
        -------
        float32 (n,)
            A multiple of 1 / ``ALONG``^3. [1]
        """
        side = (np.arange(ALONG) + 0.5) / ALONG - 0.5
        place = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
        at_m = (size_m[:, None] * place) @ np.swapaxes(sensor_from_box[:, :3, :3], 1, 2)
        x_m, y_m, z_m = np.moveaxis(at_m + sensor_from_box[:, None, :3, 3], -1, 0)
        elevation_rad = np.arctan2(z_m, np.hypot(x_m, y_m))
        aside_rad = np.arctan2(y_m, x_m) - self.azimuth_rad
        aside_rad = np.abs((aside_rad + math.pi) % (2.0 * math.pi) - math.pi)
        inside = (elevation_rad >= self.low_rad) & (elevation_rad <= self.high_rad)
        inside &= aside_rad <= self.half_rad
        outside: NDArray[np.float32] = (1.0 - inside.mean(axis=1)).astype(np.float32)
        return outside


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanTruth:
    """Ground truth of the objects in one scan, n listed objects of the message's n_object.

    An object is listed if it has points, or would have points if it were alone in the world.

    Attributes
    ----------
    objects : ObjectStates
        All objects of the message.
    row : int64 (n,)
        Row in `objects` of each listed object.
    world_from_object : float64 (n_object, 4, 4)
        Pose of the box's centre at the end of the scan, for all objects of the message. [m]
    world_from_object_begin : float64 (n_object, 4, 4)
        The same at the begin of the scan; as at the end if objects do not move during a scan. [m]
    size_m : float64 (n, 3)
        Length, width and height. [m]
    points, points_alone : uint32 (n,)
        Number of points on the object, and number that it would have alone in the world.
    truncation : float32 (n,)
        Share of the box's volume that is outside of the field of view. [1]
    host_id : int or None
        OSI id of the vehicle that carries the sensor.
    """

    objects: ObjectStates
    row: NDArray[np.int64]
    world_from_object: NDArray[np.float64]
    world_from_object_begin: NDArray[np.float64]
    size_m: NDArray[np.float64]
    points: NDArray[np.uint32]
    points_alone: NDArray[np.uint32]
    truncation: NDArray[np.float32]
    host_id: int | None

    @property
    def visibility(self) -> NDArray[np.float32]:
        """`points` divided by `points_alone`, float32 (n,).

        It may exceed 1, and is NaN if `points_alone` is 0.
        """
        alone = self.points_alone.astype(np.float64)
        share = np.full(len(alone), np.nan)
        np.divide(self.points, alone, out=share, where=alone > 0.0)
        return share.astype(np.float32)

    @property
    def occlusion(self) -> NDArray[np.uint8]:
        """KITTI's number for the occlusion of each listed object, uint8 (n,).

        It is 0 (fully visible) if `visibility` is 0.8 or more, 1 (partly occluded) if it is 0.4 or
        more, 2 (largely occluded) below that, and 3 (unknown) if it is NaN.
        """
        share = self.visibility
        of_share = np.select([share >= FULLY_FROM, share >= PARTLY_FROM], [FULLY, PARTLY], LARGELY)
        return np.where(np.isnan(share), UNKNOWN, of_share).astype(np.uint8)


def truth_of(
    world: World, last: LastScan, pattern: ScanPattern, alone: Mapping[int, int], *, blurs: bool
) -> ScanTruth:
    """Return the ground truth of one scan: objects, their poses, points and visibility.

    Parameters
    ----------
    world : World
        The world in the state in which the sensor scanned it.
    last : LastScan
        The sensor's most recent scan, with its cloud and its poses.
    pattern : ScanPattern
        Beams of the sensor.
    alone : mapping of int to int
        Number of points that each object would have alone in the world, by OSI id.
    blurs : bool
        Whether the sensor has motion blur, so that objects move during the scan.
    """
    frame, points = last.shutter.frame, points_by_object(last.cloud)
    object_id = frame.objects.object_id.tolist()
    told = [row for row, each in enumerate(object_id) if each in points or each in alone]
    row = np.array(told, np.int64)
    poses = last.shutter.object_steps(blur=False)[0][:, -1]
    size_m = _sizes_m(world, frame.objects, row)
    sensor_from_box = np.linalg.inv(last.end_pose) @ poses[row]
    return ScanTruth(
        objects=frame.objects,
        row=row,
        world_from_object=poses,
        world_from_object_begin=last.shutter.object_steps(blur=blurs)[0][:, 0],
        size_m=size_m,
        points=np.array([points.get(object_id[each], 0) for each in told], np.uint32),
        points_alone=np.array([alone.get(object_id[each], 0) for each in told], np.uint32),
        truncation=FieldOfView.of(pattern).share_outside(sensor_from_box, size_m),
        host_id=None if frame.host is None else frame.host.object_id,
    )


def _sizes_m(world: World, objects: ObjectStates, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return sizes of objects as stated, else sizes of their meshes, float64 (n, 3) [m]."""
    size_m = objects.dimension_m[rows]
    for n in np.flatnonzero((size_m <= 0.0).any(axis=1)).tolist():
        placed = world.objects.placed.get(int(objects.object_id[rows[n]]))
        if placed is None:
            continue
        shape = placed.shape
        of_mesh_m = np.ptp(bounds(world.scene.mesh(shape.mesh), shape.object_from_mesh), axis=0)
        size_m[n] = np.where(size_m[n] > 0.0, size_m[n], of_mesh_m)
    return size_m
