# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Survey scanners against their closed forms, angle by angle."""

import math

import numpy as np
import pytest

from raycore.errors import PatternError
from raycore.pattern.optics import Prism, risley
from raycore.pattern.scanners import (
    Channel,
    ConeMirror,
    FibreLine,
    Head,
    PolygonMirror,
    SwingingMirror,
    Wedges,
    survey_scan,
)

STILL = Head()
LONG_AFTER_S = 1_700_000_000.0


def scan(*deflectors, pulse_hz=1000, period_s=0.1, head=STILL, start_s=0.0, **keys):
    channels = [Channel(deflector=each, **keys) for each in deflectors]
    return survey_scan(
        channels, head=head, pulse_rate_hz=pulse_hz, period_s=period_s, start_s=start_s
    )


def elevations(pattern):
    return np.degrees(pattern.elevation_rad)


@pytest.mark.parametrize("start_s", [0.0, LONG_AFTER_S])
def test_a_polygon_draws_line_after_line_upwards_and_shows_a_part_of_each(start_s):
    mirror = PolygonMirror(half_rad=math.radians(40), shown_rad=math.radians(20), rate_hz=20)
    pattern = scan(mirror, start_s=start_s)
    # 50 pulses a line, 80 deg in steps of 1.6 deg; a line is at 0 when the clock is
    pulses = np.arange(100)
    angle = 80 * ((pulses / 50 + 0.5) % 1.0) - 40
    np.testing.assert_array_equal(pattern.column, pulses[np.abs(angle) <= 20])
    np.testing.assert_allclose(elevations(pattern), angle[np.abs(angle) <= 20], atol=1e-9)
    np.testing.assert_allclose(pattern.azimuth_rad, 0.0, atol=1e-12)
    np.testing.assert_allclose(pattern.time_s, pattern.column / 1000)


def test_a_polygon_at_rest_looks_ahead():
    mirror = PolygonMirror(half_rad=0.02, shown_rad=0.02, rate_hz=0.0)
    np.testing.assert_array_equal(scan(mirror).elevation_rad, 0.0)


def test_a_swinging_mirror_goes_up_and_down_at_an_even_rate():
    pattern = scan(SwingingMirror(half_rad=math.radians(30), rate_hz=25))
    steps = np.diff(elevations(pattern))  # 40 pulses a swing: 60 deg up in 20 of them
    np.testing.assert_allclose(steps[:20], 3.0)
    np.testing.assert_allclose(steps[20:40], -3.0)
    assert elevations(pattern)[[0, 20]] == pytest.approx([-30, 30])


def test_a_cone_stays_at_its_angle_from_the_axis_and_closes():
    pattern = scan(ConeMirror(half_rad=math.radians(20), rate_hz=10))
    x, y, z = np.array(
        [
            np.cos(pattern.elevation_rad) * np.cos(pattern.azimuth_rad),
            np.cos(pattern.elevation_rad) * np.sin(pattern.azimuth_rad),
            np.sin(pattern.elevation_rad),
        ]
    )
    np.testing.assert_allclose(x, math.cos(math.radians(20)))
    turn = np.unwrap(np.arctan2(-y, z))
    np.testing.assert_allclose(np.degrees(turn), 3.6 * np.arange(100), atol=1e-9)


def test_fibres_pass_pulses_in_turn_from_scan_to_scan():
    line = FibreLine(half_rad=math.radians(10), count=7, pulse_rate_hz=1000)
    for start_s, first in ((0.0, 0), (0.1, 100 % 7), (LONG_AFTER_S, 1000 * 1_700_000_000 % 7)):
        fibre = (first + np.arange(100)) % 7
        pattern = scan(line, start_s=start_s)
        np.testing.assert_allclose(elevations(pattern), 10 * (2 * fibre / 7 - 1), atol=1e-9)


def test_wedges_are_those_of_risley_prisms():
    prisms = (
        Prism(wedge_rad=0.3, refractive_index=1.5, rotation_rate_hz=50),
        Prism(wedge_rad=0.2, refractive_index=1.5, rotation_rate_hz=-31, tilted_exit=True),
    )
    up = (math.cos(0.05), 0.0, math.sin(0.05))
    ours = scan(Wedges(prisms=prisms, incident=up), start_s=0.3)
    expected = risley(
        prisms=prisms, incident_rad=[(0, 0.05)], pulse_rate_hz=1000, period_s=0.1, start_s=0.3
    )
    np.testing.assert_allclose(ours.azimuth_rad, expected.azimuth_rad, atol=1e-12)
    np.testing.assert_allclose(ours.elevation_rad, expected.elevation_rad, atol=1e-12)


def test_a_head_turns_all_beams_about_its_axis():
    still = PolygonMirror(half_rad=0.0, shown_rad=0.0, rate_hz=0.0)
    around = scan(still, head=Head(rate_hz=2.5))
    np.testing.assert_allclose(np.degrees(around.azimuth_rad), 0.9 * np.arange(100), atol=1e-9)
    over = scan(still, head=Head(axis=(0.0, -1.0, 0.0), rate_hz=1.0))  # about the right: upwards
    np.testing.assert_allclose(elevations(over), 0.36 * np.arange(100), atol=1e-9)


def test_channels_are_rings_from_top_to_bottom_and_start_where_they_are():
    still = PolygonMirror(half_rad=0.0, shown_rad=0.0, rate_hz=0.0)

    def channel(elevation_deg, height_m):
        sin, cos = math.sin(math.radians(elevation_deg)), math.cos(math.radians(elevation_deg))
        mount = np.array([[cos, 0, -sin], [0, 1, 0], [sin, 0, cos]])
        return Channel(deflector=still, mount=mount, origin_m=(0.0, 0.0, height_m))

    channels = [channel(-5, 0.1), channel(10, 0.2), channel(0, 0.3)]
    pattern = survey_scan(channels, head=STILL, pulse_rate_hz=20, period_s=0.1)
    np.testing.assert_array_equal(pattern.ring, [0, 0, 1, 1, 2, 2])
    np.testing.assert_allclose(elevations(pattern), [10, 10, 0, 0, -5, -5], atol=1e-12)
    np.testing.assert_allclose(pattern.origin_m[:, 2], [0.2, 0.2, 0.3, 0.3, 0.1, 0.1])
    one = survey_scan(channels[:1], head=STILL, pulse_rate_hz=20, period_s=0.1)
    assert one.origin_m.shape == (1, 3)


def test_a_scan_without_a_pulse_is_an_error():
    mirror = PolygonMirror(half_rad=1.0, shown_rad=0.001, rate_hz=1)
    with pytest.raises(
        PatternError, match=r"none of 100 pulses leaves the scanner in a scan of 0\.1 s"
    ):
        scan(mirror, start_s=0.3)
    with pytest.raises(PatternError, match="0 channels, expected 1 to"):
        scan()
    with pytest.raises(PatternError, match="give no pulse in a scan"):
        scan(mirror, pulse_hz=1)
