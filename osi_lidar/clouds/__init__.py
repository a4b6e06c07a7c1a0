# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds: the points of a scan as a record, and as files.

Names are imported on first use.
"""

from typing import TYPE_CHECKING

from lidar_base.lazy_names import imported_on_use

if TYPE_CHECKING:
    from osi_lidar.clouds.conversions import save as save
    from osi_lidar.clouds.conversions import to_open3d as to_open3d
    from osi_lidar.clouds.conversions import to_pandas as to_pandas

__getattr__ = imported_on_use(
    __name__,
    {"save": "conversions", "to_open3d": "conversions", "to_pandas": "conversions"},
)
