# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that osi-lidar 0.2.0 has written are read, or refused in a line that says how to go on."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from osi3.osi_sensordata_pb2 import SensorData

from osi_bridge import open_trace, write_trace
from osi_lidar.config import load_config
from osi_lidar.output.stored import open_run
from osi_lidar.run.fmu import opening
from osi_lidar.version import __version__
from tests.builders.batches import batch, in_one_process, index_of, table_of, write_traces
from tests.builders.messages import moving
from tests.commands import assert_one_line, run

OLD = Path(__file__).parent / "0.2.0"
STREET = Path(__file__).resolve().parents[2] / "scenarios" / "street"
RUN, BATCH = OLD / "run", OLD / "batch"
POINTS = {30: 201, 31: 203, 32: 202}
"""What the old frames.csv says."""


@pytest.fixture
def trace(tmp_path):
    file = tmp_path / "one_sv_380_7362_1_moving.osi"
    write_trace(file, moving(1), message_type="SensorView")
    return file


def test_a_run_is_opened_with_all_its_points():
    stored = open_run(RUN)
    scans = list(stored.scans)
    assert {scan.row.frame: len(scan.points()) for scan in scans} == POINTS
    ranges = np.concatenate([scan.points()["range"] for scan in scans])
    assert ranges.min() > 0.5
    assert ranges.max() < 100


def test_its_answers_have_a_detection_for_each_point():
    answers = [SensorData.FromString(raw.data) for raw in open_trace(open_run(RUN).sensor_data)]
    detections = [len(each.feature_data.lidar_sensor[0].detection) for each in answers]
    assert detections == list(POINTS.values())


def test_info_tells_of_a_run():
    told = json.loads(run("info", RUN, "--json").stdout)
    assert told["made_by"] == "osi-lidar 0.2.0"
    assert told["points"] == sum(POINTS.values())


def test_a_run_is_exported(tmp_path):
    result = run("export", "npy", RUN, "--out", tmp_path / "npy")
    assert result.exit_code == 0, result.output
    tables = sorted((tmp_path / "npy").rglob("*.npy"))
    exported = {len(np.load(each)) for each in tables}
    assert exported >= set(POINTS.values())


@pytest.mark.long
def test_a_run_makes_no_bundle_until_it_is_run_again(tmp_path):
    shutil.copytree(RUN, tmp_path / "run")
    report = tmp_path / "run" / "run.json"
    text = report.read_text(encoding="utf-8")
    (made_in,) = json.loads(text)["config"]["scene"]["search"]
    report.write_text(text.replace(made_in, STREET.as_posix()), encoding="utf-8")
    result = run("bundle", tmp_path / "run", "--out", tmp_path / "run.osib")
    assert_one_line(result, 2, f"was run by osi-lidar 0.2.0, this is {__version__}: run it again")


def test_an_unfinished_run_is_not_resumed_but_told_how_to_go_on(trace, tmp_path):
    """What a run depends on has more keys now, so that its first frames may have another scene."""
    shutil.copytree(RUN, tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "status": "interrupted"}))
    result = run("replay", trace, "--out", tmp_path / "run", "--resume")
    assert_one_line(
        result, 2, "which cannot be resumed with these options; --overwrite replaces it"
    )


def test_all_keys_of_a_configuration_are_known():
    config = load_config(OLD / "wide.yaml")
    assert [sensor.name for sensor in config.sensors] == ["roof", "front"]
    roof, front = config.sensors
    assert (roof.columns, roof.fidelity, roof.deskew, roof.backfolding) == (
        30, "physical", True, True,
    )  # fmt: skip
    assert front.range_limit.pairs == ((10, 60), (80, 120))
    assert config.output.motion_objects == (1,)
    assert config.seed == 7


def test_the_index_of_a_batch_is_told():
    told = json.loads(run("info", BATCH / "index.parquet", "--json").stdout)
    assert (told["jobs"], told["ended"], told["points"]) == (2, {"done": 2}, 796)


def test_a_run_of_a_batch_is_opened():
    assert [len(scan.points()) for scan in open_run(BATCH / "one").scans] == [198, 200]


def test_a_batch_goes_on_in_the_folder(tmp_path, monkeypatch):
    """Outputs of another job are made anew at their place, as those of the old one are ours."""
    shutil.copytree(BATCH, tmp_path / "out")
    write_traces(tmp_path / "traces", 1)
    jobs = table_of(tmp_path, "trace,out", "traces/drive000.osi,one")
    in_one_process(monkeypatch)
    result = batch(tmp_path, jobs=jobs)
    assert result.exit_code == 0, result.output
    (row,) = index_of(tmp_path / "out")
    assert (row["status"], row["uri"]) == ("done", str(tmp_path / "out" / "one"))
    assert open_run(tmp_path / "out" / "one").trace == tmp_path / "traces" / "drive000.osi"
    assert len(list((tmp_path / "out" / "rows").iterdir())) == 3


@pytest.mark.parametrize("name", ["fmi2.fmu", "fmi3.fmu"])
def test_an_fmu_is_told(name):
    told = json.loads(run("fmu", "info", OLD / name, "--json").stdout)
    assert told["osi_lidar"] == "0.2.0"
    assert told["fmi"] == {"fmi2.fmu": "2.0", "fmi3.fmu": "3.0"}[name]
    assert told["sensors"] == [{"name": "roof", "preset": "VLP-16"}]
    assert told["parameters"]["preset"] == "VLP-16"


@pytest.mark.parametrize("name", ["fmi2.fmu", "fmi3.fmu"])
@pytest.mark.parametrize("version", ["0.2.0", "0.3.0"])
def test_an_fmu_that_does_not_fit_is_to_be_built_again(name, version, trace, tmp_path, monkeypatch):
    """Its code imports modules that have moved since."""
    pytest.importorskip("fmpy")
    monkeypatch.setattr(opening, "__version__", version)
    result = run("fmu", "run", OLD / name, trace, "--out", tmp_path / "out")
    words = f"it was built by osi-lidar 0.2.0, and not by this one, {version}: build it again"
    assert_one_line(result, 2, OLD / name, words)
