# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The key `velocity` of a sensor: a switch or a section, and one line for anything else."""

import pytest

from osi_lidar.config import load_config
from osi_lidar.errors import ConfigurationError
from tests.builders.files import written


def sensor_with(folder, velocity):
    """Return the sensor of a configuration file that has this text as its velocity."""
    text = f"sensors: [{{preset: VLP-16, velocity: {velocity}}}]\n"
    return load_config(written(folder / "config.yaml", text)).sensors[0]


def test_a_switch_or_a_section(tmp_path):
    assert sensor_with(tmp_path, "true").velocity is True
    assert sensor_with(tmp_path, "false").velocity is False
    section = sensor_with(tmp_path, "{sigma_m_s: 0.1}").velocity
    assert (section.sigma_m_s, section.ambiguity_m_s) == (0.1, None)


@pytest.mark.parametrize(
    ("velocity", "told"),
    [
        ("3", "velocity: expected true or false, got 3"),
        ("{sigma: 1}", "velocity.sigma: unknown key, did you mean 'sigma_m_s'?"),
        ("{ambiguity_m_s: 0}", "ambiguity_m_s: must be greater than or equal to 0.1, got 0"),
        ("{sigma_m_s: .nan}", "sigma_m_s: expected a finite number"),
    ],
)
def test_anything_else_is_refused_in_one_line(tmp_path, velocity, told):
    with pytest.raises(ConfigurationError) as refused:
        sensor_with(tmp_path, velocity)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)
