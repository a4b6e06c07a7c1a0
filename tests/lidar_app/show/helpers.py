# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensors whose reports are shown."""

from osi_lidar.config import Config


def sensor_of(limit="preset", **keys):
    """Return the configuration of an OS1-128 with a range limit."""
    config = Config.model_validate(
        {"sensors": [{"preset": "OS1-128", "range_limit": limit, **keys}]}
    )
    return config.sensors[0]
