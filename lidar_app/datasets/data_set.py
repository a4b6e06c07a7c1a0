# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A data set as a whole: its runs, classes and splits, and how it is written."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lidar_app.datasets.card import write_card
from lidar_app.datasets.class_map import read_class_map
from lidar_app.datasets.record import LAYOUTS, DataSet
from lidar_app.datasets.scene_table import with_facts, write_scenes
from lidar_app.datasets.scenes import Counts, DataScene
from lidar_app.datasets.sources import digest_of, find_sources
from lidar_app.datasets.splits import SPLITS, split_of_traces
from lidar_app.datasets.tables import with_tables
from lidar_app.exports.export_run import (
    check_free,
    completed,
    files_of,
    write_manifest,
)
from lidar_base.files.whole_files import check_apart
from lidar_base.given import given

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from types import ModuleType
    from typing import TypeAlias

    from lidar_app.datasets.class_map import ClassMap
    from lidar_app.datasets.record import SetRequest
    from lidar_app.datasets.sources import RunSource
    from lidar_app.datasets.tables import Watched
    from osi_lidar.output.stored import StoredScan

    Counted: TypeAlias = Callable[[Sequence[StoredScan]], Iterable[StoredScan]]


class SetProgress(NamedTuple):
    """Functions that show progress, such as progress bars.

    Attributes
    ----------
    counted : callable
        Takes a sequence of scans; returns an iterable of them that shows progress.
    watched : callable
        Takes the results (`Written`) of writing tables of ground truth, in the order of the runs,
        and their number; returns an iterable of the results that shows progress.
    """

    counted: Counted = iter
    watched: Watched = lambda each, _: each


_SILENT = SetProgress()


class SetWriter(Protocol):
    """Interface of the writers of data sets; each writes one layout."""

    def add(self, scene: DataScene, split: str, counted: Counted) -> None:
        """Write the scans of a scene into a split.

        `counted` takes the scans and returns an iterable of them that shows progress.
        """

    def finish(self) -> None:
        """Write the files that all scenes share, after the last scene."""


def write_data_set(
    runs: Sequence[Path],
    wanted: SetRequest,
    out: Path,
    *,
    overwrite: bool = False,
    shown: SetProgress = _SILENT,
) -> DataSet:
    """Write a data set from runs, and return its record.

    Runs that lack tables of ground truth are traced again, and the tables are written beside them
    if possible. This is left out if the request asks for estimated visibility, or pyarrow is not
    installed.

    Parameters
    ----------
    runs : sequence of Path
        Folders of runs, or folders that contain runs.
    wanted : SetRequest
        The request for the data set: layout, splits, classes and sensors.
    out : Path
        Folder of the data set, which is written completely or not at all.
    overwrite : bool
        Whether an earlier data set or export at `out` is replaced.
    shown : SetProgress
        Functions that show progress.

    Raises
    ------
    InputError
        If a run or the class map cannot be used.
    OutputError
        If the output exists and is not an empty folder (with `overwrite`: if it holds other files),
        or cannot be written.
    """
    sources = with_facts(find_sources(runs, wanted.sensors))
    materials = {name for each in sources for name in each.run.materials}
    classes = read_class_map(wanted.classes or LAYOUTS[wanted.form].classes, sorted(materials))
    check_apart([out], [path for each in sources for path in (each.run.folder, *each.run.files)])
    check_free(out, is_folder=True, overwrite=overwrite)
    with with_tables(sources, wanted, shown.watched) as tabled, completed(out) as path:
        path.mkdir()
        made = replace(_write_scenes(path, wanted, classes, tabled, shown.counted), path=out)
        write_card(made, _module(wanted.form).USE, path)
        write_manifest(path, made.content)
        check_free(out, is_folder=True, overwrite=overwrite)  # may have changed
    return made


def _write_scenes(
    path: Path,
    wanted: SetRequest,
    classes: ClassMap,
    sources: Sequence[RunSource],
    counted: Counted,
) -> DataSet:
    """Write all scenes into a folder."""
    splits = split_of_traces((each.trace for each in sources), wanted.shares, wanted.seed)
    counts = {name: Counts() for name in SPLITS}
    writer, estimated, rows = _writer(wanted.form, path, classes), [], []
    for source in sources:
        scene = DataScene(source, classes, when=wanted.when)
        split = splits[source.trace]
        writer.add(scene, split, counted)
        counts[split].add(scene.counts)
        own = scene.counts
        rows.append((given(source.facts), split, (own.scans, own.points, own.boxes.total())))
        if source.tables is None:
            estimated.append(source.name)
    writer.finish()
    write_scenes(path, rows)
    return DataSet(
        path=path,
        wanted=wanted,
        classes=classes,
        sources=tuple(sources),
        splits=splits,
        counts=counts,
        estimated=tuple(estimated),
        digest=_digest(path),
    )


def _writer(form: str, path: Path, classes: ClassMap) -> SetWriter:
    """Return the writer of a layout."""
    made: SetWriter = getattr(_module(form), LAYOUTS[form].writer)(path, classes)
    return made


def _module(form: str) -> ModuleType:
    return import_module(f"lidar_app.datasets.formats.{form}")


def _digest(folder: Path) -> str:
    """Return the SHA-256 of the names and contents of all files, hexadecimal."""
    digest = sha256()
    for file in files_of(folder):
        digest.update(f"{digest_of(file)}  {file.relative_to(folder).as_posix()}\n".encode())
    return digest.hexdigest()
