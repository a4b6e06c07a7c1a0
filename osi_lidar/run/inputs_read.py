# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The inputs of a world: the files that were read, and what of them is not followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_base.unfollowed import NotFollowed
    from osi_lidar.world.world import World


def files_read(world: World) -> tuple[Path, ...]:
    """Return the map and the meshes that a world is made of."""
    drawn = world.roads.map_read
    return (*([] if drawn is None else [drawn[0]]), *world.library.loaded)


def not_followed(world: World) -> dict[str, tuple[NotFollowed, ...]]:
    """Return the contents that are passed over, by the input in words, such as "mesh van.glb"."""
    drawn = world.roads.map_read
    of_map = {} if drawn is None else {f"map {drawn[0].name}": drawn[2].not_followed}
    read = world.library.loaded.items()
    of_meshes = {f"mesh {path.name}": mesh.not_followed for path, mesh in read}
    met = world.fields
    of_messages = {f"OSI messages ({met.n_looked} looked at)": met.not_followed}
    inputs = {**of_map, **of_meshes, **of_messages}
    return {name: kinds for name, kinds in inputs.items() if kinds}
