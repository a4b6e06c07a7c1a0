# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""``unit: drawn``: what of a sensor it changes, what it leaves, and where it is an error."""

import math

import numpy as np
import pytest

from osi_lidar.config import Config, Noise, Sensor
from osi_lidar.config.models import drawn_units
from osi_lidar.scan.from_config import range_limit_of, scan_pattern, signal_scale_of
from osi_lidar.scan.noise.errors import MeasurementErrors
from osi_lidar.sensors.units import TYPICAL

BEAMS = {"kind": "pairs", "azimuth_elevation_deg": [[0, 0]]}


def sensor_of(seed=1, **keys):
    config = Config.model_validate({"seed": seed, "sensors": [{"unit": "drawn", **keys}]})
    return config.sensors[0]


def test_a_sensor_is_typical_unless_it_says_otherwise():
    assert Sensor(preset="VLP-16").drawn_unit is TYPICAL


def test_the_seed_of_the_configuration_draws_the_unit():
    first, second = (sensor_of(seed, preset="OS1-128").drawn_unit for seed in (1, 2))
    assert first != second
    assert first == sensor_of(1, preset="OS1-128").drawn_unit


def test_a_configuration_that_was_written_draws_the_same_units():
    config = Config.model_validate({"seed": 5, "sensors": [{"preset": "XT32", "unit": "drawn"}]})
    again = Config.model_validate(config.resolved())
    units = drawn_units(config.sensors)
    assert drawn_units(again.sensors) == units
    assert list(units) == ["XT32"]


@pytest.mark.parametrize("name", ["VLP-16", "HDL-64E", "XT16"])
def test_scatter_of_ranges_has_the_factor(name):
    typical = Sensor.model_validate({"preset": name, "fidelity": "physical"})
    drawn = sensor_of(preset=name, fidelity="physical")
    factor = drawn.drawn_unit.noise
    assert factor != 1.0
    for before, after in zip(
        typical.noise.reflectivity_table + typical.noise.depth_table,
        typical.noise.times(factor).reflectivity_table + typical.noise.times(factor).depth_table,
        strict=True,
    ):
        assert after[:-1] == before[:-1]
        assert after[-1] == pytest.approx(factor * before[-1])
    assert drawn.noise == typical.noise  # figures are written as they are stated
    tables = MeasurementErrors(drawn, 1)._tables
    wide = np.r_[tables.by_reflectivity[:, -1], tables.by_range[:, -1]]
    exact = MeasurementErrors(typical, 1)._tables
    np.testing.assert_allclose(
        wide, factor * np.r_[exact.by_reflectivity[:, -1], exact.by_range[:, -1]]
    )


def test_all_scatter_has_the_factor_and_other_errors_stay():
    noise = Noise(
        range_sigma_m=0.01,
        sigma_per_range=0.001,
        sigma_incidence_m=0.02,
        sigma_dark_m=0.03,
        depth_table=((5, 0.1, 0.01), (50, 0.2, 0.02)),
        depth_sigma_m="0.001 * d + 0.1",
        range_bias_sigma_m=0.05,
        quantisation_m=0.004,
        tails=0.05,
    )
    wide = noise.times(2.0)
    assert (wide.range_sigma_m, wide.sigma_per_range) == (0.02, 0.002)
    assert (wide.sigma_incidence_m, wide.sigma_dark_m) == (0.04, 0.06)
    assert wide.depth_table == ((5, 0.1, 0.02), (50, 0.2, 0.04))
    assert wide.depth_formulas()["depth_sigma_m"](d=np.array([10.0])) == pytest.approx(0.22)
    kept = ("range_bias_sigma_m", "quantisation_m", "tails")
    assert [getattr(wide, key) for key in kept] == [getattr(noise, key) for key in kept]
    assert noise.times(1.0) is noise


def test_signal_and_range_limit_have_the_factor():
    typical = Sensor.model_validate({"preset": "OS1-128", "fidelity": "physical"})
    drawn = sensor_of(preset="OS1-128", fidelity="physical")
    factor = drawn.drawn_unit.signal
    assert abs(math.log(factor)) > 0.01
    range_m = np.array([3.0, 20.0, 60.0])
    before = signal_scale_of(typical).snr(0.3, range_m)
    np.testing.assert_allclose(signal_scale_of(drawn).snr(0.3, range_m), factor * before)
    reflectivity = np.array([0.05, 0.1, 0.3])
    np.testing.assert_allclose(
        range_limit_of(drawn).max_range_m(reflectivity),
        range_limit_of(typical).max_range_m(factor * reflectivity),
    )


def test_beams_are_those_of_the_unit():
    typical, drawn = Sensor(preset="XT32"), sensor_of(preset="XT32")
    beams, turned = scan_pattern(typical), scan_pattern(drawn)
    off_deg = np.degrees(turned.elevation_rad - beams.elevation_rad)
    rings = [off_deg[beams.ring == ring][0] for ring in range(32)]
    np.testing.assert_allclose(rings, drawn.drawn_unit.elevation_deg, atol=1e-9)


@pytest.mark.parametrize("intrinsics", ["calibrated", "naive"])
def test_angles_that_are_stated_stay(intrinsics):
    keys = {"preset": "OS1-64-Gen2", "intrinsics": intrinsics}
    stated, drawn = scan_pattern(Sensor(**keys)), scan_pattern(sensor_of(**keys))
    np.testing.assert_array_equal(stated.direction, drawn.direction)


def test_angles_of_a_file_stay(tmp_path):
    file = tmp_path / "unit.csv"
    lines = (f"{number + 1},{15 - number + 0.1},0.2" for number in range(32))
    file.write_text("\n".join(["Laser id,Elevation,Azimuth", *lines]) + "\n")
    keys = {"preset": "XT32", "calibration": str(file)}
    drawn = sensor_of(**keys)
    np.testing.assert_array_equal(
        scan_pattern(Sensor.model_validate(keys)).direction, scan_pattern(drawn).direction
    )
    assert drawn.drawn_unit.noise != 1.0


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"preset": "VLS-128"}, "sensor VLS-128: how its units differ is not known, only for"),
        ({"pattern": BEAMS}, "drawn needs a preset: how units differ is not known, only for"),
        (
            {"preset": "OS1-64", "intrinsics": "naive"},
            "sensor OS1-64: only the angles of its units are known to differ, and the config",
        ),
    ],
)
def test_nothing_to_draw_is_one_line(keys, words):
    with pytest.raises(ValueError, match="unit") as refused:
        sensor_of(**keys)
    assert words in str(refused.value)
