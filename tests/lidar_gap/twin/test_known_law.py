# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a known sensor's file says of its signal, as a twin takes it."""

import pytest

from lidar_gap.twin.reflectivity.known_law import law_of
from osi_lidar.sensors.presets import load_preset


def test_a_sensor_that_counts_photons_brings_its_near_field_and_its_receiver():
    law = law_of("OS0-64")
    assert law.near_field == load_preset("OS0-64").near_field
    assert law.range_exponent == 2.0
    # of the preset's file: half of the pulses return at 4.65 photons, hypot(0.42, 0.12)
    assert law.counts.half == pytest.approx(4.65, abs=0.03)
    assert law.counts.spread == pytest.approx(0.437, abs=0.001)


def test_the_near_field_does_not_move_the_threshold():
    assert law_of("OS0-32").counts.half == pytest.approx(law_of("OS0-64").counts.half, abs=0.01)
    assert law_of("OS1-128").counts.half == pytest.approx(4.4, abs=0.1)


@pytest.mark.parametrize("name", ["VLP-16", None])
def test_of_other_sensors_no_receiver_is_known(name):
    assert law_of(name).counts is None
