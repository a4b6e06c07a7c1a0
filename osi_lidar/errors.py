# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the sensor model raises for anything that a user can cause.

    OsiLidarError
    ├── ConfigurationError   a configuration file, a sensor, a material: exit code 2
    ├── InputError           what a command was given to read: exit code 2
    ├── OutputError          where a command was told to write: exit code 2
    └── ClusterError         processes that cannot work side by side: exit code 2

The packages below have trees of their own (``raycore.errors``, ``osi_bridge.errors``,
``material_mapping.errors``). Every message is one line: what, where, got, expected.
"""


class OsiLidarError(Exception):
    """Anything that a user of the sensor model can cause."""


class ConfigurationError(OsiLidarError):
    """A configuration that cannot be used: file, key path, got, allowed."""


class InputError(OsiLidarError):
    """An input file that cannot be read."""


class OutputError(OsiLidarError):
    """A place that cannot be written to."""


class ClusterError(OsiLidarError):
    """A cluster of processes that is not there, or is lost."""
