# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of ground truth of a run: written during a replay, or after the run has ended."""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from lidar_app.truth.model import TruthModel
from lidar_app.truth.tables import BOXES, SCANS, TruthTables
from lidar_base.files.own_files import check_names, remove_own
from lidar_base.files.whole_files import cause_of
from osi_bridge import OsiError
from osi_lidar.config import Config
from osi_lidar.errors import InputError, OutputError
from osi_lidar.output.parquet_file import NO_PARQUET, is_parquet_missing
from osi_lidar.output.stored import open_run
from osi_lidar.output.writer import RUN, list_files
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.intervals import intervals
from osi_lidar.run.replay import answer, describe, prepare, swept_ground_m, take
from osi_lidar.run.report import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from osi_lidar.output.stored import StoredRun
    from osi_lidar.run.frame_source import TraceMessage
    from osi_lidar.run.report import Report
    from osi_lidar.scan.step import Step

TABLES = (BOXES, SCANS)
_TABLES = re.compile("|".join(map(re.escape, TABLES)))
_ANOTHER = "the trace, a mesh or osi-lidar has changed since the run; run again"


def replay_with_truth(
    source: FrameSource,
    config: Config,
    out: Path,
    *,
    overwrite: bool = False,
    on_step: Callable[[Progress], bool] = lambda _: True,
) -> Report:
    """Replay a trace into a folder, with boxes.parquet and scans.parquet beside the clouds.

    These tables hold the same frames as the run. They are complete before run.json is written,
    unless `on_step` or an error in a step ends the run. All other files equal the files of
    `replay`, except for times in run.json.

    Parameters
    ----------
    source : FrameSource
        The trace.
    config : Config
        Configuration of the run.
    out : Path
        The folder to write into; it is new or empty, unless ``overwrite`` is True.
    overwrite : bool
        Whether an earlier run in the folder is replaced.
    on_step : callable
        Called after every step; if it returns False, the run ends there, with complete files.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError
        If an input cannot be used, or pyarrow is not installed.
    """
    if is_parquet_missing():
        raise OutputError(NO_PARQUET)
    described = describe(source)
    folder, _, (interval,) = prepare(
        source, config, out, described, overwrite=overwrite, go_on=False
    )
    model = _model_of(config, source)
    check_names(out, _TABLES, RUN)
    model.tables = TruthTables(out, config)
    with _closed_by_errors(model.tables):
        messages = _closing(source.messages(), model.tables)
        progress = Progress(interval=interval)
        report = answer(messages, model, folder, on_step, described, progress)
    model.tables.close()
    return report


def has_truth(folder: Path) -> bool:
    """Return whether a folder has both tables of ground truth, boxes.parquet and scans.parquet."""
    return all((folder / name).is_file() for name in TABLES)


def remove_truth(folder: Path) -> None:
    """Remove the tables of ground truth of an earlier run from a folder.

    Raises
    ------
    OutputError
        If a table cannot be removed.
    """
    remove_own(folder, RUN, *TABLES)


def write_truth(
    run_folder: Path,
    out: Path | None = None,
    *,
    trace: Path | None = None,
    after_step: Callable[[], object] = lambda: None,
) -> None:
    """Write the tables of ground truth of a run that has ended, by running it again.

    The tables are boxes.parquet and scans.parquet.

    Parameters
    ----------
    run_folder : Path
        The folder of the run, which must be a replay.
    out : Path, optional
        Folder of the tables; default: the folder of the run.
    trace : Path, optional
        Path of the trace, if it has moved; default: the path in run.json.
    after_step : callable
        Called after each step. If it raises an error, the work ends, and nothing is written.

    Raises
    ------
    InputError
        If the run was not a replay, or its trace or configuration is gone or has changed since.
    OutputError
        If a table cannot be written.
    """
    run = open_run(run_folder)
    config, source = _config_of(run), _source_of(run, run.trace if trace is None else trace)
    model = _model_of(config, source)
    (interval,) = intervals(source.moments(), config)
    check, n_frames = _same_points(run, after_step), run.report.get("frames_read")
    on_step = _until(n_frames if isinstance(n_frames, int) else None)
    with _complete_or_absent(run.folder if out is None else out) as folder:
        model.tables = TruthTables(folder, config)
        with _closed_by_errors(model.tables):
            take(source.messages(), model, check, on_step, Progress(interval=interval))
        model.tables.close()


def _same_points(run: StoredRun, after_step: Callable[[], object]) -> Callable[[Step], None]:
    """Return a function that checks that scans of a step have as many points as in the run."""
    rows = {(row.frame, row.sensor, row.end_ns): row.points for row in run.rows}

    def check(step: Step) -> None:
        for scan in step.scans:
            expected = rows.get((step.index, scan.sensor, scan.end_ns))
            if expected != len(scan.cloud):
                raise InputError(
                    f"{run.folder}: frame {step.index} of {scan.sensor}: traced again, it has "
                    f"{len(scan.cloud)} points, but the run has {expected}: {_ANOTHER}"
                )
        after_step()

    return check


@contextmanager
def _complete_or_absent(target: Path) -> Iterator[Path]:
    """Yield a temporary folder for the tables; move them to the target if nothing fails."""
    check_names(target, _TABLES, RUN)
    try:
        target.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".truth.", suffix=".part", dir=target) as part:
            yield Path(part)
            list_files(target, TABLES)
            for name in TABLES:
                (Path(part) / name).replace(target / name)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {cause_of(error)}") from error


def _until(n_frames: int | None) -> Callable[[Progress], bool]:
    """Return a callback that ends a run after `n_frames` frames, or never if None."""
    return lambda progress: n_frames is None or progress.frames_read < n_frames


def _model_of(config: Config, source: FrameSource) -> TruthModel:
    return TruthModel(
        config, trace_folder=source.path.parent, swept_m=swept_ground_m(config, source)
    )


@contextmanager
def _closed_by_errors(tables: TruthTables) -> Iterator[None]:
    """Close the tables if the block fails, with the frames up to then, as the run does."""
    try:
        yield
    except BaseException:
        with suppress(OutputError):
            tables.close()
        raise


def _closing(messages: Iterator[TraceMessage], tables: TruthTables) -> Iterator[TraceMessage]:
    """Yield messages; close the tables after the last one, before the run itself ends."""
    try:
        yield from messages
    finally:
        tables.close()


def _config_of(run: StoredRun) -> Config:
    try:
        return Config.model_validate(run.report.get("config"))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(
            f"{run.folder}: run.json: config.{place}: {first['msg']}; {_ANOTHER}"
        ) from error


def _source_of(run: StoredRun, trace: Path | None) -> FrameSource:
    """Return the trace of a run, limited to the frames of the run."""
    if trace is None:
        raise InputError(f"{run.folder}: is a run without a trace, expected the folder of a replay")
    if not trace.is_file():
        raise InputError(
            f"{trace}: no such file, but the run {run.folder} was made from this trace; put it back"
        )
    try:
        described = TypeAdapter(_Input).validate_python(run.report.get("input"))
    except ValidationError as error:
        raise InputError(f"{run.folder}: run.json: input: is damaged; run again") from error
    try:
        source = FrameSource(
            trace,
            message_type=described.message_type,
            host_id=described.host_id,
            frames=slice(*described.frames),
            source=described.source,
        )
    except OsiError as error:
        raise InputError(str(error)) from error
    if describe(source)["sha256"] != described.sha256:
        raise InputError(f"{trace}: {_ANOTHER}")
    return source


@dataclass(frozen=True)
class _Input:
    """Entry for the trace in run.json."""

    sha256: str
    message_type: str
    frames: tuple[int, int | None, int]
    host_id: int | None = None
    source: str | None = None
