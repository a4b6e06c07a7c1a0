# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The record of a run: its progress, its counts for run.json, and its outcome."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lidar_base.files.shown_paths import shown_values
from lidar_base.process.threads import threading_layer
from lidar_base.unfollowed import not_followed_rows
from osi_lidar.config.models import drawn_units
from osi_lidar.run.inputs_read import not_followed
from osi_lidar.run.intervals import WHOLE, Interval
from osi_lidar.run.made_with import made_with
from osi_lidar.scan.timing import time_content
from osi_lidar.version import __version__
from osi_lidar.world.fallbacks import fallback_table
from osi_lidar.world.ground import ground_words
from osi_lidar.world.materials import intensity_words, unused_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from osi_bridge import DamagedTrace, Frame
    from osi_lidar.model import LidarModel
    from osi_lidar.scan.step import Step
    from osi_lidar.sensors.units import Unit
    from osi_lidar.world.fallbacks import Fallback


logger = logging.getLogger(__name__)

FEWEST_SHARE = 0.001
"""If fewer of the rays return a point, something is probably missing in the scene. [1]"""


@dataclass(slots=True)
class Progress:
    """Progress of a run: which frames it answers, counts so far, and the last answer.

    Attributes
    ----------
    interval : Interval
        The frames that this process answers.
    frames_read : int
        Number of answered frames, and of frames before the interval, which another process answers.
    frames_traced : int
        How many of these frames had rays traced.
    points : int
        Number of points of all scans that were traced in the interval.
    status : str
        "complete", "damaged", "interrupted" or "failed"; "failed" until the run reaches its end.
    damage : DamagedTrace or None
        Where and how the trace is damaged; None if it is not.
    host_object_id : int or None
        OSI id of the vehicle that carries the sensors, in the last frame; None without one.
    step : Step or None
        The last answer; None if the last frame was before the interval.
    frames_unknown : int
        Number of frames kept from an earlier process, which other versions may have made.
    """

    interval: Interval = WHOLE
    frames_read: int = 0  # answered frames, and frames before the interval
    frames_traced: int = 0  # of these, frames for which rays were traced
    points: int = 0  # of all scans that were traced in the interval
    status: str = "failed"  # unless the run reaches one of its ends, see `RunRecord`
    damage: DamagedTrace | None = None
    host_object_id: int | None = None  # in the last frame
    step: Step | None = None  # the last answer; None if the last frame was before the interval
    frames_unknown: int = 0  # kept of an earlier process, which other versions may have made

    def count(self, frame: Frame, step: Step) -> None:
        """Add an answered frame to the counts, and the points of the scans traced for it.

        ``frame`` is the decoded message, and ``step`` the model's answer, which becomes
        ``self.step``.
        """
        self.step = step
        self.frames_read += 1
        self.frames_traced += step.traced
        self.points += sum(len(scan.cloud.points) for scan in step.scans if scan.traced)
        self.host_object_id = None if frame.host is None else frame.host.object_id

    def take_back(self, steps: Iterable[Step]) -> None:
        """Subtract steps (answers to messages) from the counts: `count` counted them.

        ``steps`` could not be written.
        """
        for step in steps:
            self.frames_read -= 1
            self.frames_traced -= step.traced
            self.points -= sum(len(scan.cloud.points) for scan in step.scans if scan.traced)

    def count_followed(self, frame: Frame, *, traced: bool) -> None:
        """Add a frame that another process answers to the counts, and set ``self.step`` to None.

        ``frame`` is the decoded message; ``traced`` says whether the other process traces rays for
        it.
        """
        self.step = None
        self.frames_read += 1
        self.frames_traced += traced
        self.host_object_id = None if frame.host is None else frame.host.object_id


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """The content of run.json, field by field; all values can be written as JSON.

    Attributes
    ----------
    version : str
        Version of osi-lidar.
    status : str
        "complete", "damaged", "interrupted" or "failed".
    damage : str or None
        Where and how the trace is damaged; None if it is not.
    config : mapping
        The resolved configuration.
    seed : int
        Seed of all random numbers.
    input : mapping or None
        The trace or the stream that the messages came from; None for a static scene.
    made_with : mapping
        Versions, and hashes of all inputs, see `made_with`.
    host_object_id : int or None
        OSI id of the vehicle that carries the sensors, in the last message.
    frames_read, frames_traced : int
        Number of answered messages, and of answers for which rays were traced.
    rays_traced, rays_kept : int
        Number of rays of all scans, and of rays whose hit was kept from the scan before.
    points : int
        Number of points of all traced scans; a repeated cloud counts once.
    scene : mapping of str to int
        Counts of the scene graph.
    ground : str
        What the ground is, in words.
    ground_z_m : float or None
        Height of the ground plane; None if there is none. [m]
    roads : tuple of str
        What roads were drawn from, in words; empty without roads.
    surroundings : mapping or None
        Seed of the generated surroundings, and counts of their objects; None without them.
    weather : mapping
        The last weather: each value that was set, and where it comes from.
    time : mapping
        How often messages came and sensors scanned, see `scan.timing`.
    materials : tuple of str
        Names of all infrared materials, by ``material_id``.
    mapping : tuple of dict
        How each visual material was resolved.
    intensity : str
        Basis of the intensities, in words: data of the materials, or guesses.
    unused_rules : tuple of str
        Rules of the configuration that matched nothing, as texts.
    fallbacks : tuple of dict
        Inputs that could not be used, and what replaced them: the fields of each `Fallback`.
    not_followed : tuple of dict
        Contents of inputs that are ignored; each with the keys input, what, first, times.
    threading_layer : str
        Layer of the kernels' threads.
    seconds : mapping of str to float
        Time by stage, and in total. [s]
    units : mapping of str to mapping
        The drawn unit of each sensor with ``unit: drawn``, by name of the sensor.
    stream : mapping or None
        Counters of a live stream; None if the run is not a stream.
    files : mapping of str to str or None
        Names of files of the run, by key of the configuration's section ``output``.
    """

    version: str
    status: str
    damage: str | None
    config: Mapping[str, object]
    seed: int
    input: Mapping[str, object] | None
    made_with: Mapping[str, object]
    host_object_id: int | None
    frames_read: int
    frames_traced: int
    rays_traced: int
    rays_kept: int
    points: int
    scene: Mapping[str, int]
    ground: str
    ground_z_m: float | None
    roads: tuple[str, ...]
    surroundings: Mapping[str, object] | None
    weather: Mapping[str, object]
    time: Mapping[str, Any]
    materials: tuple[str, ...]
    mapping: tuple[dict[str, Any], ...]
    intensity: str
    unused_rules: tuple[str, ...]
    fallbacks: tuple[dict[str, Any], ...]
    not_followed: tuple[dict[str, object], ...]
    threading_layer: str
    seconds: Mapping[str, float]
    units: Mapping[str, Unit] = field(default_factory=dict)
    stream: Mapping[str, Any] | None = None
    files: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def frames_unchanged(self) -> int:
        """Number of messages that were answered with the points of an earlier scan."""
        return self.frames_read - self.frames_traced

    @property
    def few_points(self) -> str:
        """A warning if hardly any ray of the run gave a point, else an empty text."""
        if self.points >= FEWEST_SHARE * self.rays_traced:
            return ""
        return f"{self.points:,} points of {self.rays_traced:,} rays; ground: {self.ground}"

    def content(self) -> dict[str, Any]:
        """Return the content of run.json, in the order of its keys."""
        drawn = self.units.items()
        content = {
            "version": self.version,
            "status": self.status,
            "complete": self.status == "complete",
            "damage": self.damage,
            "config": self.config,
            "seed": self.seed,
            "input": self.input,
            "made_with": self.made_with,
            "host_object_id": self.host_object_id,
            "frames_read": self.frames_read,
            "frames_traced": self.frames_traced,
            "frames_unchanged": self.frames_unchanged,
            "rays_traced": self.rays_traced,
            "rays_kept": self.rays_kept,
            "points": self.points,
            "scene": self.scene,
            "ground": self.ground,
            "ground_z_m": self.ground_z_m,
            "roads": list(self.roads),
            "surroundings": self.surroundings,
            "weather": self.weather,
            "time": self.time,
            "materials": list(self.materials),
            "mapping": list(self.mapping),
            "intensity": self.intensity,
            "unused_rules": list(self.unused_rules),
            "fallbacks": list(self.fallbacks),
            "not_followed": list(self.not_followed),
            "threading_layer": self.threading_layer,
            "seconds": self.seconds,
            **({"units": {name: unit.content for name, unit in drawn}} if drawn else {}),
            **({} if self.stream is None else {"stream": self.stream}),
            **self.files,
        }
        return {key: shown_values(each) for key, each in content.items()}


def run_record(
    model: LidarModel, progress: Progress, described: Mapping[str, object] | None
) -> RunRecord:
    """Return the record of a run as far as it has come.

    Parameters
    ----------
    model : LidarModel
        The model that answered the messages.
    progress : Progress
        The counts of the run.
    described : mapping or None
        The entry ``input`` of run.json: what the messages came from.
    """
    assets = model.world.assets
    return RunRecord(
        version=__version__,
        status=progress.status,
        damage=None if progress.damage is None else str(progress.damage),
        config=model.config.resolved(),
        seed=model.config.seed,
        input=described,
        made_with=made_with(model, described, progress.frames_unknown),
        host_object_id=progress.host_object_id,
        frames_read=progress.frames_read,
        frames_traced=progress.frames_traced,
        rays_traced=model.n_rays_traced,
        rays_kept=model.n_rays_kept,
        points=progress.points,
        scene=asdict(model.scene_counts),
        ground=ground_words(model.world.ground, environment=bool(model.world.environment)),
        ground_z_m=model.world.ground.z_m,
        roads=model.world.roads.lines,
        surroundings=model.world.roads.placed and model.world.roads.placed.content,
        weather=model.world.sky.weather.content,
        time=time_content(model.lidars, model.times),
        materials=tuple(model.materials.entries),
        mapping=tuple(
            {**asdict(each), "problems": list(each.problems)} for each in model.materials.resolved
        ),
        intensity=intensity_words(model.materials),
        unused_rules=(*unused_rules(model.materials, assets), *assets.unused_rules),
        fallbacks=tuple({**asdict(one), "subject": one.subject} for one in model.fallbacks),
        not_followed=tuple(not_followed_rows(not_followed(model))),
        threading_layer=threading_layer(),
        seconds={stage: round(s, 6) for stage, s in model.clock.seconds().items()},
        units=drawn_units(model.config.sensors),
    )


def warn_of_few_points(record: RunRecord) -> None:
    """Log a warning if hardly any ray of a run returned a point, with the name of its trace.

    Call it once, at the end of the run. Fewer points than `FEWEST_SHARE` of the rays give a
    warning.

    Parameters
    ----------
    record : RunRecord
        The record of the finished run, with its counts of rays and points.
    """
    if record.few_points:
        file = (record.input or {}).get("file")
        name = f"{Path(file).name}: " if isinstance(file, str) else ""
        logger.warning("%s%s", name, record.few_points)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How a run ended.

    Attributes
    ----------
    record : RunRecord
        The content of run.json, as a record.
    damage : DamagedTrace or None
        Where the trace is damaged; None if it is not.
    fallbacks : list of Fallback
        Inputs that could not be used, and what replaced them.
    model : LidarModel or None
        The model at the end of the run; None if other processes did the work.

    Examples
    --------
    >>> source = osi_lidar.FrameSource("drive.osi", frames=slice(2))
    >>> report = osi_lidar.replay(source, osi_lidar.load_config("config.yaml"), Path("out"))
    >>> report.content["frames_read"], len(report.fallbacks)
    (2, 0)
    """

    record: RunRecord
    damage: DamagedTrace | None
    fallbacks: list[Fallback]
    model: LidarModel | None = None

    @property
    def status(self) -> str:
        """How the run ended: "complete", "damaged", "interrupted" or "failed".

        "damaged": the trace ends early or is corrupt, and all frames before the damage are there.
        "failed" occurs for a live stream only: its files could not be written.
        """
        return self.record.status

    @property
    def content(self) -> dict[str, Any]:
        """The content of run.json."""
        return self.record.content()

    def __repr__(self) -> str:
        frames, points = self.record.frames_read, self.record.points
        return f"Report({self.status}, frames: {frames}, points: {points})"

    def _repr_html_(self) -> str:
        return fallback_table(repr(self), self.fallbacks).html()
