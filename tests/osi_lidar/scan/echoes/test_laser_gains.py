# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lasers of one unit differ: what each sends and receives, over the sensor's own signal."""

import numpy as np
import pytest

from osi_lidar.errors import ConfigurationError
from tests.builders.beams import LIMIT, beams_at, cloud_of, plate

FAN = {
    "kind": "spinning",
    "elevation_deg": [1.0, 0.0, -1.0],
    "columns": 360,
    "window_deg": [-10.0, 10.0],
}
WALL = [(plate(30.0), 20.0)]
GAINS = [0.25, 1.0, 1.6]


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
