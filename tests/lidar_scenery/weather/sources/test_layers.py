# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather that several sources state."""

from lidar_scenery.weather.sources.layers import all_of, layered
from lidar_scenery.weather.state import CLEAR, Weather


def told(**stated):
    """Return weather whose values are all stated."""
    return Weather(**stated, sources=tuple((name, "somebody") for name in stated))


def test_the_upper_source_wins_value_by_value():
    upper = told(visibility_m=100.0, spray=False)
    lower = told(visibility_m=50.0, road_water_mm=1.0)
    both = layered(upper, lower)
    assert both == Weather(visibility_m=100.0, spray=False, road_water_mm=1.0)
    assert [name for name, _ in both.sources] == ["visibility_m", "spray", "road_water_mm"]


def test_a_default_that_is_stated_wins_too():
    assert layered(told(rain_mm_h=0.0), told(rain_mm_h=5.0)).rain_mm_h == 0.0


def test_who_states_rain_states_snow():
    snowing = told(snow_mm_h=2.0)
    assert layered(told(rain_mm_h=1.0), snowing) == Weather(rain_mm_h=1.0)
    assert layered(snowing, told(rain_mm_h=1.0)) == Weather(snow_mm_h=2.0)


def test_remarks_of_both_are_kept_and_come_first():
    upper = Weather(snow_depth_mm=3.0, sources=(("snow_depth_mm", "b"), ("scenario", "a")))
    lower = Weather(rain_mm_h=1.0, sources=(("rain_mm_h", "d"), ("map", "c")))
    names = [name for name, _ in layered(upper, lower).sources]
    assert names == ["scenario", "map", "rain_mm_h", "snow_depth_mm"]


def test_of_parts_the_later_wins():
    assert all_of([]) == CLEAR
    parts = [told(rain_mm_h=1.0), told(visibility_m=9.0), told(rain_mm_h=2.0)]
    assert all_of(parts) == Weather(rain_mm_h=2.0, visibility_m=9.0)
