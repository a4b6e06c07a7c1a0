# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of what the air does to a beam: it weakens components, and adds others.

The scale of the signal already includes even fog; here the reported reflectivity is weakened by it,
too. Signal and reflectivity are corrected where patches differ from even fog. Fog, drops, bodies
such as spray, and ghosts in wet roads and gloss are components of their own, so that they compete
with surfaces when the receiver chooses echoes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential
from material_mapping.kernels import root_at
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
from osi_lidar.scan.echoes.origin_kernels import (
    BODY_RAY,
    DUST,
    FOG_RAY,
    GHOST_RAY,
    MOST_IN_AIR,
    RAIN_RAY,
    SNOW_RAY,
    SPRAY,
)
from osi_lidar.scan.media.chords.passed_kernels import (
    past_bodies,
    rows_of,
    sent_back,
    sums_before,
)
from osi_lidar.scan.media.drop_kernels import (
    DROPS_PER_BEAM,
    MOST_DROPS,
    drawn_drop,
    first_drop,
)
from osi_lidar.scan.media.fog_kernels import even_echo, fog_in_patches
from osi_lidar.scan.media.front_kernels import echo_of_front
from osi_lidar.scan.media.light_kernels import farthest_of, goes_on, nearest_of, share_beyond
from osi_lidar.scan.media.patches.sight_kernels import past_patches

_FOG, _GHOST, _DROPS = range(3)  # places of components of the air among those of a beam
_BODIES = _DROPS + 2 * MOST_DROPS
_MOST_BODIES = MOST_IN_AIR - _BODIES
_SLACK = 1.0 + 1e-9  # of bounds, because of rounding
_TOUCH = 0.5  # gap, in widths of the pulse, below which bodies are one component


class MediaArrays(NamedTuple):
    """Air, window and ghosts between sensor and targets in one scan, as arrays for kernels.

    Attributes
    ----------
    is_there, extinction : bool, float
        Whether weather, window, laser gains or ghosts change any beam; the extinction of the air
        without patches and bodies [1/m].
    window : float32 (n_beam | 1,)
        Share of the light that passes the window out and back, times the gain of the beam's laser.
    ghost_m, ghost, ghost_object : float32, float32, uint64 (n_beam | 0,)
        Range [m], reflectivity and OSI object id of each beam's ghost (see `Ghosts`); the
        reflectivity is 0 without a ghost.
    fog, drops, bodies, patches : FogArrays, DropArrays, PassedArrays, PatchArrays
        Echo of even fog, rain and snow, beams in spray and dust, and fog of changing density.
    least_snr, rising_m : float
        SNR below which echoes of bodies and ghosts are left out; range from which on q(r) in this
        air (a target of reflectivity R has the SNR R / q^2) never falls [m].
    """

    is_there: bool  # whether weather, window, laser gains or ghosts change any beam
    extinction: float  # of the air, without its patches and bodies [1/m]
    window: object  # float32 (n_beam | 1,) share that passes the window both ways, times laser gain
    fog: object  # see fog_kernels.FogArrays
    ghost_m: object  # these three: see ghosts.seen.Ghosts; no rows without ghosts
    ghost: object
    ghost_object: object
    drops: object  # see drop_kernels.DropArrays
    bodies: object  # see passed_kernels.PassedArrays
    patches: object  # see sight_kernels.PatchArrays
    least_snr: float  # SNR below which echoes of bodies and ghosts are left out
    rising_m: float  # range from which on q(r) in this air never falls


class BeamInAir(NamedTuple):
    """One beam, with the values that kernels need to compute the effect of the air on it.

    ``number`` is the index of the beam in the scan pattern, and ``start`` the row of its first
    sub-ray. ``clear`` is the share of light that passes the window out and back, times the laser's
    gain. ``line`` is the beam in the grid of patchy fog, a `Line`. ``stream`` is the tuple
    `Draws.stream` of the scan. ``rain`` and ``snow`` are uniform random numbers, 0 to 1, that place
    the beam's first visible drop and first visible flake.
    """

    number: int  # index of the beam in the scan pattern
    start: int  # row of its first sub-ray
    clear: float  # share that passes the window both ways, times the laser's gain
    line: object  # the beam in the grid of patchy fog, see sight_kernels.Line
    stream: object  # random numbers of this scan
    rain: float  # random number from 0 to 1 that places the beam's first drop of rain
    snow: float  # the same for its first flake of snow


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _weaken(media, beam, n_part, part_out):
    """Weaken a beam's components by window and fog; their signals include even fog already."""
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
    settings,  # see waveform_kernels.WaveformSettings
    # In:
    media,  # see MediaArrays
    beam,  # see BeamInAir
    rays,  # see waveform_kernels.SubRayArrays
    n_part,
    # In and out:
    memory,  # see component_kernels.new_beam
):
    """Weaken a beam's components by window and fog, and add the echoes of fog and of its ghost.

    A component is a Gaussian of the beam's waveform. Return the new number of components.

    Parameters
    ----------
    settings, media, beam, rays : WaveformSettings, MediaArrays, BeamInAir, SubRayArrays
        Pulse, and tables of the signal; air and window; the beam; sub-rays of all beams and their
        hits.
    n_part, memory : int, tuple of arrays
        Number of the beam's components, and its arrays as `new_beam` returns them. The components
        are changed in place; echoes become further ones, in the order of range.
    """
    clear, start, is_patchy = beam.clear, beam.start, media.patches.extinction > 0.0
    _weaken(media, beam, n_part, memory[2])
    width = settings.sigma_r_m * settings.sigma_r_m
    if media.fog.rows.shape[1] > 0:
        snr, place_m = even_echo(media.fog, rays, start)
        if is_patchy:
            snr, place_m = fog_in_patches(settings, media, beam, rays, (snr, place_m))
        n_part = _added(settings, _FOG, (FOG_RAY, place_m, clear * snr, width, 1.0), n_part, memory)
    if beam.number < np.uint64(media.ghost.shape[0]) and media.ghost[beam.number] > 0.0:
        place_m = float(media.ghost_m[beam.number])
        q = root_at(settings.step_m, settings.air_root, place_m)
        snr = clear * float(media.ghost[beam.number]) / (q * q)
        if is_patchy:
            snr *= past_patches(media.patches, beam.line, place_m)
        if snr > media.least_snr:
            n_part = _added(settings, _GHOST, (GHOST_RAY, place_m, snr, width, 1.0), n_part, memory)
    return n_part


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def through_bodies_and_drops(
    # Sensor:
    settings,  # see waveform_kernels.WaveformSettings
    # In:
    media,  # see MediaArrays
    beam,  # see BeamInAir
    rays,  # see waveform_kernels.SubRayArrays
    n_part,
    # In and out:
    memory,  # see component_kernels.new_beam
):
    """Weaken a beam's components by bodies of spray and dust; add echoes of bodies and drops.

    A component is a Gaussian of the beam's waveform. Return the new number of components.

    Parameters
    ----------
    settings, media, beam, rays : WaveformSettings, MediaArrays, BeamInAir, SubRayArrays
        Pulse, and tables of the signal; the air; the beam; sub-rays of all beams and their hits.
    n_part, memory : int, tuple of arrays
        Number of the beam's components, and its arrays as `new_beam` returns them. The components
        are changed in place; echoes become further ones, in the order of range.
    """
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
            if goes_on(beam, index, rays, place_m):
                snr *= beam.clear * past_bodies(bodies, span, beam, place_m)
                if media.patches.extinction > 0.0:
                    snr *= past_patches(media.patches, beam.line, place_m)
                ray, width = RAIN_RAY if kind == 0 else SNOW_RAY, settings.sigma_r_m**2
                echo = (ray, place_m, snr, width, 1.0)
                n_part = _added(settings, _DROPS + number, echo, n_part, memory)
    return n_part


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _with_bodies(
    # Sensor:
    settings,  # see waveform_kernels.WaveformSettings
    # In:
    media,
    beam,
    rays,
    n_part,
    # In and out:
    memory,
):
    """Add echoes of bodies, one for bodies that touch; return the number of components."""
    bodies, far_m = media.bodies, farthest_of(rays, beam.start)
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
        echo, depth = _seen(settings, media, (row, stop), far_m, depth)
        snr, place_m, variance, whole = echo
        if rays.share.shape[0] > 0 or place_m > nearest_of(rays, beam.start):
            snr *= share_beyond(rays, beam.start, place_m)
        snr *= beam.clear
        if media.patches.extinction > 0.0:
            snr *= past_patches(media.patches, beam.line, place_m)
        if snr > media.least_snr and n_own < _MOST_BODIES:
            ray = BODY_RAY + 16 * (bodies.origin[bodies.body[row]] - SPRAY)
            added, n_own = (ray, place_m, snr, variance, whole), n_own + 1
            n_part = _added(settings, _BODIES + n_own - 1, added, n_part, memory)
        row = stop
    return n_part


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _sends_less(settings, media, row, back):
    """Return whether the backscatter [1/sr] of the bodies from a row on is too faint to count.

    The estimate ignores that bodies weaken the light, which most spray hardly does. In patchy fog
    no body is too faint, because thin patches let more light pass than even fog.
    """
    near_m = float(media.bodies.near_m[row])
    q = root_at(settings.step_m, settings.air_root, near_m)
    is_faint = near_m >= media.rising_m and media.patches.extinction == 0.0
    return is_faint and _SLACK * math.pi * back < media.least_snr * q * q


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _seen(settings, media, span, far_m, depth):
    """Return the echo of some bodies of a beam, and the optical depth behind them.

    The echo has four numbers: signal, range, variance, and the ratio of all light to the signal.
    """
    bodies = media.bodies
    energy, mean_m, variance, behind = sent_back(settings, bodies, span, far_m, depth)
    if energy > 0.0 and bodies.origin[bodies.body[span[0]]] == DUST:
        sent = energy, mean_m, variance
        return echo_of_front(settings, bodies, span, far_m, depth, sent), behind
    return (energy, mean_m, variance, 1.0), behind


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _added(
    # Sensor:
    settings,  # see waveform_kernels.WaveformSettings
    # In:
    place,  # of the component among those of the air
    echo,  # its ray, range, signal, variance, and ratio of all light to the signal
    n_part,
    # In and out:
    memory,  # see component_kernels.new_beam
):
    """Add a component of the air, in the order of range; return the new number of components.

    When the strongest ray of an echo is chosen, 1 / n_sub of its signal counts: as much as one
    sub-ray of a surface has.
    """
    hit, hit_index, part, part_index, hit_place = memory
    (ray, place_m, snr, variance, whole), n_sub = echo, hit_place.shape[1]
    q, column = root_at(settings.step_m, settings.root, place_m), n_sub + place
    hit[SNR, column], hit_index[RAY, column] = snr / n_sub, np.uint32(ray)
    to = n_part
    while to > 0 and part[MEAN, to - 1] > place_m:
        for row in range(VARIANCE + 1):
            part[row, to] = part[row, to - 1]
        for row in range(2):
            part_index[row, to] = part_index[row, to - 1]
        to -= 1
    part[PART_BACK, to], part[PART_SNR, to] = whole * snr * q * q, snr
    part[MEAN, to], part[VARIANCE, to] = place_m, variance
    part_index[FIRST, to] = part_index[BEST, to] = column
    return n_part + 1
