# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Units that are drawn, against the spreads that presets state."""

import math
from functools import cache

import numpy as np
import pytest

from osi_lidar.sensors.presets import load_preset, preset_names
from osi_lidar.sensors.units import TYPICAL, draw_unit, why_not_drawn

N_UNITS = 1000
SPREAD_OFF = 4.0 / math.sqrt(2 * N_UNITS)
"""Four standard errors of a standard deviation."""


@cache
def many(name, **keys):
    return [draw_unit(load_preset(name), seed=seed, sensor="a", **keys) for seed in range(N_UNITS)]


def check_spread(values, sigma):
    values = np.array(values)
    assert abs(values.mean()) < 4.0 * sigma / math.sqrt(values.size)
    assert values.std() == pytest.approx(sigma, rel=SPREAD_OFF)


def test_logarithms_of_the_factors_scatter_as_stated():
    drawn = many("OS1-128")
    preset = load_preset("OS1-128")
    check_spread([math.log(unit.noise) for unit in drawn], preset.unit_noise)
    check_spread([math.log(unit.signal) for unit in drawn], preset.unit_signal)


def test_angles_scatter_as_stated():
    spread = load_preset("OS1-128").units
    drawn = many("OS1-128")
    check_spread([unit.common_elevation_deg for unit in drawn], spread.common_elevation_deg)
    lasers = [np.subtract(unit.elevation_deg, unit.common_elevation_deg)[::16] for unit in drawn]
    check_spread(np.ravel(lasers), spread.elevation_deg)
    check_spread(np.ravel([unit.azimuth_deg[::16] for unit in drawn]), spread.azimuth_deg)


def test_a_unit_follows_from_seed_and_name():
    preset = load_preset("XT32")
    one = draw_unit(preset, seed=7, sensor="roof")
    assert one == draw_unit(preset, seed=7, sensor="roof")
    assert one.noise != draw_unit(preset, seed=8, sensor="roof").noise
    assert one.noise != draw_unit(preset, seed=7, sensor="left").noise


def test_lasers_turn_to_the_left_whatever_the_sign_of_the_makers_azimuths():
    preset = load_preset("OS1-128")  # positive to the right
    unit = draw_unit(preset, seed=1, sensor="a")
    lasers = unit.lasers(preset.channels)
    turned_rad = lasers.azimuth_offset_rad() - preset.channels.azimuth_offset_rad()
    np.testing.assert_allclose(np.degrees(turned_rad), unit.azimuth_deg, atol=1e-12)
    higher_deg = np.subtract(lasers.elevation_deg, preset.channels.elevation_deg)
    np.testing.assert_allclose(higher_deg, unit.elevation_deg, atol=1e-12)


def test_lasers_without_offsets_get_some():
    preset = load_preset("XT32")
    unit = draw_unit(preset, seed=1, sensor="a")
    assert unit.lasers(preset.channels).azimuth_offset_deg == unit.azimuth_deg


def test_a_typical_unit_has_the_figures_of_its_sensor():
    channels = load_preset("XT32").channels
    assert TYPICAL.lasers(channels) is channels
    assert (TYPICAL.noise_factor, TYPICAL.signal_factor) == (1.0, 1.0)


def test_angles_that_are_stated_are_not_drawn():
    unit = draw_unit(load_preset("XT32"), seed=1, sensor="a", angles=False)
    assert unit.elevation_deg == ()
    assert unit.common_elevation_deg is None
    assert unit.noise == draw_unit(load_preset("XT32"), seed=1, sensor="a").noise


def test_what_was_drawn_is_told():
    unit = draw_unit(load_preset("HDL-64E"), seed=1, sensor="a")
    assert unit.words == (
        f"range noise x {unit.noise:.3g}, lasers {unit.common_elevation_deg:+.3f}° in elevation "
        "on average"
    )
    assert unit.content["signal"] is None
    assert unit.content["noise"] == pytest.approx(unit.noise, abs=1e-6)


@pytest.mark.parametrize("name", preset_names())
def test_a_unit_is_drawn_where_something_is_known_and_else_the_reason_told(name):
    preset = load_preset(name)
    why = why_not_drawn(preset)
    unit = draw_unit(preset, seed=1, sensor="a")
    assert bool(why) == (unit == TYPICAL)
    if why:
        assert why.startswith(f"sensor {name}: how its units differ is not known, only for ")
