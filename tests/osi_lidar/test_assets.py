# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which mesh an object gets, what a trace may not reach, and how a mesh lies in its box."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osi_lidar.assets import Asset, AssetResolver, environment_transform, placement
from osi_lidar.config import EnvironmentMesh, Scene
from osi_lidar.mesh_files import path_parts
from raycore.mesh import load_mesh

CAR = ("TYPE_VEHICLE", "TYPE_CAR", 7)


def make(root, *names):
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


@pytest.fixture
def places(tmp_path):
    """Return a trace's folder, a search folder, and a folder that is neither."""
    folders = [tmp_path / name for name in ("trace", "models", "secret")]
    for folder in folders:
        folder.mkdir()
    return folders


def resolver(trace, *search, objects=()):
    scene = Scene.model_validate({"search": list(search), "objects": list(objects)})
    return AssetResolver(scene, trace)


# --- rules ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("match", "fits"),
    [
        ({"model_reference": "*Truck*"}, True),
        ({"model_reference": "*truck*"}, False),  # case counts
        ({"type": "VEHICLE"}, True),
        ({"type": "TYPE_PEDESTRIAN"}, False),
        ({"subtype": "car"}, True),
        ({"subtype": "TYPE_BUS"}, False),
        ({"id": 7}, True),
        ({"id": [1, 7]}, True),
        ({"id": [1, 2]}, False),
        ({"type": "vehicle", "subtype": "CAR", "id": 7, "model_reference": "Milk*"}, True),
        ({"type": "vehicle", "id": 8}, False),
    ],
)
def test_rule_fits_if_all_that_it_names_fits(places, match, fits):
    trace, models, _ = places
    make(models, "rule.obj")
    rule = {"match": match, "mesh": str(models / "rule.obj")}
    asset = resolver(trace, objects=[rule]).resolve("MilkTruck", *CAR)
    assert (asset.path is not None) == fits
    assert asset.from_rule == fits


def test_first_rule_that_fits_wins_and_says_so(places):
    trace, models, _ = places
    make(models, "a.obj", "b.obj")
    rules = [
        {"match": {"id": 8}, "mesh": str(models / "a.obj")},
        {"match": {"type": "vehicle"}, "mesh": str(models / "b.obj"), "up": "y", "forward": "-z"},
        {"match": {"id": 7}, "mesh": str(models / "a.obj")},
    ]
    found = resolver(trace, objects=rules)
    asset = found.resolve("", *CAR)
    assert (asset.path, asset.up, asset.forward) == (models / "b.obj", "y", "-z")
    assert asset.reason == "objects[1] (type vehicle)"
    assert found.unused_rules == ("scene.objects[0] (id 8)", "scene.objects[2] (id 7)")


def test_rule_without_a_mesh_says_how_the_named_mesh_lies(places):
    trace, models, _ = places
    make(models, "car.glb")
    rule = {"match": {"type": "vehicle"}, "forward": "z", "fit": True, "origin": "as_is"}
    found = resolver(trace, models, objects=[rule])
    asset = found.resolve("car.glb", *CAR)
    assert (asset.path, asset.up, asset.forward) == (models / "car.glb", "y", "z")
    assert (asset.fit, asset.origin, asset.roots) == (True, "as_is", found.roots)
    assert found.resolve("", *CAR).reason == "objects[0] (type vehicle), no model_reference"


def test_rule_may_name_an_openmaterial_asset(places):
    trace, models, _ = places
    make(models, "car.xoma", "car.gltf")
    rule = {"match": {"id": 7}, "mesh": str(models / "car.xoma"), "up": "x"}
    asset = resolver(trace, objects=[rule]).resolve("", *CAR)
    assert asset.path == models / "car.gltf"
    assert (asset.up, asset.forward, asset.origin) == ("x", "auto", "ground")  # x cannot be both


# --- references ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "parts"),
    [
        ("../a/x.xoma", ("a", "x.xoma")),
        ("/home/me/scenario/../a/x.xoma", ("home", "me", "a", "x.xoma")),
        (r"C:\models\..\cars\x.gltf", ("cars", "x.gltf")),
        ("file:///C:/my%20cars/x.gltf", ("my cars", "x.gltf")),
        ("model://car/meshes/x.dae", ("car", "meshes", "x.dae")),
        ("/opt//3d/./x.gltf", ("opt", "3d", "x.gltf")),
        ("..", ()),
    ],
)
def test_path_of_any_machine_has_its_parts(reference, parts):
    assert path_parts(reference) == parts


@pytest.mark.parametrize(
    "reference",
    [
        "cars/x.gltf",
        "../cars/x.gltf",
        "/home/someone/else/cars/x.gltf",
        r"D:\assets\cars\x.gltf",
        "file:///opt/cars/x.gltf",
        "CARS/X.GLTF",
        "elsewhere/x.gltf",
    ],
)
@pytest.mark.parametrize("place", [".", "deep/down"])
def test_mesh_is_found_below_a_search_folder(places, reference, place):
    trace, models, _ = places
    make(models, f"{place}/cars/x.gltf", "another/y.gltf")
    asset = resolver(trace, models).resolve(reference, *CAR)
    assert asset.path == models / place / "cars/x.gltf"
    assert (asset.up, asset.forward, asset.origin, asset.scale) == ("y", "auto", "auto", 1.0)


def test_trace_folder_comes_before_search_folders_and_longer_tails_first(places):
    trace, models, _ = places
    make(trace, "x.obj", "b/x.obj")
    make(models, "a/b/x.obj")
    assert resolver(trace, models).resolve("/a/b/x.obj", *CAR).path == trace / "b/x.obj"


def test_of_several_files_of_a_name_the_nearest_path_is_taken(places):
    trace, models, _ = places
    make(models, "v1/bus/mesh.glb", "v1/car/mesh.glb")
    assert resolver(trace, models).resolve("/o/car/mesh.glb", *CAR).path.parent.name == "car"


def test_search_folders_are_tried_in_their_order(places):
    trace, models, second = places
    make(models, "p/x.obj")
    make(second, "q/x.obj")
    assert resolver(trace, second, models).resolve("x.obj", *CAR).path == second / "q/x.obj"


def test_absolute_reference_inside_a_search_folder_is_taken_as_it_is(places):
    trace, models, _ = places
    make(models, "new/x.obj", "x.obj")
    assert resolver(trace, models).resolve(str(models / "new/x.obj"), *CAR).path == (
        models / "new/x.obj"
    )


def test_openmaterial_asset_gives_its_mesh_origin_on_the_ground_and_x_ahead(places):
    trace, models, _ = places
    make(models, "car/car.xoma", "car/car.gltf")
    asset = resolver(trace, models).resolve("../car/car.xoma", *CAR)
    assert asset.path == models / "car/car.gltf"
    assert (asset.up, asset.forward, asset.origin) == ("y", "x", "ground")


def test_collada_file_says_which_axis_is_up(places):
    trace, *_ = places
    (trace / "z.dae").write_text("<asset><up_axis>Z_UP</up_axis></asset>")
    (trace / "none.dae").write_text("<asset/>")
    found = resolver(trace)
    assert found.resolve("z.dae", *CAR).up == "z"
    assert found.resolve("none.dae", *CAR).up == "y"  # COLLADA's default


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("", "no model_reference"),
        ("G70", "model_reference 'G70' names no mesh file"),
        ("car.fbx", "model_reference 'car.fbx' names no mesh file"),
        ("a\n.obj", "model_reference 'a?.obj' not found beside the trace or in {models}"),
        ("a\0.obj", "model_reference 'a?.obj' not found beside the trace or in {models}"),
        ("lone.xoma", "model_reference 'lone.xoma': no mesh file of the same name beside it"),
        ("x" * 9000 + ".obj", "model_reference '.." + "x" * 116 + ".obj' not found beside"),
    ],
)
def test_box_has_a_reason_that_fits_in_a_table(places, reference, reason):
    trace, models, _ = places
    make(models, "lone.xoma")
    asset = resolver(trace, models).resolve(reference, *CAR)
    assert asset.path is None
    assert asset.reason.startswith(reason.format(models=models))
    assert asset.reason.isprintable()


def test_reason_tells_where_a_search_folder_would_be_named(places):
    reason = resolver(places[0]).resolve("x.obj", *CAR).reason
    assert reason == (
        "model_reference 'x.obj' not found beside the trace (scene.search names no folder)"
    )


# --- what a trace may not reach ------------------------------------------------------------------


def test_no_reference_leads_out_of_the_trace_and_search_folders(places):
    trace, models, secret = places
    make(secret, "x.obj", "car.xoma", "car.obj")
    for reference in (
        "../secret/x.obj",
        str(secret / "x.obj"),
        f"file://{secret}/x.obj",
        f"{models}/../secret/x.obj",
        r"..\secret\x.obj",
        "../secret/car.xoma",
    ):
        assert resolver(trace, models).resolve(reference, *CAR).path is None
        assert resolver(None, models).resolve(reference, *CAR).path is None


def test_links_out_of_the_folders_are_not_followed(places):
    trace, models, secret = places
    make(secret, "x.obj", "deep/y.obj")
    make(models, "car.xoma")
    (trace / "x.obj").symlink_to(secret / "x.obj")
    (models / "link").symlink_to(secret / "deep")
    (models / "car.gltf").symlink_to(secret / "x.obj")
    (models / "loop").symlink_to(models)
    (models / "self.obj").symlink_to(models / "self.obj")
    found = resolver(trace, models)
    for reference in ("x.obj", "link/y.obj", "y.obj", "self.obj"):
        assert found.resolve(reference, *CAR).path is None
    assert found.resolve("car.xoma", *CAR).reason == (
        "model_reference 'car.xoma': its mesh is a link out of the search folders"
    )


def test_link_between_the_folders_is_followed(places):
    trace, models, _ = places
    make(models, "x.obj")
    (trace / "y.obj").symlink_to(models / "x.obj")
    assert resolver(trace, models).resolve("y.obj", *CAR).path == models / "x.obj"


# --- placement -----------------------------------------------------------------------------------

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


def test_environment_that_a_trace_names_is_found_or_has_a_reason(places):
    trace, models, _ = places
    make(models, "town.xoma", "town.gltf")
    found = resolver(trace, models).resolve_environment("/x/town.xoma")
    assert found.path == models / "town.gltf"
    assert np.array_equal(found.world_from_mesh @ [0, 1, 0, 0], [0, 0, 1, 0])
    absent = resolver(trace, models).resolve_environment("no.gltf")
    assert absent.path is None
    assert absent.reason.startswith("model_reference 'no.gltf' not found")


# --- real assets ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reference",
    [
        "../vehicle_example/vehicle_example.xoma",
        "/home/someone/examples/scenario_example/../vehicle_example/vehicle_example.xoma",
    ],
)
def test_openmaterial_vehicle_lands_in_its_osi_box(real_data, reference):
    found = resolver(real_data / "osi/openmaterial3d", real_data / "models/openmaterial3d")
    asset = found.resolve(reference, "TYPE_VEHICLE", "TYPE_CAR", 0)
    mesh = load_mesh(asset.path, roots=asset.roots)
    dimension_m = np.array([3.854, 1.618, 1.296])  # of both objects of the trace
    corners_m = corners_in_object(placement(asset, mesh.bounds_m, dimension_m), mesh.bounds_m)
    assert np.abs(corners_m.min(axis=0) + dimension_m / 2).max() < 0.001
    assert np.abs(corners_m.max(axis=0) - dimension_m / 2).max() < 0.001


def test_openmaterial_vehicle_has_its_headlights_ahead_and_the_left_one_on_the_left(real_data):
    asset = resolver(None, real_data / "models").resolve("vehicle_example.xoma", *CAR)
    mesh = load_mesh(asset.path)
    matrix = placement(asset, mesh.bounds_m, [3.854, 1.618, 1.296])
    slot = mesh.slot_names.index("Light_Head_Lens_Left")
    lens_m = mesh.vertices_m[mesh.faces[mesh.slot == slot]].mean(axis=(0, 1)) + mesh.origin_m
    x_m, y_m, _ = (matrix @ [*lens_m, 1])[:3]
    assert x_m > 1.7
    assert y_m > 0.5


def test_milk_truck_keeps_its_size_and_stands_on_the_ground(real_data):
    found = resolver(None, real_data / "models/lichtblick")
    asset = found.resolve("MilkTruck.glTF", *CAR)
    bounds_m = load_mesh(asset.path).bounds_m
    dimension_m = np.array([5.0, 2.3, 2.94])  # of the trace MovingHostWith3DModel
    corners_m = corners_in_object(placement(asset, bounds_m, dimension_m), bounds_m)
    assert np.ptp(corners_m, axis=0) == pytest.approx([4.87, 2.79, 2.58], abs=0.005)
    assert corners_m[:, 2].min() == pytest.approx(-2.94 / 2, abs=0.005)
