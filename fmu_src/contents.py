# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Resources of the FMU other than code: build information and the packed configuration."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from .variables import Value

MODEL_NAME = "OsiLidar"
"""Name of the model, and of the FMU's library."""
BUILD_FILE = "osi_lidar_build.json"
PACKED_CONFIG = "scenario/config.yaml"


@dataclass(frozen=True)
class Build:
    """Build information, read by the FMU at run time.

    Attributes
    ----------
    guid : str
        GUID, derived from the FMU's content.
    version : str
        Version of osi-lidar that built the FMU.
    step_s : float
        Time of one scan, the recommended step size of a master. [s]
    start : dict of name to value
        Start values of parameters.
    """

    guid: str = ""
    version: str = ""
    step_s: float = 0.1
    start: dict[str, Value] | None = None


def write_build(resources: Path, build: Build) -> None:
    """Write the build information of an FMU into its folder of resources, as a JSON file.

    ``resources`` is this folder, which must exist; the file `BUILD_FILE` in it is replaced if it is
    there. ``build`` is the build information.
    """
    text = json.dumps(asdict(build), indent=2) + "\n"
    (resources / BUILD_FILE).write_text(text, encoding="utf-8")


def read_build(resources: Path) -> Build:
    """Read the build information of an FMU from its folder of resources.

    Parameters
    ----------
    resources : Path
        The folder of resources of the unpacked FMU. `write_build` has written `BUILD_FILE` there.

    Raises
    ------
    OSError, ValueError, TypeError
        `BUILD_FILE` is absent or damaged.
    """
    return Build(**json.loads((resources / BUILD_FILE).read_text(encoding="utf-8")))


def packed_config(resources: Path) -> Path | None:
    """Return the path of the configuration file inside an FMU; None if the FMU has none.

    ``resources`` is the folder of resources of the unpacked FMU.
    """
    file = resources / PACKED_CONFIG
    return file if file.is_file() else None
