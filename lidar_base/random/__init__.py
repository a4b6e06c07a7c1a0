# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Random numbers that are functions of a key and a counter.

Names are imported on first use: reading a configuration needs at most one draw, and no kernels.
"""

from typing import TYPE_CHECKING

from lidar_base.lazy_names import imported_on_use

if TYPE_CHECKING:
    from lidar_base.random.draws import Draws as Draws
    from lidar_base.random.random_kernels import UNIT as UNIT

__getattr__ = imported_on_use(__name__, {"Draws": "draws", "UNIT": "random_kernels"})
