# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Packing of the wheels of osi-lidar and all its dependencies into an FMU, for this Python."""

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
    """Write the wheels that pip chooses for this Python; needs pip and access to the packages.

    Parameters
    ----------
    source : Path
        Folder of pyproject.toml. Its packages and their dependencies are packed.
    resources : Path
        Folder of the FMU's resources.

    Returns
    -------
    list of Path
        The wheels.

    Raises
    ------
    BuildError
        pip cannot build or download a package.
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
