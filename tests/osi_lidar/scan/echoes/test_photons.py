# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The photons that an Ouster reports, and which pixels return, as recordings at rest have it.

The expected figures are those of an OS0-64 in a hall (Hilti SLAM Challenge 2021, in hku-mars/BALM,
benchmark_realworld, frames 12 to 21), and of an OS1-64 in a laboratory (acfr/cam_lidar_calibration,
on two days): see docs/reference/sensors.md.
"""

import itertools

import numpy as np
import pytest

from osi_lidar.config import Sensor
from osi_lidar.scan.from_config import signal_scale_of
from osi_lidar.sensors.presets import load_preset
from tests.builders.meshes import write_quads
from tests.builders.worlds import AT_ORIGIN, config, steps_at_rest

N_SCANS = {"OS0-64": 12, "OS1-64-Gen2": 6}
N_RINGS, N_COLUMNS = 64, 512
BINS = np.array([3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 30, 60])
RECORDED = [0.17, 0.25, 0.36, 0.49, 0.62, 0.71, 0.80, 0.89, 0.95, 0.97, 0.98, 0.99, 1.00]
"""Share of the frames in which a pixel returns, by the mean photons of its returns."""
BY_AN_OS1 = [
    [0.27, 0.36, 0.46, 0.58, 0.67, 0.78, 0.81, 0.91, 0.96, 0.98, 0.99, 0.98, 0.97],
    [0.41, 0.50, 0.61, 0.70, 0.76, 0.85, 0.90, 0.95, 0.98, 0.99, 1.00, 0.99, 0.99],
]
"""The same of 2022-11-09, which was tuned to, and of 2022-10-20."""


def sides_of(axis, end):
    """Return the corners of one wall of a room of 80 x 80 x 10 m around the origin."""
    corners = np.insert([[-1, -1], [1, -1], [1, 1], [-1, 1]], axis, end, axis=1)
    return (corners * [40.0, 40.0, 5.0]).tolist()


@pytest.fixture(scope="module")
def photons(tmp_path_factory):
    """Return the photons of an OS0-64 in a room of concrete, 0 without a return (scan, pixel)."""
    return in_a_room("OS0-64", tmp_path_factory.mktemp("room"))


@pytest.fixture(scope="module")
def photons_of_an_os1(tmp_path_factory):
    """Return those of an OS1-64."""
    return in_a_room("OS1-64-Gen2", tmp_path_factory.mktemp("room"))


def in_a_room(preset, folder):
    """Return the photons of a sensor in a room of concrete, 0 without a return (scan, pixel)."""
    walls = [(sides_of(axis, end), "Wall") for axis in range(3) for end in (-1, 1)]
    room = write_quads(folder / "room.obj", walls)
    sensor = {
        "name": "lidar",
        "preset": preset,
        "fidelity": "physical",
        "columns": N_COLUMNS,
        "mounting": AT_ORIGIN,
    }
    _, done = steps_at_rest(
        config(
            sensors=[sensor],
            scene={"environment": [{"mesh": str(room), "up": "z"}], "ground": "none"},
            materials={"default": "concrete"},
        ),
        N_SCANS[preset],
    )
    figures = load_preset(preset)
    counts = np.zeros((N_SCANS[preset], N_RINGS * N_COLUMNS))
    for of_scan, step in zip(counts, done, strict=True):
        cloud = step.scans[0].cloud
        points = cloud.points
        told = figures.reports.photons(points["reflectivity"], points["range"], figures.near_field)
        on_wall = points["origin"] == 0
        of_scan[cloud.beam[on_wall]] = told[on_wall]
    return counts


def shares_by_photons(photons):
    """Return the share of frames in which a pixel returns, by the mean photons of its returns."""
    returned = photons > 0.0
    n = returned.sum(axis=0)
    seen = n > 0
    mean = photons.sum(axis=0)[seen] / n[seen]
    share = returned.mean(axis=0)[seen]
    return [share[(mean >= low) & (mean < high)].mean() for low, high in itertools.pairwise(BINS)]


def test_pixels_return_as_often_as_recorded_by_what_they_report(photons):
    # 0.042 off with twice as many pixels; bins of some hundred pixels scatter by 0.01
    np.testing.assert_allclose(shares_by_photons(photons), RECORDED, atol=0.07)


def test_those_of_an_os1_return_as_on_one_of_two_days_or_between_them(photons_of_an_os1):
    found = np.array(shares_by_photons(photons_of_an_os1))
    assert (found > np.min(BY_AN_OS1, axis=0) - 0.06).all()
    assert (found < np.max(BY_AN_OS1, axis=0) + 0.04).all()


def test_photons_scatter_as_counts_do(photons):
    sure = (photons > 0.0).all(axis=0)
    mean = photons[:, sure].mean(axis=0)
    variance = photons[:, sure].var(axis=0, ddof=1)
    for low, high in ((14, 18), (22, 28), (35, 45), (60, 80)):
        chosen = (mean >= low) & (mean < high)
        over_poisson = np.sqrt((variance[chosen] / mean[chosen]).mean())
        assert over_poisson == pytest.approx(1.0, abs=0.1)


def test_a_pixel_that_was_weak_is_lost_more_often_than_a_strong_one(photons):
    # recorded: 0.80 at 8 to 9 photons, 0.96 at 13 to 16; and 0.49 at 3 to 4, where fewer pixels
    # of the hall are darker still
    now, after = photons[:-1], photons[1:] > 0.0
    found = [after[(now >= low) & (now < high)].mean() for low, high in ((3, 5), (8, 10), (13, 17))]
    np.testing.assert_allclose(found[1:], [0.80, 0.96], atol=0.04)
    assert found[0] < 0.5


def test_an_os1_detects_nine_of_ten_pulses_where_its_data_sheet_says():
    sensor = Sensor.model_validate({"preset": "OS1-128", "fidelity": "physical"})
    scale, range_m = signal_scale_of(sensor), 40.0
    photons = 140_000 * 0.1 / range_m**2
    per_photon = float(scale.snr(0.1, range_m)) / photons
    assert per_photon == pytest.approx(sensor.receiver.shot_noise, abs=0.002)
    assert float(scale.detection_probability(photons * per_photon)) == pytest.approx(0.9)


def test_half_of_the_pulses_of_an_os0_are_detected_at_the_photons_that_its_file_states():
    sensor = Sensor.model_validate({"preset": "OS0-64", "fidelity": "physical"})
    scale, range_m = signal_scale_of(sensor), 10.0
    per_photon = float(scale.snr(range_m**2 / 12_500, range_m))
    assert per_photon == pytest.approx(1.13, abs=0.01)
    assert float(scale.detection_probability(4.65 * per_photon)) == pytest.approx(0.5, abs=0.01)
    table_snr, sigma_m = np.array(sensor.receiver.precision).T
    np.testing.assert_allclose(table_snr, np.array([13, 25, 39, 63, 126]) * per_photon, rtol=0.01)
    np.testing.assert_allclose(1000 * sigma_m, [12.5, 9.4, 6.6, 5.3, 3.4])
    assert sensor.noise.range_bias_sigma_m == 0.006


@pytest.mark.parametrize("name", ["OS0-64", "OS1-64-Gen2", "OS1-128", "VLP-16"])
def test_the_signal_of_a_sensor_with_a_near_field_falls_with_the_square_of_the_range(name):
    figures = load_preset(name)
    scale = signal_scale_of(Sensor.model_validate({"preset": name, "fidelity": "physical"}))
    at_m = np.array([2.5, 3.8, 10.0, 30.0, 60.0])
    falls = scale.snr(0.1, at_m) * at_m**2 / np.interp(at_m, *np.array(figures.near_field).T)
    assert falls == pytest.approx(falls[0], rel=1e-6)
