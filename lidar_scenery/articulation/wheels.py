# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicles whose wheels roll and steer (docs/explanation/articulation.md): body and wheels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery import shapes
from lidar_scenery.articulation.fleet import Fleet
from lidar_scenery.articulation.wheel_parts import wheel_parts
from lidar_scenery.shapes.meshes import mesh_of
from lidar_scenery.shapes.vehicles.ridden import RIDDEN

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from lidar_scenery.articulation.records import Floats, Heard, Travel
    from lidar_scenery.shapes.catalogue import Wanted
    from lidar_scenery.shapes.solids import SolidModel
    from raycore.mesh.mesh import Mesh

_ONE_AXLE_M = 0.4  # wheels whose centres are nearer along x share an axle
_UNSTEERED = ("trailer", "semitrailer", "work_machine", "wheelchair")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WheeledVehicle:
    """A vehicle's body and its wheels, which roll and steer; an `Assembly` and a `MovesTogether`.

    `Fleet` describes the motion of the wheels and the state.

    Attributes
    ----------
    parts : tuple of Mesh
        The body, then the wheels. The origin of a wheel's mesh is the wheel's centre.
    hub_m : float64 (n_wheel, 3)
        Centres of the wheels, relative to the centre of the box. [m]
    radius_m : float64 (n_wheel,)
        Radii of the wheels. [m]
    steers : bool (n_wheel,)
        Whether a wheel is steered.
    turns_about_m : float
        x of the point about which the vehicle turns, relative to the centre of the box: the mean
        over the unsteered wheels. [m]
    body_m : float64 (3,)
        Origin of the body's frame, relative to the centre of the box. [m]
    """

    parts: tuple[Mesh, ...]
    hub_m: Floats
    radius_m: Floats
    steers: np.ndarray
    turns_about_m: float
    body_m: Floats = field(default_factory=lambda: np.zeros(3))

    @property
    def standing(self) -> Floats:
        """State of a vehicle that has never moved: zeros, float64 (4 n_wheel,)."""
        return np.zeros(4 * len(self.radius_m))

    def kin(self) -> Hashable:
        """Return a key, equal for vehicles with equally many wheels, which one call computes."""
        return WheeledVehicle, len(self.radius_m)

    @staticmethod
    def together(vehicles: Sequence[WheeledVehicle]) -> Fleet:
        """Return a `Fleet` of given vehicles, in their order; all have equally many wheels."""
        kinds = {vehicle: n for n, vehicle in enumerate(dict.fromkeys(vehicles))}
        kind = [kinds[vehicle] for vehicle in vehicles]
        return Fleet(
            hub_m=np.array([each.hub_m for each in kinds])[kind],
            radius_m=np.array([each.radius_m for each in kinds])[kind],
            steers=np.array([each.steers for each in kinds])[kind],
            turns_about_m=np.array([[each.turns_about_m] for each in kinds])[kind],
            body_m=np.array([each.body_m for each in kinds])[kind],
        )

    def advance(self, before: Floats | None, heard: Heard) -> Floats:
        """Return the state of the vehicle at a message, float64 (4 n_wheel,); `Fleet` describes it.

        `before` is the state at the previous message, None if the vehicle had no state yet. `heard`
        has the motion of the vehicle since the previous message.
        """
        first = None if before is None else before[None]
        state: Floats = self.together([self]).advance_together(first, [heard])[0]
        return state

    def n_interval(self, travel: Travel) -> int:
        """Return the number of equal intervals to divide a scan into, at least 1.

        Parts move at constant velocity within an interval, so wheels that turn much need many.
        `travel` has the states of n vehicles of this kind at the messages around the scan. If it is
        ``shown`` (for rays), the result is 1.
        """
        return self.together([self] * travel.n_object).n_interval(travel)

    def poses(self, travel: Travel) -> Floats:
        """Return the poses object_from_part of body, then wheels, (n, 1 + n_wheel, 4, 4) [m].

        `travel` has n rows of states. The origin of the object's frame is the centre of its box.
        """
        return self.together([self] * travel.n_object).poses(travel)


def wheeled_vehicle(wanted: Wanted, model: SolidModel | None = None) -> WheeledVehicle | None:
    """Return a built-in vehicle, cut into its body and its wheels; None if it has no round wheels.

    Parameters
    ----------
    wanted : Wanted
        Shape, size and details of the vehicle.
    model : SolidModel, optional
        Model of the whole vehicle, in the axes of its box; by default it is built from `wanted`.
    """
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
    """Return a vehicle made of given parts; the wheels on its foremost axle are steered.

    No wheel is steered if all wheels are on one axle.

    Parameters
    ----------
    name : str
        Name of the built-in shape. Trailers, work machines and wheelchairs have no steered wheels.
    parts : tuple of Mesh
        The body, then the wheels; the origin of a wheel's mesh is the wheel's centre.
    hub_m, radius_m : float64 (n_wheel, 3) and (n_wheel,)
        Centres of the wheels, relative to the centre of the box, and radii. [m]
    body_m : float64 (3,), optional
        Origin of the body's frame, relative to the centre of the box; default zeros. [m]
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
