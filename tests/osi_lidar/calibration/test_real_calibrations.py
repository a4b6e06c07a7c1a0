# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Every calibration file of the makers, and real scans against the sensors that they describe."""

import csv
import json
import re

import numpy as np
import pytest
import yaml
from pypcd4 import PointCloud

from osi_lidar.calibration import read_calibration, read_fire_times
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors import load_preset
from tests.osi_lidar.calibration.files import pattern_of

TOLERANCE_DEG = 1e-4
UNDOCUMENTED = {
    "ATX_Angle_Correction_File_V42.dat": "no public description of the layout of the ATX is known",
    "ET25_Angle_Correction_File_V1.dat": "no public description of the layout of the ET25 is known",
    "FT120C1X_Angle Correction File.dat": "no public description of the layout of the FT120",
    "QT128C2X_Channel_Cofig.csv": "not a calibration that is known",
}


def files_of(real_data, *patterns):
    """Return the calibration files, those of scans included."""
    root = real_data / "lidar_calib"
    found = [file for pattern in patterns for file in sorted(root.glob(pattern))]
    assert found
    return found


def angles_by_hand(file):
    """Return (elevation, azimuth to the left) [deg] of each laser, read as simply as can be."""
    if file.suffix == ".json":
        data = json.loads(file.read_text())
        beams = data.get("beam_intrinsics", data)
        pairs = np.stack([beams["beam_altitude_angles"], beams["beam_azimuth_angles"]], axis=1)
        product = data.get("sensor_info", data).get("prod_line", "")
        pairs = pairs[pairs.any(axis=1)]
        if product.startswith("OS-1-16") and len(pairs) == 64:
            pairs = pairs[3::4]  # firmware 1.12
        return pairs * [1, -1]
    if file.suffix == ".csv":
        rows = list(csv.reader(file.read_text(encoding="utf-8-sig").splitlines()))[1:]
        return np.array([[float(r[1]), -float(r[2])] for r in rows if r[0].isdigit()])
    lasers = sorted(yaml.safe_load(file.read_text())["lasers"], key=lambda one: one["laser_id"])
    return np.degrees([[one["vert_correction"], one["rot_correction"]] for one in lasers])


def turned(difference_deg):
    return np.abs((difference_deg + 180) % 360 - 180)


def test_beams_of_every_turning_sensor_are_those_of_its_file(real_data):
    files = files_of(
        real_data,
        "ouster/*.json",
        "velodyne_*/*.y*ml",
        "nebula_velodyne/*.yaml",
        "hesai_sdk/angle_correction/*Angle*.csv",
        "nebula_hesai/*.csv",
        "../scans/ouster/*.json",
    )
    assert len(files) > 70
    for file in files:
        pattern = pattern_of(file)
        expected = angles_by_hand(file)
        expected = expected[np.argsort(-expected[:, 0], kind="stable")]
        assert pattern.ring.max() + 1 == len(expected), file
        # without fire times, the beams of a column share its heading
        first = pattern.column == pattern.column[0]
        rows = np.argsort(pattern.ring[first])
        elevation_deg = np.degrees(pattern.elevation_rad[first])[rows]
        azimuth_deg = np.degrees(pattern.azimuth_rad[first])[rows]
        assert np.abs(elevation_deg - expected[:, 0]).max() < TOLERANCE_DEG, file
        relative = (azimuth_deg - azimuth_deg[0]) - (expected[:, 1] - expected[0, 1])
        assert turned(relative).max() < TOLERANCE_DEG, file
        heading_deg = azimuth_deg[0] - expected[0, 1]  # of a column: 180 - 360 c / n
        columns = 2048 if file.suffix == ".json" else 1800
        step = (180 - heading_deg) % 360 / (360 / columns)
        assert abs(step - round(step)) < 1e-4, file


def test_what_is_undocumented_says_so(real_data):
    folder = real_data / "lidar_calib/hesai_sdk/angle_correction"
    for name, words in UNDOCUMENTED.items():
        with pytest.raises(ConfigurationError, match=re.escape(words)):
            read_calibration(folder / name)


@pytest.mark.parametrize(
    ("angles", "times", "columns"),
    [
        ("Pandar40P_Angle", "Pandar40P_Firetime", 1800),
        ("Pandar64_Angle", "Pandar64_Firetime", 1800),
        ("Pandar128E3X_Angle", "Pandar128E3X_Firetime", 1800),
        ("Pandar90E3X_Angle", "Pandar90_Firetime", 1800),
        ("PandarQT_Angle", "PandarQT_Firetime", 600),
        ("PandarXT-16_Angle", "PandarXT-16_Firetime", 2000),
        ("PandarXT_Angle", "PandarXT-32_Firetime", 2000),
        ("PandarXT_Angle", "PandarXT_Firetime", 2000),
        ("XT32M2X_Angle", "PandarXT-32M2X_Firetime", 2000),
        ("OT128_Angle", "OT128_Firetime", 1800),
        ("OT128_40_Angle", "OT128_40_Frietime", 1800),
        ("QT128C2X_Angle", "QT128C2X_Firetime", 900),
        ("JT128_Angle", "JT128_Firetime", 900),
        ("Pandar40P_Angle", "Pandar40E3X_Firetime", 1800),
        ("Pandar64_Angle", "Pandar64E3X_Firetime", 1800),
    ],
)
def test_every_firetime_file_gives_lasers_that_fire_one_after_the_other(
    real_data, angles, times, columns
):
    root = real_data / "lidar_calib/hesai_sdk"
    (angle_file,) = root.glob(f"angle_correction/{angles} Correction File.csv")
    (time_file,) = root.glob(f"firetime_correction/{times} Correction File.csv")
    pattern = pattern_of(angle_file, firetime=str(time_file), columns=columns)
    first = np.sort(pattern.time_s[pattern.column == 0])
    assert first[0] == 0.0
    assert 1e-5 < first[-1] < 0.1 / columns


def test_firing_times_of_the_atx_belong_to_no_turning_head(real_data):
    (file,) = real_data.glob("lidar_calib/hesai_sdk/firetime_correction/ATX*.csv")
    with pytest.raises(ConfigurationError, match="expected the header of a Hesai firetime"):
        read_fire_times(file, n_lasers=100)


# --- real scans


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
