# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Facts that identify a run of the bench: subject, versions, date."""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from fmu_src.inspection import read_info
from lidar_base.files.own_files import sha256_of
from osi_bridge import OSI_VERSION
from osi_lidar.errors import InputError
from osi_lidar.version import __version__

_NO_FILE = "a server has no file here: its identity is to be stated by hand"


@dataclass(frozen=True, kw_only=True)
class BenchFacts:
    """Facts that identify a run of the bench.

    Attributes
    ----------
    subject : str
        The subject, as given on the command line.
    identity : tuple of (str, str)
        Facts on the subject as (name, value): its kind, SHA-256 of its files, GUID of an FMU.
    versions : tuple of (str, str)
        (name, version) of osi-lidar, OSI, Python and the system that ran the bench.
    date : str
        Time at which the run began, in UTC.
    """

    subject: str
    identity: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]
    date: str


def facts_of(subject: str) -> BenchFacts:
    """Return the facts of a run that begins now; `subject` is as on the command line.

    The environment variable ``SOURCE_DATE_EPOCH`` sets the date, so that two runs can write the
    same bytes.
    """
    return BenchFacts(
        subject=subject,
        identity=tuple(_identity(subject)),
        versions=(
            ("osi-lidar", __version__),
            ("OSI", ".".join(map(str, OSI_VERSION))),
            ("Python", platform.python_version()),
            ("system", platform.platform()),
        ),
        date=_date(),
    )


def _date() -> str:
    stated = os.environ.get("SOURCE_DATE_EPOCH", "")
    if stated.isdecimal():
        now = datetime.fromtimestamp(int(stated[:11]), tz=timezone.utc)
    else:
        now = datetime.now(timezone.utc)
    return now.strftime("%Y-%m-%d %H:%M:%S UTC")


def _identity(subject: str) -> list[tuple[str, str]]:
    if subject.startswith("tcp://"):
        return [("kind", "a server"), ("SHA-256", _NO_FILE)]
    if subject.startswith("cmd:"):
        return [("kind", "a command"), *_of_words(shlex.split(subject.removeprefix("cmd:")))]
    path = Path(subject)
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.is_file())
        lines = [f"{sha256_of(each)}  {each.relative_to(path).as_posix()}\n" for each in files]
        told = hashlib.sha256("".join(lines).encode()).hexdigest()
        kind = f"a folder of {len(files)} files"
        return [("kind", kind), ("SHA-256 of the output of sha256sum on its sorted files", told)]
    if path.suffix.lower() == ".fmu":
        return [("kind", "an FMU"), ("SHA-256", sha256_of(path)), *_of_fmu(path)]
    return [("kind", "osi-lidar by a configuration"), ("SHA-256", sha256_of(path))]


def _of_words(words: list[str]) -> list[tuple[str, str]]:
    """Return the SHA-256 of the program and of each file among the words of a command."""
    files = [shutil.which(word) or word for word in words[:1]] + words[1:]
    return [(f"SHA-256 of {file}", sha256_of(Path(file))) for file in files if _is_file(file)]


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):  # an argument that is no path, such as program text
        return False


def _of_fmu(path: Path) -> list[tuple[str, str]]:
    try:
        info = read_info(path)
    except InputError as error:
        return [("model description", str(error))]
    guid = "instantiation token" if info.fmi.startswith("3") else "GUID"
    rows = [("model", info.model), ("FMI", info.fmi), (guid, info.token), ("OSMP", info.osmp)]
    return [*rows, ("written by", info.tool)]
