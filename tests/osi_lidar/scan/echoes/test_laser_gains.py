# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lasers of one unit differ: what each sends and receives, over the sensor's own signal."""

import numpy as np
import pytest

from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.errors import ConfigurationError
from tests.builders.beams import BEAM, LIMIT, beams_at, cloud_of, plate

FAN = {
    "kind": "spinning",
    "elevation_deg": [1.0, 0.0, -1.0],
    "columns": 360,
    "window_deg": [-10.0, 10.0],
}
WALL = [(plate(30.0), 20.0)]
GAINS = [0.25, 1.0, 1.6]
RAIN = ORIGINS.index("rain")


def seen(folder, gains, **sensor):
    """Return the points of three lasers before a wall."""
    keys = {"pattern": FAN, "mounting": {"z_m": 0.0}, **sensor}
    return cloud_of(beams_at(folder, WALL, laser_gains=gains, **keys)).points


def test_a_target_reports_the_gain_of_its_laser(tmp_path):
    alike, own = seen(tmp_path, []), seen(tmp_path, GAINS)
    assert len(own) == len(alike) > 50
    gain = own["reflectivity"] / alike["reflectivity"]
    np.testing.assert_allclose(gain, np.array(GAINS)[own["ring"]], rtol=1e-6)
    np.testing.assert_array_equal(own["range"], alike["range"])


def test_a_laser_of_a_quarter_of_the_signal_sees_half_as_far(tmp_path):
    """A plate of 20 % at 30 m: the limit of 10 % at 30 m is 42 m for it, and 21 m for laser 0."""
    limit = {"equation": {"pairs": [[10, 30]]}}
    points = seen(tmp_path, GAINS, range_limit=limit)
    assert set(points["ring"]) == {1, 2}


def test_gains_and_a_window_multiply(tmp_path):
    dirty = {"weather": {"window": {"transmission": 0.5}}}
    both, clear = seen(tmp_path, GAINS, **dirty), seen(tmp_path, GAINS)
    np.testing.assert_allclose(both["reflectivity"], 0.25 * clear["reflectivity"], rtol=1e-6)


def test_gains_of_one_change_no_byte_and_an_ideal_sensor_has_none(tmp_path):
    noisy = {"receiver": {"near_range_m": 0.0}, "range_limit": LIMIT}
    alike, ones = seen(tmp_path, [], **noisy), seen(tmp_path, [1.0] * 3, **noisy)
    assert alike.tobytes() == ones.tobytes()
    ideal = {"beam": None, "returns": None, "receiver": None}
    assert seen(tmp_path, GAINS, **ideal).tobytes() == seen(tmp_path, [], **ideal).tobytes()


def test_a_gain_for_each_laser_is_expected(tmp_path):
    with pytest.raises(ConfigurationError, match="laser_gains: has length 2, expected 3"):
        seen(tmp_path, [1.0, 0.5])


def test_a_pattern_of_other_lasers_is_refused_before_it_is_taken(tmp_path):
    keys = {"pattern": FAN, "mounting": {"z_m": 0.0}}
    timing = beams_at(tmp_path, WALL, laser_gains=GAINS, **keys).lidars[0].timing
    own = timing.pattern
    of_four = {**FAN, "elevation_deg": [2.0, 1.0, 0.0, -1.0]}
    other = beams_at(tmp_path, WALL, pattern=of_four).lidars[0].timing.pattern
    with pytest.raises(ConfigurationError, match="laser_gains: has length 3, expected 4"):
        timing.check(other)
    assert timing.pattern is own


def test_drops_of_a_bright_laser_are_those_of_a_sensor_with_its_signal(tmp_path):
    """A signal of 4 times is a range limit of twice the distance, by 1/r^2."""
    rain = {"weather": {"rain_mm_h": 30}, "receiver": {"near_range_m": 0.0}, "seed": 1}
    of_gain, of_limit = (
        {"range_limit": {"equation": {"pairs": [[10, metres]]}}, "laser_gains": gains, **rain}
        for metres, gains in ((100, [4.0] * 3), (200, []))
    )
    drops = []
    for sensor in (of_gain, of_limit):
        keys = {"pattern": {**FAN, "columns": 7200, "window_deg": None}, "beam": BEAM, **sensor}
        points = cloud_of(beams_at(tmp_path, [(plate(190.0), 1.0)], **keys)).points
        drops.append((points["origin"] == RAIN).sum())
    assert drops[1] > 300
    assert abs(drops[0] - drops[1]) < 4 * np.sqrt(sum(drops))
