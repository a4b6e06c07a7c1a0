# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Benches of buses and trains stand on the floor, and end a little above the windows' edge."""

import numpy as np
import pytest

from lidar_scenery.shapes.vehicles.passenger import make_bus, make_train, make_tram
from osi_bridge.description.details import ObjectDetails

LINES = {  # size, heights of the floor that benches stand on and of the windows' lower edge [m]
    "bus": (make_bus, (12.0, 2.55, 3.0), 0.4, 1.11),
    "tram": (make_tram, (28.0, 2.4, 3.5), 0.415, 1.26),
    "train": (make_train, (50.0, 2.9, 4.0), 0.9, 1.92),
}


@pytest.mark.parametrize("line", LINES)
def test_benches_stand_on_the_floor_and_their_backs_are_seen_through_the_windows(line):
    make, size, floor_m, belt_m = LINES[line]
    model = make(size, ObjectDetails())
    quads = np.array([p for p in model.groups["inside", "Cloth_Blue"] if len(p) == 4])
    level = np.ptp(quads[:, :, 2], axis=1) < 1e-9
    seats = quads[level & (np.ptp(quads[:, :, 0], axis=1) > 0.4)]
    assert len(seats) > 10
    assert (seats[..., 2] > floor_m + 0.3).all()
    assert (seats[..., 2] < belt_m - 0.3).all()
    backs = quads[~level & (np.ptp(quads[:, :, 2], axis=1) > 0.5)]
    assert backs[..., 2].min() == pytest.approx(floor_m)
    assert backs[..., 2].max() == pytest.approx(belt_m + 0.12)
    assert np.abs(quads[..., 1]).max() < 0.47 * size[1]
