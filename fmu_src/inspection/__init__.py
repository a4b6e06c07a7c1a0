# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of an FMU, read from its file without running it; the only package needed is PyYAML."""

from fmu_src.inspection.info import FmuInfo, read_info

__all__ = ["FmuInfo", "read_info"]
