# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""`output: {mcap: viewer}`: a run ends with the file that `export mcap` writes."""

import pytest
from pydantic import ValidationError

from osi_bridge import write_trace
from osi_lidar.errors import OutputError
from osi_lidar.output.stored import open_run
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from osi_lidar.viewers.mcap import export_mcap
from tests.builders.runs import GRID, SENSORS, drive, make_run
from tests.builders.worlds import config, write_config
from tests.commands import assert_one_line, run
from tests.osi_lidar.run.cluster_helpers import messages_of

pytest.importorskip("foxglove_schemas_protobuf")
OUTPUT = {"mcap": "viewer"}


@pytest.mark.parametrize("sensor_data", ["osi", "mcap", "none"])
def test_a_run_writes_the_file_that_the_export_writes(tmp_path, sensor_data):
    output = {**OUTPUT, "sensor_data": sensor_data}
    folder = make_run(tmp_path, output=output, sensors=SENSORS[:1])
    exported = export_mcap(open_run(folder), tmp_path / "shown.mcap").path
    assert messages_of(folder / "viewer.mcap") == messages_of(exported)
    layouts = [folder / "viewer.layout.json", exported.with_suffix(".layout.json")]
    assert len({each.read_text() for each in layouts}) == 1


def source_in(folder):
    write_trace(folder / "drive.osi", drive(), message_type="SensorView")
    return FrameSource(folder / "drive.osi")


def test_overwrite_removes_the_file_of_an_earlier_run(tmp_path):
    folder = make_run(tmp_path, output=OUTPUT, sensors=SENSORS[:1])
    replay(source_in(tmp_path), config(sensors=[SENSORS[0]]), folder, overwrite=True)
    assert not list(folder.glob("viewer.*"))


def test_a_run_that_was_interrupted_gets_the_file_once_it_is_resumed(tmp_path):
    source, chosen = source_in(tmp_path), config(sensors=[SENSORS[0]], output=OUTPUT)
    cut = replay(source, chosen, tmp_path / "out", on_step=lambda done: done.frames_read < 2)
    assert cut.status == "interrupted"
    assert not (tmp_path / "out" / "viewer.mcap").exists()
    replay(source, chosen, tmp_path / "out", go_on=True)
    replay(source, chosen, tmp_path / "whole")
    resumed, whole = (messages_of(tmp_path / name / "viewer.mcap") for name in ("out", "whole"))
    assert resumed == whole


def test_a_scan_of_a_static_scene_has_the_file(tmp_path):
    (tmp_path / "wall.obj").write_text("v 5 -9 -9\nv 5 9 -9\nv 5 9 9\nv 5 -9 9\nf 1 2 3 4\n")
    sensors = [{"name": "s", "pattern": GRID, "mounting": {"z_m": 0.5}}]
    scene = {"environment": [{"mesh": "wall.obj"}]}
    chosen = write_config(tmp_path, sensors=sensors, scene=scene, output=OUTPUT)
    result = run("scan", "--config", chosen, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    topics = {topic for topic, *_ in messages_of(tmp_path / "out" / "viewer.mcap")}
    assert topics == {"/tf", "/s/points", "/s/range_image", "osi-lidar.OSMPSensorDataOut"}


def test_it_needs_clouds():
    with pytest.raises(ValidationError, match=r"output\.mcap\n.*needs pcd: binary"):
        config(output={**OUTPUT, "pcd": "none"})


def test_a_missing_extra_is_one_line_before_anything_is_written(tmp_path, monkeypatch):
    source, chosen = source_in(tmp_path), config(sensors=[SENSORS[0]], output=OUTPUT)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(OutputError, match=r"output\.mcap: .*pip install 'osi-lidar\[viewers\]'"):
        replay(source, chosen, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_disk_that_is_full_at_the_end_leaves_the_run_whole(tmp_path, monkeypatch):
    def full(*_arguments, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("osi_bridge.viewers.writer.ViewerFile.write", full)
    trace = source_in(tmp_path).path
    chosen = write_config(tmp_path, sensors=[SENSORS[0]], output=OUTPUT)
    result = run("replay", trace, "--config", chosen, "--out", tmp_path / "out")
    assert_one_line(result, 2, "viewer.mcap: cannot be written: No space left on device")
    assert open_run(tmp_path / "out").report["complete"]
    assert not list((tmp_path / "out").glob("*viewer*"))
