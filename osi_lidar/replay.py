# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Replay a recorded OSI trace, or scan a static scene, into a folder of results."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import osi_lidar
from osi_bridge import (
    DamagedTrace,
    FrameDecoder,
    OsiInputError,
    custom_name,
    empty_frame,
    open_trace,
    trace_start,
)
from osi_lidar.errors import InputError
from osi_lidar.model import LidarModel
from osi_lidar.run_folder import RunFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from osi_bridge import Frame, TraceReader
    from osi_lidar.config import Config
    from osi_lidar.model import Step


class FrameSource:
    """The frames of a recorded trace.

    Parameters
    ----------
    path : Path
        An OSI trace: ``.osi .mcap .txth``, also ``.gz .xz``.
    message_type : str, optional
        "SensorView" or "GroundTruth"; by default the file tells.
    host_id : int, optional
        OSI id of the vehicle that carries the sensors; by default the trace tells.
    frames : slice
        Which frames to take. The first message is read in any case, because static objects may
        come only there.

    Raises
    ------
    TraceError
        If the file is no OSI trace.
    """

    def __init__(
        self,
        path: Path,
        *,
        message_type: str | None = None,
        host_id: int | None = None,
        frames: slice = slice(None),
    ) -> None:
        self.path = path
        self.reader: TraceReader = open_trace(path, message_type=message_type)
        self._host_id = host_id
        self._frames = frames

    @property
    def count(self) -> int | None:
        """Number of frames, where the file tells without being read."""
        total = self.reader.count
        return None if total is None else len(range(*self._frames.indices(total)))

    def __iter__(self) -> Iterator[Frame]:
        """Give frame after frame; raise DamagedTrace after the last whole one."""
        decoder = FrameDecoder(self.reader.message_type, self._host_id)
        start, stop, step = self._frames.start or 0, self._frames.stop, self._frames.step or 1
        for message in self.reader:
            if stop is not None and message.index >= stop:
                return
            wanted = message.index >= start and (message.index - start) % step == 0
            if not (wanted or message.index == 0):
                continue
            try:
                frame = decoder.decode(message.data, message.index)
            except OsiInputError as error:
                if message.index == 0:
                    raise
                raise DamagedTrace(
                    self.path, frame=message.index, offset=message.offset, reason=str(error)
                ) from error
            if wanted:
                yield frame


def open_frames(path: Path, **options: Any) -> FrameSource:  # noqa: ANN401  as FrameSource's
    """Return the frames of a recorded trace, to be iterated over; options as FrameSource's."""
    return FrameSource(path, **options)


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
        "message_type": source.reader.message_type,
    }
    report = _run(iter(source), model, folder, on_step, described)
    if not report.content["frames_read"] and report.status == "complete":
        raise InputError(f"{source.path}: the trace has no frame in the range asked for")
    return report


def scan(config: Config, out: Path, *, overwrite: bool = False) -> Report:
    """Scan a static scene once, as frame 000000; each mounting is a pose in the world.

    Parameters and errors as ``replay``.
    """
    folder = RunFolder(out, config, custom_name="scan", overwrite=overwrite)
    return _run(iter([empty_frame()]), LidarModel(config), folder, lambda _: True, None)


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
        while True:
            with model.clock.measure("read"):
                frame = next(frames, None)
            if frame is None:
                progress.status = "complete"
                break
            step = model.step(frame)
            with model.clock.measure("write"):
                folder.write(step)
            progress.count(frame, step)
            if not on_step(progress):
                progress.status = "interrupted"
                break
    except DamagedTrace as damage:
        progress.status, progress.damage = "damaged", damage
    except KeyboardInterrupt:
        progress.status = "interrupted"
        raise
    finally:
        content = _content(model, progress, described)
        folder.finish(content)
    return Report(status=progress.status, damage=progress.damage, model=model, content=content)


def _content(
    model: LidarModel, progress: Progress, described: dict[str, str] | None
) -> dict[str, Any]:
    """Return what run.json says."""
    return {
        "version": osi_lidar.__version__,
        "status": progress.status,
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
        "scene": asdict(model.world.scene.counts),
        "materials": list(model.materials.table.names),
        "fallbacks": [{**asdict(one), "subject": one.subject} for one in model.fallbacks],
        "seconds": {stage: round(s, 6) for stage, s in model.clock.seconds().items()},
    }


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
