# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Beams that fan out into sub-rays, beside the same rays one by one."""

from dataclasses import replace

import numpy as np
import pytest

from raycore.errors import RayCoreError
from raycore.mesh.mesh import box, plane
from raycore.pattern.fan_kernels import across
from raycore.pattern.footprint import Footprint
from raycore.records import NOTHING, Shots
from raycore.scene.graph import SceneGraph
from raycore.trace.embree_tracer import EmbreeTracer
from tests.raycore.helpers import pose, rotation_z, sphere_of_directions

N_BEAMS, N_SUB = 700, 32


def fanned(rng, **columns):
    """Return beams in all directions, each with its own origin, time and fan."""
    footprint = Footprint(sigma_rad=(3e-3, 1e-3), window_sigma_m=(0.004, 0.002), n_points=N_SUB)
    fan = footprint.fans()
    direction = sphere_of_directions(N_BEAMS, rng)
    direction = direction / np.linalg.norm(direction, axis=1, keepdims=True)
    return Shots(
        **{
            "origin_m": rng.normal(0.0, 0.1, (N_BEAMS, 3)).astype(np.float32),
            "direction": np.ascontiguousarray(direction.T, np.float32),
            "time": np.zeros(1, np.float32),
            "start_m": np.zeros(1, np.float32),
            "moment": np.zeros(1, np.uint32),
            "weight": footprint.weight,
            "max_range_m": 200.0,
            "coherent": True,
            "fan": fan,
            "fan_of_beam": rng.integers(len(fan), size=N_BEAMS).astype(np.uint16),
            **columns,
        }
    )


def street():
    scene = SceneGraph()
    scene.add(scene.add_mesh(box(np.array([3.0, 2.0, 1.0]))), pose((9, 1, 0), rotation_z(0.3)))
    scene.add(scene.add_mesh(plane(500.0)), pose((0, 0, -1.5)))
    scene.commit(np.zeros(3))
    return scene


def test_a_sub_ray_is_its_beams_axis_and_the_parts_of_its_fan():
    shots = fanned(np.random.default_rng(1))
    rays = shots.rays()
    assert len(rays) == len(shots) == N_BEAMS * N_SUB
    for beam in (0, 5, N_BEAMS - 1):
        axis = shots.direction[:, beam].astype(np.float64)
        left, up = (np.array(one) for one in across(*map(float, axis)))
        along, aside, above, start_left, start_up = shots.fan[shots.fan_of_beam[beam]]
        rows = slice(beam * N_SUB, (beam + 1) * N_SUB)
        expected = np.outer(axis, along) + np.outer(left, aside) + np.outer(up, above)
        np.testing.assert_allclose(rays.direction[:, rows], expected, atol=3e-7)
        start_m = shots.origin_m[beam] + np.outer(start_left, left) + np.outer(start_up, up)
        np.testing.assert_allclose(rays.origin_m[rows], start_m, atol=1e-7)
    np.testing.assert_allclose(np.linalg.norm(rays.direction, axis=0), 1.0, atol=3e-7)


@pytest.mark.parametrize("width", [4, 8, 16])
@pytest.mark.parametrize("n_poses", [1, 7])
def test_a_fan_meets_what_its_rays_meet(width, n_poses):
    rng = np.random.default_rng(2)
    moment = rng.integers(n_poses, size=N_BEAMS if n_poses > 1 else 1).astype(np.uint32)
    shots = fanned(rng, moment=moment)
    poses = np.stack([pose((0.1 * k, 0.0, 0.0), rotation_z(0.02 * k)) for k in range(n_poses)])
    scene, tracer = street(), EmbreeTracer(packet_width=width)
    fans = tracer.trace(scene, shots, poses)
    rays = EmbreeTracer(packet_width=width).trace(scene, shots.rays(), poses)
    met = rays.instance != NOTHING
    np.testing.assert_array_equal(fans.instance, rays.instance)
    for name in ("range_m", "cos_incidence", "primitive"):
        np.testing.assert_array_equal(getattr(fans, name)[met], getattr(rays, name)[met])
    np.testing.assert_array_equal(fans.normal[:, met], rays.normal[:, met])


def test_some_rays_keep_the_columns_of_their_beams():
    rng = np.random.default_rng(3)
    shots = fanned(rng, time=rng.random(N_BEAMS).astype(np.float32))
    rows = np.array([0, 31, 32, 700, N_BEAMS * N_SUB - 1])
    some = shots.rows(rows)
    assert some.n_sub == 1
    np.testing.assert_array_equal(some.time, shots.time[rows // N_SUB])
    np.testing.assert_array_equal(some.direction, shots.rays().direction[:, rows])


def test_beams_that_fan_out_say_how():
    shots = fanned(np.random.default_rng(4))
    with pytest.raises(RayCoreError, match="n_fanned = 3, expected 700"):
        replace(shots, fan_of_beam=shots.fan_of_beam[:3])
