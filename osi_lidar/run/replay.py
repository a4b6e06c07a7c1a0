# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Replay a recorded OSI trace, or scan a static scene, into a folder of results."""

from __future__ import annotations

import hashlib
import logging
import signal
import threading
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from osi_bridge import DamagedTrace, custom_name, empty_frame, trace_start
from osi_lidar.errors import OutputError
from osi_lidar.model import LidarModel
from osi_lidar.output.run_folder import RunFolder
from osi_lidar.run.intervals import WHOLE, Interval, intervals
from osi_lidar.run.resume import Kept, resume
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from osi_bridge import Frame
    from osi_lidar.config import Config
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.scan.step import Step
    from osi_lidar.world.fallbacks import Fallback

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Progress:
    """What a run has to do, and has done so far."""

    interval: Interval = WHOLE
    frames_read: int = 0
    frames_traced: int = 0
    points: int = 0
    status: str = "failed"  # unless the run reaches one of its ends
    damage: DamagedTrace | None = None
    host_object_id: int | None = None

    def count(self, frame: Frame, step: Step) -> None:
        """Count a step."""
        self.frames_read += 1
        self.frames_traced += step.traced
        self.points += sum(len(scan.cloud.points) for scan in step.scans if scan.traced)
        self.host_object_id = None if frame.host is None else frame.host.object_id

    def take_back(self, steps: Iterable[Step]) -> None:
        """Count steps no more: they could not be written."""
        for step in steps:
            self.frames_read -= 1
            self.frames_traced -= step.traced
            self.points -= sum(len(scan.cloud.points) for scan in step.scans if scan.traced)

    def count_followed(self, frame: Frame, *, traced: bool) -> None:
        """Count a frame that is answered elsewhere; its points are counted there."""
        self.frames_read += 1
        self.frames_traced += traced
        self.host_object_id = None if frame.host is None else frame.host.object_id


OnStep: TypeAlias = "Callable[[Progress], bool]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How a run ended.

    Attributes
    ----------
    status : str
        "complete", "damaged" (the trace ends early or is corrupt; all frames before the damage
        are there) or "interrupted".
    damage : DamagedTrace or None
        Where the trace is damaged.
    content : dict
        What is in run.json.
    fallbacks : list of Fallback
        What could not be had, and what was taken instead.
    model : LidarModel or None
        The model as the run left it; None where processes of their own did the work.
    """

    status: str
    damage: DamagedTrace | None
    content: dict[str, Any]
    fallbacks: list[Fallback]
    model: LidarModel | None = None


def replay(  # noqa: PLR0913  as many choices
    source: FrameSource,
    config: Config,
    out: Path,
    *,
    overwrite: bool = False,
    go_on: bool = False,
    on_step: OnStep = lambda _: True,
) -> Report:
    """Replay a trace into a folder of point clouds and SensorData.

    Parameters
    ----------
    source : FrameSource
        The trace.
    config : Config
        Sensors, scene, materials, output.
    out : Path
        Folder of the results; empty or absent.
    overwrite : bool
        Take the place of an earlier run.
    go_on : bool
        Go on with a run of the same input that was cut, and keep what it has written.
    on_step : callable
        Called after every step; the run ends there, with whole files, if it returns False.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError
        If an input cannot be used. What was finished before stays.
    """
    described = describe(source)
    folder, kept, (interval,) = prepare(
        source, config, out, described, overwrite=overwrite, go_on=go_on
    )
    model = LidarModel(config, trace_folder=source.path.parent)
    progress = Progress(interval=interval, points=kept.points)
    return _run(iter(source), model, folder, on_step, described, progress)


def prepare(  # noqa: PLR0913  as many choices
    source: FrameSource,
    config: Config,
    out: Path,
    described: dict[str, object],
    *,
    overwrite: bool,
    go_on: bool,
    n: int = 1,
) -> tuple[RunFolder, Kept, list[Interval]]:
    """Return the folder of a replay, what is in it already, and intervals of what is missing.

    Raises
    ------
    OutputError
        If the folder cannot be taken, the run in it is another one or is complete, or an output
        is asked for that only a whole run in one process writes.
    """
    output = config.output
    if (go_on or n > 1) and (output.ground_truth or output.motion != "none"):
        key = "ground_truth" if output.ground_truth else "motion"
        raise OutputError(
            f"output.{key}: a run in parts does not write it, expected no --workers, no --resume"
        )
    identity = _identity(config, described)
    folder = RunFolder(
        out,
        config,
        custom_name=custom_name(source.path.name),
        start=trace_start(source.path.name),
        overwrite=overwrite,
        identity=identity,
        keep=go_on,
    )
    if not go_on and n == 1:
        return folder, Kept(), [WHOLE]
    moments = source.moments()
    kept = Kept()
    if go_on:
        kept = resume(folder, moments, identity, config.output.sensor_data)
    return folder, kept, intervals(moments, config, n=n, first=kept.n_frames)


def describe(source: FrameSource) -> dict[str, object]:
    """Return what run.json says of a trace."""
    return {"file": str(source.path), "sha256": _sha256(source.path), **source.described}


def _identity(config: Config, described: dict[str, object]) -> dict[str, object]:
    """Return what tells a run from others: all that its results depend on."""
    return {
        "version": __version__,
        "config": config.resolved(),
        "input": {key: value for key, value in described.items() if key != "file"},
    }


def scan(config: Config, out: Path, *, overwrite: bool = False) -> Report:
    """Scan a static scene once, as frame 000000; each mounting is a pose in the world.

    Parameters and errors as ``replay``.
    """
    config = at_each_message(config)
    folder = RunFolder(out, config, custom_name="scan", overwrite=overwrite)
    model = LidarModel(config)
    return _run(iter([empty_frame()]), model, folder, lambda _: True, None, Progress())


def at_each_message(config: Config) -> Config:
    """Return a configuration whose sensors do not wait for a second message."""
    sensors = tuple(each.model_copy(update={"timing": "per_message"}) for each in config.sensors)
    return config.model_copy(update={"sensors": sensors})


def _run(  # noqa: PLR0913, PLR0917  as many things to join
    frames: Iterator[Frame],
    model: LidarModel,
    folder: RunFolder,
    on_step: OnStep,
    described: dict[str, object] | None,
    progress: Progress,
) -> Report:
    """Take frame after frame through the model; complete the folder, whatever happens."""
    try:
        take(frames, model, folder.write, on_step, progress)
        folder.flush()
    except BaseException as error:
        progress.status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        try:
            _finish(folder, model, progress, described)
        except OutputError as second:  # must not hide what ended the run
            logger.warning("%s", second)
        raise
    content = _finish(folder, model, progress, described)
    return Report(
        status=progress.status,
        damage=progress.damage,
        content=content,
        fallbacks=model.fallbacks,
        model=model,
    )


def take(
    frames: Iterator[Frame],
    model: LidarModel,
    write: Callable[[Step], object],
    on_step: OnStep,
    progress: Progress,
) -> None:
    """Take frame after frame through the model, and write the answers to those of its interval.

    The answers may still be on their way to the disk when this returns.

    Parameters
    ----------
    frames : iterator of Frame
        All frames of the run.
    write : callable
        Takes a step.
    on_step : callable
        Called after every frame; it is the last one if that returns False.
    progress : Progress
        Says which frames are answered, and is brought up to date.
    """
    interval = progress.interval
    while progress.frames_read != interval.end:
        try:
            with model.clock.measure("read"):
                frame = next(frames, None)
        except DamagedTrace as damage:
            progress.status, progress.damage = "damaged", damage
            return
        if frame is None:
            break
        if progress.frames_read < interval.begin:
            traced = model.follow(frame, interval.last_scans)
            progress.count_followed(frame, traced=traced)
        else:
            step = model.step(frame)
            with model.clock.measure("write"):
                write(step)
            progress.count(frame, step)
        if not on_step(progress):
            progress.status = "interrupted"
            return
    progress.status = "complete"


def _finish(
    folder: RunFolder, model: LidarModel, progress: Progress, described: dict[str, object] | None
) -> dict[str, Any]:
    with without_interrupts():
        try:
            folder.flush()
        finally:
            progress.take_back(folder.unwritten)
            content = report_content(model, progress, described)
            folder.finish(content)
    return content


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Let no Ctrl-C come between the last files of a run."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def report_content(
    model: LidarModel, progress: Progress, described: dict[str, object] | None
) -> dict[str, Any]:
    """Return what run.json says."""
    return {
        "version": __version__,
        "status": progress.status,
        "complete": progress.status == "complete",
        "damage": None if progress.damage is None else str(progress.damage),
        "config": model.config.resolved(),
        "seed": model.config.seed,
        "input": described,
        "host_object_id": progress.host_object_id,
        "frames_read": progress.frames_read,
        "frames_traced": progress.frames_traced,
        "frames_unchanged": progress.frames_read - progress.frames_traced,
        "rays_traced": model.n_rays_traced,
        "rays_kept": model.n_rays_kept,
        "points": progress.points,
        "scene": asdict(model.scene_counts),
        "materials": list(model.materials.entries),
        "mapping": [
            {**asdict(each), "problems": list(each.problems)} for each in model.materials.resolved
        ],
        "unused_rules": list(model.unused_rules),
        "fallbacks": [{**asdict(one), "subject": one.subject} for one in model.fallbacks],
        "seconds": {stage: round(s, 6) for stage, s in model.clock.seconds().items()},
    }


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
