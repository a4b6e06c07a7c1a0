# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How far a sensor sees beside what its data sheet says: tables, numbers for programs, pictures."""

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from matplotlib.image import imread

from lidar_app.show.plots.ranges import _draw, range_picture
from lidar_app.show.range_report import SHOWN_PERCENT, range_dict, range_report
from lidar_gap.pictures.figures import dark_figure
from osi_lidar.config import Config, default_config
from osi_lidar.errors import ConfigurationError, InputError
from osi_lidar.scan.from_config import range_limit_of
from osi_lidar.sensors.presets import load_preset, preset_names
from tests.builders.worlds import FRONT, SENSOR
from tests.commands import assert_one_line, run
from tests.lidar_app.show.helpers import sensor_of
from tests.osi_lidar.config.test_range_limit import LIMITS

# r = a + b sqrt(R) through the OS1's (10 %, 40 m) and (80 %, 120 m):
# b = 80 / (sqrt(80) - sqrt(10)) = 13.8361, a = 40 - b sqrt(10) = -3.75345; never above 120 m
OS1_M = [10.0826, 27.1850, 40.0, 58.1236, 94.0824, 120.0, 120.0, 120.0]
OS1_CURVE_M = [*OS1_M[:6], 131.1037, 134.6073]
# r^2 = r_0^2 R: ln r_0 is the mean of ln 40 - ln(0.1) / 2 and ln 120 - ln(0.8) / 2
OS1_R0_M = math.exp(0.5 * (math.log(40 * 120) - 0.5 * math.log(0.1 * 0.8)))
PIECES = (
    "pieces: [{until_percent: 10, pairs: [[1, 20], [10, 60]], fit: root2},"
    " {pairs: [[5, 50], [80, 120]]}]"
)
OPTICS = (
    "equation: {transmit_power_w: 75, aperture_diameter_m: 0.02, efficiency: 0.5,"
    " detection_threshold_w: 1.0e-7, extinction_per_km: 0.3}"
)


def printed(*arguments):
    result = run("show", "range", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["sensors"]


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "config.yaml"
    limits = (
        "preset",
        "null",
        "{pairs: [[10, 60], [80, 120]], fit: log}",
        f"{{{PIECES}}}",
        "{equation: {pairs: [[10, 60], [80, 120]], target: line}}",
        f"{{{OPTICS}}}",
    )
    rows = (f"  - {{preset: OS1-128, range_limit: {limit}}}\n" for limit in limits)
    path.write_text("sensors:\n" + "".join(rows))
    return path


def test_the_ranges_of_a_preset_are_those_solved_by_hand():
    (shown,) = printed("--sensor", "os1-128")
    assert [each["reflectivity_percent"] for each in shown["limits"]] == list(SHOWN_PERCENT)
    assert [each["range_m"] for each in shown["limits"]] == pytest.approx(OS1_M, abs=1e-3)
    assert [each["curve_m"] for each in shown["limits"]] == pytest.approx(OS1_CURVE_M, abs=1e-3)
    assert shown["formulas"] == ["r = -3.75345 + 13.8361 R^(1/2)"]
    assert (shown["kind"], shown["equation"]) == ("pairs", None)
    assert "Ouster" in shown["pairs_source"]


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_meets_the_pairs_that_it_states(name):
    report = range_report(default_config(name).sensors[0])
    assert [(pair.percent, pair.range_m) for pair in report.pairs] == [
        *load_preset(name).range_pairs
    ]
    assert all(abs(pair.residual_m) < 1e-9 for pair in report.pairs)
    assert report.kind == ("pairs" if report.pairs else "constant")


@pytest.mark.parametrize(
    ("name", "basis", "words"),
    [
        ("OS1-64", "data sheet", "the data sheet"),
        ("OS0-128", "recordings", "recordings"),
        ("HDL-64E", "estimate", "an estimate"),
        ("Ibeo-LUX-4L", "estimate", "an estimate"),
    ],
)
def test_only_pairs_of_a_data_sheet_are_shown_as_its(name, basis, words):
    (shown,) = printed("--sensor", name)
    assert {pair["basis"] for pair in shown["pairs"]} == {basis}
    output = run("show", "range", "--sensor", name).output
    assert output.count(f"│ {words} ") == 2
    assert "tated" not in output
    figure = dark_figure((1500, 560))
    _draw(figure, range_report(default_config(name).sensors[0]), bottom=0.0, share=1.0)
    (marks,) = (line for line in figure.axes[0].lines if line.get_marker() == "o")
    assert marks.get_label().startswith(f"pairs of {words}; ")
    assert marks.get_fillstyle() == ("full" if basis == "data sheet" else "none")
    assert f"range_pairs_basis {basis}" in " ".join(
        run("sensors", name).output.replace("│", " ").split()
    )


def test_a_drawn_unit_is_named_and_has_the_formula_of_its_own_limit():
    limit = {"equation": {"pairs": [[10, 90], [80, 200]]}}
    keys = {"preset": "OS1-128", "range_limit": limit}
    typical, drawn = (
        range_report(Config.model_validate({"seed": 3, "sensors": [each]}).sensors[0])
        for each in (keys, {**keys, "unit": "drawn"})
    )
    assert "r_0" in typical.formulas()[0]
    assert drawn.formulas() != typical.formulas()
    signal = float(drawn.words.rpartition(" x ")[2])
    assert drawn.words == f"{typical.words}; drawn unit: signal x {signal:.3g}"
    as_typical_m = typical.limit.max_range_m(0.1 * signal)
    assert float(drawn.limit.max_range_m(0.1)) == pytest.approx(float(as_typical_m), rel=2e-3)


def test_residuals_are_how_much_farther_the_sensor_sees_than_preset_and_configuration_say():
    limit = {"pairs": [[80, 115], [10, 60]], "fit": "log"}
    report = range_report(sensor_of(limit, max_range_m=110))
    assert {pair.basis for pair in report.pairs if pair.given_by == "configuration"} == {None}
    assert [(p.given_by, p.percent, round(p.residual_m, 9)) for p in report.pairs] == [
        ("preset", 10.0, 20.0),  # it sees 60 m, and 40 m are stated
        ("preset", 80.0, -10.0),  # it sees no farther than 110 m
        ("configuration", 10.0, 0.0),
        ("configuration", 80.0, -5.0),
    ]


def test_equations_for_comparison_are_fitted_to_the_pairs():
    report = range_report(sensor_of())
    assert [fit.equation.target for fit in report.comparisons] == ["extended", "line", "point"]
    extended = report.comparisons[0]
    # the range grows faster than any air lets it (120 / 40 > sqrt(8)), so there is none
    assert extended.equation.extinction_per_m == 0.0
    assert extended.equation.clear_range_m == pytest.approx(OS1_R0_M, rel=1e-12)
    expected_m = [OS1_R0_M * math.sqrt(0.1) - 40.0, OS1_R0_M * math.sqrt(0.8) - 120.0]
    assert extended.residual_m == pytest.approx(expected_m, abs=1e-9)


def test_pairs_of_the_configuration_come_before_those_of_the_preset_in_comparisons():
    report = range_report(sensor_of({"pairs": [[10, 60], [80, 120]], "fit": "log"}))
    line = report.comparisons[1]
    # 2 * 60 m = 120 m and 8^(1/3) = 2: a pure 1 / r^3, r_0 = 60 m / 0.1^(1/3)
    assert line.equation.clear_range_m == pytest.approx(60.0 / 0.1 ** (1.0 / 3.0), rel=1e-9)
    assert line.residual_m == pytest.approx([0.0, 0.0], abs=1e-9)


def test_an_equation_is_not_compared_with_itself():
    report = range_report(sensor_of({"equation": {"pairs": [[10, 60], [80, 120]]}}))
    assert [fit.equation.target for fit in report.comparisons] == ["line", "point"]
    assert report.equation.target == "extended"
    (words,) = report.formulas()
    assert words.startswith("r^2 exp(2 g r) = r_0^2 R / 100, r_0 = ")
    assert words.endswith("/km (extended target)")


def test_the_constants_of_optics_are_shown(config):
    shown = printed("-c", config, "--sensor", "OS1-128-6")[0]
    assert shown["equation"] == {
        "target": "extended",
        # sqrt(P D^2 eta / 4 / P_min)
        "clear_range_m": pytest.approx(math.sqrt(75 * 0.02**2 * 0.5 / 4 / 1e-7)),
        "extinction_per_km": pytest.approx(0.3),
    }
    assert [pair["given_by"] for pair in shown["pairs"]] == ["preset", "preset"]


def test_pieces_are_shown_with_their_parts_and_only_the_pairs_in_them(config):
    shown = printed("-c", config, "--sensor", "OS1-128-4")[0]
    first, second = shown["formulas"]
    assert first == "up to 10 %: r = 1.50099 + 18.499 R^(1/2)"  # 40 / (sqrt(10) - 1)
    assert second == "above 10 %: r = 9.36626 + 25.2472 ln R"  # 70 / ln(80 / 5)
    own = [pair for pair in shown["pairs"] if pair["given_by"] == "configuration"]
    assert [pair["reflectivity_percent"] for pair in own] == [1.0, 10.0, 80.0]
    assert [pair["residual_m"] for pair in own] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_a_constant_limit_says_why_and_is_held_against_the_data_sheet():
    report = range_report(sensor_of(None))
    assert (report.kind, report.formulas()) == ("constant", [])
    assert report.words == "max_range_m for every target; range_limit is null"
    assert [pair.residual_m for pair in report.pairs] == [80.0, 0.0]
    (puck,) = printed("--sensor", "HDL-32E")
    assert puck["words"].endswith("the preset HDL-32E states no range at a reflectivity")
    assert (puck["pairs"], puck["comparisons"], puck["no_comparison"]) == ([], [], None)
    assert {each["range_m"] for each in puck["limits"]} == {100.0}
    assert {each["curve_m"] for each in puck["limits"]} == {None}


def test_pairs_that_no_equation_fits_say_so():
    report = range_report(sensor_of({"pairs": [[10, 50], [80, 50]], "fit": "linear"}))
    assert report.comparisons == ()
    assert report.no_comparison.startswith("range equation: 50 m at 80 % is not more than 50 m")


def test_tables_show_each_sensor_its_curve_pairs_and_residuals(config):
    result = run("show", "range", "-c", config)
    assert result.exit_code == 0, result.output
    for words in (
        "OS1-128-2",
        "r = -3.75345 + 13.8361 R^(1/2)",
        "above 10 %",
        "+80.00 m",
        "134.61 m",
        "range_limit is null",
        "(point target)",
        "not seen: min_range_m",  # the logarithm at 1 %
    ):
        assert words in result.output


@pytest.mark.long
def test_a_long_table_is_cut_where_it_is_shown(tmp_path):
    pairs = [[number, 10 * number] for number in range(1, 30)]
    path = tmp_path / "config.yaml"
    text = SENSOR.replace("name: s", f"name: s, range_limit: {{pairs: {pairs}, fit: table}}")
    path.write_text(text)
    assert "and 23 more" in run("show", "range", "-c", path).output
    assert len(printed("-c", path)[0]["formulas"]) == 30


@pytest.mark.long
def test_the_picture_has_a_row_for_each_sensor(config):
    picture = config.parent / "range.png"
    result = run("show", "range", "-c", config, "--plot", picture)
    assert result.exit_code == 0, result.output
    assert str(picture) in result.output.replace("\n", "")
    assert imread(picture).shape == (6 * 560, 1500, 4)
    assert [path.name for path in config.parent.iterdir() if ".png" in path.name] == ["range.png"]


def test_a_plot_beside_what_is_for_programs_leaves_it_json(tmp_path):
    result = run("show", "range", "--sensor", "OS1-64", "--plot", tmp_path / "a.png", "--json")
    assert json.loads(result.stdout)["plot"] == str(tmp_path / "a.png")


def test_meshes_that_are_not_there_do_not_matter(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(SENSOR + "scene: {environment: [{mesh: nowhere.obj, up: z}]}")
    assert [shown["sensor"] for shown in printed("-c", path)] == ["s"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ("expected a configuration or --sensor NAME",)),
        (("--config", "nowhere.yaml"), ("nowhere.yaml",)),
        (("--sensor", "OS1-12"), ("OS1-12", "OS1-128")),
        (("-c", "CONFIG", "--sensor", "OS1-128-9"), ("OS1-128-9", "did you mean")),
        (("--sensor", "OS1-64", "--plot", "/nowhere/x.png"), ("/nowhere/x.png", "be written")),
    ],
)
def test_what_cannot_be_shown_is_one_line(config, arguments, words):
    given_ = (str(config) if each == "CONFIG" else each for each in arguments)
    assert_one_line(run("show", "range", *given_), 2, *words)


def test_too_many_sensors_for_a_picture_are_refused(tmp_path):
    reports = [range_report(sensor_of())] * 13
    with pytest.raises(InputError, match="got 13 sensors, expected at most 12"):
        range_picture(reports, tmp_path / "x.png")
    assert not list(tmp_path.iterdir())


@given(LIMITS)
@settings(max_examples=50, deadline=None, suppress_health_check=[*HealthCheck])
def test_whatever_limit_loads_is_reported_as_the_sensor_has_it(data):
    try:
        sensor = sensor_of(data)
    except (ValueError, ConfigurationError):
        return
    shown = range_dict(range_report(sensor))
    json.dumps(shown, allow_nan=False)
    expected_m = range_limit_of(sensor).max_range_m(np.array(SHOWN_PERCENT) / 100.0)
    assert [each["range_m"] for each in shown["limits"]] == expected_m.tolist()


@pytest.mark.long
@pytest.mark.parametrize(
    "limit",
    [
        {"pairs": [[1e-300, 1e-300], [1e300, 1e300]], "fit": "table"},
        {"equation": {"pairs": [[1e-9, 1e-9], [1e9, 1e9]]}},
        {"pairs": [[10, 50], [80, 50]]},
    ],
)
def test_pictures_of_odd_limits_can_be_drawn(tmp_path, limit):
    reports = [
        range_report(sensor_of(limit, max_range_m=1e9, receiver=each)) for each in (None, {})
    ]
    assert imread(range_picture(reports, tmp_path / "x.png")).shape == (3 * 560, 1500, 4)


@pytest.mark.parametrize(
    "limit",
    [
        {"pairs": [[10, 30.1], [20, 50.3], [80, 90.7]], "fit": "table"},
        {"pairs": [[10, 30.1], [80, 90.7]], "fit": "root2"},
        {"equation": {"pairs": [[10, 30.1], [80, 70.7]]}},
        {"equation": {"pairs": [[10, 30.1]]}},
    ],
)
def test_rounding_errors_are_not_drawn_as_residuals(limit):
    """A limit goes through its pairs but for 1e-14 m; an axis of such lengths would show them."""
    data = {"sensors": [{"name": "front", **FRONT, "range_limit": limit}]}
    report = range_report(Config.model_validate(data).sensors[0])
    assert max(abs(pair.residual_m) for pair in report.pairs) < 1e-9
    figure = dark_figure((1500, 560))
    _draw(figure, report, bottom=0.0, share=1.0)
    (axes,) = [each for each in figure.axes if each.get_ylabel() == "residual [m]"]
    low_m, high_m = axes.get_ylim()
    assert low_m <= -0.01
    assert high_m >= 0.01
    drawn = [np.asarray(line.get_ydata()) for line in axes.lines]
    assert not drawn[-1].any()
    for each in drawn:
        np.testing.assert_array_equal(each, np.rint(each / 0.001) * 0.001)
