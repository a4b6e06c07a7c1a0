# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The Python that builds an FMU: its shared library, its package folders, and a record of both."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import osi_lidar
from fmu_src.host_record import python_version

if TYPE_CHECKING:
    from collections.abc import Iterable


def record(package: str, sites: Iterable[Path]) -> str:
    """Return the text of the record with which the native wrapper finds Python and the FMU's code.

    ``package`` is the name of the FMU's Python package, and ``sites`` are folders of packages of
    the Python that builds the FMU.

    The record has lines ``key=value``. If the process has no Python yet, the wrapper tries the
    shared libraries in the order of the ``library`` lines. Only a Python whose version equals
    ``python`` is started under the path ``executable``, and searches the ``site`` folders if it
    lacks osi-lidar.
    """
    lines = [("package", package), ("python", python_version())]
    lines += [("executable", sys.executable)]
    lines += [("library", name) for name in library_names()]
    lines += [("site", str(folder)) for folder in sites]
    return "".join(f"{key}={value}\n" for key, value in lines)


def site_folders() -> list[Path]:
    """Return the folders from which the building environment imports osi-lidar's packages."""
    folders = [Path(osi_lidar.__file__).resolve().parents[1]]
    folders += [Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")]
    return list(dict.fromkeys(folders))


def library_names() -> list[str]:
    """Return shared libraries of this Python: paths of existing files, then names to look up."""
    paths, names = _libraries()
    there = [str(path) for path in dict.fromkeys(paths) if path.is_file()]
    return there + list(dict.fromkeys(names))


def _libraries() -> tuple[list[Path], list[str]]:
    """Return possible paths of Python's shared library, and names for the system's loader."""
    version = python_version()
    flags = sysconfig.get_config_var("abiflags") or ""
    bases = [Path(sys.base_prefix), Path(sys.base_exec_prefix)]
    if sys.platform == "win32":
        name = f"python{version.replace('.', '')}{flags}.dll"
        return [base / name for base in bases], [name]
    built = [sysconfig.get_config_var(name) or "" for name in ("INSTSONAME", "LDLIBRARY")]
    if sys.platform == "darwin":
        name = f"libpython{version}{flags}.dylib"
        framework = sysconfig.get_config_var("PYTHONFRAMEWORKPREFIX")
        folders = [Path(framework)] if framework else []
    else:
        name = f"libpython{version}{flags}.so.1.0"
        folders = []
    folders += [Path(sysconfig.get_config_var("LIBDIR") or "/usr/lib")]
    folders += [base / "lib" for base in bases]
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    folders += [folder / multiarch for folder in folders]
    named = dict.fromkeys([*(each for each in built if not each.endswith(".a")), name])
    return [folder / each for folder in folders for each in named if each], [name]
