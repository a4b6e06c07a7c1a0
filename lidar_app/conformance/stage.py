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
    """Coordinates in which a scene places objects, independent of the mounting of the sensor.

    The origin is on the ground below the sensor. The host is placed and turned so that the azimuth
    0 of the sensor points along x, or has the angle `turn_rad` to x. The sensor keeps the pitch and
    roll of its mounting.

    Parameters
    ----------
    sheet : DataSheet
        Data sheet of the subject.
    turn_rad : float
        Angle by which host and sensor are turned about the vertical through the sensor. [rad]
    offset_m : tuple of float
        Shift of host, sensor and objects in the world. [m]
    """

    sheet: DataSheet
    turn_rad: float = 0.0
    offset_m: Vector = (0.0, 0.0, 0.0)

    @property
    def host(self) -> HostPose:
        """Pose of the host's rear axle, from the mounting of the sensor."""
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
        """A distance well within the sheet's range limits, where scenes place most objects [m]."""
        low, high = self.sheet.range_m
        return min(max(10.0, 2.0 * low), 0.4 * high)

    @property
    def widest_deg(self) -> float:
        """Greatest azimuth that the sensor sees both to the left and right, at most 60 [deg]."""
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
        """Return a box at rest.

        Parameters
        ----------
        number : int
            Number of the object in the scene; its OSI id is `FIRST_ID` + `number`.
        x_m : float
            x of the front face, which is the one towards the sensor. [m]
        y_m : float
            y of the centre. [m]
        size_m : (float, float, float)
            Length along x, width along y, and height. [m]
        z_m : float, optional
            Height of the centre above the ground; default: the height of the sensor. [m]

        Returns
        -------
        BoxObject
            A StationaryObject with yaw 0, in the world: `offset_m` is added to the position.
        """
        ox, oy, oz = self.offset_m
        height_m = self.sensor_z_m if z_m is None else z_m
        place = ox + x_m + 0.5 * size_m[0], oy + y_m, oz + height_m
        return BoxObject(FIRST_ID + number, place, 0.0, size_m, "stationary_object")

    def wall(self, number: int, x_m: float, yaw_rad: float = 0.0) -> BoxObject:
        """Return a wall at rest across the x axis, as wide as the field of view (at most 90 deg).

        Parameters
        ----------
        number : int
            Number of the object in the scene; its OSI id is `FIRST_ID` + `number`.
        x_m : float
            x of the face towards the sensor, before the wall is turned; also the height of the
            wall, whose centre is as high as the sensor. [m]
        yaw_rad : float
            Angle by which the wall is turned about the vertical through its centre. [rad]

        Returns
        -------
        BoxObject
            A StationaryObject, 0.5 m thick.
        """
        width_m = 2.0 * x_m * math.tan(math.radians(min(self.widest_deg, 45.0)))
        return replace(self.box(number, x_m, 0.0, (0.5, width_m, x_m)), yaw_rad=yaw_rad)

    def still(self, *things: BoxObject, n: int = N_STILL) -> list[BenchMoment]:
        """Return `n` moments of a world at rest, one period of the sensor apart, from the time 0.

        `things` are all objects except the host.
        """
        return [self.moment(index, *things) for index in range(n)]

    def moment(self, index: int, *things: BoxObject) -> BenchMoment:
        """Return a `BenchMoment` whose time is `index` periods of the sensor after the time 0.

        `things` are all objects except the host, which stands at its pose `host`.
        """
        return BenchMoment(time_ns=index * self.sheet.period_ns, things=things, host=self.host)


def moving(box: BoxObject, velocity_m_s: Vector | None = None) -> BoxObject:
    """Return a copy of a box as a MovingObject of the type "other".

    `box` is a BoxObject. `velocity_m_s` is its velocity (x, y, z) in the world [m/s], as messages
    state it; None: messages state no velocity. The position is not changed by it.
    """
    return replace(box, kind="moving_object", osi_type=OTHER, velocity_m_s=velocity_m_s)
