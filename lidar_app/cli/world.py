# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``world``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.console import say, tell
from lidar_app.cli.parts.options import (
    ConfigOption,
    MapOption,
    MappedSetup,
    Messages,
    SurroundingsOption,
)
from lidar_app.cli.parts.parameters import INPUT, OUT, argument, option, switch
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from osi_lidar.config import Config
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.world.world import World


def world(
    trace: Annotated[
        Path, argument("TRACE", "OSI trace: .osi .mcap .txth, also .gz .xz; or a map: .xodr")
    ],
    out_file: Annotated[Path, option("FILE", "Mesh to write: .glb or .obj.", *OUT)],
    config: ConfigOption = None,
    map_file: MapOption = None,
    surroundings: SurroundingsOption = False,
    *,
    messages: Messages,
    frame: int = option("N", "Message whose world is written.", INPUT, default=0, limits=(0, None)),
    objects: bool = switch("Also write static objects, signs and lights that the trace lists."),
) -> None:
    """Write the static world of a trace or a map as a mesh: roads, ground, environment."""
    from lidar_app.show.meshes.files import check_suffix, write_mesh

    check_suffix(out_file)
    is_map = trace.suffix.lower() == ".xodr"
    if is_map and map_file is not None:
        raise InputError(f"--map: got {map_file} and the map {trace}, expected only one of them")
    if is_map and frame:
        raise InputError(f"--frame: got {frame}, but the map {trace} has no messages")
    drawn = trace if is_map else map_file
    setup = MappedSetup(config=config, map_file=drawn, surroundings=surroundings)
    chosen = setup.configuration()
    source = None if is_map else messages.of(trace, slice(0, frame + 1))
    scene = _world(chosen, source, frame)
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


def _world(config: Config, source: FrameSource | None, frame: int) -> World:
    """Return the world at a message, or without a trace the world of the configuration."""
    from osi_bridge import empty_frame
    from osi_lidar.run.replay import swept_ground_m
    from osi_lidar.world.materials import material_resolver
    from osi_lidar.world.road_world import wished
    from osi_lidar.world.world import World

    resolver, folder = material_resolver(config), None if source is None else source.path.parent
    scene = World(config.scene, resolver, trace_folder=folder, seed=config.seed)
    scene.roads.surroundings = wished(config, swept_ground_m(config, source))
    if source is None:
        scene.update(empty_frame())
        return scene
    n_read = 0
    for message in source.messages():
        if message.frame is not None:
            scene.update(message.frame)
            n_read += 1
    if n_read <= frame:
        raise InputError(f"{source.path}: has no message {frame}, expected 0 to {n_read - 1}")
    return scene
