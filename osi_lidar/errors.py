# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Exceptions of the sensor model, for errors that a user can cause: `lidar_base.errors`."""

from lidar_base.errors import (
    ClusterError,
    ConfigurationError,
    InputError,
    OsiLidarError,
    OutputError,
)

__all__ = ["ClusterError", "ConfigurationError", "InputError", "OsiLidarError", "OutputError"]
