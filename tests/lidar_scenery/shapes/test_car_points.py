# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A lidar counts as many points on a built-in car as on a mesh of a real one of the same size."""

import numpy as np
import pytest
import trimesh

from lidar_scenery.shapes.meshes import mesh_of
from lidar_scenery.shapes.vehicles import VEHICLES, car_kind
from osi_bridge.description.details import ObjectDetails
from raycore.mesh.loading import load_mesh

SENSOR_M = 1.9  # above the ground
STEP_DEG = 0.35
YAWS_DEG = np.arange(0, 360, 24)
TRANSPARENT = ("glass", "window", "headlight", "lens_clear")
CARS = {  # file, axes of length, width and height, metres per unit, whether its glass is named
    "openmaterial": ("openmaterial3d/vehicle_example/vehicle_example.gltf", "xzy", 1.0, True),
    "hatchback": ("gazebo/hatchback/meshes/hatchback.obj", "yxz", 0.0254, False),
    "prius": ("gazebo/prius_hybrid/meshes/Hybrid.obj", "yxz", 0.01, True),
    "suv": ("gazebo/suv/meshes/suv.obj", "yxz", 0.06, False),
}


def _solid(mesh, *, with_glass):
    """Return a mesh of what a laser does not pass through."""
    names = [material.name.lower() for material in mesh.materials]
    clear = [any(w in n for w in TRANSPARENT) and "reflector" not in n for n in names]
    faces = mesh.faces if with_glass else mesh.faces[~np.array(clear)[mesh.slot]]
    return trimesh.Trimesh(mesh.vertices_m.astype(float), faces, process=False)


def _count(solid, height_m, distance_m):
    """Return the points on a car whose middle is at a distance, averaged over its headings."""
    reach = np.degrees(3.5 / (distance_m - 3.0))
    azimuth = np.radians(np.arange(-reach, reach, STEP_DEG))
    up, down = np.degrees(0.6 / distance_m), np.degrees(2.4 / (distance_m - 3.0))
    elevation = np.radians(np.arange(-down, up, STEP_DEG))
    a, e = (each.ravel() for each in np.meshgrid(azimuth, elevation))
    ways = np.stack([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)], axis=1)
    start, points = np.array([-distance_m, 0.0, SENSOR_M - height_m / 2]), 0
    for yaw in np.radians(YAWS_DEG):
        c, s = np.cos(yaw), np.sin(yaw)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        origins = np.tile(turn @ start, (len(ways), 1))
        points += solid.ray.intersects_any(origins, ways @ turn.T).sum()
    return points / len(YAWS_DEG)


@pytest.mark.parametrize("car", CARS)
def test_car_has_as_many_points_as_a_real_one_where_a_box_has_more(real_data, car):
    file, axes, unit_m, has_glass = CARS[car]
    mesh = load_mesh(real_data / "models" / file)
    real = _solid(mesh, with_glass=not has_glass)
    everything = _solid(mesh, with_glass=True)
    order = ["xyz".index(axis) for axis in axes]
    low, high = everything.bounds
    size = tuple(((high - low)[order] * unit_m).tolist())
    real.vertices = (real.vertices - (low + high) / 2)[:, order] * unit_m
    model = VEHICLES[car_kind(size)].build(size, ObjectDetails())
    shape = _solid(mesh_of(model, car), with_glass=not has_glass)
    box = trimesh.creation.box(size)
    for distance_m in (10.0, 20.0, 40.0):
        counts = [_count(solid, size[2], distance_m) for solid in (real, shape, box)]
        assert counts[1] / counts[0] == pytest.approx(1.0, abs=0.2), distance_m
        assert counts[2] / counts[0] > 1.25, distance_m
