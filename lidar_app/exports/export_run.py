# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts that all exports share: choice of scans, output path, and library of a format."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from lidar_base.files.own_files import check_whole
from lidar_base.files.unfinished import left_behind, remove_tree, unfinished_name
from lidar_base.files.whole_files import cause_of, check_apart, has_room, make_folder
from osi_lidar.errors import InputError, OutputError
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import ModuleType

    from osi_lidar.output.stored import StoredRun, StoredScan, StoredSensor

MANIFEST = "export.json"
"""File in an exported folder that lists its content."""
_EARLIER = ".earlier"  # suffix of the replaced export, until the new one is in place


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """A run to export, and the path to write; the argument of the writers of all formats.

    Attributes
    ----------
    run : StoredRun
        The run, with the chosen sensors and frames only.
    scans : iterable of StoredScan
        The scans to write, in the order of frames.csv.
    path : Path
        The file or folder to write: a temporary path that does not exist yet.
    """

    run: StoredRun
    scans: Iterable[StoredScan]
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """A format of exports, and its writer.

    Attributes
    ----------
    name : str
        Name on the command line.
    write : callable
        Takes an `Export`, and writes it.
    is_folder : bool
        Whether the output is a folder; else it is one file.
    repeats : bool
        Whether a scan that repeats an earlier scan's cloud is written, for formats that are played.
    """

    name: str
    write: Callable[[Export], None]
    is_folder: bool = False
    repeats: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A finished export.

    Attributes
    ----------
    path : Path
        The file or folder that was written.
    n_scans, n_points : int
        Numbers of scans and points in it.
    n_bytes : int
        Size of its files without the manifest. [bytes]
    """

    path: Path
    n_scans: int
    n_points: int
    n_bytes: int


def export_run(
    run: StoredRun,
    form: ExportFormat,
    out: Path,
    *,
    overwrite: bool = False,
    counted: Callable[[Sequence[StoredScan]], Iterable[StoredScan]] = iter,
) -> Exported:
    """Write a run in another format; return path, size, and numbers of scans and points.

    Parameters
    ----------
    run : StoredRun
        The run, with the chosen sensors and frames only.
    form : ExportFormat
        The format.
    out : Path
        The file or folder to write, completely or not at all.
    overwrite : bool
        Whether an earlier export at `out` is replaced.
    counted : callable
        Takes the scans; returns an iterable of them that shows progress.

    Raises
    ------
    InputError
        If the run has no clouds, or one cannot be read.
    OutputError
        If the output exists, or cannot be written.
    """
    run.check_clouds()
    check_apart([out], run.files)
    check_free(out, is_folder=form.is_folder, overwrite=overwrite)
    scans = list(run.scans) if form.repeats else distinct(run.scans)
    with completed(out) as path:
        n_bytes = _write(form, Export(run=run, scans=counted(scans), path=path))
        check_free(out, is_folder=form.is_folder, overwrite=overwrite)  # may have changed
    n_points = sum(scan.row.points for scan in scans)
    return Exported(path=out, n_scans=len(scans), n_points=n_points, n_bytes=n_bytes)


def _write(form: ExportFormat, export: Export) -> int:
    """Write a format, and return its size without the manifest [bytes]."""
    form.write(export)
    n_bytes = sum(each.stat().st_size for each in files_of(export.path))
    if form.is_folder:
        _describe(form, export.run, export.path)
    return n_bytes


def library(name: str, extra: str) -> ModuleType:
    """Import the module `name` of a library that an extra of osi-lidar installs; return it.

    Raises
    ------
    OutputError
        If the library is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise OutputError(
            f"{package} is not installed: pip install 'osi-lidar[{extra}]'"
        ) from error


@contextmanager
def failures_as_os_error(*kinds: type[Exception]) -> Iterator[None]:
    """Turn exceptions of some classes in a block into OSError, with the first line of the text."""
    try:
        yield
    except kinds as error:
        raise OSError(str(error).strip().partition("\n")[0]) from error


def only_sensor(run: StoredRun, what: str) -> StoredSensor:
    """Return the only sensor of a run, for a format that holds one; `what` names its output.

    Raises
    ------
    InputError
        If the run has several sensors.
    """
    if len(run.sensors) != 1:
        names = ", ".join(each.name for each in run.sensors)
        raise InputError(
            f"{run.folder}: has the sensors {names}, {what} holds one; choose it by --sensor NAME"
        )
    return run.sensors[0]


def distinct(scans: Iterable[StoredScan]) -> list[StoredScan]:
    """Return the scans without those that repeat the cloud of an earlier scan."""
    return list({scan.path: scan for scan in reversed(list(scans))}.values())[::-1]


def check_free(out: Path, *, is_folder: bool, overwrite: bool) -> None:
    """Check that an output may be written: the path does not exist, or is an empty folder.

    An empty folder is allowed if the output is a folder. With `overwrite`, any file may be
    replaced, but a folder only if its manifest lists all files in it.

    Parameters
    ----------
    out : Path
        The file or folder.
    is_folder : bool
        Whether the output is a folder; else it is a file.
    overwrite : bool
        Whether an existing output may be replaced.

    Raises
    ------
    OutputError
        If the output must not be written.
    """
    kind = "a folder" if is_folder else "a file"
    if not out.name:
        raise OutputError(f"{out}: expected the name of {kind}")
    if not out.exists():
        return
    if out.is_dir() != is_folder or not (out.is_file() or out.is_dir()):
        got = "a folder" if out.is_dir() else "a file" if out.is_file() else "a device or a pipe"
        raise OutputError(f"{out}: is {got}, expected the name of {kind}")
    if is_folder and not any(out.iterdir()):
        return
    if not overwrite:
        raise OutputError(f"{out}: exists; give --overwrite to replace an earlier export")
    if is_folder:
        check_whole(out, MANIFEST, what="export")


def files_of(path: Path) -> list[Path]:
    """Return the path itself if it is a file, else all files below it, sorted."""
    return [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())


def _describe(form: ExportFormat, run: StoredRun, folder: Path) -> None:
    """Write the manifest of an exported folder, with the names of materials by id."""
    content = {
        "format": form.name,
        "version": __version__,
        "run": run.folder.name,
        "sensors": [each.name for each in run.sensors],
        "materials": list(run.materials),
    }
    write_manifest(folder, content)


def write_manifest(folder: Path, content: Mapping[str, object]) -> None:
    """Write export.json, the manifest of a folder: `content`, and the names of all its files.

    A later export may replace the folder as long as it holds only these files.
    """
    names = [each.relative_to(folder).as_posix() for each in files_of(folder)]
    text = json.dumps({**content, "files": names}, indent=2) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


@contextmanager
def completed(out: Path) -> Iterator[Path]:
    """Yield a temporary path for an output; move the output to `out` if the block succeeds.

    The block writes a file or folder to the temporary path. An earlier file or folder at `out` is
    replaced, but stays if the block fails. The parent folder is made if necessary. Raise
    OutputError if the output cannot be written.
    """
    make_folder(out.parent)
    _clear(out)
    work = out.parent / unfinished_name(out.name)
    earlier = work / f"{out.name}{_EARLIER}"
    try:
        work.mkdir()
        yield work / out.name
        if out.is_dir():
            out.rename(earlier)
        (work / out.name).replace(out)
    except OSError as error:
        words = cause_of(error)
        if not (error.strerror or "disk" in words or has_room(work)):
            words = f"the disk is full: {words}"  # the library does not say so
        raise OutputError(f"{out}: cannot be written: {words}") from error
    except OutputError as error:
        raise OutputError(str(error).replace(f"{work / out.name}", f"{out}")) from error
    finally:
        if earlier.exists() and not out.exists():  # the new output did not get its place
            earlier.rename(out)
        remove_tree(work)


def _clear(out: Path) -> None:
    """Remove leftovers of killed processes; restore an earlier output without a successor."""
    with suppress(OSError):
        for left in left_behind(out.parent, out.name):
            earlier = left / f"{out.name}{_EARLIER}"
            if earlier.exists() and not out.exists():
                earlier.rename(out)
            remove_tree(left)
