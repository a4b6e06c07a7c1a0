# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``show cache``."""

from __future__ import annotations

from lidar_app.cli.parts.console import EXIT_UNUSABLE, fail, line, out
from lidar_app.cli.parts.parameters import switch


def cache(clear: bool = switch("Remove all cached meshes.")) -> None:
    """Show the folder of the mesh cache and how much it holds."""
    from osi_lidar.world.cache import VARIABLE, mesh_cache

    meshes = mesh_cache()
    if meshes is None:
        out.print(f"There is no mesh cache: {VARIABLE} is off, or the user has no home folder.")
        return
    entries = meshes.entries()
    if clear:
        try:
            meshes.clear()
        except OSError as error:
            fail(f"{meshes.folder}: cannot be cleared: {error.strerror}", EXIT_UNUSABLE)
    megabytes = sum(n_bytes for _, n_bytes in entries) / 1e6
    what = f"{len(entries)} meshes, {megabytes:.1f} MB{' removed' if clear else ''}"
    line(f"{meshes.folder}: {what}")
