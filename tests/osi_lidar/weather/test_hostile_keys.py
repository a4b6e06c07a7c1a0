# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Any value for any key of weather is used or told in one line, and used ones do no harm."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from lidar_base.sections import first_problem
from lidar_scenery.weather.sources.sections import WeatherKeys
from lidar_scenery.weather.state import CLEAR, Weather
from osi_lidar.config.weather import WeatherSection, configured_weather
from osi_lidar.errors import ConfigurationError
from osi_lidar.world.sky import Sky
from tests.builders.beams import BEAM, FAR, LIMIT, SEES, cloud_of, plate
from tests.builders.weather import FILLS_THE_AIR, model_in

KEYS = sorted(WeatherSection.model_fields)
VALUES = [
    *(True, False, 0, -1, 1, 0.5, 10**400, 1e308, -1e308, 5e-324, math.nan, math.inf, -math.inf),
    *("", "x", "1", "auto", "none", "\n", b"1", object()),
    *([], [1], [1, 2], [[]], [{}], {}, {"a": 1}, {"law": "gamma"}, {"table": []}),
    *({"table": [[1, 0], [2, 0]]}, {"visibility_m": math.nan}, {"visibility_m": "far"}),
]


def numbers(value):
    """Yield all numbers in a record."""
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from numbers(getattr(value, field.name))
    elif isinstance(value, tuple):
        for each in value:
            yield from numbers(each)
    elif isinstance(value, (int, float)):
        yield value


def weather_of(keys):
    """Return the weather of a section."""
    return configured_weather(WeatherSection.model_validate(keys))


def problem_of(keys):
    """Return what is told of keys, None if they are used; the weather has no number that is none.

    Any other error than these two would be a traceback.
    """
    try:
        weather = weather_of(keys)
    except ValidationError as error:
        return first_problem(error, keys)
    except ConfigurationError as error:
        return f"scenario: {error}"
    assert not any(map(math.isnan, numbers(weather))), keys
    return None


@pytest.mark.parametrize("key", KEYS)
def test_a_value_is_used_or_told_in_one_line(key):
    told = [problem_of({key: value}) for value in VALUES]
    assert all(line.startswith(key) and "\n" not in line for line in told if line is not None), told
    assert sum(line is not None for line in told) > len(VALUES) / 2


WINDOWS = [-1, 1.5, math.nan, [], True]


@pytest.mark.parametrize("transmission", WINDOWS, ids=str)
def test_a_window_that_passes_no_share_of_the_light_is_refused(transmission):
    keys = {"window": {"transmission": transmission}}
    with pytest.raises(ValidationError) as caught:
        WeatherSection.model_validate(keys)
    assert first_problem(caught.value, keys).startswith("window.transmission: ")


def one_of(*values):
    return st.sampled_from(values)


def gamma(shape, median_mm):
    return {"law": "gamma", "shape": shape, "median_mm": median_mm}


BOXES = st.fixed_dictionaries(
    {
        "center_m": st.tuples(one_of(0.0, 20.0, 1e9), one_of(0.0, -1e9), one_of(0.0)),
        "size_m": st.tuples(one_of(1e-300, 3.0, 1e6), one_of(3.0), one_of(1.0, 1e6)),
        "yaw_deg": one_of(0.0, 30.0, -360.0),
        "visibility_m": one_of(1.0, 15.0, 1e300),
    }
)
BY_KEY = {
    "rain_mm_h": one_of(1e-300, 1e-3, 0.0, 10.0, 500.0),
    "snow_mm_h": one_of(1e-300, 1e-3, 0.0, 10.0, 500.0),
    "fog": st.fixed_dictionaries(
        {"visibility_m": one_of(1.0, 60.0, 1e4, 1.7e308)},
        optional={"patches": st.fixed_dictionaries({"contrast": one_of(0.0, 0.5, 1.0)})},
    ),
    "spray": one_of("auto", "none"),
    "drop_sizes": one_of(
        gamma(0.0, 0.01),
        gamma(50.0, 10.0),
        {"table": [[0.5, 1e300], [1.0, 1.0]]},
        {"table": [[0.01, 0.0], [10.0, 5.0]]},
    ),
    "flakes": one_of("gunn_marshall", "sekhon_srivastava"),
    "snow_density": one_of(0.01, 0.917),
    "dust": st.lists(BOXES, max_size=12),
    "road_water_mm": one_of(0.0, 1e-300, 0.3, 100.0),
    "snow_depth_mm": one_of(0.0, 1e-300, 5000.0),
    "temperature_k": one_of(180.0, 274.0, 340.0),
    "wind_m_s": one_of([0.0, 0.0], [100.0, 0.0], [-70.0, 70.0]),
    "sun": st.fixed_dictionaries(
        {"azimuth_deg": one_of(0.0, -90.0), "elevation_deg": one_of(-90.0, 1.0, 90.0)}
    ),
    "ambient_lux": one_of(0.0, 1e6),
}
WEATHERS = st.fixed_dictionaries({}, optional=BY_KEY)
"""Keys that no rule forbids, at the ends of their ranges above all."""
OF_KEYS = {each.name for each in dataclasses.fields(Weather) if each.compare} - {"lane_water"}
"""Fields of the weather that keys set; only messages state the water of lanes."""
SENSORS = st.fixed_dictionaries(
    {
        "wavelength_nm": one_of(865.0, 905.0, 1550.0),
        "beam": one_of(None, BEAM, {"divergence_deg": 0.2, "refine": True}),
        "receiver": one_of(SEES, {}, {"near_range_m": 0.0, "sun_glare": True}, {"shot_noise": 0.1}),
        "min_range_m": one_of(0.0, 0.5),
        "returns": one_of({"mode": "all", "max": 8, "reset": "threshold"}, {"mode": "strongest"}),
        "pulse": st.fixed_dictionaries({"fwhm_ns": one_of(0.5, 5.0, 20.0)}),
        "range_limit": one_of(LIMIT, FAR),
    }
)
ROAD = [(0.0, -30.0, -1.9), (60.0, -30.0, -1.9), (60.0, 30.0, -1.9), (0.0, 30.0, -1.9)]
FEW_BEAMS = {
    "kind": "pairs",
    "azimuth_elevation_deg": [[left, up] for left in range(9) for up in (0.0, -5.0, -12.0)],
}


def test_there_are_values_of_each_key_of_the_weather():
    assert {*BY_KEY} == {*WeatherKeys.model_fields} - {"window"}


@pytest.mark.parametrize("key", BY_KEY)
def test_each_key_makes_another_weather_and_is_its_source(key):
    """`find` raises an error if no value of the key does."""
    keys = find(BY_KEY[key].map(lambda value: {key: value}), lambda each: weather_of(each) != CLEAR)
    assert {words for _, words in weather_of(keys).sources} == {"configuration"}


@pytest.mark.parametrize("name", sorted(OF_KEYS))
def test_some_key_sets_each_field_of_the_weather(name):
    """`find` raises an error if none does."""
    # of the fields, patches of fog are the rarest: every seventh weather has some, but not evenly
    clear, many = getattr(CLEAR, name), settings(max_examples=2000, phases=[Phase.generate])
    keys = find(WEATHERS, lambda each: getattr(weather_of(each), name) != clear, settings=many)
    weather = weather_of(keys)
    assert (name, "configuration") in weather.sources
    assert not (weather.is_clear and name in FILLS_THE_AIR)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile")


@pytest.mark.long
@settings(max_examples=30)
@given(WEATHERS, SENSORS, one_of(0.2, 5.0, 30.0))
def test_clouds_hold_numbers_in_any_weather(folder, keys, sensor, plate_m):
    surfaces = [(ROAD, "asphalt_new"), (plate(plate_m, 0.0), 50.0)]
    model = model_in(None, folder, surfaces, pattern=FEW_BEAMS, **sensor)
    model.world.sky = Sky(WeatherSection.model_validate(keys), 0)
    cloud = cloud_of(model, 2)
    for name in cloud.points.dtype.names:
        assert np.isfinite(cloud.points[name]).all(), name
    assert np.isfinite(cloud.rmse_m).all()
    assert (cloud.points["reflectivity"] >= 0.0).all()
    assert (cloud.points["range"] >= sensor["min_range_m"]).all()
    assert (cloud.points["range"] <= 200.0 + 1e-3).all()
