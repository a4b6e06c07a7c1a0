# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Radial velocities of echoes: how fast surfaces come nearer along beams."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.block_kernels import workers
from osi_lidar.scan.velocity.doppler_kernels import (
    SEVERAL,
    Looks,
    MixedEchoes,
    closing_speeds,
    mirror_speeds,
    mixed_speeds,
)
from raycore.trace.legs import STRAIGHT

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from osi_lidar.scan.velocity.doppler_kernels import MetRays, MotionArrays, SeenEchoes, Speeds
    from raycore.trace.legs import LastLegs

_NO_KIND, _NO_ROWS = np.full(1, SEVERAL, np.uint8), np.empty(0, np.int32)


class TracedBeams(NamedTuple):
    """The rays of beams, and the surfaces that they have met.

    Attributes
    ----------
    met : MetRays
        Rays of the beams.
    power_of : callable or None
        Takes indices of rays (n,), and returns the power of the light that comes back on them,
        float64 (n,) in any unit. It may be None if beams are single rays.
    """

    met: MetRays
    power_of: Callable[[NDArray[np.int64]], NDArray[np.float64]] | None = None


class BothLooks(NamedTuple):
    """The hits of all beams of a scan, and of the beams that were traced again with more rays.

    Attributes
    ----------
    first : TracedBeams
        Rays and hits of all beams, from the first look.
    again : TracedBeams or None
        Rays and hits of the beams that were traced again, the second look; None if none was.
    kind : uint8 (n_beam,) or (1,)
        `AGAIN` if the second look counts for a beam. Otherwise whether its rays met one mesh
        instance in the first look (`ONE_INSTANCE`) or perhaps more (`SEVERAL`).
    row_again : int32 (n_beam,) or (0,)
        Row of each beam in ``again``; undefined if its first look counts.
    """

    first: TracedBeams
    again: TracedBeams | None = None
    kind: NDArray[np.uint8] = _NO_KIND
    row_again: NDArray[np.int32] = _NO_ROWS


def leg_speeds(
    motion: MotionArrays, legs: LastLegs, n_sub: int, beams: NDArray[np.uint32] | None = None
) -> NDArray[np.float64]:
    """Return the closing speed that moving mirrors add to each last leg, float64 (n_leg,) [m/s].

    The last leg is the part of a ray's path after its last mirror. The speed is positive if the
    motion of the mirrors makes the path shorter.

    Parameters
    ----------
    motion : MotionArrays
        Motion of the bodies of the scene, and of the sensor.
    legs : LastLegs
        Last legs of the rays.
    n_sub : int
        Number of rays in a beam.
    beams : uint32 (n,), optional
        Index of each beam in ``motion``; default: all beams in order.
    """
    speeds, rays = np.zeros(len(legs.origin_m)), np.flatnonzero(legs.of_ray != STRAIGHT)
    if rays.size and legs.bounces.leg.size:
        row = rays // n_sub
        beam_of_leg = np.zeros(len(speeds), np.uint32)
        beam_of_leg[legs.of_ray[rays]] = row if beams is None else beams[row]
        mirror_speeds(motion, legs.bounces, beam_of_leg, speeds)
    return speeds


def closing_of(
    motion: MotionArrays, looks: BothLooks, echoes: SeenEchoes, speeds_out: Speeds
) -> None:
    """Write how fast the surface of each echo comes nearer to the sensor, to ``speeds_out``.

    Speeds are positive towards the sensor. [m/s]

    Parameters
    ----------
    motion : MotionArrays
        Motion of the bodies of the scene, and of the sensor.
    looks : BothLooks
        Hits of the beams.
    echoes : SeenEchoes
        Echoes of the beams.
    speeds_out : Speeds
        Written, a row for each echo. If all its light comes from one body: the speed of this body
        at the echo's range, on the axis of the beam. Otherwise: the mean over the beam's rays,
        weighted by their power in the pulse at that range.
    """
    first, again = looks.first, looks.again or looks.first
    arrays = Looks(first.met, again.met, looks.kind, looks.row_again)
    closing_speeds(motion, arrays, echoes, workers(), speeds_out)
    mixed = np.flatnonzero(speeds_out.mixed_in != 0)
    mixed_in, beams = speeds_out.mixed_in[mixed], echoes.beam[mixed]
    for number, look in enumerate((first, again), start=1):
        index, beam = mixed[mixed_in == number], beams[mixed_in == number]
        if look.power_of is None or not index.size:
            continue
        row = (beam if number == 1 else looks.row_again[beam]).astype(np.int64)
        n_sub = look.met.fan.shape[2]
        power = look.power_of((row[:, None] * n_sub + np.arange(n_sub)).ravel())
        of = MixedEchoes(index, row, power.reshape(-1, n_sub))
        mixed_speeds(motion, look.met, echoes, of, speeds_out)
