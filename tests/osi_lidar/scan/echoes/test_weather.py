# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather in the beam: what is seen through it, and what it makes itself."""

import math

import numpy as np
import pytest

from lidar_scenery.weather.state import Weather
from tests.builders.beams import LIMIT, beams_at, cloud_of, plate
from tests.builders.weather import PUCK, RAIN, SHORT_PULSE, SNOW, scan_in

N = 131_072


@pytest.mark.parametrize(
    ("visibility_m", "farthest_m"),
    [
        (50.0, (19.10, 29.31)),
        (100.0, (26.85, 44.60)),
        (200.0, (35.34, 64.54)),
        (500.0, (45.64, 95.67)),
    ],
)
def test_fog_hides_targets_where_lamberts_w_says(tmp_path, visibility_m, farthest_m):
    """r exp(alpha r) = r_0, with r_0 = 60 and 169.7 m in clear air for 10 and 80 %."""
    for percent, far_m in zip((10.0, 80.0), farthest_m, strict=True):
        for off_m, n in ((-0.02, 3), (0.02, 0)):
            points = scan_in(
                Weather(visibility_m=visibility_m),
                tmp_path,
                [(plate(far_m + off_m), percent)],
                n=3,
                range_limit=LIMIT,
                beam=None,
            )
            assert (points["origin"] == 0).sum() == n


def test_a_target_in_fog_reports_what_comes_back_of_it(tmp_path):
    """exp(-2 * 50 ln 20 / 200) = 0.2236, 6.51 dB."""
    clear = scan_in(Weather(), tmp_path, [(plate(50.0), 50.0)], n=1)
    fog = scan_in(Weather(visibility_m=200.0), tmp_path, [(plate(50.0), 50.0)], n=1)
    ratio = fog["reflectivity"][fog["origin"] == 0] / clear["reflectivity"]
    np.testing.assert_allclose(ratio, 0.2236, rtol=1e-3)


def test_fog_before_a_near_wall_ends_there(tmp_path):
    weather, held = Weather(visibility_m=20.0), {"receiver": PUCK["receiver"], "n": 3}
    near = scan_in(weather, tmp_path, [(plate(1.0), 10.0)], **held)
    assert len(near) == 3
    np.testing.assert_allclose(near["range"], 1.0, atol=0.03)
    far = scan_in(weather, tmp_path, [(plate(12.0), 10.0)], **held)
    assert len(far) == 6


def test_no_weather_gives_the_bytes_of_a_clear_run(tmp_path):
    surfaces = [(plate(30.0, right_m=0.0), 50.0), (plate(40.0), 50.0)]
    noisy = {"receiver": {}, "range_limit": LIMIT, "n": 300}
    clear = beams_at(tmp_path, surfaces, **noisy)
    none = beams_at(tmp_path, surfaces, **noisy)
    none.world.sky.weather = Weather(rain_mm_h=0.0, snow_mm_h=0.0, visibility_m=math.inf)
    assert cloud_of(clear).points.tobytes() == cloud_of(none).points.tobytes()


def within(points, edges_m):
    """Return how many points lie between each two ranges."""
    return np.histogram(points["range"], edges_m)[0]


@pytest.mark.parametrize(
    ("weather", "origin", "expected"),
    [
        (Weather(rain_mm_h=10.0), RAIN, (34.5, 61.2, 80.1, 44.4, 1.9)),
        (Weather(rain_mm_h=50.0), RAIN, (245.0, 453.0, 684.0, 560.0, 50.0)),
        (Weather(snow_mm_h=1.0), SNOW, (206.0, 393.0, 657.0, 710.0, 107.0)),
    ],
)
def test_visible_drops_are_as_many_as_the_closed_form_has(tmp_path, weather, origin, expected):
    """Chi-square over five bins of range, at the level of 0.1 %."""
    points = scan_in(weather, tmp_path, n=N, **PUCK)
    assert (points["origin"] == origin).all()
    got = within(points, [0.5, 1.0, 2.0, 4.0, 8.0, 16.0])

    chi_square = ((got - expected) ** 2 / expected).sum()
    assert chi_square < 20.5  # 5 degrees of freedom


def test_drops_before_a_wall_only(tmp_path):
    """Mean number up to 5 m: 1.501e-3, 197 of these beams, within four standard deviations.

    The pulse is short, because a wall's own pulse hides drops a metre before it.
    """
    short = {**PUCK, **SHORT_PULSE}
    points = scan_in(Weather(rain_mm_h=10.0), tmp_path, [(plate(5.0), 50.0)], n=N, **short)
    drops = points[points["origin"] == RAIN]
    assert abs(len(drops) - 197) < 4 * 14
    assert drops["range"].max() < 5.0
