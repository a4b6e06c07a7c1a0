# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the FMU raises for anything that a user or a master can cause.

    FmuError
    ├── InitializationError   the FMU cannot be used as it was set up: initialization fails
    └── BuildError            an FMU that cannot be built

Every message is one line. In a step nothing is raised: a message that cannot be used gives
``valid = false`` and a line in the log.
"""


class FmuError(Exception):
    """Anything that a user of the FMU can cause."""


class InitializationError(FmuError):
    """Parameters, a handshake or files with which the FMU cannot run."""


class BuildError(FmuError):
    """An FMU that cannot be built."""
