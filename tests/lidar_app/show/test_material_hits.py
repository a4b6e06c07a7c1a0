# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The points of a run, counted by infrared material and object."""

import csv
import json

import numpy as np
import pytest
from pypcd4 import PointCloud

from lidar_app.show.material_hits import count_hits
from osi_lidar.clouds.cloud import POINT_WITH_WIDE_ID
from osi_lidar.clouds.pcd import write_pcd
from osi_lidar.errors import InputError
from tests.builders.files import PCD
from tests.builders.messages import Thing, framed, host, message
from tests.commands import assert_one_line, report, run
from tests.commands import replay as replay_with

TWO_SENSORS = """\
sensors:
  - {name: a, pattern: {kind: angles, horizontal_deg: [-2, 0, 2, 90], vertical_deg: [-5, -20]}}
  - {name: b, pattern: {kind: angles, horizontal_deg: [0], vertical_deg: [-5]}, wavelength_nm: 1550}
materials: {mapping: materials.yaml}
"""


def moving_and_still():
    """Return messages of which the second repeats the first."""
    things = [host(), Thing(7, (15.0, 0.0, 0.75))]
    later = [host(), Thing(7, (14.0, 0.0, 0.75))]
    return [message(things, 0.0), message(things, 0.1), message(later, 0.2)]


@pytest.fixture
def folder(tmp_path):
    """Return the folder of a run with two sensors and three messages, the second unchanged."""
    (tmp_path / "materials.yaml").write_text("materials: {box: car_paint_red}")
    (tmp_path / "config.yaml").write_text(TWO_SENSORS + "scene: {shapes: box}\n")
    (tmp_path / "trace.osi").write_bytes(framed(moving_and_still()))
    result = replay_with(tmp_path / "trace.osi", tmp_path / "config.yaml")
    assert result.exit_code == 0, result.output
    return tmp_path / "out"


def content(folder):
    return json.loads((folder / "run.json").read_text())


def change(folder, **values):
    (folder / "run.json").write_text(json.dumps({**content(folder), **values}))


def plain_count(folder):
    """Return points by (object, material) of all PCD files, point by point."""
    names = content(folder)["materials"]
    found = {}
    for path in folder.rglob("*.pcd"):
        for point in PointCloud.from_path(path).pc_data:
            object_id = int(point["object_id"])
            key = None if object_id == 2**32 - 1 else object_id, names[point["material_id"]]
            found[key] = found.get(key, 0) + 1
    return found


def test_each_cloud_of_all_sensors_counts_once_and_all_points_are_those_of_the_run(folder):
    hits = count_hits(folder)
    assert hits.n_clouds == 4  # two messages are traced, two sensors
    assert hits.counts == plain_count(folder)
    assert hits.total == content(folder)["points"] > 0
    assert set(hits.by_object) == {None, 7}
    assert list(hits.by_object[7]) == ["car_paint_red"]
    assert list(hits.by_object[None]) == ["asphalt_worn"]
    assert hits.by_material["car_paint_red"] == hits.by_object[7]["car_paint_red"]
    assert set(hits.sensors) == {"a", "b"}
    assert hits.sensors.total() == hits.total


def test_the_command_shows_and_prints_for_programs_what_was_counted(folder):
    shown = run("materials", "hits", folder)
    assert shown.exit_code == 0, shown.output
    for word in ("car_paint_red", "asphalt_worn", "no object", "7", "4 clouds"):
        assert word in shown.output
    printed = json.loads(run("materials", "hits", folder, "--json").stdout)
    assert printed["points"] == sum(printed["materials"].values()) == content(folder)["points"]
    assert [each["object_id"] for each in printed["objects"]] == [None, 7]
    assert sum(each["points"] for each in printed["objects"]) == printed["points"]
    assert sum(printed["sensors"].values()) == printed["points"]


@pytest.mark.parametrize("encoding", ["binary_compressed", "ascii"])
def test_every_encoding_of_the_clouds_is_counted(folder, encoding):
    expected = count_hits(folder).counts
    for path in folder.rglob("*.pcd"):
        write_pcd(path, PointCloud.from_path(path).pc_data, encoding)
    assert count_hits(folder).counts == expected


def test_ids_of_64_bits_are_told_from_what_is_no_object(folder):
    points = np.zeros(3, POINT_WITH_WIDE_ID)
    points["object_id"] = [2**32 - 1, 2**40, 2**64 - 1]
    rewrite(folder, points)
    assert set(count_hits(folder).by_object) == {None, 2**32 - 1, 2**40}


def rewrite(folder, points):
    """Make a run of one cloud of these points."""
    write_pcd(folder / "a" / "000000.pcd", points)
    rows = list(csv.reader((folder / "frames.csv").read_text().splitlines()))[:2]
    rows[1][rows[0].index("points")] = str(len(points))
    with (folder / "frames.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    change(folder, points=len(points))


def test_a_cloud_without_points_counts_nothing(folder):
    rewrite(folder, np.zeros(0, POINT_WITH_WIDE_ID))
    hits = count_hits(folder)
    assert (hits.n_clouds, hits.total, hits.by_object) == (1, 0, {})
    assert run("materials", "hits", folder).exit_code == 0


def test_a_run_of_a_version_that_wrote_no_poses_is_counted(folder):
    expected = count_hits(folder).counts
    with (folder / "frames.csv").open(newline="") as file:
        rows = [row[:8] for row in csv.reader(file)]
    with (folder / "frames.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    assert count_hits(folder).counts == expected


def test_a_run_that_failed_is_counted_as_far_as_it_came(folder):
    change(folder, status="failed", points=0)
    assert count_hits(folder).total == sum(plain_count(folder).values())


def test_a_run_without_clouds_says_why(folder, tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text(TWO_SENSORS + "output: {pcd: none}\n")
    assert replay_with(tmp_path / "trace.osi", config, "--overwrite").exit_code == 0
    assert report(config)["points"] > 0
    result = run("materials", "hits", folder)
    assert_one_line(result, 2, folder, "clouds were not written", "output.pcd: none")


def first_cloud(folder):
    return folder / "a" / "000000.pcd"


POSES = ",0,0,0,1,0,0,0" * 2
DAMAGES = {
    "no folder": (lambda f: f.rename(f.with_name("gone")), "no such folder"),
    "no report": (lambda f: (f / "run.json").unlink(), "no run.json"),
    "report cut": (lambda f: (f / "run.json").write_text("{"), "run.json: is not a JSON file"),
    "report of a list": (lambda f: (f / "run.json").write_text("[]"), "no list `materials`"),
    "older report": (lambda f: change(f, materials=None), "older version"),
    "no number of points": (lambda f: change(f, points="many"), "no number of points"),
    "other points": (lambda f: change(f, points=1), "run.json says 1"),
    "fewer materials": (lambda f: change(f, materials=["a"]), "expected less than 1, the"),
    "no table": (lambda f: (f / "frames.csv").unlink(), "no frames.csv"),
    "empty table": (lambda f: (f / "frames.csv").write_text(""), "line 1: expected frame,"),
    "binary table": (lambda f: (f / "frames.csv").write_bytes(b"\xff\0"), "is not a CSV file"),
    "row cut": (lambda f: append(f, "3,4\n"), "line 8: got '3,4', expected frame,"),
    "no number": (lambda f: append(f, f"3,4,a,1,x,a/000000.pcd,0,0{POSES}\n"), "line 8"),
    "no pose": (lambda f: append(f, f"3,4,a,1,5,a/000000.pcd,0,0{POSES}x\n"), "line 8"),
    "two numbers": (lambda f: append(f, f"3,4,a,1,5,a/000000.pcd,0,0{POSES}\n"), "earlier line"),
    "no cloud": (lambda f: first_cloud(f).unlink(), "000000.pcd: cannot be read: No such file"),
    "cloud cut": (lambda f: first_cloud(f).write_bytes(first_cloud(f).read_bytes()[:-9]), "000000"),
    "no cloud at all": (lambda f: first_cloud(f).write_bytes(b"\0" * 99), "not a PCD file"),
    "foreign cloud": (
        lambda f: first_cloud(f).write_text(PCD + "1 2 3\n" * 3),
        "no field object_id of whole numbers; it has x, y, z",
    ),
    "other cloud": (
        lambda f: write_pcd(first_cloud(f), np.zeros(2, POINT_WITH_WIDE_ID)),
        "got 2 points, expected",
    ),
}  # fmt: skip


def append(folder, row):
    with (folder / "frames.csv").open("a") as file:
        file.write(row)


@pytest.mark.parametrize(("damage", "words"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_folder_is_one_line(folder, damage, words):
    damage(folder)
    with pytest.raises(InputError) as caught:
        count_hits(folder)
    assert words in str(caught.value)
    assert_one_line(run("materials", "hits", folder), 2, words)


def test_a_cloud_without_material_ids_is_named(folder):
    data = PointCloud.from_path(first_cloud(folder)).pc_data
    names = [name for name in data.dtype.names if name != "material_id"]
    few = np.zeros(len(data), [(name, data.dtype[name]) for name in names])
    write_pcd(first_cloud(folder), few)
    with pytest.raises(InputError, match=r"000000\.pcd: has no field material_id"):
        count_hits(folder)
