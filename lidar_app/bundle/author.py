# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The point clouds of the author's run of a bundle, and their comparison with another run."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lidar_app.bundle.manifest import AuthorCloud, AuthorRun
from lidar_base.files.own_files import sha256_of
from lidar_base.files.shown_paths import shown_values
from lidar_base.files.whole_files import cause_of
from osi_lidar.errors import InputError
from osi_lidar.run.made_with import differing, making_in, versions
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from osi_lidar.output.stored import StoredRun

logger = logging.getLogger(__name__)
_UNKNOWN = "frames kept of an earlier process"
"""Key in `made_with`: number of first frames for which no versions are known."""


def author_run(
    run: StoredRun,
    *,
    config: Mapping[str, object],
    sha256: str,
    reads: Mapping[str, object],
    inputs: Mapping[str, str | None],
) -> AuthorRun:
    """Return what a bundle stores of its author's run, after checks that the run fits the bundle.

    Parameters
    ----------
    run : StoredRun
        The author's run, with its point clouds.
    config : mapping
        Resolved configuration that the bundle holds.
    sha256 : str
        Hash of the trace that the bundle holds.
    reads : mapping of str to object
        The bundle's options for reading messages, see `manifest.READ_KEYS`.
    inputs : mapping of str to (str or None)
        Present hashes of all other files that the run reads, see `made_with.input_digests`.

    Raises
    ------
    InputError
        The run does not fit (other version, configuration, trace, options, meshes or files), or
        it is incomplete (not all frames, interrupted, no clouds, an unreadable cloud, no versions
        in run.json).
    """
    _check_whole(run)
    _check_same(run, config, sha256, reads)
    return AuthorRun(made_with=_made_with(run, inputs), clouds=clouds_of(run))


def _check_same(
    run: StoredRun, config: Mapping[str, object], sha256: str, reads: Mapping[str, object]
) -> None:
    """Check that a run had this trace, this configuration and these options for messages."""
    given = input_of(run)
    if given.get("sha256") != sha256:
        raise InputError(f"{run.folder}: is the run of another trace, {given.get('file')}")
    if reads_of(given) != dict(reads):
        raise InputError(
            f"{run.folder}: the run read its messages as {reads_of(given)}, the bundle reads them "
            f"as {dict(reads)}: give --host, --type and --source as for the run"
        )
    if key := _other_key(shown_values(run.report.get("config")), shown_values(config)):
        raise InputError(f"{run.folder}: its configuration differs in {key}, run it again")


def _made_with(run: StoredRun, inputs: Mapping[str, str | None]) -> dict[str, str]:
    """Return the versions that made a run, after checking that its input files are unchanged."""
    made = making_in(run.report)
    if made is None:
        raise InputError(
            f"{run.folder}: its run.json does not name the versions and files that made the run: "
            "run it again"
        )
    if changed := [*differing(made.files, inputs)]:
        more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise InputError(f"{run.folder}: since the run {changed[0]}{more}: run it again")
    if not made.n_unknown:
        return made.versions
    logger.warning(
        "%s: the first %d frames are from before the run was resumed; the versions and files that "
        "made them are unknown",
        run.folder,
        made.n_unknown,
    )
    return {**made.versions, _UNKNOWN: str(made.n_unknown)}


def input_of(run: StoredRun) -> Mapping[str, object]:
    """Return the entry ``input`` of a run's ``run.json``; empty if there is none.

    The entry describes the trace of the run, by keys such as "file", "sha256" and "frames", and has
    the options with which its messages were read.
    """
    given = run.report.get("input")
    return given if isinstance(given, dict) else {}


def _check_whole(run: StoredRun) -> None:
    """Check that a run is of this version and all frames, was not interrupted, and has clouds."""
    report = run.report
    if report.get("version") != __version__:
        raise InputError(
            f"{run.folder}: was run by osi-lidar {report.get('version')}, this is {__version__}: "
            "run it again"
        )
    if report.get("status") not in ("complete", "damaged"):
        raise InputError(
            f"{run.folder}: the status of the run is {report.get('status')}, expected complete or "
            "damaged: run it again"
        )
    if input_of(run).get("frames") != [0, None, 1]:
        raise InputError(
            f"{run.folder}: is a run of some frames (--frames), expected a run of all frames"
        )
    run.check_clouds()


def reads_of(described: Mapping[str, object]) -> dict[str, object]:
    """Return the options with which the messages of a trace were read.

    Parameters
    ----------
    described : mapping of str to object
        The entry ``input`` of a run's ``run.json``, see `input_of`.

    Returns
    -------
    dict of str to object
        Values of "message_type", "host_id" and "source". Options that are None are left out. The
        message type is always present, as ``run.json`` states it even if the user did not.
    """
    found = {key: described.get(key) for key in ("message_type", "host_id", "source")}
    return {key: value for key, value in found.items() if value is not None}


def clouds_of(run: StoredRun) -> tuple[AuthorCloud, ...]:
    """Return an `AuthorCloud` for each cloud file of a run, in the order of the run.

    A file that several frames share is listed once, with the first of these frames.

    Raises
    ------
    InputError
        A cloud file cannot be read.
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
    """Differences between the clouds of a run and the clouds of the author's run.

    Attributes
    ----------
    n_cloud : int
        Number of clouds of the author's run.
    differing : tuple of AuthorCloud
        The author's clouds that have another content in the run.
    missing : tuple of AuthorCloud
        The author's clouds that the run lacks.
    extra : tuple of AuthorCloud
        Clouds of the run that the author's run lacks.
    made_with : mapping of str to (str, str)
        Packages whose versions differ, by name: the version here, and the author's. The version is
        "-" if the package is absent.
    n_unknown : int
        Number of frames at the start of the author's run that are from before the run was resumed.
        The versions that made these frames are unknown.
    """

    n_cloud: int
    differing: tuple[AuthorCloud, ...]
    missing: tuple[AuthorCloud, ...]
    extra: tuple[AuthorCloud, ...]
    made_with: Mapping[str, tuple[str, str]]
    n_unknown: int = 0

    @property
    def is_same(self) -> bool:
        """Whether the run has exactly the author's clouds, with equal bytes."""
        return not (self.differing or self.missing or self.extra)

    @property
    def words(self) -> str:
        """One line that states whether the clouds are equal, else the first one that differs."""
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
        if self.n_unknown:
            made += f"; what made its author's first {self.n_unknown} frames is not known"
        return (
            f"not the author's clouds: frame {first.frame} of sensor {first.sensor} ({first.file}) "
            f"{state} first; {counts}; made with {made}"
        )


def verdict(run: StoredRun, author: AuthorRun) -> CloudVerdict:
    """Compare the clouds of a run with the clouds of the author's run.

    Raises
    ------
    InputError
        A cloud of the run cannot be read.
    """
    ours = {each.file: each for each in clouds_of(run)}
    theirs = {each.file: each for each in author.clouds}
    here, there = versions(), {**author.made_with}
    n_unknown = there.pop(_UNKNOWN, "0")
    names = dict.fromkeys([*there, *here])
    pairs = {name: (here.get(name, "-"), there.get(name, "-")) for name in names}
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
        n_unknown=int(n_unknown) if re.fullmatch(r"\d{1,9}", n_unknown) else 0,
    )
