# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Points on labelled objects: clouds whose counts are known by hand, tables and annotations."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from lidar_gap.compare import compare
from lidar_gap.compare.labels import points_on_objects, read_labels
from lidar_gap.compare.report import comparison_tables, report_dict
from lidar_gap.records import PairGroups
from osi_lidar.errors import InputError
from tests.builders.scans import N_COLUMNS, N_RINGS, pair_of, room_scan
from tests.commands import run

EVERYTHING = np.ones((N_RINGS, N_COLUMNS), np.bool_)
HEADER = "frame,x,y,z,length,width,height,yaw,class\n"


def on_boxes(n_real, n_sim, name="real"):
    """Return a pair of scans: so many real and simulated points at (20, 0, 0) lie in a box."""

    def cloud(title, n):
        scan = room_scan(title)
        points = scan.points_m.copy()
        points[:n] = [20.0, 0.0, 0.0]
        points[n : n + 5] = [20.0, 0.0, -0.7]  # the foot of the box
        return replace(scan, points_m=points)

    real, sim = cloud(name, n_real), cloud("sim", n_sim)
    pair = pair_of(room_scan(name), room_scan("sim"))
    return replace(pair, real=real, sim=sim)


def labels_of(folder, *rows):
    path = folder / "boxes.csv"
    path.write_text(HEADER + "\n".join(rows) + "\n")
    return read_labels(path)


def test_points_are_counted_by_class_and_range(tmp_path):
    rows = ["0,20,0,0,4,2,1.5,1.0,car", "1,20,0,0,4,2,1.5,0,car", "0,300,0,0,4,2,1.5,0,bus"]
    labels = labels_of(tmp_path, *rows, "7,20,0,0,4,2,1.5,0,car")
    found = points_on_objects([on_boxes(100, 90), on_boxes(50, 60)], labels, EVERYTHING)
    bus, car = found
    assert (bus.label, bus.from_m, bus.n_objects, bus.real, bus.sim) == ("bus", 300, 1, 0, 0)
    assert math.isnan(bus.mape_percent)
    assert (car.label, car.from_m, car.to_m, car.n_objects) == ("car", 20, 30, 2)
    assert (car.real, car.sim) == (150, 150)
    assert car.mape_percent == pytest.approx(15)  # 10 % and 20 %


def test_frames_are_those_of_the_names_where_these_are_numbers(tmp_path):
    labels = labels_of(tmp_path, "12,20,0,0,4,2,1.5,0,car")
    pairs = [on_boxes(10, 10, "000011"), on_boxes(30, 20, "000012")]
    (car,) = points_on_objects(pairs, labels, EVERYTHING)
    assert (car.real, car.sim) == (30, 20)
    with pytest.raises(InputError, match=r"got boxes in frame 12 \.\., expected in 0, 1"):
        points_on_objects([on_boxes(10, 10), on_boxes(30, 20)], labels, EVERYTHING)


def test_points_of_pixels_that_are_left_out_are_not_counted(tmp_path):
    labels = labels_of(tmp_path, "0,20,0,0,4,2,1.5,0,car")
    pair = on_boxes(100, 90)
    kept = EVERYTHING.copy()
    kept.ravel()[pair.real_image.pixel_of_point[:40]] = False
    (car,) = points_on_objects([pair], labels, kept)
    assert (car.real, car.sim) == (60, 50)


def test_report_has_a_table_and_a_list_of_them(tmp_path):
    labels = labels_of(tmp_path, "0,20,0,0,4,2,1.5,0,car")
    groups = PairGroups(sim=[on_boxes(100, 90)])
    comparison = compare(groups, with_neighbours=False, labels=labels)
    (table,) = [each for each in comparison_tables(comparison) if each.title == "Points on objects"]
    assert table.parts == (("car", (("20 to 30", "1", "100", "90", "0.90", "10.0"),)),)
    (car,) = report_dict(comparison, {})["objects"]
    assert car["class"] == "car"
    assert (car["points_real"], car["points_sim"], car["mape_percent"]) == (100, 90, 10)
    without = compare(groups, with_neighbours=False)
    assert report_dict(without, {})["objects"] is None
    assert len(comparison_tables(without)) == len(comparison_tables(comparison)) - 1


@pytest.mark.long
def test_the_command_counts_points_on_boxes(tmp_path):
    for folder, n in (("real", 40), ("sim", 30)):
        (tmp_path / folder).mkdir()
        points = room_scan().points_m.copy()
        points[:n] = [2.0, 0.0, 0.0] + 0.01 * np.random.default_rng(n).normal(size=(n, 3))
        np.save(tmp_path / folder / "000003.npy", points)
    boxes = tmp_path / "boxes.json"
    row = {"frame": 3, "x": 2, "y": 0, "z": 0, "length": 1, "width": 1, "height": 1, "yaw_deg": 0}
    boxes.write_text(json.dumps([row]))
    folders = [str(tmp_path / name) for name in ("real", "sim")]
    options = ["--boxes", str(boxes), "--fast", "--pictures", "0", "--out", str(tmp_path / "out")]
    done = run("gap", "compare", *folders, *options)
    assert done.exit_code == 0, done.output
    assert "Points on objects" in done.output
    (found,) = json.loads((tmp_path / "out" / "report.json").read_text())["objects"]
    assert (found["class"], found["points_real"], found["points_sim"]) == ("object", 40, 30)


def annotations(path, **changed):
    """Write annotations of two boxes, the second turned by 60 deg."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather

    half = math.radians(30.0)
    columns = {
        "timestamp_ns": [315973157959879000, 315973157959879000],
        "category": ["REGULAR_VEHICLE", "BUS"],
        "length_m": [4.0, 12.0],
        "width_m": [2.0, 2.5],
        "height_m": [1.5, 3.0],
        "qw": [1.0, math.cos(half)],
        "qx": [0.0, 0.0],
        "qy": [0.0, 0.0],
        "qz": [0.0, math.sin(half)],
        "tx_m": [20.0, -5.0],
        "ty_m": [0.0, 1.0],
        "tz_m": [0.0, 0.5],
        **changed,
    }
    known = {name: column for name, column in columns.items() if column is not None}
    feather.write_feather(pyarrow.table(known), str(path))
    return path


def test_annotations_of_argoverse_are_read(tmp_path):
    labels = read_labels(annotations(tmp_path / "annotations.feather"))
    assert labels.category.tolist() == ["regular_vehicle", "bus"]
    np.testing.assert_allclose(labels.yaw_rad, np.radians([0, 60]))
    np.testing.assert_allclose(labels.size_m, [[4, 2, 1.5], [12, 2.5, 3]])
    np.testing.assert_allclose(labels.centre_m, [[20, 0, 0], [-5, 1, 0.5]])
    pairs = [on_boxes(30, 20, "315973157959879000")]
    _, car = points_on_objects(pairs, labels, EVERYTHING)
    assert (car.real, car.sim) == (30, 20)


def test_annotations_of_argoverse_keep_their_tracks(tmp_path):
    labels = read_labels(annotations(tmp_path / "a.feather", track_uuid=["one", "two"]))
    assert labels.track.tolist() == ["one", "two"]
    assert labels.rows(np.array([False, True])).track.tolist() == ["two"]
    assert read_labels(annotations(tmp_path / "b.feather")).track is None


def test_problems_of_a_file_of_boxes_are_told_in_one_line(tmp_path):
    with pytest.raises(InputError, match="has no column 'qz'"):
        read_labels(annotations(tmp_path / "a.feather", qz=None))
    (tmp_path / "b.feather").write_bytes(b"no arrow")
    with pytest.raises(InputError, match="is not a file of annotations"):
        read_labels(tmp_path / "b.feather")
    with pytest.raises(InputError, match=r"c\.feather: "):
        read_labels(tmp_path / "c.feather")
    with pytest.raises(InputError, match="has no boxes"):
        labels_of(tmp_path)
