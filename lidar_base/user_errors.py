# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Exceptions of the sensor model, for errors that a user can cause.

    OsiLidarError
    ├── ConfigurationError   a configuration file, a sensor, a material: exit code 2
    ├── InputError           an input file or a command-line option: exit code 2
    ├── OutputError          an output file or folder: exit code 2
    └── ClusterError         worker processes that cannot be used: exit code 2

``raycore.errors``, ``osi_bridge.errors`` and ``material_mapping.errors`` have hierarchies of their
own. Every message is one line: what, where, got, expected.
"""


class OsiLidarError(Exception):
    """Base class of all errors that a user of the sensor model can cause."""


class ConfigurationError(OsiLidarError):
    """A configuration that cannot be used: file, key path, got, allowed."""


class InputError(OsiLidarError):
    """An input file that cannot be read, or an option that cannot be used."""


class OutputError(OsiLidarError):
    """An output file or folder that cannot be written."""


class ClusterError(OsiLidarError):
    """A cluster of processes that cannot be started or reached, or that was lost."""
