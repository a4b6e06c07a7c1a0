# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Real scans against the sensors that the makers' calibration files describe."""

import numpy as np
import pytest
from pypcd4 import PointCloud

from osi_lidar.sensors.calibration.reading import read_calibration
from osi_lidar.sensors.presets import load_preset


def cloud_of(real_data, name):
    (file,) = (real_data / "scans" / "nebula" / name).glob("*.pcd")
    return PointCloud.from_path(file).pc_data


def directions(points, *, least_m):
    """Return azimuth and elevation [deg] of points that are far enough to tell."""
    x, y, z = (points[axis].astype(np.float64) for axis in "xyz")
    far = np.sqrt(x**2 + y**2 + z**2) >= least_m
    x, y, z = x[far], y[far], z[far]
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))


def test_the_real_vlp_16_has_ring_by_ring_the_elevations_that_the_preset_shoots(real_data):
    points = cloud_of(real_data, "vlp16")
    pattern = load_preset("VLP-16").pattern()
    ring = 15 - points["channel"]  # the driver counts from the lowest
    shot_deg = np.degrees([pattern.elevation_rad[pattern.ring == r][0] for r in range(16)])
    x, y, z = (points[axis].astype(np.float64) for axis in "xyz")
    seen_deg = np.degrees(np.arctan2(z, np.hypot(x, y)))
    assert len(points) == 14_831
    assert len(set(ring)) == 15  # the lowest laser saw nothing
    assert np.abs(seen_deg - shot_deg[ring]).max() < 1e-3  # float32 coordinates


@pytest.mark.parametrize(
    ("scan", "calibration"),
    [
        ("vlp32", "nebula_velodyne/VLP32.yaml"),
        ("vls128", "nebula_velodyne/VLS128.yaml"),
        ("xt32", "nebula_hesai/PandarXT32.csv"),
        ("64", "nebula_hesai/Pandar64.csv"),
        ("40p", "nebula_hesai/Pandar40P.csv"),
        ("qt128", "nebula_hesai/PandarQT128.csv"),
        ("ot128", "nebula_hesai/Pandar128E4X.csv"),
    ],
)
def test_points_of_real_scans_lie_at_elevations_of_the_calibration(real_data, scan, calibration):
    _, elevation_deg = directions(cloud_of(real_data, scan), least_m=1.0)
    lasers_deg = np.degrees(read_calibration(real_data / "lidar_calib" / calibration).elevation_rad)
    lasers_deg = np.sort(lasers_deg)
    place = np.clip(np.searchsorted(lasers_deg, elevation_deg), 1, len(lasers_deg) - 1)
    miss = np.minimum(
        np.abs(elevation_deg - lasers_deg[place]), np.abs(elevation_deg - lasers_deg[place - 1])
    )
    assert miss.max() < 1e-3  # float32 coordinates


def test_the_real_at128_scan_lies_on_the_beams_of_its_file(real_data):
    """Half of the points to 0.002 deg in elevation; the rest came by the mirror's other faces."""
    azimuth_deg, elevation_deg = directions(cloud_of(real_data, "at128"), least_m=1.0)
    table = read_calibration(real_data / "lidar_calib/nebula_hesai/PandarAT128.dat")
    beams = np.degrees(np.stack([table.azimuth_rad, table.elevation_rad], axis=1))
    beams = beams[np.argsort(beams[:, 0])]
    misses = []
    for azimuth, elevation in zip(azimuth_deg[::40], elevation_deg[::40], strict=True):
        start, end = np.searchsorted(beams[:, 0], [azimuth - 0.06, azimuth + 0.06])
        misses.append(np.abs(beams[start:end, 1] - elevation).min())
    assert np.median(misses) < 0.002
