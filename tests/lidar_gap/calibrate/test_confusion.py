# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pairs of figures that a recording does not tell apart, and how often intervals hold the truth."""

from dataclasses import replace

import numpy as np
import pytest

from lidar_gap.calibrate import calibrate
from lidar_gap.calibrate.confusion import confused
from lidar_gap.calibrate.findings import Absent, Findings, figure
from lidar_gap.calibrate.noise import SIGMAS_TOGETHER
from tests.builders.recordings import recorded, room_model
from tests.lidar_gap.test_recordings import FOLDER
from tests.scenarios.scripts import script


def sigmas(together):
    return Findings.of([figure(SIGMAS_TOGETHER, (together, together, together), 100, "a test")])


def test_sigmas_that_move_together_are_one_figure():
    (told,) = confused(sigmas(-0.95))
    assert told == "range_sigma_m and sigma_dark_m (correlation -0.95)"
    assert confused(sigmas(-0.5)) == ()


def test_offsets_need_headings():
    (told,) = confused(Findings.of([Absent(name="azimuth_offset_deg", reason="no headings")]))
    assert "heading" in told


def test_bright_surfaces_alone_do_not_tell_the_noise_of_dark_ones(scans, found):
    """A room of 4 to 90 % does; of the same scans, points of 30 to 90 % do less."""
    bright = [each.rows(each.intensity >= 25) for each in scans[0][:4]]
    less = calibrate([replace(each, azimuth_deg=None) for each in bright])
    values = [each.findings.figure(SIGMAS_TOGETHER).value for each in (found, less)]
    assert -0.9 < values[0] < 0.0
    assert values[1] < values[0]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_intervals_hold_the_truth_in_90_to_98_of_100_recordings(tmp_path):
    intervals = script(FOLDER / "intervals.py")
    shares = {}
    for seed in range(100):
        folder = tmp_path / str(seed)
        folder.mkdir()
        clouds, own = recorded(room_model(folder, noise=intervals.NOISE, seed=seed), 4)
        findings = calibrate(clouds).findings
        for name, truth in intervals.truths(clouds, own).items():
            shares.setdefault(name, []).append(intervals.held(findings.get(name), truth))
    for name in ("range_sigma_m", "sigma_dark_m", "drop_probability", "flicker_share"):
        assert 0.90 <= np.mean(shares[name]) <= 0.98, name
    assert 0.90 <= np.mean(shares["laser_bias_m"]) <= 0.98
    for name in intervals.OF_LASERS:  # they hold the rounding of coordinates as well
        assert np.mean(shares[name]) >= 0.90, name
