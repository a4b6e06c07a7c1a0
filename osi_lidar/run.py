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

import osi_lidar
from osi_bridge import DamagedTrace, custom_name, empty_frame, trace_start
from osi_lidar.errors import OutputError
from osi_lidar.model import LidarModel
from osi_lidar.run_folder import RunFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from osi_bridge import Frame
    from osi_lidar.config import Config
    from osi_lidar.frame_source import FrameSource
    from osi_lidar.model import Step

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Progress:
    """What a run has done so far."""

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
    model : LidarModel
        The model as the run left it.
    content : dict
        What is in run.json.
    """

    status: str
    damage: DamagedTrace | None
    model: LidarModel
    content: dict[str, Any]


def replay(
    source: FrameSource,
    config: Config,
    out: Path,
    *,
    overwrite: bool = False,
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
    on_step : callable
        Called after every step; the run ends there, with whole files, if it returns False.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError
        If an input cannot be used. What was finished before stays.
    """
    folder = RunFolder(
        out,
        config,
        custom_name=custom_name(source.path.name),
        start=trace_start(source.path.name),
        overwrite=overwrite,
    )
    model = LidarModel(config, trace_folder=source.path.parent)
    described = {
        "file": str(source.path),
        "sha256": _sha256(source.path),
        "message_type": source.message_type,
    }
    return _run(iter(source), model, folder, on_step, described)


def scan(config: Config, out: Path, *, overwrite: bool = False) -> Report:
    """Scan a static scene once, as frame 000000; each mounting is a pose in the world.

    Parameters and errors as ``replay``.
    """
    config = at_each_message(config)
    folder = RunFolder(out, config, custom_name="scan", overwrite=overwrite)
    return _run(iter([empty_frame()]), LidarModel(config), folder, lambda _: True, None)


def at_each_message(config: Config) -> Config:
    """Return a configuration whose sensors do not wait for a second message."""
    sensors = tuple(each.model_copy(update={"timing": "per_message"}) for each in config.sensors)
    return config.model_copy(update={"sensors": sensors})


def _run(
    frames: Iterator[Frame],
    model: LidarModel,
    folder: RunFolder,
    on_step: OnStep,
    described: dict[str, str] | None,
) -> Report:
    """Take frame after frame through the model; complete the folder, whatever happens."""
    progress = Progress()
    try:
        _follow(frames, model, folder, on_step, progress)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            progress.status = "interrupted"
        try:
            _finish(folder, model, progress, described)
        except OutputError as second:  # must not hide what ended the run
            logger.warning("%s", second)
        raise
    content = _finish(folder, model, progress, described)
    return Report(status=progress.status, damage=progress.damage, model=model, content=content)


def _follow(
    frames: Iterator[Frame],
    model: LidarModel,
    folder: RunFolder,
    on_step: OnStep,
    progress: Progress,
) -> None:
    """Take frame after frame through the model and into the folder."""
    while True:
        try:
            with model.clock.measure("read"):
                frame = next(frames, None)
        except DamagedTrace as damage:
            progress.status, progress.damage = "damaged", damage
            return
        if frame is None:
            progress.status = "complete"
            return
        step = model.step(frame)
        with model.clock.measure("write"):
            folder.write(step)
        progress.count(frame, step)
        if not on_step(progress):
            progress.status = "interrupted"
            return


def _finish(
    folder: RunFolder, model: LidarModel, progress: Progress, described: dict[str, str] | None
) -> dict[str, Any]:
    content = report_content(model, progress, described)
    with without_interrupts():
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
    model: LidarModel, progress: Progress, described: dict[str, str] | None
) -> dict[str, Any]:
    """Return what run.json says."""
    return {
        "version": osi_lidar.__version__,
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
