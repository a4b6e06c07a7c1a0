# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""One physical lidar: its beams, where it is mounted, how far it sees."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from material_mapping import RangeLimit
from osi_bridge import MountingPosition, rotation_from_orientation
from osi_lidar.config.pattern import DEFAULT_RATE_HZ
from osi_lidar.scan.beams import sensor_source
from osi_lidar.scan.encoder import DetectionEncoder
from osi_lidar.scan.light_path import ALL, follow_light
from osi_lidar.scan.noise import SensorErrors
from osi_lidar.scan.response import Responder
from osi_lidar.sensors.presets import load_preset
from raycore.errors import PatternError
from raycore.records import Rays
from raycore.trace.tracer import Tracer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from osi_lidar.config import Mounting, Sensor
    from osi_lidar.scan.response import Cloud
    from osi_lidar.world.history import Shutter
    from osi_lidar.world.world import World
    from raycore.pattern.scan_pattern import ScanPattern
    from raycore.pattern.source import PatternSource
    from raycore.records import Traced
    from raycore.scene.motion import Trajectory

_LONGEST_NS = np.iinfo(np.uint32).max


class Lidar:
    """A lidar as configured.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``.
    seed : int
        Of the configuration.

    Raises
    ------
    ConfigurationError, PatternError
        If the pattern cannot be built.
    """

    def __init__(self, config: Sensor, seed: int = 0) -> None:
        self.name = config.name
        self._source = pattern_source(config)
        self.mounting = _mounting_position(config.mounting)
        self.vehicle_from_sensor = pose_matrix(
            self.mounting.position_m, self.mounting.orientation_rad
        )
        self.max_range_m = config.max_range_m
        self.wavelength_nm = config.wavelength_nm
        self.deskew = config.deskew
        self._motion_blur, self._rolling_shutter = config.motion_blur, config.rolling_shutter
        self._max_bounces = config.max_bounces
        self._errors = SensorErrors(config, seed)
        self._responder = Responder(
            min_range_m=config.min_range_m,
            range_limit=range_limit_of(config),
            keeps=self._errors.is_exact,
        )
        self._tracer, self._tracer_onwards = Tracer(), Tracer()
        self.encoder = DetectionEncoder()
        self.period_ns: int | None = None
        with _problems_of(self.name):
            self._taken: ScanPattern | None = self._source.at(0.0)
            self._take(self._taken)
        if config.timing == "sensor_rate":
            self.period_ns = round(1e9 * self.pattern.period_s)

    def use_pattern(self, source: PatternSource) -> None:
        """Take the beams of another pattern, from the next scan on."""
        self._source = source

    def use_motion(
        self, *, rolling_shutter: bool | None = None, motion_blur: bool | None = None
    ) -> None:
        """Switch what a scan knows of motion, from the next scan on; None leaves it as it is."""
        if rolling_shutter is not None:
            self._rolling_shutter = rolling_shutter
        if motion_blur is not None:
            self._motion_blur = motion_blur
        self._taken = None

    def aim(self, begin_ns: int) -> None:
        """Take the beams of the scan that begins at a time [ns].

        Raises
        ------
        PatternError
            If the pattern has no usable beam then.
        """
        with _problems_of(self.name):
            pattern = self._source.at(begin_ns / 1e9)
            if pattern is not self._taken:
                # the model tells by the object whether all is as in the last scan
                self._take(replace(pattern) if pattern is self.pattern else pattern)
                self._taken = pattern

    def _take(self, pattern: ScanPattern) -> None:
        share = pattern.time_s / pattern.period_s
        moments, moment = np.unique(share, return_inverse=True)
        sweeps = len(moments) > 1  # beams that all fire at once do so at the end of a scan
        blurs, rolls = self._motion_blur and sweeps, self._rolling_shutter and sweeps
        if blurs or rolls:
            self._check_duration(pattern.period_s)
        self.pattern, self._share = pattern, share
        self._fired: tuple[float, NDArray[np.uint32]] | None = None
        self.blurs, self.rolls, self._timed = blurs, rolls, blurs or rolls
        self._moments = moments if rolls else np.ones(1)
        self._moment = moment.astype(np.uint32)
        at_rest = Rays(
            origin_m=pattern.origin_m,
            direction=pattern.direction,
            time=self._share.astype(np.float32) if self.blurs else np.zeros(1, np.float32),
            start_m=np.zeros(1, np.float32),
            moment=np.zeros(1, np.uint32),
            max_range_m=self.max_range_m,
            coherent=pattern.coherent,
        )
        self._rays = {False: at_rest, True: replace(at_rest, moment=self._moment)}

    def _check_duration(self, period_s: float) -> None:
        """Refuse a sweep for which the points' times have no room, or that is not the sensor's."""
        if 1e9 * period_s > _LONGEST_NS:
            raise PatternError(
                f"a scan takes {period_s:g} s, expected at most {1e-9 * _LONGEST_NS:.3g} s, for "
                "the times of its points (rotation_rate_hz); a slower one needs rolling_shutter: "
                "false and motion_blur: false"
            )
        if self.period_ns is not None and round(1e9 * period_s) != self.period_ns:
            raise PatternError(
                f"a scan of the pattern takes {period_s:g} s, expected {1e-9 * self.period_ns:g} s "
                "(timing: sensor_rate)"
            )

    @property
    def takes_time(self) -> bool:
        """Whether scans depend on what was before the message that ends them."""
        return self._timed or self.period_ns is not None

    def poses(
        self, vehicle: Trajectory, body_from_vehicle: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return world_from_sensor at all moments of a scan that differ, (n_pose, 4, 4) in metres.

        Parameters
        ----------
        vehicle : Trajectory
            Of what carries the sensor, over the scan from 0 to 1.
        body_from_vehicle : float64 (4, 4)
            The vehicle frame in that of the trajectory. [m]
        """
        moments = self._moments if len(vehicle.time) > 1 else np.ones(1)
        return vehicle.at(moments, body_from_vehicle @ self.vehicle_from_sensor)

    @property
    def scans_differ(self) -> bool:
        """Whether two scans of a world at rest are not alike, because of random errors."""
        return self._errors.differ_by_scan

    def trace(
        self, world: World, world_from_sensor: NDArray[np.float64], end_ns: int
    ) -> tuple[Traced, NDArray[np.float32]]:
        """Return what the beams meet in the world as shown, and which share comes back."""
        rays = self._rays[len(world_from_sensor) > 1]
        rays = self._errors.aimed(rays, self.pattern, end_ns)
        traced = self._tracer.trace(world.scene, rays, world_from_sensor)
        table = world.material_table(self.wavelength_nm)
        if not (world.has_panes or world.has_mirrors):
            return traced, ALL
        return follow_light(
            traced,
            rays,
            lambda onwards: self._tracer_onwards.trace(world.scene, onwards, world_from_sensor),
            world.surfaces,
            table,
            max_bounces=self._max_bounces,
        )

    def respond(
        self, traced: Traced, share: NDArray[np.float32], world: World, shutter: Shutter
    ) -> Cloud:
        """Return the points that the sensor reports for what it met in a scan, with its errors.

        A duration of 0 stands for the sensor's own; random errors depend on when the scan ends.
        """
        cloud = self._responder.respond(
            traced,
            share,
            world.surfaces,
            world.material_table(self.wavelength_nm),
            self.pattern,
            lost=self._errors.lost(self.pattern, shutter.end_ns),
            time_ns=self._times_ns(shutter.duration_ns) if self._timed else None,
        )
        return self._errors.applied(cloud, traced, self._rays[False], self.pattern, shutter.end_ns)

    def _times_ns(self, duration_ns: int) -> NDArray[np.uint32]:
        """Return when the beams fire in a scan; most scans take as long as the one before. [ns]."""
        sweep_ns = duration_ns or 1e9 * self.pattern.period_s
        if self._fired is None or self._fired[0] != sweep_ns:
            self._fired = sweep_ns, np.rint(self._share * sweep_ns).astype(np.uint32)
        return self._fired[1]

    def deskewed(
        self, cloud: Cloud, world_from_sensor: NDArray[np.float64], end: NDArray[np.float64]
    ) -> NDArray[Any]:
        """Return a scan's points as seen from the sensor's pose at the end of the scan.

        Parameters
        ----------
        cloud : Cloud
            Points, each in the sensor frame at the moment it was measured.
        world_from_sensor : float64 (n_pose, 4, 4)
            As of ``poses``. [m]
        end : float64 (4, 4)
            The pose at the end. [m]
        """
        end_from_sensor = np.linalg.inv(end) @ world_from_sensor
        points: NDArray[Any] = cloud.points.copy()
        of_point = end_from_sensor
        if len(end_from_sensor) > 1:
            of_point = end_from_sensor[self._moment[cloud.beam]]
        for names, shifts in ((("x", "y", "z"), 1.0), (("normal_x", "normal_y", "normal_z"), 0.0)):
            vector = np.stack([points[name] for name in names], axis=1).astype(np.float64)
            turned = (of_point[:, :3, :3] @ vector[:, :, None])[:, :, 0]
            turned += shifts * of_point[:, :3, 3]
            for axis, name in enumerate(names):
                points[name] = turned[:, axis]
        return points


def pose_matrix(
    position_m: tuple[float, float, float] | NDArray[np.float64],
    orientation_rad: tuple[float, float, float] | NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the 4x4 matrix parent_from_child of a position [m] and roll, pitch, yaw [rad]."""
    pose = np.eye(4)
    pose[:3, :3] = rotation_from_orientation(orientation_rad)
    pose[:3, 3] = position_m
    return pose


def scan_pattern(config: Sensor) -> ScanPattern:
    """Return the beams that an entry of the configuration describes, of the scan at time 0.

    Raises
    ------
    ConfigurationError, PatternError
        As for `pattern_source`, or if there is no usable beam.
    """
    source = pattern_source(config)
    with _problems_of(config.name):
        return source.at(0.0)


def pattern_source(config: Sensor) -> PatternSource:
    """Return where the beams of each scan come from, by an entry of the configuration.

    Raises
    ------
    ConfigurationError, PatternError
        If the preset does not have the columns or the rate asked for, an angle is impossible, or a
        file or a plugin cannot be used.
    """
    if config.pattern is None:
        return sensor_source(config)
    with _problems_of(config.name):
        return config.pattern.source(1.0 / (config.rotation_rate_hz or DEFAULT_RATE_HZ))


@contextmanager
def _problems_of(sensor: str) -> Iterator[None]:
    """Name the sensor in what is wrong with its pattern."""
    try:
        yield
    except PatternError as error:
        raise PatternError(f"sensor {sensor}: {error}") from None


def _radians(a_deg: float, b_deg: float, c_deg: float) -> tuple[float, float, float]:
    return math.radians(a_deg), math.radians(b_deg), math.radians(c_deg)


def _mounting_position(mounting: Mounting) -> MountingPosition:
    return MountingPosition(
        position_m=(mounting.x_m, mounting.y_m, mounting.z_m),
        orientation_rad=_radians(mounting.roll_deg, mounting.pitch_deg, mounting.yaw_deg),
    )


def range_limit_of(config: Sensor) -> RangeLimit:
    """Return how far the sensor sees: its own curve, the preset's, or the same for all."""
    limit = config.range_limit
    if limit == "preset":
        preset = None if config.preset is None else load_preset(config.preset)
        if preset is None or not preset.range_pairs:
            return RangeLimit.constant(config.max_range_m)
        return RangeLimit.from_pairs(
            preset.range_pairs, fit=preset.range_fit, max_range_m=config.max_range_m
        )
    if limit is None:
        return RangeLimit.constant(config.max_range_m)
    return limit.limit(max_range_m=config.max_range_m)
