# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks: what makes their tables and pages, and their scenes. No times are tested."""

import ast
import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest

from lidar_app.show import weather_report
from osi_bridge import FrameDecoder
from raycore.records import NOTHING
from tests.scenarios.scripts import script

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
MACHINE = {"processor": "a | b", "date": "2026-01-01"}


@pytest.fixture(scope="module")
def measure():
    return script(FOLDER / "measure.py")


@pytest.fixture(scope="module")
def scenes():
    return script(FOLDER / "scenes.py")


@pytest.fixture(scope="module")
def report():
    return script(FOLDER / "report.py")


def test_a_goal_is_met_from_its_side(measure):
    row = {"name": "a", "unit": "x"}
    assert measure.Row(value=1.15, goal=1.15, **row).met
    assert not measure.Row(value=1.16, goal=1.15, **row).met
    assert measure.Row(value=3.0, goal=3.0, at_least=True, **row).met
    assert not measure.Row(value=2.9, goal=3.0, at_least=True, **row).met
    assert measure.Row(value=2.9, **row).met is None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "0"),
        (0.012345, "0.0123"),
        (1.149, "1.15"),
        (99.95, "100.0"),  # four digits where rounding makes one more
        (3456.7, "3 457"),
        (3_456_789.0, "3 456 789"),
        (2e-7, "2e-07"),
    ],
)
def test_figures_have_three_digits_that_count(measure, value, words):
    assert measure.figure(value) == words


def test_each_call_runs_in_each_round_and_each_one_is_first_in_turn(measure):
    made = []
    calls = {name: lambda number, name=name: made.append((number, name)) for name in "abc"}
    times = measure.alternate(calls, runs=3, warm_up=1)
    assert {name: len(values) for name, values in times.items()} == dict.fromkeys("abc", 3)
    assert "".join(name for _, name in made) == "abcbcacababc"
    assert [number for number, _ in made] == [n for n in range(4) for _ in "abc"]


def test_a_call_may_tell_its_own_time(measure):
    times = measure.alternate({"a": lambda number: 2.0 * number}, runs=3, warm_up=2)
    assert times == {"a": [4.0, 6.0, 8.0]}


def test_a_ratio_is_the_median_of_those_of_the_rounds(measure):
    times = {"a": [1.0, 20.0, 3.0], "b": [1.0, 2.0, 2.0]}  # ratios 1, 10, 1.5
    row = measure.ratio_row("a / b", times, "a", "b", goal=1.5)
    assert (row.value, row.low, row.high, row.met) == (1.5, 1.25, 5.75, True)
    assert row.detail == "a 3.00 ms, b 2.00 ms"


def test_seconds_are_made_of_milliseconds(measure):
    assert measure.time_row("a", [500.0, 1500.0], unit="s").value == pytest.approx(1.0)


@pytest.fixture
def topics(measure):
    rows = [
        measure.Row(name="a / b", value=2.0, unit="x", goal=1.0, low=1.5, high=2.5),
        measure.Row(name="c", value=1.0, unit="s", goal=2.0, detail="d"),
    ]
    one = {"title": "One", "about": "Words.", "machine": MACHINE, "rows": rows}
    later = {**MACHINE, "date": "2026-02-02"}
    return [one, {**one, "title": "Two", "machine": later}]


def test_page_shows_rows_with_goals_that_are_met_and_not_met(report, topics):
    page = report.page(topics)
    assert "| a / b | 2.00 | 1.50 to 2.50 | at most 1.00 | **no** |  |" in page
    assert "| c | 1.00 s |  | at most 2.00 s | yes | d |" in page
    assert "| processor | a \\| b |" in page


@pytest.mark.parametrize(("ms", "told"), [("20.0", "20 ms, 50"), ("8.18", "8.18 ms, 120")])
def test_page_begins_with_goals_and_times_of_steps(ms, told, report, topics):
    row = dataclasses.replace(topics[0]["rows"][0], name="step / bare loop", detail=f"step {ms} ms")
    page = report.page([*topics, {**topics[1], "title": "Three", "rows": [row]}])
    begin = page.split("## Machine")[0]
    rows = [row for topic in topics for row in topic["rows"] if row.met is not None]
    n_met = sum(row.met for row in rows)
    assert f"| goals that are met | {n_met} of {len(rows) + 1} |" in begin
    assert "| missed | a / b: 2.00, goal at most 1.00 |" in begin
    assert f"| Three: step | {told} a second |" in begin


def test_page_folds_all_but_the_first_sentence_about_a_topic(report, topics):
    about = "One of 1.5 MB. Then more.\n\nAnd more. Last."
    page = report.page([{**topics[0], "about": about}])
    folded = "<details><summary>Conditions</summary>\n\nThen more.\n\nAnd more. Last.\n\n</details>"
    assert f"One of 1.5 MB.\n\n{folded}\n\n| |" in page


def test_page_tells_what_was_measured_apart(report, topics):
    one, two = report.page(topics).split("## Two")
    assert "Measured apart" not in one
    assert "Measured apart, with date 2026-02-02." in two


@pytest.mark.parametrize(("share", "told"), [(None, False), (0.01, False), (0.4, True)])
def test_page_tells_when_the_machine_was_busy_with_other_work(report, topics, share, told):
    page = report.page([{**topics[0], "other_work": share}])
    assert ("**Other work took 40 % of the machine meanwhile" in page) == told


def test_other_work_is_a_share_of_the_machine(measure):  # noqa: ARG001  imports it
    share = script(FOLDER / "machine.py").OtherWork().share()
    assert share is None or share >= 0.0


def test_page_has_no_blank_lines_in_a_row(report, topics):
    assert "\n\n\n" not in report.page(topics)


def test_table_has_a_line_for_each_row(measure, topics):
    assert measure.table(topics).row_count == 2 * (1 + 2)


def test_topics_are_there_and_measure(measure):
    bench = script(FOLDER / "bench.py")
    for name in bench.TOPICS + bench.LATER:
        tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert "measure" in names, name
    assert measure.RUNS >= 9


def test_a_crowd_drives_round_its_host_and_keeps_its_time(scenes):
    before, after = scenes.crowd_frames([0, 1], 30)
    ids = before.objects.object_id.tolist()
    assert ids == after.objects.object_id.tolist() == list(range(1, 32))
    way_m = np.linalg.norm(after.objects.position_m - before.objects.position_m, axis=1)
    assert way_m[0] == 0  # the host
    assert way_m[1:] == pytest.approx(0.5, rel=1e-3)  # 5 m/s for 0.1 s
    assert after.time_ns - before.time_ns == scenes.STEP_NS
    assert not before.skipped
    assert before.host.object_id == 1


def test_of_a_crowd_as_many_move_as_asked_for(scenes):
    before, after = scenes.crowd_frames([0, 1], 30, moving=1)
    moved = (before.objects.position_m != after.objects.position_m).any(axis=1)
    assert np.flatnonzero(moved).tolist() == [1]


def test_a_message_takes_its_time_from_a_head_that_is_put_before_it(scenes):
    decoder = FrameDecoder("GroundTruth")
    messages = scenes.crowd_messages(30, 2)
    frames = [decoder.decode(next(messages), number) for number in range(3)]
    assert [frame.time_ns for frame in frames] == [scenes.STEP_NS * (n + 1) for n in range(3)]
    assert len(frames[0].objects) == 30 + 1


def test_messages_that_come_again_have_later_times(scenes):
    """As a drive there and back has them; late messages would be left out."""
    _, messages = scenes.street_model(scenes.AT_AN_INSTANT)
    decoder = FrameDecoder("SensorView")
    there_and_back = [messages[n] for n in (0, 10, 11, 10)]
    frames = [decoder.decode(scenes.retimed(each, n), n) for n, each in enumerate(there_and_back)]
    assert [frame.time_ns for frame in frames] == [scenes.STEP_NS * (n + 1) for n in range(4)]
    one, again = frames[1].objects, frames[3].objects
    assert (one.position_m == again.position_m).all()


def test_a_sphere_stands_on_the_ground_and_fills_its_box(scenes):
    vertices, faces = scenes.sphere()
    assert len(faces) == 20_480
    assert np.ptp(vertices, axis=0) == pytest.approx(scenes.SPHERE_M, abs=0.01)
    assert vertices[:, 2].min() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("n", [10_000, 100_000])
def test_hills_have_the_triangles_asked_for(scenes, n):
    vertices, faces = scenes.hills(n)
    assert len(faces) == pytest.approx(n, rel=0.02)
    assert faces.max() == len(vertices) - 1
    assert vertices[:, 2].max() < 0  # below the sensor


def test_station_has_the_vertices_asked_for_and_is_on_all_sides(scenes):
    vertices, faces = scenes.station(30_000)
    assert len(vertices) == pytest.approx(30_000, rel=0.02)
    assert faces.max() == len(vertices) - 1
    about = vertices - scenes.STATION_SENSOR_M
    assert (about.min(axis=0) < 0).all()
    assert (about.max(axis=0) > 0).all()


def test_flat_scene_of_a_crowd_has_its_cars_where_they_are(scenes, tmp_path):
    shutil.copy(FOLDER.parent / "scenarios" / "street" / "car.obj", tmp_path)
    shutil.copy(tmp_path / "car.obj", tmp_path / "ground.obj")  # any mesh will do
    (frame,) = scenes.crowd_frames([3], 2)
    flat = scenes.FlatScene(tmp_path / "ground.obj", frame, hidden=1)
    n_car = len(scenes.solid(tmp_path / "car.obj")[0])
    cars = flat.vertices(frame)[n_car:].reshape(2, n_car, 3)
    for row, car in zip((1, 2), cars, strict=True):
        middle = 0.5 * (car.min(axis=0) + car.max(axis=0))
        assert middle == pytest.approx(frame.objects.position_m[row], abs=0.05)
    assert flat.faces.max() < 3 * n_car


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_bare_loop_meets_what_the_tracer_meets(scenes):
    bare = script(FOLDER / "bare.py")
    papers = script(FOLDER / "papers.py")
    scene, direction = scenes.scene_of(*scenes.hills(2000)), papers.directions(1000)
    rays = scenes.RaysIn(scene, direction)
    traced = rays.trace()
    scan = bare.BareScan(scene, direction, rays.pose, rays.shots.max_range_m)
    hit = traced.instance != NOTHING
    assert 0 < hit.sum() < len(hit)
    assert scan.trace(1) == scan.trace(2) == hit.sum()
    assert scan.range_m[hit] == pytest.approx(traced.range_m[hit], rel=1e-6)


def test_directions_are_all_around(scenes):  # noqa: ARG001  papers imports them
    around = script(FOLDER / "papers.py").directions(1000)
    assert np.linalg.norm(around, axis=1) == pytest.approx(1.0)
    assert np.abs(around.mean(axis=0)).max() < 0.05


WEATHER_PAGE = FOLDER.parent / "docs" / "evidence" / "weather-validation.md"
N_WEATHER_PARTS = 11


@pytest.mark.parametrize("number", range(N_WEATHER_PARTS))
def test_the_page_of_weather_has_the_figures_of_the_model(number, monkeypatch):
    """Its tables are those that the script makes; their oracles are the tests of the weather.

    Its figures have two or three digits, so it does to halve 16 times instead of 28, to 1e-4 of the
    visibility, and to compute 512 signals instead of 4096.
    """
    monkeypatch.setattr(weather_report, "_HALVINGS", 16)
    monkeypatch.setattr(weather_report, "_N_SIGNALS", 512)
    measurements = script(FOLDER / "weather_measurements.py")
    assert len(measurements.PARTS) == N_WEATHER_PARTS
    page = WEATHER_PAGE.read_text(encoding="utf-8")
    assert measurements.PARTS[number].renewed(page) == page
