# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line, as a user types it."""

import json
import signal

import pytest

import osi_lidar
from osi_bridge import open_trace
from osi_lidar.run import example_scene
from osi_lidar.run.example_scene import street
from osi_lidar.sensors.configured_sensors import ready_names
from osi_lidar.sensors.presets import preset_names
from tests.builders.meshes import CUBE
from tests.builders.messages import framed, moving
from tests.builders.runs import short_street, sparse_street
from tests.commands import run
from tests.osi_lidar.live.streams import Process

N_LONG = 3000


def test_replay_takes_a_sensor_and_a_slice_of_frames(tmp_path):
    out = tmp_path / "out"
    scenario = street()
    result = run("replay", scenario.trace, "--sensor", "vlp16", "--frames", "0:12:4", "--out", out)
    assert result.exit_code == 0, result.output
    assert "3 read, 1 traced, 2 unchanged" in result.output
    assert [path.name for path in (out / "VLP-16").iterdir()] == ["000000.pcd"]


def test_replay_with_a_configuration_keeps_its_mounting_when_the_sensor_is_replaced(tmp_path):
    scenario = street()
    result = run(
        "replay", scenario.trace, "--config", scenario.config, "--sensor", "HDL-32E",
        "--frames", "0:1", "--out", tmp_path / "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    (sensor,) = json.loads((tmp_path / "out" / "run.json").read_text())["config"]["sensors"]
    assert (sensor["name"], sensor["mounting"]["x_m"]) == ("HDL-32E", 1.0)


def test_another_host_sees_from_its_own_place(tmp_path):
    scenario = street()
    result = run("replay", scenario.trace, "--host", 2, "--frames", "0:1", "-o", tmp_path / "o")
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "o" / "run.json").read_text())["host_object_id"] == 2


def test_check_shows_what_is_used_and_what_falls_back():
    scenario = street()
    result = run("check", "--config", scenario.config, scenario.trace)
    assert result.exit_code == 0, result.output
    for word in ("roof", "street.obj", "pedestrian.obj", "asphalt_worn", "SensorView"):
        assert word in result.output


def test_check_needs_no_configuration():
    result = run("check", street().trace)
    assert result.exit_code == 0, result.output
    assert "OS1-128" in result.output


def test_check_shows_the_environment_as_it_is_placed(tmp_path):
    """A cube from -1 to 1, in half size, y up, 100 m away."""
    (tmp_path / "cube.obj").write_text(CUBE)
    config = tmp_path / "config.yaml"
    config.write_text(
        "sensors: [{preset: VLP-16}]\n"
        "scene: {environment: [{mesh: cube.obj, up: y, scale: 0.5, position_m: [100, 0, 0]}]}\n"
    )
    output = " ".join(run("check", "--config", config).output.split())
    assert "99.50 -0.50 -0.50" in output
    assert "100.50 0.50 0.50" in output


def test_check_lists_mapping_rules_that_match_nothing(tmp_path):
    (tmp_path / "materials.yaml").write_text("materials: {ground: asphalt_new, Nothing: brick}")
    config = tmp_path / "config.yaml"
    config.write_text("sensors: [{preset: VLP-16}]\nmaterials: {mapping: materials.yaml}\n")
    output = run("check", "--config", config).output
    materials, unused = output.split("Rules that match")
    assert "materials.Nothing" in unused
    assert "materials.ground" not in unused
    assert "asphalt_new" in materials


def test_the_version_is_shown():
    assert run("--version").output.strip() == osi_lidar.__version__


def test_check_exits_with_1_and_names_all_files_that_are_missing(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(
        "sensors: [{preset: VLP-16}]\n"
        "scene: {environment: [{mesh: a.obj}, {mesh: b.obj}], search: [nowhere]}\n"
    )
    result = run("check", "--config", path)
    assert result.exit_code == 1
    for key in ("scene.environment[0].mesh", "scene.environment[1].mesh", "scene.search[0]"):
        assert key in result.output


def test_check_exits_with_1_for_an_unknown_material(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("sensors: [{preset: VLP-16}]\nmaterials: {default: asfalt_worn}\n")
    result = run("check", "--config", path)
    assert result.exit_code == 1
    assert "asphalt_worn" in result.output


def test_sensors_and_materials_are_listed_and_shown_with_sources():
    assert "OS1-128" in run("sensors").output
    assert "Source" in run("sensors", "VLP-16").output
    assert ["note" in run("sensors", name).output for name in ("XT32M", "VLP-16")] == [True, False]
    assert "asphalt_worn" in run("materials").output
    shown = run("materials", "show", "rubber_tyre").output
    assert "uncertainty" in shown
    assert "source" in shown


def test_lists_for_programs_are_json():
    sensors = json.loads(run("sensors", "--json").output)
    assert [sensor["name"] for sensor in sensors] == [*preset_names(), *ready_names()]
    assert json.loads(run("sensors", "OS1-64", "--json").output)["name"] == "OS1-64"
    materials = json.loads(run("materials", "--json").output)
    assert all(material["source"] and material["uncertainty"] for material in materials)
    assert json.loads(run("materials", "show", "glass", "--json").output)["name"] == "glass"


@pytest.mark.parametrize("arguments", [("sensors", "VLP-61"), ("materials", "show", "asfalt_new")])
def test_unknown_names_get_a_near_match_and_exit_code_2(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert "did you mean" in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_preview_draws_a_picture(tmp_path):
    out = tmp_path / "out"
    run("replay", street().trace, "--sensor", "VLP-16", "--frames", "0:1", "--out", out)
    picture = tmp_path / "picture.png"
    result = run("preview", out / "VLP-16" / "000000.pcd", "--out", picture)
    assert result.exit_code == 0, result.output
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_run_with_whole_files(tmp_path, number):
    """Of a trace that would take far longer than the signal takes to arrive."""
    out, trace = tmp_path / "out", tmp_path / "trace.osi"
    trace.write_bytes(framed(moving(N_LONG)))
    with Process("replay", trace, "--sensor", "OS1-128", "--out", out) as process:
        process.until(lambda: list(out.glob("OS1-128/*.pcd")), "a cloud is there")
        process.signal(number)
        assert process.wait() == 130, process.lines
    report = json.loads((out / "run.json").read_text())
    assert report["status"] == "interrupted"
    assert 0 < report["frames_read"] < N_LONG
    assert len(list(open_trace(out / report["sensor_data"]))) == report["frames_read"]
    assert not list(out.rglob("*.part"))


def test_the_demo_leaves_clouds_a_trace_a_report_and_a_picture(tmp_path, monkeypatch):
    whole = sparse_street(tmp_path / "street")
    monkeypatch.setattr(example_scene, "street", lambda: whole)
    result = run("demo", "--out", tmp_path / "demo")
    assert result.exit_code == 0, result.output
    names = {path.name for path in (tmp_path / "demo").iterdir()}
    assert {"frames.csv", "run.json", "preview.png", "roof"} < names
    report = json.loads((tmp_path / "demo" / "run.json").read_text())
    assert (report["frames_read"], report["frames_traced"]) == (60, 43)
    assert report["fallbacks"] == []
    monkeypatch.setattr(example_scene, "street", lambda: short_street(tmp_path))
    assert run("demo", "--out", tmp_path / "demo").exit_code == 0  # in place of the first
    report = json.loads((tmp_path / "demo" / "run.json").read_text())
    assert report["frames_read"] == 4
    assert len(list((tmp_path / "demo" / "roof").glob("*.pcd"))) == report["frames_traced"]
