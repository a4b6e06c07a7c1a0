# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Location of the user's caches."""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "OSI_LIDAR_CACHE"
"""Environment variable that names another cache folder, or is ``off``."""


def cache_folder() -> Path | None:
    """Return the cache folder; None if caching is off or the user has no home folder."""
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
