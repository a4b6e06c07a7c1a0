# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a prompt or a notebook shows of a thing is short, and tells what it is."""

import gzip
import pickle

import pytest

import osi_lidar
from osi_lidar.config import default_config
from osi_lidar.scan.step import Scans
from osi_lidar.world.fallbacks import Fallback
from tests.builders.meshes import quad, write_quads
from tests.builders.runs import SENSORS, make_run
from tests.builders.worlds import config, steps_at_rest

LONGEST = 250


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shown")
    make_run(folder)
    return folder


@pytest.fixture(scope="module")
def model():
    return osi_lidar.LidarModel(config(sensors=list(SENSORS)))


@pytest.fixture(scope="module")
def steps(folder, model):
    return [model.step(frame) for frame in osi_lidar.FrameSource(folder / "drive.osi")]


def test_a_step_and_its_scans(steps):
    step = steps[1]
    front, left = step.scans
    n_front, n_left = len(front.cloud.points), len(left.cloud.points)
    assert repr(step) == f"Step(1 at 0.100 s: front {n_front} points, left {n_left} points)"
    assert repr(front) == f"Scan(front 1 at 0.100 s: {n_front} points, repeated from scan 0)"
    assert repr(steps[2].scans[0]).startswith("Scan(front 2 at 0.200 s: ")
    fields = " ".join(front.cloud.points.dtype.names)
    assert repr(front.cloud) == f"Cloud({n_front} points of front at 0.100 s: {fields})"
    assert step._repr_html_().count("<tr>") == 3


def test_a_message(folder):
    frame = next(iter(osi_lidar.FrameSource(folder / "drive.osi")))
    assert repr(frame) == "Frame(0 at 0.000 s: SensorView, objects: 2, host 1)"
    assert repr(frame.objects) == "ObjectStates(objects: 2)"
    assert frame._repr_html_().count("<tr>") == 3  # the header, the host, the box
    assert "12.00, 1.00, 0.75" in frame._repr_html_()


def test_a_trace(folder):
    source = osi_lidar.FrameSource(folder / "drive.osi", host_id=1, frames=slice(1, 3))
    assert repr(source) == "FrameSource(drive.osi: SensorView, frames: 2, host 1)"
    assert len(source) == len(list(source)) == 2
    assert "1 to 2<" in source._repr_html_()
    others = osi_lidar.FrameSource(folder / "drive.osi", frames=slice(None, None, 2))
    assert "0 to the last, every 2.<" in others._repr_html_()


def test_a_trace_that_must_be_read_to_be_counted_has_no_length(folder, tmp_path):
    path = tmp_path / "drive.osi.gz"
    path.write_bytes(gzip.compress((folder / "drive.osi").read_bytes()))
    source = osi_lidar.FrameSource(path)
    with pytest.raises(
        TypeError, match=r"drive\.osi\.gz: the number of frames is only known after"
    ):
        len(source)
    assert source
    assert len(list(source)) == 3
    assert repr(source) == "FrameSource(drive.osi.gz: SensorView)"
    assert "not counted" in source._repr_html_()


def test_a_configuration(folder):
    assert repr(default_config("VLP-16")) == "Config(VLP-16)"
    path = folder / "lidar.yaml"
    path.write_text("sensors: [{name: roof, preset: VLP-16}]\n", encoding="utf-8")
    assert repr(osi_lidar.load_config(path)) == "Config(lidar.yaml: roof VLP-16)"
    assert repr(config(sensors=list(SENSORS))) == "Config(front grid, left grid)"
    assert str(default_config()) == repr(default_config())
    assert "VLP-16" in default_config("VLP-16")._repr_html_()


def test_a_model_and_what_it_replaced(model, steps):
    assert len(steps) == 3
    assert repr(model) == "LidarModel(front grid, left grid; messages answered: 3)"
    fallback = model.fallbacks[0]
    assert repr(fallback) == f"Fallback({fallback}; times: {fallback.times})"
    assert model._repr_html_().count("<tr>") == 1 + len(model.fallbacks)


def test_names_of_foreign_files_do_nothing_in_a_notebook():
    shown = Fallback("object", "<script>alert(1)</script>", "box", "no mesh")._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_a_run_and_its_report(folder, tmp_path):
    run = osi_lidar.open_run(folder / "run")
    assert repr(run) == f"StoredRun({folder / 'run'}: front, left, frames: 3)"
    assert repr(next(run.scans)) == "StoredScan(front 0 at 0.000 s: 000000.pcd)"
    source = osi_lidar.FrameSource(folder / "drive.osi", frames=slice(1))
    report = osi_lidar.replay(source, config(sensors=list(SENSORS)), tmp_path / "out")
    assert repr(report) == f"Report(complete, frames: 1, points: {report.record.points})"
    assert "<table>" in report._repr_html_()


def test_rays(tmp_path):
    scene = osi_lidar.Scene()
    scene.add(write_quads(tmp_path / "wall.obj", [(quad(5.0), "Wall")]), up="z")
    hits = scene.cast([0, 0, 0], [[1, 0, 0], [-1, 0, 0]])
    assert repr(hits) == "RayHits(1 of 2 rays hit)"


def test_nothing_is_longer_than_a_few_lines(folder, model, steps):
    source = osi_lidar.FrameSource(folder / "drive.osi")
    shown = [model, source, model.config, steps[0], *steps[0].scans, steps[0].scans[0].cloud]
    assert all(len(repr(each)) < LONGEST for each in shown)


def test_scans_are_found_by_name_as_by_place(steps):
    scans = steps[0].scans
    assert scans["left"] is scans[1] is scans[-1]
    assert scans[:1] == (scans[0],)
    assert [scan.sensor for scan in scans] == ["front", "left"]
    assert isinstance(pickle.loads(pickle.dumps(scans)), Scans)  # noqa: S301  ours
    with pytest.raises(IndexError):
        scans[2]


def test_a_name_that_no_scan_has_is_one_line_with_a_near_one(steps):
    with pytest.raises(KeyError) as caught:
        steps[0].scans["frnt"]
    assert caught.value.args == (
        "got sensor 'frnt', expected one of front, left, did you mean 'front'?",
    )
    with pytest.raises(KeyError, match="the step has no scan"):
        Scans()["front"]


def test_of_several_scans_of_a_sensor_the_last_one_is_found():
    # messages are 0.1 s apart: the second one completes four scans
    still = [{**SENSORS[0], "timing": "sensor_rate", "rotation_rate_hz": 40.0}]
    _, steps = steps_at_rest(config(sensors=still), 2)
    assert len(steps[1].scans) == 4
    assert steps[1].scans["front"] is steps[1].scans[3]
