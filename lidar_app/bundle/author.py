# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The clouds of the author's run of a bundle, and how those of another run differ from them."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.bundle.manifest import AuthorCloud, AuthorRun
from lidar_base.files.own_files import sha256_of
from lidar_base.files.shown_paths import shown_values
from lidar_base.files.whole_files import cause_of
from osi_lidar.errors import InputError
from osi_lidar.version import __version__
from raycore.embree import device

if TYPE_CHECKING:
    from collections.abc import Mapping

    from osi_lidar.output.stored import StoredRun

_COMPUTING = ("numpy", "numba", "llvmlite", "embreex")
"""Packages that results may depend on."""
_ROOMS = ("lidar_base", "lidar_scenery", "material_mapping", "osi_bridge", "osi_lidar", "raycore")
_HERE = Path(__file__).parents[2]
_DIGITS = 16


def made_with() -> dict[str, str]:
    """Return versions of osi-lidar, its kernels and what they rest on, by what they are."""
    embree = ".".join(map(str, device().version()))
    return {
        "osi-lidar": __version__,
        "kernels": _digest_of_kernels(),
        "Python": platform.python_version(),
        **{name: _version(name) for name in _COMPUTING},
        "Embree": f"{embree}, packets of {device().native_packet_width()} rays",
        "processor": platform.machine(),
    }


def _digest_of_kernels() -> str:
    """Return a hash of the source of all kernels."""
    digest = hashlib.sha256()
    for room in _ROOMS:
        for file in sorted((_HERE / room).rglob("*kernels.py")):
            content = file.read_bytes()
            digest.update(f"{file.relative_to(_HERE).as_posix()} {len(content)} ".encode())
            digest.update(content)
    return digest.hexdigest()[:_DIGITS]


def _version(name: str) -> str:
    try:
        return installed(name)
    except PackageNotFoundError:
        return "not installed"


def author_run(
    run: StoredRun, *, config: Mapping[str, object], sha256: str, reads: Mapping[str, object]
) -> AuthorRun:
    """Return the clouds of a run, after checking that it is the run of a bundle.

    Parameters
    ----------
    run : StoredRun
        The run.
    config : mapping
        Resolved configuration of the bundle's author.
    sha256 : str
        Hash of the trace.
    reads : mapping of str to object
        How messages are read, see `manifest.READ_KEYS`.

    Raises
    ------
    InputError
        It is the run of another version, configuration or trace, or of some frames, or has not
        ended by itself, or has no clouds, or one of them cannot be read.
    """
    _check_whole(run)
    given = input_of(run)
    if given.get("sha256") != sha256:
        raise InputError(f"{run.folder}: is the run of another trace, {given.get('file')}")
    if reads_of(given) != dict(reads):
        raise InputError(
            f"{run.folder}: its messages were read as {reads_of(given)} and the bundle's as "
            f"{dict(reads)}: give --host, --type and --source as for the run"
        )
    if key := _other_key(shown_values(run.report.get("config")), shown_values(config)):
        raise InputError(f"{run.folder}: its configuration differs in {key}, run it again")
    return AuthorRun(made_with=made_with(), clouds=clouds_of(run))


def input_of(run: StoredRun) -> Mapping[str, object]:
    """Return what run.json says of the trace of a run, empty if it says nothing."""
    given = run.report.get("input")
    return given if isinstance(given, dict) else {}


def _check_whole(run: StoredRun) -> None:
    """Check that a run is of this version, of all frames, and has ended by itself with clouds."""
    report = run.report
    if report.get("version") != __version__:
        raise InputError(
            f"{run.folder}: was run by osi-lidar {report.get('version')}, this is {__version__}: "
            "run it again"
        )
    if report.get("status") not in ("complete", "damaged"):
        raise InputError(f"{run.folder}: its run is {report.get('status')}, expected a whole one")
    if input_of(run).get("frames") != [0, None, 1]:
        raise InputError(f"{run.folder}: is a run with --frames, expected one of all frames")
    run.check_clouds()


def reads_of(described: Mapping[str, object]) -> dict[str, object]:
    """Return what options said of the messages of a run, from its entry ``input`` in run.json.

    The type of messages is always stated there, so it counts as said.
    """
    found = {key: described.get(key) for key in ("message_type", "host_id", "source")}
    return {key: value for key, value in found.items() if value is not None}


def clouds_of(run: StoredRun) -> tuple[AuthorCloud, ...]:
    """Return the clouds of a run, each with the first frame that has it.

    Raises
    ------
    InputError
        One of them cannot be read.
    """
    found: dict[str, AuthorCloud] = {}
    for scan in run.scans:
        row = scan.row
        if row.file in found:
            continue
        try:
            sha256 = sha256_of(scan.path)
        except OSError as error:
            raise InputError(f"{scan.path}: cannot be read: {cause_of(error)}") from error
        found[row.file] = AuthorCloud(
            frame=row.frame, sensor=row.sensor, file=row.file, sha256=sha256
        )
    return tuple(found.values())


def _other_key(ours: object, theirs: object, key: str = "") -> str:
    """Return the first key path at which two configurations differ, empty if they are equal."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in dict.fromkeys([*theirs, *ours]):
            inner = f"{key}.{name}" if key else str(name)
            if name not in ours or name not in theirs:
                return inner
            if found := _other_key(ours[name], theirs[name], inner):
                return found
        return ""
    if isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)):
        if len(ours) != len(theirs):
            return key
        pairs = enumerate(zip(ours, theirs, strict=True))
        return next(filter(None, (_other_key(*pair, f"{key}[{n}]") for n, pair in pairs)), "")
    return "" if ours == theirs else key or "the whole"


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudVerdict:
    """How the clouds of a run differ from those of the author's run.

    Attributes
    ----------
    n_cloud : int
        Clouds of the author's run.
    differing, missing, extra : tuple of AuthorCloud
        Clouds with another content, clouds that only the author has, and clouds that only the run
        has.
    made_with : mapping of str to (str, str)
        What made the two runs, where it differs: here, and at the author's.
    """

    n_cloud: int
    differing: tuple[AuthorCloud, ...]
    missing: tuple[AuthorCloud, ...]
    extra: tuple[AuthorCloud, ...]
    made_with: Mapping[str, tuple[str, str]]

    @property
    def is_same(self) -> bool:
        """Whether all clouds are byte for byte the author's."""
        return not (self.differing or self.missing or self.extra)

    @property
    def words(self) -> str:
        """The verdict in one line."""
        others = ", ".join(
            f"{name} {here} (author: {there})" for name, (here, there) in self.made_with.items()
        )
        if self.is_same:
            made = f"; made with another {others}" if others else ""
            return f"all {self.n_cloud} clouds equal the author's run, byte for byte{made}"
        first = min(
            (*self.differing, *self.missing, *self.extra),
            key=lambda each: (each.frame, each.file),
        )
        state = "differs" if first in self.differing else "is missing"
        state = "is one too many" if first in self.extra else state
        counts = (
            f"{len(self.differing)} of {self.n_cloud} clouds differ, {len(self.missing)} are "
            f"missing, {len(self.extra)} are too many"
        )
        made = others or "the same version, kernels and packages"
        return (
            f"not the author's clouds: frame {first.frame} of sensor {first.sensor} ({first.file}) "
            f"{state} first; {counts}; made with {made}"
        )


def verdict(run: StoredRun, author: AuthorRun) -> CloudVerdict:
    """Compare the clouds of a run with those of the author's run.

    Raises
    ------
    InputError
        A cloud of the run cannot be read.
    """
    ours = {each.file: each for each in clouds_of(run)}
    theirs = {each.file: each for each in author.clouds}
    here = made_with()
    names = dict.fromkeys([*author.made_with, *here])
    pairs = {name: (here.get(name, "-"), author.made_with.get(name, "-")) for name in names}
    return CloudVerdict(
        n_cloud=len(theirs),
        differing=tuple(
            each
            for name, each in theirs.items()
            if name in ours and ours[name].sha256 != each.sha256
        ),
        missing=tuple(each for name, each in theirs.items() if name not in ours),
        extra=tuple(each for name, each in ours.items() if name not in theirs),
        made_with={name: pair for name, pair in pairs.items() if pair[0] != pair[1]},
    )
