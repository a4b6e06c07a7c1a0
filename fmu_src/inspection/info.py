# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of an FMU. Facts that only FMUs of osi-lidar contain are empty for other FMUs."""

from __future__ import annotations

import json
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from fmu_src.contents import BUILD_FILE, PACKED_CONFIG
from fmu_src.inspection import description
from fmu_src.vendored import VENDOR_FILE, WHEELS
from lidar_base.errors import YamlFileError
from lidar_base.files.json_files import check_json
from lidar_base.files.unpacking import open_archive, zip_member
from lidar_base.files.yaml_files import read_yaml_text
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

DESCRIPTION_FILE = "modelDescription.xml"
RESOURCES = "resources"
MOST_BYTES = 2**26
"""Size limit of a file that is read: a small archive may hold a very large one."""
_SCENARIO = PurePosixPath(PACKED_CONFIG).parts[0]
_WRAPPERS = {"osi_lidar_python.txt": "native", "slavemodule.txt": "pythonfmu"}
"""Wrappers, by the file in the resources with which each one starts."""
_UNREADABLE = (  # errors of zipfile for damaged, encrypted or unusual archives
    OSError,
    EOFError,
    RuntimeError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True, kw_only=True)
class FmuInfo:
    """Content of an FMU.

    Attributes
    ----------
    file : str
        Path of the FMU.
    fmi, model, token, tool : str
        Version of FMI; name of the model; its GUID or instantiation token; program that wrote the
        FMU.
    osi_lidar, wrapper : str
        Version of osi-lidar that built the FMU; its wrapper between master and Python.
    platforms : tuple of str
        Platforms for which the FMU has a library, named as the folders in the FMU.
    osmp : str
        Version of OSMP.
    messages : tuple of str
        Names of OSMP's binary variables.
    step_s : float or None
        Preferred step size; None if the FMU states no finite number. [s]
    sensors : tuple of dict
        Name and preset of each sensor of the configuration inside.
    parameters : dict of str to str
        Start values of parameters.
    packed : dict of str to int
        Sizes of the files of the scenario inside. [bytes]
    wheels : dict of str to int
        Sizes of the wheels inside. [bytes]
    wheels_for : str
        Python and platform of the wheels.
    """

    file: str
    fmi: str
    model: str
    token: str
    tool: str
    osi_lidar: str
    wrapper: str
    platforms: tuple[str, ...]
    osmp: str
    messages: tuple[str, ...]
    step_s: float | None
    sensors: tuple[dict[str, str], ...]
    parameters: dict[str, str]
    packed: dict[str, int]
    wheels: dict[str, int]
    wheels_for: str


def read_info(path: str | os.PathLike[str]) -> FmuInfo:
    """Return the content of an FMU of any tool, without running it.

    ``path`` is the FMU file.

    Raises
    ------
    InputError
        The file cannot be read, or is not an FMU.
    """
    try:
        with open_archive(path) as archive:
            return _info(str(path), _Contents(archive))
    except _UNREADABLE as error:
        reason = getattr(error, "strerror", None) or error or "it is damaged"
        raise InputError(f"{path}: is not a usable FMU: {reason}") from error
    except ValueError as error:
        raise InputError(f"{path}: {DESCRIPTION_FILE}: {error}") from error


class _Contents:
    """The files of an FMU.

    Parameters
    ----------
    archive : ZipFile
        The FMU.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.sizes = {each.filename: each.file_size for each in archive.infolist()}

    def read(self, name: str) -> bytes:
        """Return the content of a file; empty if there is none."""
        return zip_member(self._archive, name, MOST_BYTES) if name in self.sizes else b""

    def parsed(self, name: str, parse: Callable[[bytes], Any]) -> dict[str, Any]:
        """Return the mapping in a file of the resources; empty if there is none."""
        try:
            found = parse(self.read(f"{RESOURCES}/{name}"))
        except (ValueError, RecursionError, YamlFileError):
            return {}
        return found if isinstance(found, dict) else {}

    def below(self, folder: str) -> dict[str, int]:
        """Return the sizes [bytes] of all files in a folder of the resources and its subfolders."""
        start = f"{RESOURCES}/{folder}/"
        return {
            name.removeprefix(start): size
            for name, size in sorted(self.sizes.items())
            if name.startswith(start) and not name.endswith("/")
        }


def _info(path: str, contents: _Contents) -> FmuInfo:
    if DESCRIPTION_FILE not in contents.sizes:
        raise ValueError("is missing in the archive, expected it in an FMU")
    root = description.parsed(contents.read(DESCRIPTION_FILE))
    parameters = description.parameters(root)
    build = contents.parsed(BUILD_FILE, _json)
    return FmuInfo(
        file=path,
        fmi=root.get("fmiVersion", ""),
        model=root.get("modelName", ""),
        token=description.token(root),
        tool=root.get("generationTool", ""),
        osi_lidar=str(build.get("version", "")),
        wrapper=_wrapper(contents),
        platforms=_platforms(contents),
        osmp=description.osmp_version(root),
        messages=tuple(description.messages(root)),
        step_s=description.step_s(root),
        sensors=_sensors(contents, parameters) if build else (),
        parameters=parameters,
        packed=contents.below(_SCENARIO),
        wheels={name: n for name, n in contents.below(WHEELS).items() if name.endswith(".whl")},
        wheels_for=str(contents.parsed(f"{WHEELS}/{VENDOR_FILE}", _json).get("python", "")),
    )


def _json(content: bytes) -> object:
    check_json(content)
    found: object = json.loads(content)
    return found


def _yaml(content: bytes) -> object:
    found: object = read_yaml_text(content.decode("utf-8-sig"), PACKED_CONFIG)
    return found


def _wrapper(contents: _Contents) -> str:
    for file, wrapper in _WRAPPERS.items():
        if f"{RESOURCES}/{file}" in contents.sizes:
            return wrapper
    return ""


def _platforms(contents: _Contents) -> tuple[str, ...]:
    """Return the platforms that have a file: the names of the folders in ``binaries``."""
    paths = (PurePosixPath(name).parts for name in contents.sizes if not name.endswith("/"))
    return tuple(sorted({parts[1] for parts in paths if parts[0] == "binaries" and len(parts) > 2}))


def _sensors(contents: _Contents, parameters: dict[str, str]) -> tuple[dict[str, str], ...]:
    """Return the sensors of the packed configuration, or else the sensor of parameter preset."""
    listed = contents.parsed(PACKED_CONFIG, _yaml).get("sensors")
    if not isinstance(listed, list):
        preset = parameters.get("preset", "")
        return ({"name": preset, "preset": preset},)
    return tuple(
        {key: str(each.get(key) or "") for key in ("name", "preset")}
        for each in listed
        if isinstance(each, dict)
    )
