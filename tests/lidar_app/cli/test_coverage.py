# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``coverage``: what it shows, writes and refuses."""

import csv
import json
import math

import pytest

from tests.builders.files import written
from tests.builders.messages import host
from tests.builders.runs import write_worlds
from tests.builders.worlds import write_config
from tests.commands import assert_one_line, run

ROWS = {
    "kind": "grid",
    "horizontal": {"min_deg": -180, "max_deg": 176, "step_deg": 4.0},
    "vertical": {"min_deg": -40, "max_deg": 0, "step_deg": 4.0},
}
FRONT = {"name": "front", "pattern": ROWS, "mounting": {"x_m": 1.3, "z_m": 1.8}}
REAR = {"name": "rear", "pattern": ROWS, "mounting": {"x_m": -1.2, "z_m": 1.0}}


@pytest.fixture
def path(tmp_path):
    return write_config(tmp_path, sensors=[FRONT, REAR])


@pytest.fixture
def alone(tmp_path):
    """Return a configuration of one sensor 2 m above the ground, without a vehicle."""
    sensor = {"name": "eye", "pattern": ROWS, "mounting": {"x_m": 0.0, "z_m": 2.0}}
    return write_config(tmp_path, sensors=[sensor], name="alone.yaml")


def shown(*words):
    result = run("coverage", *words)
    assert result.exit_code == 0, result.output
    return result.output


def content(*words):
    return json.loads(shown(*words, "--json"))


def test_json_has_the_closed_form_of_the_nearest_ground(alone):
    """The lowest row is at -40 deg: ground from 2 m / tan(40 deg) on."""
    told = content(alone, "--vehicle", "none", "--zones")
    (ground, _, _) = told["planes"]
    (seen_by,) = ground["seen_by"]
    expected_m = 2.0 / math.tan(math.radians(40.0))
    assert seen_by["nearest_m"] == [pytest.approx(expected_m)] * 12
    assert told["directions_deg"] == [30.0 * n for n in range(12)]
    assert told["road_users"] == []
    assert told["vehicle"]["dimension_m"] is None


def test_json_has_sensors_alone_and_together(path):
    told = content(path, "--zones", "--directions", "4", "--height", "0", "--within", "6")
    assert [each["name"] for each in told["sensors"]] == ["front", "rear"]
    (ground,) = told["planes"]
    names = [each["sensor"] for each in ground["seen_by"]]
    assert names == ["front", "rear", "all"]
    front, rear, both = (each["blind_m2"][0] for each in ground["seen_by"])
    assert 0.0 < both < min(front, rear) < ground["area_m2"][0]


@pytest.mark.long
def test_road_users_have_ranges_by_direction(alone):
    words = (alone, "--vehicle", "none", "--directions", "4", "--points", "1")
    for user in content(*words)["road_users"]:
        (seen_by,) = user["seen_by"]
        for near_m, far_m in zip(seen_by["nearest_m"], seen_by["farthest_m"], strict=True):
            assert 0.0 <= near_m < far_m
        assert set(seen_by) == {"sensor", "nearest_m", "farthest_m", "unbroken_to_m"}


def test_tables_say_what_is_assumed_and_hidden(path):
    told = " ".join(shown(path, "--zones").split())
    assert "4.40 x 1.80 x 1.45 m, an assumed medium car" in told
    assert "sensor rear" in told
    assert "of its beams meet the vehicle" in told
    assert "on the ground" in told


@pytest.mark.long
def test_tables_fit_into_80_columns(path):
    told = shown(path, "--directions", "4", "--points", "2")
    assert max(map(len, told.splitlines())) <= 80
    assert all(name in told for name in ("front", "left", "rear", "right", "child", "person"))


def test_the_host_of_a_trace_carries_the_sensors(path, tmp_path):
    stated = host(dimension_m=(4.0, 1.8, 1.2), rear_axle_m=(-1.1, 0.0, -0.3))
    trace = write_worlds(tmp_path / "drive.osi", [[stated]])
    told = content(path, trace, "--zones")["vehicle"]
    assert told["dimension_m"] == [4.0, 1.8, 1.2]
    assert told["ground_m"] == pytest.approx(0.3 - 0.6)
    assert told["source"].startswith("the host of drive.osi")


def test_cells_are_a_table_whose_blind_area_is_that_of_the_json(path, tmp_path):
    told = content(path, "--zones", "--cells", tmp_path / "cells.csv", "--within", "5")
    with (tmp_path / "cells.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    blind = [
        row
        for row in rows
        if row["height_m"] == "0"
        and 0.0 < float(row["distance_m"]) <= 5.0
        and not int(row["points_front"]) + int(row["points_rear"])
    ]
    assert 0.25 * len(blind) == told["planes"][0]["seen_by"][2]["blind_m2"][0]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "more", "size_px"), [("path", ["--zones"], (670, 1680)), ("alone", [], (1230, 1680))]
)
def test_the_picture_is_the_same_at_every_run(name, more, size_px, tmp_path, request):
    figures = pytest.importorskip("lidar_gap.pictures.figures", reason="the extra plot is absent")
    words = (request.getfixturevalue(name), "--directions", "4", *more, "--plot")
    for file in ("one.png", "two.png"):
        shown(*words, tmp_path / file)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()
    assert figures.imread(tmp_path / "one.png").shape[:2] == size_px


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--vehicle", "1,2"), "--vehicle: got '1,2', expected L,W,H in metres"),
        (("--directions", "10"), "--directions: got 10, expected a multiple of 4"),
        (("--within", "30"), "--within: got 30, expected above 0 and up to --extent 20"),
        (("--cell", "0"), "--cell: got 0, expected metres above 0"),
        (("--cell", "0.001"), "--cell: 0.001 m over 20 m makes"),
        (("--cell", "1e-160"), "--cell: 1e-160 m over 20 m makes inf cells"),
        (("--cell", "1e199", "--extent", "1e200"), "--cell: got 1e+199, expected metres above 0"),
        (("--cell", "0.01", "--extent", "1", "--vehicle", "100,100,1"), "over 1 m makes 1.04e+08"),
        (("--height", "-1"), "--height: got -1, expected metres from 0 on"),
        (("--host", "3"), "--host: needs a TRACE"),
        (("--weather", "none"), "--weather: all sensors are ideal, so weather has no effect"),
        (("--plot", "picture.jpg"), "ending in .png"),
        (("--vehicle", "9,9,9"), "sensor front: is at x 1.3, y 0, z 1.8 m, inside the vehicle"),
    ],
)
def test_what_cannot_be_is_one_line(path, words, told):
    assert_one_line(run("coverage", path, "--zones", *words), 2, told)


def test_faults_of_files_are_one_line(path, tmp_path):
    assert_one_line(run("coverage", tmp_path / "none.yaml"), 2, "none.yaml")
    empty = written(tmp_path / "empty.yaml", "sensors: []\n")
    assert_one_line(run("coverage", empty), 2, "empty.yaml", "sensors")
    assert_one_line(run("coverage", path, tmp_path / "none.osi"), 2, "none.osi")
    trace = write_worlds(tmp_path / "drive.osi", [[host()]])
    both = run("coverage", path, trace, "--vehicle", "4,2,1")
    assert_one_line(both, 2, "and --vehicle, expected only one of them")


def test_a_sensor_below_the_ground_is_refused(tmp_path):
    low = {**FRONT, "mounting": {"x_m": 5.0, "z_m": -0.5}}
    path = write_config(tmp_path, sensors=[low])
    assert_one_line(run("coverage", path), 2, "sensor front: is at", "above the ground at -0.30 m")
