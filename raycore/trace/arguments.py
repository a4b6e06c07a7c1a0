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

    ``axis``, (n, 3), has unit vectors; ``cos_half`` and ``sin_half``, (n,), are cosine and sine of
    the half angles. A cone whose axis has length 0 contains every direction.
    """

    axis: NDArray[np.float32]  # (n, 3) unit vectors, or 0
    cos_half: NDArray[np.float32]  # (n,)
    sin_half: NDArray[np.float32]  # (n,)


class SceneArrays(NamedTuple):
    """A committed scene for the tracing kernels: Embree's handle, and arrays of `SceneTables`."""

    handle: int  # Embree's scene
    normal_from_mesh: NDArray[np.float32]  # (n_instance, 3, 3) mesh to anchor frame, at time 0
    turning_row: NDArray[np.int32]  # (n_instance,) row of turn_rad; -1: the instance does not turn
    turn_rad: NDArray[np.float32]  # (n_turning, n_step - 1, 3) from each time step to the next


class ShotArrays(NamedTuple):
    """Rays to trace for the tracing kernels: the columns of `Shots`, and the sensor's poses.

    ``pose``, (n_pose, 3, 4), holds transforms from the sensor to the anchor frame [m]; ``moment``
    selects a row of it. The rays fill whole packets.
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

    Their corners are in the anchor frame. If ``trace_all`` is True, all rays are traced anyway.
    """

    trace_all: bool  # regardless of the boxes
    lower_m: NDArray[np.float32]  # (n_box, 3) corners, anchor frame
    upper_m: NDArray[np.float32]
