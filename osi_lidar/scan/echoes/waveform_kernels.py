# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled search for the echoes in the waveform of each beam, without sampling it.

The receiver sees a sum of Gaussians over range, one for each component j of the light that comes
back, in multiples of its noise:

    s(x) = sum_j A_j sigma_r / sigma_j exp(-(x - m_j)^2 / 2 sigma_j^2)

A component holds the sub-rays that meet one plane, or surfaces nearer to each other than half of
the pulse: those overlap to one Gaussian of their mean m_j and variance, to 0.1 % of its height.
Its width is

    sigma_j^2 = sigma_r^2 + variance between the sub-rays + variance within their cells.

Echoes are the maxima of s. Most beams have one component, and one echo at its mean.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray  # noqa: TC002  named tuples are read by numba

from lidar_base.compiled import njit
from lidar_base.memory_kernels import borrowed
from osi_lidar.scan.echoes.component_kernels import (
    BEST,
    FIRST,
    MEAN,
    PART_BACK,
    PART_SNR,
    RAY,
    VARIANCE,
    first_lit,
    is_one_plane,
    join_all,
    split,
    spread_of_cell,
)
from osi_lidar.scan.echoes.hit_kernels import (
    lone_ray,
    reflect,
    reflect_one_triangle,
    reflected,
    what_is_met,
    write_hits,
    write_places,
)
from osi_lidar.scan.echoes.maxima_kernels import find_maxima
from osi_lidar.scan.echoes.media_kernels import (
    BeamInAir,
    through_bodies_and_drops,
    through_even_air,
)
from osi_lidar.scan.media.patches.sight_kernels import NOWHERE, line_of
from osi_lidar.scan.texture_kernels import gain_at
from raycore.pattern.fan_kernels import frame
from raycore.records import NOTHING

MIXED, BRIGHT, SEVERAL = 1, 2, 4
"""Bits of a beam. MIXED: its sub-rays do not all meet one plane. BRIGHT: on at least one of them,
more light comes back than from a white wall. SEVERAL: they do not all meet one instance."""
WIDEST = 10.0
"""Limit on the width that one sub-ray's tilted surface adds to a pulse, in pulse widths (sigma)."""


class SubRayArrays(NamedTuple):
    """The sub-rays of all beams, and the surfaces that they have met.

    Arrays with a row or column for each ray have the n_sub sub-rays of one beam after the other.
    Places and directions are in the sensor frame.

    Attributes
    ----------
    origin_m, direction : float32 (n_beam | 1, 3), float32 (3, n_beam)
        Start [m] and unit vector of each beam.
    fan, fan_of_beam : float32 (n_fan, 5, n_sub), uint16 (n_beam | 0,)
        Directions and starts of sub-rays relative to their beam, see `fan_kernels`, and the row of
        ``fan`` that holds for each beam. Both are empty if each beam is a single ray.
    weight : float32 (n_sub,)
        Share of the beam's light on each of its sub-rays. [1]
    range_m, cos_incidence : float32 (n_ray,)
        Range of each ray's hit [m], and cosine of incidence there.
    normal : float32 (3, n_ray)
        Unit normal of the surface, towards the sensor.
    instance, primitive : uint32 (n_ray,)
        Mesh instance that the ray has met, `NOTHING` without a hit, and triangle of its mesh.
    share : float32 (n_ray | 0,)
        Share of each ray's light that comes back through panes and mirrors; no rows: 1 for all. [1]
    """

    origin_m: NDArray[Any]  # these four: see records.RayArrays
    direction: NDArray[Any]
    fan: NDArray[Any]
    fan_of_beam: NDArray[Any]
    weight: NDArray[Any]  # float32 (n_sub,) share of the beam's light on each of its sub-rays
    range_m: NDArray[Any]  # float32 (n_ray,), see records.HitArrays
    normal: NDArray[Any]  # float32 (3, n_ray)
    cos_incidence: NDArray[Any]  # float32 (n_ray,)
    instance: NDArray[Any]  # uint32 (n_ray,)
    primitive: NDArray[Any]  # uint32 (n_ray,)
    share: NDArray[Any]  # float32 (n_ray | 0,) of light that comes back through panes and mirrors


class WaveformSettings(NamedTuple):
    """Pulse width and footprint of a sensor, and tables of its signal over range, for kernels.

    Attributes
    ----------
    sigma_r_m : float
        Rms width of the pulse in range. [m]
    sigma_h_rad, sigma_v_rad : float
        Rms width of the beam over angle, horizontal and vertical; 0 if beams are lines. [rad]
    cell_variance : float
        Variance within the cell of a sub-ray, in squares of these widths. [1]
    point_scale : float
        Factor for the variance of range between sub-rays, see `Footprint`. [1]
    step_m : float
        Range step between the rows of ``root`` and ``air_root``. [m]
    root, air_root : float64 (n,)
        q(r) in clear air, and in the air of the scan: a target of reflectivity R that fills the
        beam has the SNR R / q^2. Both are empty until `waveform_in` sets them.
    finds_valleys : bool
        Whether the lowest signal between two echoes of a beam is computed.
    """

    sigma_r_m: float  # rms width of the pulse in range
    sigma_h_rad: float  # rms width of the beam over angle, horizontal
    sigma_v_rad: float  # the same, vertical
    cell_variance: float  # within the cell of a sub-ray, in squares of these widths
    point_scale: float  # factor for the variance between sub-rays, see footprint.Footprint
    step_m: float  # range step between the rows of root and air_root
    root: object  # float64 (n,) q(r), SNR = R / q^2, see signal_scale.SignalScale.kernel_table
    air_root: object  # float64 (n,) the same through the air of this scan
    finds_valleys: bool  # whether the signal between echoes matters


@njit(cache=True, nogil=True, parallel=True)
def strength_of(
    # Scene:
    surfaces,  # see fused_kernels.SurfaceArrays
    texture,  # see texture_kernels.TextureArrays
    # In:
    rays,  # see SubRayArrays
    chosen,  # int64 (n,) rows of rays
    # Out:
    strength_out,  # float64 (n,)
):
    """Write the light that comes back on some sub-rays, relative to a white wall across the beam.

    The wall fills the beam at the same range.

    Parameters
    ----------
    surfaces, texture : SurfaceArrays, TextureArrays
        Materials of the scene, and how their reflectivity varies.
    rays : SubRayArrays
        The sub-rays of all beams, and the surfaces that they meet.
    chosen : int64 (n,)
        Rows of ``rays``.
    strength_out : float64 (n,)
        Output, all rows: reflectivity (with texture) times the sub-ray's part of the beam's light
        times the share that passes panes and mirrors; 0 without a hit. [1]
    """
    first_row, material_of_row, reflectance, lookup = surfaces
    _, _, _, _, weight, range_m, _, cosine, instance, primitive, share = rays
    for i in prange(len(chosen)):
        ray = chosen[i]
        strength_out[i] = 0.0
        if instance[ray] != NOTHING:
            row = np.int64(first_row[instance[ray]]) + np.int64(primitive[ray])
            back = reflected(reflectance, lookup, material_of_row[row], cosine[ray])
            back = back * (share[ray] if share.shape[0] > 0 else np.float32(1.0))
            if texture.rows.shape[0] > 0:
                beam = np.uint64(ray // len(weight))
                back *= gain_at(
                    texture, material_of_row[row], instance[ray], primitive[ray], beam,
                    float(range_m[ray]),
                )  # fmt: skip
            strength_out[i] = back * weight[ray % len(weight)]


@njit(cache=True, nogil=True, error_model="numpy")
def find_block(
    # Sensor:
    settings,  # see WaveformSettings
    # Scene:
    surfaces,  # see fused_kernels.SurfaceArrays
    texture,  # see texture_kernels.TextureArrays
    # In:
    rays,  # see SubRayArrays
    lost,  # bool (n_beam | 1,) beams of which no echo is reported
    first,  # row of the block's first beam
    n_beam,  # number of beams from the first on
    media,  # see media_kernels.MediaArrays
    stream,  # random numbers of this scan
    beam_of_row,  # uint32 (n_beam | more,) indices of the beams in the pattern
    rain,  # float64 (n_beam | more,) uniform, for the beam's drops
    snow,  # float64 (n_beam | more,) uniform, for the beam's flakes
    # Work:
    memory,  # see component_kernels.new_beam
    # Out:
    found_out,  # rows of FOUND, `MOST_ECHOES` for each beam
    seen_out,  # uint8 (n_beam,) MIXED, BRIGHT and SEVERAL
):
    """Write the maxima in the waveforms of a block of beams; return their number.

    Parameters
    ----------
    settings : WaveformSettings
        Pulse, footprint and tables of the signal over range.
    surfaces, texture : SurfaceArrays, TextureArrays
        Materials of the scene, and how their reflectivity varies.
    rays : SubRayArrays
        The sub-rays of all beams, and the surfaces that they meet.
    lost : bool (n_row | 1,)
        Whether each beam of ``rays`` is lost, so that it gets no maxima.
    first, n_beam : int
        The block: index of its first beam in ``rays``, and number of its beams.
    media : MediaArrays
        Air, window and ghosts of the scan.
    stream : tuple
        `Draws.stream` of the scan, for drops of rain and snow.
    beam_of_row : uint32 (n_beam | more,)
        Index of each beam of the block in the scan pattern.
    rain, snow : float64 (n_beam | more,)
        Uniform random numbers, 0 to 1, that decide on each beam's first visible drop and flake.
    memory : tuple of arrays
        Working memory for one beam, from `new_beam`.
    found_out : structured (`MOST_ECHOES` * n_beam,)
        Output: the maxima in the first rows, of the type `FOUND`, in the order of beam and range.
    seen_out : uint8 (n_beam,)
        Output: bits `MIXED`, `BRIGHT` and `SEVERAL` of each beam.
    """
    (
        sigma_r_m, sigma_h, sigma_v, cell_variance, point_scale, step_m, root, air_root,
        finds_valleys,
    ) = borrowed(settings)  # fmt: skip
    settings, media, rays, memory = (
        borrowed(settings), borrowed(media), borrowed(rays), borrowed(memory),
    )  # fmt: skip
    is_weather, window, is_patchy = media.is_there, media.window, media.patches.extinction > 0.0
    first_body, end_of_bodies = media.bodies.first_of_beam, media.bodies.end_of_beam
    has_bodies = first_body.shape[0] > 0
    rain_share, snow_share = media.drops.some[0], media.drops.some[1]
    first_row, material_of_row, reflectance, lookup = borrowed(surfaces)
    (
        origin_m, direction, fan, fan_of_beam, weight, range_m, normal, cosine, instance, primitive,
        share,
    ) = rays  # fmt: skip
    hit, hit_index, part, part_index, place = memory
    lost, found_out, seen_out = borrowed(lost), borrowed(found_out), borrowed(seen_out)
    texture = borrowed(texture)
    n_sub, n_found, is_textured = len(weight), 0, texture.rows.shape[0] > 0
    for b in range(n_beam):
        seen_out[b] = 0
        is_lost = lost[first + b] if lost.shape[0] > 1 else lost[0]
        beam = np.uint64(first + b)
        start = beam * np.uint64(n_sub)
        axis, left, up, from_m = frame(beam, origin_m, direction)
        n_part = 0
        if n_sub == 1:
            if is_lost:
                continue
            n_part = lone_ray(
                step_m, air_root, first_row, material_of_row, reflectance, lookup, share, weight,
                range_m, cosine, instance, primitive, start, hit, hit_index, part, part_index,
            )  # fmt: skip
        else:
            any_met, one_instance, one_plane = what_is_met(instance, primitive, start, n_sub)
            seen_out[b] = 0 if one_instance else SEVERAL
            if not any_met and (is_lost or not is_weather):
                continue
            any_lit = False
            if any_met:
                one_plane &= share.shape[0] == 0  # mirrors show one triangle in two places
                if not one_plane or not reflect_one_triangle(
                    first_row, material_of_row, reflectance, lookup, cosine, instance, primitive,
                    start, n_sub, hit,
                ):  # fmt: skip
                    reflect(
                        first_row, material_of_row, reflectance, lookup, cosine, instance,
                        primitive, start, n_sub, hit,
                    )  # fmt: skip
                any_lit, all_lit, bright = write_hits(
                    step_m, air_root, share, weight, range_m, start, n_sub, hit, hit_index
                )
            if any_lit:
                lit = first_lit(n_sub, hit)
                if not one_plane:
                    write_places(
                        axis, left, up, fan, fan_of_beam[beam], range_m, start, n_sub, place
                    )
                    one_plane = is_one_plane(place, normal, range_m, start, n_sub, lit, hit)
                n_part = 1
                if bright:
                    seen_out[b] |= BRIGHT
                if not (one_plane and all_lit):
                    seen_out[b] |= MIXED
                if is_lost:
                    continue
                if one_plane:
                    join_all(n_sub, lit, hit, hit_index, part, part_index)
                else:
                    n_part = split(
                        normal, range_m, start, n_sub, sigma_r_m, hit, hit_index, place, part,
                        part_index,
                    )  # fmt: skip
            elif is_lost or not is_weather:
                continue
        if is_textured:
            for j in range(n_part):
                ray = np.uint64(hit_index[RAY, part_index[BEST, j]])
                row = np.uint64(first_row[instance[ray]]) + np.uint64(primitive[ray])
                gain = gain_at(
                    texture, material_of_row[row], instance[ray], primitive[ray], beam,
                    part[MEAN, j],
                )  # fmt: skip
                part[PART_BACK, j] *= gain
                part[PART_SNR, j] *= gain
        for j in range(n_part):
            ray = np.uint64(hit_index[RAY, part_index[FIRST, j]])
            spread = spread_of_cell(normal, ray, axis, left, up, sigma_h, sigma_v)
            cell_m2 = min(cell_variance * (part[MEAN, j] * spread) ** 2, (WIDEST * sigma_r_m) ** 2)
            part[VARIANCE, j] = sigma_r_m**2 + point_scale * part[VARIANCE, j] + cell_m2
        if is_weather:
            of = np.uint64(beam_of_row[b])
            clear = float(window[of if window.shape[0] > 1 else np.uint64(0)])
            if not clear > 0.0:
                continue
            line = line_of(media.patches, of, axis, from_m) if is_patchy else NOWHERE
            one = BeamInAir(of, start, clear, line, stream, rain[b], snow[b])
            n_part = through_even_air(settings, media, one, rays, n_part, memory)
            in_bodies = has_bodies and end_of_bodies[of] > first_body[of]
            if in_bodies or rain[b] < rain_share or snow[b] < snow_share:
                n_part = through_bodies_and_drops(settings, media, one, rays, n_part, memory)
        n_found = find_maxima(
            finds_valleys, sigma_r_m, step_m, root, hit, hit_index, n_part, part_index, b,
            n_found, part, found_out,
        )  # fmt: skip
    return n_found
