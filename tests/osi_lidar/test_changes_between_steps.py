# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What changes between two steps counts at once, and leaves nothing behind.

Nothing moves here. So a scan depends on its number and on what holds at its time, and is the same
whatever held before: each step of a run with changes is compared with the same step of a run in
which that state has always held.
"""

from functools import cache, partial

import pytest
import yaml
from osi3.osi_environment_pb2 import EnvironmentalConditions as Conditions
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensorview_pb2 import SensorView

from fmu_src.tuning import tune
from osi_lidar import LidarModel
from tests.builders.lanes import with_films
from tests.builders.messages import Thing, host, message
from tests.builders.weather import decoded
from tests.builders.worlds import config, raster

ROSETTE = {"kind": "rosette", "radius_deg": 20, "radial_hz": 33, "rotation_hz": 7, "pulse_hz": 2000}
PHYSICAL = {
    "pattern": raster(24, 6),
    "fidelity": "physical",
    "beam": {"divergence_deg": 0.4, "refine": True},
    "range_limit": {"equation": {"pairs": [[10, 60]]}},
    "receiver": {"amplitude_noise": False},
    "mounting": {"x_m": 1.0, "z_m": 1.5},
}
SENSORS = {
    "at_once": {**PHYSICAL, "rolling_shutter": False, "motion_blur": False},
    "one_by_one": {**PHYSICAL, "velocity": True, "near_ir": True},
    "elsewhere": {**PHYSICAL, "pattern": ROSETTE},
    "noisy": {
        **PHYSICAL,
        "receiver": {},
        "noise": {"range_sigma_m": 0.02, "azimuth_sigma_deg": 0.1},
        "deskew": True,
    },
    "ideal": {
        "pattern": raster(24, 6),
        "mounting": {"z_m": 1.5},
        "noise": {"drop_probability": 0.2},
    },
    "long": {**PHYSICAL, "wavelength_nm": 1550},
}
N_STEPS = 4


def model_with(first):
    """Return a model of all sensors, this one first: a master tunes the first one."""
    ordered = sorted(SENSORS, key=lambda name: name != first)
    sensors = [{"name": name, **SENSORS[name]} for name in ordered]
    return LidarModel(config(sensors=sensors, scene={"shapes": "auto"}, seed=5))


def scans_of(model, frame):
    """Return the points that each sensor has of a step, and the message of all."""
    step = model.step(frame)
    points = {each.sensor: each.cloud.points for each in step.scans}
    told = {name: (each.tobytes(), each.dtype) for name, each in points.items()}
    return {**told, "message": step.sensor_data}


def view(change=None):
    """Return a message of a host before two cars on wet and dry lanes, all at rest, changed."""
    things = [host(), Thing(2, (12.0, 2.0, 0.75)), Thing(3, (17.0, -3.0, 0.75))]
    stated = SensorView.FromString(message(things))
    _conditions(
        stated.global_ground_truth,
        precipitation=Conditions.PRECIPITATION_NONE,
        fog=Conditions.FOG_EXCELLENT_VISIBILITY,
    )
    _shine(stated.global_ground_truth, 0.0)
    films_mm, shift_m = [0.0, 1.0], 0.0
    if change == "film":
        films_mm = [1.0, 0.0]
    elif change == "lanes":
        shift_m = 1.0
    elif change is not None:
        CHANGES[change](stated.global_ground_truth)
    return with_films(stated.SerializeToString(), films_mm, right_m=-4.0 + shift_m)


def _paint(truth):
    truth.moving_object[1].color_description.rgb.red = 1.0


def _size(truth):
    truth.moving_object[1].base.dimension.width = 2.6


def _kind(truth):
    car = truth.moving_object[1]
    car.vehicle_classification.type = MovingObject.VehicleClassification.TYPE_BUS


def _person(truth):
    someone = truth.moving_object[1]
    someone.type = MovingObject.TYPE_PEDESTRIAN
    someone.ClearField("vehicle_classification")


def _gone(truth):
    del truth.moving_object[1]


def _shine(truth, intensity):
    sun = truth.environmental_conditions.sun
    sun.azimuth, sun.elevation, sun.intensity = 1.0, 0.3, intensity


def _conditions(truth, **stated):
    for name, value in stated.items():
        setattr(truth.environmental_conditions, name, value)


CHANGES = {
    "film": None,
    "lanes": None,
    "paint": _paint,
    "size": _size,
    "kind": _kind,
    "person": _person,
    "gone": _gone,
    "sun": partial(_shine, intensity=90_000.0),
    "rain": partial(_conditions, precipitation=Conditions.PRECIPITATION_VERY_HEAVY),
    "fog": partial(_conditions, fog=Conditions.FOG_THICK),
}


@cache
def always(change=None, first="at_once", tuned=()):
    """Return the scans of a run in which one state holds from the start."""
    model = model_with(first)
    for name, value in tuned:
        tune(model, name, value)
    return [scans_of(model, frame) for frame in timed([view(change)] * N_STEPS)]


def timed(messages):
    """Return frames of messages, a tenth of a second apart."""
    views = [SensorView.FromString(data) for data in messages]
    for number, each in enumerate(views):
        each.global_ground_truth.timestamp.nanos = each.timestamp.nanos = 100_000_000 * number
    return decoded([each.SerializeToString() for each in views])


def differing(found, expected):
    return [name for name in found if found[name] != expected[name]]


def acts(found, expected):
    """Return whether the points of any sensor differ."""
    return differing(found, expected) not in ([], ["message"])


@pytest.mark.parametrize("change", sorted(CHANGES.keys() - {"paint"}))
def test_a_message_counts_for_itself(change):
    plain, changed = always(), always(change)
    assert acts(plain[1], changed[1]), "it does something"
    model = model_with("at_once")
    states = [None, change, None, change]
    for number, frame in enumerate(timed([view(each) for each in states])):
        expected = (plain if states[number] is None else changed)[number]
        assert differing(scans_of(model, frame), expected) == [], number


def test_paint_is_of_the_message_in_which_an_object_appears():
    assert acts(always()[1], always("paint")[1])
    model = model_with("at_once")
    stated, shown = [None, "paint", "gone", "paint"], [None, None, "gone", "paint"]
    for number, frame in enumerate(timed([view(each) for each in stated])):
        assert differing(scans_of(model, frame), always(shown[number])[number]) == [], number


PATTERNS = [
    str(raster(30, 4)),
    str(raster(6, 24)),
    "{kind: pairs, azimuth_elevation_deg: [[0, -2], [1, -2]]}",
]
WEATHERS = [
    "{window: {transmission: 0.01}}",
    "{window: {film_mm: 0.2, drops: 0.3}}",
    "{fog: {visibility_m: 40}}",
    "{rain_mm_h: 60}",
    "{road_water_mm: 1.0}",
]
TUNED = [
    *((first, "pattern", value) for first in SENSORS for value in PATTERNS),
    *(("at_once", "weather", value) for value in WEATHERS),
]


@pytest.mark.parametrize(("first", "name", "value"), TUNED)
def test_what_a_master_tunes_counts_from_the_next_scan_on(first, name, value):
    plain, changed = always(first=first), always(first=first, tuned=((name, value),))
    assert acts(plain[1], changed[1])
    model = model_with(first)
    for number, frame in enumerate(timed([view()] * N_STEPS)):
        if number:
            tune(model, name, value if number % 2 else "")
        expected = (changed if number % 2 else plain)[number]
        assert differing(scans_of(model, frame), expected) == [], number


AMOUNTS = {
    "snow": ("{snow_depth_mm: 2}", "{snow_depth_mm: 7}"),
    "water": ("{road_water_mm: 0.3}", "{road_water_mm: 1.0}"),
    "fog": ("{fog: {visibility_m: 40}}", "{fog: {visibility_m: 90}}"),
    "rain": ("{rain_mm_h: 20}", "{rain_mm_h: 60}"),
    "film": ("{window: {film_mm: 0.1}}", "{window: {film_mm: 0.3}}"),
}


@pytest.mark.parametrize("kind", AMOUNTS)
def test_weather_of_which_there_is_more_or_less_counts_from_the_next_scan_on(kind):
    runs = [always(tuned=(("weather", value),)) for value in AMOUNTS[kind]]
    assert acts(runs[0][1], runs[1][1])
    model = model_with("at_once")
    for number, frame in enumerate(timed([view()] * N_STEPS)):
        tune(model, "weather", AMOUNTS[kind][number % 2])
        assert differing(scans_of(model, frame), runs[number % 2][number]) == [], number


@pytest.mark.parametrize("value", PATTERNS)
@pytest.mark.parametrize("name", SENSORS)
def test_a_pattern_that_a_master_tunes_is_as_one_of_the_configuration(name, value):
    """The first raster has other beams than the sensor's own, the second as many."""
    sensor = {"name": name, **SENSORS[name]}
    tuned, stated = (
        LidarModel(config(sensors=[each], scene={"shapes": "auto"}, seed=5))
        for each in (sensor, {**sensor, "pattern": yaml.safe_load(value)})
    )
    tune(tuned, "pattern", value)
    for number, frame in enumerate(timed([view()] * 2)):
        assert differing(scans_of(tuned, frame), scans_of(stated, frame)) == [], number
