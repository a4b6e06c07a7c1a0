# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""run.json says what made a run, and a bundle of the run compares its files with that."""

import hashlib
import json
import logging
import shutil
import zipfile

import numpy as np
import pytest

from lidar_app.bundle.author import verdict
from lidar_app.bundle.manifest import CONFIG, MANIFEST, parse_manifest
from osi_lidar.config import load_config
from osi_lidar.errors import InputError, OutputError
from osi_lidar.output.run_folder import IDENTITY
from osi_lidar.output.stored import open_run
from osi_lidar.run import made_with
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.made_with import InputNames, changed_files
from osi_lidar.run.replay import replay, scan
from tests.builders.images import UPRIGHT, png, upright, wall
from tests.builders.meshes import write_cube
from tests.builders.messages import ahead, host
from tests.builders.runs import write_worlds
from tests.builders.worlds import MOUNTING, write_config
from tests.lidar_app.bundle.scenarios import Place, bundled, clouds, plain, scattered
from tests.lidar_scenery.roads.opendrive.small_maps import TWO, road, written


def surveyed(home):
    """Return a scenario with a map, a table of beams, and a mesh with an image beside it."""
    home.mkdir(parents=True)
    (home / "beams.csv").write_text("azimuth,elevation\n0,-10\n20,-12\n-20,-9\n")
    written(home, road(TWO))
    (home / "board.png").write_bytes(png(np.array([[255, 0], [0, 255]], np.uint8)))
    (home / "board.gltf").write_text(json.dumps(wall(upright(), UPRIGHT, "board.png")))
    sensors = [{"name": "s", "pattern": {"kind": "pairs", "file": "beams.csv"}, **MOUNTING}]
    scene = {"map": "map.xodr", "images": "base_color"}
    config = write_config(home, sensors=sensors, scene=scene)
    worlds = [[host(x_m=0.1 * n), ahead(2, "board.gltf")] for n in range(2)]
    return Place(config, write_worlds(home / "drive.osi", worlds))


def made_of(folder):
    """Return what run.json says of what made a run."""
    return json.loads((folder / "run.json").read_text())["made_with"]


def run_of(place, folder, **options):
    """Replay a scenario; return what made its run."""
    replay(FrameSource(place.trace), load_config(place.config), folder, **options)
    return made_of(folder)


def cut(place, folder):
    """Replay two frames of a scenario."""
    return run_of(place, folder, on_step=lambda progress: progress.frames_read < 2)


def test_run_json_is_there_only_after_the_end_of_a_run_that_goes_on_too(tmp_path):
    """Else it would tell of all frames what it knows of those before the cut."""
    place, was_there = plain(tmp_path / "home"), []

    def look(_):
        was_there.append((tmp_path / "run" / "run.json").exists())
        return len(was_there) != 2

    for go_on in (False, True):
        run_of(place, tmp_path / "run", go_on=go_on, on_step=look)
    assert len(was_there) > 3
    assert not any(was_there)


@pytest.mark.parametrize("make", [plain, scattered, surveyed])
def test_run_json_has_the_hash_of_each_file_that_a_bundle_packs(make, tmp_path):
    place = make(tmp_path / "home")
    made = run_of(place, tmp_path / "run")
    assert made["trace"] == hashlib.sha256(place.trace.read_bytes()).hexdigest()
    with zipfile.ZipFile(bundled(place, tmp_path / "scene.osib")) as archive:
        members = parse_manifest(archive.read(MANIFEST)).members
    assert {each.sha256 for each in members if each.name != CONFIG} == {
        made["trace"],
        *made["files"].values(),
    }


def test_files_are_named_by_the_keys_that_lead_to_them(tmp_path):
    place = scattered(tmp_path)
    files = run_of(place, tmp_path / "run")["files"]
    assert [*files] == [
        "materials.databases[0].folder: board.spectrum.txt",
        "materials.mapping: map.yaml",
        "scene.objects[0].mesh: wall.mtl",
        "scene.objects[0].mesh: wall.obj",
        "scene.search[0]: cars/asset/asset.obj",
        "scene.search[0]: cars/asset/asset.xoma",
        "scene.search[0]: cars/asset/card.xomp",
        "scene.search[0]: cars/asset/card.xompt",
        "scene.search[0]: cars/asset/map.xomm",
        "scene.search[0]: deep/er/bare.obj",
        "trace: meshes/near.obj",
    ]
    names = InputNames(load_config(place.config), place.trace.parent)
    for name, digest in files.items():
        file = names.file(name)
        assert hashlib.sha256(file.read_bytes()).hexdigest() == digest
        assert names.name(file) == name
    assert names.name(tmp_path / "beside.obj").count("..") == 1


@pytest.mark.parametrize("make", [plain, surveyed])
def test_it_is_the_same_in_every_folder_and_at_every_run(make, tmp_path, monkeypatch):
    first = run_of(make(tmp_path / "a"), tmp_path / "run")
    assert run_of(make(tmp_path / "deep" / "er" / "b"), tmp_path / "other") == first
    monkeypatch.chdir(tmp_path / "a")
    config = load_config("config.yaml")
    replay(FrameSource("drive.osi"), config, tmp_path / "third")
    assert made_of(tmp_path / "third") == first
    (tmp_path / "a" / "config.yaml").write_text(
        (tmp_path / "a" / "config.yaml").read_text().replace('"z_m": 0.1', '"z_m": 0.2')
    )
    other = run_of(
        Place(tmp_path / "a" / "config.yaml", tmp_path / "a" / "drive.osi"), tmp_path / "4"
    )
    assert other.pop("configuration") != first["configuration"]
    assert other == {key: each for key, each in first.items() if key != "configuration"}


def test_a_scan_without_a_trace_says_it_too(tmp_path):
    write_cube(tmp_path / "wall.obj")
    config = write_config(tmp_path, scene={"environment": [{"mesh": "wall.obj"}]})
    scan(load_config(config), tmp_path / "run")
    made = made_of(tmp_path / "run")
    assert (made["trace"], [*made["files"]]) == (None, ["scene.environment[0].mesh: wall.obj"])


def test_a_mesh_counts_as_it_was_when_it_was_read(tmp_path):
    place = plain(tmp_path / "home")
    before = hashlib.sha256((tmp_path / "home" / "car.obj").read_bytes()).hexdigest()

    def change(_):
        write_cube(tmp_path / "home" / "car.obj", "Glass")
        return True

    made = run_of(place, tmp_path / "run", on_step=change)
    assert made["files"] == {"trace: car.obj": before}


# --- bundles of runs -----------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda home: write_cube(home / "far" / "wall.obj", "Board"), "[0].mesh: wall.mtl is not"),
        (lambda home: (home / "far" / "wall.mtl").write_text("#"), "mesh: wall.mtl has changed"),
        (lambda home: write_cube(home / "library" / "deep" / "er" / "bare.obj"), "bare.obj has ch"),
        (lambda home: write_cube(home / "drives" / "bare.obj"), "deep/er/bare.obj is not read any"),
        (lambda home: (home / "drives" / "meshes" / "near.obj").unlink(), "near.obj is not read"),
        (
            lambda home: (home / "db" / "board.spectrum.txt").write_bytes(
                (home / "db" / "board.spectrum.txt").read_bytes().replace(b"37", b"38")
            ),
            "board.spectrum.txt has changed",
        ),
    ],
)
def test_what_has_changed_since_the_run_is_one_line(tmp_path, change, told):
    place = scattered(tmp_path)
    clouds(place.config, place.trace, tmp_path / "run")
    bundled(Place(tmp_path / "run", None), tmp_path / "good.osib")
    change(tmp_path)
    with pytest.raises(InputError) as caught:
        bundled(Place(tmp_path / "run", None), tmp_path / "bad.osib")
    text = str(caught.value)
    assert text.startswith(f"{tmp_path}/run: since the run ")
    assert told in text
    assert text.endswith("run it again")
    assert "\n" not in text
    assert not (tmp_path / "bad.osib").exists()


def test_a_run_need_not_have_read_what_messages_between_its_scans_name(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    write_cube(home / "car.obj")
    write_cube(home / "van.obj")
    names = ["van.obj", *["car.obj"] * 4]
    worlds = [[host(x_m=0.1 * n), ahead(2 + n, name)] for n, name in enumerate(names)]
    sensors = [{"name": "front", "preset": "VLP-16", "timing": "sensor_rate", **MOUNTING}]
    config = write_config(home, sensors=sensors)
    place = Place(config, write_worlds(home / "drive.osi", worlds))
    assert [*run_of(place, tmp_path / "run")["files"]] == ["trace: car.obj"]
    with zipfile.ZipFile(bundled(Place(tmp_path / "run", None), tmp_path / "a.osib")) as archive:
        author = parse_manifest(archive.read(MANIFEST)).run
        assert {"car.obj", "van.obj"} <= {name.split("/")[-1] for name in archive.namelist()}
    assert verdict(open_run(tmp_path / "run"), author).is_same
    write_cube(home / "car.obj", "Glass")
    with pytest.raises(InputError, match=r"since the run trace: car\.obj has changed: run it"):
        bundled(Place(tmp_path / "run", None), tmp_path / "b.osib")


EMPTY = {"versions": {}, "files": {}}


@pytest.mark.parametrize(
    "made",
    [
        *(None, {}, {"versions": {}}, {"versions": 3, "files": {}}, []),
        *({**EMPTY, "frames_unknown": n} for n in (-5, True, 10**9, "1")),
    ],
)
def test_a_run_that_does_not_say_what_made_it_is_one_line(tmp_path, made):
    place = plain(tmp_path / "home")
    clouds(place.config, place.trace, tmp_path / "run")
    report = json.loads((tmp_path / "run" / "run.json").read_text())
    (tmp_path / "run" / "run.json").write_text(json.dumps({**report, "made_with": made}))
    with pytest.raises(
        InputError, match="does not name the versions and files that made the run: run it again"
    ):
        bundled(Place(tmp_path / "run", None), tmp_path / "bad.osib")


def test_a_bundle_has_the_versions_of_the_run_and_not_of_now(tmp_path, monkeypatch):
    place = plain(tmp_path / "home")
    clouds(place.config, place.trace, tmp_path / "run")
    then = made_with.versions()
    monkeypatch.setattr("lidar_app.bundle.author.versions", lambda: {**then, "numpy": "9"})
    monkeypatch.setattr(made_with, "versions", lambda: {**then, "numpy": "9"})
    with zipfile.ZipFile(bundled(Place(tmp_path / "run", None), tmp_path / "a.osib")) as archive:
        author = parse_manifest(archive.read(MANIFEST)).run
    assert author.made_with == then
    found = verdict(open_run(tmp_path / "run"), author)
    assert found.made_with == {"numpy": ("9", then["numpy"])}


# --- runs that were resumed ----------------------------------------------------------------------


def test_a_run_that_is_resumed_with_the_same_files_says_what_a_whole_one_says(tmp_path):
    place = plain(tmp_path / "home")
    whole = run_of(place, tmp_path / "whole")
    cut(place, tmp_path / "run")
    assert run_of(place, tmp_path / "run", go_on=True) == whole


def test_a_run_whose_files_have_changed_is_not_resumed(tmp_path):
    place = plain(tmp_path / "home")
    cut(place, tmp_path / "run")
    before = sorted(tmp_path.glob("run/**/*"))
    write_cube(tmp_path / "home" / "car.obj", "Glass")
    with pytest.raises(
        OutputError, match=r"cannot be resumed: trace: car\.obj has changed since the run"
    ):
        run_of(place, tmp_path / "run", go_on=True)
    assert sorted(tmp_path.glob("run/**/*")) == before


@pytest.mark.parametrize("how", ["killed", "other versions", "twice"])
def test_frames_of_which_nobody_knows_what_made_them_are_told(tmp_path, caplog, how):
    place = plain(tmp_path / "home")
    cut(place, tmp_path / "run")
    report = json.loads((tmp_path / "run" / "run.json").read_text())
    if how == "killed":
        identity = {key: report[key] for key in ("version", "config")}
        identity["input"] = {key: each for key, each in report["input"].items() if key != "file"}
        (tmp_path / "run" / IDENTITY).write_text(json.dumps(identity))
        (tmp_path / "run" / "run.json").unlink()
    else:
        changed = {"versions": {"numpy": "0.1"}} if how == "other versions" else {}
        report["made_with"] |= changed or {"frames_unknown": 1}
        (tmp_path / "run" / "run.json").write_text(json.dumps(report))
    assert run_of(place, tmp_path / "run", go_on=True)["frames_unknown"] == 1
    with caplog.at_level(logging.WARNING):
        file = bundled(Place(tmp_path / "run", None), tmp_path / "a.osib")
    assert (
        f"{tmp_path}/run: the first 1 frames are from before the run was resumed; the versions and "
        "files that made them are unknown"
    ) in caplog.messages
    with zipfile.ZipFile(file) as archive:
        author = parse_manifest(archive.read(MANIFEST)).run
    shutil.copytree(tmp_path / "run", tmp_path / "other")
    (tmp_path / "other" / "front" / "000001.pcd").write_bytes(b"#")
    words = verdict(open_run(tmp_path / "other"), author).words
    assert words.endswith(
        "made with the same version, kernels and packages; what made its author's first 1 frames "
        "is not known"
    )
    assert verdict(open_run(tmp_path / "run"), author).is_same


def test_names_in_a_foreign_run_lead_to_no_devices(tmp_path):
    place = plain(tmp_path / "home")
    config = load_config(place.config)
    hostile = {"trace: ../../../../../../dev/zero": "0", "trace: a\0b": "0", "no key": "0"}
    assert changed_files(hostile, config, place.trace.parent) == [*hostile]
