# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The record that a build leaves for the native wrapper: where Python and the packages are.

The record has lines ``key=value`` in UTF-8, which the C code of the wrapper can read. ``package``
names the FMU's Python package. The other keys describe the interpreter that built the FMU:
``executable`` is its path, ``library`` a name of its shared library (the most exact name first),
``python`` its version, and ``site`` a folder of its packages.
This module imports only the standard library, and modules that do the same.
"""

from __future__ import annotations

import contextlib
import importlib.util
import signal
import site
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .contents import read_build

RECORD_FILE = "osi_lidar_python.txt"
ROOMS = ("lidar_base", "lidar_scenery", "material_mapping", "osi_bridge", "osi_lidar", "raycore")
"""Packages of osi-lidar that an FMU imports. The code of `fmu_src` itself is in the FMU."""


def python_version() -> str:
    """Return the version of this Python to which compiled packages are bound, such as "3.12"."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def read_record(resources: Path) -> list[tuple[str, str]]:
    """Return (key, value) for each line of the record that the build of the FMU left.

    ``resources`` is the folder of resources of the unpacked FMU. The list is in the order of the
    lines, and a key may occur several times. It is empty if there is no record.

    Raises
    ------
    OSError
        The record cannot be read.
    """
    file = resources / RECORD_FILE
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [(key, value) for key, _, value in (line.partition("=") for line in lines)]


def add_site_folders(resources: Path) -> None:
    """If this Python lacks osi-lidar, make the packages of the building environment importable.

    That is the environment that built the FMU. Nothing is done if it has another Python version,
    because compiled packages fit only one version. ``resources`` is the folder of resources of the
    unpacked FMU, whose record names the folders of these packages.
    """
    record = read_record(resources)
    if ("python", python_version()) not in record or importlib.util.find_spec("osi_lidar"):
        return
    for key, value in record:
        if key == "site" and Path(value).is_dir():
            site.addsitedir(value)


def give_back_sigint() -> None:
    """Restore the default action of SIGINT (Ctrl+C) in a host that is not a Python program.

    When pythonfmu starts Python in such a host, Python replaces the default action of SIGINT. A
    host that is a Python program is recognised by its Python command line (``sys.orig_argv``).
    """
    if not sys.orig_argv and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with contextlib.suppress(ValueError):  # not the thread that started Python
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def missing_packages(error: ImportError) -> str:
    """Return one line that names the packages that cannot be imported, and says how to get them.

    ``error`` is the exception that an import in the FMU raised.
    """
    here = f"{sys.executable or sys.prefix} (Python {python_version()})"
    if _is_of_another_version(error):
        built, installed = _versions()
        return (
            f"the FMU was built by osi-lidar {built}, and does not fit osi-lidar {installed} of "
            f"{here}: build it again there, or pip install osi-lidar=={built} ({error})"
        )
    if isinstance(error, ModuleNotFoundError):
        # without osi_lidar, its dependencies are missing, too
        name = error.name if importlib.util.find_spec("osi_lidar") else "osi_lidar"
        return (
            f"{name} is not installed for {here}: pip install osi-lidar there, or build the "
            "FMU with --vendor"
        )
    return f"{here} cannot load the packages of osi-lidar: {error}"


def _is_of_another_version(error: ImportError) -> bool:
    """Return whether a module or name is missing in an installed package of osi-lidar.

    This means that the installed osi-lidar has another version than the FMU.
    """
    room, _, part = (error.name or "").partition(".")
    is_partial = part or not isinstance(error, ModuleNotFoundError)
    return bool(room in ROOMS and is_partial and importlib.util.find_spec(room))


def _versions() -> tuple[str, str]:
    """Return two versions of osi-lidar: the one that built the FMU, and the one installed here."""
    built = installed = "of another version"
    with contextlib.suppress(OSError, ValueError, TypeError):
        built = read_build(Path(__file__).resolve().parents[1]).version
    with contextlib.suppress(PackageNotFoundError):
        installed = version("osi-lidar")
    return built, installed
