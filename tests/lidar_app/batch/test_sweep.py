# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Variants of a configuration side by side, and the best of them."""

import csv
import json
from unittest.mock import Mock

import pytest

from lidar_app.batch.objective import read_objective
from lidar_app.batch.sweep import _rows, run_sweep
from lidar_app.batch.sweep_log import LOG_NAME, SweepLog
from lidar_app.batch.sweep_records import NOT_RUN, Row, Sweep, SweepPlan, Unvaried
from lidar_app.batch.variation import MOST_VARIANTS, read_variation, variants
from lidar_app.show.plots.sweeps import with_unit
from lidar_app.show.sweep_report import sweep_table, write_sweep
from lidar_base.files.shown_paths import shown_as
from osi_lidar import ConfigurationError, InputError, load_config
from osi_lidar.errors import OutputError
from tests.builders.files import written
from tests.builders.messages import Thing, host
from tests.builders.runs import write_worlds
from tests.commands import assert_one_line, run

SQUARE = """v 10 -1 -1
v 10 1 -1
v 10 1 1
v 10 -1 1
usemtl retro
f 1 2 3 4
"""
STATIC = """sensors:
  - name: eye
    pattern: {kind: angles, horizontal_deg: [-3, 0, 3], vertical_deg: [0]}
    mounting: {z_m: 0}
    max_range_m: 20
scene: {environment: [{mesh: square.obj, up: z, forward: x}], ground: none}
materials: {mapping: mapping.yaml}
"""


@pytest.fixture(scope="module")
def scheduler():
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from osi_lidar.run.cluster import cluster

    with cluster(workers=1) as client:
        yield client.scheduler.address


@pytest.fixture
def static(tmp_path):
    """Return a configuration: a square retroreflector of 2 m, 10 m ahead of three beams."""
    (tmp_path / "square.obj").write_text(SQUARE)
    (tmp_path / "mapping.yaml").write_text("materials: {retro: retro_reflector}\n")
    return written(tmp_path / "static.yaml", STATIC)


def sweep(static, scheduler, *options):
    out = static.parent / "out"
    result = run("sweep", "-c", static, "--out", out, "--scheduler", scheduler, *options)
    return result, out


def table(out):
    with (out / "sweep.csv").open(newline="") as file:
        return list(csv.reader(file))


def test_hits_over_one_key_are_those_of_the_closed_form(static, scheduler):
    """The beams at +-3 degrees meet the square's 1 m up to 1 / tan(3 deg) = 19.08 m."""
    vary = "sensors.0.mounting.x_m=-12:9:1.5"
    result, out = sweep(static, scheduler, "--vary", vary, "--objective", "hits(retroreflector)")
    assert result.exit_code == 0, result.output
    header, *rows = table(out)
    assert header == ["sensors.0.mounting.x_m", "hits(retroreflector)", "error"]
    expected = []
    for n in range(15):
        away_m = 10.0 - (-12.0 + 1.5 * n)
        expected.append(0 if away_m > 20.0 else 3 if away_m < 19.08 else 1)
    assert [int(row[1]) for row in rows] == expected
    assert [float(row[0]) for row in rows] == [-12.0 + 1.5 * n for n in range(15)]
    content = json.loads((out / "sweep.json").read_text())
    assert content["best"] == {"values": {"sensors.0.mounting.x_m": -9.0}, "objective": 3}
    assert "sensors.0.mounting.x_m = -9: hits(retroreflector) = 3" in " ".join(
        result.stdout.split()
    )
    assert (out / "sweep.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("key", "title"),
    [
        ("sensors.0.pattern.azimuth_hz", "sensors.0.pattern.azimuth_hz [Hz]"),
        ("weather.rain_mm_h", "weather.rain_mm_h [mm/h]"),
        ("weather.road_water_mm", "weather.road_water_mm [mm]"),
        ("sensors.0.mounting.z_m", "sensors.0.mounting.z_m [m]"),
        ("sensors.0.preset", "sensors.0.preset"),
    ],
)
def test_the_axis_of_a_key_has_its_unit(key, title):
    assert with_unit(key) == title


def test_two_keys_make_a_grid_and_an_image(static, scheduler):
    options = (
        "--vary", "sensors.0.mounting.x_m=0,-9.5,-30",
        "--vary", "sensors.0.max_range_m=5,30,50",
        "--objective", "minimise: coverage(retro*)",
    )  # fmt: skip
    result, out = sweep(static, scheduler, *options)
    assert result.exit_code == 0, result.output
    found = {(row[0], row[1]): float(row[2]) for row in table(out)[1:]}
    third = 1.0 / 3.0
    assert found == {
        ("0", "5"): 0.0, ("0", "30"): 1.0, ("0", "50"): 1.0,
        ("-9.5", "5"): 0.0, ("-9.5", "30"): pytest.approx(third),
        ("-9.5", "50"): pytest.approx(third),
        ("-30", "5"): 0.0, ("-30", "30"): 0.0, ("-30", "50"): pytest.approx(third),
    }  # fmt: skip
    assert (out / "sweep.png").exists()
    assert "Smallest" in result.stdout


def test_texts_can_vary_and_a_preset_brings_its_own_figures(static, scheduler):
    static.write_text("sensors: [{preset: VLP-16, columns: 360}]\nscene: {ground: 0.0}\n")
    options = ("--vary", "sensors.0.preset=VLP-16,OS1-128", "--vary", "sensors.0.columns=512,1024")
    result, out = sweep(static, scheduler, *options)
    assert result.exit_code == 0, result.output
    rows = table(out)[1:]
    assert [row[:2] for row in rows[2:]] == [["OS1-128", "512"], ["OS1-128", "1024"]]
    assert int(rows[3][2]) > int(rows[2][2]) > 0


def test_a_variant_that_fails_is_a_row_with_its_error(static, scheduler):
    vary = "sensors.0.max_range_m=20,-1,0.1,30"
    result, out = sweep(static, scheduler, "--vary", vary)
    assert result.exit_code == 0, result.output
    rows = table(out)[1:]
    assert [row[1] for row in rows] == ["3", "", "", "3"]
    assert "max_range_m" in rows[1][2]
    assert "got min_range_m 0.5, expected less" in rows[2][2] or "min_range_m" in rows[2][2]
    assert json.loads((out / "sweep.json").read_text())["not_done"] == 2


def test_variants_that_were_not_run_have_not_failed(tmp_path):
    vary = read_variation("seed=1:5:1")
    rows = (
        Row(values=(1,), objective=3),
        Row(values=(2,), error=NOT_RUN),
        Row(values=(3,), error="bad seed"),
        Row(values=(4,), error=NOT_RUN),
        Row(values=(5,), error=NOT_RUN),
    )
    objective = read_objective("points()")
    done = Sweep(variations=(vary,), objective=objective, rows=rows, interrupted=True)
    cells = dict(sweep_table(done).rows)
    assert cells["Variants"] == "5, 1 done, 1 failed, 3 not run"
    assert [key for key in cells if key.startswith("Failed")] == ["Failed: seed = 3"]
    write_sweep(done, tmp_path, tmp_path / "a.yaml", None)
    assert json.loads((tmp_path / "sweep.json").read_text())["not_done"] == 4


def test_the_rate_of_rain_varies_beside_the_weather_of_an_option(static, scheduler, tmp_path):
    keys = written(tmp_path / "rain.yaml", "rain_mm_h: 3\nfog: {visibility_m: 90}\n")
    options = ("--weather", keys, "--vary", "weather.rain_mm_h=0:600:300")
    result, out = sweep(static, scheduler, *options)
    assert result.exit_code == 0, result.output
    header, *rows = table(out)
    assert header[0] == "weather.rain_mm_h"
    assert [float(row[0]) for row in rows] == [0.0, 300.0, 600.0]
    assert [row[-1] for row in rows[:2]] == ["", ""]
    assert "weather.rain_mm_h: must be less than or equal to 500, got 600" in rows[2][-1]


def test_only_failures_are_one_line(static, scheduler):
    result, out = sweep(static, scheduler, "--vary", "sensors.0.pattern.kin=1,2")
    assert_one_line(result, 2, "no variant could be run", "kin")
    assert len(table(out)) == 3
    assert not (out / "sweep.png").exists()


def test_a_trace_is_replayed_by_each_variant(static, scheduler, tmp_path):
    static.write_text(STATIC.replace("scene:", "scene: {ground: none}\n_: ").split("\n_:")[0])
    worlds = [[host(), Thing(2, (10.0 + 2.0 * i, 0.0, 0.0))] for i in range(8)]
    trace = write_worlds(tmp_path / "trace.osi", worlds)
    result, out = sweep(
        static, scheduler, trace, "--vary", "sensors.0.max_range_m=5:25:5",
        "--objective", "points(object=2, sensor=eye)",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    counts = [int(row[1]) for row in table(out)[1:]]
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert counts[-1] > counts[1] > 0


def test_the_same_table_comes_from_any_number_of_workers(static, scheduler):
    options = ("--vary", "sensors.0.mounting.y_m=-2:2:0.5", "--objective", "points()")
    _, out = sweep(static, scheduler, *options)
    first = {path.name: path.read_bytes() for path in out.glob("[!.]*")}
    result = run("sweep", "-c", static, "--out", out, "--workers", 2, "--overwrite", *options)
    assert result.exit_code == 0, result.output
    assert {path.name: path.read_bytes() for path in out.glob("[!.]*")} == first


def test_a_sweep_that_was_cut_goes_on(static, scheduler, monkeypatch):
    options = ("--vary", "sensors.0.mounting.y_m=-2:2:0.5", "--objective", "points()")
    _, out = sweep(static, scheduler, *options)
    whole = {path.name: path.read_bytes() for path in out.glob("[!.]*")}
    for path in list(out.iterdir()):
        path.unlink()
    monkeypatch.setattr(SweepLog, "close", lambda _: None)  # killed before its end
    sweep(static, scheduler, *options)
    log = out / LOG_NAME
    first, *rows = log.read_text().splitlines(keepends=True)
    assert len(rows) == 9
    changed = json.loads(rows[0])
    changed[1] = 77  # to be told apart
    log.write_text(first + json.dumps(changed) + "\n" + rows[1] + rows[2][:-4])
    for name in whole:
        (out / name).unlink()
    monkeypatch.undo()
    result, _ = sweep(static, scheduler, *options)
    assert result.exit_code == 0, result.output
    assert "Known from an earlier start: 2 variants" in result.stdout
    assert not log.exists()
    assert [str(changed[0][0]), "77", ""] in table(out)
    result, _ = sweep(static, scheduler, *options, "--overwrite")
    assert {path.name: path.read_bytes() for path in out.glob("[!.]*")} == whole


def test_the_rows_of_another_sweep_are_not_taken(static, scheduler):
    out = static.parent / "out"
    out.mkdir()
    (out / LOG_NAME).write_text('{"identity": "another"}\n[[5.0], 99, ""]\n')
    vary = ("--vary", "sensors.0.max_range_m=5.0")
    result, _ = sweep(static, scheduler, *vary)
    assert_one_line(result, 2, "the output folder is not empty")
    result, _ = sweep(static, scheduler, *vary, "--overwrite")
    assert table(out)[1] == ["5.0", "0", ""]


def test_few_variants_are_given_out_ahead():
    values = [(float(n),) for n in range(100_000)]
    given, client = [], Mock()
    client.nthreads.return_value = {"worker": 1}

    def submit(_run, task, **_):
        given.append(task)
        return Mock(done=lambda: False)

    client.submit = submit
    rows = _rows(client, ((each, each) for each in values))
    assert next(rows) is None
    assert len(given) < 20
    rows.close()


@pytest.mark.parametrize(("most", "interrupted"), [(1, True), (2, True), (3, False)])
def test_a_sweep_without_a_missing_variant_was_not_interrupted(tmp_path, most, interrupted):
    client = Mock(cluster=None)
    client.nthreads.return_value = {"worker": 1}
    client.submit = lambda *_, **__: Mock(done=lambda: True, result=lambda: (1.0, ""))
    plan = SweepPlan(
        config=Unvaried(file=tmp_path / "a.yaml", changes={}),
        variations=(read_variation("seed=1:3:1"),),
        objective=read_objective("points()"),
        source=None,
    )
    done = run_sweep(client, plan, None, lambda n_done: n_done < most)
    assert [row.objective for row in done.rows].count(1.0) == most
    assert done.interrupted == interrupted


def test_a_row_of_a_bundle_names_the_bundle(tmp_path):
    error = f"{tmp_path}/unpacked/config.yaml: seed: got -1"
    future, client = Mock(done=lambda: True, result=lambda: (None, error)), Mock()
    client.nthreads.return_value = {"worker": 1}
    client.submit = Mock(return_value=future)
    with shown_as(tmp_path / "unpacked", tmp_path / "scene.osib"):
        (row,) = _rows(client, iter([((-1,), Mock())]))
    assert row.error == f"{tmp_path}/scene.osib/config.yaml: seed: got -1"


def test_an_aliased_sensor_stays_as_it_is(tmp_path):
    path = written(tmp_path / "config.yaml", "sensors: [&one {preset: VLP-16}, *one]\n")
    config = load_config(path, changes={("sensors", 0, "mounting", "x_m"): 2.0})
    assert [each.mounting.x_m for each in config.sensors] == [2.0, 0.0]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (("sensors", 3, "preset"), "sensors has 1 entries, expected an index below that, got 3"),
        (("sensors", 0, "preset", "x"), "sensors.0.preset has no key 'x'"),
        (("sensors", "front", "preset"), "sensors has no key 'front'"),
        (("sensor",), "sensor"),
    ],
)
def test_a_key_that_leads_nowhere_is_one_line(tmp_path, keys, words):
    path = written(tmp_path / "config.yaml", "sensors: [{preset: VLP-16}]\n")
    with pytest.raises(ConfigurationError, match=words):
        load_config(path, changes={keys: 1})


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a.b=1:5:2", (1, 3, 5)),
        ("a=1:5:3", (1, 4)),
        ("a=0:0.3:0.1", (0.0, 0.1, 0.2, 0.3)),
        ("a=5:1:-2", (5, 3, 1)),
        ("a=1e-3,2,true,null,OS1-128, x ", (0.001, 2, True, None, "OS1-128", "x")),
        ("a=7:7:1", (7,)),
        ("a=010,1_0,on,2026-11-22", (10, 10, True, "2026-11-22")),
    ],
)
def test_ranges_hold_both_ends_and_lists_their_entries(text, values):
    found = read_variation(text)
    assert found.values == values
    assert [type(each) for each in found.values] == [type(each) for each in values]


def test_whole_numbers_in_a_key_count_entries():
    assert read_variation("sensors.0.pattern.hz=1").key == ("sensors", 0, "pattern", "hz")


@pytest.mark.parametrize(
    "text",
    ["", "a", "a=", "=1", "a..b=1", "a=1:5:0", "a=5:1:1", "a=0:1:1e-9", "a=1:2", "a=1:2:3:4"],
)
def test_a_variation_that_makes_no_sense_is_one_line(text):
    with pytest.raises(InputError, match="--vary: "):
        read_variation(text)


def test_too_many_variants_and_keys_given_twice_are_refused():
    many = read_variation("a=1:1000:1")
    with pytest.raises(InputError, match=f"at most {MOST_VARIANTS}"):
        variants([many, read_variation("b=1:101:1")])
    with pytest.raises(InputError, match="a is given twice"):
        variants([many, many])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("points()", {"kind": "points"}),
        (" minimise: points( object = 7 )", {"kind": "points", "sign": -1, "object_id": 7}),
        ("hits(retro*, car_*)", {"kind": "hits", "materials": ("retro*", "car_*")}),
        ("maximize:coverage(sensor=roof)", {"kind": "coverage", "sensor": "roof"}),
    ],
)
def test_objectives_are_read(text, expected):
    found = read_objective(text)
    assert {key: getattr(found, key) for key in expected} == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected hits"),
        ("hits", "expected hits"),
        ("hit(x)", "did you mean 'hits'"),
        ("hits()", "needs a material"),
        ("points(retro)", "takes no material"),
        ("points(objekt=3)", "did you mean 'object'"),
        ("points(object=-3)", "expected the OSI id of an object"),
        ("points(object=3, object=4)", "each once"),
        ("minimum: points()", "expected maximise: or minimise:"),
        ("points() + 1", "expected hits"),
    ],
)
def test_an_objective_that_makes_no_sense_is_one_line(text, words):
    with pytest.raises(InputError, match=words):
        read_objective(text)


@pytest.mark.parametrize(
    ("objective", "words"),
    [
        (
            "hits(retroflector)",
            "no infrared material or material class of the run matches 'retroflector'",
        ),
        ("points(sensor=ear)", "there is no sensor 'ear'"),
    ],
)
def test_what_the_run_does_not_have_is_one_line(static, scheduler, objective, words):
    options = ("--vary", "sensors.0.max_range_m=20", "--objective", objective)
    result, _ = sweep(static, scheduler, *options)
    assert_one_line(result, 2, words)


@pytest.mark.parametrize("rest", ["[" * 100_000, "[5, 6, 7]", "[1, 2]", "null"])
def test_a_log_that_was_damaged_is_none_of_this_sweep(tmp_path, rest):
    (tmp_path / LOG_NAME).write_text(f'{{"identity": "one"}}\n{rest}\n')
    with pytest.raises(OutputError):
        SweepLog(tmp_path, "one", overwrite=False)
    assert SweepLog(tmp_path, "one", overwrite=True).rows == []
