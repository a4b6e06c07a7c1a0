# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Radial velocity of the points of a scan, relative to the sensor (how-to/velocity.md)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.buffers import Buffers
from lidar_base.columns import rows_of
from lidar_base.random.draws import Draws
from lidar_base.random.random_kernels import VELOCITY_NOISE
from osi_bridge import NO_OBJECT
from osi_lidar.clouds.cloud import with_columns
from osi_lidar.config.beam import Pulse
from osi_lidar.config.velocity import Velocity
from osi_lidar.scan.records import NO_MATERIAL
from osi_lidar.scan.velocity.doppler import BothLooks, TracedBeams, closing_of, leg_speeds
from osi_lidar.scan.velocity.doppler_kernels import (
    AGAIN,
    RESTS,
    MetRays,
    MotionArrays,
    SeenEchoes,
    Speeds,
)
from osi_lidar.world.parts import body_keys
from raycore.scene.motion import turns_rad

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from osi_lidar.clouds.cloud import Cloud
    from osi_lidar.config import Sensor
    from osi_lidar.scan.beam_timing import BeamTiming
    from osi_lidar.scan.noise.point_rows import PointRows
    from osi_lidar.scan.records import Exposure, ScanHits, TracedRays
    from osi_lidar.world.object_records import Placed
    from osi_lidar.world.shutter import Shutter

COLUMN = "radial_velocity"


def motion_of(
    shutter: Shutter,
    timing: BeamTiming,
    exposure: Exposure,
    placed: Mapping[int, Placed],
) -> MotionArrays | None:
    """Return the motion of objects and sensor during a scan, for kernels; None if nothing moves.

    ``shutter`` is the scan's interval with its messages, ``timing`` the firing times of the beams,
    and ``exposure`` the scan. ``placed`` holds the objects in the scene, by OSI id.
    """
    duration_s = 1e-9 * shutter.duration_ns
    key_time, keys, part_instance = body_keys(shutter, placed, blur=timing.blurs)
    moving = np.flatnonzero((keys != keys[:, :1]).any(axis=(1, 2, 3)))
    carrier, poses = shutter.carrier(), exposure.poses
    if not moving.size and len(carrier.trajectory.time) < 2:
        return None
    body = np.full(len(keys) + 1, RESTS)  # the last entry, -1, is for no object
    body[moving] = np.arange(len(moving))
    moments = timing.moments if len(poses) > 1 else np.ones(1)
    moved, turned = carrier.trajectory.velocity(moments, poses)
    ids = shutter.frame.objects.object_id, exposure.surfaces.object_of_instance
    body_of_instance = body[rows_of(*ids)]
    n_object = len(ids[0])
    body_of_instance[part_instance] = body[n_object : n_object + len(part_instance)]
    return MotionArrays(
        body_of_instance=body_of_instance,
        key_time=key_time,
        key_pose=keys[moving],
        turn_rad=turns_rad(keys[moving][:, :, :3, :3]),
        world_from_sensor=poses,
        sensor_m_s=moved / (duration_s or 1.0),
        sensor_rad_s=turned / (duration_s or 1.0),
        time=timing.share * duration_s if timing.blurs else np.full(1, duration_s),
        moment=exposure.shots.moment,
    )


class VelocityMeter(NamedTuple):
    """Measures the radial velocity of each echo of a sensor.

    Attributes
    ----------
    config : Velocity
        Section ``velocity`` of the sensor: accuracy, and interval of unambiguous velocities.
    sigma_m : float
        Root mean square length of the sensor's pulse in range. [m]
    draws : callable
        Returns the random numbers of the scan that ends at a ``time_ns`` [ns].
    buffers : Buffers
        Memory in which velocities are computed.
    """

    config: Velocity
    sigma_m: float
    draws: Callable[..., Draws]
    buffers: Buffers

    @classmethod
    def of(cls, config: Sensor, seed: int) -> VelocityMeter:
        """Return the meter of a sensor that measures velocities.

        ``config`` is the entry of the sensor in the configuration, ``seed`` the configuration's
        seed. If ``config.velocity`` is True instead of a section, the section's defaults hold.
        """
        measured = Velocity() if isinstance(config.velocity, bool) else config.velocity
        draws = partial(Draws.of, seed=seed, sensor=config.name)
        return cls(measured, (config.pulse or Pulse()).sigma_m, draws, Buffers())

    def measured(
        self,
        cloud: Cloud,
        rows: PointRows,
        exposure: Exposure,
        motion: MotionArrays | None,
        seen: ScanHits,
    ) -> Cloud:
        """Return a cloud with the points' measured radial velocity, positive towards the sensor.

        The true velocities get noise and are folded into the unambiguous interval, as configured.
        The new cloud shares its array ``points`` with the given one.

        Parameters
        ----------
        cloud : Cloud
            Points of the scan; their column ``radial_velocity`` is overwritten.
        rows : PointRows
            For each point, the index of its random number, and the range of its echo.
        exposure : Exposure
            The scan.
        motion : MotionArrays or None
            Motion of objects and sensor, from `motion_of`; None: all true velocities are 0.
        seen : ScanHits
            Hits of the beams.
        """
        sigma_m_s, interval = self.config.sigma_m_s, self.config.ambiguity_m_s
        if motion is None:
            speed = np.zeros(len(cloud), np.float32)
        else:
            speed = self._true(cloud, rows, motion, seen)
        if sigma_m_s:
            draws = self.draws(time_ns=exposure.end_ns)
            speed += sigma_m_s * draws.normal(VELOCITY_NOISE, rows.draw)
        if interval is not None:
            speed -= interval * np.floor(speed / interval + 0.5)
        if motion is None or sigma_m_s or interval is not None:
            cloud.points[COLUMN] = speed
        return with_columns(cloud, velocity_m_s=speed)

    def _true(
        self,
        cloud: Cloud,
        rows: PointRows,
        motion: MotionArrays,
        seen: ScanHits,
    ) -> NDArray[np.float32]:
        """Write the velocities without errors to the points; return them, float32 (n_point,)."""
        points, empty, n = cloud.points, self.buffers.empty, len(cloud)
        range_m = rows.place_m
        if range_m is None:
            range_m = empty(n, np.float32)
            range_m[:] = points["range"]
        of = cloud.object_id, points["material_id"]
        echoes = SeenEchoes(cloud.beam, range_m, *of, NO_OBJECT, NO_MATERIAL)
        speeds = Speeds(empty(n, np.float32), points[COLUMN], empty(n, np.uint8))
        closing_of(motion, self._looks(seen, motion), echoes, speeds)
        return speeds.speed

    def _looks(self, seen: ScanHits, motion: MotionArrays) -> BothLooks:
        """Return the hits of both looks, with the motion of mirrors."""
        first = self._look(seen.first, motion)
        if seen.several is None:
            return BothLooks(first)
        kind = seen.several.view(np.uint8)
        if seen.again is None or seen.again.beams is None:
            return BothLooks(first, None, kind)
        row_again, beams = self.buffers.empty(len(kind), np.int32), seen.again.beams
        kind[beams], row_again[beams] = AGAIN, np.arange(len(beams))
        return BothLooks(first, self._look(seen.again, motion), kind, row_again)

    def _look(self, look: TracedRays, motion: MotionArrays) -> TracedBeams:
        """Return the hits of the rays of one look, with the motion of mirrors."""
        columns = *look.rays, look.range_m, look.instance, *look.legs[:3]
        of_legs = leg_speeds(motion, look.legs, look.n_sub, look.beams)
        return TracedBeams(MetRays(*columns, of_legs, self.sigma_m), look.power_of)
