# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""MCAP files for viewers: runs that lack something, and places that cannot be written."""

import json
import sys
from dataclasses import replace

import pytest

from osi_bridge import write_trace
from osi_lidar.output.stored import open_run
from osi_lidar.viewers.mcap import export_mcap
from tests.builders.messages import host, message
from tests.builders.runs import SENSORS, make_run
from tests.builders.viewer_files import ANSWER, VIEW, decoded, poses, raw, topics
from tests.commands import assert_one_line, run

pytest.importorskip("foxglove_schemas_protobuf")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("mcap"))


def without_trace(folder):
    stored = open_run(folder)
    return replace(stored, report={**stored.report, "input": None})


def test_sensors_of_a_run_without_a_trace_hang_below_the_world(folder, tmp_path):
    path = export_mcap(without_trace(folder), tmp_path / "scan.mcap").path
    assert VIEW not in topics(path)
    rows = {(row.frame, row.sensor): row for row in open_run(folder).rows}
    names = [sensor["name"] for sensor in SENSORS]
    for number, transforms in enumerate(decoded(path, "/tf")):
        for one in transforms.transforms:
            row = rows[number, one.child_frame_id.removesuffix("_image_plane")]
            assert one.timestamp.ToNanoseconds() == row.end_ns
        found = poses(transforms)
        assert found == {
            **{("global", sensor): tuple(rows[number, sensor].end_pose) for sensor in names},
            **{(each, f"{each}_image_plane"): (0, 0, 0, 1, 0, 0, 0) for each in names},
        }
    layout = json.loads((tmp_path / "scan.layout.json").read_text())
    assert layout["configById"]["3D!scene"]["followTf"] == "global"


@pytest.mark.parametrize("kind", ["gone", "other"])
def test_a_run_whose_trace_is_gone_or_another_is_written_without_its_messages(tmp_path, kind):
    folder = make_run(tmp_path)
    if kind == "gone":
        (tmp_path / "drive.osi").unlink()
    else:
        write_trace(tmp_path / "drive.osi", [message([host()], 5.0)], message_type="SensorView")
    result = run("export", "mcap", folder, "--out", tmp_path / "shown.mcap")
    assert result.exit_code == 0, result.output
    (line,) = result.stderr.strip().split("\n")
    assert "without the messages in: " in line
    assert ("no such file" if kind == "gone" else "made from another trace") in line
    assert len(raw(tmp_path / "shown.mcap", "/front/points")) == 3
    assert VIEW not in topics(tmp_path / "shown.mcap")


def test_a_run_without_clouds_is_one_line(tmp_path):
    folder = make_run(tmp_path, output={"pcd": "none"}, sensors=SENSORS[:1])
    result = run("export", "mcap", folder, "--out", tmp_path / "shown.mcap")
    assert_one_line(result, 2, folder, "has no clouds (was it run with output.pcd: none?)")
    assert not (tmp_path / "shown.mcap").exists()


def test_a_damaged_run_json_is_one_line(tmp_path):
    folder = make_run(tmp_path, sensors=SENSORS[:1])
    content = json.loads((folder / "run.json").read_text())
    content["config"]["sensors"][0]["mounting"] = 7
    (folder / "run.json").write_text(json.dumps(content))
    result = run("export", "mcap", folder, "--out", tmp_path / "shown.mcap")
    assert_one_line(result, 2, "run.json: sensor front has no usable mounting, the run is damaged")


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("shown.bag", "expected a file name that ends with .mcap"),
        ("absent/shown.mcap", "cannot be written: No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_written_is_one_line(folder, tmp_path, out, words):
    assert_one_line(run("export", "mcap", folder, "--out", tmp_path / out), 2, out, words)
    assert list(tmp_path.iterdir()) == []


def test_the_trace_of_the_run_is_not_overwritten(tmp_path):
    folder = make_run(tmp_path, output={"sensor_data": "mcap"}, sensors=SENSORS[:1])
    (answers,) = folder.glob("*.mcap")
    before = answers.read_bytes()
    result = run("export", "mcap", folder, "--out", answers, "--overwrite")
    assert_one_line(result, 2, "is an input")
    assert answers.read_bytes() == before
    path = export_mcap(open_run(folder), tmp_path / "shown.mcap").path
    assert len(raw(path, ANSWER)) == 3


def test_a_file_or_its_layout_that_exists_is_replaced_only_when_asked(folder, tmp_path):
    path, layout = tmp_path / "shown.mcap", tmp_path / "shown.layout.json"
    for kept in (path, layout):
        kept.write_text("kept")
        result = run("export", "mcap", folder, "--out", path)
        assert_one_line(
            result,
            2,
            kept,
            "exists; give --overwrite to replace an earlier export",
        )
        assert kept.read_text() == "kept"
        kept.unlink()
    path.write_text("old")
    layout.write_text("old")
    result = run("export", "mcap", folder, "--out", path, "--overwrite", "--no-sensor-data")
    assert result.exit_code == 0, result.output
    assert "/front/points" in topics(path)
    assert json.loads(layout.read_text())["configById"]


def test_a_missing_extra_is_one_line(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    result = run("export", "mcap", folder, "--out", tmp_path / "shown.mcap")
    assert_one_line(result, 2, "foxglove-schemas-protobuf", "pip install 'osi-lidar[viewers]'")
    assert list(tmp_path.iterdir()) == []


def test_a_blueprint_needs_rerun_and_says_so_before_anything_is_written(
    folder, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "rerun", None)
    monkeypatch.setitem(sys.modules, "rerun.blueprint", None)
    result = run("export", "mcap", folder, "--out", tmp_path / "shown.mcap", "--blueprint")
    assert_one_line(result, 2, "rerun is not installed", "pip install 'osi-lidar[rerun]'")
    assert list(tmp_path.iterdir()) == []


def test_a_blueprint_stands_beside_the_file(folder, tmp_path):
    pytest.importorskip("rerun", reason="rerun-sdk is not installed")
    path = tmp_path / "shown.mcap"
    path.with_suffix(".rbl").write_text("kept")
    command = ("export", "mcap", folder, "--out", path, "--blueprint", "--no-sensor-data")
    assert_one_line(run(*command), 2, "shown.rbl", "exists")
    result = run(*command, "--overwrite")
    assert result.exit_code == 0, result.output
    assert {each.name for each in tmp_path.iterdir()} == {
        "shown.mcap",
        "shown.layout.json",
        "shown.rbl",
    }
    assert path.with_suffix(".rbl").read_bytes().startswith(b"RRF2")
