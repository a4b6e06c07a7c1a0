# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Points that should not be there, pixels that come and go, and scans that are not at rest."""

from dataclasses import replace

import numpy as np
import pytest

from lidar_gap.calibrate import Absent
from lidar_gap.calibrate.misses import find_misses
from lidar_gap.calibrate.noise import find_noise
from lidar_gap.calibrate.recording import on_grid, record
from tests.builders.recordings import N_COLUMN


def found(clouds):
    return {each.name: each for each in find_misses(record(clouds))}


def halved(cloud, random, n):
    """Return a cloud in which some points, far from each other, are at half their range."""
    rows = random.choice(len(cloud) // 10, n, replace=False) * 10
    factor = np.ones(len(cloud))
    factor[rows] = 0.5
    return replace(cloud, range_m=cloud.range_m * factor, points_m=cloud.points_m * factor[:, None])


def test_points_in_mid_air_are_false_alarms(scans):
    random = np.random.default_rng(4)
    clouds = [halved(each, random, 20) for each in scans[0]]
    share = found(clouds)["false_alarm_share"]
    expected = 20 * len(clouds) / sum(map(len, clouds))
    assert share.low <= expected <= share.high


def test_scans_of_another_start_are_aligned(scans):
    # the same scans, whose firings are counted from elsewhere
    clouds = [
        replace(each, column=((each.column + 7 * number) % N_COLUMN).astype(np.int32))
        for number, each in enumerate(scans[0])
    ]
    here, there = found(scans[0]), found(clouds)
    assert there["flicker_share"].value == pytest.approx(here["flicker_share"].value, rel=0.02)


def test_grid_of_azimuths_stands_in_for_firings(scans):
    plain = record([replace(each, column=None, azimuth_deg=None) for each in scans[0]])
    assert all(isinstance(each, Absent) for each in find_misses(plain))
    drops = found(scans[0])["drop_probability"].value
    gridded = {each.name: each for each in find_misses(on_grid(plain, N_COLUMN))}
    assert gridded["drop_probability"].value == pytest.approx(drops, rel=0.05)


def test_moving_sensor_has_no_temporal_noise(scans):
    clouds = []
    for number, each in enumerate(scans[0][:3]):
        points_m = each.points_m + np.array([0.5 * number, 0.2 * number, 0.0])
        clouds.append(replace(each, points_m=points_m, range_m=np.linalg.norm(points_m, axis=1)))
    recording = record(clouds)
    assert not recording.at_rest
    noise = {each.name: each for each in find_noise(recording, 0.0)}
    assert noise["temporal_sigma_m"].reason == "needs two scans at rest"
    assert noise["range_sigma_m"].fitted_on.count("scatter within rings") == 1
    assert isinstance(found(clouds)["flicker_share"], Absent)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_scan_of_hardly_any_point_does_not_spoil_the_others(scans, n):
    cut = scans[0][5].rows(np.arange(n))
    alone = found([*scans[0][:5], *scans[0][6:]])["drop_probability"]
    beside = found([*scans[0][:5], cut, *scans[0][6:]])["drop_probability"]
    assert beside.value == pytest.approx(alone.value, rel=0.02)
