# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Databases, assets and overrides from the configuration to the points and run.json."""

import json

import numpy as np
import pytest

from osi_bridge import write_trace
from osi_lidar import ConfigurationError, LidarModel, load_config
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from osi_lidar.world.materials import material_fallbacks
from raycore.mesh.loading import load_mesh
from tests.builders.clouds import points_of, reflectance
from tests.builders.materials import write_asset, write_lambertian
from tests.builders.meshes import write_cube
from tests.builders.messages import ahead, frames, host, message
from tests.builders.worlds import FRONT, MOUNTING, write_config
from tests.commands import assert_one_line, run
from tests.material_mapping.databases.database_files import write_curve, write_spectrum
from tests.material_mapping.databases.openmaterial.helpers import write_json


def replayed(folder, things, config):
    """Replay one message; return its points and run.json."""
    trace = folder / "trace.osi"
    write_trace(trace, [message([host(), *things])], message_type="SensorView")
    report = replay(FrameSource(trace), load_config(config), folder / "out")
    return report.model, json.loads((folder / "out" / "run.json").read_text())


def stepped(config, things):
    model = LidarModel(load_config(config))
    (frame,) = frames([[host(), *things]])
    return model, model.step(frame)


def test_a_trace_s_asset_brings_its_materials_and_run_json_says_so(tmp_path):
    write_asset(tmp_path / "models" / "car", 0.37)
    config = write_config(tmp_path)
    things = [ahead(reference="models/car/car.xoma")]
    model, content = replayed(tmp_path, things, config)
    (found,) = [each for each in content["mapping"] if each["visual_name"] == "Paint"]
    assert found == {
        "visual_name": "Paint",
        "mesh": "car.obj",
        "material": "card",
        "rule": "map.xomm: Paint",
        "problems": [],
    }
    assert "card" in content["materials"]
    assert not [one for one in content["fallbacks"] if one["name"] == "Paint"]
    (frame,) = frames([[host(), *things]])
    model.restart()
    points = points_of(model.step(frame), 2)
    assert reflectance(points) == pytest.approx(0.37, rel=1e-5)
    names = list(content["materials"])
    assert {names[row] for row in points["material_id"]} == {"card"}


def test_an_asset_that_a_rule_names_brings_its_materials_too(tmp_path):
    asset = write_asset(tmp_path / "car", 0.37)
    objects = [{"match": {"id": 2}, "mesh": str(asset), "fit": True}]
    model, step = stepped(write_config(tmp_path, scene={"objects": objects}), [ahead()])
    assert reflectance(points_of(step, 2)) == pytest.approx(0.37, rel=1e-5)
    assert model.materials.unmapped == ()


def test_an_asset_that_is_the_environment_brings_its_materials_too(tmp_path):
    asset = write_asset(tmp_path / "town", 0.37, name="town")
    place = {"mesh": str(asset), "up": "z", "position_m": [10, 0, 0]}
    config = write_config(tmp_path, scene={"environment": [place], "ground": "none"})
    _, step = stepped(config, [])
    assert reflectance(points_of(step)) == pytest.approx(0.37, rel=1e-5)


def test_a_rule_s_asset_may_share_a_mapping_in_a_search_folder(tmp_path):
    asset = write_asset(tmp_path / "models" / "car", 0.37, mapping="../shared/map.xomm")
    shared = tmp_path / "models" / "shared"
    write_lambertian(shared, "card", 0.37)
    write_json(shared, "map.xomm", {"materialMapping": [["Paint", "card.xomp", ""]]})
    (asset.parent / "map.xomm").unlink()
    objects = [{"match": {"id": 2}, "mesh": str(asset), "fit": True}]
    scene = {"objects": objects, "search": [str(tmp_path / "models")]}
    _, step = stepped(write_config(tmp_path, scene=scene), [ahead()])
    assert reflectance(points_of(step, 2)) == pytest.approx(0.37, rel=1e-5)


@pytest.mark.parametrize("material", ["card", "steel"])
def test_two_assets_of_one_name_in_two_folders_keep_their_own_materials(tmp_path, material):
    references = []
    for folder, rho in (("a", 0.2), ("b", 0.6)):
        write_asset(tmp_path / folder, rho, material)
        references.append(f"{folder}/car.xoma")
    things = [
        ahead(number, reference, x_m=10.0, y_m=y_m)
        for number, reference, y_m in zip((2, 3), references, (10.0, -10.0), strict=True)
    ]
    scene = {"search": [str(tmp_path)]}
    model, step = stepped(write_config(tmp_path, scene=scene), things)
    found = [reflectance(points_of(step, number)) for number in (2, 3)]
    assert found == pytest.approx([0.2, 0.6], rel=1e-5)
    assert model.fallbacks == []


@pytest.mark.parametrize("numbers", [(2, 3), (3, 2)])
def test_a_mesh_has_the_materials_of_an_asset_only_where_the_asset_is_named(tmp_path, numbers):
    write_asset(tmp_path / "a", 0.37)
    references = {2: "a/car.xoma", 3: "a/car.obj"}
    things = [ahead(number, references[number], y_m=50.0 - 20.0 * number) for number in numbers]
    config = write_config(tmp_path, scene={"search": [str(tmp_path)]})

    def materials(things):
        _, step = stepped(config, things)
        ids = [points_of(step, each.object_id)["material_id"] for each in things]
        return [{step.materials[row] for row in each} for each in ids]

    alone = [found for each in things for found in materials([each])]
    assert materials(things) == alone
    assert alone[numbers.index(2)] == {"card"} != alone[numbers.index(3)] != set()


def test_an_asset_whose_mapping_cannot_be_read_is_told_once_and_its_materials_guessed(
    tmp_path, caplog
):
    write_asset(tmp_path, 0.37, mapping="absent.xomm")
    things = [ahead(number, "car.xoma", y_m=3.0 * number) for number in (2, 3)]
    scene = {"search": [str(tmp_path)]}
    model, _ = stepped(write_config(tmp_path, scene=scene), things)
    (told,) = caplog.messages
    assert "absent.xomm" in told
    assert told.endswith("the materials of this asset are not used")
    (guessed,) = model.materials.guessed
    assert guessed.visual_name == "Paint"
    assert "absent.xomm" in guessed.problems[0]


def test_a_guess_is_a_fallback_with_its_reason(tmp_path):
    mesh = str(write_cube(tmp_path / "car.obj"))
    scene = {"objects": [{"match": {"id": 2}, "mesh": mesh, "fit": True}]}
    model, _ = stepped(write_config(tmp_path, scene=scene), [ahead(2, "")])
    (fallback,) = material_fallbacks(model.materials)
    assert (fallback.name, fallback.used) == ("Paint", "metal_painted")
    assert fallback.reason.startswith("guess: the mesh says car ('car'), the name says paint")


def test_what_is_wrong_in_an_asset_s_mapping_is_told_once(tmp_path, caplog):
    write_asset(tmp_path, 0.37)
    rows = [["Paint", "card.xomp", ""], ["Paint", "card.xomp", ""]]
    write_json(tmp_path, "map.xomm", {"materialMapping": rows})
    things = [ahead(number, "car.xoma", y_m=3.0 * number) for number in (2, 3)]
    model, _ = stepped(write_config(tmp_path, scene={"search": [str(tmp_path)]}), things)
    (told,) = caplog.messages
    assert "'Paint' is mapped a second time, the first row is used" in told
    assert model.materials.unmapped == ()


def test_two_objects_with_one_mesh_have_the_materials_that_their_rules_say(tmp_path):
    mesh = str(write_cube(tmp_path / "car.obj"))
    objects = [
        {"match": {"id": number}, "mesh": mesh, "fit": True, "materials": {"P*": material}}
        for number, material in ((2, "lambertian_10"), (3, "lambertian_80"))
    ]
    (tmp_path / "map.yaml").write_text("materials: {Paint: lambertian_20}")
    config = write_config(
        tmp_path, scene={"objects": objects}, materials={"mapping": str(tmp_path / "map.yaml")}
    )
    model, step = stepped(config, [ahead(2, y_m=10.0), ahead(3, y_m=-10.0)])
    found = [reflectance(points_of(step, number)) for number in (2, 3)]
    assert found == pytest.approx([0.1, 0.8], rel=1e-5)
    assert model.fallbacks == []
    rules = {each.rule for each in model.materials.resolved if each.visual_name == "Paint"}
    assert rules == {"scene.objects[0].materials.P*", "scene.objects[1].materials.P*"}


def test_an_unknown_material_of_an_object_s_rule_is_refused_with_file_and_key(tmp_path):
    objects = [{"match": {"id": 2}, "materials": {"P*": "concret"}}]
    path = write_config(tmp_path, scene={"objects": objects})
    result = run("scan", "--config", path, "--out", tmp_path / "out")
    words = ["scene.objects[0].materials.P*", "'concret'", "did you mean 'concrete'?"]
    assert_one_line(result, 2, path, *words)


def test_sensors_of_several_wavelengths_in_one_run_use_each_their_own_table(tmp_path):
    write_spectrum(tmp_path / "db" / "card.spectrum.txt", {0.8: 40.0, 1.0: 60.0, 1.6: 20.0})
    (tmp_path / "map.yaml").write_text("materials: {box: card}")
    sensors = [
        {"name": f"s{nm}", "wavelength_nm": nm, **FRONT, **MOUNTING} for nm in (850, 905, 1550)
    ]
    materials = {"databases": [str(tmp_path / "db")], "mapping": str(tmp_path / "map.yaml")}
    config = write_config(tmp_path, sensors=sensors, materials=materials)
    model, step = stepped(config, [ahead()])
    found = [reflectance(points_of(step, 2, sensor=number)) for number in range(3)]
    assert found == pytest.approx([0.45, 0.505, 0.7 / 3], rel=1e-5)
    assert "card" not in {one.name for one in model.fallbacks}


def test_a_spectrum_without_the_wavelength_is_a_configuration_error_with_its_range(tmp_path):
    write_spectrum(tmp_path / "db" / "sea.spectrum.txt", {14.0: 2.0, 2.08: 3.0})
    (tmp_path / "map.yaml").write_text("materials: {Water: sea}")
    materials = {"databases": [str(tmp_path / "db")], "mapping": str(tmp_path / "map.yaml")}
    path = write_config(tmp_path, materials=materials)
    with pytest.raises(ConfigurationError, match=r"materials.Water: sea: .* 2080 to 14000 nm"):
        LidarModel(load_config(path))
    result = run("scan", "--config", path, "--out", tmp_path / "out")
    assert_one_line(result, 2, tmp_path / "map.yaml", "no value at 905 nm", "2080 to 14000 nm")


def test_a_945_nm_database_is_used_at_1550_nm_and_listed_as_a_stand_in(tmp_path):
    write_curve(tmp_path / "db" / "card_1.txt", 64.0)
    (tmp_path / "map.yaml").write_text("materials: {box: card_1}")
    database = {"folder": str(tmp_path / "db"), "kind": "tof945", "lookup": "nearest"}
    materials = {"databases": [database], "mapping": str(tmp_path / "map.yaml")}
    sensors = [{"name": "front", **FRONT, **MOUNTING, "wavelength_nm": 1550}]
    path = write_config(tmp_path, sensors=sensors, materials=materials)
    model, content = replayed(tmp_path, [ahead()], path)
    (told,) = [one for one in content["fallbacks"] if one["name"] == "card_1"]
    assert (told["kind"], told["used"]) == ("material", "its values at 945 nm")
    assert told["reason"] == "not known at 1550 nm"
    (frame,) = frames([[host(), ahead()]])
    model.restart()
    points = points_of(model.step(frame), 2)
    assert points["reflectivity"] == pytest.approx(np.full(len(points), 0.64))


def test_a_database_that_is_not_there_is_told_with_its_key(tmp_path):
    path = write_config(tmp_path, materials={"databases": ["absent"]})
    result = run("scan", "--config", path, "--out", tmp_path / "out")
    assert_one_line(result, 2, "materials.databases[0].folder", tmp_path / "absent")


def test_a_mapping_that_matches_nothing_is_told_by_check(tmp_path):
    (tmp_path / "map.yaml").write_text("materials: {Bx: concrete}")
    trace = tmp_path / "trace.osi"
    write_trace(trace, [message([host(), ahead()])], message_type="SensorView")
    path = write_config(tmp_path, materials={"mapping": str(tmp_path / "map.yaml")})
    result = run("check", trace, "--config", path)
    assert "materials.Bx, did you mean 'box'?" in " ".join(result.output.split())


def test_a_box_has_the_material_that_the_rule_of_its_object_says(tmp_path):
    objects = [{"match": {"id": 3}, "materials": {"*": "lambertian_80"}}]
    materials = {"default": "lambertian_20"}
    path = write_config(tmp_path, scene={"objects": objects}, materials=materials)
    _, step = stepped(path, [ahead(2, y_m=10.0), ahead(3, y_m=-10.0)])
    found = [reflectance(points_of(step, number)) for number in (2, 3)]
    assert found == pytest.approx([0.2, 0.8], rel=1e-5)


def test_rules_of_objects_that_match_no_material_are_told_by_check_and_run_json(tmp_path):
    mesh = str(write_cube(tmp_path / "car.obj"))
    objects = [
        {"match": {"id": 2}, "mesh": mesh, "materials": {"Pant": "steel", "P*": "brick"}},
        {"match": {"id": 3}, "materials": {"box": "steel", "boy": "brick"}},
        {"match": {"id": 4}, "materials": {"Paint": "steel"}},  # no such object
    ]
    path = write_config(tmp_path, scene={"objects": objects})
    _, content = replayed(tmp_path, [ahead(), ahead(3, y_m=10.0)], path)
    of_materials = [
        "scene.objects[0].materials.Pant, did you mean 'Paint'?",
        "scene.objects[1].materials.boy, did you mean 'box'?",
    ]
    assert content["unused_rules"] == [*of_materials, "scene.objects[2] (id 4)"]
    words = " ".join(run("check", tmp_path / "trace.osi", "--config", path).output.split())
    assert all(rule in words for rule in content["unused_rules"])
    words = " ".join(run("check", "--config", path).output.split())
    assert of_materials[0] in words  # its mesh is known without a trace
    assert "scene.objects[1].materials" not in words


def test_a_mapping_table_of_a_database_that_cannot_be_read_is_told_by_check_and_run_json(tmp_path):
    write_asset(tmp_path / "db", 0.37)
    bad = write_json(tmp_path / "db", "bad.xomm", {"materialMapping": [["Paint"]]})
    mesh = str(write_cube(tmp_path / "car.obj"))
    objects = [{"match": {"id": 2}, "mesh": mesh, "fit": True}]
    materials = {"databases": [str(tmp_path / "db")]}
    path = write_config(tmp_path, scene={"objects": objects}, materials=materials)
    model, content = replayed(tmp_path, [ahead()], path)
    (told,) = content["fallbacks"]
    assert told["reason"].startswith(f"{bad}: line ")
    assert (told["subject"], told["used"]) == ("material database", "the rest of its folder")
    (found,) = [each for each in model.materials.resolved if each.visual_name == "Paint"]
    assert found.material == "card"
    assert "its rules are not used" in " ".join(run("check", "--config", path).output.split())
    listed = run("materials", "list", "--database", tmp_path / "db")
    assert listed.exit_code == 0
    assert "its rules are not used" in " ".join(listed.stderr.split())


def test_all_materials_of_the_openmaterial_vehicle_get_one_or_a_reason(tmp_path, real_data):
    """Its asset names no mapping; Persival's table is the published one for such names."""
    vehicle = real_data / "models" / "openmaterial3d" / "vehicle_example" / "vehicle_example.xoma"
    persival = real_data / "materials" / "persival"
    objects = [{"match": {"id": 2}, "mesh": str(vehicle)}]
    config = write_config(
        tmp_path, scene={"objects": objects}, materials={"databases": [str(persival)]}
    )
    model, _ = stepped(config, [ahead()])
    names = set(load_mesh(vehicle.with_suffix(".gltf")).slot_names)
    assert len(names) == 21
    found = {each.visual_name: each for each in model.materials.resolved}
    told = {one.name: one.reason for one in model.fallbacks if one.kind == "material"}
    for name in names:
        assert found[name].rule is not None or told[name], name
    assert found["License_Plate"].material == "polymer_retroreflective_white"
