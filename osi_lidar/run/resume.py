# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Resuming of an unfinished run; its complete frames are kept.

A step writes its clouds first, then its SensorData message and tables, then its rows of frames.csv.
So all frames before the last one with rows are complete if their clouds, messages and tables exist.
The files that a killed run was writing have temporary names; they are removed.
"""

from __future__ import annotations

import csv
import json
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from lidar_base.files.json_files import finite_json
from lidar_base.files.own_files import LIST
from lidar_base.files.unfinished import UNFINISHED
from lidar_base.files.whole_files import cause_of, remove
from osi_lidar.errors import OutputError
from osi_lidar.output.frame_table import FRAME_COLUMNS, TABLE_NAME, TABLE_PART
from osi_lidar.output.run_folder import IDENTITY, REPORT_NAME, TABLES_NAME
from osi_lidar.output.sensor_data import earlier_traces, whole_messages
from osi_lidar.output.step_tables import unpacked
from osi_lidar.output.writer import list_files
from osi_lidar.output.writers import wanted_formats
from osi_lidar.run.journal import records
from osi_lidar.run.made_with import changed_files, making_in, versions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from osi_lidar.config import Config
    from osi_lidar.output.frame_table import FrameRows
    from osi_lidar.output.run_folder import RunFolder
    from osi_lidar.run.frame_source import TraceMoment

_EARLIER_TABLE, _EARLIER_TRACE, _EARLIER_TABLES = ".earlier.csv", ".earlier", ".earlier.tables"
_TRACED, _POINTS, _FILE = map(FRAME_COLUMNS.index, ("traced", "points", "file"))


@dataclass(frozen=True, slots=True)
class Kept:
    """The part of an unfinished run that is kept when the run is resumed.

    Attributes
    ----------
    n_frames, points : int
        Number of kept frames, which are the first ones of the run, and number of their points.
    n_unknown : int
        Number of kept frames that may have been made with other versions or files.
    """

    n_frames: int = 0
    points: int = 0
    n_unknown: int = 0


def resume(
    folder: RunFolder,
    moments: Sequence[TraceMoment],
    identity: Mapping[str, object],
    config: Config,
    trace_folder: Path | None,
) -> Kept:
    """Open the folder of an unfinished run, keep its complete frames, and return their counts.

    The last frame in frames.csv may be incomplete, so it is dropped. A folder that is absent or
    empty is not opened, and nothing is kept.

    Parameters
    ----------
    folder : RunFolder
        The folder, not yet open, and made with ``keep``.
    moments : sequence of TraceMoment
        All frames that the whole run answers.
    identity : mapping
        Values by which the unfinished run is recognised as the same run.
    config, trace_folder
        As for `LidarModel`.

    Raises
    ------
    OutputError
        If the folder holds anything but an unfinished part of this run, an input has changed since
        then, or a file cannot be read or written.
    """
    path, kind = folder.path, config.output.sensor_data
    has_tables = any(each.has_tables for each in wanted_formats(config.output))
    try:
        if not path.is_dir() or not any(map(_holds_something, path.iterdir())):
            return Kept()
        _check_same_run(path, identity)
        is_known = _is_made_alike(path, config, trace_folder)
        table = _set_aside(path / _EARLIER_TABLE, [path / TABLE_NAME, path / TABLE_PART])
        trace = None
        if kind != "none":
            trace = _set_aside(path / f"{_EARLIER_TRACE}.{kind}", earlier_traces(path, kind))
        spool = _set_aside(path / _EARLIER_TABLES, [path / TABLES_NAME])
        rows = _whole_frames(path, _rows(table), moments)
        if kind != "none":
            del rows[sum(1 for _ in whole_messages(trace)) :]
        if has_tables:
            del rows[sum(1 for _ in _tables(spool)) :]
        folder.open()
        remove(path / REPORT_NAME)
        messages, earlier = whole_messages(trace), _tables(spool)
        for own, moment in zip(rows, moments, strict=False):
            folder.add(own, next(messages, b""), unpacked(next(earlier, b"")), moment.time_ns)
    except OSError as error:
        raise OutputError(f"{path}: cannot be resumed: {cause_of(error)}") from error
    for file in (table, trace, spool):
        if file is not None:
            remove(file)
    return Kept(len(rows), _points(rows), 0 if is_known else len(rows))


def _points(rows: Sequence[FrameRows]) -> int:
    """Return the number of points in the scans of frames."""
    return sum(int(str(row[_POINTS])) for own in rows for row in own if row[_TRACED] == "1")


def _is_made_alike(path: Path, config: Config, trace_folder: Path | None) -> bool:
    """Return whether all frames of a run were made with the current versions and files.

    False if that is not known: a killed process leaves no run.json. Raise OutputError if a file
    is known to have changed.
    """
    made = None
    with suppress(OSError, ValueError, RecursionError):
        made = making_in(finite_json((path / REPORT_NAME).read_bytes()))
    if made is None:
        return False
    if changed := changed_files(made.files, config, trace_folder):
        raise OutputError(f"{path}: cannot be resumed: {changed[0]} has changed since the run")
    return made.versions == versions() and not made.n_unknown


def _holds_something(path: Path) -> bool:
    """Return False for what a run leaves that is killed at its start: empty and temporary files."""
    if path.is_dir():
        return any(path.iterdir())
    return path.name != LIST and UNFINISHED.fullmatch(path.name) is None


def _check_same_run(path: Path, identity: Mapping[str, object]) -> None:
    """Check that the folder holds an unfinished run of this version, configuration and trace."""
    found: Any = None
    for name in (IDENTITY, REPORT_NAME):
        with suppress(FileNotFoundError, ValueError):
            found = finite_json((path / name).read_text(encoding="utf-8"))
            break
    if not isinstance(found, dict):
        raise OutputError(f"{path}: contains no run to resume, expected a run.json")
    if found.get("status") == "complete":
        raise OutputError(f"{path}: the run is complete, so there is nothing to resume")
    for key, expected in json.loads(json.dumps(identity)).items():
        got, what = found.get(key), key
        if isinstance(expected, dict) and isinstance(got, dict):
            got = {name: value for name, value in got.items() if name in expected}
            parts = [name for name in expected if got.get(name) != expected[name]]
            what = f"{key} ({', '.join(parts)})"
        if got != expected:
            raise OutputError(
                f"{path}: contains a run with another {what}, which cannot be resumed with these "
                "options; --overwrite replaces it"
            )


def _set_aside(name: Path, files: Sequence[Path]) -> Path | None:
    """Keep the largest of the files and of ``name``, under this name; remove the others."""
    found = [file for file in (name, *files) if file.exists()]
    if not found:
        return None
    list_files(name.parent, [name.name])
    best, *others = sorted(found, key=lambda file: file.stat().st_size, reverse=True)
    best = best.replace(name)
    for file in others:
        if file != best:
            file.unlink()
    return best


def _rows(table: Path | None) -> Iterator[list[str]]:
    """Yield the rows of frames.csv up to the first incomplete one."""
    if table is None:
        return
    with table.open(newline="", encoding="utf-8", errors="replace") as file:
        for row in islice(csv.reader(file), 1, None):
            if len(row) != len(FRAME_COLUMNS):
                return
            yield row


def _tables(spool: Path | None) -> Iterator[bytes]:
    """Yield the tables of each complete frame, as bytes."""
    return iter(()) if spool is None else records(spool)


def _whole_frames(
    path: Path, rows: Iterator[list[str]], moments: Sequence[TraceMoment]
) -> list[FrameRows]:
    """Return the rows of each frame, up to the last frame for which all earlier files exist."""
    place = {str(moment.number): n for n, moment in enumerate(moments)}
    found: list[FrameRows] = []
    for row in rows:
        n = place.get(row[0], -1)
        if n < max(len(found) - 1, 0) or (row[_FILE] and not (path / row[_FILE]).is_file()):
            break
        found += [[] for _ in range(n + 1 - len(found))]
        found[n].append(row)
    return found[:-1]  # rows of the last one may be missing
