# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Second returns: their share and their separation."""

import numpy as np
import pytest

from lidar_gap.calibrate import Absent, calibrate
from lidar_gap.calibrate.echoes import find_echoes
from lidar_gap.calibrate.recording import record
from lidar_gap.records import ScanCloud
from tests.builders.recordings import faces, poles, recorded, room_model


def cloud(range_m, ring, column):
    """Return a cloud of points on a horizon."""
    turn = 2 * np.pi * column / 500
    points_m = range_m[:, None] * np.stack((np.cos(turn), np.sin(turn), 0 * turn), axis=1)
    return ScanCloud(
        name="made",
        points_m=points_m,
        range_m=range_m,
        ring=ring.astype(np.int32),
        column=column.astype(np.int32),
    )


def test_share_and_separations_are_those_of_the_pairs():
    # 4 lasers x 500 columns; every tenth firing has a second echo 1, 1.01 .. m behind the first
    ring, column = (each.ravel() for each in np.meshgrid(np.arange(4), np.arange(500)))
    first_m = np.full(len(ring), 10.0)
    second = np.arange(0, len(ring), 10)
    apart_m = 1.0 + 0.01 * np.arange(len(second))
    made = cloud(
        np.concatenate((first_m, first_m[second] + apart_m)),
        np.concatenate((ring, ring[second])),
        np.concatenate((column, column[second])),
    )
    found = {each.name: each for each in find_echoes(record([made]))}
    assert found["second_return_share"].value == pytest.approx(0.1)
    expected = np.percentile(apart_m, (0, 1, 5, 50))
    np.testing.assert_allclose(found["echo_separation_m"].values, expected)


def test_same_echo_sent_twice_is_one():
    ring, column = (each.ravel() for each in np.meshgrid(np.arange(4), np.arange(500)))
    twice = cloud(np.full(4000, 10.0), np.tile(ring, 2), np.tile(column, 2))
    assert all(isinstance(each, Absent) for each in find_echoes(record([twice])))


@pytest.mark.long
def test_separation_of_a_simulated_unit_is_found(tmp_path):
    model = room_model(
        tmp_path,
        surfaces=faces() + poles(),
        beam={"divergence_deg": 0.5},
        pulse={"fwhm_ns": 3.0},
        returns={"mode": "all", "max": 2, "min_separation_m": 1.5},
    )
    clouds, _ = recorded(model, 2)
    found = calibrate(clouds).findings
    assert found["second_return_share"].value > 0.01
    separation = found["min_separation_m"]
    assert separation.low == pytest.approx(1.5, abs=0.1)
    assert separation.low <= separation.value <= separation.high
