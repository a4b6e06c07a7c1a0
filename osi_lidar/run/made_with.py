# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the results of a run depend on: versions, and hashes of all files that it reads.

These values depend neither on the time nor on the location of folders: files are named by the key
of the configuration that leads to them, such as ``scene.search[0]: cars/van.obj``.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lidar_base.files.own_files import sha256_of
from lidar_base.files.shown_paths import with_texts
from osi_lidar.config import named_paths
from osi_lidar.run.inputs_read import files_read, material_files
from osi_lidar.version import __version__
from raycore.embree import device

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from osi_lidar.config import Config
    from osi_lidar.model import LidarModel

_COMPUTING = ("numpy", "numba", "llvmlite", "embreex")
"""Packages that results may depend on."""
_ROOMS = ("lidar_base", "lidar_scenery", "material_mapping", "osi_bridge", "osi_lidar", "raycore")
_HERE = Path(__file__).parents[2]
_DIGITS = 16
_TRACE = "trace"
"""Stands for the folder of the trace in names of files, where others have a key."""
_BETWEEN = ": "
_MOST_FRAMES = 10**9
"""A larger number of frames in run.json is damage: no run has so many."""


@cache
def versions() -> dict[str, str]:
    """Return the versions of osi-lidar, Python and libraries, by name.

    ``kernels`` is a hash of the kernels' source code, and ``processor`` the kind of processor.
    """
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


def made_with(
    model: LidarModel, described: Mapping[str, object] | None, n_unknown: int = 0
) -> dict[str, object]:
    """Return the entry ``made_with`` of run.json: what the results of a run depend on.

    Parameters
    ----------
    model : LidarModel
        The model, which has answered the messages.
    described : mapping or None
        The entry ``input`` of run.json: what the messages came from.
    n_unknown : int
        Number of first frames that an earlier process may have made with other versions or files.

    Returns
    -------
    dict of str to object
        Keys: versions (see `versions`), configuration (hash of its values), trace (SHA-256 of the
        trace or None), files (see `input_digests`), and frames_unknown, ``n_unknown`` if not 0.
    """
    return {
        "versions": versions(),
        "configuration": _digest_of_config(model.config),
        "trace": (described or {}).get("sha256"),
        "files": input_digests(model),
        **({"frames_unknown": n_unknown} if n_unknown else {}),
    }


class Making(NamedTuple):
    """What the results of a run were made with: the entry ``made_with`` of run.json.

    Attributes
    ----------
    versions : dict of str to str
        Versions of osi-lidar, Python and libraries, by name.
    files : dict of str to object
        SHA-256 of the input files, by the names of `InputNames`. The values are not checked: from a
        valid run.json they are str, or None for a file that could not be read.
    n_unknown : int
        Number of first frames of the run of which it is not known which versions and files made
        them.
    """

    versions: dict[str, str]
    files: dict[str, object]
    n_unknown: int


def making_in(report: object) -> Making | None:
    """Return the entry ``made_with`` of run.json; None if it is missing or not valid.

    Parameters
    ----------
    report : object
        Content of run.json, as a JSON decoder returns it; it may be of any type.
    """
    made = report.get("made_with") if isinstance(report, dict) else None
    if not isinstance(made, dict):
        return None
    seen, files, n_unknown = made.get("versions"), made.get("files"), made.get("frames_unknown", 0)
    if not (isinstance(seen, dict) and isinstance(files, dict) and type(n_unknown) is int):
        return None
    if not 0 <= n_unknown < _MOST_FRAMES:
        return None
    return Making({str(key): str(each) for key, each in seen.items()}, files, n_unknown)


def input_digests(model: LidarModel) -> dict[str, str | None]:
    """Return the SHA-256 of all files that a model has read, by the names of `InputNames`.

    Meshes, and files that they name, were hashed when they were read. All other files are read
    again.

    Parameters
    ----------
    model : LidarModel
        The model.

    Returns
    -------
    dict of str to (str or None)
        Hashes by name, in the order of the names; None: the file cannot be read any more.
    """
    names = InputNames(model.config, model.world.assets.trace_folder)
    known = model.world.library.digests
    found: dict[str, str | None] = {}
    found.update((names.name(file), digest) for file, digest in known.items())
    named = [path for _, path in named_paths(model.config) if path.is_file()]
    for file in (*named, *files_read(model), *model.world.roads.maps, *material_files(model)):
        if file not in known:
            found.setdefault(names.name(file), _digest(file))
    return dict(sorted(found.items()))


def changed_files(
    digests: Mapping[str, object], config: Config, trace_folder: Path | None
) -> list[str]:
    """Return the names of files whose content has changed since `input_digests` hashed them.

    A file that cannot be read now counts as changed, unless it could not be read then either.

    Parameters
    ----------
    digests : mapping of str to (str or None)
        SHA-256 of each file by its name, as `input_digests` returned them.
    config : Config
        The configuration of the present run. Together with ``trace_folder`` it says where the named
        files are now.
    trace_folder : Path or None
        Folder of the trace; None for a run without a trace.

    Returns
    -------
    list of str
        Names of the changed files, in the order of ``digests``.
    """
    names = InputNames(config, trace_folder)
    return [name for name, seen in digests.items() if _digest(names.file(name)) != seen]


class InputNames:
    """Names for the files of a run, which do not depend on the location of its folders.

    Parameters
    ----------
    config : Config
        The configuration, which names files and folders.
    trace_folder : Path or None
        Folder of the trace; the trace may name files in it.
    """

    def __init__(self, config: Config, trace_folder: Path | None) -> None:
        self._folders: dict[str, Path] = {}
        self._key_of: dict[Path, str] = {}
        if trace_folder is not None:
            self._folders[_TRACE] = trace_folder.absolute()
        files = {}
        for key, path in named_paths(config):
            if path.is_dir():
                self._folders[key] = path
            else:
                self._key_of.setdefault(path, key)
                files[key] = path.parent
        self._folders.update(files)  # files last: one may lie in a folder
        self._real = {key: folder.resolve() for key, folder in self._folders.items()}

    def name(self, file: Path) -> str:
        """Return the name of a file: a key of the configuration, ": ", and a path.

        An example is "scene.environment[0].mesh: hall.glb". If the key names a folder, the path is
        relative to it; if the key names a file, to the folder of that file. For the folder of the
        trace, the key is "trace". A file outside all these folders gets a path with "../", relative
        to the nearest of them. ``file`` is the path of the file.
        """
        key = self._key_of.get(file)
        if key is not None:
            return f"{key}{_BETWEEN}{file.name}"
        for folders in (self._folders, self._real):
            for each, folder in folders.items():
                if file.is_relative_to(folder):
                    return f"{each}{_BETWEEN}{file.relative_to(folder).as_posix()}"
        return self._outside(file)

    def file(self, name: str) -> Path:
        """Return the path of the file with a name from `name`; the file may be absent.

        If the folder of ``name`` is unknown, the path is relative to the working directory.
        """
        key, _, inner = name.partition(_BETWEEN)
        return self._folders.get(key, Path()) / inner

    def _outside(self, file: Path) -> str:
        """Return the name of a file outside of all folders, relative to the nearest folder."""
        places = {key: _relative(file, folder) for key, folder in self._real.items()}
        near = min(places, key=lambda key: places[key].count("../"), default="")
        return f"{near}{_BETWEEN}{places.get(near, file.name)}"


def _relative(file: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # another drive of Windows
        return file.name


def _digest(file: Path) -> str | None:
    try:
        return sha256_of(file) if file.is_file() else None
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None


def _digest_of_config(config: Config) -> str:
    """Return a hash of all values of a configuration; of paths, only the last part counts."""
    names = {str(path): path.name for _, path in named_paths(config)}
    values = with_texts(config.resolved(), lambda text: names.get(text, text))
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def differing(seen: Mapping[str, object], now: Mapping[str, object]) -> Iterable[str]:
    """Yield a text for each file that is new in ``now``, absent from it, or has changed.

    ``seen`` and ``now`` are the SHA-256 of the files of an earlier and a later run, by name, from
    `input_digests`. Each text has the file's name and what differs, in the order of names.
    """
    for name in sorted({*seen, *now}):
        if name not in now:
            yield f"{name} is not read any more"
        elif name not in seen:
            yield f"{name} is new"
        elif seen[name] != now[name]:
            yield f"{name} has changed"
