# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Packing of the wheels of osi-lidar and all its dependencies into an FMU, for this Python."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from fmu_src.errors import BuildError
from fmu_src.exporter.licences.inventory import add_inventory
from fmu_src.exporter.rebuilt_wheel import rebuilt_wheel
from fmu_src.vendored import WHEELS, write_manifest

_NAME = "osi-lidar"


def vendor(source: Path, resources: Path) -> list[Path]:
    """Pack the wheels that pip chooses for this Python, with their licences and a list of them.

    This needs pip and access to a package index.

    Parameters
    ----------
    source : Path
        Folder from which osi-lidar is imported: a clone of the repository, or site-packages.
    resources : Path
        Folder of the FMU's resources.

    Returns
    -------
    list of Path
        The wheels.

    Raises
    ------
    BuildError
        There is no pip, or it cannot build or download a package.
    """
    if importlib.util.find_spec("pip") is None:
        raise BuildError(f"--vendor: pip is not installed for {sys.executable}")
    folder = resources / WHEELS
    with tempfile.TemporaryDirectory(prefix="osi_lidar_wheel_") as name:
        _run_pip(_origin(source, Path(name)), folder)
    wheels = sorted(folder.glob("*.whl"))
    digest = hashlib.sha256()
    for wheel in wheels:
        digest.update(f"{wheel.name} ".encode() + hashlib.sha256(wheel.read_bytes()).digest())
    write_manifest(folder, digest.hexdigest()[:16])
    add_inventory(resources.parent, wheels)
    return wheels


def _origin(source: Path, folder: Path) -> Path:
    """Return what pip gets osi-lidar from: a clone, or a wheel made of the installed files."""
    if (source / "pyproject.toml").is_file() and (source / "build_fmu.py").is_file():
        return source
    try:
        return rebuilt_wheel(distribution(_NAME), folder)
    except PackageNotFoundError as error:
        raise BuildError(
            f"--vendor: {source}: {_NAME} was not installed by pip from here; install it with pip"
        ) from error


_PIP = (
    "import sys; sys.path[:] = [each for each in sys.path if each]; "
    "import runpy; runpy.run_module('pip', run_name='__main__', alter_sys=True)"
)
"""Starts pip like ``python -m pip``, but never imports the user's files in the working folder."""


def _run_pip(origin: Path, folder: Path) -> None:
    """Write the wheels of a project and of all its dependencies."""
    command = [sys.executable, "-c", _PIP, "wheel", "--disable-pip-version-check", "--quiet"]
    command += ["--wheel-dir", str(folder), str(origin)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines or ["no reason"]
        raise BuildError(f"pip wheel {origin}: {errors[-1]}")
