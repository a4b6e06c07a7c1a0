# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Known sensors with ``fidelity: physical`` scatter as recordings of them do.

The expected figures are those of recordings: temporal scatter of ranges by the maker's reflectivity
value (tier4/nebula, decoder tests), and within and between the rings of an HDL-64E (KITTI).
"""

import numpy as np
import pytest

from tests.builders.clouds import wall_clouds

FEWEST = 4000
"""Points from which a standard deviation is found: to 1.1 %."""
# Middle of the class of the maker's values, 0-1, 2-4, 5-9, 10-19, 20-39, above 80; sigma [mm]
VLP_16 = [(0.5, 14.6), (3, 11.1), (7, 9.4), (14, 8.3), (28, 7.0), (90, 6.6)]
XT32 = [(0.5, 8.7), (3, 4.8), (7, 3.8), (14, 3.5), (28, 3.1), (90, 2.7)]
XT32M = [(0.5, 8.7), (3, 4.9), (7, 4.0), (14, 3.2), (28, 3.0), (90, 2.6)]
XT16 = [(0.5, 9.2), (3, 4.6), (7, 3.8), (14, 3.3), (28, 3.0), (90, 2.5)]
PANDAR_64 = [(0.5, 11.5), (3, 11.1), (7, 10.0), (14, 9.2), (28, 9.4), (90, 6.3)]
PANDAR_40P = [(0.5, 10.0), (3, 8.6), (7, 7.8), (14, 7.7), (28, 8.2), (90, 6.0)]
RECORDED = {
    "VLP-16": VLP_16,
    "XT32": XT32,
    "XT32M": XT32M,
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
    ("preset", "step_m"),
    [("VLP-16", 0.002), ("XT32", 0.004), ("XT32M", 0.005), ("Pandar64", 0.004)],
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
