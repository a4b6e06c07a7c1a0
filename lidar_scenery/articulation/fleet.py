# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How the wheels of vehicles roll and steer, for many vehicles at once.

A wheel at x, y from the centre of the box moves with the vehicle. The vehicle turns about the
middle of its unsteered axles, x_r, and k is the curvature of its path. Then the heading of a
steered wheel is

    tan(delta) = k (x - x_r) / (1 - k y)

(Ackermann's condition: the wheels' axes meet in the centre of the turn [1]_). A wheel rolls by the
distance that it moves along its heading, divided by its radius: no slip along the heading.

References
----------
.. [1] R. Rajamani, Vehicle Dynamics and Control, 2nd ed., Springer 2012, section 2.2,
   doi:10.1007/978-1-4614-1433-9
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from osi_bridge import rotation_from_orientation, wheel_motions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_scenery.articulation.records import Floats, Heard, Travel
    from osi_bridge import WheelMotion

MOST_STEER_RAD = 0.8
"""Largest steering angle: on the inside of a turn, buses and vans reach 0.9, cars 0.7. [rad]"""
TURN_RAD = 2.0
"""Largest turn of a wheel in one interval of a scan; half a turn would be ambiguous. [rad]"""
MOST_INTERVALS = 1000
"""Largest number of intervals that a scan is divided into. With it, a wheel turns by at most 2000
rad per scan; wheels that turn more get velocities that are too low."""
_SAME_WHEEL_M = 0.5  # a stated wheel is the nearest one within this distance
_ANGLE, _STEER, _CAMBER, _RATE = range(4)  # rows of the state


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Fleet:
    """The body and the wheels of n vehicles that have equally many wheels, computed at once.

    A fleet implements the interface `Company`. The state of a vehicle is 4 n_wheel numbers: the
    angles by which the wheels have rolled [rad], the headings of the wheels relative to the vehicle
    [rad], their cambers [rad], and their rates of rotation [rad/s], n_wheel numbers of each.

    Attributes
    ----------
    hub_m : float64 (n, n_wheel, 3)
        Centres of the wheels, relative to the centre of the vehicle's box. [m]
    radius_m : float64 (n, n_wheel)
        Radii of the wheels. [m]
    steers : bool (n, n_wheel)
        Whether a wheel is steered.
    turns_about_m : float64 (n, 1)
        x of the point about which the vehicle turns, relative to the centre of the box. [m]
    body_m : float64 (n, 3)
        Origin of the body's frame, relative to the centre of the box. [m]
    """

    hub_m: Floats
    radius_m: Floats
    steers: np.ndarray
    turns_about_m: Floats
    body_m: Floats

    def advance_together(self, before: Floats | None, heard: Sequence[Heard]) -> Floats:
        """Return the states of n vehicles at a message, float64 (n, 4 n_wheel); see the class.

        Wheels roll by the distance travelled and steer by the curvature of the path, unless the
        message states the motion of a wheel.

        Parameters
        ----------
        before : float64 (n, 4 n_wheel) or None
            States at the previous message; None if none of the n vehicles had a state yet.
        heard : sequence of Heard
            For each vehicle, its motion from the previous message to this one.
        """
        shape = len(heard), 4, self.radius_m.shape[1]
        old = np.zeros(shape) if before is None else before.reshape(shape)
        new = np.zeros(shape)
        way, turned, duration, curvature = np.array(
            [(each.way_m, each.turned_rad, each.duration_s, each.curvature_per_m) for each in heard]
        ).T[:, :, None]
        new[:, _STEER] = self.steer_rad(curvature)
        steer_rad = 0.5 * (old[:, _STEER] + new[:, _STEER])
        rolled = self._way_m(way, turned, steer_rad) / self.radius_m
        new[:, _ANGLE] = old[:, _ANGLE] + rolled
        new[:, _RATE] = np.divide(rolled, duration, out=old[:, _RATE].copy(), where=duration > 0.0)
        for n, each in enumerate(heard):
            for wheel in wheel_motions(each.frame, each.row):
                at = self._wheel_at(n, wheel.center_m)
                if at is not None:
                    known = None if before is None else old[n, :, at]
                    _follow(wheel, known, new[n, :, at], each.duration_s)
        return new.reshape(len(heard), -1)

    def steer_rad(self, curvature_per_m: Floats | float) -> Floats:
        """Return the headings of all wheels, (n, n_wheel) [rad]; 0 for unsteered wheels.

        `curvature_per_m` is the curvature of each vehicle's path, (n, 1), or one number. [1/m]
        """
        ahead = curvature_per_m * (self.hub_m[..., 0] - self.turns_about_m)
        angle = np.arctan(ahead / np.maximum(1.0 - curvature_per_m * self.hub_m[..., 1], 1e-3))
        return np.where(self.steers, np.clip(angle, -MOST_STEER_RAD, MOST_STEER_RAD), 0.0)

    def _way_m(self, way_m: Floats, turned_rad: Floats, steer_rad: Floats) -> Floats:
        """Return the distance [m] that each wheel (n, n_wheel) has moved along its heading."""
        forward = way_m - self.hub_m[..., 1] * turned_rad
        aside = (self.hub_m[..., 0] - self.turns_about_m) * turned_rad
        way: Floats = forward * np.cos(steer_rad) + aside * np.sin(steer_rad)
        return way

    def _wheel_at(self, vehicle: int, center_m: tuple[float, float]) -> int | None:
        """Return the index of the wheel nearest to a place; None if none is within 0.5 m."""
        apart_m = np.hypot(*(self.hub_m[vehicle, :, :2] - center_m).T)
        at = int(apart_m.argmin())
        return None if apart_m[at] > _SAME_WHEEL_M else at

    def n_interval(self, travel: Travel) -> int:
        """Return the number of equal intervals to divide a scan into, 1 to `MOST_INTERVALS`.

        Parts move at constant velocity within an interval, so a wheel turns by at most `TURN_RAD`
        in it. The vehicle whose wheel turns most determines the number.

        Parameters
        ----------
        travel : Travel
            States of the vehicles at the messages around the scan. If ``travel.shown`` is true (the
            poses are for rays that hit the wheels), the result is 1: rays hit a round wheel at the
            same places whatever its angle.
        """
        if travel.shown:
            return 1
        angle = travel.by_object(travel.state[:, : self.radius_m.shape[1]])
        turned = float(np.abs(np.diff(angle, axis=1)).sum(axis=1).max(initial=0.0))
        return min(max(1, math.ceil(turned / TURN_RAD)), MOST_INTERVALS)

    def poses(self, travel: Travel) -> Floats:
        """Return the poses object_from_part of body and wheels, (n_row, 1 + n_wheel, 4, 4) [m].

        Parameters
        ----------
        travel : Travel
            States of the vehicles. It has n_row rows, one for each instant of the first vehicle,
            then of the next one. If ``travel.shown`` is true (the poses are for rays that hit the
            wheels), a wheel has the angle of the last instant at all instants.
        """
        n, n_wheel = len(travel.state), self.radius_m.shape[1]
        each = n // travel.n_object
        state = travel.state.reshape(n, 4, n_wheel).copy()
        if travel.shown:
            state[:, _ANGLE] = np.repeat(state[each - 1 :: each, _ANGLE], each, axis=0)
        sin, cos = np.sin(state[:, :_RATE]), np.cos(state[:, :_RATE])
        sin_a, cos_a = sin[:, _ANGLE], cos[:, _ANGLE]
        sin_s, cos_s = sin[:, _STEER], cos[:, _STEER]
        sin_c, cos_c = sin[:, _CAMBER], cos[:, _CAMBER]
        found = np.zeros((n, 1 + n_wheel, 4, 4))
        found[:, :] = np.eye(4)
        found[:, 0, :3, 3] = np.repeat(self.body_m, each, axis=0)
        wheel = found[:, 1:]  # Rz(steer) Rx(camber) Ry(angle)
        wheel[..., 0, 0] = cos_s * cos_a - sin_s * sin_c * sin_a
        wheel[..., 0, 1] = -sin_s * cos_c
        wheel[..., 0, 2] = cos_s * sin_a + sin_s * sin_c * cos_a
        wheel[..., 1, 0] = sin_s * cos_a + cos_s * sin_c * sin_a
        wheel[..., 1, 1] = cos_s * cos_c
        wheel[..., 1, 2] = sin_s * sin_a - cos_s * sin_c * cos_a
        wheel[..., 2, 0] = -cos_c * sin_a
        wheel[..., 2, 1] = sin_c
        wheel[..., 2, 2] = cos_c * cos_a
        wheel[..., :3, 3] = np.repeat(self.hub_m, each, axis=0)
        return found


def _follow(wheel: WheelMotion, old: Floats | None, new: Floats, duration_s: float) -> None:
    """Write the motion of a wheel that a message states into `new`; `old` is the state before.

    A stated orientation takes precedence. But a pitch of exactly 0 means that the simulator does
    not turn the wheel: it then rolls by its rotation rate, or else by the distance travelled.
    """
    rate = wheel.rotation_rate_rad_s
    if rate is not None:
        angle, before = (0.0, rate) if old is None else old[[_ANGLE, _RATE]].tolist()
        new[_ANGLE] = angle + 0.5 * (before + rate) * duration_s
        new[_RATE] = rate
    if wheel.orientation_rad is None:
        return
    r = rotation_from_orientation(wheel.orientation_rad)
    new[_STEER] = math.atan2(-r[0, 1], r[1, 1])
    new[_CAMBER] = math.atan2(r[2, 1], math.hypot(r[0, 1], r[1, 1]))
    if wheel.orientation_rad[1] != 0.0:
        rolled = math.atan2(-r[2, 0], r[2, 2])
        new[_ANGLE] += math.remainder(rolled - new[_ANGLE], 2.0 * math.pi)
