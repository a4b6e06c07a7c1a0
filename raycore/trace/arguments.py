# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of the tracing kernels, grouped in named tuples, which numba compiles.

These tuples are not nested, as a parallel kernel cannot take a named tuple within another one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np  # noqa: TC002
from numpy.typing import NDArray  # noqa: TC002  named tuples are read by numba


class Cones(NamedTuple):
    """Cones with half angles of at most 90 degrees, all with the same apex.

    Attributes
    ----------
    axis : float32 (n, 3)
        Unit vectors along the axes. A cone whose axis has length 0 contains every direction.
    cos_half, sin_half : float32 (n,)
        Cosine and sine of the half angles.
    """

    axis: NDArray[np.float32]  # (n, 3) unit vectors, or 0
    cos_half: NDArray[np.float32]  # (n,)
    sin_half: NDArray[np.float32]  # (n,)


class SceneArrays(NamedTuple):
    """A committed scene for the tracing kernels: Embree's handle, and arrays of `SceneTables`.

    Attributes
    ----------
    handle : int
        Address of Embree's scene.
    normal_from_mesh : float32 (n_instance, 3, 3)
        Matrix from a mesh's normals to the anchor frame at time 0; it does not preserve lengths.
    turning_row : int32 (n_instance,)
        Row of ``turn_rad`` of an instance that turns; -1 for all others.
    turn_rad : float32 (n_instance, n_step - 1, 3)
        Rotation vectors from each time step to the next one, in the anchor frame. [rad]
    """

    handle: int  # Embree's scene
    normal_from_mesh: NDArray[np.float32]  # (n_instance, 3, 3) mesh to anchor frame, at time 0
    turning_row: NDArray[np.int32]  # (n_instance,) row of turn_rad; -1: the instance does not turn
    turn_rad: NDArray[np.float32]  # (n_turning, n_step - 1, 3) from each time step to the next


class ShotArrays(NamedTuple):
    """Rays to trace for the tracing kernels: the columns of `Shots`, and the sensor's poses.

    The rays fill whole packets. A column with a single row holds for all beams.

    Attributes
    ----------
    origin_m : float32 (1 or n_beam, 3)
        Start of each beam in the sensor frame. [m]
    direction : float32 (3, n_beam)
        Unit vector along each beam in the sensor frame.
    fan : float32 (n_fan, 5, n_sub)
        Directions and starts of sub-rays relative to their beam; n_fan is 0 without sub-rays.
    fan_of_beam : uint16 (n_beam,)
        Row of ``fan`` for each beam; empty without sub-rays.
    time : float32 (1 or n_beam,)
        Firing time, 0..1 within the shutter interval.
    start_m, max_range_m : float32 (1 or n_beam,), and float32
        Surfaces nearer than ``start_m`` or farther than ``max_range_m`` are not met. [m]
    moment : uint32 (1 or n_beam,)
        Row of ``pose`` at the firing time.
    pose : float32 (n_pose, 3, 4)
        Transforms from the sensor frame to the anchor frame. [m]
    """

    origin_m: NDArray[np.float32]  # (n_beam | 1, 3)
    direction: NDArray[np.float32]  # (3, n_beam)
    fan: NDArray[np.float32]  # (n_fan, 5, n_sub)
    fan_of_beam: NDArray[np.uint16]  # (n_beam | 0,)
    time: NDArray[np.float32]  # (n_beam | 1,)
    start_m: NDArray[np.float32]  # (n_beam | 1,) range from which on surfaces count
    moment: NDArray[np.uint32]  # (n_beam | 1,) row of pose
    pose: NDArray[np.float32]  # (n_pose, 3, 4) anchor from sensor [m]
    max_range_m: np.float32


class ChangedRegion(NamedTuple):
    """The boxes in which the scene has changed since the same rays were last traced.

    Attributes
    ----------
    trace_all : bool
        Whether to trace all rays, regardless of the boxes.
    lower_m, upper_m : float32 (n_box, 3)
        Lower and upper corners of the boxes, in the anchor frame. [m]
    """

    trace_all: bool  # regardless of the boxes
    lower_m: NDArray[np.float32]  # (n_box, 3) corners, anchor frame
    upper_m: NDArray[np.float32]
