# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Run the command line as ``python -m osi_lidar``."""

from lidar_app.cli.main import main

if __name__ == "__main__":
    main()
