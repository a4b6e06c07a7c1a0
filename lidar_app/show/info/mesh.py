# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a mesh holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_app.show.info.record import Info
from raycore.mesh.loading import load_mesh
from raycore.mesh.mesh_names import up_axis

if TYPE_CHECKING:
    from pathlib import Path


def mesh_info(path: Path) -> Info:
    """Return triangles, extent, up axis and visual materials of a mesh, and what is not followed.

    Raises
    ------
    MeshError
        If it cannot be read, or has no faces.
    """
    mesh = load_mesh(path)
    low, high = mesh.bounds_m.tolist()
    numbers = np.bincount(mesh.slot, minlength=len(mesh.materials)).tolist()
    facts: dict[str, object] = {
        "triangles": len(mesh.faces),
        "vertices": len(mesh.vertices_m),
        "from": low,
        "to": high,
        "size": [each - least for least, each in zip(low, high, strict=True)],
        "up_axis_by_default": up_axis(path),
    }
    rows = [
        {"visual_material": each.name or "(none)", "triangles": number}
        for each, number in zip(mesh.materials, numbers, strict=True)
    ]
    lists = {"materials": rows, "not_followed": [each._asdict() for each in mesh.not_followed]}
    return Info(path=path, kind="Mesh", facts=facts, lists=lists)
