# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The runs that a data set is made of, and their traces."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from lidar_base.files.shown_paths import shown_values
from osi_lidar.errors import InputError
from osi_lidar.output.run_folder import REPORT_NAME
from osi_lidar.output.stored import open_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from lidar_app.datasets.scene_facts import SceneFacts
    from osi_lidar.output.stored import StoredRun

DEEPEST = 3
"""Depth to which runs are searched below a folder."""
_BLOCK_BYTES = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSource:
    """A run of a data set.

    Attributes
    ----------
    name : str
        Unique name: the name of the run's folder, after names of parent folders if necessary.
    run : StoredRun
        The run, with the chosen sensors.
    trace : str
        Key of the trace: SHA-256 of the file; if the file is gone, the SHA-256 in run.json, else
        the file name. For a run without a trace, the name of the run.
    config : str
        SHA-256 of the run's configuration and seed, hexadecimal.
    tables : Path or None
        Folder of the tables of ground truth; if None, visibility is estimated.
    facts : SceneFacts or None
        Facts of the scene, see `scene_table.with_facts`.
    """

    name: str
    run: StoredRun
    trace: str
    config: str
    tables: Path | None = None
    facts: SceneFacts | None = None


def find_sources(paths: Sequence[Path], sensors: Sequence[str] | None = None) -> list[RunSource]:
    """Return the runs at or below some folders, sorted by name.

    Parameters
    ----------
    paths : sequence of Path
        Folders of runs, or folders that contain runs, as a batch writes them.
    sensors : sequence of str, optional
        Names of the sensors to use; default: all.

    Raises
    ------
    InputError
        If a folder contains no run, or a run is damaged or has no clouds.
    """
    folders = list(dict.fromkeys(each for path in paths for each in _runs_in(path)))
    names = _names(folders)
    digests: dict[Path, str] = {}
    found = []
    for folder in folders:
        run = open_run(folder).chosen(sensors=sensors)
        run.check_clouds()
        trace = _trace_key(run, names[folder], digests)
        found.append(RunSource(name=names[folder], run=run, trace=trace, config=_config_key(run)))
    return sorted(found, key=lambda each: each.name)


def holds_runs(folder: Path) -> bool:
    """Return whether a folder is a run's, or has runs at most `DEEPEST` levels below it.

    `folder` must exist. A run is recognised by its file run.json.
    """
    return (folder / REPORT_NAME).is_file() or next(_below(folder, DEEPEST), None) is not None


def _runs_in(path: Path) -> Iterator[Path]:
    """Yield the folder itself if it is a run, else the runs below it."""
    path = path.resolve()
    if (path / REPORT_NAME).is_file() or not path.is_dir():
        yield path
        return
    found = runs_below(path)
    if not found:
        raise InputError(f"{path}: contains no run, expected folders with {REPORT_NAME}, or traces")
    yield from found


def runs_below(folder: Path) -> list[Path]:
    """Return the folders of runs at most `DEEPEST` levels below a folder, sorted.

    Hidden folders, and the inside of runs, are not searched. If the path is not a folder, the list
    is empty.
    """
    return sorted(_below(folder, DEEPEST)) if folder.is_dir() else []


def _below(folder: Path, depth: int) -> Iterator[Path]:
    """Yield the folders of runs below a folder, down to a depth."""
    for each in folder.iterdir():
        if not each.is_dir() or each.name.startswith("."):
            continue
        if (each / REPORT_NAME).is_file():
            yield each
        elif depth > 1:
            yield from _below(each, depth - 1)


def _names(folders: Iterable[Path]) -> dict[Path, str]:
    """Return a unique name for each folder, made of as few path parts as possible."""
    names: dict[Path, str] = {}
    rest, n_parts = list(folders), 1
    while rest:
        told = {each: "_".join(each.parts[1:][-n_parts:]) for each in rest}
        counts = [*told.values(), *names.values()]
        done = {each: name for each, name in told.items() if counts.count(name) == 1}
        names |= done if n_parts <= max(len(each.parts) for each in rest) else told
        rest = [each for each in rest if each not in names]
        n_parts += 1
    return names


def _trace_key(run: StoredRun, name: str, digests: dict[Path, str]) -> str:
    """Return the key of a run's trace; hashes in `digests` are not computed again."""
    path = run.trace
    if path is None:
        return name
    if path not in digests:
        try:
            digests[path] = digest_of(path)
        except OSError:
            described = run.report.get("input")
            known = described.get("sha256") if isinstance(described, dict) else None
            digests[path] = known if isinstance(known, str) else path.name
    return digests[path]


def _config_key(run: StoredRun) -> str:
    """Return the hash of the configuration of a run, and of its seed."""
    told = {key: shown_values(run.report.get(key)) for key in ("config", "seed")}
    return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def digest_of(path: Path) -> str:
    """Return the SHA-256 of the file at `path`, hexadecimal; OSError if it cannot be read."""
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()
