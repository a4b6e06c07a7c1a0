# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""One physical lidar: its beams, its mounting, and its scans, stage by stage."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lidar_base.random.draws import Draws
from lidar_base.random.random_kernels import FOOTPRINT
from lidar_scenery.weather.bodies import NONE
from lidar_scenery.weather.ground import GroundCache
from lidar_scenery.weather.state import CLEAR
from osi_lidar.config.patterns.kinds import CameraPattern
from osi_lidar.scan import echoes as physical
from osi_lidar.scan import velocity
from osi_lidar.scan.beam_timing import BeamTiming
from osi_lidar.scan.blensor_threshold import above_threshold
from osi_lidar.scan.encoder import DetectionEncoder
from osi_lidar.scan.executor import Receiver
from osi_lidar.scan.from_config import (
    footprint_of,
    mounting_position,
    pattern_source,
    pose_matrix,
    range_limit_of,
    sees_texture,
)
from osi_lidar.scan.fused import FusedExecutor
from osi_lidar.scan.light_path import Branch, PathRules, follow_light
from osi_lidar.scan.media.lanes import on_lanes
from osi_lidar.scan.media.near_ir import with_ambient_light
from osi_lidar.scan.noise.errors import MeasurementErrors
from osi_lidar.scan.records import Exposure, Scanned
from osi_lidar.scan.texture import NO_TEXTURE, TextureSampling, scene_texture
from raycore.records import ALL_OF_IT, Shots
from raycore.trace.tracer import new_tracer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from lidar_base.process.stopwatch import Stopwatch
    from osi_lidar.config import Sensor
    from osi_lidar.scan.echoes.waveform import Waveform
    from osi_lidar.scan.executor import Executor
    from osi_lidar.scan.media.window import SensorWindow
    from osi_lidar.world.shutter import Shutter
    from osi_lidar.world.world import World
    from raycore.pattern.footprint import Footprint
    from raycore.pattern.source import PatternSource
    from raycore.scene.motion import Trajectory


T = TypeVar("T")


class Lidar:
    """A lidar as configured.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``.
    seed : int
        Seed of the configuration.
    window : SensorWindow, optional
        The sensor's window, if it is not clear; an ideal sensor ignores it.

    Attributes
    ----------
    timing : BeamTiming
        When and where its beams fire.
    tracer : Tracer
        Finds the first surface that each ray meets.
    executor : Executor
        Makes points from these hits.
    window : SensorWindow or None
        The sensor's window, if it is not clear; a new one counts from the next scan on.

    Raises
    ------
    ConfigurationError, PatternError
        If the pattern cannot be built, or ``noise.range_bias_m`` or ``laser_gains`` does not
        fit its lasers.
    """

    def __init__(self, config: Sensor, seed: int = 0, window: SensorWindow | None = None) -> None:
        self.name = config.name
        source = pattern_source(config)
        self.mounting = mounting_position(config.mounting)
        self.vehicle_from_sensor = pose_matrix(
            self.mounting.position_m, self.mounting.orientation_rad
        )
        self.max_range_m = config.max_range_m
        self.wavelength_nm = config.wavelength_nm
        self.deskew = config.deskew
        self._path_rules = PathRules(
            config.max_bounces, Branch.STRAIGHT if config.is_physical else Branch.ONLY
        )
        self._errors = MeasurementErrors(config, seed)
        self._footprint = footprint_of(config)
        self._draws = Draws.of(seed=seed, sensor=config.name)
        self._texture = TextureSampling.of(seed, self._footprint) if sees_texture(config) else None
        receiver = Receiver(config.min_range_m, range_limit_of(config))
        self._threshold = config.detection
        self._ground = GroundCache()
        self.tracer, self._tracer_onwards = new_tracer(), new_tracer()
        self.executor: Executor[Any]
        self._physical: physical.PhysicalExecutor | None = None
        if config.is_physical:
            self._physical = physical.PhysicalExecutor(config, seed, receiver, self._errors)
            self.executor = self._physical
        else:
            self.executor = FusedExecutor(
                receiver, self._errors, self.tracer, tells_velocity=bool(config.velocity)
            )
        self.is_physical, self._tells_light = config.is_physical, config.near_ir
        self.sees_weather = config.is_physical or config.near_ir
        self.notices_light = config.receiver is not None or config.near_ir
        self.window = window if config.is_physical else None
        self.is_camera = isinstance(config.pattern, CameraPattern)
        self._velocity = velocity.VelocityMeter.of(config, seed) if config.velocity else None
        self.encoder = DetectionEncoder()
        self.timing = BeamTiming(config, source, self._errors.prepare)
        self._take_beams()

    def use_pattern(self, source: PatternSource) -> None:
        """Use the patterns of another source, from the next scan on."""
        self.timing.use_pattern(source)

    def aim(self, begin_ns: int) -> None:
        """Use the beams of the scan that begins at ``begin_ns`` [ns].

        Raises
        ------
        PatternError, ConfigurationError
            If the pattern of that scan has no usable beam, or does not fit the sensor.
        """
        if self.timing.aim(begin_ns):
            self._take_beams()

    def _take_beams(self) -> None:
        timing = self.timing
        self.pattern = pattern = timing.pattern
        self._axis = np.ascontiguousarray(pattern.direction.T)
        at_rest = Shots(
            origin_m=pattern.origin_m,
            direction=self._axis,
            time=timing.share.astype(np.float32) if timing.blurs else np.zeros(1, np.float32),
            start_m=np.zeros(1, np.float32),
            moment=np.zeros(1, np.uint32),
            max_range_m=self.max_range_m,
            coherent=pattern.coherent,
            **_sub_rays(self._footprint, self._draws, pattern.n_beams),
        )
        self._shots = {False: at_rest, True: replace(at_rest, moment=timing.moment)}
        self.n_rays = len(at_rest)

    def poses(
        self, vehicle: Trajectory, body_from_vehicle: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return world_from_sensor at each moment of `timing.moments`, (n_pose, 4, 4) in metres.

        Parameters
        ----------
        vehicle : Trajectory
            Motion of the vehicle over the scan, from 0 to 1; if it has one time, there is one pose.
        body_from_vehicle : float64 (4, 4)
            Pose of the vehicle frame in the frame of the trajectory. [m]
        """
        moments = self.timing.moments if len(vehicle.time) > 1 else np.ones(1)
        return vehicle.at(moments, body_from_vehicle @ self.vehicle_from_sensor)

    @property
    def scans_differ(self) -> bool:
        """Whether two scans of one scene from equal poses may differ: by errors or velocities."""
        return (
            self._velocity is not None
            or self._errors.differ_by_scan
            or self.executor.differs_by_scan
        )

    @property
    def shots(self) -> Shots:
        """The rays of all beams, as from a sensor at rest and without errors of direction."""
        return self._shots[False]

    def scan(
        self, world: World, poses: NDArray[np.float64], shutter: Shutter, clock: Stopwatch
    ) -> Scanned:
        """Scan a world that shows the time of the scan (`World.show`, `World.commit`).

        This runs all stages, and adds the time that they take to ``clock``. ``poses`` comes from
        the method ``poses``. A shutter of duration 0 stands for the sensor's own scan time.
        """
        run, exposure, motion = self.executor, self._exposure(world, poses, shutter), None
        if self._velocity is not None:  # early, while its inputs are in the cache
            motion = velocity.motion_of(shutter, self.timing, exposure, world.objects.placed)
        with clock.measure("trace"):
            shots = exposure.shots
            if exposure.axis is not self._axis:  # with errors of direction
                shots = replace(shots, direction=exposure.axis)
            hits = self.tracer.trace(exposure.scene, shots, exposure.poses)
            paths = follow_light(exposure, shots, hits, self._tracer_onwards, self._path_rules)
            paths = on_lanes(exposure, shots, paths)
        with clock.measure("respond"):
            echoes = run.echoes(exposure, shots, paths)
            points, rows = above_threshold(self._threshold, *run.points(exposure, echoes))
            if exposure.ground is not None:
                exposure.ground.name(points.points["material_id"])
            if self._velocity is not None:
                seen = run.scan_hits(shots, echoes)
                points = self._velocity.measured(points, rows, exposure, motion, seen)
            cloud = self._errors.add_to(points, exposure, rows)
            if self._tells_light:
                cloud = with_ambient_light(cloud, exposure)
        return Scanned(exposure=exposure, shots=shots, paths=paths, echoes=echoes, cloud=cloud)

    def waveform(self, scanned: Scanned | None, beam: int) -> Waveform:
        """Return the waveform that the receiver sees in one beam of the last scan.

        Raises
        ------
        ValueError
            If the sensor is not physical, or there was no scan (``scanned`` is None).
        """
        echoes = None if scanned is None else scanned.echoes
        if self._physical is None or not isinstance(echoes, physical.ReceivedEchoes):
            raise ValueError(
                f"sensor {self.name}: has no waveform, expected a scan of a physical sensor"
            )
        return self._physical.waveform(echoes, beam)

    def _exposure(self, world: World, poses: NDArray[np.float64], shutter: Shutter) -> Exposure:
        slots, surfaces = world.library.slots, world.surfaces
        table, texture = world.materials.table(self.wavelength_nm), NO_TEXTURE
        light, frame = world.sky.weather, shutter.frame
        weather = light if self.is_physical else CLEAR
        ground = self._ground.of(weather, table)
        if ground is not None:
            table, surfaces = ground.table, ground.added_to(surfaces)
        if self._texture is not None:
            texture = scene_texture(world.scene, surfaces, table, poses, self._texture)
        return Exposure(
            scene=world.scene,
            surfaces=surfaces,
            table=table,
            texture=texture,
            sends_on=slots.has_panes or slots.has_mirrors,
            pattern=self.pattern,
            axis=self._errors.aim(self.pattern, self._axis, shutter.end_ns),
            shots=self._shots[len(poses) > 1],
            poses=poses,
            end_ns=shutter.end_ns,
            ambient_lux=_first(light.ambient_lux, frame.ambient_lux),
            sun=_first(light.sun, frame.sun),
            weather=weather,
            window=self.window,
            ground=ground,
            bodies=world.sky.bodies(shutter.end_ns) if self.is_physical else NONE,
            time_ns=self.timing.times_ns(shutter.duration_ns) if self.timing.timed else None,
        )


def farthest_m(lidars: Iterable[Lidar]) -> float:
    """Return a distance from the vehicle frame's origin that no ray of the lidars exceeds [m]."""
    return max(float(np.linalg.norm(e.mounting.position_m)) + e.max_range_m for e in lidars)


def _first(configured: T | None, stated: T | None) -> T | None:
    return stated if configured is None else configured


def _sub_rays(footprint: Footprint | None, draws: Draws, n_beams: int) -> dict[str, NDArray[Any]]:
    """Return the fields of `Shots` for the sub-rays of beams: weights, and directions by beam."""
    if footprint is None:
        return {"weight": ALL_OF_IT}
    fan = footprint.fans()
    chance, _ = draws.uniform_pairs(FOOTPRINT, np.arange(n_beams, dtype=np.uint32))
    of_beam = (chance * len(fan)).astype(np.uint16)
    return {"weight": footprint.weight, "fan": fan, "fan_of_beam": of_beam}
