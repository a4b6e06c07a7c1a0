# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled sums over the bodies that one beam passes through, and the light that they send back."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential
from material_mapping.kernels import root_at
from osi_lidar.scan.media.chords.body_kernels import seen_length


class PassedArrays(NamedTuple):
    """The bodies of dust or spray that each beam passes through, as pairs of a beam and a body.

    The pairs of a beam are adjacent rows, ordered from near to far. Without any bodies, all arrays
    have no rows.

    Attributes
    ----------
    first_of_beam, end_of_beam : int64 (n_beam,)
        Row of each beam's first pair, and row behind its last one.
    depth : float64 (n_beam,)
        Sum of the optical depths of all bodies of a beam. [1]
    back : float64 (n_beam,)
        Sum of backscatter times length over these bodies. [1/sr]
    end_m : float32 (n_beam,)
        Range at which the beam leaves the last of these bodies. [m]
    near_m, far_m : float32 (n_pair,)
        Ranges at which the beam enters and leaves the body. [m]
    body : uint32 (n_pair,)
        Row of the body in the next three arrays.
    extinction, backscatter : float32 (n_body,)
        Extinction [1/m] and backscatter [1/(m sr)] in each body.
    origin : uint8 (n_body,)
        `SPRAY` or `DUST` of `echoes.origin_kernels`.
    """

    first_of_beam: object  # int64 (n_beam | 0,) row of the beam's first pair
    end_of_beam: object  # int64 (n_beam | 0,) row behind its last pair
    depth: object  # float64 (n_beam | 0,) sum of the optical depths of all bodies of a beam
    back: object  # float64 (n_beam | 0,) sum of backscatter times length of these [1/sr]
    end_m: object  # float32 (n_beam | 0,) range of the last body's end
    near_m: object  # float32 (n_pair,) range at which the beam enters the body
    far_m: object  # float32 (n_pair,) range at which it leaves the body
    body: object  # uint32 (n_pair,) row of the body in the three arrays below
    extinction: object  # float32 (n_body,) [1/m]
    backscatter: object  # float32 (n_body,) [1/(m sr)]
    origin: object  # uint8 (n_body,) SPRAY or DUST of echoes.origin_kernels


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def rows_of(bodies, beam):
    """Return (first, end): the rows of one beam's pairs are ``first`` to ``end - 1``.

    A pair is a body that the beam passes through. ``bodies`` is `PassedArrays`, and ``beam`` the
    record of a beam with its index ``number``. Without any bodies, both are 0.
    """
    if len(bodies.first_of_beam) == 0:
        return np.int64(0), np.int64(0)
    return bodies.first_of_beam[beam.number], bodies.end_of_beam[beam.number]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def past_bodies(bodies, span, beam, range_m):
    """Return the fraction of a beam's light that bodies let pass to a range and back (0 to 1).

    ``bodies`` is `PassedArrays`, ``span`` the rows (first, end) of the beam's pairs from `rows_of`,
    ``beam`` a record of the beam with its index ``number``, and ``range_m`` the range from its
    start [m].
    """
    if span[1] == span[0]:
        return 1.0
    if range_m >= bodies.end_m[beam.number]:
        return exponential(-2.0 * bodies.depth[beam.number])
    depth = 0.0
    for row in range(span[0], span[1]):
        inside_m = min(float(bodies.far_m[row]), range_m) - float(bodies.near_m[row])
        depth += float(bodies.extinction[bodies.body[row]]) * max(inside_m, 0.0)
    return exponential(-2.0 * depth)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def sums_before(bodies, span, far_m):
    """Return two sums over a beam's bodies: backscatter times length [1/sr], optical depth [1].

    ``bodies`` is `PassedArrays`, and ``span`` the rows of the beam's pairs from `rows_of`. Only the
    parts of bodies that are nearer than the range ``far_m`` count.
    """
    back, thick = 0.0, 0.0
    for row in range(span[0], span[1]):
        length_m = min(float(bodies.far_m[row]), far_m) - float(bodies.near_m[row])
        if length_m > 0.0:
            back += float(bodies.backscatter[bodies.body[row]]) * length_m
            thick += float(bodies.extinction[bodies.body[row]]) * length_m
    return back, thick


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def sent_back(settings, bodies, span, far_m, depth):
    """Return the light that some bodies of a beam send back, each as a target of its length.

    The result has four numbers: signal [rms of the noise], mean range [m], variance [m^2], and the
    optical depth behind the bodies.

    Parameters
    ----------
    settings : WaveformSettings
        Its pulse width and its table of the signal in the air are used.
    bodies, span : PassedArrays, (int, int)
        Bodies in the beams, and the first row of those that count, and the row behind the last one.
    far_m : float
        Range at which the beam ends. [m]
    depth : float
        Optical depth of the bodies before them. [1]
    """
    energy = moment = spread = 0.0
    from_m = float(bodies.near_m[span[0]])
    for row in range(span[0], span[1]):
        near_m = float(bodies.near_m[row])
        length_m = min(float(bodies.far_m[row]), far_m) - near_m
        if length_m <= 0.0:
            continue
        thick = float(bodies.extinction[bodies.body[row]]) * length_m
        seen_m = seen_length(length_m, thick)
        off_m = near_m + 0.5 * seen_m - from_m
        q = root_at(settings.step_m, settings.air_root, from_m + off_m)
        signal = math.pi * float(bodies.backscatter[bodies.body[row]]) * seen_m
        signal *= exponential(-2.0 * depth) / (q * q)
        depth, energy = depth + thick, energy + signal
        moment += signal * off_m
        spread += signal * (off_m * off_m + seen_m * seen_m / 12.0)
    if not energy > 0.0:
        return 0.0, from_m, settings.sigma_r_m**2, depth
    mean_m = moment / energy
    variance = settings.sigma_r_m**2 + max(spread / energy - mean_m * mean_m, 0.0)
    return energy, from_m + mean_m, variance, depth
