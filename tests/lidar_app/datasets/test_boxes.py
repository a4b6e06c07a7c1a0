# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes from the tables of truth of a run: they are taken as they are."""

import json
import shutil

import numpy as np
import pytest

from lidar_app.datasets.boxes import TableBoxes, stored_truth
from lidar_app.exports.scan_points import deskewed_scans
from lidar_app.truth.tables import BOXES, SCANS
from osi_bridge import ObjectKind
from osi_lidar.errors import InputError
from osi_lidar.output.stored import input_messages, open_run
from tests.builders.data_sets import PEDESTRIAN
from tests.commands import run
from tests.lidar_app.datasets.conftest import write

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


BEGIN_PLACE = ("begin_x", "begin_y", "begin_z")
BEGIN_ANGLES = ("begin_roll", "begin_pitch", "begin_yaw")


def write_tables(folder, factor=2):
    """Write tables of truth into the folder of a run: objects have a half of their points."""
    stored = open_run(folder)
    objects = {each.frame.index: each.frame.objects for each in input_messages(stored)}
    scans, boxes = [], []
    for number, (scan, points) in enumerate(deskewed_scans(stored, stored.scans)):
        row = scan.row
        scans.append({"scan": number, "sensor": row.sensor, "file": row.file})
        own = objects[row.frame]
        for n, each in enumerate(own.object_id.tolist()):
            on = int(np.count_nonzero(points["object_id"] == each))
            boxes.append(
                {
                    "scan": number,
                    "sensor": row.sensor,
                    "object_id": each,
                    "kind": "moving" if own.kind[n] == ObjectKind.MOVING else "stationary",
                    "osi_type": own.type_name[n],
                    "osi_class": own.subtype_name[n],
                    **dict(zip("xyz", own.position_m[n].tolist(), strict=True)),
                    **dict(zip(("length", "width", "height"), own.dimension_m[n], strict=True)),
                    **dict(zip(("roll", "pitch", "yaw"), own.orientation_rad[n], strict=True)),
                    **dict(zip(BEGIN_PLACE, own.position_m[n].tolist(), strict=True)),
                    **dict(zip(BEGIN_ANGLES, own.orientation_rad[n], strict=True)),
                    "vx": 3.0,
                    "vy": 4.0,
                    "vz": 0.0,
                    "points": on,
                    "points_alone": factor * on,
                    "is_host": each == stored.host_object_id,
                }
            )
    repeated = {**scans[0], "scan": len(scans)}  # a later scan without boxes repeats a cloud
    parquet.write_table(pa.Table.from_pylist([*scans, repeated]), folder / SCANS)
    parquet.write_table(pa.Table.from_pylist(boxes), folder / BOXES)


@pytest.fixture
def tabled(drives, tmp_path):
    """Return a run with tables of truth."""
    shutil.copytree(drives / "drive_0", tmp_path / "run")
    write_tables(tmp_path / "run")
    return tmp_path / "run"


def test_tables_and_messages_agree(drives, tabled):
    stored = open_run(tabled)
    told, estimated = stored_truth(stored, tabled), stored_truth(open_run(drives / "drive_0"), None)
    for scan, points in deskewed_scans(stored, stored.scans):
        boxes, others = told.of(scan, points), estimated.of(scan, points)
        boxes = boxes.chosen(np.isin(boxes.object_id, others.object_id))
        assert boxes.object_id.tolist() == others.object_id.tolist()
        assert boxes.names.tolist() == others.names.tolist()
        assert (boxes.moves == others.moves).all()
        assert (boxes.points == others.points).all()
        np.testing.assert_allclose(boxes.world_from_box, others.world_from_box)
        np.testing.assert_allclose(boxes.size_m, others.size_m)
        assert np.isin(boxes.visibility[boxes.points > 0], [0.5]).all()
        assert np.isnan(boxes.visibility[boxes.points == 0]).all()
        assert (boxes.velocity_m_s == [3.0, 4.0, 0.0]).all()


def test_older_tables_have_boxes_at_the_end_of_scans(tabled, caplog):
    table = parquet.read_table(tabled / BOXES)
    parquet.write_table(table.drop_columns([*BEGIN_PLACE, *BEGIN_ANGLES]), tabled / BOXES)
    stored = open_run(tabled)
    boxes = TableBoxes(stored, tabled)
    assert "boxes.parquet: has no column begin_x" in caplog.text
    scan, points = next(iter(deskewed_scans(stored, stored.scans)))
    told = boxes.of(scan, points)
    np.testing.assert_array_equal(told.world_from_box, told.world_from_box_begin)


def test_formats_draw_from_the_tables(tabled, tmp_path):
    write(tabled, tmp_path / "set", "kitti")
    lines = [
        line.split()
        for path in (tmp_path / "set").glob("training/label_2/*.txt")
        for line in path.read_text().splitlines()
    ]
    assert {line[2] for line in lines if line[0] != "DontCare"} == {"1"}  # partly: 0.5
    card = (tmp_path / "set" / "README.md").read_text()
    assert "it is exact." in " ".join(card.split())


def test_an_object_that_is_hidden_has_a_box_in_nuscenes_only(tabled, tmp_path):
    table = parquet.read_table(tabled / BOXES).to_pylist()
    for row in table:
        if row["object_id"] == PEDESTRIAN:
            row["points"], row["points_alone"] = 0, 9
    parquet.write_table(pa.Table.from_pylist(table), tabled / BOXES)
    write(tabled, tmp_path / "k", "kitti")
    assert not [p for p in (tmp_path / "k").rglob("label_2/*.txt") if "Pedestrian" in p.read_text()]
    write(tabled, tmp_path / "n", "nuscenes")
    text = (tmp_path / "n" / "v1.0-trainval" / "sample_annotation.json").read_text()
    assert '"visibility_token": "1"' in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: (folder / BOXES).write_bytes(b"no table"), "boxes.parquet: cannot be read"),
        (lambda folder: (folder / SCANS).write_bytes(b""), "scans.parquet: cannot be read"),
        (
            lambda folder: parquet.write_table(pa.table({"scan": [1]}), folder / BOXES),
            "boxes.parquet: ",
        ),
    ],
)
def test_tables_that_cannot_be_used_are_one_line(change, words, tabled, tmp_path):
    change(tabled)
    result = run("dataset", tabled, "--format", "kitti", "--out", tmp_path / "set")
    assert result.exit_code == 2
    (line,) = result.stderr.strip().split("\n")
    assert words in line
    assert not (tmp_path / "set").exists()


def test_a_scan_that_the_table_has_not_is_one_line(tabled):
    table = parquet.read_table(tabled / SCANS)
    parquet.write_table(table.slice(1, len(table) - 2), tabled / SCANS)
    stored = open_run(tabled)
    scan, points = next(iter(deskewed_scans(stored, stored.scans)))
    with pytest.raises(
        InputError, match=r"scans\.parquet: has no row for the scan front/000000\.pcd"
    ):
        TableBoxes(stored, stored.folder).of(scan, points)


def test_without_the_trace_the_tables_tell_the_types(tabled, tmp_path, caplog):
    write(tabled, tmp_path / "with", "semantickitti")
    report = json.loads((tabled / "run.json").read_text())
    report["input"]["file"] = str(tmp_path / "gone.osi")
    (tabled / "run.json").write_text(json.dumps(report))
    write(tabled, tmp_path / "without", "semantickitti")
    assert "signs and lights: their points get no class" in caplog.text
    for path in (tmp_path / "with").rglob("*.label"):
        other = tmp_path / "without" / path.relative_to(tmp_path / "with")
        assert path.read_bytes() == other.read_bytes()
