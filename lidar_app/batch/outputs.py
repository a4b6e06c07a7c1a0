# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The outputs of a job: written in a private folder, then moved to their final address.

``job.json`` names the job, the version of osi-lidar and the files; ``run.json`` marks complete
outputs. A local folder is renamed as a whole; object storage receives ``run.json`` last. So two
processes may do the same job without locks: one of two equal results stays.
"""

from __future__ import annotations

import csv
import json
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.batch.addresses import base_name, joined, protocol
from lidar_app.batch.contents import hash_of, hash_of_words
from lidar_app.batch.files import LocalFiles, StoredFiles, files_at
from lidar_app.batch.table import RUN_MARK
from lidar_base.files.json_files import finite_json
from lidar_base.files.own_files import LIST, check_whole, foreign_in
from lidar_base.files.unfinished import left_behind, remove_left, remove_tree, unfinished_name
from lidar_base.files.whole_files import cause_of, remove, replacing
from osi_bridge import trace_start
from osi_lidar.errors import OutputError
from osi_lidar.output.frame_table import TABLE_NAME
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MANIFEST = "job.json"
_EARLIER = "earlier"  # key of job.json during an upload: the objects that were there before
_ASIDE = ".old"  # suffix of outputs that are being replaced
_TIME_IN_NAME = re.compile(r"^\d{8}T\d{6}Z_")


@dataclass(frozen=True, slots=True)
class Finished:
    """The complete outputs of a job.

    Attributes
    ----------
    report : mapping of str to object
        Content of ``run.json``.
    outputs_sha256 : str
        SHA-256 hash over names and contents of the other files, without ``job.json``.
    names : frozenset of str
        Names of these other files.
    """

    report: Mapping[str, object]  # content of run.json
    outputs_sha256: str  # hash over names and contents of the other files
    names: frozenset[str]  # names of the other files


def finished(address: str, job: str) -> Finished | None:
    """Return the outputs of a job if they are complete, else None.

    They are complete if ``run.json`` and the ``job.json`` of this job exist, and each file that
    ``job.json`` lists has the listed size.

    Parameters
    ----------
    address : str
        Address of the outputs.
    job : str
        Name of the job; outputs of another job do not count.
    """
    files = files_at(address)
    report, manifest = (_json(files.read(joined(address, each))) for each in (RUN_MARK, MANIFEST))
    expected = manifest.get("files")
    if manifest.get("job") != job or not report or not isinstance(expected, dict):
        return None
    found = {name: seen.size for name, seen in files.below(address).items()}
    if any(found.get(name) != each.get("bytes") for name, each in expected.items()):
        return None
    return Finished(report, str(manifest.get("outputs_sha256")), frozenset(expected))


def work_folder(work: Path, name: str) -> tuple[Path, bool]:
    """Return this process's folder for unfinished outputs ``name``, and whether it exists already.

    If a killed process has left such a folder, it is renamed to this process's folder, so that its
    run can be resumed. Other folders that killed processes have left for `name` are removed. The
    folders of running processes stay. All these folders lie in `work`.
    """
    own = work / unfinished_name(name)
    remove_left(work, f"{name}{_ASIDE}")
    with suppress(OSError):
        for path in left_behind(work, name):
            if own.exists():
                remove_tree(path)
                continue
            with suppress(OSError):  # another process was faster
                path.rename(own)
    return own, own.exists()


def check_replaceable(address: str) -> None:
    """Check that nothing exists at an address of outputs but files that a batch has written.

    Raise OutputError if another file is there; nothing is removed.
    """
    if not protocol(address):
        place = Path(address)
        if place.is_dir() or place.is_symlink():
            check_whole(place, MANIFEST, RUN_MARK, what="batch")
        elif place.exists():
            raise OutputError(f"{address}: is not a folder; choose another --out")
        return
    names = files_at(address).below(address)
    own = _written(address)
    foreign = next((name for name in names if name not in own), None)
    if foreign is not None:
        raise OutputError(
            f"{address}: contains {foreign}, which no batch wrote, so the folder is not replaced; "
            "choose another --out"
        )


def _written(address: str) -> set[str]:
    """Return the names of the objects that batches have written below an address."""
    manifest = _json(files_at(address).read(joined(address, MANIFEST)))
    listed = [manifest.get("files"), manifest.get(_EARLIER)]
    if not isinstance(listed[0], dict):
        return set()
    names = {name for each in listed if isinstance(each, (dict, list)) for name in each}
    return {*map(str, names), MANIFEST, RUN_MARK}


def publish(folder: Path, address: str, job: str, trace: str) -> Finished:
    """Move the outputs of a run to their final address, and return them; `folder` is then gone.

    Earlier outputs that a batch has written there are replaced, with one exception: if `address`
    is a local folder with complete outputs of the same job, they stay, and `folder` is removed.

    Parameters
    ----------
    folder : Path
        Folder of a run that has ended.
    address : str
        The final address.
    job : str
        Name of the job.
    trace : str
        Address of the trace; it replaces the path of the local copy in ``run.json``.

    Raises
    ------
    OutputError
        If the outputs cannot be written there.
    """
    check_replaceable(address)  # another process may have written there
    remove(folder / LIST)  # job.json has all names
    _name_by_content(folder, trace)
    names = [name for name in LocalFiles().below(str(folder)) if name not in (RUN_MARK, MANIFEST)]
    manifest = _manifest(job, _described(folder, names))
    LocalFiles().write(joined(str(folder), MANIFEST), _as_bytes(manifest))
    if protocol(address):
        _upload(folder, address)
        remove_tree(folder)
    else:
        _rename(folder, Path(address), job)
    report = _json(files_at(address).read(joined(address, RUN_MARK)))
    return Finished(report, str(manifest["outputs_sha256"]), frozenset(names))


def add_files(folder: Path, names: Sequence[str], address: str, job: str) -> Finished:
    """Add files to the complete outputs of a job, and return the outputs with the new files.

    The files are moved if `address` is a local folder, and uploaded otherwise.

    ``job.json`` lists the files before they are added. If the process is killed in between, the
    outputs lack a listed file, and the next batch makes all of them anew.

    Parameters
    ----------
    folder : Path
        Local folder of the files. If it is the folder of the outputs, the files are only listed.
    names : sequence of str
        Names of the files, the same in `folder` and in the outputs.
    address : str
        Address of the outputs.
    job : str
        Name of the job.

    Raises
    ------
    OutputError
        If the outputs cannot be written there.
    """
    files = files_at(address)
    before = _json(files.read(joined(address, MANIFEST))).get("files")
    listed = {**(before if isinstance(before, dict) else {}), **_described(folder, names)}
    manifest = _manifest(job, dict(sorted(listed.items())))
    files.write(joined(address, MANIFEST), _as_bytes(manifest))
    if protocol(address):
        StoredFiles(address).put(folder, list(names), address)
    elif folder != Path(address):
        try:
            for name in names:
                (folder / name).replace(Path(address, name))
        except OSError as error:
            raise OutputError(f"{address}: cannot be written: {cause_of(error)}") from error
    report = _json(files.read(joined(address, RUN_MARK)))
    return Finished(report, str(manifest["outputs_sha256"]), frozenset(listed))


def _described(folder: Path, names: Iterable[str]) -> dict[str, dict[str, object]]:
    """Return size and hash of some files of a folder."""
    return {
        name: {"bytes": (folder / name).stat().st_size, "sha256": hash_of(folder / name)}
        for name in names
    }


def _manifest(job: str, files: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """Return the list of all files of a run, with the hash over them."""
    outputs_sha256 = hash_of_words({name: each["sha256"] for name, each in files.items()})
    return {"job": job, "version": __version__, "files": files, "outputs_sha256": outputs_sha256}


def _as_bytes(manifest: Mapping[str, object]) -> bytes:
    return (json.dumps(manifest, indent=1) + "\n").encode()


def _name_by_content(folder: Path, trace: str) -> None:
    """Write the address of the trace into run.json, and its time into the name of SensorData.

    If the name of the trace has no time, the run has named SensorData by the time of writing; the
    time of the first frame replaces it.
    """
    report = json.loads((folder / RUN_MARK).read_bytes())
    report["input"]["file"] = trace
    name = report.get("sensor_data")
    if name and trace_start(base_name(trace)) is None:
        report["sensor_data"] = _TIME_IN_NAME.sub(f"{_first_time(folder)}_", name)
        (folder / name).replace(folder / report["sensor_data"])
    with replacing(folder / RUN_MARK) as temporary:
        temporary.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _first_time(folder: Path) -> str:
    """Return the time of the first frame of a run, formatted as in OSI file names."""
    with (folder / TABLE_NAME).open(newline="", encoding="utf-8") as file:
        row = next(csv.DictReader(file), {})
    begin = datetime(1970, 1, 1, tzinfo=timezone.utc)
    with suppress(OverflowError):
        begin += timedelta(microseconds=int(row.get("time_ns") or 0) // 1000)
    return f"{begin:%Y%m%dT%H%M%SZ}"


def _rename(folder: Path, place: Path, job: str) -> None:
    """Rename a folder to its place; keep complete outputs that another process has put there."""
    try:
        if place.exists():
            if finished(str(place), job) is not None:
                remove_tree(folder)
                return
            aside = place.with_name(unfinished_name(f"{place.name}{_ASIDE}"))
            place.rename(aside)
            foreign = foreign_in(aside, MANIFEST, RUN_MARK)
            if foreign is not None:  # the file was added after the check
                aside.rename(place)
                raise OutputError(
                    f"{place}: contains {foreign}, which no batch wrote, so the folder is not "
                    "replaced; choose another --out"
                )
            remove_tree(aside)
        folder.rename(place)
    except OSError as error:
        if finished(str(place), job) is None:
            raise OutputError(f"{place}: cannot be written: {cause_of(error)}") from error
        remove_tree(folder)


def _upload(folder: Path, address: str) -> None:
    """Copy a folder into object storage, run.json last, and remove objects of earlier uploads.

    job.json comes first, with the names of new and earlier objects: if the upload is killed, the
    next upload knows which objects to remove.
    """
    files = StoredFiles(address)
    names = list(LocalFiles().below(str(folder)))
    earlier = sorted(_written(address) & set(files.below(address)))
    manifest = (folder / MANIFEST).read_bytes()
    files.remove(joined(address, RUN_MARK))
    begun = {**_json(manifest), _EARLIER: earlier}
    files.write(joined(address, MANIFEST), json.dumps(begun).encode())
    files.put(folder, [name for name in names if name not in {RUN_MARK, MANIFEST}], address)
    for name in set(earlier) - set(names):
        files.remove(joined(address, name))
    files.write(joined(address, MANIFEST), manifest)
    files.write(joined(address, RUN_MARK), (folder / RUN_MARK).read_bytes())


def _json(content: bytes | None) -> dict[str, object]:
    """Return the object in a JSON file; an empty one if the file is missing or invalid."""
    try:
        found = finite_json(content or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
