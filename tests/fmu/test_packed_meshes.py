# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Meshes, assets and what they need travel in an FMU: it gives what the model gives."""

from pathlib import Path

import pytest

from fmu_src.exporter import build_fmu
from tests.builders.clouds import points_of, reflectance
from tests.builders.materials import write_asset, write_shared_mapping
from tests.builders.meshes import CUBE, write_cube
from tests.builders.messages import ahead
from tests.builders.worlds import write_config
from tests.fmu.driving import complaints
from tests.fmu.gltf_files import write_gltf
from tests.fmu.packed import rule, run_both, scenario_of, seen, texts_in
from tests.material_mapping.databases.database_files import write_spectrum

NO_GROUND = {"ground": "none"}


# --- meshes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "file"),
    [
        ("car.mtl", "models/cars/car.mtl"),
        ("my car.mtl", "models/cars/my car.mtl"),
        ("looks/car.mtl", "models/cars/looks/car.mtl"),
        (r"..\looks\car.mtl", "models/looks/car.mtl"),
        ("../../looks/car.mtl", "looks/car.mtl"),
        ("/elsewhere/car.mtl", "models/cars/car.mtl"),
        ("{home}/looks/car.mtl", "looks/car.mtl"),
    ],
)
def test_libraries_of_an_obj_file_travel_wherever_they_are(home, library, file):
    (home / file).parent.mkdir(parents=True, exist_ok=True)
    (home / file).write_text("newmtl Paint\nKd 1 0 0\nmap_Kd textures/steel.png\n")
    mesh = home / "models" / "cars" / "car.obj"
    mesh.parent.mkdir(parents=True, exist_ok=True)
    mesh.write_text(f"mtllib {library.format(home=home)}\nusemtl Paint\n{CUBE}")
    (home / "map.yaml").write_text("textures: {'steel*': lambertian_20}")
    config = write_config(
        home, materials={"mapping": "map.yaml"}, scene={"objects": [rule("models/cars/car.obj")]}
    )
    assert seen(config, [ahead()]) == pytest.approx(0.2, rel=1e-5)
    content, names = scenario_of(home.parent / "fmu" / "OsiLidar.fmu")
    assert not [name for name in names if name.endswith(".png")]
    assert not [text for text in texts_in(content) if Path(text).is_absolute()]


@pytest.mark.parametrize("suffix", [".gltf", ".glb"])
@pytest.mark.parametrize(
    ("uri", "file"),
    [("a%20b.bin", "a b.bin"), ("sub/a.bin", "sub/a.bin"), ("../a.bin", "../a.bin")],
)
def test_buffers_of_a_gltf_file_travel(home, suffix, uri, file):
    data = write_gltf(home / "models" / f"car{suffix}", uri)
    (home / "models" / file).parent.mkdir(exist_ok=True)
    (home / "models" / file).write_bytes(data)
    (home / "map.yaml").write_text("materials: {Paint: lambertian_20}")
    mesh = rule(f"models/car{suffix}", up="z", forward="x")
    scene = {"objects": [mesh | {"fit": False, "origin": "as_is"}]}
    config = write_config(home, materials={"mapping": "map.yaml"}, scene=scene)
    assert seen(config, [ahead()]) == pytest.approx(0.2, rel=1e-5)


# --- assets --------------------------------------------------------------------------------------


def test_an_asset_that_a_rule_names_travels_with_its_materials(home):
    write_asset(home / "models" / "car", 0.37)
    scene = {"objects": [rule("models/car/car.xoma")]}
    assert seen(write_config(home, scene=scene), [ahead()]) == pytest.approx(0.37, rel=1e-5)


def test_an_asset_that_is_the_environment_travels_with_its_materials(home):
    write_asset(home / "town", 0.37, name="town")
    place = {"mesh": "town/town.xoma", "up": "z", "position_m": [10, 0, 0]}
    config = write_config(home, scene={"environment": [place], **NO_GROUND})
    last = run_both(config, [], with_fmi3=True)
    assert reflectance(points_of(last)) == pytest.approx(0.37, rel=1e-5)


def test_an_asset_that_a_trace_names_travels_with_its_materials(home):
    write_asset(home / "models" / "car", 0.37)
    config = write_config(home, scene={"search": ["models"]})
    assert seen(config, [ahead(reference="x/car/car.xoma")]) == pytest.approx(0.37, rel=1e-5)


@pytest.mark.parametrize(
    ("asset", "search", "uri"),
    [
        ("models/car", ["models"], "../shared/map.xomm"),
        ("cars", ["models"], "../models/shared/map.xomm"),
        ("cars", ["models/shared", "models"], "../models/shared/map.xomm"),
        ("models/shared/car", ["models/shared"], r"..\map.xomm"),
    ],
)
@pytest.mark.parametrize("by", ["rule", "trace"])
def test_an_asset_may_share_a_mapping_in_a_search_folder(home, asset, search, uri, by):
    write_asset(home / asset, 0.9, mapping=uri)
    (home / asset / "map.xomm").unlink()
    write_shared_mapping(home / "models" / "shared", 0.37)
    scene = {"search": [*search, asset]}
    if by == "rule":
        scene = {"search": search, "objects": [rule(f"{asset}/car.xoma")]}
    config = write_config(home, scene=scene)
    things = [ahead(reference="car.xoma")]
    assert seen(config, things) == pytest.approx(0.37, rel=1e-5)


def test_assets_of_one_name_in_two_search_folders_keep_their_materials(home):
    for folder, rho in (("a", 0.2), ("b", 0.6)):
        write_asset(home / folder / "models" / folder, rho)
    things = [ahead(2, "a/car.xoma", y_m=10.0), ahead(3, "b/car.xoma", y_m=-10.0)]
    last = run_both(write_config(home, scene={"search": ["a/models", "b/models"]}), things)
    found = [reflectance(points_of(last, number)) for number in (2, 3)]
    assert found == pytest.approx([0.2, 0.6], rel=1e-5)


def test_an_asset_whose_mapping_lies_outside_is_guessed_as_it_is_in_the_model(home):
    write_asset(home / "models" / "car", 0.9, mapping="../../shared/map.xomm")
    write_shared_mapping(home / "shared", 0.37)
    log = []
    config = write_config(home, scene={"search": ["models"]})
    last = run_both(config, [ahead(reference="car.xoma")], log)
    assert reflectance(points_of(last, 2)) == pytest.approx(0.4, rel=1e-5)  # metal_painted
    told = [line for line in complaints(log) if "map.xomm" in line]
    assert len(told) == 1
    assert all("leaves the folders that may be read" in line for line in told)
    _, names = scenario_of(home.parent / "fmu" / "OsiLidar.fmu")
    assert not [name for name in names if name.endswith("shared/map.xomm")]


# --- links ---------------------------------------------------------------------------------------


def test_an_asset_in_a_folder_that_is_a_link_travels(home):
    write_asset(home / "models" / "v2" / "car", 0.9, mapping="../map.xomm")
    (home / "models" / "v2" / "car" / "map.xomm").unlink()
    write_shared_mapping(home / "models" / "v2", 0.37)
    (home / "current").symlink_to("models/v2/car")
    scene = {"search": ["models"], "objects": [rule("current/car.xoma")]}
    assert seen(write_config(home, scene=scene), [ahead()]) == pytest.approx(0.37, rel=1e-5)


def test_a_mapping_that_is_a_link_travels_with_what_it_leads_to(home):
    write_asset(home / "models" / "car", 0.9)
    (home / "models" / "car" / "map.xomm").unlink()
    write_shared_mapping(home / "models" / "shared", 0.37)
    (home / "models" / "car" / "map.xomm").symlink_to("../shared/map.xomm")
    config = write_config(home, scene={"search": ["models"]})
    assert seen(config, [ahead(reference="car.xoma")]) == pytest.approx(0.37, rel=1e-5)


def test_a_configuration_below_a_link_is_packed_like_any_other(home):
    write_asset(home / "models" / "car", 0.37)
    write_config(home, scene={"objects": [rule("models/car/car.xoma")]})
    (home.parent / "link").symlink_to(home)
    assert build_fmu(config=home.parent / "link" / "config.yaml", out=home)[0].files


def test_a_mesh_that_is_a_link_travels_with_what_its_target_needs(home):
    mesh = write_cube(home / "models" / "v2" / "car.obj")
    mesh.write_text(f"mtllib car.mtl\n{mesh.read_text()}")
    (mesh.parent / "car.mtl").write_text("newmtl Paint\nKd 1 0 0\n")
    (home / "models" / "latest.obj").symlink_to("v2/car.obj")
    (home / "map.yaml").write_text("materials: {'rgb:255;0;0': lambertian_20}")
    config = write_config(home, materials={"mapping": "map.yaml"}, scene={"search": ["models"]})
    assert seen(config, [ahead(reference="latest.obj")]) == pytest.approx(0.2, rel=1e-5)


def test_links_out_of_the_search_folders_are_told_and_not_packed(home, caplog):
    write_cube(home / "secret" / "x.obj", "Secret")
    write_cube(home / "models" / "car.obj", "Paint")
    (home / "models" / "x.obj").symlink_to(home / "secret" / "x.obj")
    (home / "models" / "nothing.obj").symlink_to("absent.obj")
    (home / "models" / "self.obj").symlink_to("self.obj")
    (home / "models" / "deep").symlink_to(home / "secret")
    config = write_config(home, scene={"search": ["models"]})
    things = [ahead(2, "x.obj"), ahead(3, "deep/x.obj", y_m=10.0), ahead(4, "car.obj", y_m=-10.0)]
    run_both(config, things)
    _, names = scenario_of(home.parent / "fmu" / "OsiLidar.fmu")
    assert names == {"files/0/car.obj"}
    told = [line for line in caplog.messages if "packed" in line]
    assert len(told) == 4
    for name in ("x.obj", "nothing.obj", "self.obj", "deep"):
        assert any(line.startswith(f"{home / 'models' / name}: ") for line in told)


def test_a_database_of_links_travels_with_what_they_lead_to(home):
    write_spectrum(home / "library" / "card.spectrum.txt", {0.8: 37.0, 1.0: 37.0})
    (home / "db").mkdir()
    (home / "db" / "card.spectrum.txt").symlink_to("../library/card.spectrum.txt")
    (home / "db" / "lost.spectrum.txt").symlink_to("../library/lost.spectrum.txt")
    (home / "map.yaml").write_text("materials: {box: card}")
    config = write_config(home, materials={"databases": ["db"], "mapping": "map.yaml"})
    assert seen(config, [ahead()]) == pytest.approx(0.37, rel=1e-5)
