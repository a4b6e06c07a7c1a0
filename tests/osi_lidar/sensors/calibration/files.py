# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Small files as makers write them."""

import json

import numpy as np
import yaml

from osi_lidar.config import Sensor
from osi_lidar.scan.from_config import scan_pattern
from tests.builders.files import written

TO_SENSOR_MM = [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 36.18, 0, 0, 0, 1]


def ouster(folder, *, layout="old", name="ouster.json", **changes):
    """Write metadata of a sensor with four lasers, 512 columns at 10 Hz; return its path."""
    beams = {
        "beam_altitude_angles": [10.0, 3.5, -2.0, -15.0],
        "beam_azimuth_angles": [4.2, 1.4, -1.4, -4.2],
        "lidar_origin_to_beam_origin_mm": 15.806,
    }
    top = {"lidar_mode": "512x10", "prod_line": "OS-1-4", "lidar_to_sensor_transform": TO_SENSOR_MM}
    data = {**beams, **top, **changes}
    data = {key: value for key, value in data.items() if value is not None}
    if layout == "new":
        section = {
            "beam_intrinsics": set(beams) | {"beam_to_lidar_transform"},
            "lidar_intrinsics": {"lidar_to_sensor_transform"},
            "config_params": {"lidar_mode"},
            "sensor_info": {"prod_line"},
        }
        data = {
            name: {key: data.pop(key) for key in keys & data.keys()}
            for name, keys in section.items()
        } | {key.replace("data_format", "lidar_data_format"): data[key] for key in data}
    return written(folder / name, json.dumps(data))


def velodyne(folder, lasers, *, name="velodyne.yaml", **changes):
    """Write a calibration of lasers, each a mapping without its id; return its path."""
    numbered = [{"laser_id": index, **laser} for index, laser in enumerate(lasers)]
    content = {"lasers": numbered, "num_lasers": len(lasers), **changes}
    return written(folder / name, yaml.safe_dump(content))


def text(folder, content, *, name="file.csv"):
    return written(folder / name, content)


def pattern_of(file, **keys):
    """Return the scan pattern of a sensor with this calibration."""
    return scan_pattern(Sensor.model_validate({"calibration": str(file), **keys}))


def at_column(pattern, column):
    """Return the beams of one column, by ring."""
    beams = np.flatnonzero(pattern.column == column)
    return beams[np.argsort(pattern.ring[beams])]
