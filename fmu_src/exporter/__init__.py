# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Builder of FMUs; not part of an FMU itself."""

from fmu_src.exporter.fmu_file import Built, build_fmu

__all__ = ["Built", "build_fmu"]
