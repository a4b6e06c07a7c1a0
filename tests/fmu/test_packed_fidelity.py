# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An ideal sensor's own figures, and none of their defaults, are what an FMU makes physical."""

import pytest

from fmu_src.contents import PACKED_CONFIG
from fmu_src.exporter.packing import pack_scenario
from osi_lidar.config import load_config

PARTS = """sensors:
- preset: OS1-128
  beam: {divergence_deg: 0.2}
  noise: {range_sigma_m: 0.01}
  receiver: {ambient_lux: 50000}
"""


@pytest.mark.parametrize("fidelity", ["ideal", "physical"])
def test_a_packed_configuration_has_the_sensor_of_its_file(tmp_path, fidelity):
    (tmp_path / "parts.yaml").write_text(PARTS)
    pack_scenario(tmp_path / "parts.yaml", tmp_path / "resources")
    packed = load_config(tmp_path / "resources" / PACKED_CONFIG, fidelity=fidelity)
    assert packed.sensors == load_config(tmp_path / "parts.yaml", fidelity=fidelity).sensors
