# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Twelve scans of a room at rest by a unit whose errors are known, and their calibration."""

import pytest

from lidar_gap.calibrate import calibrate
from tests.builders.recordings import recorded, room_model

NOISE = {
    "range_sigma_m": 0.0065,
    "sigma_dark_m": 0.006,
    "range_bias_sigma_m": 0.02,
    "quantisation_m": 0.002,
    "drop_probability": 0.005,
}


@pytest.fixture(scope="session")
def noise():
    return NOISE


@pytest.fixture(scope="session")
def scans(tmp_path_factory):
    return recorded(room_model(tmp_path_factory.mktemp("room"), noise=NOISE), 12)


@pytest.fixture(scope="session")
def found(scans):
    clouds, _ = scans
    return calibrate(clouds)
