# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Every calibration file of the makers gives a sensor, with the angles that the file has."""

import re

import numpy as np
import pytest

from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.reading import read_calibration, read_fire_times
from tests.osi_lidar.sensors.calibration import by_hand
from tests.osi_lidar.sensors.calibration.files import pattern_of

# folder and beginning of a name under lidar_calib: what compares the sensor with the file
CHECKS = (
    (r"hesai_sdk/angle_correction/ATX_.*\.dat", by_hand.check_atx),
    (r"hesai_sdk/angle_correction/ET25_.*\.dat", by_hand.check_et25),
    (r"hesai_sdk/angle_correction/FT120.*\.dat", by_hand.check_ft120),
    (r"hesai_sdk/angle_correction/AT128.*\.dat", by_hand.check_at128),
    (r"nebula_hesai/PandarAT128\.dat.*", by_hand.check_at128),
    (r"(hesai_sdk/angle_correction/.* Angle.*|.*_Angle.*|nebula_hesai/.*)\.csv", None),
    (r"(ouster/.*\.json|velodyne_.*/.*\.ya?ml|nebula_velodyne/.*\.yaml)", None),
    (r"livox/.*\.npy", by_hand.check_livox),
    (r"helios/.*\.xml", by_hand.check_helios),
)
CHANNEL_TABLE = "hesai_sdk/angle_correction/QT128C2X_Channel_Cofig.csv"
FIRETIMES = (
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
    ("AT128E2X_Angle", "AT128E2X_Firetime", None),
    ("ATX_Angle", "ATX_Firetime", None),
)


def files_of(real_data):
    """Return all files, and their names under lidar_calib."""
    root = real_data / "lidar_calib"
    found = {
        file.relative_to(root).as_posix(): file
        for file in sorted(root.rglob("*"))
        if file.is_file()
    }
    assert len(found) > 100
    return found


@pytest.mark.long
def test_every_file_gives_a_sensor_with_its_angles_or_is_the_one_channel_table(real_data):
    checked = []
    for name, file in files_of(real_data).items():
        if name == CHANNEL_TABLE:
            with pytest.raises(
                ConfigurationError, match="holds no angles, expected the angle corr"
            ):
                read_calibration(file)
        elif "/firetime_correction/" in name:
            key = file.name.split(" Correction")[0]
            assert key in {times for _, times, _ in FIRETIMES}, name
        else:
            check = next(check for words, check in CHECKS if re.fullmatch(words, name))
            (check or by_hand.check_turning_head)(file)
            checked.append(name)
    assert len(checked) > 80


def test_beams_of_scans_metadata_are_those_of_the_file(real_data):
    files = sorted((real_data / "scans" / "ouster").glob("*.json"))
    assert files
    for file in files:
        by_hand.check_turning_head(file)


@pytest.mark.parametrize(("angles", "times", "columns"), FIRETIMES)
def test_every_firetime_file_gives_lasers_that_fire_one_after_the_other(
    real_data, angles, times, columns
):
    root = real_data / "lidar_calib/hesai_sdk"
    (angle_file,) = root.glob(f"angle_correction/{angles}[_ ]Correction*File*")
    (time_file,) = root.glob(f"firetime_correction/{times} Correction File.csv")
    keys = {} if columns is None else {"columns": columns}
    pattern = pattern_of(angle_file, firetime=str(time_file), **keys)
    first = np.sort(pattern.time_s[pattern.column == 0])
    assert first[0] == 0.0
    assert 1e-5 < first[-1] < 0.1 / (columns or 1200)


def test_fire_times_of_an_atx_belong_to_no_turning_head(real_data):
    (file,) = real_data.glob("lidar_calib/hesai_sdk/firetime_correction/ATX*.csv")
    with pytest.raises(ConfigurationError, match="expected the header of a Hesai firetime"):
        read_fire_times(file, n_lasers=100)
