# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Packages inside the FMU, for a Python that lacks them.

The wheels are unpacked once per user, into a folder named after their content, instead of beside
the FMU. Masters unpack an FMU again for every run, but numba's cache is valid only for sources with
the same path and time. A folder that other users may write to is not used, see `trust`. The folder
is appended to ``sys.path``, so that packages of the host take precedence. This module imports only
the standard library.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import sysconfig
import tempfile
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath

from .trust import make_own_folder, own_folder

WHEELS = "wheels"
VENDOR_FILE = "vendor.json"
CACHE_VARIABLE = "OSI_LIDAR_FMU_CACHE"


def host_python() -> str:
    """Return version and platform of this Python as one text; compiled wheels depend on both."""
    return f"{sys.implementation.cache_tag} {sysconfig.get_platform()}"


def write_manifest(wheels: Path, digest: str) -> None:
    """Write the manifest of the wheels into their folder ``wheels``; ``activate`` reads it.

    It names the Python and platform that the wheels are for, and ``digest``, a hash of their
    content.
    """
    text = json.dumps({"python": host_python(), "digest": digest}, indent=2) + "\n"
    (wheels / VENDOR_FILE).write_text(text, encoding="utf-8")


def activate(resources: Path | None = None) -> None:
    """Make the packages inside the FMU importable if the host's Python lacks one of them.

    Nothing is done if the FMU contains no packages. ``resources`` is the folder of resources of the
    unpacked FMU. By default, it is the folder above the FMU's Python package, which has this
    module.

    Raises
    ------
    ImportError
        The packages are for another Python or platform, or cannot be unpacked.
    """
    wheels = (resources or Path(__file__).resolve().parents[1]) / WHEELS
    if not wheels.is_dir() or not (absent := _absent(wheels)):
        return
    manifest = json.loads((wheels / VENDOR_FILE).read_text(encoding="utf-8"))
    if manifest["python"] != host_python():
        raise ImportError(
            f"the FMU contains packages for {manifest['python']}, but this is {host_python()}, "
            f"which lacks {', '.join(absent)}"
        )
    folder = str(_unpacked(wheels, manifest["digest"]))
    if folder not in sys.path:
        sys.path.append(folder)


def cache_folder() -> Path:
    """Return the user's folder for unpacked packages."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "osi-lidar" / "fmu"


def _absent(wheels: Path) -> list[str]:
    """Return the names of the packages that this Python lacks."""
    absent = []
    for wheel in sorted(wheels.glob("*.whl")):
        name = wheel.name.split("-", 1)[0]
        try:
            distribution(name)
        except PackageNotFoundError:
            absent.append(name)
    return absent


def _unpacked(wheels: Path, digest: str) -> Path:
    """Return the folder of the unpacked wheels; unpack the wheels if it does not exist yet.

    The wheels are unpacked into a temporary folder, which is then renamed. So an existing folder is
    always complete, even if several processes start at once. If the user's folder cannot be
    written, or other users may write to it, the wheels are unpacked beside the wheel files.
    """
    for parent in (cache_folder(), wheels):
        folder = parent / digest
        try:
            if folder.is_dir():
                return own_folder(folder)
            work = Path(tempfile.mkdtemp(prefix=f"{digest}-", dir=make_own_folder(parent)))
        except (OSError, RuntimeError):
            continue
        try:
            for wheel in sorted(wheels.glob("*.whl")):
                _unpack(wheel, work)
            with contextlib.suppress(OSError):  # another process was faster
                work.rename(folder)
            if folder.is_dir():
                return own_folder(folder)
        except OSError:  # for instance, no space left
            continue
        finally:
            shutil.rmtree(work, ignore_errors=True)
    raise ImportError(f"{wheels}: cannot be unpacked; set {CACHE_VARIABLE} to a folder of your own")


def _unpack(wheel: Path, folder: Path) -> None:
    """Unpack the importable part of a wheel."""
    with zipfile.ZipFile(wheel) as file:
        for name in file.namelist():
            if name.endswith("/"):
                continue
            parts = PurePosixPath(name).parts
            if parts[0].endswith(".data"):
                if parts[1] not in ("purelib", "platlib"):  # scripts, man pages
                    continue
                parts = parts[2:]
            target = folder.joinpath(*parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            with file.open(name) as source, target.open("wb") as copy:
                shutil.copyfileobj(source, copy)
