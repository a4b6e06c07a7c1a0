# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicles whose wheels roll and steer (docs/articulation.md).

A wheel at x, y from the centre of the box moves with the vehicle. Where it turns about the middle
of its unsteered axles at x_r, with the curvature k of its way, the wheel's heading is

    tan(delta) = k (x - x_r) / (1 - k y)

(Ackermann's condition, with the wheels' axes meeting in the centre of the turn [1]_). It rolls by
its way along that heading, divided by its radius: no slip along the heading.

References
----------
.. [1] R. Rajamani, Vehicle Dynamics and Control, 2nd ed., Springer 2012, section 2.2,
   doi:10.1007/978-1-4614-1433-9
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery import shapes
from lidar_scenery.articulation.wheel_parts import wheel_parts
from lidar_scenery.shapes.meshes import mesh_of
from lidar_scenery.shapes.vehicles.ridden import RIDDEN
from osi_bridge import rotation_from_orientation, wheel_motions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_scenery.articulation.records import Floats, Heard, Travel
    from lidar_scenery.shapes.catalogue import Wanted
    from lidar_scenery.shapes.solids import SolidModel
    from osi_bridge import WheelMotion
    from raycore.mesh.mesh import Mesh

MOST_STEER_RAD = 0.8
"""Wheels steer no further: buses and vans reach about 0.9 inside of a turn, cars 0.7. [rad]"""
TURN_RAD = 2.0
"""Most turn of a wheel between two instants of a scan; half a turn would be ambiguous. [rad]"""
MOST_INTERVALS = 1000
"""Limit on their number: 2000 rad; velocities of wheels that turn further are too low."""
_ONE_AXLE_M = 0.4  # wheels whose centres are nearer along x share an axle
_SAME_WHEEL_M = 0.5  # a stated wheel is the nearest one within this distance
_UNSTEERED = ("trailer", "semitrailer", "work_machine", "wheelchair")
_ANGLE, _STEER, _CAMBER, _RATE = range(4)  # rows of the state


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WheeledVehicle:
    """The body and the wheels of a vehicle.

    The state has four rows of a number for each wheel: the angle by which it has rolled [rad], its
    heading in the vehicle [rad], its camber [rad], and how fast it rolls [rad/s].

    Attributes
    ----------
    parts : tuple of Mesh
        The body, then the wheels, each around its centre.
    hub_m : float64 (n_wheel, 3)
        Centres of the wheels from that of the box. [m]
    radius_m : float64 (n_wheel,)
        Radii. [m]
    steers : bool (n_wheel,)
        Whether a wheel is steered.
    turns_about_m : float
        Where the vehicle turns about: the middle of the axles that are not steered, along x. [m]
    body_m : float64 (3,)
        Place of the body's frame. [m]
    """

    parts: tuple[Mesh, ...]
    hub_m: Floats
    radius_m: Floats
    steers: np.ndarray
    turns_about_m: float
    body_m: Floats = field(default_factory=lambda: np.zeros(3))

    @property
    def standing(self) -> Floats:
        """State of one that has never moved, see `Assembly`."""
        return np.zeros(4 * len(self.radius_m))

    def advance(self, before: Floats | None, heard: Heard) -> Floats:
        """Return the state at a message, see `Assembly`."""
        first = None if before is None else before[None]
        state: Floats = self.advance_together(first, [heard])[0]
        return state

    def advance_together(self, before: Floats | None, heard: Sequence[Heard]) -> Floats:
        """Return the states (n, n_state) of n vehicles at a message, see `AdvancesTogether`."""
        shape = len(heard), 4, len(self.radius_m)
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
                self._follow(wheel, None if before is None else old[n], new[n], each.duration_s)
        return new.reshape(len(heard), -1)

    def steer_rad(self, curvature_per_m: Floats | float) -> Floats:
        """Return the headings of the wheels [rad] on ways of some curvature [1/m].

        Shape (n_wheel,) for a number, (n, n_wheel) for curvatures (n, 1).
        """
        ahead = curvature_per_m * (self.hub_m[:, 0] - self.turns_about_m)
        angle = np.arctan(ahead / np.maximum(1.0 - curvature_per_m * self.hub_m[:, 1], 1e-3))
        return np.where(self.steers, np.clip(angle, -MOST_STEER_RAD, MOST_STEER_RAD), 0.0)

    def _way_m(self, way_m: Floats, turned_rad: Floats, steer_rad: Floats) -> Floats:
        """Return how far wheels (n, n_wheel) of vehicles (n, 1) have moved along their headings."""
        forward = way_m - self.hub_m[:, 1] * turned_rad
        aside = (self.hub_m[:, 0] - self.turns_about_m) * turned_rad
        way: Floats = forward * np.cos(steer_rad) + aside * np.sin(steer_rad)
        return way

    def _follow(
        self, wheel: WheelMotion, old: Floats | None, new: Floats, duration_s: float
    ) -> None:
        """Write what a message states of a wheel into the new state; `old` is that before it.

        Its orientation comes first. A pitch of exactly 0 is that of a message that does not follow
        the rolling; such a wheel rolls by its rotation rate, or else by the way.
        """
        apart_m = np.hypot(*(self.hub_m[:, :2] - wheel.center_m).T)
        at = int(apart_m.argmin())
        if apart_m[at] > _SAME_WHEEL_M:
            return
        rate = wheel.rotation_rate_rad_s
        if rate is not None:
            angle, before = (0.0, rate) if old is None else old[[_ANGLE, _RATE], at].tolist()
            new[_ANGLE, at] = angle + 0.5 * (before + rate) * duration_s
            new[_RATE, at] = rate
        if wheel.orientation_rad is None:
            return
        r = rotation_from_orientation(wheel.orientation_rad)
        new[_STEER, at] = math.atan2(-r[0, 1], r[1, 1])
        new[_CAMBER, at] = math.atan2(r[2, 1], math.hypot(r[0, 1], r[1, 1]))
        if wheel.orientation_rad[1] != 0.0:
            rolled = math.atan2(-r[2, 0], r[2, 2])
            new[_ANGLE, at] += math.remainder(rolled - new[_ANGLE, at], 2.0 * math.pi)

    def n_interval(self, travel: Travel) -> int:
        """Return into how many intervals a scan is to be divided, see `Assembly`."""
        if travel.shown:
            return 1
        angle = travel.by_object(travel.state[:, : len(self.radius_m)])
        turned = float(np.abs(np.diff(angle, axis=1)).sum(axis=1).max(initial=0.0))
        return min(max(1, math.ceil(turned / TURN_RAD)), MOST_INTERVALS)

    def poses(self, travel: Travel) -> Floats:
        """Return the poses of the body and the wheels, see `Assembly`."""
        n, n_wheel = len(travel.state), len(self.radius_m)
        state = travel.state.reshape(n, 4, n_wheel).copy()
        if travel.shown:
            each = n // travel.n_object
            state[:, _ANGLE] = np.repeat(state[each - 1 :: each, _ANGLE], each, axis=0)
        sin, cos = np.sin(state[:, :_RATE]), np.cos(state[:, :_RATE])
        sin_a, cos_a = sin[:, _ANGLE], cos[:, _ANGLE]
        sin_s, cos_s = sin[:, _STEER], cos[:, _STEER]
        sin_c, cos_c = sin[:, _CAMBER], cos[:, _CAMBER]
        found = np.zeros((n, 1 + n_wheel, 4, 4))
        found[:, :] = np.eye(4)
        found[:, 0, :3, 3] = self.body_m
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
        wheel[..., :3, 3] = self.hub_m
        return found


def wheeled_vehicle(wanted: Wanted, model: SolidModel | None = None) -> WheeledVehicle | None:
    """Return a built-in vehicle with its wheels as parts, None where it has no round ones."""
    if model is None:
        model = shapes.SHAPES[wanted.name].build(wanted.dimension_m, wanted.details)
    body, wheels = wheel_parts(model, spokes=wanted.name not in RIDDEN)
    if not wheels:
        return None
    return rolling_vehicle(
        wanted.name,
        tuple(mesh_of(each, wanted.name) for each in (body, *(w.model for w in wheels))),
        np.array([wheel.hub_m for wheel in wheels]),
        np.array([wheel.radius_m for wheel in wheels]),
    )


def rolling_vehicle(
    name: str,
    parts: tuple[Mesh, ...],
    hub_m: Floats,
    radius_m: Floats,
    body_m: Floats | None = None,
) -> WheeledVehicle:
    """Return the vehicle of a kind with these parts, of which the foremost axle may steer.

    `name` is that of its built-in shape, the others are as in `WheeledVehicle`.
    """
    x = hub_m[:, 0]
    steers = x > x.max() - _ONE_AXLE_M
    if name in _UNSTEERED or steers.all():
        steers = np.zeros(len(x), np.bool_)
    return WheeledVehicle(
        parts=parts,
        hub_m=hub_m,
        radius_m=radius_m,
        steers=steers,
        turns_about_m=float(x[~steers].mean()),
        body_m=np.zeros(3) if body_m is None else body_m,
    )
