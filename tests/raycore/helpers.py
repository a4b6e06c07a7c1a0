# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Small scenes and rays for the tests of the ray core."""

import math
from dataclasses import dataclass

import numpy as np

from raycore.mesh.materials import VisualMaterial
from raycore.mesh.mesh import Mesh
from raycore.records import NOTHING, Shots
from raycore.trace.embree_tracer import EmbreeTracer

TRACER = EmbreeTracer()


def mesh(vertices, faces, slot=None, slot_names=("surface",)):
    faces = np.asarray(faces, np.uint32)
    return Mesh(
        name="test mesh",
        vertices_m=np.ascontiguousarray(vertices, np.float32),
        faces=faces,
        slot=np.zeros(len(faces), np.uint16) if slot is None else np.asarray(slot, np.uint16),
        materials=tuple(VisualMaterial(name=name) for name in slot_names),
        origin_m=np.zeros(3),
    )


def corners_m(a_mesh):
    """Return the corners of each face in the frame of the mesh, (n_face, 3, 3)."""
    return a_mesh.vertices_m.astype(np.float64)[a_mesh.faces] + a_mesh.origin_m


def rays(direction, max_range_m=1000.0, *, coherent=False):
    direction = np.asarray(direction, np.float64)
    direction = direction / np.linalg.norm(direction, axis=1, keepdims=True)
    return Shots(
        origin_m=np.zeros((1, 3), np.float32),
        direction=np.ascontiguousarray(direction.T, np.float32),
        time=np.zeros(1, np.float32),
        start_m=np.zeros(1, np.float32),
        moment=np.zeros(1, np.uint32),
        weight=np.ones(1, np.float32),
        max_range_m=max_range_m,
        coherent=coherent,
    )


def fan(n=181, half_angle_deg=45.0, elevations_deg=(-20, -5, 0, 5, 20)):
    azimuth = np.radians(np.linspace(half_angle_deg, -half_angle_deg, n))
    rows = [
        np.stack(
            [
                math.cos(e) * np.cos(azimuth),
                math.cos(e) * np.sin(azimuth),
                np.full(n, math.sin(e)),
            ],
            axis=1,
        )
        for e in np.radians(elevations_deg)
    ]
    return np.concatenate(rows)


def pose(position_m=(0.0, 0.0, 0.0), rotation=None, scale=1.0):
    matrix = np.eye(4)
    matrix[:3, :3] = (np.eye(3) if rotation is None else rotation) * scale
    matrix[:3, 3] = position_m
    return matrix


def rotation_z(angle_rad):
    c, s = np.cos(angle_rad), np.sin(angle_rad)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def random_rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    if np.linalg.det(q) < 0:
        q[:, 0] = -q[:, 0]
    return q


def sphere_of_directions(n, rng):
    d = rng.normal(size=(n, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


@dataclass(frozen=True)
class Seen:
    """The rays that met something, in their order; normals are (n, 3)."""

    beam: np.ndarray
    range_m: np.ndarray
    normal: np.ndarray
    cos_incidence: np.ndarray
    instance: np.ndarray
    primitive: np.ndarray
    mesh: np.ndarray
    slot: np.ndarray

    def __len__(self):
        return len(self.beam)


def seen(scene, hits):
    """Return the hits of the rays that met something, copied."""
    beam = np.flatnonzero(hits.instance != NOTHING)
    instance, primitive = hits.instance[beam], hits.primitive[beam]
    mesh = scene.tables.mesh_of_instance[instance]
    slot = scene.tables.slot_of_primitive[scene.tables.first_row[mesh] + primitive]
    normal, cosine = hits.normal[:, beam].T, hits.cos_incidence[beam]
    return Seen(beam, hits.range_m[beam], normal, cosine, instance, primitive, mesh, slot)


def trace(scene, the_rays, world_from_sensor=None):
    world_from_sensor = np.eye(4) if world_from_sensor is None else world_from_sensor
    scene.commit(world_from_sensor.reshape(-1, 4, 4)[0, :3, 3])
    return seen(scene, TRACER.trace(scene, the_rays, world_from_sensor))
