# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Puts the wheels of osi-lidar and of all its dependencies into an FMU, for this Python."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from typing import TYPE_CHECKING

from fmu_src.errors import BuildError
from fmu_src.vendored import WHEELS, write_manifest

if TYPE_CHECKING:
    from pathlib import Path


def vendor(source: Path, resources: Path) -> list[Path]:
    """Write the wheels, as pip chooses them for this Python; needs pip, and packages to be had.

    Parameters
    ----------
    source : Path
        Folder of pyproject.toml: its packages as they are there, and what they depend on.
    resources : Path
        Folder of the FMU's resources.

    Returns
    -------
    list of Path
        The wheels.

    Raises
    ------
    BuildError
        pip cannot get a package.
    """
    folder = resources / WHEELS
    command = [sys.executable, "-m", "pip", "wheel", "--disable-pip-version-check", "--quiet"]
    command += ["--wheel-dir", str(folder), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines or ["no reason"]
        raise BuildError(f"pip wheel {source}: {errors[-1]}")
    wheels = sorted(folder.glob("*.whl"))
    digest = hashlib.sha256()
    for wheel in wheels:
        digest.update(f"{wheel.name} ".encode() + hashlib.sha256(wheel.read_bytes()).digest())
    write_manifest(folder, digest.hexdigest()[:16])
    return wheels
