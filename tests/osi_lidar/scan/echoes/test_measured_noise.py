# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Known sensors with ``fidelity: physical`` scatter as recordings of them do.

The expected figures are those of recordings: temporal scatter of ranges by the maker's reflectivity
value (tier4/nebula, decoder tests), and within and between the rings of an HDL-64E (KITTI).
"""

from dataclasses import replace

import numpy as np
import pytest

from osi_lidar.config import Sensor
from osi_lidar.scan.from_config import signal_scale_of
from tests.builders.clouds import wall_clouds

FEWEST = 4000
"""Points from which a standard deviation is found: to 1.1 %."""
MAP_SPREAD = 0.46
"""Scatter of the hall's photons about those of its map: the variance that stays from scan to scan,
0.21, of bright surfaces (docs/validation.md)."""

# Middle of the class of the maker's values, 0-1, 2-4, 5-9, 10-19, 20-39, above 80; sigma [mm]
VLP_16 = [(0.5, 14.6), (3, 11.1), (7, 9.4), (14, 8.3), (28, 7.0), (90, 6.6)]
XT32 = [(0.5, 8.7), (3, 4.8), (7, 3.8), (14, 3.5), (28, 3.1), (90, 2.7)]
XT16 = [(0.5, 9.2), (3, 4.6), (7, 3.8), (14, 3.3), (28, 3.0), (90, 2.5)]
PANDAR_64 = [(0.5, 11.5), (3, 11.1), (7, 10.0), (14, 9.2), (28, 9.4), (90, 6.3)]
PANDAR_40P = [(0.5, 10.0), (3, 8.6), (7, 7.8), (14, 7.7), (28, 8.2), (90, 6.0)]
RECORDED = {
    "VLP-16": VLP_16,
    "XT32": XT32,
    "XT16": XT16,
    "Pandar64": PANDAR_64,
    "Pandar40P": PANDAR_40P,
}


def wall_errors(folder, preset, *, percent, **options):
    """Return the points on a wall 10 m ahead, and the errors of their ranges [m]."""
    sensor = {"preset": preset, "pattern": None, "fidelity": "physical", "columns": 3600}
    wall = {"half_m": 6.0, "percent": percent}
    (cloud,) = wall_clouds(folder, **{**sensor, **wall, **options})
    on_wall = np.abs(cloud.true_xyz_m[:, 0] - 10.0) < 0.5  # no false alarms
    points = cloud.points[on_wall]
    # against the wall on the axis: the true range is that of one sub-ray, which may be nearer
    range_m = points["range"].astype(float)
    return points, range_m * (1.0 - 10.0 / points["x"].astype(float))


@pytest.mark.parametrize(
    ("preset", "value", "sigma_mm"),
    [(preset, *row) for preset, rows in RECORDED.items() for row in rows],
)
def test_ranges_scatter_by_reflectivity_as_recorded(tmp_path, preset, value, sigma_mm):
    points, errors_m = wall_errors(tmp_path, preset, percent=value)
    assert len(points) >= FEWEST
    assert 1000 * errors_m.std() == pytest.approx(sigma_mm, rel=0.15)
    # signals are noisy, so reported reflectivities are, but not by much
    assert 100 * points["reflectivity"].mean() == pytest.approx(value, rel=0.05)


@pytest.mark.parametrize(
    ("preset", "step_m"), [("VLP-16", 0.002), ("XT32", 0.004), ("Pandar64", 0.004)]
)
def test_ranges_have_the_step_of_the_packets(tmp_path, preset, step_m):
    points, _ = wall_errors(tmp_path, preset, percent=50, columns=None)
    steps = points["range"].astype(float) / step_m
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-3)
    assert len(np.unique(np.round(steps) % 2)) == 2


def test_lasers_of_an_hdl_64e_differ_more_than_one_of_them_scatters(tmp_path):
    points, errors_m = wall_errors(tmp_path, "HDL-64E", percent=50, columns=None)
    rings = np.unique(points["ring"])
    medians_m = np.array([np.median(errors_m[points["ring"] == ring]) for ring in rings])
    within_m = errors_m - medians_m[np.searchsorted(rings, points["ring"])]
    assert len(rings) > 50
    assert 1000 * within_m.std() == pytest.approx(8.6, rel=0.1)
    assert 1000 * medians_m.std() == pytest.approx(25, rel=4 / np.sqrt(2 * len(rings)))


def test_the_signal_of_an_os0_in_photons_is_detected_as_often_as_recorded():
    # 12 500 photons m2 of a white surface; half of the beams return at 7.0 photons
    sensor = Sensor.model_validate({"preset": "OS0-64", "fidelity": "physical"})
    scale = signal_scale_of(sensor)
    # the recorded shares are over the photons that a map predicts, which has a scatter of its own
    scale = replace(scale, signal_spread=float(np.hypot(scale.signal_spread, MAP_SPREAD)))
    photons = np.array([1.5, 3.5, 5.5, 7.5, 9, 13, 17, 25, 40])
    range_m = 10.0
    snr = scale.snr(photons * range_m**2 / 12_500, range_m)
    recorded = [0.07, 0.21, 0.37, 0.46, 0.54, 0.74, 0.81, 0.90, 0.98]
    assert np.abs(scale.detection_probability(snr) - recorded).max() < 0.08
    assert float(scale.detection_probability(snr[0] * 7.0 / 1.5)) == pytest.approx(0.5, abs=0.01)
    table_snr, sigma_m = np.array(sensor.receiver.precision).T
    np.testing.assert_allclose(table_snr, np.array([13, 25, 39, 63, 126]) * snr[0] / 1.5, rtol=0.01)
    np.testing.assert_allclose(1000 * sigma_m, [12.5, 9.4, 6.6, 5.3, 3.4])
    assert sensor.noise.range_bias_sigma_m == 0.006
