# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A room whose walls, floor and pillar are known, and clouds that the product simulates in it."""

import json

import numpy as np
import trimesh

from lidar_gap.twin.null_test import simulated
from osi_lidar import load_config
from tests.builders.files import written

SIZE_M = (8.0, 6.0, 3.0)
PILLAR_M = (0.6, 0.6, 3.0)
WALKER_M = (0.5, 0.5, 1.5)
SENSOR = {"preset": "OS1-32", "columns": 512, "range_limit": None, "max_range_m": 50}


def path_of_poses(n=10):
    """Poses along a bow through the room, each turned a little further."""
    matrix = np.tile(np.eye(4), (n, 1, 1))
    for number, share in enumerate(np.linspace(-1.0, 1.0, n)):
        yaw, pitch = 0.7 * share, 0.05 * share
        turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
        nod = np.array(
            [[np.cos(pitch), 0, np.sin(pitch)], [0, 1, 0], [-np.sin(pitch), 0, np.cos(pitch)]]
        )
        matrix[number, :3, :3] = turn @ nod
        matrix[number, :3, 3] = (1.5 * share - 1.0, 1.0 * share**2 - 1.2, 0.2 * share)
    return matrix


def write_room(folder, *, walker_at=None, name="room"):
    """Write the room as meshes, with a walker if one is there; return the configuration."""
    environment, mapping = [], {"Wall": "bright", "Pillar": "dark", "Walker": "bright"}
    parts = {"Wall": (SIZE_M, (0, 0, 0)), "Pillar": (PILLAR_M, (2.0, 1.0, 0.0))}
    if walker_at is not None:
        parts["Walker"] = (WALKER_M, walker_at)
    for material, (size, centre) in parts.items():
        box = trimesh.creation.box(size)
        lines = [f"v {x} {y} {z}" for x, y, z in box.vertices + centre] + [f"usemtl {material}"]
        lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in box.faces]
        file = written(folder / f"{name}_{material}.obj", "\n".join(lines) + "\n")
        environment.append({"mesh": file.name, "up": "z", "forward": "x"})
    define = {"bright": {"reflectance": 0.6}, "dark": {"reflectance": 0.1}}
    (folder / "room.materials.yaml").write_text(
        json.dumps({"materials": mapping, "define": define})
    )
    config = {
        "sensors": [{"name": "lidar", **SENSOR}],
        "scene": {"environment": environment, "ground": "none"},
        "materials": {"mapping": "room.materials.yaml"},
    }
    path = written(folder / f"{name}.yaml", json.dumps(config))
    return load_config(path)


def clouds_of(config, poses):
    return [cloud for cloud, _ in simulated(config, poses)]
