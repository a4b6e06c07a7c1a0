# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The modules of the extension for Blender that do not import bpy."""

import importlib
import runpy
import sys
from pathlib import Path
from types import ModuleType

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "integrations" / "blender"
NAME = "osi_lidar_in_blender"


def part(name):
    """Return a module of the extension; its package, which imports bpy, stays unread."""
    if NAME not in sys.modules:
        package = ModuleType(NAME)
        package.__path__ = [str(FOLDER)]
        sys.modules[NAME] = package
    return importlib.import_module(f"{NAME}.{name}")


def build_zip(folder):
    """Build the zip of the extension, as the Makefile does, and return its path."""
    return runpy.run_path(str(REPOSITORY / "tools" / "build_blender.py"))["build"](folder)
