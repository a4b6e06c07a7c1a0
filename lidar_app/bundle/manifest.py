# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The manifest of a bundle: its files, their origins, and the clouds of the author's run.

The manifest is JSON and the first file of the archive. A bundle is read only if each file has the
size and the SHA-256 in the manifest, and no other file exists. The manifest is not signed: hashes
find damage, but do not prove who made a bundle.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from lidar_base.files.json_files import check_json, finite_json
from osi_lidar.errors import InputError
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

MANIFEST = "manifest.json"
CONFIG = "config.yaml"
"""Name of the configuration in a bundle.

It lies at the top of the bundle, as the manifest does; all other files lie in folders.
"""
FORMAT, FORMAT_VERSION = "osi-lidar bundle", 1
READ_KEYS = ("message_type", "host_id", "source")
"""The author's options for reading the messages of the trace; keys as in run.json."""
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A file of a bundle.

    Attributes
    ----------
    name : str
        Path of the file in the bundle.
    size : int
        Size of the unpacked file. [bytes]
    sha256 : str
        Hash of the content, 64 hexadecimal digits.
    origin : str or None
        The author's path of the file, relative to the folder of the configuration; None if the
        command ``bundle`` created the file.
    """

    name: str
    size: int
    sha256: str
    origin: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorCloud:
    """A file with a point cloud of the author's run.

    Attributes
    ----------
    frame : int
        Number of the first frame that has this cloud; later frames may repeat it.
    sensor : str
        Name of the sensor.
    file : str
        Path of the file in the folder of the run.
    sha256 : str
        Hash of the content, 64 hexadecimal digits.
    """

    frame: int  # number of the first frame that has this cloud; others may repeat it
    sensor: str
    file: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorRun:
    """Hashes of the point clouds of the author's run, and the software versions that made them.

    Attributes
    ----------
    made_with : mapping of str to str
        Versions by name: of osi-lidar, its kernels and the numerical packages. If the author's run
        was resumed, one more key has the number of its first frames with unknown versions.
    clouds : tuple of AuthorCloud
        The cloud files in the order of the run.
    """

    made_with: Mapping[str, str]
    clouds: tuple[AuthorCloud, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Content of a bundle.

    Attributes
    ----------
    trace : str
        Path of the trace in the bundle.
    members : tuple of Member
        All files of the bundle but the manifest.
    reads : mapping of str to object
        The author's options for reading the messages of the trace; keys: `READ_KEYS`.
    run : AuthorRun or None
        Result of the author's run; None if the author has given no run.
    version : str
        Version of osi-lidar that wrote the bundle.
    """

    trace: str
    members: tuple[Member, ...]
    reads: Mapping[str, object] = field(default_factory=dict)
    run: AuthorRun | None = None
    version: str = __version__

    def text(self) -> bytes:
        """Return the manifest as JSON; equal content gives equal bytes."""
        content = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "osi_lidar": self.version,
            "config": CONFIG,
            "trace": self.trace,
            "reads": dict(self.reads),
            "files": [asdict(each) for each in self.members],
            "run": None if self.run is None else asdict(self.run),
        }
        return (json.dumps(content, indent=1) + "\n").encode()


def parse_manifest(text: bytes) -> Manifest:
    """Return the manifest in a JSON text, after checks of its entries.

    Raises
    ------
    InputError
        The text is no manifest, has a newer format, or lists a path that `check_inner` refuses. The
        error does not name the bundle; the caller adds its name.
    """
    try:
        check_json(text)
        content = finite_json(text)
    except ValueError as error:
        raise InputError(f"{MANIFEST} is not JSON, or is damaged: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{MANIFEST} does not belong to a bundle")
    version = content.get("format_version")
    if not isinstance(version, int) or version < 1:
        raise InputError(f"{MANIFEST}: format_version: got {version!r:.40}, expected 1 or more")
    if version > FORMAT_VERSION:
        raise InputError(
            f"is of format {version!s:.40}, osi-lidar {__version__} reads formats up to "
            f"{FORMAT_VERSION}; it was written by osi-lidar {content.get('osi_lidar')!s:.40}"
        )
    return _manifest(content)


def _manifest(content: Mapping[str, object]) -> Manifest:
    members = tuple(_member(each) for each in _list(content, "files"))
    reads = content.get("reads")
    if not isinstance(reads, dict) or not {*reads} <= {*READ_KEYS}:
        raise InputError(f"{MANIFEST}: reads: expected keys of {', '.join(READ_KEYS)}")
    names = [each.name for each in members]
    trace = _text(content, "trace")
    for name in (CONFIG, trace):
        if name not in names:
            raise InputError(f"{MANIFEST} does not list {name}, expected it among the files")
    run = content.get("run")
    return Manifest(
        trace=trace,
        members=members,
        reads=_reads(reads),
        run=None if run is None else _run(run),
        version=_text(content, "osi_lidar"),
    )


def _reads(values: Mapping[str, object]) -> dict[str, object]:
    """Check the options for reading messages: an OSI id is an integer, all others are texts."""
    for key, value in values.items():
        is_id = isinstance(value, int) and not isinstance(value, bool)
        if not (is_id if key == "host_id" else isinstance(value, str)):
            raise InputError(
                f"{MANIFEST}: reads.{key}: got {value!r:.40}, expected a whole number for host_id, "
                "else a text"
            )
    return dict(values)


def _member(value: object) -> Member:
    entry = _mapping(value, "files")
    size, origin = entry.get("size"), entry.get("origin")
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise InputError(f"{MANIFEST}: files: got size {size!r:.40}, expected a number of bytes")
    if not (origin is None or isinstance(origin, str)):
        raise InputError(f"{MANIFEST}: files: got origin {origin!r:.40}, expected a path as text")
    name = _text(entry, "name")
    check_inner(name)
    return Member(name=name, size=size, sha256=_sha256(entry), origin=origin)


def _run(value: object) -> AuthorRun:
    entry = _mapping(value, "run")
    made_with = _mapping(entry.get("made_with"), "run.made_with")
    return AuthorRun(
        made_with={key: _text(made_with, key) for key in made_with},
        clouds=tuple(_cloud(_mapping(each, "run.clouds")) for each in _list(entry, "clouds")),
    )


def _cloud(entry: Mapping[str, object]) -> AuthorCloud:
    frame = entry.get("frame")
    if not isinstance(frame, int) or isinstance(frame, bool):
        raise InputError(f"{MANIFEST}: run.clouds: got frame {frame!r:.40}, expected a number")
    return AuthorCloud(
        frame=frame,
        sensor=_text(entry, "sensor"),
        file=_text(entry, "file"),
        sha256=_sha256(entry),
    )


def _mapping(value: object, key: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise InputError(f"{MANIFEST}: {key}: got {value!r:.40}, expected keys and values")
    return value


def _list(content: Mapping[str, object], key: str) -> list[object]:
    value = content.get(key)
    if not isinstance(value, list):
        raise InputError(f"{MANIFEST}: {key}: got {value!r:.40}, expected a list")
    return value


def _text(content: Mapping[str, object], key: str) -> str:
    value = content.get(key)
    if not isinstance(value, str):
        raise InputError(f"{MANIFEST}: {key}: got {value!r:.40}, expected a text")
    return value


def _sha256(entry: Mapping[str, object]) -> str:
    value = _text(entry, "sha256")
    if not _SHA256.fullmatch(value):
        raise InputError(f"{MANIFEST}: sha256: got {value!r:.40}, expected 64 hexadecimal digits")
    return value


def check_inner(name: str) -> None:
    """Check that a name in a bundle is a path below the folder of the unpacked bundle.

    Raises
    ------
    InputError
        The name is absolute or ``manifest.json``, has ``.``, ``..`` or an empty part, or has ``:``,
        a backslash or unprintable characters.
    """
    parts = name.split("/")
    is_plain = name.isprintable() and not any(each in name for each in (":", "\\"))
    if not is_plain or any(part in ("", ".", "..") for part in parts):
        raise InputError(
            f"contains {name!r:.80}, expected relative paths without .., : or backslash"
        )
    if name == MANIFEST or PurePosixPath(name).is_absolute():
        raise InputError(f"lists {name!r:.80}, expected only relative paths of the other files")
