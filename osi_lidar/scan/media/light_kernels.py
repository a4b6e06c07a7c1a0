# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of how far a beam's sub-rays go, and of the light that they bring back."""

from __future__ import annotations

import math

import numpy as np

from lidar_base.compiled import njit
from lidar_base.lane_kernels import N_LANES, lanes_of, least, most, select
from lidar_base.random.random_kernels import DROP_SHARE, open_unit, philox4x32
from raycore.records import NOTHING


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def nearest_of(rays, start):
    """Return the range [m] of the nearest surface that a beam's sub-rays meet; infinite if none.

    ``rays`` has the sub-rays of all beams and their hits; ``start`` is the beam's first row in it.
    """
    n_sub, nearest = len(rays.weight), math.inf
    if n_sub < N_LANES:
        return float(rays.range_m[start]) if rays.instance[start] != NOTHING else math.inf
    for chunk in range(0, n_sub, N_LANES):
        at = start + np.uint64(chunk)
        met = lanes_of(rays.instance, (at,)) != NOTHING
        nearest = min(nearest, float(least(select(met, lanes_of(rays.range_m, (at,)), math.inf))))
    return nearest


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def light_of(rays, sub, ray):
    """Return the share of a beam's light that one of its sub-rays brings back.

    Losses at panes and mirrors on the way are subtracted. ``sub`` is the number of the sub-ray in
    its beam, and ``ray`` its row in ``rays``. If panes and mirrors may split beams, each sub-ray
    exists twice, and one of the two may bring back nothing.
    """
    share = rays.share[ray] if rays.share.shape[0] > 0 else np.float32(1.0)
    return float(rays.weight[sub]) * float(share)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def farthest_of(rays, start):
    """Return the range [m] at which a beam's farthest sub-ray ends; infinite if one meets nothing.

    Sub-rays that bring back no light do not count. ``rays`` has the sub-rays of all beams and their
    hits; ``start`` is the beam's first row in it.
    """
    n_sub, farthest = len(rays.weight), 0.0
    if n_sub >= N_LANES and rays.share.shape[0] == 0:
        for chunk in range(0, n_sub, N_LANES):
            at = start + np.uint64(chunk)
            met = lanes_of(rays.instance, (at,)) != NOTHING
            reach_m = select(met, lanes_of(rays.range_m, (at,)), math.inf)
            farthest = max(farthest, float(most(reach_m)))
        return farthest
    for sub in range(n_sub):
        ray = start + np.uint64(sub)
        if light_of(rays, sub, ray) > 0.0:
            met = rays.instance[ray] != NOTHING
            farthest = max(farthest, float(rays.range_m[ray]) if met else math.inf)
    return farthest


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def share_beyond(rays, start, place_m):
    """Return the share of a beam's light on sub-rays that end beyond ``place_m`` [m], or never.

    Light lost at panes and mirrors does not count. ``rays`` has the sub-rays of all beams and their
    hits; ``start`` is the beam's first row in it.
    """
    share = 0.0
    for sub in range(len(rays.weight)):
        ray = start + np.uint64(sub)
        if rays.instance[ray] == NOTHING or rays.range_m[ray] > place_m:
            share += light_of(rays, sub, ray)
    return share


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def goes_on(beam, index, rays, place_m):
    """Return whether a drop at the range ``place_m`` [m] in a beam is lit.

    If only some sub-rays of the beam get beyond the drop, the answer is drawn at random, with their
    share of the light as probability. ``index`` is the number of the drop's random numbers.
    ``rays`` has the sub-rays of all beams; ``beam`` gives the beam's first row in it, and the
    random stream.
    """
    share = share_beyond(rays, beam.start, place_m)
    if share > 0.0 and share < 0.9999:
        k0, k1, t0, t1 = beam.stream
        w0, w1, _, _ = philox4x32(index, DROP_SHARE, t0, t1, k0, k1)
        return open_unit(w0, w1) < share
    return share > 0.0
