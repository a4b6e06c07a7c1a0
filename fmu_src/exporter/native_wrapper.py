# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The native wrapper of this project: a C library per platform, a record of where Python is."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import NamedTuple

from fmu_src.contents import MODEL_NAME
from fmu_src.errors import BuildError
from fmu_src.exporter.building_python import record, site_folders
from fmu_src.exporter.tree import BINARIES, RESOURCES, copy, put
from fmu_src.exporter.universal import universal
from fmu_src.host_record import RECORD_FILE
from osi_lidar.version import __version__

LIBRARIES = Path(__file__).resolve().parents[1] / "native" / "lib"
"""Folder of the libraries, by platform."""
_HEADERS_LICENCE = LIBRARIES.parent / "fmi" / "LICENSE.txt"
_MACHINES = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}
_SYSTEMS = {"win32": "windows"}


class Target(NamedTuple):
    """A platform for which the native library is compiled.

    Attributes
    ----------
    name : str
        Name of the platform in FMI 3.0, also the name of the folder that holds its library.
    fmi2_name : str
        Name of the platform in FMI 2.0.
    suffix : str
        Suffix of a shared library, such as ".so".
    """

    name: str
    fmi2_name: str
    suffix: str

    @property
    def library(self) -> Path:
        """Path of the compiled library for this platform."""
        return LIBRARIES / self.name / f"{MODEL_NAME}{self.suffix}"


TARGETS = (
    Target("x86_64-linux", "linux64", ".so"),
    Target("aarch64-linux", "aarch64-linux", ".so"),
    Target("x86_64-windows", "win64", ".dll"),
    Target("x86_64-darwin", "darwin64", ".dylib"),
    Target("aarch64-darwin", "aarch64-darwin", ".dylib"),
)
MACS = TARGETS[-2:]


class NativeWrapper:
    """The native wrapper of this project, written in C.

    Parameters
    ----------
    fmi : int
        Major version of FMI.
    one_platform : bool
        Whether the FMU runs only on the platform of the build, because of the wheels inside.
    """

    name = "native"
    tool = f"osi-lidar {__version__}"
    unused = ("pythonfmu_slave.py",)
    stamp = ""

    def __init__(self, *, fmi: int, one_platform: bool) -> None:
        self._fmi = fmi
        self._one_platform = one_platform

    def add(self, root: Path) -> None:
        """Add the compiled libraries of the wrapper to the files of an FMU.

        ``root`` is the folder with these files; the libraries go to a folder for each platform
        below ``binaries``. If the FMU runs only on the platform of the build, only its library is
        added. An FMU of FMI 2.0 for Macs also gets a library for both kinds, in ``darwin64``.

        Raises
        ------
        BuildError
            A library is not compiled, or there is none for the platform of the build.
        """
        targets = (here(),) if self._one_platform else TARGETS
        for target in targets:
            if not target.library.is_file():
                raise BuildError(f"{target.library}: no such file; 'make fmu-native' compiles it")
            folder = target.fmi2_name if self._fmi == 2 else target.name
            copy(target.library, root, f"{BINARIES}/{folder}/{target.library.name}")
        if self._fmi == 2 and any(target in MACS for target in targets):
            # masters of FMI 2.0 look there on both kinds of Macs
            library = universal(*(target.library.read_bytes() for target in MACS))
            put(root, f"{BINARIES}/{MACS[0].fmi2_name}/{MACS[0].library.name}", library)

    def add_start(self, root: Path, package: str) -> None:
        """Add the record with which the native wrapper finds Python to the FMU's files in ``root``.

        ``package`` is the name of the FMU's Python package; see `building_python.record`.
        """
        sites = () if self._one_platform else site_folders()
        put(root, f"{RESOURCES}/{RECORD_FILE}", record(package, sites))

    @staticmethod
    def licences() -> dict[str, str]:
        """Return the texts of third-party licences for parts of the library, by file name."""
        return {"fmi_headers.txt": _HEADERS_LICENCE.read_text(encoding="utf-8")}


def here() -> Target:
    """Return the platform of this Python.

    Raises
    ------
    BuildError
        The native library is not available for this platform.
    """
    machine = platform.machine().lower()
    name = f"{_MACHINES.get(machine, machine)}-{_SYSTEMS.get(sys.platform, sys.platform)}"
    for target in TARGETS:
        if target.name == name:
            return target
    names = ", ".join(target.name for target in TARGETS)
    raise BuildError(f"--vendor: the FMU has no library for {name}, only for {names}")
