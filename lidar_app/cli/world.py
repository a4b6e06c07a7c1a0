# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands ``osi-lidar world`` and ``osi-lidar shapes``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.completion import shapes as shape_names
from lidar_app.cli.parts.console import out, say, tell
from lidar_app.cli.parts.options import (
    ConfigOption,
    MapOption,
    MappedSetup,
    Messages,
    TraceArgument,
)
from lidar_app.cli.parts.parameters import INPUT, OUT, argument, option, switch
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from osi_lidar.config import Config
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.world.world import World

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


def world(
    trace: TraceArgument,
    out_file: Annotated[Path, option("FILE", "Mesh to write: .glb or .obj.", *OUT)],
    config: ConfigOption = None,
    map_file: MapOption = None,
    *,
    messages: Messages,
    frame: int = option("N", "Message whose world is written.", INPUT, default=0, least=0),
    objects: bool = switch("Also static objects, signs and lights that the trace lists."),
) -> None:
    """Write the static world of a trace as a mesh: roads, markings, ground, environment."""
    from lidar_app.show.meshes.files import check_suffix, write_mesh

    check_suffix(out_file)
    chosen = MappedSetup(config=config, map_file=map_file).configuration()
    scene = _world(chosen, messages.of(trace, slice(0, frame + 1)), frame)
    placed = scene.static_meshes(objects=objects)
    if not placed:
        raise InputError(f"{trace}: has no lanes, map, ground or environment to write")
    files = write_mesh(out_file, placed)
    for fallback in scene.fallbacks:
        say(str(fallback), style="dim")
    n_triangles = sum(len(each.mesh.faces) for each in placed)
    tell(f"{n_triangles:,} triangles of {len(placed)} meshes")
    for line in (*scene.roads.lines, *map(str, files)):
        tell(line)


def _world(config: Config, source: FrameSource, frame: int) -> World:
    """Return the world at a message."""
    from osi_lidar.world.materials import material_resolver
    from osi_lidar.world.world import World

    resolver, folder = material_resolver(config), source.path.parent
    scene = World(config.scene, resolver, trace_folder=folder, seed=config.seed)
    n_read = 0
    for message in source.messages():
        if message.frame is not None:
            scene.update(message.frame)
            n_read += 1
    if n_read <= frame:
        raise InputError(f"{source.path}: has no message {frame}, only {n_read}")
    return scene


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
