# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of what the air does to a beam: it weakens components, and adds its own.

Air that scatters evenly is in the scale of the signal already; here what a sensor reports is
weakened by it, too, and both by what patches of fog differ from even fog. Fog, drops, bodies such
as spray, and what roads and gloss show come back as components of their own, so that they compete
with surfaces in the receiver's choice.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lidar_base.compiled import njit
from lidar_base.lane_kernels import N_LANES, lanes_of, least, most, select
from lidar_base.math_kernels import exponential
from lidar_base.random.random_kernels import DROP_SHARE, open_unit, philox4x32
from lidar_scenery.weather.body_kernels import seen_length
from lidar_scenery.weather.chords.passed_kernels import past_bodies, rows_of, sums_before
from lidar_scenery.weather.drop_kernels import (
    DROPS_PER_BEAM,
    MOST_DROPS,
    drawn_drop,
    first_drop,
)
from lidar_scenery.weather.patches.sight_kernels import brightest, past_patches, relative_at
from osi_lidar.scan.echoes.component_kernels import (
    BEST,
    FIRST,
    MEAN,
    PART_BACK,
    PART_SNR,
    RAY,
    SNR,
    VARIANCE,
)
from osi_lidar.scan.echoes.maxima_kernels import root_at
from osi_lidar.scan.echoes.origin_kernels import (
    BODY_RAY,
    FOG_RAY,
    GHOST_RAY,
    MOST_IN_AIR,
    RAIN_RAY,
    SNOW_RAY,
    SPRAY,
)
from raycore.records import NOTHING

_FOG, _GHOST, _DROPS = range(3)  # places of components of the air among those of a beam
_BODIES = _DROPS + 2 * MOST_DROPS
_MOST_BODIES = MOST_IN_AIR - _BODIES
_SLACK = 1.0 + 1e-9  # of bounds, for rounding
_WHOLE = 1.5  # widths of the pulse before a surface, from which on fog's echo is as high as without
_TOUCH = 0.5  # gap, in widths of the pulse, below which bodies are one component


class MediaArrays(NamedTuple):
    """What is between a sensor and its targets in one scan."""

    is_there: bool
    extinction: float  # of the even air [1/m]
    window: object  # float32 (n_beam | 1,) share of the light that passes the window both ways
    fog_begin_m: float  # these three: see SoftEcho
    fog_step_m: float
    fog: object  # float64 (2, n | 0)
    ghost_m: object  # these three: see Ghosts, without rows where there are none
    ghost: object
    ghost_object: object
    drops: object  # see DropArrays
    bodies: object  # see PassedArrays
    patches: object  # see PatchArrays
    least_snr: float  # of echoes of bodies and ghosts; fainter ones are left out
    rising_m: float  # range from which on the root of the signal's scale rises


class BeamInAir(NamedTuple):
    """One beam."""

    number: int
    start: int  # of its sub-rays
    clear: float  # share of the light that passes the window both ways
    line: object  # in patches of fog, see Line
    stream: object  # random numbers of this scan
    rain: float  # uniform, for its drops
    snow: float


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _weaken(media, beam, n_part, part_out):
    """Weaken a beam's components as window and fog do; even air is in their signals already."""
    for j in range(n_part):
        mean_m = part_out[MEAN, j]
        part_out[PART_BACK, j] *= beam.clear * exponential(-2.0 * media.extinction * mean_m)
        part_out[PART_SNR, j] *= beam.clear
        if media.patches.extinction > 0.0:
            passed = past_patches(media.patches, beam.line, mean_m)
            part_out[PART_BACK, j] *= passed
            part_out[PART_SNR, j] *= passed


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def through_even_air(
    # Sensor:
    settings,  # see WaveformSettings
    # In:
    media,  # see MediaArrays
    beam,  # see BeamInAir
    rays,  # see SubRayArrays
    n_part,
    # In and out:
    memory,  # see new_beam
):
    """Weaken a beam's components, and add the echoes of fog and of a ghost.

    Return how many components there are then.
    """
    clear, start, is_patchy = beam.clear, beam.start, media.patches.extinction > 0.0
    _weaken(media, beam, n_part, memory[2])
    width = settings.sigma_r_m * settings.sigma_r_m
    if media.fog.shape[1] > 0:
        last = media.fog.shape[1] - 1
        snr, place_m = media.fog[0, last], media.fog[1, last]
        if _nearest(rays, start) < media.fog_begin_m + last * media.fog_step_m:
            snr, place_m = _fog_before(media, rays, start)
        if is_patchy:
            snr, place_m = _fog_in_patches(settings, media, beam, rays, (snr, place_m))
        n_part = _added(settings, _FOG, (FOG_RAY, place_m, clear * snr, width), n_part, memory)
    if beam.number < np.uint64(media.ghost.shape[0]) and media.ghost[beam.number] > 0.0:
        place_m = float(media.ghost_m[beam.number])
        q = root_at(settings.step_m, settings.air_root, place_m)
        snr = clear * float(media.ghost[beam.number]) / (q * q)
        if is_patchy:
            snr *= past_patches(media.patches, beam.line, place_m)
        if snr > media.least_snr:
            n_part = _added(settings, _GHOST, (GHOST_RAY, place_m, snr, width), n_part, memory)
    return n_part


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def through_bodies_and_drops(
    # Sensor:
    settings,  # see WaveformSettings
    # In:
    media,  # see MediaArrays
    beam,  # see BeamInAir
    rays,  # see SubRayArrays
    n_part,
    # In and out:
    memory,  # see new_beam
):
    """Add what drops and bodies send back, which weaken the rest; return how many components."""
    bodies, part, span = media.bodies, memory[2], rows_of(media.bodies, beam)
    if span[1] > span[0]:
        for j in range(n_part):
            passed = past_bodies(bodies, span, beam, part[MEAN, j])
            part[PART_BACK, j] *= passed
            part[PART_SNR, j] *= passed
        if not _sends_less(settings, media, span[0], bodies.back[beam.number]):
            n_part = _with_bodies(settings, media, beam, rays, n_part, memory)
    for kind in range(2):
        chance, last = beam.rain if kind == 0 else beam.snow, media.drops.number.shape[1] - 1
        expected = first_drop(chance) if chance < media.drops.some[kind] else math.inf
        for one in range(MOST_DROPS):
            if not expected < media.drops.number[kind, last]:
                break
            number = kind * MOST_DROPS + one
            index = beam.number * np.uint64(DROPS_PER_BEAM) + np.uint64(number)
            place_m, snr, expected = drawn_drop(media.drops, kind, beam.stream, index, expected)
            if _goes_on(beam, index, rays, place_m):
                snr *= beam.clear * past_bodies(bodies, span, beam, place_m)
                if media.patches.extinction > 0.0:
                    snr *= past_patches(media.patches, beam.line, place_m)
                echo = (RAIN_RAY if kind == 0 else SNOW_RAY, place_m, snr, settings.sigma_r_m**2)
                n_part = _added(settings, _DROPS + number, echo, n_part, memory)
    return n_part


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _nearest(rays, start):
    """Return the range of the nearest surface that a beam meets, infinite if there is none."""
    n_sub, nearest = len(rays.weight), math.inf
    if n_sub < N_LANES:
        return float(rays.range_m[start]) if rays.instance[start] != NOTHING else math.inf
    for chunk in range(0, n_sub, N_LANES):
        at = start + np.uint64(chunk)
        met = lanes_of(rays.instance, (at,)) != NOTHING
        nearest = min(nearest, float(least(select(met, lanes_of(rays.range_m, (at,)), math.inf))))
    return nearest


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _light_of(rays, sub, ray):
    """Return the share of a beam's light that a sub-ray brings back.

    Where panes and mirrors split beams, each sub-ray is there twice, of which one may bring none.
    """
    share = rays.share[ray] if rays.share.shape[0] > 0 else np.float32(1.0)
    return float(rays.weight[sub]) * float(share)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _farthest(rays, start):
    """Return how far the farthest sub-ray goes, infinite if it meets nothing."""
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
        if _light_of(rays, sub, ray) > 0.0:
            met = rays.instance[ray] != NOTHING
            farthest = max(farthest, float(rays.range_m[ray]) if met else math.inf)
    return farthest


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _share_beyond(rays, start, place_m):
    """Return the share of a beam's light that reaches a range and comes back."""
    share = 0.0
    for sub in range(len(rays.weight)):
        ray = start + np.uint64(sub)
        if rays.instance[ray] == NOTHING or rays.range_m[ray] > place_m:
            share += _light_of(rays, sub, ray)
    return share


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _goes_on(beam, index, rays, place_m):
    """Return whether the part of a beam that a drop is in reaches its range."""
    share = _share_beyond(rays, beam.start, place_m)
    if share > 0.0 and share < 0.9999:
        k0, k1, t0, t1 = beam.stream
        w0, w1, _, _ = philox4x32(index, DROP_SHARE, t0, t1, k0, k1)
        return open_unit(w0, w1) < share
    return share > 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _fog_before(media, rays, start):
    """Return height and place of the fog's echo of a beam some of whose sub-rays end near."""
    fog, last = media.fog, media.fog.shape[1] - 1
    signal = moment = 0.0
    for sub in range(len(rays.weight)):
        ray = start + np.uint64(sub)
        row = float(last)
        if rays.instance[ray] != NOTHING:
            row = (float(rays.range_m[ray]) - media.fog_begin_m) / media.fog_step_m
            row = min(max(row, 0.0), float(last))
        low = min(int(row), last - 1)
        height = fog[0, low] + (row - low) * (fog[0, low + 1] - fog[0, low])
        height *= _light_of(rays, sub, ray)
        place = fog[1, low] + (row - low) * (fog[1, low + 1] - fog[1, low])
        signal += height
        moment += height * place
    return signal, moment / signal if signal > 0.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _fog_in_patches(settings, media, beam, rays, even):
    """Return height and place of the echo of fog in patches, of which ``even`` is that without.

    Where that stands, the density is that of a patch; or a denser patch behind it is brighter. Of a
    patch behind the nearest surface, as much is seen as light goes on.
    """
    patches, line, (snr, place_m) = media.patches, beam.line, even
    snr *= past_patches(patches, line, place_m) * relative_at(patches.relative, line, place_m)
    nearest_m, reach_m = _nearest(rays, beam.start), _WHOLE * settings.sigma_r_m
    height, at_m = brightest(patches, line, 0.0, nearest_m - reach_m)
    if height > snr:
        snr, place_m = height, at_m
    if nearest_m < _farthest(rays, beam.start):
        height, at_m = brightest(patches, line, nearest_m, math.inf)
        height *= _share_beyond(rays, beam.start, at_m + reach_m)
        if height > snr:
            snr, place_m = height, at_m
    return snr, place_m


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _with_bodies(
    # Sensor:
    settings,  # see WaveformSettings
    # In:
    media,
    beam,
    rays,
    n_part,
    # In and out:
    memory,
):
    """Add what bodies send back, those that touch as one; return how many components there are."""
    bodies, far_m = media.bodies, _farthest(rays, beam.start)
    (row, end), depth, n_own = rows_of(bodies, beam), 0.0, 0
    while row < end and bodies.near_m[row] < far_m:
        stop, until_m = row + 1, bodies.far_m[row] + _TOUCH * settings.sigma_r_m
        while stop < end and bodies.near_m[stop] < until_m:
            until_m = max(until_m, bodies.far_m[stop] + _TOUCH * settings.sigma_r_m)
            stop += 1
        back, thick = sums_before(bodies, (row, stop), far_m)
        if _sends_less(settings, media, row, back):
            depth += thick
            row = stop
            continue
        energy, mean_m, variance, depth = _sent_back(settings, media, (row, stop), far_m, depth)
        if rays.share.shape[0] > 0 or mean_m > _nearest(rays, beam.start):
            energy *= _share_beyond(rays, beam.start, mean_m)
        energy *= beam.clear
        if media.patches.extinction > 0.0:
            energy *= past_patches(media.patches, beam.line, mean_m)
        if energy > media.least_snr and n_own < _MOST_BODIES:
            ray = BODY_RAY + 16 * (bodies.origin[bodies.body[row]] - SPRAY)
            echo, n_own = (ray, mean_m, energy, variance), n_own + 1
            n_part = _added(settings, _BODIES + n_own - 1, echo, n_part, memory)
        row = stop
    return n_part


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _sends_less(settings, media, row, back):
    """Return whether what bodies from a row on send back [1/sr] is too faint to count.

    It leaves out that they weaken the light, which most spray hardly does. Thin patches of fog
    before them let more light pass than even fog, so there no body is left out.
    """
    near_m = float(media.bodies.near_m[row])
    q = root_at(settings.step_m, settings.air_root, near_m)
    is_faint = near_m >= media.rising_m and media.patches.extinction == 0.0
    return is_faint and _SLACK * math.pi * back < media.least_snr * q * q


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _sent_back(settings, media, span, far_m, depth):
    """Return what some bodies of a beam send back.

    That is a signal, its mean range and variance, and the optical depth behind them.
    """
    bodies, energy, moment, spread = media.bodies, 0.0, 0.0, 0.0
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


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _added(
    # Sensor:
    settings,  # see WaveformSettings
    # In:
    place,  # of the component among those of the air
    echo,  # its ray, range, signal and variance
    n_part,
    # In and out:
    memory,  # see new_beam
):
    """Add a component of the air, in the order of range; return how many there are then.

    Its signal counts as much as that of the sub-rays of a surface, one for one, where the ray of an
    echo is chosen.
    """
    hit, hit_index, part, part_index, hit_place = memory
    (ray, place_m, snr, variance), n_sub = echo, hit_place.shape[1]
    q, column = root_at(settings.step_m, settings.root, place_m), n_sub + place
    hit[SNR, column], hit_index[RAY, column] = snr / n_sub, np.uint32(ray)
    to = n_part
    while to > 0 and part[MEAN, to - 1] > place_m:
        for row in range(VARIANCE + 1):
            part[row, to] = part[row, to - 1]
        for row in range(2):
            part_index[row, to] = part_index[row, to - 1]
        to -= 1
    part[PART_BACK, to], part[PART_SNR, to] = snr * q * q, snr
    part[MEAN, to], part[VARIANCE, to] = place_m, variance
    part_index[FIRST, to] = part_index[BEST, to] = column
    return n_part + 1
