# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A scenario that travels takes the makers' files of its sensors along."""

import json

import numpy as np

from fmu_src.exporter.packing import pack_scenario
from osi_lidar.scan.from_config import scan_pattern
from tests.osi_lidar.sensors.calibration.files import ouster


def test_a_packed_sensor_shoots_the_beams_of_its_calibration(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    file = ouster(home, name="unit 7.json")
    config = home / "config.yaml"
    config.write_text(json.dumps({"sensors": [{"calibration": "unit 7.json"}]}))
    packed, _ = pack_scenario(config, tmp_path / "resources")
    (sensor,) = packed.sensors
    assert sensor.calibration.is_relative_to(tmp_path / "resources")
    file.unlink()
    pattern = scan_pattern(sensor)
    assert pattern.n_beams == 4 * 512
    np.testing.assert_allclose(np.degrees(pattern.elevation_rad.max()), 10.0)
