# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes the FMU; nothing in here travels inside it."""

from fmu_src.exporter.fmu_file import Built, build_fmu

__all__ = ["Built", "build_fmu"]
