# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Radial velocities of points: how fast their surfaces come nearer to the sensor.

Names are imported on first use: sensors that measure no velocity need none of this.
"""

from typing import TYPE_CHECKING

from lidar_base.lazy_names import imported_on_use

if TYPE_CHECKING:
    from osi_lidar.scan.velocity.meter import VelocityMeter as VelocityMeter
    from osi_lidar.scan.velocity.meter import motion_of as motion_of

__getattr__ = imported_on_use(__name__, {"VelocityMeter": "meter", "motion_of": "meter"})
