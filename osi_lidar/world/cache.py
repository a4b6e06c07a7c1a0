# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Where this user's caches are."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from raycore.mesh.cache import MeshCache

VARIABLE = "OSI_LIDAR_CACHE"
"""Environment variable: another folder, or ``off``."""


def cache_folder() -> Path | None:
    """Return the folder for what can be made again; None if there is to be none."""
    named = os.environ.get(VARIABLE)
    if named == "off":
        return None
    try:
        return Path(named).expanduser() if named else _folder_of_user() / "osi-lidar"
    except RuntimeError:  # a user without a home
        return None


def _folder_of_user() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser()


def mesh_cache() -> MeshCache | None:
    """Return the cache of parsed meshes; None if there is to be none."""
    folder = cache_folder()
    return None if folder is None else MeshCache(folder / "meshes")
