# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which mesh an object gets, and what a trace may not reach."""

import numpy as np
import pytest

from osi_lidar.config import SceneSection
from osi_lidar.world.assets.resolver import AssetResolver
from raycore.mesh.finder import path_parts
from raycore.mesh.suffixes import MESH_SUFFIXES

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
    scene = SceneSection.model_validate({"search": list(search), "objects": list(objects)})
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


def test_meshes_that_rules_name_are_listed_once_and_as_they_are_read(places):
    trace, models, _ = places
    make(models, "a.obj", "car.xoma", "car.gltf", "lone.xoma")
    names = ("a.obj", "car.xoma", "lone.xoma", "a.obj")
    rules = [{"match": {"id": 1}, "mesh": str(models / name)} for name in names]
    found = resolver(trace, objects=[*rules, {"match": {"id": 2}, "fit": True}])
    meshes = [asset.path for asset in found.rule_assets]
    assert meshes == [models / "a.obj", models / "car.gltf", models / "a.obj"]


@pytest.mark.parametrize(
    ("match", "rule"),
    [
        ({"subtype": "CARR"}, "(subtype CARR), did you mean 'CAR'?"),
        ({"type": "TYPE_VEHICEL"}, "(type TYPE_VEHICEL), did you mean 'VEHICLE'?"),
        ({"type": "vehicle", "subtype": "BUS"}, "(type vehicle, subtype BUS)"),
        ({"subtype": "car", "id": 8}, "(subtype car, id 8)"),
    ],
)
def test_unused_rule_has_a_near_match_among_the_types_of_the_objects(places, match, rule):
    found = resolver(places[0], objects=[{"match": match}])
    found.resolve("", *CAR)
    assert found.unused_rules == (f"scene.objects[0] {rule}",)


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
        ("G70", "model_reference 'G70' does not name a mesh file"),
        ("car.fbx", "model_reference 'car.fbx' does not name a mesh file"),
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


@pytest.mark.parametrize("form", ["{}", "../other/car.obj", "file://{}"])
def test_a_mesh_that_lies_out_of_reach_is_told_with_the_key_that_lets_it_in(tmp_path, form):
    (tmp_path / "trace").mkdir()
    (tmp_path / "other").mkdir()
    mesh = (tmp_path / "other" / "car.obj").resolve()
    mesh.write_text("v 0 0 0\n")
    reference = form.format(mesh)
    asset = resolver(tmp_path / "trace").resolve(reference, *CAR)
    assert asset.path is None
    assert asset.reason == (
        f"model_reference '{reference}' lies outside of the trace's folder, at '{mesh}': a folder "
        "of scene.search lets it in"
    )
    assert resolver(tmp_path / "trace", tmp_path / "other").resolve(reference, *CAR).path == mesh


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
        "model_reference 'car.xoma': its mesh links out of the search folders"
    )


def test_link_between_the_folders_is_followed(places):
    trace, models, _ = places
    make(models, "x.obj")
    (trace / "y.obj").symlink_to(models / "x.obj")
    assert resolver(trace, models).resolve("y.obj", *CAR).path == models / "x.obj"


def test_environment_that_a_trace_names_is_found_or_has_a_reason(places):
    trace, models, _ = places
    make(models, "town.xoma", "town.gltf")
    found = resolver(trace, models).resolve_environment("/x/town.xoma")
    assert found.path == models / "town.gltf"
    assert np.array_equal(found.world_from_mesh @ [0, 1, 0, 0], [0, 0, 1, 0])
    absent = resolver(trace, models).resolve_environment("no.gltf")
    assert absent.path is None
    assert absent.reason.startswith("model_reference 'no.gltf' not found")


def test_every_mesh_that_can_be_read_can_be_named():
    assert set(MESH_SUFFIXES) == set(MESH_SUFFIXES)
