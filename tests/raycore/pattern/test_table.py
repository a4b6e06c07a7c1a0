# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of times and angles: whole in each scan, or window by window."""

import math

import numpy as np
import pytest

from raycore.errors import PatternError
from raycore.pattern.scan_pattern import from_pairs
from raycore.pattern.source import ByTurns, from_times
from raycore.pattern.table import from_table
from tests.builders.refusals import one_line


def table(n_row=8, step_s=0.05, period_s=0.1, **changed):
    """Return a table whose row k looks to k / 1000 rad."""
    values = {
        "time_s": np.arange(n_row) * step_s,
        "azimuth_rad": np.arange(n_row) / 1000,
        "elevation_rad": np.zeros(n_row),
        "period_s": period_s,
    }
    return from_table(**{**values, **changed})


def rows(pattern):
    return np.round(1000 * pattern.azimuth_rad).astype(int).tolist()


def test_a_table_that_fits_into_a_scan_is_shot_anew_in_each():
    source = table(n_row=2)
    assert source.at(0.0) is source.at(7.3)
    assert source.at(0.0).time_s.tolist() == [0.0, 0.05]


def test_a_long_table_goes_on_from_scan_to_scan_and_begins_again():
    source = table()
    assert rows(source.at(0.0)) == [0, 1]
    assert rows(source.at(0.3)) == [6, 7]
    assert rows(source.at(0.4)) == [0, 1]
    around = source.at(0.35)
    assert rows(around) == [7, 0]
    np.testing.assert_allclose(around.time_s, [0.0, 0.05], atol=1e-12)
    assert around.column.tolist() == [0, 1]


def test_a_table_that_rests_before_it_repeats():
    source = table(repeats_after_s=0.6)
    assert rows(source.at(0.55)) == [0]
    np.testing.assert_allclose(source.at(0.55).time_s, [0.05], atol=1e-12)
    with pytest.raises(PatternError, match=r"no pulse between 0.45 s"):
        source.at(0.45)


def test_no_row_is_lost_or_shot_twice_over_many_scans():
    source = table(n_row=1000, step_s=1e-5, period_s=0.0007)
    shot = [row for scan in range(100) for row in rows(source.at(scan * 0.0007))]
    assert shot == [row % 1000 for row in range(7000)]


def test_azimuths_beyond_half_a_turn_are_wrapped():
    pattern = from_times(time_s=[0], azimuth_rad=[1.5 * math.pi], elevation_rad=[0], period_s=0.1)
    np.testing.assert_allclose(pattern.azimuth_rad, [-0.5 * math.pi])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"time_s": [0, 0.1, 0.05]}, r"its time 0.05 s is less than the 0.1 s of the previous"),
        ({"time_s": [-0.1, 0, 0.1]}, r"time of pulse 0 is -0.1 s, expected 0"),
        ({"time_s": [0, math.nan, 1]}, r"times: the value of pulse 1 is nan"),
        ({"time_s": [0, 0.1]}, r"got 2 times, 3 azimuths and 3 elevations"),
        ({"time_s": ["a", 0, 1]}, r"times are not a list of numbers"),
        ({"azimuth_rad": [[0, 1, 2]]}, r"azimuths have the shape \(1, 3\)"),
        ({"elevation_rad": [0, 2, 0]}, r"elevation of pulse 1 is 2 rad, expected -pi/2"),
        ({"repeats_after_s": 0.1}, r"time of pulse 2 is 0.1 s, expected before 0.1 s"),
        ({"time_s": [], "azimuth_rad": [], "elevation_rad": []}, r"has no beam"),
    ],
)
def test_a_table_that_is_not_usable_is_one_line(changed, message):
    with one_line(PatternError, match=message):
        table(n_row=3, **changed)


def test_times_beyond_the_scan_are_refused():
    beams = {"azimuth_rad": [0, 0], "elevation_rad": [0, 0], "period_s": 0.1}
    with pytest.raises(PatternError, match=r"time of pulse 1 is 0.2 s, expected 0 to 0.1 s"):
        from_times(time_s=[0, 0.2], **beams)
    with pytest.raises(PatternError, match=r"time of pulse 0 is -1 s"):
        from_times(time_s=[-1, 0], **beams)


def test_two_kinds_of_scans_take_turns_though_a_scan_begins_a_little_early():
    even, odd = (
        from_pairs(azimuth_rad=[azimuth], elevation_rad=[0.0], period_s=0.1)
        for azimuth in (0.1, -0.1)
    )
    source = ByTurns(even, odd, 0.1)
    for start_s, expected in ((0.0, even), (0.1, odd), (0.2 - 1e-6, even), (0.35, odd)):
        assert source.at(start_s) is expected
    late = 1_700_000_000
    assert source.at(late + 0.0) is even
    assert source.at(late + 0.1) is odd
