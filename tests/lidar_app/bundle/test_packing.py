# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A bundle holds all that a run reads: the same clouds where the files of the author are gone."""

import hashlib
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml

from lidar_app.bundle.manifest import CONFIG, MANIFEST
from lidar_app.bundle.opening import open_bundle
from lidar_scenery.weather.sources.openscenario import weather_of_scenario
from osi_lidar.config import load_config
from osi_lidar.errors import InputError
from osi_lidar.run.example_scene import street
from osi_lidar.run.poses import configured_poses
from tests.builders.meshes import write_cube
from tests.builders.messages import ahead, host
from tests.builders.runs import short_street, write_worlds
from tests.builders.worlds import MOUNTING, write_config
from tests.fmu.gltf_files import write_gltf
from tests.lidar_app.bundle.scenarios import (
    Place,
    bundled,
    clouds,
    clouds_of_bundle,
    plain,
    scattered,
)
from tests.lidar_scenery.roads.opendrive.small_maps import TWO, road, written
from tests.lidar_scenery.weather.sources.test_openscenario import action, scenario
from tests.osi_lidar.sensors.calibration.files import ouster


def texts_in(value):
    """Yield all texts of a configuration."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from texts_in(each)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("make", [plain, scattered])
def test_clouds_are_the_same_where_the_files_of_the_author_are_gone(make, tmp_path):
    place = make(tmp_path / "home")
    expected = clouds(place.config, place.trace, tmp_path / "expected")
    file = bundled(place, tmp_path / "sent" / "scene.osib")
    (tmp_path / "home").rename(tmp_path / "gone")
    assert len(expected) == 3
    assert clouds_of_bundle(file, tmp_path / "found") == expected


def test_only_what_the_run_reads_travels_with_relative_paths(tmp_path):
    file = bundled(scattered(tmp_path), tmp_path / "scene.osib")
    with zipfile.ZipFile(file) as archive:
        names = set(archive.namelist())
        config = yaml.safe_load(archive.read(CONFIG))
    ends = {name.rpartition("/")[2] for name in names}
    assert ends == {
        *(MANIFEST, CONFIG, "map.yaml", "drive.osi", "near.obj", "bare.obj", "wall.obj"),
        *("wall.mtl", "board.spectrum.txt", "asset.obj", "asset.xoma", "map.xomm", "card.xomp"),
        "card.xompt",
    }
    assert not [text for text in texts_in(config) if Path(text).is_absolute() or ".." in text]


def test_the_manifest_states_size_hash_and_origin_of_each_file(tmp_path):
    place = scattered(tmp_path)
    with zipfile.ZipFile(bundled(place, tmp_path / "scene.osib")) as archive:
        manifest = json.loads(archive.read(MANIFEST))
        assert archive.namelist() == [MANIFEST, *(each["name"] for each in manifest["files"])]
        for each in manifest["files"]:
            content = archive.read(each["name"])
            assert each["size"] == len(content)
            assert each["sha256"] == hashlib.sha256(content).hexdigest()
            if each["name"] != CONFIG:  # its paths are others
                assert (place.config.parent / each["origin"]).read_bytes() == content
    assert "../far/wall.obj" in {each["origin"] for each in manifest["files"]}


@pytest.mark.parametrize("make", [plain, scattered])
def test_the_same_scenario_gives_the_same_bytes_in_every_folder_and_when_bundled_again(
    make, tmp_path
):
    first = bundled(make(tmp_path / "a"), tmp_path / "a.osib").read_bytes()
    if make is plain:  # the other trace names an absolute path
        assert bundled(make(tmp_path / "deep" / "b"), tmp_path / "b.osib").read_bytes() == first
    with open_bundle(tmp_path / "a.osib") as bundle:
        again = bundled(Place(bundle.folder, None), tmp_path / "again.osib")
    assert again.read_bytes() == first
    with zipfile.ZipFile(tmp_path / "a.osib") as archive:
        archive.extractall(tmp_path / "unzipped")
    by_hand = Place(tmp_path / "unzipped" / CONFIG, None)
    assert bundled(by_hand, tmp_path / "third.osib").read_bytes() == first


@pytest.mark.long
def test_a_bundle_is_hardly_larger_than_its_compressed_files(tmp_path):
    scene = street()
    file = bundled(Place(scene.config, scene.trace), tmp_path / "street.osib")
    with zipfile.ZipFile(file) as archive:
        packed = sum(each.compress_size for each in archive.infolist())
    assert file.stat().st_size <= 1.05 * packed


def test_a_map_and_a_table_of_beams_travel(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "beams.csv").write_text("azimuth,elevation\n0,-10\n20,-12\n-20,-9\n")
    written(home, road(TWO))
    sensors = [{"name": "s", "pattern": {"kind": "pairs", "file": "beams.csv"}, **MOUNTING}]
    config = write_config(home, sensors=sensors, scene={"map": "map.xodr"})
    place = Place(config, write_worlds(home / "drive.osi", [[host()], [host(x_m=1.0)]]))
    expected = clouds(place.config, place.trace, tmp_path / "expected")
    file = bundled(place, tmp_path / "scene.osib")
    home.rename(tmp_path / "gone")
    assert clouds_of_bundle(file, tmp_path / "found") == expected


def test_a_calibration_a_scenario_and_poses_travel(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    ouster(home, name="unit 7.json")
    scenario(home, action('<Weather><Fog visualRange="80"/></Weather>'))
    (home / "poses.csv").write_text("x_m,y_m,z_m\n1,0,0\n2,0,0\n")
    sensors = [{"name": "s", "calibration": "unit 7.json", "fidelity": "ideal"}]
    more = {"weather": {"scenario": "rain.xosc"}, "poses": "poses.csv"}
    config = write_config(home, sensors=sensors, **more)
    place = Place(config, write_worlds(home / "drive.osi", [[host()], [host(x_m=1.0)]]))
    expected = clouds(place.config, place.trace, tmp_path / "expected")
    file = bundled(place, tmp_path / "scene.osib")
    home.rename(tmp_path / "gone")
    assert clouds_of_bundle(file, tmp_path / "found") == expected
    with open_bundle(file) as bundle:
        config = load_config(bundle.config)
        assert weather_of_scenario(config.weather.scenario).visibility_m == 80.0
        assert configured_poses(config) is not None


def test_the_buffers_of_a_gltf_file_beside_the_trace_travel(tmp_path):
    home = tmp_path / "home"
    data = write_gltf(home / "models" / "car.gltf", "../buffers/a.bin")
    (home / "buffers").mkdir()
    (home / "buffers" / "a.bin").write_bytes(data)
    trace = write_worlds(home / "drive.osi", [[host(), ahead(2, "models/car.gltf")]])
    file = bundled(Place(write_config(home), trace), tmp_path / "scene.osib")
    with zipfile.ZipFile(file) as archive:
        ends = {name.rpartition("/")[2] for name in archive.namelist()}
    assert {"car.gltf", "a.bin"} <= ends


def test_a_mesh_that_cannot_be_used_is_a_box_in_the_bundle_too(tmp_path):
    place = plain(tmp_path / "home")
    (tmp_path / "home" / "car.obj").write_text("no mesh")
    expected = clouds(place.config, place.trace, tmp_path / "expected")
    file = bundled(place, tmp_path / "scene.osib")
    assert clouds_of_bundle(file, tmp_path / "found") == expected


@pytest.mark.long
def test_a_short_street_gives_the_same_clouds(tmp_path):
    scene = short_street(tmp_path)
    expected = clouds(scene.config, scene.trace, tmp_path / "expected")
    file = bundled(Place(scene.config, scene.trace), tmp_path / "street.osib")
    assert clouds_of_bundle(file, tmp_path / "found") == expected


@pytest.mark.parametrize("named", [["latest", "v1"], ["latest", "v1", "v2"]])
def test_a_mesh_that_only_a_link_to_a_folder_leads_to_is_told(tmp_path, named):
    """A search by names does not follow a link to a folder; a path in a trace may lead through."""
    home = tmp_path / "home"
    write_cube(home / "store" / "v2" / "car.obj")
    write_cube(home / "store" / "v1" / "car.obj", "Other")
    (home / "store" / "latest").symlink_to("v2")
    trace = write_worlds(
        home / "drive.osi",
        [[host(), *(ahead(2 + n, f"{name}/car.obj", y_m=4.0 * n) for n, name in enumerate(named))]],
    )
    place = Place(write_config(home, scene={"search": ["store"]}), trace)
    file = tmp_path / "scene.osib"
    with pytest.raises(InputError) as caught:
        bundled(place, file)
    assert "mesh 'latest/car.obj' would not be found in the bundle" in str(caught.value)
    assert not file.exists()


def test_what_is_written_cannot_be_an_input(tmp_path):
    place = plain(tmp_path)
    with pytest.raises(Exception, match="is an input, expected another name"):
        bundled(place, place.config)


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        "openmaterial3d/20250320T135754Z_sv_360_2112_140_scenario_example_two_vehicles.osi",
        "omega-prime/pedestrian.osi",
        "lichtblick/MovingHostWith3DModel.mcap",
    ],
)
def test_a_real_trace_gives_the_same_clouds(real_data, tmp_path, name):
    """The first refers to assets above its folder, the second has a map, the third is MCAP."""
    angles = np.arange(-60.0, 61.0, 6.0)
    pairs = [[float(az), float(el)] for az in angles for el in (-12.0, -4.0, 0.0)]
    sensors = [{"name": "s", "pattern": {"kind": "pairs", "azimuth_elevation_deg": pairs}}]
    folders = ("osi", "models/lichtblick", "models/openmaterial3d")
    scene = {"search": [str(real_data / each) for each in folders]}
    if name.startswith("omega"):
        scene["map"] = str(real_data / "osi" / "omega-prime" / "fabriksgatan.xodr")
    config = write_config(tmp_path, sensors=sensors, scene=scene)
    place = Place(config, real_data / "osi" / name)
    expected = clouds(place.config, place.trace, tmp_path / "expected")
    file = bundled(place, tmp_path / "scene.osib")
    assert clouds_of_bundle(file, tmp_path / "found") == expected
    with open_bundle(file) as bundle:
        again = bundled(Place(bundle.folder, None), tmp_path / "again.osib")
    assert again.read_bytes() == file.read_bytes()
