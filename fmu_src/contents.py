# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What lies in the FMU's resources beside code: where it is, and what the build says about it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from .variables import Value

BUILD_FILE = "osi_lidar_build.json"
PACKED_CONFIG = "scenario/config.yaml"


@dataclass(frozen=True)
class Build:
    """What the build leaves for the FMU to read.

    Attributes
    ----------
    guid : str
        Made from the FMU's content.
    version : str
        Version of osi-lidar that it was built with.
    step_s : float
        Time of one scan, the step size that a master should take. [s]
    start : dict of name to value
        Start values of parameters.
    """

    guid: str = ""
    version: str = ""
    step_s: float = 0.1
    start: dict[str, Value] | None = None


def write_build(resources: Path, build: Build) -> None:
    """Write the file that ``read_build`` reads."""
    text = json.dumps(asdict(build), indent=2) + "\n"
    (resources / BUILD_FILE).write_text(text, encoding="utf-8")


def read_build(resources: Path) -> Build:
    """Return what the build has left.

    Raises
    ------
    OSError, ValueError, TypeError
        The file is absent or damaged.
    """
    return Build(**json.loads((resources / BUILD_FILE).read_text(encoding="utf-8")))


def packed_config(resources: Path) -> Path | None:
    """Return the configuration that the FMU carries, if it does."""
    file = resources / PACKED_CONFIG
    return file if file.is_file() else None
