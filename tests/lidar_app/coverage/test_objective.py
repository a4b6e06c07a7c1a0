# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objectives of sweeps over mountings: the figures of the survey, and what is refused."""

import math

import pytest

from lidar_app.batch.objective import read_objective
from lidar_app.batch.sweep import Task, run_variant
from lidar_app.coverage.objective import PlacementMeasure
from lidar_app.coverage.survey import SurveySettings, survey
from lidar_app.coverage.vehicle import stated_vehicle
from osi_lidar import FrameSource, InputError, load_config
from tests.builders.messages import host
from tests.builders.runs import write_worlds
from tests.builders.worlds import write_config

SENSORS = [
    {
        "name": "roof",
        "pattern": {
            "kind": "grid",
            "horizontal": {"min_deg": -180, "max_deg": 178, "step_deg": 2.0},
            "vertical": {"min_deg": -30, "max_deg": 0, "step_deg": 2.0},
        },
        "max_range_m": 40,
        "mounting": {"x_m": 1.3, "z_m": 1.7},
    }
]


@pytest.fixture
def path(tmp_path):
    return write_config(tmp_path, sensors=SENSORS)


def outcome(path, text, source=None, **changes):
    keys = {("sensors", 0, "mounting", key): value for key, value in changes.items()}
    task = Task(
        config=path, changes=keys, source=source, objective=read_objective(text), threads=None
    )
    return run_variant(task)


def test_the_blind_area_of_a_variant_is_that_of_the_survey(path):
    settings = SurveySettings(within_m=(6.0, 10.0), road_users=())
    for z_m in (1.5, 1.7, 2.5):
        config = load_config(path, changes={("sensors", 0, "mounting", "z_m"): z_m})
        whole = survey(config, stated_vehicle(None), settings)
        for plane in whole.planes:
            expected_m2 = whole.grid.area_m2(plane.is_blind() & whole.grid.beside(6.0))
            text = f"blind(height={plane.height_m:g}, within=6)"
            assert outcome(path, text, z_m=z_m) == (expected_m2, "")


def test_a_roof_hides_more_from_a_sensor_that_is_low_over_it(path):
    low_m2, high_m2 = (outcome(path, "blind(within=4)", z_m=z_m)[0] for z_m in (1.3, 2.5))
    assert low_m2 > high_m2


@pytest.mark.long
def test_ranges_of_a_road_user_are_those_of_the_survey(path):
    settings = SurveySettings(road_users=("child",), n_points=3, n_directions=4)
    whole = survey(load_config(path), stated_vehicle(None), settings)
    for number, name in enumerate(settings.direction_names):
        seen = whole.coverage_of("child")[number]
        for kind, expected_m in (("nearest", seen.nearest_m[0]), ("farthest", seen.farthest_m[0])):
            text = f"{kind}(child, direction={name}, points=3, sensor=roof)"
            assert outcome(path, text) == (expected_m, "")


def test_the_host_of_the_trace_carries_the_sensors(path, tmp_path):
    long = host(dimension_m=(9.0, 2.5, 1.4), rear_axle_m=(-2.0, 0.0, -0.4))
    source = FrameSource(write_worlds(tmp_path / "drive.osi", [[long]]))
    alone, carried = (outcome(path, "blind(within=5)", each)[0] for each in (None, source))
    assert carried > alone


def test_a_variant_whose_sensor_is_inside_the_vehicle_has_an_error(path):
    value, error = outcome(path, "blind()", z_m=0.5)
    assert value is None
    assert error.startswith("sensor roof: is at x 1.3, y 0, z 0.5 m, inside the vehicle")


def test_who_is_never_seen_has_no_nearest_distance_but_a_farthest_of_zero(path):
    never = "points=9999, direction=front)"
    assert outcome(path, f"farthest(child, {never}") == (0.0, "")
    assert outcome(path, f"nearest(child, {never}")[1].startswith(
        "a child never has 9999 points in some direction"
    )


def test_without_an_aim_less_blind_area_and_farther_sight_are_better():
    aims = {
        text: read_objective(text).sign for text in ("blind()", "nearest(car)", "farthest(car)")
    }
    assert aims == {"blind()": -1, "nearest(car)": -1, "farthest(car)": 1}
    assert read_objective("maximise: blind()").sign == 1


def test_filters_are_read():
    blind = read_objective("blind(height=.3, within=7.5, cell=.25, sensor=a)").placement
    assert blind == PlacementMeasure(
        kind="blind", height_m=0.3, within_m=7.5, cell_m=0.25, sensor="a"
    )
    nearest = read_objective("nearest(person, direction=left, points=8)").placement
    assert nearest.bearing_rad == pytest.approx(math.pi / 2)
    assert (nearest.road_user, nearest.n_points) == ("person", 8)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("blind(person)", "blind takes no road user, got 'person'"),
        ("blind(hight=1)", "got 'hight=1', did you mean 'height'?"),
        ("blind(within=-2)", "got within=-2, expected a number from 0.001 on"),
        ("blind(height=1, height=2)", "each once"),
        ("nearest()", "expected one of child, person, car"),
        ("nearest(childd)", "expected one of child, person, car"),
        ("farthest(car, direction=up)", "got direction=up, expected front, left, rear, right"),
        ("farthest(car, points=0)", "got points=0, expected a number from 1 on"),
        ("blinde()", "got 'blinde'"),
    ],
)
def test_an_objective_that_means_nothing_is_refused_in_one_line(text, words):
    with pytest.raises(InputError) as told:
        read_objective(text)
    assert words in str(told.value)
    assert "\n" not in str(told.value)


def test_an_unknown_sensor_is_told(path):
    assert "there is no sensor 'rof'" in outcome(path, "blind(sensor=rof)")[1]
