# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The user's cache of meshes."""

from __future__ import annotations

from lidar_base.caches.folder import cache_folder
from raycore.mesh.cache import MeshCache


def mesh_cache() -> MeshCache | None:
    """Return the cache of parsed meshes; None if caching is off or the user has no home folder."""
    folder = cache_folder()
    return None if folder is None else MeshCache(folder / "meshes")
