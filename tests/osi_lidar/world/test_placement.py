# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How a mesh lies in its box, and an environment in the world."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osi_lidar.config import EnvironmentMesh, SceneSection
from osi_lidar.world.assets.asset import Asset
from osi_lidar.world.assets.resolver import AssetResolver
from osi_lidar.world.placement import environment_transform, placement
from raycore.mesh.loading import load_mesh

LENGTHS = st.floats(0.01, 100)
AXES = st.sampled_from(
    [(up, sign + forward) for up, forward in itertools.permutations("xyz", 2) for sign in ("", "-")]
)


def asset_of(**given):
    return Asset(path=None, reason="", **given)


def corners_in_object(matrix, bounds_m):
    corners = np.array(list(itertools.product(*np.asarray(bounds_m, float).T)))
    return corners @ matrix[:3, :3].T + matrix[:3, 3]


@given(
    axes=AXES,
    low=st.tuples(*[st.floats(-1000, 1000)] * 3),
    extent=st.tuples(*[LENGTHS] * 3),
    dimension=st.tuples(*[LENGTHS] * 3),
    origin=st.sampled_from(["auto", "ground", "center"]),
)
def test_fitted_mesh_fills_the_box_exactly(axes, low, extent, dimension, origin):
    bounds = np.array([low, np.add(low, extent)])
    asset = asset_of(up=axes[0], forward=axes[1], fit=True, origin=origin)
    matrix = placement(asset, bounds, dimension)
    corners = corners_in_object(matrix, bounds)
    # the distance to the origin is at most 1000 m, the factor 100 m / 0.01 m: 1e7 m x 2^-53
    tolerance_m = 1e-8
    assert np.allclose(corners.min(axis=0), np.divide(dimension, -2), rtol=0, atol=tolerance_m)
    assert np.allclose(corners.max(axis=0), np.divide(dimension, 2), rtol=0, atol=tolerance_m)


@given(axes=AXES, scale=st.floats(0.01, 100))
def test_axes_go_ahead_and_up_and_nothing_is_mirrored(axes, scale):
    up, forward = axes
    asset = asset_of(up=up, forward=forward, scale=scale, origin="as_is")
    linear = placement(asset, [[0, 0, 0], [1, 2, 3]], [1, 1, 1])[:3, :3]
    ahead = np.eye(3)["xyz".index(forward[-1])] * (-1 if forward[0] == "-" else 1)
    assert np.array_equal(linear @ ahead, [scale, 0, 0])
    assert np.array_equal(linear @ np.eye(3)["xyz".index(up)], [0, 0, scale])
    assert np.linalg.det(linear) == pytest.approx(scale**3)


@pytest.mark.parametrize(
    ("origin", "shift"),
    [
        # box of 4 x 2 x 1.5 m; the mesh reaches from (-1, -1, 0) to (3, 1, 2)
        ("center", (-1, 0, -1)),
        ("ground", (0, 0, -0.75)),
        ("rear_axle", (-1.2, 0, -0.4)),
        ("as_is", (0, 0, 0)),
        ("auto", (-1, 0, -1)),  # its origin is not at its bottom centre
    ],
)
def test_origin_decides_where_the_mesh_goes(origin, shift):
    asset = asset_of(forward="x", origin=origin)
    matrix = placement(asset, [[-1, -1, 0], [3, 1, 2]], [4, 2, 1.5], [-1.2, 0, -0.4])
    assert matrix[:3, 3].tolist() == list(shift)


def test_origin_at_the_bottom_centre_is_recognised():
    asset = asset_of(up="y", forward="x")
    matrix = placement(asset, [[-2, 0, -1], [2, 1.4, 1]], [4, 2, 1.5])
    assert matrix[:3, 3].tolist() == [0, 0, -0.75]


@pytest.mark.parametrize("rear_axle_m", [None, [math.nan] * 3])
def test_unknown_rear_axle_puts_the_middle_in_the_middle(rear_axle_m):
    asset = asset_of(forward="x", origin="rear_axle")
    matrix = placement(asset, [[0, 0, 0], [4, 2, 1]], [4, 2, 1], rear_axle_m)
    assert matrix[:3, 3].tolist() == [-2, -1, -0.5]


@pytest.mark.parametrize(
    ("up", "bounds_m", "dimension_m", "ahead"),
    [
        ("z", [[-2, -1, 0], [2, 1, 1]], [4, 2, 1], [1, 0, 0]),
        ("z", [[-1, -2, 0], [1, 2, 1]], [4, 2, 1], [0, 1, 0]),  # lies along y
        ("z", [[-1, -2, 0], [1, 2, 1]], [2, 4, 1], [1, 0, 0]),  # and so does the box
        ("y", [[-1, 0, -2], [1, 1, 2]], [4, 2, 1], [0, 0, 1]),
        ("x", [[0, -1, -2], [1, 1, 2]], [4, 2, 1], [0, 0, 1]),
        ("x", [[0, -2, -1], [1, 2, 1]], [4, 2, 1], [0, 1, 0]),
        ("y", [[-0.2, 0, -0.5], [0.2, 1.8, 0.5]], [0.6, 0.5, 1.8], [1, 0, 0]),  # a pedestrian
    ],
)
def test_forward_axis_follows_the_footprint_where_it_is_clear(up, bounds_m, dimension_m, ahead):
    matrix = placement(asset_of(up=up), bounds_m, dimension_m)
    assert (matrix[:3, :3] @ ahead).tolist() == [1, 0, 0]


def test_flat_mesh_and_flat_box_keep_their_size_along_that_axis():
    asset = asset_of(fit=True, forward="x")
    flat_mesh = placement(asset, [[0, 0, 5], [2, 2, 5]], [4, 1, 3])
    assert np.diag(flat_mesh).tolist() == [2, 0.5, 1, 1]
    flat_box = placement(asset, [[0, 0, 0], [2, 2, 2]], [0, 1, 4])
    assert np.diag(flat_box).tolist() == [1, 0.5, 2, 1]


# --- environment ---------------------------------------------------------------------------------


def environment(**given):
    return EnvironmentMesh.model_validate({"mesh": "street.obj", **given})


def test_environment_is_as_it_is_by_default():
    assert np.array_equal(environment_transform(environment()), np.eye(4))


def test_gltf_environment_is_turned_upright():
    matrix = environment_transform(environment(mesh="street.glb"))
    assert np.array_equal(matrix @ [1, 2, 3, 1], [1, -3, 2, 1])  # x ahead, y up, so -z is left


def test_environment_is_scaled_turned_and_moved_in_this_order():
    entry = environment(scale=2.0, yaw_deg=90, position_m=[500_000, 5_600_000, 300])
    point = environment_transform(entry) @ [1, 0, 0, 1]
    assert point == pytest.approx([500_000, 5_600_002, 300, 1], abs=1e-9)


def test_environment_turns_by_yaw_pitch_roll():
    entry = environment(yaw_deg=90, pitch_deg=90, roll_deg=90)
    # roll takes y to z, pitch takes z to x, yaw takes x to y
    assert environment_transform(entry) @ [0, 1, 0, 0] == pytest.approx([0, 1, 0, 0], abs=1e-15)
    # roll leaves x, pitch takes x to -z, yaw leaves z
    assert environment_transform(entry) @ [1, 0, 0, 0] == pytest.approx([0, 0, -1, 0], abs=1e-15)


# --- real assets ---------------------------------------------------------------------------------


def find(reference, models, trace=None):
    """Return the asset that a reference gets with one search folder."""
    return AssetResolver(SceneSection(search=(models,)), trace).resolve(
        reference, "TYPE_VEHICLE", "TYPE_CAR", 0
    )


@pytest.mark.parametrize(
    "reference",
    [
        "../vehicle_example/vehicle_example.xoma",
        "/home/someone/examples/scenario_example/../vehicle_example/vehicle_example.xoma",
    ],
)
def test_openmaterial_vehicle_lands_in_its_osi_box(real_data, reference):
    models, trace = (real_data / folder / "openmaterial3d" for folder in ("models", "osi"))
    asset = find(reference, models, trace)
    mesh = load_mesh(asset.path, roots=asset.roots)
    dimension_m = np.array([3.854, 1.618, 1.296])  # of both objects of the trace
    corners_m = corners_in_object(placement(asset, mesh.bounds_m, dimension_m), mesh.bounds_m)
    assert np.abs(corners_m.min(axis=0) + dimension_m / 2).max() < 0.001
    assert np.abs(corners_m.max(axis=0) - dimension_m / 2).max() < 0.001


def test_openmaterial_vehicle_has_its_headlights_ahead_and_the_left_one_on_the_left(real_data):
    asset = find("vehicle_example.xoma", real_data / "models")
    mesh = load_mesh(asset.path)
    matrix = placement(asset, mesh.bounds_m, [3.854, 1.618, 1.296])
    slot = mesh.slot_names.index("Light_Head_Lens_Left")
    lens_m = mesh.vertices_m[mesh.faces[mesh.slot == slot]].mean(axis=(0, 1)) + mesh.origin_m
    x_m, y_m, _ = (matrix @ [*lens_m, 1])[:3]
    assert x_m > 1.7
    assert y_m > 0.5


def test_milk_truck_keeps_its_size_and_stands_on_the_ground(real_data):
    asset = find("MilkTruck.glTF", real_data / "models/lichtblick")
    bounds_m = load_mesh(asset.path).bounds_m
    dimension_m = np.array([5.0, 2.3, 2.94])  # of the trace MovingHostWith3DModel
    corners_m = corners_in_object(placement(asset, bounds_m, dimension_m), bounds_m)
    assert np.ptp(corners_m, axis=0) == pytest.approx([4.87, 2.79, 2.58], abs=0.005)
    assert corners_m[:, 2].min() == pytest.approx(-2.94 / 2, abs=0.005)
