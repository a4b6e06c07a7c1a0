# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Radial velocity of the points of a scan, relative to the sensor (docs/velocity.md)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.columns import rows_of
from lidar_base.random.draws import Draws
from lidar_base.random.random_kernels import VELOCITY_NOISE
from osi_lidar.config.beam import Pulse
from osi_lidar.config.velocity import Velocity
from osi_lidar.scan.echoes.received import ReceivedEchoes
from osi_lidar.scan.echoes.waveform_kernels import strength_of
from osi_lidar.scan.records import NO_MATERIAL
from osi_lidar.world.parts import body_keys
from raycore.scene.motion import turns_rad
from raycore.trace.doppler import closing_of
from raycore.trace.doppler_kernels import RESTS, MetRays, MotionArrays, SeenEchoes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from osi_lidar.clouds.cloud import Cloud
    from osi_lidar.config import Sensor
    from osi_lidar.scan.beam_timing import BeamTiming
    from osi_lidar.scan.echoes.received import BeamsMet
    from osi_lidar.scan.noise.point_rows import PointRows
    from osi_lidar.scan.records import Exposure, Paths
    from osi_lidar.world.object_records import Placed
    from osi_lidar.world.shutter import Shutter
    from raycore.records import Shots


def motion_of(
    shutter: Shutter,
    timing: BeamTiming,
    exposure: Exposure,
    placed: Mapping[int, Placed],
) -> MotionArrays | None:
    """Return the motion of objects and sensor during a scan, None if all of them rest.

    `placed` are the objects in the scene, by OSI id.
    """
    duration_s = 1e-9 * shutter.duration_ns
    key_time, keys, part_instance = body_keys(shutter, placed, blur=timing.blurs)
    moving = np.flatnonzero((keys != keys[:, :1]).any(axis=(1, 2, 3)))
    carrier, poses = shutter.carrier(), exposure.poses
    if not moving.size and len(carrier.trajectory.time) < 2:
        return None
    body = np.full(len(keys) + 1, RESTS)  # the last one is of what is no object: -1
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
        How well it measures.
    sigma_m : float
        Root mean square length of the sensor's pulse in range. [m]
    draws : callable
        Returns the random numbers of the scan that ends at a ``time_ns`` [ns].
    """

    config: Velocity
    sigma_m: float
    draws: Callable[..., Draws]

    @classmethod
    def of(cls, config: Sensor, seed: int) -> VelocityMeter:
        """Return that of a sensor that measures velocities."""
        measured = Velocity() if isinstance(config.velocity, bool) else config.velocity
        draws = partial(Draws.of, seed=seed, sensor=config.name)
        return cls(measured, (config.pulse or Pulse()).sigma_m, draws)

    def measured(
        self,
        cloud: Cloud,
        rows: PointRows,
        exposure: Exposure,
        motion: MotionArrays | None,
        met: ReceivedEchoes | tuple[Shots, Paths],
    ) -> Cloud:
        """Return a cloud with the radial velocity of its points, positive towards the sensor.

        Parameters
        ----------
        cloud : Cloud
            Points with true ranges.
        rows : PointRows
            Where their random numbers are.
        exposure : Exposure
            The scan.
        motion : MotionArrays or None
            Of objects and sensor, from `motion_of`.
        met : ReceivedEchoes, or Shots and Paths
            What the beams have met, of a physical sensor, or of any other.
        """
        speed = np.zeros(len(cloud))
        if motion is not None:
            speed = self._true(cloud, motion, met)
        if self.config.sigma_m_s:
            draws = self.draws(time_ns=exposure.end_ns)
            speed += self.config.sigma_m_s * draws.normal(VELOCITY_NOISE, rows.draw)
        interval = self.config.ambiguity_m_s
        if interval is not None:
            speed -= interval * np.floor(speed / interval + 0.5)
        return replace(cloud, velocity_m_s=speed.astype(np.float32), dirty=None)

    def _true(
        self,
        cloud: Cloud,
        motion: MotionArrays,
        met: ReceivedEchoes | tuple[Shots, Paths],
    ) -> NDArray[np.float64]:
        """Return the velocities without errors, float64 (n_point,). [m/s]."""
        true_range_m = np.ascontiguousarray(
            cloud.points["range"] if cloud.true_range_m is None else cloud.true_range_m
        )
        on_surface = cloud.points["material_id"] != NO_MATERIAL
        echoes = SeenEchoes(cloud.beam.astype(np.int64), cloud.beam, true_range_m, on_surface)
        if not isinstance(met, ReceivedEchoes):
            shots, hits = met[0], met[1].hits
            columns = *shots.ray_arrays, hits.range_m, hits.instance, *met[1].legs
            rays = MetRays(*columns, self.sigma_m)
            return closing_of(motion, rays, echoes)
        speed = self._of_look(motion, met.first, echoes)
        if met.again is not None:
            row_of_beam = np.full(len(met.first.beams), -1)
            row_of_beam[met.again.beams] = np.arange(len(met.again.beams))
            row = row_of_beam[cloud.beam]
            index = np.flatnonzero(row >= 0)
            again = echoes.chosen(index)._replace(row=row[index])
            speed[index] = self._of_look(motion, met.again, again)
        return speed

    def _of_look(
        self, motion: MotionArrays, look: BeamsMet, echoes: SeenEchoes
    ) -> NDArray[np.float64]:
        """Return the velocities of echoes of beams that have several rays. [m/s]."""
        rays = look.rays

        def power_of(index: NDArray[np.int64]) -> NDArray[np.float64]:
            power = np.empty(len(index))
            strength_of(look.surfaces, look.texture, rays, index, power)
            return power

        met = MetRays(*rays[:4], rays.range_m, rays.instance, *look.paths.legs, self.sigma_m)
        return closing_of(motion, met, echoes, power_of)
