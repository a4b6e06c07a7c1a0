# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Points that are on no surface: pictures, counts, ground truth and objectives cope with them."""

import json

import numpy as np
import pytest
from matplotlib.image import imread

from lidar_app.batch.objective import Tally, read_objective
from lidar_app.show.material_hits import NO_SURFACE, count_hits
from lidar_app.show.preview import scene_picture
from osi_bridge import NO_OBJECT
from osi_lidar import LidarModel, load_config
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.output.truth_export import points_with_truth, truth_columns
from osi_lidar.scan.records import NO_MATERIAL
from tests.builders.beams import beams_at, plate
from tests.builders.messages import Thing, framed, frames, host, message
from tests.commands import replay, run

SKY = "vertical_deg: [5, 10, 15, 20]"
ALARMING = """\
sensors:
  - name: eye
    pattern: {kind: angles, horizontal_deg: [-9, -6, -3, 0, 3, 6, 9], VERTICAL}
    range_limit: {pairs: [[10, 60], [80, 120]]}
    returns: {mode: all, max: 8}
    receiver: {false_alarm_probability: 0.5}
    noise: {range_sigma_m: 0.02, azimuth_sigma_deg: 0.1}
OUTPUT
"""
THINGS = [host(), Thing(7, (15.0, 0.0, 0.75))]
VERTICALS = {"car and sky": "vertical_deg: [-5, 10, 15, 20]", "sky": SKY}
FALSE_ALARM = 2


def write(folder, vertical=VERTICALS["car and sky"], output=""):
    path = folder / "config.yaml"
    path.write_text(ALARMING.replace("VERTICAL", vertical).replace("OUTPUT", output))
    (folder / "trace.osi").write_bytes(
        framed([message(THINGS, time_s=0.1 * index) for index in range(3)])
    )
    return path


@pytest.fixture(params=VERTICALS)
def folder(request, tmp_path):
    """Return the folder of a run, of which half of the beams have a false alarm."""
    config = write(tmp_path, VERTICALS[request.param])
    result = replay(tmp_path / "trace.osi", config)
    assert result.exit_code == 0, result.output
    return tmp_path / "out"


@pytest.fixture
def step_and_model(tmp_path):
    model = LidarModel(load_config(write(tmp_path)))
    return model.step(frames([THINGS])[0]), model


def alarms_in(folder):
    """Return how many points of a run are false alarms, and how many are not."""
    origin = np.concatenate([read_pcd(path)["origin"] for path in folder.rglob("*.pcd")])
    return (origin == FALSE_ALARM).sum(), (origin != FALSE_ALARM).sum()


def test_they_have_no_material_and_no_object_and_face_the_sensor(folder):
    for path in folder.rglob("*.pcd"):
        points = read_pcd(path)
        alarms = points[points["origin"] == FALSE_ALARM]
        assert (alarms["material_id"] == NO_MATERIAL).all()
        assert (alarms["object_id"] == 2**32 - 1).all()
        assert (points["material_id"][points["origin"] != FALSE_ALARM] != NO_MATERIAL).all()
        normal, place = (
            np.stack([alarms[f"{before}{axis}"] for axis in "xyz"], axis=1)
            for before in ("normal_", "")
        )
        facing = -(normal * place).sum(axis=1) / np.linalg.norm(place, axis=1)
        np.testing.assert_allclose(facing, 1.0, atol=1e-4)


@pytest.mark.long
def test_pictures_of_them_are_drawn(folder):
    path = next(folder.rglob("*.pcd"))
    assert imread(scene_picture(path)).any()
    result = run("preview", path)
    assert result.exit_code == 0, result.output
    assert imread(path.with_suffix(".png")).shape == (1200, 1800, 4)


def test_they_are_counted_by_themselves(folder):
    hits = count_hits(folder)
    n_alarms, n_others = alarms_in(folder)
    assert hits.by_material[NO_SURFACE] == n_alarms > 10
    assert hits.by_object[None][NO_SURFACE] == n_alarms
    assert hits.total == n_alarms + n_others
    shown = run("materials", "hits", folder)
    assert shown.exit_code == 0, shown.output
    assert NO_SURFACE in shown.output
    printed = json.loads(run("materials", "hits", folder, "--json").stdout)
    assert printed["materials"][NO_SURFACE] == n_alarms
    assert printed["points"] == n_alarms + n_others


def test_they_have_no_name_in_the_ground_truth_and_are_where_they_are_reported(step_and_model):
    step, _ = step_and_model
    (scan,) = step.scans
    alarms = scan.cloud.points["origin"] == FALSE_ALARM
    assert 0 < alarms.sum() < len(alarms)
    columns = truth_columns(scan, step.materials)
    material = columns["material"]
    names = np.array([material.names[row] for row in material.row])
    assert (names[alarms] == "").all()
    assert (names[~alarms] != "").all()
    assert (columns["object_id"][alarms] == NO_OBJECT).all()
    points = points_with_truth(scan)
    for name in ("true_x", "true_y", "true_z", "true_range", "yaw", "pitch"):
        assert np.isfinite(points[name]).all()
    # but for the errors of range and direction that come on top
    np.testing.assert_allclose(points["true_range"], points["range"], atol=1.0)


@pytest.mark.parametrize("packed", ["ascii", "binary", "binary_compressed"])
def test_a_run_writes_their_ground_truth(tmp_path, packed):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    config = write(tmp_path, output=f"output: {{ground_truth: true, pcd: {packed}}}")
    result = replay(tmp_path / "trace.osi", config)
    assert result.exit_code == 0, result.output
    n_alarms, n_others = alarms_in(tmp_path / "out")
    table = parquet.read_table(tmp_path / "out" / "eye" / "ground_truth.parquet")
    names = table["material"].to_pylist()
    assert len(names) == n_alarms + n_others
    assert names.count("") == n_alarms > 10


@pytest.mark.parametrize("text", ["points()", "hits(*)", "points(object=7)"])
def test_an_objective_counts_points_on_surfaces(step_and_model, text):
    step, model = step_and_model
    cloud = step.scans[0].cloud
    real = cloud.points["origin"] != FALSE_ALARM
    expected = real & (cloud.object_id == 7) if "object" in text else real
    tally = Tally(read_objective(text))
    tally.add(model, step)
    assert tally.value(model.materials.entries) == expected.sum() > 0
    assert NO_MATERIAL not in tally.by_material


def test_coverage_counts_beams_and_not_their_echoes(tmp_path):
    surfaces = [(plate(30.0, right_m=0.0), 50), (plate(40.0), 30)]
    model = beams_at(tmp_path, surfaces, n=50)
    step = model.step(next(iter(frames([[]], host_id=None))))
    found = {}
    for text in ("coverage()", "coverage(flat50)", "points()", "hits(flat30)"):
        tally = Tally(read_objective(text))
        tally.add(model, step)
        found[text] = tally.value(model.materials.entries)
    assert len(step.scans[0].cloud.points) == 100
    assert found == {
        "coverage()": 1.0, "coverage(flat50)": 1.0, "points()": 100, "hits(flat30)": 50,
    }  # fmt: skip
