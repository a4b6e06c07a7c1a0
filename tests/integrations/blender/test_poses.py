# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes and baked maps put the corners of a mesh where its matrix has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osi_bridge import rotation_from_orientation
from osi_lidar.world.assets.asset import Asset
from osi_lidar.world.placement import placement
from tests.builders.blender_extension import part

poses = part("poses")
CORNERS = np.array([[-1.0, 2.0, 0.5], [3.0, 2.5, 0.5], [0.0, 4.0, 1.0], [1.0, 2.0, 3.0]])
angles = st.tuples(*(st.floats(-3.1, 3.1) for _ in range(3)))
factors = st.tuples(*(st.floats(0.01, 100.0) for _ in range(3)))
UPRIGHT = {"path": None, "reason": "", "up": "z", "forward": "x", "fit": True}


def seen_by_osi_lidar(linear, place, unit_m=1.0):
    """Return corners as osi-lidar places them: from the box, and from the mesh that is written."""
    parts = poses.split(linear)
    mesh = CORNERS if parts.baked is None else CORNERS @ parts.baked.T
    bounds = np.stack((mesh.min(axis=0), mesh.max(axis=0)))
    box = poses.box_of(parts, place, bounds, unit_m)
    object_from_mesh = placement(Asset(**UPRIGHT), bounds, box.size_m)
    in_object = mesh @ object_from_mesh[:3, :3].T + object_from_mesh[:3, 3]
    return in_object @ rotation_from_orientation(box.angles_rad).T + box.center_m, parts


@given(angles, factors)
def test_scaled_meshes_are_in_place_without_a_change(turn, scale):
    linear = rotation_from_orientation(turn) * scale
    corners, parts = seen_by_osi_lidar(linear, np.array([10.0, -20.0, 30.0]))
    assert parts.baked is None
    expected = CORNERS @ linear.T + (10.0, -20.0, 30.0)
    # six digits of the largest factor are kept, and corners reach out to 5
    assert corners == pytest.approx(expected, abs=1e-4 * max(scale))


@given(angles, factors, st.sampled_from([(-1, 1, 1), (1, -1, -1), (-1, -1, -1)]))
def test_mirrored_meshes_are_in_place(turn, scale, signs):
    linear = rotation_from_orientation(turn) * np.multiply(scale, signs)
    corners, _ = seen_by_osi_lidar(linear, np.zeros(3))
    assert corners == pytest.approx(CORNERS @ linear.T, abs=1e-4 * max(scale))


@given(angles, angles, factors)
def test_sheared_meshes_are_in_place(turn, inner, scale):
    linear = rotation_from_orientation(turn) * scale @ rotation_from_orientation(inner)
    if poses.split(linear) is None:
        return
    corners, _ = seen_by_osi_lidar(linear, np.zeros(3))
    assert corners == pytest.approx(CORNERS @ linear.T, abs=1e-4 * max(scale))


def test_units_scale_places_and_sizes():
    corners, _ = seen_by_osi_lidar(np.diag([2.0, 1.0, 1.0]), np.array([100.0, 0.0, 0.0]), 0.01)
    assert corners == pytest.approx(0.01 * (CORNERS * (2.0, 1.0, 1.0) + (100.0, 0.0, 0.0)))


def test_a_mirrored_object_that_turns_keeps_its_mesh():
    mirrored = np.diag([-1.0, 0.5, 2.0])
    baked = [
        poses.split(rotation_from_orientation((0.0, 0.0, yaw)) @ mirrored).baked
        for yaw in np.linspace(0.0, 3.0, 7)
    ]
    assert all(np.array_equal(each, baked[0]) for each in baked)


@pytest.mark.parametrize("scale", [(0.0, 1.0, 1.0), (1.0, 1.0, np.nan)])
def test_what_is_scaled_to_nothing_has_no_box(scale):
    assert poses.split(np.diag(scale)) is None


def test_a_camera_looks_along_its_own_minus_z():
    # a camera that Blender turns by 90 deg about x looks along y, with z up
    camera = np.eye(4)
    camera[:3, :3] = rotation_from_orientation((np.pi / 2, 0.0, 0.0))
    box = poses.sensor_box(camera, 1.0, 0.1, camera=True)
    turn = rotation_from_orientation(box.angles_rad)
    assert turn[:, 0] == pytest.approx((0.0, 1.0, 0.0), abs=1e-12)
    assert turn[:, 2] == pytest.approx((0.0, 0.0, 1.0), abs=1e-12)


@given(angles)
def test_angles_give_the_rotation_back(turn):
    rotation = rotation_from_orientation(turn)
    again = rotation_from_orientation(poses.angles_of(rotation))
    assert again == pytest.approx(rotation, abs=1e-7)


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
def test_upright_axes_have_angles_too(pitch):
    rotation = rotation_from_orientation((0.3, pitch, 0.8))
    again = rotation_from_orientation(poses.angles_of(rotation))
    assert again == pytest.approx(rotation, abs=1e-9)
