# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Radial velocities of echoes: how fast surfaces come nearer along beams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_base.block_kernels import workers
from raycore.trace.doppler_kernels import closing_speeds, mixed_speeds

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from raycore.trace.doppler_kernels import MetRays, MotionArrays, SeenEchoes


def closing_of(
    motion: MotionArrays,
    met: MetRays,
    echoes: SeenEchoes,
    power_of: Callable[[NDArray[np.int64]], NDArray[np.float64]] | None = None,
) -> NDArray[np.float64]:
    """Return how fast the surfaces of echoes come nearer to the sensor.

    Parameters
    ----------
    motion : MotionArrays
        Of the bodies of the scene, and of the sensor.
    met : MetRays
        The rays of the beams.
    echoes : SeenEchoes
        Their echoes.
    power_of : callable, optional
        Returns the power of the light that comes back on rays (n,), float64 (n,) in any unit; not
        needed where a beam is a single ray.

    Returns
    -------
    float64 (n_echo,)
        Where all the light is of one body, that of the place at the echo's range on the axis of the
        beam; else the mean over the rays, by their power in the pulse there. [m/s]
    """
    n_sub = len(met.instance) // met.direction.shape[1]
    speed, is_mixed = np.empty(len(echoes.row)), np.empty(len(echoes.row), np.bool_)
    closing_speeds(motion, met, echoes, workers(), speed, is_mixed)
    mixed = np.flatnonzero(is_mixed)
    if power_of is not None and mixed.size:
        some = echoes.chosen(mixed)
        rays = (some.row[:, None] * n_sub + np.arange(n_sub)).ravel()
        of_mixed = speed[mixed]
        mixed_speeds(motion, met, some, power_of(rays).reshape(-1, n_sub), of_mixed)
        speed[mixed] = of_mixed
    return speed
