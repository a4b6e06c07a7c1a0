# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Placing of objects in front of the sensor, for any mounting."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.asking import FIRST_ID, BenchMoment, HostPose
from osi_bridge import rotation_from_orientation
from osi_bridge.bench import BoxObject

if TYPE_CHECKING:
    from lidar_app.conformance.sheet import DataSheet

    Vector = tuple[float, float, float]

N_STILL = 3
"""Number of messages of a world at rest: a scan may depend on earlier messages."""
OTHER = 1
"""OSI's MovingObject.TYPE_OTHER, so that no model draws the object as a car."""
AXLE_Z_M = 0.3


@dataclass(frozen=True)
class Stage:
    """Coordinates of a scene: the sensor is above the origin and, without its tilt, looks along x.

    Parameters
    ----------
    sheet : DataSheet
        Data sheet of the subject.
    turn_rad : float
        Turn of host and sensor about the vertical through the sensor. [rad]
    offset_m : tuple of float
        Shift of the whole world. [m]
    """

    sheet: DataSheet
    turn_rad: float = 0.0
    offset_m: Vector = (0.0, 0.0, 0.0)

    @property
    def host(self) -> HostPose:
        """Pose of the host."""
        yaw = self.turn_rad - self.sheet.orientation_rad[2]
        x_m, y_m, _ = rotation_from_orientation((0.0, 0.0, yaw)) @ np.asarray(self.sheet.position_m)
        ox, oy, oz = self.offset_m
        return HostPose((ox - float(x_m), oy - float(y_m), oz + AXLE_Z_M), (0.0, 0.0, yaw))

    @property
    def sensor_z_m(self) -> float:
        """Height of the sensor above the ground [m]."""
        return AXLE_Z_M + self.sheet.position_m[2]

    @property
    def near_m(self) -> float:
        """A distance at which every claim of the sheet holds [m]."""
        low, high = self.sheet.range_m
        return min(max(10.0, 2.0 * low), 0.4 * high)

    @property
    def widest_deg(self) -> float:
        """Azimuth that the sensor sees to either side, at most 60 deg."""
        low, high = self.sheet.field_of_view.azimuth_deg
        return min(-low, high, 60.0)

    def box(
        self,
        number: int,
        x_m: float,
        y_m: float = 0.0,
        size_m: Vector = (0.5, 2.0, 2.0),
        *,
        z_m: float | None = None,
    ) -> BoxObject:
        """Return a box at rest whose front face is at x; z is the height of its centre.

        By default, the centre is as high as the sensor. `number`, from 0, gives the box its id.
        """
        ox, oy, oz = self.offset_m
        height_m = self.sensor_z_m if z_m is None else z_m
        place = ox + x_m + 0.5 * size_m[0], oy + y_m, oz + height_m
        return BoxObject(FIRST_ID + number, place, 0.0, size_m, "stationary_object")

    def wall(self, number: int, x_m: float, yaw_rad: float = 0.0) -> BoxObject:
        """Return a wall across x that nearly fills the field of view."""
        width_m = 2.0 * x_m * math.tan(math.radians(min(self.widest_deg, 45.0)))
        return replace(self.box(number, x_m, 0.0, (0.5, width_m, x_m)), yaw_rad=yaw_rad)

    def still(self, *things: BoxObject, n: int = N_STILL) -> list[BenchMoment]:
        """Return moments of a world at rest, one each period of the sensor."""
        return [self.moment(index, *things) for index in range(n)]

    def moment(self, index: int, *things: BoxObject) -> BenchMoment:
        """Return the moment with this index; moments are one period of the sensor apart."""
        return BenchMoment(time_ns=index * self.sheet.period_ns, things=things, host=self.host)


def moving(box: BoxObject, velocity_m_s: Vector | None = None) -> BoxObject:
    """Return a box as a moving object; messages state its velocity [m/s] unless it is None."""
    return replace(box, kind="moving_object", osi_type=OTHER, velocity_m_s=velocity_m_s)
