# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Replay a recorded OSI trace, or scan a static scene, into a folder of results."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from lidar_base.files.shown_paths import shown_values
from lidar_base.process.interrupts import without_interrupts
from lidar_scenery import surroundings
from osi_bridge import (
    DamagedTrace,
    FrameDecoder,
    custom_name,
    empty_frame,
    some_objects,
    trace_start,
)
from osi_lidar.errors import OutputError
from osi_lidar.model import LidarModel
from osi_lidar.output.run_folder import RunFolder
from osi_lidar.run.frame_source import Role, TraceMessage
from osi_lidar.run.intervals import WHOLE, Interval, intervals
from osi_lidar.run.report import Progress, Report, RunRecord, run_record, warn_of_few_points
from osi_lidar.run.resume import Kept, resume
from osi_lidar.run.viewer_file import write_viewer_file
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from osi_bridge import Frame
    from osi_lidar.config import Config
    from osi_lidar.config.values import Timing
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.scan.step import Step

logger = logging.getLogger(__name__)

MOST_LOOKED_AT = 1000
"""Largest number of messages, evenly spaced, whose objects surroundings keep clear of."""

OnStep: TypeAlias = "Callable[[Progress], bool]"


def replay(  # noqa: PLR0913  as many choices
    source: FrameSource,
    config: Config,
    out: Path,
    *,
    overwrite: bool = False,
    go_on: bool = False,
    on_step: OnStep = lambda _: True,
) -> Report:
    """Replay a trace into a folder of clouds and SensorData; return how the run ended.

    ``Report`` has an example.

    Parameters
    ----------
    source : FrameSource
        The trace. If it is damaged, the run ends there without an error, see `Report.damage`.
    config : Config
        The configuration of sensors, scene, materials and output.
    out : Path
        Folder for the results; it must be empty or absent, unless one of the next two is set.
    overwrite : bool
        Replace the files of an earlier run; no effect with ``go_on``.
    go_on : bool
        Resume an unfinished run of the same input, and keep what it has written.
    on_step : callable
        Gets the `Progress` after every frame; returning False ends the run, with complete files.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError, MaterialError
        If an input cannot be used, or a result not written. The results of the frames before stay.
    """
    described = describe(source)
    folder, kept, (interval,) = prepare(
        source, config, out, described, overwrite=overwrite, go_on=go_on
    )
    model = model_of(config, source)
    progress = Progress(interval=interval, points=kept.points, frames_unknown=kept.n_unknown)
    return answer(source.messages(), model, folder, on_step, described, progress)


def model_of(config: Config, source: FrameSource | None) -> LidarModel:
    """Return a new model for the messages of a trace; errors are as for `LidarModel`.

    ``config`` is the configuration. ``source`` is the trace: files that its messages name are
    looked for in its folder, and generated surroundings keep clear of its moving objects. It is
    None for a scan without a trace.
    """
    folder = None if source is None else source.path.parent
    return LidarModel(config, trace_folder=folder, swept_m=swept_ground_m(config, source))


def swept_ground_m(config: Config, source: FrameSource | None) -> NDArray[np.float64] | None:
    """Return the ground that objects pass over during a trace, as triangles seen from above.

    ``config`` is the configuration, and ``source`` the trace, of which at most `MOST_LOOKED_AT`
    messages are decoded (all if their number is not known beforehand).

    Returns
    -------
    float64 (n, 3, 2) or None
        World coordinates x and y of the corners of n triangles [m]. None if ``source`` is None, or
        the configuration has no surroundings.
    """
    if source is None or not config.scene.surroundings:
        return None
    trace = source.reader
    moments = some_objects(trace, FrameDecoder(trace.message_type), MOST_LOOKED_AT)
    return surroundings.swept_footprints(moments)


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
    """Prepare the replay of a trace: its folder, frames to keep, and intervals of frames to answer.

    Parameters
    ----------
    source, config, out, overwrite, go_on
        As for `replay`.
    described : dict
        The entry ``input`` of run.json, from `describe`; it identifies a run that is resumed.
    n : int
        Number of intervals; fewer if fewer frames are missing.

    Returns
    -------
    tuple of (RunFolder, Kept, list of Interval)
        The folder of the results, the counts of frames that are kept, and the frames to answer, one
        interval for each process. With ``go_on``, `resume` has opened the folder, and it contains
        the kept frames; if it was absent or empty, or without ``go_on``, it is not open yet, and no
        frames are kept.

    Raises
    ------
    OutputError
        If the folder cannot be used; with ``go_on`` also if its run is another one or complete.
    """
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
    if not go_on and n == 1 and not (source.starts_later and _any_free_running(config)):
        return folder, Kept(), [WHOLE]
    moments = source.moments()
    kept = Kept()
    if go_on:
        frames = [moment for moment in moments if moment.role is Role.ANSWERED]
        kept = resume(folder, frames, identity, config, source.path.parent)
    return folder, kept, intervals(moments, config, n=n, first=kept.n_frames)


def _any_free_running(config: Config) -> bool:
    """Return whether a sensor scans at its own rate; an answer may then repeat an earlier scan."""
    return any(sensor.timing == "sensor_rate" for sensor in config.sensors)


def describe(source: FrameSource) -> dict[str, object]:
    """Return the entry ``input`` of run.json for the trace ``source``: its file and its frames.

    The keys are file (absolute path), sha256, and the keys of `FrameSource.described`.
    """
    return {"file": str(source.path.absolute()), "sha256": _sha256(source.path), **source.described}


def _identity(config: Config, described: dict[str, object]) -> dict[str, object]:
    """Return the identity of a run: everything that its results depend on."""
    return {
        "version": __version__,
        "config": shown_values(config.resolved()),
        "input": {key: value for key, value in described.items() if key != "file"},
    }


def scan(config: Config, out: Path, *, overwrite: bool = False) -> Report:
    """Scan a static scene into a folder, from each pose in ``config.poses``; return the report.

    Without poses, there is one frame, 000000, and the mountings are poses in the world. ``config``
    is the configuration, and ``out`` the folder for the results. It must be empty or absent, unless
    ``overwrite`` is True: then files of an earlier run are replaced. Errors are as for `replay`.
    """
    from osi_lidar.run.poses import (  # noqa: PLC0415  scipy, which replays do not need
        carried,
        configured_poses,
        passing,
    )

    config = at_each_message(config)
    poses = configured_poses(config)
    if poses is not None:
        config = carried(config, timed=poses.time_s is not None)
    folder = RunFolder(out, config, custom_name="scan", overwrite=overwrite)
    model = LidarModel(config)
    frames = iter([empty_frame()]) if poses is None else passing(model, poses)
    messages = (TraceMessage(frame.index, Role.ANSWERED, frame) for frame in frames)
    return answer(messages, model, folder, lambda _: True, None, Progress())


def at_each_message(config: Config) -> Config:
    """Return a copy of ``config``, a configuration, with ``timing: per_message`` of all sensors.

    Each message then makes one scan.
    """
    return with_timing(config, "per_message")


def with_surroundings(config: Config) -> Config:
    """Return ``config``, a configuration, with generated surroundings (`scene.surroundings`) on.

    The result is a copy, or ``config`` itself if it has surroundings already.
    """
    if config.scene.surroundings is not False:
        return config
    scene = config.scene.model_copy(update={"surroundings": True})
    return config.model_copy(update={"scene": scene})


def with_timing(config: Config, timing: Timing) -> Config:
    """Return a copy of ``config``, a configuration, with another ``timing`` of all sensors.

    ``timing`` is "per_message" (a scan at each message) or "sensor_rate" (at the sensor's own
    rate).
    """
    sensors = tuple(each.model_copy(update={"timing": timing}) for each in config.sensors)
    return config.model_copy(update={"sensors": sensors})


def answer(  # noqa: PLR0913, PLR0917  as many things to join
    messages: Iterator[TraceMessage],
    model: LidarModel,
    folder: RunFolder,
    on_step: OnStep,
    described: dict[str, object] | None,
    progress: Progress,
) -> Report:
    """Run the model on the messages of a run, write its answers, and return the report.

    The frames of ``progress.interval`` are answered: all of them, or those that a resumed run still
    lacks. `on_step`, or damage in the trace, may end the run earlier, without an error. If a frame
    fails or the user interrupts, the folder is completed, too, before the error is raised.

    Parameters
    ----------
    messages, model, on_step, progress
        As for `take`.
    folder : RunFolder
        The folder to which the answers are written.
    described : dict or None
        The entry ``input`` of run.json; None for a scan without a trace.
    """
    try:
        take(messages, model, folder.write, on_step, progress)
        folder.flush()
    except BaseException as error:
        progress.status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        try:
            _finish(folder, model, progress, described)
        except OutputError as second:  # must not hide the error that ended the run
            logger.warning("%s", second)
        raise
    record = _finish(folder, model, progress, described)
    warn_of_few_points(record)
    write_viewer_file(folder.path, model.config, record.status)
    return Report(record=record, damage=progress.damage, fallbacks=model.fallbacks, model=model)


def take(
    messages: Iterator[TraceMessage],
    model: LidarModel,
    write: Callable[[Step], object],
    on_step: OnStep,
    progress: Progress,
) -> None:
    """Answer the frames of ``progress.interval``; other messages only update the model.

    Messages after the last frame of the interval are not read. When this returns, the last answers
    may not be on the disk yet.

    Parameters
    ----------
    messages : iterator of TraceMessage
        All messages of the run.
    model : LidarModel
        The model that answers them; its state changes.
    write : callable
        Gets the `Step`, the answer, of each frame of the interval.
    on_step : callable
        Gets ``progress`` after every frame, also before the interval; returning False ends the run.
    progress : Progress
        Its counts, ``status`` and ``damage`` are updated. A damaged trace raises no error.
    """
    interval = progress.interval
    while progress.frames_read != interval.end:
        try:
            with model.clock.measure("read"):
                message = next(messages, None)
        except DamagedTrace as damage:
            progress.status, progress.damage = "damaged", damage
            return
        if message is None:
            break
        frame = frame_to_answer(message, model, interval.last_scans)
        if frame is None:
            continue
        if not progress.frames_read:
            model.begin_run()
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


def frame_to_answer(
    message: TraceMessage, model: LidarModel, last_scans: Mapping[str, int]
) -> Frame | None:
    """Return a message's frame if the run answers it; else update the model and return None.

    Parameters
    ----------
    message : TraceMessage
        The next message of the run.
    model : LidarModel
        The model.
    last_scans : mapping of str to int
        Number of a scan for each sensor, which is traced although its message is not answered.
    """
    frame = message.frame
    if frame is None:
        model.leave_out_late()
    elif message.role is Role.HEARD:
        model.hear(frame)
    elif message.role is Role.FOLLOWED:
        model.follow(frame, last_scans)
    else:
        return frame
    return None


def _finish(
    folder: RunFolder, model: LidarModel, progress: Progress, described: dict[str, object] | None
) -> RunRecord:
    with without_interrupts():
        try:
            folder.flush()
        finally:
            progress.take_back(folder.unwritten)
            record = run_record(model, progress, described)
            files = folder.finish(record.content())
    return replace(record, files=files)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
