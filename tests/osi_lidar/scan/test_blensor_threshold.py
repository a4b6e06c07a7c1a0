# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The least reflectivity over distance."""

import numpy as np
import pytest

from osi_lidar.config import DetectionThreshold
from osi_lidar.scan.blensor_threshold import is_detected, min_reflectivity
from tests.builders.clouds import wall_clouds
from tests.builders.worlds import N_WALL_BEAMS

PAIRS = ((10, 50), (80, 120))


def detected(detection, *rows):
    """Return which of some (range, reflectivity) are detected."""
    range_m, reflectivity = np.array(rows, np.float32).T
    return is_detected(detection, range_m, reflectivity).tolist()


def test_the_corrected_line_meets_its_pairs():
    got = min_reflectivity([0, 49.99, 50, 85, 120, 140], pairs=PAIRS)
    np.testing.assert_allclose(got, [0, 0, 0.1, 0.45, 0.8, 1.0])


def test_the_printed_formula_is_what_is_printed():
    """0.1 + 0.7 d / 70: 0.6 at 50 m, and 1.3 at 120 m, which nothing reaches."""
    got = min_reflectivity([49.99, 50, 90, 120], pairs=PAIRS, as_printed=True)
    np.testing.assert_allclose(got, [0, 0.6, 1.0, 1.3])


def test_what_is_dark_is_seen_near_and_at_its_limit_but_black_never():
    rows = [(10, 0), (10, 1e-6), (50, 0.1), (50, 0.0999), (120, 0.8), (120, 0.799), (200, 5)]
    expected = [False, True, True, False, True, False, True]
    assert detected(DetectionThreshold(), *rows) == expected
    assert detected(DetectionThreshold(min_reflectivity="off"), *rows) == [True] * 7
    assert detected(DetectionThreshold(min_reflectivity="printed"), (50, 0.59), (50, 0.6)) == [
        False,
        True,
    ]


@pytest.mark.parametrize(("form", "limit_m"), [("corrected", 70.0), ("printed", 50.0)])
def test_a_slanted_plate_is_seen_up_to_a_distance(tmp_path, form, limit_m):
    """30 % are needed at 70 m by the line through the pairs, and 60 % at 50 m as printed."""
    plate = {"x_m": 65.0, "turn_deg": 60, "percent": 30}
    (whole,) = wall_clouds(tmp_path, **plate)
    (seen,) = wall_clouds(tmp_path, detection={"min_reflectivity": form}, **plate)
    points = whole.points
    assert points["range"].min() < 50.0
    assert points["range"].max() > 75.0
    assert seen.points.tobytes() == points[points["range"] <= limit_m].tobytes()


def test_what_is_detected_is_decided_by_the_true_range(tmp_path):
    dark = {"x_m": 49.9, "percent": 10, "detection": {}}
    (exact,) = wall_clouds(tmp_path, **dark)
    (noisy,) = wall_clouds(tmp_path, noise={"range_sigma_m": 1.0}, **dark)
    assert 0 < len(exact.points) < N_WALL_BEAMS
    np.testing.assert_array_equal(noisy.beam, exact.beam)
