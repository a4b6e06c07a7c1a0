# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Animals with four legs that walk and trot: one simple gait model for all species."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.articulation.human.gait import GRAVITY_M_S2
from lidar_scenery.articulation.human.limbs import (
    Array,
    bone_poses,
    joint_between,
    phase_of,
    smooth,
)
from lidar_scenery.articulation.human.people import intervals
from lidar_scenery.shapes.animals import add_trunk, leg_radii, legs_of, make_animal
from lidar_scenery.shapes.fitting import fit_of
from lidar_scenery.shapes.meshes import mesh_of
from lidar_scenery.shapes.solids import SolidModel, capsule
from osi_bridge import ObjectDetails

if TYPE_CHECKING:
    from lidar_scenery.articulation.records import Heard, Travel
    from lidar_scenery.shapes.builder import Size
    from raycore.mesh.mesh import Mesh

_LEAST_STRIDE, _CLEARANCE = 0.3, 0.12  # of the height of the hips
_WALKS, _TROTS = np.array([0.25, 0.75, 0.0, 0.5]), np.array([0.5, 1.0, 0.0, 0.5])
"""Delay of each leg in cycles: front left, front right, rear left, rear right."""
_CHANGE = (0.4, 0.6)  # Froude numbers between which a walk becomes a trot
_STANDS = (0.65, 0.4)  # parts of a cycle during which a foot stands: at a walk, at a trot
_MOST_REACH = 0.65  # distance that the body passes over a standing foot, over the hips' height
_SETTLES_S = 0.25  # time constant with which strides follow a change of the speed
_LENGTHENED = 1.06  # legs are longer than hips are high: they never are quite straight
_KNEES = np.array([(1.0, 0.0, 0.0)] * 2 + [(-1.0, 0.0, 0.0)] * 2)
_AHEAD = np.array([1.0, 0.0, 0.0])
_LIFTING = 0.1  # Froude number from which feet leave the ground as they do in walking


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WalkingAnimal:
    """Body parts of a four-legged animal that walks and trots, made to fit a box.

    It implements `Assembly`, the interface of objects with moving parts.

    Attributes
    ----------
    parts : tuple of Mesh
        The body, the four upper legs, the four lower legs. Legs are in the order front left,
        front right, rear left, rear right.
    hips_m : float64 (4, 3)
        Upper ends of the legs in the frame of the box, in the same order. [m]
    ground_m : float
        Height of the centre of a hoof that stands on the ground, in the frame of the box. [m]
    bones_m : (float, float)
        Lengths of the upper and the lower leg. [m]

    Notes
    -----
    Strides are a = 2.3 h (v^2 / (g h))^0.3 long, where h is the height of the hips: R. McN.
    Alexander, Nature 261, 1976. To keep strides from vanishing at low speeds, their length here is
    sqrt(a^2 + (0.3 h)^2). Walking animals set down one foot at a time, from rear to front on each
    side. Trotting animals set down two diagonally opposite feet. The change from walk to trot is
    near a Froude number of 0.5: R. McN. Alexander, A. S. Jayes, J. Zool. 201, 1983. We assume how
    long a foot stands, and that animals trot at all higher speeds. The state has two numbers: the
    gait cycles made so far, and the smoothed speed that sets the length of the strides [m/s].
    """

    parts: tuple[Mesh, ...]
    hips_m: Array
    ground_m: float
    bones_m: tuple[float, float]

    @property
    def standing(self) -> Array:
        """State of an animal that has never moved, float64 (2,): gait cycles and speed, both 0."""
        return np.zeros(2)

    def advance(self, before: Array | None, heard: Heard) -> Array:
        """Return the state at a message, from the state at the previous message.

        Parameters
        ----------
        before : float64 (2,) or None
            State at the previous message. None if the object had no state yet; its id then
            determines the phase at which the gait starts.
        heard : Heard
            The object in the message: its speed, and distance and time since the previous message.

        Returns
        -------
        float64 (2,)
            Gait cycles made so far, and smoothed speed [m/s].
        """
        speed = abs(heard.speed_m_s)
        if before is None:
            object_id = int(heard.frame.objects.object_id[heard.row])
            before = np.array([phase_of(object_id), speed])
        speed += (before[1] - speed) * np.exp(-heard.duration_s / _SETTLES_S)
        stride_m = float(self._stride_m(np.array([before[1], speed])).mean())
        return np.array([before[0] + heard.way_m / stride_m, speed])

    def n_interval(self, travel: Travel) -> int:
        """Return the number of equal intervals to divide a scan into, 1 to 8.

        Within an interval, parts are moved at constant velocity.

        Parameters
        ----------
        travel : Travel
            States of one or more animals at the messages around the scan. The animal that makes
            most gait cycles determines the number.
        """
        return intervals(travel.by_object(travel.state[:, 0]))

    def poses(self, travel: Travel) -> Array:
        """Return the poses of the 9 parts in the frame of the object, object_from_part [m].

        Parameters
        ----------
        travel : Travel
            States of one or more animals at n instants; the states of each follow one another.

        Returns
        -------
        float64 (n, 9, 4, 4)
            Poses in the order of `parts`.
        """
        hooves = self.hooves_m(travel.state)
        hips = np.broadcast_to(self.hips_m, hooves.shape)
        knees = joint_between(hips, hooves, self.bones_m, _KNEES)
        body = np.broadcast_to(np.eye(4), (len(hooves), 1, 4, 4))
        upper, lower = (bone_poses(*ends, _AHEAD) for ends in ((hips, knees), (knees, hooves)))
        return np.concatenate([body, upper, lower], axis=1)

    def hooves_m(self, state: Array) -> Array:
        """Return the positions of the four hooves in the frame of the box, (n, 4, 3) [m].

        ``state`` has the gait cycles made so far and the speed [m/s] in n states, (n, 2).
        """
        trot = smooth(self._froude(state[:, 1]), _CHANGE)[:, None]
        stride, high = self._stride_m(state[:, 1])[:, None], self._height_m
        stand = (1.0 - trot) * _STANDS[0] + trot * _STANDS[1]
        stand = np.minimum(stand, _MOST_REACH * high / stride)
        cycle = np.mod(state[:, :1] - (1.0 - trot) * _WALKS - trot * _TROTS, 1.0)
        swinging = np.clip((cycle - stand) / (1.0 - stand), 0.0, 1.0)
        covered = stand * stride
        behind = covered * (np.minimum(cycle / stand, 1.0) - 0.5 - smooth(swinging))
        lifts = smooth(self._froude(state[:, 1]), (0.0, _LIFTING))[:, None]
        lift = _CLEARANCE * high * lifts * np.sin(np.pi * swinging) ** 2
        return np.stack(
            [
                self.hips_m[:, 0] - behind,
                np.broadcast_to(self.hips_m[:, 1], behind.shape),
                self.ground_m + lift,
            ],
            axis=-1,
        )

    @property
    def _height_m(self) -> float:
        return float(self.hips_m[0, 2] - self.ground_m)

    def _froude(self, speed_m_s: Array | float) -> Array:
        return np.asarray(np.square(speed_m_s) / (GRAVITY_M_S2 * self._height_m))

    def _stride_m(self, speed_m_s: Array | float) -> Array:
        usual = 2.3 * self._froude(speed_m_s) ** 0.3
        return np.asarray(self._height_m * np.hypot(usual, _LEAST_STRIDE))


def walking_animal(size: Size) -> WalkingAnimal:
    """Return a four-legged animal that fills a box, with moving parts.

    ``size`` is the length, width and height of the box [m].
    """
    scale, middle = fit_of(make_animal(size, ObjectDetails()), size)
    level = np.array([scale[2], scale[1], scale[2]])  # what turns about y keeps its form
    begins, leg = legs_of(size)
    hips = (np.array(begins) - middle) * scale
    ground = -0.5 * size[2] + 0.5 * leg * scale[2]
    bone = 0.5 * _LENGTHENED * float(hips[0, 2] - ground)
    body, limbs = SolidModel(), []
    add_trunk(body, size)
    for radii in leg_radii(leg):
        limb = SolidModel()
        limb.add("Fur", capsule((0, 0, 0), (0, 0, -bone / scale[2]), radii, 8))
        limbs += [limb.moved(lambda p: p * level)] * 4
    models = [body.moved(lambda p: (p - middle) * scale), *limbs]
    return WalkingAnimal(
        parts=tuple(mesh_of(each, "animal") for each in models),
        hips_m=hips,
        ground_m=ground,
        bones_m=(bone, bone),
    )
