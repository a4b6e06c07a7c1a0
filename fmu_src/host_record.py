# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The record that a build leaves for the native wrapper: where Python and the packages are.

Lines ``key=value`` in UTF-8, which C reads as well: ``package``, the name of the FMU's Python
package; ``executable``, the interpreter that built the FMU; ``library``, names of its shared
library, the most exact one first; ``python``, its version; ``site``, the folders of its packages.
This module imports only the standard library, and what does so.
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
"""Packages of osi-lidar that an FMU imports; its own code travels in it."""


def python_version() -> str:
    """Return the version of this Python to which compiled packages are bound."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def read_record(resources: Path) -> list[tuple[str, str]]:
    """Return the keys and values of the record; none if there is no record.

    Raises
    ------
    OSError
        The record cannot be read.
    """
    file = resources / RECORD_FILE
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [(key, value) for key, _, value in (line.partition("=") for line in lines)]


def add_site_folders(resources: Path) -> None:
    """Make the packages of the environment that built the FMU importable where osi-lidar is absent.

    Only a Python of the same version takes them: compiled packages are made for one.
    """
    record = read_record(resources)
    if ("python", python_version()) not in record or importlib.util.find_spec("osi_lidar"):
        return
    for key, value in record:
        if key == "site" and Path(value).is_dir():
            site.addsitedir(value)


def give_back_sigint() -> None:
    """Give SIGINT back to a host that is no Python program, where starting Python has taken it.

    pythonfmu starts Python so that SIGINT is Python's where it had the default action. A host that
    is Python has a command line.
    """
    if not sys.orig_argv and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with contextlib.suppress(ValueError):  # another thread than that which started Python
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def missing_packages(error: ImportError) -> str:
    """Return one line about packages that cannot be imported, which says what to do."""
    here = f"{sys.executable or sys.prefix} (Python {python_version()})"
    if _is_of_another_version(error):
        built, installed = _versions()
        return (
            f"the FMU was built by osi-lidar {built}, and does not fit osi-lidar {installed} of "
            f"{here}: build it again there, or pip install osi-lidar=={built} ({error})"
        )
    if isinstance(error, ModuleNotFoundError):
        # where osi_lidar is absent, so are the packages that come with it
        name = error.name if importlib.util.find_spec("osi_lidar") else "osi_lidar"
        return (
            f"{name} is not installed for {here}: pip install osi-lidar there, or build the "
            "FMU with --vendor"
        )
    return f"{here} cannot load the packages of osi-lidar: {error}"


def _is_of_another_version(error: ImportError) -> bool:
    """Return whether a part is missing of a package of osi-lidar that is there as a whole."""
    room, _, part = (error.name or "").partition(".")
    is_partial = part or not isinstance(error, ModuleNotFoundError)
    return bool(room in ROOMS and is_partial and importlib.util.find_spec(room))


def _versions() -> tuple[str, str]:
    """Return the versions of osi-lidar that built the FMU, and that this Python has."""
    built = installed = "of another version"
    with contextlib.suppress(OSError, ValueError, TypeError):
        built = read_build(Path(__file__).resolve().parents[1]).version
    with contextlib.suppress(PackageNotFoundError):
        installed = version("osi-lidar")
    return built, installed
