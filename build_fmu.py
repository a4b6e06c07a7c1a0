# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Build the FMU from a clone: the same as ``osi-lidar fmu build``, with the same options."""

import sys

try:
    from lidar_app.cli.main import main
except ModuleNotFoundError as error:
    sys.exit(f"build_fmu: {error.name} is not installed: pip install --editable .")

if __name__ == "__main__":
    sys.argv[1:1] = ["fmu", "build"]
    main()
