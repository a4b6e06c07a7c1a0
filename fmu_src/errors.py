# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Exceptions of the FMU: every error that a user or a master can cause.

    FmuError
    ├── InitializationError   initialization fails: parameters, handshake or files are unusable
    ├── CallError             a master's call cannot be followed
    └── BuildError            the FMU cannot be built

Every error text is one line. A step does not fail: an unusable message gives ``valid = false`` and
a line in the log.
"""

from lidar_base.errors import OneLineError


class FmuError(OneLineError):
    """Base class of all errors that a user of the FMU can cause."""


class InitializationError(FmuError):
    """The FMU cannot be initialized with these parameters, this OSMP handshake or these files."""


class CallError(FmuError):
    """The FMU does not offer this call, or not in its state, or not with these arguments."""


class BuildError(FmuError):
    """The FMU cannot be built."""
