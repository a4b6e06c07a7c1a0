# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lets a wheel carry compiled kernels, if `tools/build_kernels.py` has made some.

Such a wheel is for one Python and one kind of machine. Its kernels are object code without a
library of the system in it, so that every Linux of the machine's kind can load them.
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "lidar_base/shipped_kernels"


class KernelsHook(BuildHookInterface[Any]):
    """Adds the folder of the kernels to a wheel, and says for which Python and machine it is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Change what a wheel holds; an editable one finds the folder in the clone."""
        if version == "editable" or not (Path(self.root) / FOLDER / "kernels.json").is_file():
            return
        python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        machine = sysconfig.get_platform().replace("linux", "manylinux_2_17", 1)
        build_data["tag"] = f"{python}-{python}-{machine.replace('-', '_').replace('.', '_')}"
        build_data["pure_python"] = False
        build_data["artifacts"].append(f"/{FOLDER}/*")
