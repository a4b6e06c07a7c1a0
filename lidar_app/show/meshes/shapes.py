# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The built-in shapes on the command line: their table, their meshes, their pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.show.meshes.files import write_mesh
from lidar_base.files.whole_files import replacing
from lidar_base.near_match import near_match
from lidar_base.tables import table
from lidar_scenery.shapes.catalogue import SHAPES, make_shape, standing_shape
from osi_bridge import ObjectDetails
from osi_lidar.errors import InputError
from osi_lidar.world.object_records import PlacedMesh

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lidar_base.tables import Table
    from raycore.mesh.mesh import Mesh


def shape_table() -> Table:
    """Return a table of all built-in shapes, with their usual sizes and numbers of triangles."""
    rows = []
    for name, builder in SHAPES.items():
        size = " x ".join(f"{side:.2f}" for side in builder.usual_m)
        rows.append((name, builder.words, size, f"{len(usual_shape(name).faces):,}"))
    headings = ("Name", "What", "Usual size, m", "Triangles")
    return table("Shapes of objects without a mesh", headings, rows)


def usual_shape(name: str) -> Mesh:
    """Return the mesh of a built-in shape in its usual size.

    `name` is a key of `SHAPES`, such as "car"; KeyError for other names.
    """
    return make_shape(standing_shape(name, SHAPES[name].usual_m, ObjectDetails()))


def write_all(path: Path) -> None:
    """Write one picture (PNG) of all built-in shapes in their usual sizes.

    `path` is the file, which is replaced if it exists.
    """
    from lidar_app.show.meshes.pictures import write_sheet  # noqa: PLC0415  the extra plot

    with replacing(path) as temporary:
        write_sheet({name: usual_shape(name) for name in SHAPES}, temporary)


def write_shape(name: str, sides_m: Iterable[float | None], path: Path | None = None) -> list[Path]:
    """Write a built-in shape as a mesh that stands on the ground, or a picture of it.

    Parameters
    ----------
    name : str
        Name of the shape.
    sides_m : iterable of float or None
        Length, width and height; None for a side with the usual value. [m]
    path : Path, optional
        ``.glb``, ``.obj`` or ``.png``; default: the name with ``.glb``, in the current folder.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        If the shape is not known, or the suffix of the file is not allowed.
    """
    if name not in SHAPES:
        hint = near_match(name, sorted(SHAPES)) or ", see `osi-lidar show shapes`"
        raise InputError(f"unknown shape {name!r}{hint}")
    usual_m = SHAPES[name].usual_m
    length, width, height = (u if s is None else s for s, u in zip(sides_m, usual_m, strict=True))
    mesh = make_shape(standing_shape(name, (length, width, height), ObjectDetails()))
    target = path or Path(f"{name}.glb")
    if target.suffix.lower() == ".png":
        from lidar_app.show.meshes.pictures import write_picture  # noqa: PLC0415  the extra plot

        with replacing(target) as temporary:
            write_picture(mesh, temporary)
        return [target]
    on_ground = np.eye(4)
    on_ground[2, 3] = 0.5 * height
    return write_mesh(target, [PlacedMesh(mesh, on_ground)])
