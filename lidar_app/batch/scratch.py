# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The scratch folder of batches on this machine; only its user may write to it."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from lidar_base.caches.trust import make_own_folder, weak_point
from lidar_base.errors import OutputError


def check_scratch(folder: Path) -> None:
    """Raise OutputError if other users may write to the scratch folder, which need not exist.

    Jobs read copies of inputs from it. Another user could change a configuration there, and
    configurations may run Python code.
    """
    if why := weak_point(folder):
        raise OutputError(f"--scratch {folder}: expected a folder that only you can write: {why}")


def make_scratch(folder: Path) -> None:
    """Make the scratch folder unless it exists, and check that only this user may write to it.

    Raise OutputError if the folder cannot be made, or other users may write to it.
    """
    check_scratch(folder)
    try:
        make_own_folder(folder)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error


def default_scratch() -> Path:
    """Return the path of this user's default scratch folder on this machine; it may not exist."""
    user = re.sub(r"\W", "-", os.environ.get("USER") or os.environ.get("USERNAME") or "user")
    return Path(tempfile.gettempdir(), f"osi-lidar-{user}")
