# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rate of turn, columns, and rounding and wander of the heading."""

import numpy as np
import pytest

from lidar_gap.calibrate import Absent
from lidar_gap.calibrate.recording import record
from lidar_gap.calibrate.turning import find_turn
from lidar_gap.records import ScanCloud

N_COLUMN, RATE_HZ = 1807, 9.72


def turning(*, rounded_deg=None, wander_deg=0.0, plain=False, missing=0.1):
    """Return three scans by eight lasers; the head turns clockwise."""
    random = np.random.default_rng(1)
    clouds = []
    for frame in range(3):
        column = np.arange(N_COLUMN)
        heading_deg = 150.0 - column * 360.0 / N_COLUMN + 0.07 * frame
        heading_deg += random.normal(0.0, wander_deg, N_COLUMN)
        if rounded_deg is not None:
            heading_deg = np.rint(heading_deg / rounded_deg) * rounded_deg
        ring, of = (each.ravel() for each in np.meshgrid(np.arange(8), column, indexing="ij"))
        kept = random.random(len(ring)) > missing
        ring, of = ring[kept], of[kept]
        turn = np.radians(heading_deg[of])
        range_m = 5.0 + random.random(len(ring))
        points_m = np.stack((np.cos(turn), np.sin(turn), 0.1 * (ring - 4.0)), 1) * range_m[:, None]
        known = {
            "azimuth_deg": (heading_deg[of] + 180.0) % 360.0 - 180.0,
            "column": of.astype(np.int32),
            "time_s": of / (RATE_HZ * N_COLUMN),
        }
        clouds.append(
            ScanCloud(
                name=f"{frame}",
                points_m=points_m,
                range_m=range_m,
                ring=ring.astype(np.int32),
                **({} if plain else known),
            )
        )
    return record(clouds)


def found(recording, cycle_s=None):
    return {each.name: each for each in find_turn(recording, cycle_s)}


def test_rate_and_columns_are_found_and_their_intervals_hold_them():
    turn = found(turning(wander_deg=0.006))
    assert turn["rotation_rate_hz"].value == pytest.approx(RATE_HZ, rel=1e-3)
    columns = turn["columns"]
    assert columns.low <= N_COLUMN <= columns.high
    assert columns.high - columns.low < 2.0


def test_wander_of_the_heading_is_found_beside_its_rounding():
    turn = found(turning(wander_deg=0.006, rounded_deg=0.01))
    assert turn["encoder_step_deg"].value == pytest.approx(0.01)
    # a step is the difference of two headings, each with wander and a rounding of d² / 12
    jitter_deg = np.sqrt(2 * (0.006**2 + 0.01**2 / 12))
    assert turn["step_jitter_deg"].value == pytest.approx(jitter_deg, rel=0.05)
    assert turn["azimuth_sigma_deg"].value == pytest.approx(0.006, rel=0.08)


def test_plain_clouds_tell_columns_by_their_azimuths():
    turn = found(turning(plain=True), cycle_s=1.0 / (RATE_HZ * N_COLUMN))
    assert turn["columns"].value == pytest.approx(N_COLUMN, abs=1.0)
    assert turn["rotation_rate_hz"].value == pytest.approx(RATE_HZ, rel=1e-3)


def test_plain_clouds_tell_an_encoder_coarser_than_half_a_step():
    # as the HDL-64E of KITTI: 0.09 deg at a step of 0.2 deg
    turn = found(turning(plain=True, rounded_deg=0.09, missing=0.02))
    assert turn["encoder_step_deg"].value == pytest.approx(0.09, rel=1e-3)
    assert turn["columns"].value == pytest.approx(N_COLUMN, abs=1.0)
    assert isinstance(turn["rotation_rate_hz"], Absent)


def test_points_at_random_azimuths_have_no_columns():
    recording = turning(plain=True, wander_deg=5.0)
    assert isinstance(found(recording)["columns"], Absent)
