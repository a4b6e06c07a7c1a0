# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``show shapes``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from lidar_app.cli.parts.completion import shapes as shape_names
from lidar_app.cli.parts.console import out, tell
from lidar_app.cli.parts.parameters import OUT, argument, option
from osi_lidar.errors import InputError

_Metres = Annotated[
    float | None,
    option(
        "METRES",
        "Side of the shape. Default: that of a usual one.",
        "Size",
        least=0.01,
        most=1000.0,
    ),
]


def shapes(
    name: str | None = argument("NAME", "Name of a shape.", shape_names),
    length: _Metres = None,
    width: _Metres = None,
    height: _Metres = None,
    out_file: Path | None = option(
        "FILE", "Mesh (.glb, .obj) or picture (.png) to write. Default: none.", *OUT
    ),
) -> None:
    """List the shapes of objects without a mesh, or write one, or a picture of all of them."""
    from lidar_app.show.meshes.files import SUFFIXES
    from lidar_app.show.meshes.shapes import shape_table, write_all, write_shape

    sides = length, width, height
    if name is None:
        for side, given in zip(("length", "width", "height"), sides, strict=True):
            if given is not None:
                raise InputError(f"--{side} needs the name of a shape")
        out.print(shape_table())
        if out_file is None:
            return
        if out_file.suffix.lower() != ".png":
            raise InputError(f"{out_file}: a picture of all shapes is a .png")
        write_all(out_file)
        written = [out_file]
    else:
        if out_file is not None and out_file.suffix.lower() not in (*SUFFIXES, ".png"):
            raise InputError(f"{out_file}: expected {' '.join(SUFFIXES)} or .png")
        written = write_shape(name, sides, out_file)
    for each in written:
        tell(str(each))
