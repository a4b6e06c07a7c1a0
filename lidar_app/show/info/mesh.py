# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of a mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_app.show.info.record import Info
from raycore.mesh.copies import bounds_m
from raycore.mesh.loading import load_copies
from raycore.mesh.mesh_names import up_axis

if TYPE_CHECKING:
    from pathlib import Path


def mesh_info(path: Path) -> Info:
    """Return triangles, extent, up axis and materials of a mesh file, and ignored contents.

    `path` is the file. Extents are in m. The list ``materials`` has
    the number of triangles of each visual material.

    Raises
    ------
    MeshError
        If the mesh cannot be read, or has no faces.
    """
    copies = load_copies(path)
    mesh, n_triangles = copies[0].mesh, sum(each.n_triangles for each in copies)
    low, high = bounds_m(copies).tolist()
    numbers = np.sum(
        [
            len(places) * np.bincount(each.slot, minlength=len(mesh.materials))
            for each, places in copies
        ],
        axis=0,
    )
    n_kept = sum(len(each.mesh.faces) for each in copies)
    facts: dict[str, object] = {
        "triangles": n_triangles,
        "triangles_kept_once": n_kept if n_kept < n_triangles else None,
        "vertices": sum(each.n_vertices for each in copies),
        "from": low,
        "to": high,
        "size": [each - least for least, each in zip(low, high, strict=True)],
        "up_axis_by_default": up_axis(path),
    }
    rows = [
        {"visual_material": each.name or "(none)", "triangles": number}
        for each, number in zip(mesh.materials, numbers.tolist(), strict=True)
    ]
    lists = {"materials": rows, "not_followed": [each._asdict() for each in mesh.not_followed]}
    return Info(path=path, kind="Mesh", facts=facts, lists=lists)
