# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""LidarModel: OSI ground truth in, point clouds and OSI SensorData out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.process.stopwatch import Stopwatch
from osi_bridge import OSI_VERSION, LidarBlock, Place, checked_time_ns, encode_sensor_data
from osi_lidar.config.models import wavelengths_of
from osi_lidar.scan.depth import depth_along_axis
from osi_lidar.scan.deskew import deskewed
from osi_lidar.scan.lidar import Lidar, farthest_m
from osi_lidar.scan.media.windows import sensor_windows
from osi_lidar.scan.schedule import Schedule, needed_from_ns
from osi_lidar.scan.step import LastScan, Scan, Scans, Step
from osi_lidar.scan.timing import MessageTimes
from osi_lidar.world.fallbacks import Fallback, fallback_table, no_scan
from osi_lidar.world.history import History
from osi_lidar.world.materials import material_fallbacks, material_resolver
from osi_lidar.world.road_world import wished
from osi_lidar.world.sky import Sky
from osi_lidar.world.world import World
from raycore.scene.jumps import JumpLimits
from raycore.scene.records import SceneCounts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_bridge import Frame
    from osi_lidar.config import Config
    from osi_lidar.world.shutter import Shutter


class LidarModel:
    """The sensor model: keeps the world in step with OSI messages, and scans it.

    Parameters
    ----------
    config : Config
        See ``load_config``.
    trace_folder : Path, optional
        Where files that the messages name are looked for, before ``scene.search``.
    swept_m : float64 (n, 3, 2), optional
        Triangles that objects pass over during the recording; no surroundings stand there. [m]

    Attributes
    ----------
    materials, world : MaterialResolver, World
        The materials of surfaces, and the scene with all its objects.
    lidars : tuple of Lidar
        The sensors, in the order of the configuration.
    last_scans : dict of str to LastScan
        The last scan of each sensor that has completed one, with its poses, records and cloud.
    times, clock : MessageTimes, Stopwatch
        Time steps between the messages, and the time that each stage took.
    n_rays_traced, n_rays_kept : int
        Rays of all new scans so far, and how many of them kept the hits of the scan before.

    Raises
    ------
    ConfigurationError, MeshError, PatternError
        If the configuration names a file or value that cannot be used.

    Examples
    --------
    >>> model = osi_lidar.LidarModel(osi_lidar.default_config("VLP-16"))
    >>> for frame in osi_lidar.FrameSource("drive.osi", frames=slice(2)):
    ...     print(len(model.step(frame).scans["VLP-16"].cloud) > 10_000)
    True
    True
    """

    def __init__(
        self,
        config: Config,
        *,
        trace_folder: Path | None = None,
        swept_m: NDArray[np.float64] | None = None,
    ) -> None:
        self.config = config
        self.materials = material_resolver(config)
        seed = config.seed
        windows = sensor_windows(config.weather.window, wavelengths_of(config), seed)
        self.lidars = tuple(Lidar(each, seed, windows.get(each.name)) for each in config.sensors)
        self.clock, self.times = Stopwatch(), MessageTimes()
        self.n_rays_traced, self.n_rays_kept = 0, 0
        self._trace_folder, self._swept_m = trace_folder, swept_m
        self._counts_before = SceneCounts()
        self._begin(None)

    def __repr__(self) -> str:
        return f"LidarModel({self.config.told_sensors}; messages answered: {self._cycle})"

    def _repr_html_(self) -> str:
        return fallback_table(repr(self), self.fallbacks).html()

    def restart(self) -> None:
        """Forget the world and all scans, before the first message of another source.

        Later answers equal a new model's. Mesh files are not read again. The clock, the
        counts, and the numbers of scans at a sensor's own rate continue.
        """
        self._counts_before = self.scene_counts
        numbers = [schedule.number for schedule in self._schedules]
        self._begin(self.world)
        for schedule, number in zip(self._schedules, numbers, strict=True):
            schedule.number = number

    def _begin(self, earlier: World | None) -> None:
        self.world = World(
            self.config.scene,
            self.materials,
            trace_folder=self._trace_folder,
            earlier=earlier,
            seed=self.config.seed,
        )
        self.world.sky = Sky(self.config.weather, self.config.seed)
        self.world.roads.surroundings = wished(self.config, self._swept_m)
        limits = JumpLimits.of(self.config.scene.teleport)
        self._history = History(limits, self.world.objects.odometer(limits))
        self._schedules = tuple(Schedule(lidar.timing) for lidar in self.lidars)
        self.last_scans: dict[str, LastScan] = {}
        self._cycle = 0

    def step(self, frame: Frame, *, time_ns: int | None = None) -> Step:
        """Answer one OSI message; this method calls all stages of the model in their order.

        Rays are traced only if scene, light, weather, pose or beams have changed since the last
        scan, if scene or pose change during this scan, or if the sensor has random errors.
        Otherwise the last scan is repeated with the new time.

        Parameters
        ----------
        frame : Frame
            The message.
        time_ns : int, optional
            Timestamp of the answer; default: the time of the message. [ns]

        Raises
        ------
        MeshError, ConfigurationError, PatternError
            If a mesh that a rule names is not usable, a material of a mesh is not mapped and there
            is no default, or a scan pattern has no usable beam at this time.
        OsiError
            If `time_ns` is beyond 64 bits; nothing has changed.
        """
        answer_ns = frame.time_ns if time_ns is None else checked_time_ns(time_ns)
        self.hear(frame)
        scans = Scans(self._scan(*each) for each in self._due())
        with self.clock.measure("encode"):
            sensor_data = self._encode(frame, answer_ns)
        self._cycle += 1
        return Step(
            index=frame.index,
            time_ns=frame.time_ns,
            scans=scans,
            sensor_data=sensor_data,
            objects=frame.objects,
            materials=tuple(self.materials.entries),
        )

    def follow(self, frame: Frame, last_scans: Mapping[str, int]) -> bool:
        """Update world, counts and fallbacks as ``step`` does, but give no answer.

        Another process answers the message. Here, only the scans in `last_scans` are traced.

        Parameters
        ----------
        frame : Frame
            The message.
        last_scans : mapping of str to int
            Number of a scan for each sensor, by name. It is traced if this message completes it,
            because the first frame that this process answers may repeat its cloud.

        Returns
        -------
        bool
            Whether ``step`` would have traced rays.

        Raises
        ------
        MeshError, ConfigurationError, PatternError
            As for ``step``.
        """
        traced = False
        self.hear(frame)
        for lidar, shutter, number in self._due():
            last, is_new = self._look(lidar, shutter, number)
            if last_scans.get(lidar.name) == number:
                self._trace(lidar, last)
            traced |= is_new
        self._cycle += 1
        return traced

    def hear(self, frame: Frame) -> None:
        """Update motion and weather by an OSI message, without scans and without an answer.

        ``step`` and ``follow`` call this. Call it for a message between two frames: scans that this
        message completes are made with the next frame.
        """
        is_first = self._history.is_empty
        step_ns = 0 if is_first else frame.time_ns - self._history.frame.time_ns
        self.world.sky.hear(frame)
        if self._history.add(frame):
            self.times.add(step_ns)
        else:
            self._break_off(is_new_run=step_ns < 0)
        self._history.forget(needed_from_ns(self._schedules, frame.time_ns))
        note = self.world.fallbacks.note
        if self._history.problem and any(lidar.timing.takes_time for lidar in self.lidars):
            note("message", "out of step", used="no motion", reason=self._history.problem)
        if not step_ns and not is_first:
            note("message", "repeated", used="the last of them", reason=Place.AGAIN.value)
        if frame.osi_version is not None and frame.osi_version[0] != OSI_VERSION[0]:
            note(
                "message",
                f"of OSI {'.'.join(map(str, frame.osi_version))}",
                used=f"its content as OSI {OSI_VERSION[0]} names it",
                reason="another major version",
            )

    def _break_off(self, *, is_new_run: bool) -> None:
        """Discard the scans in progress; in a new run a sensor has no earlier scan to repeat."""
        for lidar, schedule in zip(self.lidars, self._schedules, strict=True):
            schedule.restart()
            if is_new_run and lidar.timing.free_running:
                self.last_scans.pop(lidar.name, None)

    def leave_out_late(self) -> None:
        """Count, as a fallback, a message left out because it is older than its predecessor."""
        self.world.fallbacks.note("message", "late", used="nothing", reason=Place.LATE.value)

    def begin_run(self) -> None:
        """Begin a run, after earlier messages that have only updated the state of the model.

        In the run, the first scan of each sensor is traced, even if nothing has changed. The counts
        of rays, and of scans that began before the first message, become 0; scan numbers and
        fallbacks go on.
        """
        self.n_rays_traced = self.n_rays_kept = 0
        self.times.uncovered.clear()
        for last in self.last_scans.values():
            last.is_elsewhere = True

    def _due(self) -> Iterator[tuple[Lidar, Shutter, int]]:
        """Yield the scans that the last message completes, each with its number."""
        index = self._history.frame.index
        for lidar, schedule in zip(self.lidars, self._schedules, strict=True):
            for shutter in schedule.due(self._history):
                if lidar.timing.takes_time and not shutter.covered:
                    self.times.uncovered[lidar.name] = self.times.uncovered.get(lidar.name, 0) + 1
                yield lidar, shutter, schedule.number if lidar.timing.free_running else index

    def repeated(self, time_ns: int) -> bytes:
        """Answer the last message again, with the timestamp ``time_ns`` [ns]; return SensorData.

        It repeats the last scans. Of the state, only the cycle counter of the messages changes.
        """
        sensor_data = self._encode(self._history.frame, time_ns)
        self._cycle += 1
        return sensor_data

    @property
    def scene_counts(self) -> SceneCounts:
        """Counts of the scene graph's operations since the model was made."""
        return self._counts_before + self.world.scene.counts

    @property
    def fallbacks(self) -> list[Fallback]:
        """Substitutions so far: inputs that could not be used, and what replaced them."""
        unfinished = [
            no_scan(lidar.name, lidar.pattern.period_s)
            for lidar in self.lidars
            if self._cycle and lidar.name not in self.last_scans
        ]
        beyond = [Fallback("weather", *each) for each in self.world.sky.remarks]
        return [*self.world.fallbacks, *unfinished, *beyond, *material_fallbacks(self.materials)]

    def _scan(self, lidar: Lidar, shutter: Shutter, number: int) -> Scan:
        last, traced = self._look(lidar, shutter, number)
        self._trace(lidar, last)
        cloud = replace(
            last.cloud,
            sensor=lidar.name,
            time_ns=shutter.end_ns,
            world_from_sensor=last.end_pose,
            materials=tuple(self.materials.entries),
        )
        return Scan(
            sensor=lidar.name,
            number=number,
            begin_ns=shutter.begin_ns,
            end_ns=shutter.end_ns,
            traced=traced,
            cloud_number=last.number,
            cloud=cloud,
            world_from_sensor=last.end_pose,
            world_from_sensor_at_begin=last.begin_pose,
            deskewed=last.deskewed,
            depth_m=last.depth_m,
        )

    def _look(self, lidar: Lidar, shutter: Shutter, number: int) -> tuple[LastScan, bool]:
        """Return a sensor's scan, and whether it is new; a new scan is not traced yet."""
        with self.clock.measure("update"):
            poses, begin_pose, end_pose = self._aim(lidar, shutter)
        last, commits = self.last_scans.get(lidar.name), self.world.scene.n_commits
        is_new = last is None or not (
            (last.commits, last.pattern, last.window) == (commits, lidar.pattern, lidar.window)
            and np.array_equal(last.poses, poses)
            and last.repeats(lidar, shutter, self.world.sky)
            and not (lidar.sees_weather and self.world.sky.differs_from(last.weather))
        )
        if last is None or is_new:
            last = LastScan(shutter, number, commits, poses, begin_pose, end_pose)
            last.pattern, last.window = lidar.pattern, lidar.window
            last.weather = self.world.sky.weather
            self.last_scans[lidar.name] = last
            self.n_rays_traced += lidar.n_rays
        last.measured_ns = shutter.end_ns
        return last, is_new

    def _aim(
        self, lidar: Lidar, shutter: Shutter
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Set world and beams to a scan's time; return the sensor's poses, and at begin and end."""
        lidar.aim(shutter.begin_ns)
        vehicle, body_from_vehicle, jumped_row = shutter.carrier(moves=lidar.timing.rolls)
        if jumped_row is not None:
            self.world.note_jump(shutter.frame, jumped_row)

        def pose_at(of: Lidar, share: float) -> NDArray[np.float64]:
            body_from_sensor = body_from_vehicle @ of.vehicle_from_sensor
            return np.asarray(vehicle.at(share, body_from_sensor)[0])

        end_pose = pose_at(lidar, 1.0)
        # near a sensor, not the vehicle: mountings in the world may be far from it
        first = self.lidars[0]
        near = end_pose if lidar is first else pose_at(first, 1.0)
        self.world.show(shutter, blur=lidar.timing.blurs, range_m=farthest_m(self.lidars))
        self.world.commit(near[:3, 3])
        poses = lidar.poses(vehicle, body_from_vehicle)
        return poses, pose_at(lidar, 0.0) if len(poses) > 1 else end_pose, end_pose

    def _trace(self, lidar: Lidar, last: LastScan) -> None:
        """Trace a scan if it is not traced yet; the world has not changed since it was due."""
        if last.scanned is not None:
            return
        last.scanned = lidar.scan(self.world, last.poses, last.shutter, self.clock)
        last.cloud = last.scanned.cloud
        self.n_rays_kept += lidar.n_rays - lidar.tracer.n_traced
        with self.clock.measure("respond"):
            if lidar.deskew:
                last.deskewed = deskewed(last.cloud, lidar.timing.moment, last.poses, last.end_pose)
            if lidar.is_camera and self.config.output.depth != "none":
                last.depth_m = depth_along_axis(last.scanned)

    def _encode(self, frame: Frame, time_ns: int) -> bytes:
        blocks = []
        for number, lidar in enumerate(self.lidars):
            last = self.last_scans.get(lidar.name)
            if last is None:  # its first scan is not complete
                now = self._history.until_now(0)
                origin = np.eye(4)
                last = LastScan(now, -1, 0, origin, origin, origin)
                last.measured_ns = frame.time_ns
            window, directions = lidar.window, lidar.pattern.direction
            if last.encoded is None:
                last.encoded = lidar.encoder.encode(
                    last.cloud,
                    lidar.pattern,
                    classified=self.config.output.classification == "truth",
                )
            blocks.append(
                LidarBlock(
                    sensor_id=number,
                    mounting=lidar.mounting,
                    measurement_time_ns=last.measured_ns,
                    cycle_counter=self._cycle,
                    n_detections=len(last.cloud.points),
                    encoded=last.encoded,
                    blocked_share=window.blocked_share(directions) if window else 0.0,
                )
            )
        return encode_sensor_data(
            time_ns=time_ns,
            last_measurement_time_ns=max(block.measurement_time_ns for block in blocks),
            sensors=blocks,
            sensor_id=frame.sensor_id or 0,
            mounting=frame.virtual_mounting,
        )
