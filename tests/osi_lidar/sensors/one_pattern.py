# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A configuration of one sensor, by the text of its pattern."""

from osi_lidar.config import load_config
from osi_lidar.scan.from_config import pattern_source
from tests.builders.worlds import config_file


def config_of(folder, pattern, **sensor):
    """Return the file of a configuration of one sensor with this pattern, in flow style."""
    more = "".join(f", {key}: {value}" for key, value in sensor.items())
    return config_file(folder, f"sensors: [{{name: s, pattern: {pattern}{more}}}]\n")


def source_of(folder, pattern, **sensor):
    return pattern_source(load_config(config_of(folder, pattern, **sensor)).sensors[0])
