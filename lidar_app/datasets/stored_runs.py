# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs in object storage, which are copied to this machine to make a data set."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from lidar_app.batch.addresses import base_name, joined, names_trace, protocol
from lidar_app.batch.files import StoredFiles, files_at
from lidar_app.batch.outputs import MANIFEST
from lidar_app.batch.table import RUN_MARK, names_jobs
from lidar_app.datasets.sources import DEEPEST
from lidar_base.files.json_files import finite_json
from lidar_base.files.whole_files import make_folder
from osi_lidar.errors import InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lidar_app.batch.inputs import Inputs

_GIGABYTE = 1e9


class BucketRun(NamedTuple):
    """A run in object storage.

    Attributes
    ----------
    address : str
        Address of the folder of the run.
    name : str
        Path of the run, starting with the last part of the address that was searched.
    n_byte : dict of str to int
        Sizes of all files of the run except OSI traces, by their path in the run. [bytes]
    """

    address: str
    name: str
    n_byte: Mapping[str, int]


def runs_stored_at(address: str) -> list[BucketRun]:
    """Return the runs at an address in object storage, at most `DEEPEST` folders below it.

    The list is empty if the address is local, names jobs, or has no runs.

    Raises
    ------
    InputError
        If a file has a name that is not possible here, or a run that a batch wrote is incomplete.
    """
    if not protocol(address) or names_jobs(address.partition("://")[2]):
        return []
    files = files_at(address)
    sizes = {name: each.size for name, each in files.below(address).items()}
    marks = [PurePosixPath(name) for name in sizes if base_name(f"/{name}") == RUN_MARK]
    folders: list[PurePosixPath] = []
    for folder in sorted((each.parent for each in marks), key=lambda each: len(each.parts)):
        is_hidden = any(part.startswith(".") for part in folder.parts)
        is_inner = any(each in folders for each in (folder, *folder.parents))
        if len(folder.parts) <= DEEPEST and not is_hidden and not is_inner:
            folders.append(folder)
    return [_stored(address, folder, sizes) for folder in sorted(folders)]


def _stored(address: str, folder: PurePosixPath, sizes: Mapping[str, int]) -> BucketRun:
    """Return the run in a folder below an address, without its OSI traces."""
    start = "" if folder == PurePosixPath() else f"{folder}/"
    place = joined(address, str(folder)) if start else address.rstrip("/")
    own = {
        name.removeprefix(start): size
        for name, size in sizes.items()
        if name.startswith(start) and not names_trace(name)
    }
    for name in own:
        if "\\" in name or not {".", "..", ""}.isdisjoint(name.split("/")):
            raise InputError(f"{place}: contains {name!r}, expected names without .. and backslash")
    expected = _json(place, MANIFEST).get("files") if MANIFEST in own else None
    for name, each in (expected if isinstance(expected, dict) else {}).items():
        size = each.get("bytes") if isinstance(each, dict) else None
        if not names_trace(name) and own.get(name) != size:
            raise InputError(
                f"{place}: {name} is missing or has another size than {MANIFEST} lists"
            )
    return BucketRun(place, joined(base_name(address.rstrip("/")), str(folder)), own)


def copied(runs: Sequence[BucketRun], folder: Path, inputs: Inputs) -> list[Path]:
    """Copy runs and their traces into a folder, and return the folder of each copied run.

    A trace in the same storage is copied with the meshes beside it, once even if several runs use
    it; run.json of the copied run then names the copied trace. A trace that is gone, or in another
    storage, is not copied.

    Parameters
    ----------
    runs : sequence of BucketRun
        The runs.
    folder : Path
        Folder for the copies.
    inputs : Inputs
        Copies the traces to this machine.

    Raises
    ------
    InputError
        If a file cannot be read.
    OutputError
        If there is no room for the copies.
    """
    if not runs:
        return []
    make_folder(folder)
    reports = [_json(run.address, RUN_MARK) for run in runs]
    traces = [_trace_of(run, report) for run, report in zip(runs, reports, strict=True)]
    _check_room(folder, runs, filter(None, traces))
    places: dict[str, Path] = {}
    for trace in dict.fromkeys(filter(None, traces)):
        known = inputs.trace(trace, None)
        places[trace] = inputs.placed_in(known, folder / "traces" / str(len(places)))
    found = []
    for number, run in enumerate(runs):
        found.append(folder / f"{number:05d}" / run.name)
        _copy(run, found[-1], reports[number], places.get(traces[number]))
    return found


def _copy(run: BucketRun, folder: Path, report: dict[str, object], trace: Path | None) -> None:
    """Copy the files of a run; write the copied trace, if any, into its run.json."""
    files = StoredFiles(run.address)
    for name in run.n_byte:
        files.get(joined(run.address, name), folder / name)
    if trace is not None:
        report["input"] = {**_input_of(report), "file": str(trace)}
        (folder / RUN_MARK).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _check_room(folder: Path, runs: Iterable[BucketRun], traces: Iterable[str]) -> None:
    """Check that a disk has room for the copies."""
    seen = (files_at(each).stamp_of(each) for each in set(traces))
    needed = sum(sum(run.n_byte.values()) for run in runs) + sum(each.size for each in seen if each)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise OutputError(
            f"{folder.parent.parent}: copies of the runs need {needed / _GIGABYTE:.3g} GB, but "
            f"only {free / _GIGABYTE:.3g} GB are free"
        )


def _trace_of(run: BucketRun, report: Mapping[str, object]) -> str:
    """Return the address of a run's trace in the same storage, an empty text if there is none."""
    address = _input_of(report).get("file")
    if not isinstance(address, str) or protocol(address) != protocol(run.address):
        return ""
    return "" if files_at(address).stamp_of(address) is None else address


def _input_of(report: Mapping[str, object]) -> Mapping[str, object]:
    described = report.get("input")
    return described if isinstance(described, dict) else {}


def _json(address: str, name: str) -> dict[str, object]:
    """Return the object in a JSON file; empty if damaged, as a later reader reports that."""
    content = files_at(address).read(joined(address, name)) or b""
    with suppress(ValueError):
        found = finite_json(content)
        return found if isinstance(found, dict) else {}
    return {}
