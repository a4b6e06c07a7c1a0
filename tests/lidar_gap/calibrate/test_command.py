# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``calibrate``, on clouds that the product wrote itself."""

import json

import pytest

from osi_lidar.clouds.pcd import read_pcd, write_pcd
from osi_lidar.config import load_config
from tests.builders.files import written
from tests.builders.meshes import write_quads
from tests.builders.recordings import N_LASER, faces, lasers
from tests.commands import assert_one_line, run


@pytest.fixture
def clouds(tmp_path):
    """Return the folder of clouds of a scan of the room."""
    mesh = write_quads(tmp_path / "room.obj", faces())
    (tmp_path / "unit.yaml").write_text("lasers: " + json.dumps(lasers()))
    config = {
        "sensors": [
            {
                "name": "unit",
                "calibration": "unit.yaml",
                "columns": 400,
                "range_limit": None,
                "mounting": {"z_m": 0.0},
                "noise": {"range_sigma_m": 0.01},
            }
        ],
        "scene": {"environment": [{"mesh": str(mesh), "up": "z", "forward": "x"}]},
    }
    (tmp_path / "scan.yaml").write_text(json.dumps(config))
    result = run("scan", "--config", tmp_path / "scan.yaml", "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    return tmp_path / "run" / "unit"


def test_command_writes_a_configuration_that_loads(clouds, tmp_path):
    out = tmp_path / "found.yaml"
    result = run("gap", "calibrate", clouds, "--out", out)
    assert result.exit_code == 0, result.output
    assert "Calibration: 1 frame" in result.output
    (sensor,) = load_config(out).sensors
    assert sensor.noise.range_sigma_m == pytest.approx(0.01, rel=0.15)
    assert (tmp_path / "found_figures.json").is_file()


def test_json_lists_figures_and_files(clouds, tmp_path):
    result = run("gap", "calibrate", clouds, "--out", tmp_path / "found.yaml", "--json")
    shown = json.loads(result.stdout)
    assert len(shown["figures"]["elevation_deg"]["values"]) == N_LASER
    assert [name.rsplit("_", 1)[-1] for name in shown["files"][1:]] == [
        "lasers.yaml",
        "figures.json",
    ]


def test_recording_that_is_missing_is_one_line(tmp_path):
    assert_one_line(run("gap", "calibrate", tmp_path / "none.pcap"), 2, "none.pcap")


def test_sensor_without_a_turning_head_is_refused(clouds):
    assert_one_line(
        run("gap", "calibrate", clouds, "--sensor", "Livox-Mid-40"), 2, "no turning head"
    )


def test_sensor_with_fewer_lasers_is_refused(clouds, tmp_path):
    result = run(
        "gap", "calibrate", clouds, "--sensor", "Ibeo-LUX-4L", "--out", tmp_path / "a.yaml"
    )
    assert_one_line(result, 2, "16 lasers", "expected 4 as Ibeo-LUX-4L has")
    assert not (tmp_path / "a.yaml").exists()


def test_name_that_is_not_of_a_configuration_is_refused(clouds, tmp_path):
    (tmp_path / "a.yaml").mkdir()
    for name, words in ((".", ".yaml or .yml"), ("a.pcd", ".yaml"), ("a.yaml", "directory")):
        assert_one_line(run("gap", "calibrate", clouds, "--out", tmp_path / name), 2, words)
    assert not (tmp_path / "a_figures.json").exists()


def test_inputs_are_not_replaced(clouds, tmp_path):
    metadata = written(tmp_path / "a_lasers.yaml", "lasers: []")
    result = run("gap", "calibrate", clouds, "--metadata", metadata, "--out", tmp_path / "a.yaml")
    assert_one_line(result, 2, "a_lasers.yaml", "is an input")
    assert metadata.read_text() == "lasers: []"


def test_names_of_files_may_hold_anything(clouds, tmp_path):
    file = written(tmp_path / "rec\nording.pcd", next(clouds.glob("*.pcd")).read_bytes())
    out = tmp_path / "ü : #'\" x.yaml"
    assert run("gap", "calibrate", file, "--out", out).exit_code == 0
    assert load_config(out).sensors[0].noise.range_sigma_m > 0


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [("ring", 60000, "numbers of lasers"), ("column", 2**31, "numbers of firings")],
)
def test_numbers_that_count_something_else_are_told(clouds, tmp_path, field, value, words):
    rows = read_pcd(next(clouds.glob("*.pcd"))).copy()
    rows[field][0] = value
    write_pcd(tmp_path / "a.pcd", rows)
    result = run("gap", "calibrate", tmp_path / "a.pcd", "--out", tmp_path / "a.yaml")
    assert_one_line(result, 2, "a: " + words)


def test_points_on_the_axis_are_told(clouds, tmp_path):
    rows = read_pcd(next(clouds.glob("*.pcd"))).copy()
    rows["x"], rows["y"] = 0, 0
    write_pcd(tmp_path / "a.pcd", rows)
    result = run("gap", "calibrate", tmp_path / "a.pcd", "--out", tmp_path / "a.yaml")
    assert_one_line(result, 2, "the same azimuth")
