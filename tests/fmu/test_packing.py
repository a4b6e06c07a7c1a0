# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Databases and mapping tables travel in an FMU: it gives what the model gives without it."""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

from osi_lidar.errors import ConfigurationError
from osi_lidar.run.packing import layout
from tests.builders.clouds import points_of, reflectance
from tests.builders.materials import write_asset, write_shared_mapping
from tests.builders.meshes import write_cube
from tests.builders.messages import ahead
from tests.builders.worlds import MOUNTING, write_config
from tests.fmu.gltf_files import write_gltf
from tests.fmu.packed import (
    one_line,
    rule,
    run_both,
    scenario_of,
    seen,
    texts_in,
)
from tests.material_mapping.databases.database_files import write_curve, write_spectrum
from tests.material_mapping.databases.openmaterial.helpers import brdf, in_plane, write_json

# --- databases and mapping -----------------------------------------------------------------------


def test_a_spectrum_that_the_mapping_names_travels_and_others_stay(home):
    for name, percent in (("card", 37.0), ("wall", 90.0)):
        write_spectrum(home / "db" / "deep" / f"{name}.spectrum.txt", {0.8: percent, 1.0: percent})
    (home / "map.yaml").write_text("materials: {box: card}")
    config = write_config(home, materials={"databases": ["db"], "mapping": "map.yaml"})
    assert seen(config, [ahead()]) == pytest.approx(0.37, rel=1e-5)
    content, names = scenario_of(home.parent / "fmu" / "OsiLidar.fmu")
    assert {Path(name).name for name in names} == {"card.spectrum.txt", "map.yaml"}
    assert content["materials"]["databases"][0]["kind"] == "ecostress"


@pytest.mark.parametrize(
    ("materials", "scene"),
    [
        ({"default": "card"}, {}),
        ({}, {"objects": [{"match": {"id": 2}, "materials": {"b*": "card"}}]}),
    ],
)
def test_a_spectrum_that_a_default_or_an_object_names_travels(home, materials, scene):
    write_spectrum(home / "db" / "card.spectrum.txt", {0.8: 37.0, 1.0: 37.0})
    write_cube(home / "car.obj", "box")
    scene = {"search": ["."], **scene}
    config = write_config(home, materials={"databases": ["db"], **materials}, scene=scene)
    found = seen(config, [ahead(reference="car.obj")])
    assert found == pytest.approx(0.37, rel=1e-5)


def test_a_945_nm_curve_travels_with_the_way_it_is_looked_up(home):
    write_curve(home / "db" / "card_1.txt", 64.0)
    write_curve(home / "db" / "card_2.txt", 10.0)
    (home / "map.yaml").write_text("materials: {box: card_1}")
    database = {"folder": "db", "lookup": "nearest", "cosine": "excluded"}
    config = write_config(home, materials={"databases": [database], "mapping": "map.yaml"})
    assert seen(config, [ahead()]) == pytest.approx(0.64, rel=1e-5)
    content, names = scenario_of(home.parent / "fmu" / "OsiLidar.fmu")
    assert content["materials"]["databases"] == [
        {"folder": "files/0/db", "kind": "tof945", "lookup": "nearest", "cosine": "excluded"}
    ]
    assert "files/0/db/card_1.txt" in names
    assert "files/0/db/card_2.txt" not in names


def test_an_openmaterial_folder_travels_with_its_tables_and_its_mapping(home):
    angles = dict.fromkeys(range(0, 81, 10), 0.37 / math.pi)
    write_json(home / "db", "look-up/card_brdf.xompt", brdf(in_plane(angles)))
    named = {"materialProperties": {"brdfUris": ["look-up/card_brdf.xompt"]}}
    write_json(home / "db", "materials/card.xomp", named)  # its table is found beside it only
    write_json(home / "db" / "materials", "look-up/card_brdf.xompt", brdf(in_plane(angles)))
    write_json(home / "db", "map.xomm", {"materialMapping": [["Paint", "materials/card.xomp", ""]]})
    write_cube(home / "car.obj")
    config = write_config(
        home, materials={"databases": ["db"]}, scene={"objects": [rule("car.obj")]}
    )
    assert seen(config, [ahead()]) == pytest.approx(0.37, rel=1e-5)


def test_two_databases_of_one_name_keep_their_order(home):
    for parent, percent in (("a", 20.0), ("b", 60.0)):
        write_spectrum(home / parent / "db" / "card.spectrum.txt", {0.8: percent, 1.0: percent})
    write_spectrum(home / "b" / "db" / "wall.spectrum.txt", {0.8: 90.0, 1.0: 90.0})
    (home / "map.yaml").write_text("materials: {box: card, Paint: wall}")
    databases = {"databases": ["a/db", "b/db"], "mapping": "map.yaml"}
    write_cube(home / "car.obj")
    scene = {"objects": [rule("car.obj", 3)]}
    config = write_config(home, materials=databases, scene=scene)
    last = run_both(config, [ahead(), ahead(3, y_m=10.0)])
    found = [reflectance(points_of(last, number)) for number in (2, 3)]
    assert found == pytest.approx([0.2, 0.9], rel=1e-5)


def test_folders_of_which_nothing_is_needed_are_there_all_the_same(home):
    write_spectrum(home / "db" / "card.spectrum.txt", {0.8: 37.0, 1.0: 37.0})
    (home / "models").mkdir()
    scene = {"search": ["models"]}
    run_both(write_config(home, scene=scene, materials={"databases": ["db"]}), [ahead()])


def test_own_materials_of_a_mapping_travel(home):
    own = {"class": "general", "reflectance": 0.37, "source": "me", "uncertainty": "none"}
    mapping = {"materials": {"box": "my card"}, "define": {"my card": own}}
    (home / "map.yaml").write_text(json.dumps(mapping))
    config = write_config(home, materials={"mapping": "map.yaml"})
    assert seen(config, [ahead()]) == pytest.approx(0.37, rel=1e-5)


def test_angle_pairs_travel(home):
    (home / "beams.csv").write_text("azimuth,elevation\n0,0\n1,0\n")
    pattern = {"kind": "pairs", "file": "beams.csv"}
    sensors = [{"name": "s", "pattern": pattern, **MOUNTING}]
    assert len(points_of(run_both(write_config(home, sensors=sensors), [ahead()]))) == 2


# --- what cannot be packed -----------------------------------------------------------------------


def test_an_absolute_path_in_an_asset_is_told_with_file_and_line(home):
    write_shared_mapping(home / "shared", 0.37)
    asset = write_asset(home / "car", 0.9, mapping=str(home / "shared" / "map.xomm"))
    scene = {"search": ["shared"], "objects": [rule(asset)]}
    config = write_config(home, scene=scene)
    one_line(config, f"{asset}: line 3", "absolute path", "relative")


def test_files_that_need_too_much_room_are_told(home, monkeypatch):
    monkeypatch.setattr(layout, "MOST_BYTES", 2**6)
    mesh = write_cube(home / "models" / "car.obj")
    one_line(write_config(home, scene={"search": ["models"]}), mesh, "scene.search")


def test_two_files_of_one_place_are_told(home):
    for version in ("v1", "v2"):
        mesh = write_cube(home / "models" / version / "car.obj")
        mesh.write_text(f"mtllib car.mtl\n{mesh.read_text()}")
        (mesh.parent / "car.mtl").write_text(f"newmtl {version}\n")
    (home / "models" / "v1" / "new.obj").symlink_to("../v2/car.obj")
    config = write_config(home, scene={"search": ["models"]})
    one_line(config, home / "models" / "v1" / "car.mtl", home / "models" / "v2" / "car.mtl")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
@pytest.mark.parametrize("name", ["a:b.obj", "a\\b.obj"])
def test_a_name_that_no_fmu_can_hold_is_told(home, name):
    mesh = write_cube(home / "models" / name)
    one_line(write_config(home, scene={"search": ["models"]}), mesh, "name")


def test_what_the_model_refuses_is_told_at_the_build(home):
    write_gltf(home / "car.gltf", "absent.bin")
    one_line(write_config(home, scene={"objects": [rule("car.gltf")]}), home / "absent.bin")
    (home / "map.yaml").write_text("materials: {box: lambertian_5o}")
    config = write_config(home, materials={"mapping": "map.yaml"})
    one_line(config, home / "map.yaml", "did you mean", error=ConfigurationError)
    (home / "db").mkdir()
    (home / "db" / "card.spectrum.txt").write_text("Name: card\n")
    config = write_config(home, materials={"databases": ["db"], "default": "card"})
    one_line(config, home / "db" / "card.spectrum.txt", error=ConfigurationError)
    config = write_config(home, scene={"objects": [rule("gone.obj")]})
    one_line(config, "scene.objects[0].mesh", home / "gone.obj", error=ConfigurationError)


# --- real files ----------------------------------------------------------------------------------


def test_real_databases_and_a_real_asset_travel(home, real_data):
    vehicle = real_data / "models" / "openmaterial3d" / "vehicle_example" / "vehicle_example.xoma"
    persival, ecostress = real_data / "materials" / "persival", real_data / "ecostress"
    spectra = {
        "ground": "manmade.road.pavingasphalt.solid.all.0095uuuasp.jhu.becknic",
        "Rubber*": "manmade.roofingmaterial.rubber.solid.all.0833uuurbr.jhu.becknic",
    }
    rules = {**spectra, "Paint*": "polymer_lambertian_10pc"}
    (home / "map.yaml").write_text(json.dumps({"materials": rules}))
    grid = {
        "kind": "grid",
        "horizontal": {"min_deg": -20, "max_deg": 20, "step_deg": 0.5},
        "vertical": {"min_deg": -15, "max_deg": 2, "step_deg": 0.5},
    }
    config = write_config(
        home,
        sensors=[{"name": "front", "pattern": grid, "mounting": {"z_m": 1.0}}],
        scene={"objects": [{"match": {"id": 2}, "mesh": str(vehicle)}]},
        materials={"databases": [str(persival), str(ecostress)], "mapping": "map.yaml"},
    )
    last = run_both(config, [ahead(x_m=6.0)])
    # asphalt, rubber, paint, the number plate by Persival's own mapping, and the default
    assert len(np.unique(points_of(last)["material_id"])) == 5
    content, names = scenario_of(home.parent / "fmu" / "OsiLidar.fmu")
    packed_spectra = [Path(name).name for name in names if name.endswith(".txt")]
    assert sorted(packed_spectra) == sorted(f"{name}.spectrum.txt" for name in spectra.values())
    assert sum(name.endswith(".xomp") for name in names) == len(list(persival.glob("*.xomp")))
    assert not [text for text in texts_in(content) if Path(text).is_absolute()]


def test_real_meshes_that_a_trace_names_travel(home, real_data):
    models = real_data / "models"
    names = sorted(path.name for path in (models / "sumo").glob("car*.obj"))
    assert names
    things = [ahead(2 + i, names[i % len(names)], y_m=10.0 * (i - 1)) for i in range(3)]
    config = write_config(home, scene={"search": [str(models / "sumo")]})
    assert len(points_of(run_both(config, things)))
