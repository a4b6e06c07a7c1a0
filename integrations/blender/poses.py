# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Matrices of Blender as boxes of OSI, which have a rotation and a size.

A mesh fills its box, axis by axis, so a stretch along the axes of a mesh is the size of its box.
A box cannot mirror or shear its mesh, so mirrors and shears are applied to the mesh's corners.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .osi_wire import Box, Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

_SQUARE = 1e-5  # Blender's matrices are single precision: their axes are square to 1e-7 or so
_DIGITS = 6
"""Digits kept of a stretch: with more, rounding of single precision would look like motion."""
SENSOR_FROM_CAMERA = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""A camera looks along -z with y up, a sensor along x with z up."""


@dataclass(frozen=True)
class Split:
    """A linear map as rotation times stretch times `baked`, which is applied to the mesh.

    Attributes
    ----------
    rotation : float64 (3, 3)
        Rotation.
    stretch : float64 (3,)
        Factors along the axes of the mesh, above 0. [1]
    baked : float64 (3, 3) or None
        Map that the corners of the mesh go through; None if they stay as they are.
    """

    rotation: Matrix
    stretch: Matrix
    baked: Matrix | None


def split(linear: Matrix) -> Split | None:
    """Split a linear map into rotation, stretch and baked map; None if it flattens space.

    Parameters
    ----------
    linear : float64 (3, 3)
        Linear part of the matrix world from mesh.
    """
    lengths = np.linalg.norm(linear, axis=0)
    if not np.isfinite(linear).all() or lengths.min() == 0.0:
        return None
    axes = linear / lengths
    turned = np.linalg.det(axes)
    if abs(turned) < _SQUARE:
        return None
    if turned > 0 and np.abs(axes.T @ axes - np.eye(3)).max() < _SQUARE:
        return Split(_nearest_rotation(axes), _rounded(lengths, lengths), None)
    # a mirroring map gets the rotation of its negative, so that the result is unique
    rotation = _nearest_rotation(linear if turned > 0 else -linear)
    baked = rotation.T @ linear
    return Split(rotation, np.ones(3), _rounded(baked, float(np.abs(baked).max())))


def box_of(parts: Split, place: Matrix, bounds: Matrix, unit_m: float) -> Box:
    """Return the box of a mesh in the world.

    Parameters
    ----------
    parts : Split
        Linear part of the mesh's matrix.
    place : float64 (3,)
        Origin of the mesh in the world, in units of the scene.
    bounds : float64 (2, 3)
        Lowest and highest corner of the mesh, after `Split.baked`.
    unit_m : float
        Length of the scene's unit. [m]
    """
    center = place + parts.rotation @ (parts.stretch * bounds.mean(axis=0))
    size = parts.stretch * (bounds[1] - bounds[0])
    return Box(
        center_m=_vector(unit_m * center),
        angles_rad=angles_of(parts.rotation),
        size_m=_vector(unit_m * size),
    )


def sensor_box(world_from_object: Matrix, unit_m: float, size_m: float, *, camera: bool) -> Box:
    """Return the box of the host, with the centre and the axes of the sensor.

    Parameters
    ----------
    world_from_object : float64 (4, 4)
        Pose of the sensor's object; its scale does not matter.
    unit_m : float
        Length of the scene's unit. [m]
    size_m : float
        Edge of the box. [m]
    camera : bool
        Whether the object is a camera, which looks along its -z.
    """
    rotation = _nearest_rotation(world_from_object[:3, :3])
    if camera:
        rotation = rotation @ SENSOR_FROM_CAMERA.T
    center_m = _vector(unit_m * world_from_object[:3, 3])
    return Box(center_m, angles_of(rotation), (size_m, size_m, size_m))


def angles_of(rotation: Matrix) -> Vector:
    """Return roll, pitch and yaw of a rotation about z (yaw), y' (pitch) and x'' (roll) [rad]."""
    level = math.hypot(rotation[2, 1], rotation[2, 2])
    pitch = math.atan2(-rotation[2, 0], level)
    if level < 1e-9:  # upright: only the difference of roll and yaw counts
        return 0.0, pitch, math.atan2(-rotation[0, 1], rotation[1, 1])
    roll = math.atan2(rotation[2, 1], rotation[2, 2])
    return roll, pitch, math.atan2(rotation[1, 0], rotation[0, 0])


def _nearest_rotation(linear: Matrix) -> Matrix:
    """Return the rotation nearest to a linear map, from its polar decomposition."""
    left, _, right = np.linalg.svd(linear)
    return np.asarray(left @ right)


def _rounded(factors: Matrix, largest: Matrix | float) -> Matrix:
    """Round factors to the digits that single precision resolves next to the largest factor."""
    step = 10.0 ** (np.floor(np.log10(largest)) - (_DIGITS - 1))
    return np.asarray(np.rint(factors / step) * step + 0.0)  # + 0.0: there is no -0.0


def _vector(values: Matrix) -> Vector:
    x, y, z = values.tolist()
    return x, y, z
