# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Go on with a run that was cut: what it has written whole is kept.

A step writes its clouds first, then its SensorData message, then its rows of frames.csv. So the
frames before the last one that has rows are whole, as far as their clouds and messages are there.
What a killed run was writing has a temporary name; it is removed.
"""

from __future__ import annotations

import csv
import json
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from osi_bridge import DamagedTrace, TraceError, open_trace
from osi_lidar.errors import OutputError
from osi_lidar.output.files import TEMPORARY, remove
from osi_lidar.output.run_folder import FRAME_COLUMNS, IDENTITY, TABLE_PART

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from osi_lidar.output.run_folder import Rows, RunFolder
    from osi_lidar.run.frame_source import Moment

_EARLIER_TABLE, _EARLIER_TRACE = ".earlier.csv", ".earlier"
_TRACED, _POINTS, _FILE = map(FRAME_COLUMNS.index, ("traced", "points", "file"))


@dataclass(frozen=True, slots=True)
class Kept:
    """What is there of an earlier run: so many frames from its first one, and their points."""

    n_frames: int = 0
    points: int = 0


def resume(
    folder: RunFolder, moments: Sequence[Moment], identity: Mapping[str, object], kind: str
) -> Kept:
    """Open a run's folder with the frames that an earlier run has finished in it.

    Parameters
    ----------
    folder : RunFolder
        Not yet open, and told to keep what it holds.
    moments : sequence of Moment
        All frames of the run.
    identity : mapping
        What tells this run from others.
    kind : str
        Of the SensorData trace: "osi", "mcap" or "none".

    Raises
    ------
    OutputError
        If the folder holds something else than this run, or the whole of it.
    """
    path = folder.path
    try:
        if not path.is_dir() or not any(map(_holds_something, path.iterdir())):
            return Kept()
        _check_same_run(path, identity)
        table = _set_aside(path, _EARLIER_TABLE, ["frames.csv", TABLE_PART])
        trace = None
        if kind != "none":
            patterns = [f"*_sd_*.{kind}", f"unfinished_*.{kind}.part"]
            trace = _set_aside(path, f"{_EARLIER_TRACE}.{kind}", patterns)
        rows = _whole_frames(path, _rows(table), moments)
        if kind != "none":
            del rows[sum(1 for _ in _messages(trace)) :]
        folder.open()
        remove(path / "run.json")
        messages = _messages(trace)
        for own, moment in zip(rows, moments, strict=False):
            folder.add(own, next(messages, b""), moment.time_ns)
    except OSError as error:
        raise OutputError(f"{path}: cannot be resumed: {error.strerror or error}") from error
    for earlier in (table, trace):
        if earlier is not None:
            remove(earlier)
    points = sum(int(str(row[_POINTS])) for own in rows for row in own if row[_TRACED] == "1")
    return Kept(len(rows), points)


def _holds_something(path: Path) -> bool:
    """Return whether there is more than a run leaves that is killed before it has begun."""
    return any(path.iterdir()) if path.is_dir() else TEMPORARY.fullmatch(path.name) is None


def _check_same_run(path: Path, identity: Mapping[str, object]) -> None:
    """Refuse to go on with what another version, configuration or trace has begun."""
    found: Any = None
    for name in (IDENTITY, "run.json"):
        with suppress(FileNotFoundError, ValueError):
            found = json.loads((path / name).read_text(encoding="utf-8"))
            break
    if not isinstance(found, dict):
        raise OutputError(f"{path}: holds no run that can be resumed, expected its run.json")
    if found.get("status") == "complete":
        raise OutputError(f"{path}: the run is complete, nothing is left to resume")
    for key, expected in json.loads(json.dumps(identity)).items():
        got = found.get(key)
        if isinstance(expected, dict) and isinstance(got, dict):
            got = {name: value for name, value in got.items() if name in expected}
        if got != expected:
            raise OutputError(
                f"{path}: the run in it has another {key}, only the same run can be resumed"
            )


def _set_aside(path: Path, name: str, patterns: Sequence[str]) -> Path | None:
    """Keep the largest file under a name of its own, remove the others."""
    files = [path / name] if (path / name).exists() else []
    files += [file for pattern in patterns for file in path.glob(pattern)]
    if not files:
        return None
    best, *others = sorted(files, key=lambda file: file.stat().st_size, reverse=True)
    best = best.replace(path / name)
    for file in others:
        if file != best:
            file.unlink()
    return best


def _rows(table: Path | None) -> Iterator[list[str]]:
    """Give the rows of frames.csv; one that is cut short is the last."""
    if table is None:
        return
    with table.open(newline="", encoding="utf-8", errors="replace") as file:
        for row in islice(csv.reader(file), 1, None):
            if len(row) != len(FRAME_COLUMNS):
                return
            yield row


def _whole_frames(path: Path, rows: Iterator[list[str]], moments: Sequence[Moment]) -> list[Rows]:
    """Return the rows of each frame, up to the last one before which all is there."""
    place = {str(moment.number): n for n, moment in enumerate(moments)}
    found: list[Rows] = []
    for row in rows:
        n = place.get(row[0], -1)
        if n < len(found) - 1 or (row[_FILE] and not (path / row[_FILE]).is_file()):
            break
        found += [[] for _ in range(n + 1 - len(found))]
        found[n].append(row)
    return found[:-1]  # the last one may lack rows


def _messages(trace: Path | None) -> Iterator[bytes]:
    """Give the whole messages of a SensorData trace, finished or not."""
    if trace is None:
        return
    with suppress(DamagedTrace, TraceError):
        for raw in open_trace(trace, message_type="SensorData"):
            yield raw.data
