# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bicycles with riders whose legs follow the pedals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.articulation.human import person_parts
from lidar_scenery.articulation.human.limbs import (
    Array,
    bone_poses,
    joint_between,
    phase_of,
    rigid,
    turn_about_y,
)
from lidar_scenery.shapes.figure import SHIN_M, SHIN_RADII_M, SIDES, THIGH_M, THIGH_RADII_M
from lidar_scenery.shapes.fitting import fit_of
from lidar_scenery.shapes.meshes import mesh_of
from lidar_scenery.shapes.solids import SolidModel, capsule
from lidar_scenery.shapes.vehicles import ridden

if TYPE_CHECKING:
    from lidar_scenery.articulation.records import Assembly, Heard, Travel
    from lidar_scenery.shapes.builder import Size
    from osi_bridge import ObjectDetails
    from raycore.mesh.mesh import Mesh

WAY_PER_TURN_M = 4.7
"""Distance travelled in one turn of the cranks: 2.2 turns of a wheel of radius 0.34 m. [m]"""
MOST_TURNS_PER_S = 1.75
"""Highest cadence: above it riders shift up or stop pedalling. [1/s]"""
STEP_RAD = 0.5
"""Largest turn of the cranks in one interval of a scan: a pedal then leaves its circle by at most
5 mm. [rad]"""
_HIP_HALF_M = 0.1
_REACH = 1.01  # least length of the legs, over the distance to the farthest pedal
_KNEES = np.array([(1.0, 0.15, 0.5), (1.0, -0.15, 0.5)])  # where the knees point


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cyclist:
    """Parts of a bicycle with a rider who pedals.

    It implements `Assembly`, the interface of objects with moving parts.

    Attributes
    ----------
    parts : tuple of Mesh
        The parts of `bicycle`, then both cranks as one part, thighs, shins, and feet with pedals.
        Limbs come in pairs, left before right.
    bicycle : Assembly
        The bicycle and its wheels. The rider's trunk and arms belong to its body.
    crank_m : float64 (3,)
        Middle of the cranks' axle, relative to the centre of the box. [m]
    pedals_m, ankles_m : float64 (2, 3)
        Pedals relative to the axle, at a crank angle of 0; ankles relative to their pedals. [m]
    hips_m : float64 (2, 3)
        Left and right hip joint, relative to the centre of the box. [m]
    bones_m : (float, float)
        Lengths of thigh and shin. [m]

    Notes
    -----
    The state is the bicycle's state, then the angle of the cranks [rad]. The cranks turn with the
    distance travelled forwards, and stand still while the bicycle rolls back.
    """

    parts: tuple[Mesh, ...]
    bicycle: Assembly
    crank_m: Array
    pedals_m: Array
    ankles_m: Array
    hips_m: Array
    bones_m: tuple[float, float]

    @property
    def standing(self) -> Array:
        """State of a cyclist who has never moved: the bicycle's state, then crank angle 0 [rad]."""
        return np.append(self.bicycle.standing, 0.0)

    def advance(self, before: Array | None, heard: Heard) -> Array:
        """Return the state at a message: the bicycle's state, then the angle of the cranks [rad].

        Parameters
        ----------
        before : float64 (n_state,) or None
            State at the previous message. None if the object had no state yet; its id then
            determines the angle of the cranks.
        heard : Heard
            The object in the message: distance and time since the previous message.
        """
        rolled = self.bicycle.advance(None if before is None else before[:-1], heard)
        if before is None:
            object_id = int(heard.frame.objects.object_id[heard.row])
            angle = 2.0 * np.pi * phase_of(object_id)
        else:
            angle = before[-1]
        turns = max(heard.way_m, 0.0) / WAY_PER_TURN_M
        turns = min(turns, MOST_TURNS_PER_S * heard.duration_s)
        return np.append(rolled, angle + 2.0 * np.pi * turns)

    def n_interval(self, travel: Travel) -> int:
        """Return the number of equal intervals to divide a scan into, at least 1.

        Within an interval, parts are moved at constant velocity. ``travel`` has the states of one
        or more cyclists at the messages around the scan; the cyclist who needs most intervals
        determines the number.
        """
        turned = np.ptp(travel.by_object(travel.state[:, -1]), axis=1).max()
        wheels = self.bicycle.n_interval(travel._replace(state=travel.state[:, :-1]))
        return max(wheels, int(np.ceil(turned / STEP_RAD)))

    def poses(self, travel: Travel) -> Array:
        """Return the poses object_from_part of all parts, float64 (n, n_part, 4, 4) [m].

        ``travel`` has the states of one or more cyclists at n instants. The poses are in the frame
        of the object, in the order of `parts`.
        """
        bicycle = self.bicycle.poses(travel._replace(state=travel.state[:, :-1]))
        turn = turn_about_y(travel.state[:, -1])
        cranks = rigid(turn, np.broadcast_to(self.crank_m, (len(turn), 3)))
        pedals = (turn[:, None] @ self.pedals_m[..., None])[..., 0]
        ankles = self.crank_m + pedals + self.ankles_m
        hips = np.broadcast_to(self.hips_m, ankles.shape)
        knees = joint_between(hips, ankles, self.bones_m, _KNEES)
        feet = rigid(np.broadcast_to(np.eye(3), (len(turn), 2, 3, 3)), ankles)
        legs = bone_poses(hips, knees, _KNEES), bone_poses(knees, ankles, _KNEES)
        return np.concatenate([bicycle, cranks[:, None], *legs, feet], axis=1)


def riding_model(size: Size, details: ObjectDetails) -> SolidModel | None:
    """Return the model of a bicycle and its rider without cranks, pedals and the rider's legs.

    The function `cyclist` adds the cranks, the pedals and the legs as moving parts.

    The result is None if a bicycle in a box of this size has no rider.

    Parameters
    ----------
    size : (float, float, float)
        Length, width and height of the box that the model fits. [m]
    details : ObjectDetails
        Further properties of the object that change the shape.
    """
    if ridden.pedals_of(size) is None:
        return None
    scale, middle = fit_of(ridden.make_bicycle(size, details), size)
    return ridden.make_bicycle(size, details, at_rest=False).moved(lambda p: (p - middle) * scale)


def cyclist(size: Size, details: ObjectDetails, bicycle: Assembly) -> Cyclist | None:
    """Return a bicycle with a rider who pedals; None if a bicycle of this size has no rider.

    Parameters
    ----------
    size : (float, float, float)
        Length, width and height of the box of the object. [m]
    details : ObjectDetails
        Further properties of the object that change the shape.
    bicycle : Assembly
        The bicycle with wheels that roll, and the rider without legs, as from `riding_model`. The
        function adds cranks, pedals and legs.
    """
    places = ridden.pedals_of(size)
    if places is None:
        return None
    scale, middle = fit_of(ridden.make_bicycle(size, details), size)
    level = np.array([scale[2], scale[1], scale[2]])  # what turns about y keeps its form
    crank = np.array(places.crank_m)
    pedals = (np.array(places.pedals_m) - crank) * level
    ankles = np.array([(0.0, 0.0, places.ankle_m)] * 2) * level
    apart = np.array([(0.0, side * _HIP_HALF_M * places.up, 0.0) for side in SIDES])
    hips = np.array(places.hips_m) + apart
    hips_m, crank_m = (hips - middle) * scale, (crank - middle) * scale
    farthest = np.linalg.norm(hips_m - crank_m - ankles, axis=1) + np.linalg.norm(pedals, axis=1)
    longer = max(places.up * scale[2], float(_REACH * farthest.max()) / (THIGH_M + SHIN_M))
    bones = THIGH_M * longer, SHIN_M * longer
    legs = _leg_models(bones, places.up * level, ankles)
    cranks = SolidModel()
    for pedal in pedals.tolist():
        ridden.add_crank(cranks, (0.0, 0.0, 0.0), (pedal[0], pedal[1], pedal[2]))
    return Cyclist(
        parts=(*bicycle.parts, *(mesh_of(each, "bicycle") for each in (cranks, *legs))),
        bicycle=bicycle,
        crank_m=crank_m,
        pedals_m=pedals,
        ankles_m=ankles,
        hips_m=hips_m,
        bones_m=bones,
    )


def _leg_models(bones_m: tuple[float, float], scale: Array, ankles: Array) -> list[SolidModel]:
    """Return models of thighs, shins and feet with pedals, in pairs (left, right).

    Each model is in the frame of its bone.
    """
    limbs = []
    for length, radii in zip(bones_m, (THIGH_RADII_M, SHIN_RADII_M), strict=True):
        limb = SolidModel()
        limb.add("Cloth_Jeans", capsule((0, 0, 0), (0, 0, -length / scale[2]), radii))
        limbs += [limb.moved(lambda p: p * scale)] * 2
    foot = person_parts.models(1.0)[-1].moved(lambda p: p * scale)
    ridden.add_pedal(foot, (0.0, 0.0, -float(ankles[0, 2])))
    return [*limbs, foot, foot]
