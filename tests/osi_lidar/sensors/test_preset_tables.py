# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the sensor presets against the calibration files that they were read from."""

import json
import math

import numpy as np
import pytest
import yaml

from osi_lidar.config import Sensor
from osi_lidar.scan.from_config import scan_pattern
from osi_lidar.sensors.calibration.reading import read_calibration, read_fire_times
from osi_lidar.sensors.presets import load_preset


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("VLP-16", "VLP16db.yaml"),
        ("Puck-HiRes", "VLP16_hires_db.yaml"),
        ("HDL-32E", "32db.yaml"),
    ],
)
def test_velodyne_tables_are_those_of_the_driver(real_data, name, file):
    text = (real_data / "lidar_calib" / "velodyne_ros" / file).read_text(encoding="utf-8")
    calibration = yaml.safe_load(text)
    lasers = sorted(calibration["lasers"], key=lambda laser: laser["laser_id"])
    elevation_deg = np.degrees([laser["vert_correction"] for laser in lasers])
    preset = load_preset(name)
    np.testing.assert_allclose(preset.channels.elevation_deg, elevation_deg, atol=1e-3)
    assert all(laser["rot_correction"] == 0 for laser in lasers)
    assert preset.channels.azimuth_offset_deg == ()
    assert preset.range_resolution_m == calibration["distance_resolution"]


@pytest.mark.parametrize(
    ("name", "table", "file"),
    [
        ("VLP-32C", "channels", "velodyne_ros/VeloView-VLP-32C.yaml"),
        ("VLS-128", "channels", "velodyne_ros/VLS128.yaml"),
        ("Pandar40P", "channels", "hesai_sdk/angle_correction/Pandar40P_Angle Correction File.csv"),
        ("Pandar64", "channels", "hesai_sdk/angle_correction/Pandar64_Angle Correction File.csv"),
        (
            "Pandar128",
            "channels",
            "hesai_sdk/angle_correction/Pandar128E3X_Angle Correction File.csv",
        ),
        ("QT128", "channels", "hesai_sdk/angle_correction/QT128C2X_Angle Correction File.csv"),
        ("AT128", "channels", "nebula_hesai/PandarAT128.csv"),
        ("XT32", "channels", "hesai_sdk/angle_correction/PandarXT_Angle Correction File.csv"),
        ("OS0-32", "channels", "ouster/1_14_6cccd_os-882002000138-32U0_legacy.json"),
        ("OS1-32", "channels", "ouster/2_0_rc2_os-992011000121-32U0_legacy.json"),
        ("OS0-128", "channels", "ouster/1_14_6cccd_os-882002000138-128_legacy.json"),
        ("OS1-128-Rev7", "channels", "ouster/3_0_1_os-122246000293-128.json"),
        (
            "OS0-128",
            "calibrated_example",
            "../scans/ouster/OS-0-128-U1_v2.3.0_1024x10.json",
        ),
    ],
)
def test_tables_are_those_of_the_makers_files(real_data, name, table, file):
    calibration = read_calibration(real_data / "lidar_calib" / file)
    channels = getattr(load_preset(name), table)
    elevation_deg, offset_deg = channels.elevation_deg, np.degrees(channels.azimuth_offset_rad())
    np.testing.assert_allclose(elevation_deg, np.degrees(calibration.elevation_rad), atol=1e-4)
    np.testing.assert_allclose(
        np.broadcast_to(offset_deg, len(elevation_deg)),
        np.degrees(calibration.azimuth_offset_rad),
        atol=1e-4,
    )


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Pandar40P", "Pandar40P"),
        ("Pandar64", "Pandar64"),
        ("Pandar128", "Pandar128E3X"),
        ("XT32", "PandarXT-32"),
        ("XT32M", "PandarXT-32M2X"),
        ("QT128", "QT128C2X"),
        ("AT128", "AT128E2X"),
    ],
)
def test_firing_times_are_those_of_the_makers_files(real_data, name, file):
    folder = real_data / "lidar_calib/hesai_sdk/firetime_correction"
    preset = load_preset(name)
    time_s = read_fire_times(
        folder / f"{file}_Firetime Correction File.csv", n_lasers=preset.n_channels
    )
    sweep = preset.sweep()
    phase = preset.firing_phase(sweep)
    np.testing.assert_allclose(phase * sweep.column_s, time_s, atol=3e-9)


def test_lasers_of_a_units_file_take_turns_as_the_presets(real_data):
    file = real_data / "lidar_calib" / "nebula_hesai" / "PandarQT128.csv"
    unit = scan_pattern(Sensor.model_validate({"preset": "QT128", "calibration": str(file)}))
    design = load_preset("QT128").pattern()
    np.testing.assert_array_equal(unit.ring, design.ring)
    np.testing.assert_array_equal(unit.column, design.column)
    np.testing.assert_allclose(unit.azimuth_rad, design.azimuth_rad, atol=2e-6)


def test_beams_of_the_at128_are_those_of_a_unit_but_for_its_own_corrections(real_data):
    folder = real_data / "lidar_calib"
    keys = {
        "calibration": str(folder / "nebula_hesai" / "PandarAT128.dat"),
        "firetime": str(
            folder / "hesai_sdk/firetime_correction/AT128E2X_Firetime Correction File.csv"
        ),
    }
    unit = scan_pattern(Sensor.model_validate(keys))
    design = load_preset("AT128").pattern()
    assert design.n_beams == unit.n_beams
    by_beam = (np.lexsort((each.column, each.ring)) for each in (design, unit))
    ours, theirs = by_beam
    np.testing.assert_allclose(design.time_s[ours], unit.time_s[theirs], atol=2e-8)
    azimuth_deg = np.degrees(design.azimuth_rad[ours] - unit.azimuth_rad[theirs])
    elevation_deg = np.degrees(design.elevation_rad[ours] - unit.elevation_rad[theirs])
    # the file corrects azimuths by -0.84 to 0.46 deg and elevations by up to 0.46 deg
    assert np.abs(azimuth_deg).max() < 1.0
    assert np.abs(elevation_deg).max() < 0.5
    assert np.abs(np.median(azimuth_deg)) < 0.1


@pytest.mark.parametrize(
    ("name", "table", "file"),
    [
        ("OS1-16", "calibrated_example", "1_13_os1-991937000062-16A0_legacy.json"),
        ("OS1-64", "calibrated_example", "1_13_os1-991913000010-64.json"),
        ("OS1-128", "channels", "2_0_0_os1-992008000494-128_col_win_legacy.json"),
    ],
)
def test_ouster_tables_are_those_of_the_metadata(real_data, name, table, file):
    text = (real_data / "lidar_calib" / "ouster" / file).read_text(encoding="utf-8")
    metadata = json.loads(text)
    beams = metadata.get("beam_intrinsics", metadata)
    elevation_deg = np.array(beams["beam_altitude_angles"])
    azimuth_deg = np.array(beams["beam_azimuth_angles"])
    filled = (elevation_deg != 0) | (azimuth_deg != 0)  # an OS1-16 has 64 rows, 48 of them zeros
    channels = getattr(load_preset(name), table)
    np.testing.assert_allclose(channels.elevation_deg, elevation_deg[filled], atol=1e-4)
    np.testing.assert_allclose(channels.azimuth_offset_deg, azimuth_deg[filled], atol=1e-4)


def test_ouster_sign_agrees_with_the_pixel_shift_of_the_metadata(real_data):
    # The maker shifts each row to later columns until all rows of a column look the same way. So
    # a row that is shifted by s columns looks s columns further along the sweep, to the right.
    file = real_data / "lidar_calib/ouster/2_0_0_os1-992008000494-128_col_win_legacy.json"
    shift = json.loads(file.read_text(encoding="utf-8"))["data_format"]["pixel_shift_by_row"]
    ahead = load_preset("OS1-128").pattern(columns=2048).azimuth_rad.reshape(128, 2048)[:, 1024]
    to_the_right = np.round(-ahead * 2048 / (2 * math.pi))
    np.testing.assert_array_equal(to_the_right - to_the_right.min(), shift)  # counted from 0


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("OS1-16", "1_13_os1-991937000062-16A0_legacy.json"),
        ("OS1-64", "1_13_os1-991913000010-64.json"),
        ("OS0-128", "../../scans/ouster/OS-0-128-U1_v2.3.0_1024x10.json"),
    ],
)
def test_calibrated_intrinsics_of_a_preset_are_those_of_the_units_file(real_data, name, file):
    def beams(**keys):
        return scan_pattern(Sensor.model_validate({"preset": name, "columns": 1024, **keys}))

    path = real_data / "lidar_calib" / "ouster" / file
    of_preset, of_file = beams(intrinsics="calibrated"), beams(calibration=str(path))
    np.testing.assert_allclose(of_preset.elevation_rad, of_file.elevation_rad, atol=2e-6)
    np.testing.assert_allclose(of_preset.azimuth_rad, of_file.azimuth_rad, atol=2e-6)


@pytest.mark.parametrize("name", ["OS1-16", "OS1-64"])
def test_nominal_table_is_near_the_calibrated_example(name):
    # units scatter around the design: all rows tilted alike by up to 0.35 deg, azimuth 0.25 deg
    preset = load_preset(name)
    nominal = preset.pattern()
    unit = preset.pattern(lasers=preset.calibrated_example)
    assert np.abs(np.degrees(nominal.elevation_rad - unit.elevation_rad)).max() < 0.35
    turn = np.degrees(nominal.azimuth_rad - unit.azimuth_rad)
    assert np.abs((turn + 180) % 360 - 180).max() < 0.25
