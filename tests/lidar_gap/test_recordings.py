# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Noise, second returns and mixed pixels: in recordings of sensors on desks, and simulated.

The recordings are the decoder tests of tier4/nebula. What they show was measured before by other
programs: temporal noise by the maker's reflectivity, share and separation of second returns, and
mixed pixels at the steps of a ring.
"""

from pathlib import Path

import numpy as np
import pytest

from lidar_gap.reality.office import box
from lidar_gap.rings import range_image, sensor_layout
from osi_lidar.config import Sensor
from osi_lidar.sensors.presets import load_preset
from tests.scenarios.scripts import script

pytestmark = pytest.mark.long  # simulates whole sensors on a desk
FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "real"
SIMULATED = ["VLP-16", "Pandar64", "Pandar40P", "XT32"]
NOISE_M = 0.05  # three sigma of the difference of two ranges of a VLP-16, and a step


@pytest.fixture(scope="module")
def desks():
    return script(FOLDER / "desks.py")


@pytest.fixture(scope="module")
def simulated(desks):
    """Return the figures of a simulated sensor in the office, by its name."""
    known = {}

    def figures(preset):
        if preset not in known:
            layout = sensor_layout(Sensor(name="lidar", preset=preset))
            clouds = desks.simulated(preset, desks.office())
            step_m = load_preset(preset).range_resolution_m
            known[preset] = desks.figures(clouds, layout, step_m)
        return known[preset]

    return figures


def desk_of(desks, name):
    (desk,) = [each for each in desks.DESKS if name in (each.folder, each.preset)]
    return desk


@pytest.mark.parametrize("folder", ["vlp16", "64", "40p", "qt128"])
def test_recordings_have_the_figures_that_were_measured_before(desks, real_data, folder):
    pytest.importorskip("rosbags")
    pytest.importorskip("velodyne_decoder")
    desk = desk_of(desks, folder)
    found = desks.recorded(real_data, desk)
    if found is None:
        pytest.skip(f"no recording of {folder} in {real_data}")
    assert found.second == pytest.approx(desk.second, abs=0.001)
    # other programs cut scans into images in other ways
    assert found.mixed == pytest.approx(desk.mixed, abs=0.03)
    if desk.preset is None:
        assert found.noise_mm[1:6] == pytest.approx(8.1, rel=0.15)  # flat: 7.3 to 8.9
        return
    np.testing.assert_allclose(found.apart_m[:3], desk.apart_m, atol=0.01)
    # the azimuths of a VLP-16 do not repeat: differences of its scans have those of the surface
    apart = np.abs(found.noise_mm[:5] / desk.noise_mm[:5] - 1.0)
    assert apart.max() < 0.22


@pytest.mark.parametrize("preset", SIMULATED)
def test_simulated_noise_is_within_15_percent_of_the_recorded(desks, simulated, preset):
    noise_mm = simulated(preset).noise_mm[[0, 1, 2, 3, 4, 6]]
    np.testing.assert_allclose(noise_mm, desk_of(desks, preset).noise_mm, rtol=0.15)


@pytest.mark.parametrize("preset", SIMULATED)
def test_second_returns_are_as_frequent_as_recorded_within_a_factor_of_1_3(
    desks, simulated, preset
):
    ratio = simulated(preset).second / desk_of(desks, preset).second
    assert 1 / 1.3 < ratio < 1.3


@pytest.mark.parametrize("preset", SIMULATED)
def test_no_two_returns_are_nearer_than_recorded_ones(desks, simulated, preset):
    least_m = desk_of(desks, preset).apart_m[0]
    assert simulated(preset).apart_m[0] > least_m - NOISE_M
    assert np.all(np.diff(simulated(preset).apart_m) > 0)


# of the recordings, in images that the product makes: the share of mixed pixels, and in per cent
# the shares of steps of 0.5 m, 0.7, 0.9, 1.2, 1.6, 2.5, 4 m and more, on which it depends
@pytest.mark.parametrize(
    ("preset", "mixed", "steps"),
    [
        ("VLP-16", 0.030, [15.5, 8.5, 7.0, 10.6, 23.9, 19.3, 15.3]),
        ("Pandar64", 0.084, [12.1, 5.8, 9.1, 11.2, 29.1, 18.8, 13.9]),
        ("Pandar40P", 0.069, [11.2, 11.8, 13.5, 12.4, 29.9, 11.5, 9.8]),
        ("XT32", 0.058, [8.6, 7.8, 10.3, 15.4, 20.7, 16.5, 20.8]),
        ("XT16", 0.058, [10.1, 6.5, 7.0, 8.1, 28.6, 30.8, 8.9]),
        ("QT64", 0.160, [16.1, 9.6, 12.3, 16.7, 24.7, 10.7, 9.9]),
    ],
)
def test_mixed_pixels_are_as_frequent_as_recorded(simulated, preset, mixed, steps):
    assert 0.01 * np.dot(steps, simulated(preset).mixed_by_step) == pytest.approx(mixed, abs=0.03)


def test_a_sensor_whose_beams_are_lines_mixes_no_pixels(desks):
    panels = [
        box((2.0, side, -1.0), (2.1, side + 0.4, 1.0), "white") for side in (-1.5, -0.5, 0.5, 1.5)
    ]
    wall = box((2.8, -6.0, -2.0), (2.9, 6.0, 2.0), "white")
    clouds = desks.simulated("XT32", [*panels, wall], 1, beam=None)
    layout = sensor_layout(Sensor(name="lidar", preset="XT32"))
    found = desks.edges(range_image(clouds[0], layout).range_m)
    assert found.n_steps > 100
    assert found.mixed == 0
    assert (clouds[0].echo == 1).mean() < 1e-3  # false alarms: 1e-4
