# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The air as a sensor sees it is worked out anew where it changes, and kept where it does not."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest

from lidar_scenery.weather.state import CLEAR, DropSizes, DustBox, Weather
from material_mapping import RangeLimit
from material_mapping.detection_range.signal_scale import SignalScale
from osi_lidar.scan.media import air
from osi_lidar.scan.media.air import BeamOptics, SensorAir
from tests.builders.beams import SIGMA_R_M
from tests.builders.weather import FILLS_THE_AIR

SCALE = SignalScale(
    limit=RangeLimit.from_pairs([(10.0, 60.0), (40.0, 120.0)], fit="root2", max_range_m=200.0),
    sigma_m=SIGMA_R_M,
    max_range_m=200.0,
)
TABLE = SCALE.kernel_table()
OPTICS = BeamOptics(SIGMA_R_M, 0.5, 905.0, (1e-3, 1e-3))
STORM = Weather(rain_mm_h=10.0, visibility_m=100.0)

NOT_EVERYWHERE = {
    *("spray", "dust", "road_water_mm", "lane_water", "snow_depth_mm"),  # bodies, and on the ground
    *("temperature_k", "wind_m_s", "ambient_lux", "sun", "sources", "not_followed"),
}
HOW = {"drop_sizes", "snow_density", "fog_patches"}


def seen(look, weather, scale=SCALE):
    return look.of(weather, scale, TABLE)


@pytest.mark.parametrize(
    "other",
    [
        replace(STORM, wind_m_s=(3.0, 1.0)),
        replace(STORM, temperature_k=280.0),
        replace(STORM, road_water_mm=1.0, snow_depth_mm=3.0),
        replace(STORM, ambient_lux=3.0),
        replace(STORM, dust=(DustBox(center_m=(1.0, 1.0, 1.0), size_m=(1.0, 1.0, 1.0)),)),
    ],
)
def test_what_is_not_in_all_of_the_air_does_not_matter(other):
    look = SensorAir(OPTICS)
    assert seen(look, STORM) is seen(look, other)


@pytest.mark.parametrize(
    "other",
    [
        *(replace(STORM, **{name: value + 1.0}) for name, value in FILLS_THE_AIR.items()),
        replace(STORM, drop_sizes=DropSizes(law="gamma")),
    ],
)
def test_other_air_is_worked_out_as_if_it_were_the_first(other):
    look = SensorAir(OPTICS)
    seen(look, STORM)
    got, fresh = seen(look, other), seen(SensorAir(OPTICS), other)
    assert got.extinction == fresh.extinction
    np.testing.assert_array_equal(got.root, fresh.root)
    np.testing.assert_array_equal(got.drops.number, fresh.drops.number)


def test_clear_air_is_the_clear_scale_itself():
    air = seen(SensorAir(OPTICS), CLEAR)
    assert air.root is TABLE[1]
    assert (air.extinction, air.fog, air.drops) == (0.0, None, None)


def test_extinctions_add_up():
    each = {
        name: seen(SensorAir(OPTICS), Weather(**{name: value})).extinction
        for name, value in FILLS_THE_AIR.items()
    }
    assert min(each.values()) > 0.0
    together = seen(SensorAir(OPTICS), Weather(**FILLS_THE_AIR)).extinction
    assert together == pytest.approx(sum(each.values()), rel=1e-12)
    assert each["visibility_m"] == pytest.approx(math.log(20.0) / 100.0, rel=1e-12)


def test_rain_alone_has_no_echo_of_the_air():
    assert seen(SensorAir(OPTICS), Weather(rain_mm_h=500.0)).fog is None


def test_fog_that_noise_always_hides_is_left_out_and_else_kept():
    haze = Weather(visibility_m=1e6)
    assert seen(SensorAir(OPTICS), haze).fog is None
    assert seen(SensorAir(OPTICS._replace(is_noisy=False)), haze).fog is not None
    assert seen(SensorAir(OPTICS), Weather(visibility_m=50.0)).fog is not None


def test_the_signal_in_the_air_is_that_of_clear_air_weakened_both_ways():
    air = seen(SensorAir(OPTICS), STORM)
    row = np.array([10, 100, 1000])
    weakened = np.exp(-2.0 * air.extinction * TABLE[0] * row)
    np.testing.assert_allclose(np.square(TABLE[1] / air.root)[row], weakened, rtol=1e-12)


def test_each_field_of_the_weather_is_in_the_air_or_somewhere_else():
    """What fills the air is seen, and tables are made anew where it changes."""
    assert {*air._InAir._fields} == {*FILLS_THE_AIR, *HOW}
    assert {each.name for each in fields(Weather)} == {*air._InAir._fields, *NOT_EVERYWHERE}
    for name, value in FILLS_THE_AIR.items():
        assert not Weather(**{name: value}).is_clear
