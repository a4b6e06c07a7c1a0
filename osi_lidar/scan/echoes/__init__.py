# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Echoes of beams with a footprint, and the receiver that reports them.

Names are imported on first use: ideal sensors need none of this.
"""

from typing import TYPE_CHECKING

from lidar_base.lazy_names import imported_on_use

if TYPE_CHECKING:
    from osi_lidar.scan.echoes.physical import PhysicalExecutor as PhysicalExecutor
    from osi_lidar.scan.echoes.received import ReceivedEchoes as ReceivedEchoes

__getattr__ = imported_on_use(
    __name__,
    {
        "PhysicalExecutor": "physical",
        "ReceivedEchoes": "received",
    },
)
