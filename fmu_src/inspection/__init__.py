# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What an FMU holds, read from its file without running it; imports no packages but PyYAML."""

from fmu_src.inspection.info import FmuInfo, read_info

__all__ = ["FmuInfo", "read_info"]
