# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of wet roads: the beams that meet water, their mirrored rays, their ghosts.

The first sub-ray stands for its beam.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lidar_base.block_kernels import BLOCK, in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.memory_kernels import borrowed
from lidar_scenery.weather.lanes.area_kernels import DRY
from material_mapping.kernels import reflectivity_at
from osi_lidar.scan.light_path import CLEAR_M, CLEAR_PER_M, LEAST_COSINE
from raycore.pattern.fan_kernels import one_ray
from raycore.records import NOTHING


class WetArrays(NamedTuple):
    """Water films on materials, and the world's vertical in the sensor frame at each pose.

    Attributes
    ----------
    film : int64 (n_material + 1,)
        Film of water on each material, a row of ``mirrored_twice``; `DRY` without one. The last
        entry is for rays that hit nothing.
    cosines : float64 (n,)
        Cosines of the angle of incidence, ascending.
    mirrored_twice : float64 (n_film, n)
        Share of light that each film mirrors, on the way out and again on the way back, at these
        cosines. [1]
    up : float64 (n_pose, 3)
        Unit vector upwards, in the sensor frame at each pose.
    least_level : float
        Water stays on a surface if the cosine between its normal and the vertical is above this.
    """

    film: object  # int64 (n_material + 1,) DRY or a row of mirrored_twice
    cosines: object  # float64 (n,) cosines of incidence, ascending
    mirrored_twice: object  # float64 (n_film, n) share of light mirrored out and back at these
    up: object  # float64 (n_pose, 3) unit vector upwards in the sensor frame
    least_level: float  # cosine of a surface's tilt above which water stays on it


class MetArrays(NamedTuple):
    """The surfaces that the rays of a scan have met, their light, and the pose of each beam.

    Attributes
    ----------
    hits : HitArrays
        The surface that each ray has met.
    share : float32 (n_ray | 0,)
        Share of each ray's light that comes back through panes and mirrors; no rows: 1 for all. [1]
    moment : uint32 (n_beam | 1,)
        Index of the sensor's pose for each beam; a single row for all beams.
    """

    hits: object  # see records.HitArrays
    share: object  # float32 (n_ray | 0,) of light that comes back through panes and mirrors
    moment: object  # uint32 (n_beam | 1,) row of the pose of each beam


class MirroredArrays(NamedTuple):
    """Rays after the water on a road has mirrored them, in the order of their beams.

    Attributes
    ----------
    origin_m : float32 (n, 3)
        Mirror images of the rays' origins, in the sensor frame. [m]
    direction : float32 (3, n)
        Unit vectors after the water, in the sensor frame.
    start_m : float32 (n,)
        Range from which on a ray is traced, just behind the water. [m]
    """

    origin_m: object  # float32 (n, 3) mirror images of the rays' origins
    direction: object  # float32 (3, n)
    start_m: object  # float32 (n,) range from which on a ray is traced, just behind the water


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _material_of(surfaces, hits, ray):
    """Return the material that a ray has met; the ray must have met a surface."""
    row = np.uint64(surfaces.first_row[hits.instance[ray]]) + np.uint64(hits.primitive[ray])
    return surfaces.material_of_row[row]


@njit(cache=True, nogil=True, threads=True)
def find_wet(
    # Scene:
    surfaces,  # see fused_kernels.SurfaceArrays
    wet,  # see WetArrays
    # In:
    met,  # see MetArrays
    n_workers,
    # Out:
    mirrored_out,  # float32 (n_beam,) share of the light that water mirrors, out and back
):
    """Write, for each beam, the share of its light that a wet road mirrors, out and back.

    Parameters
    ----------
    surfaces : SurfaceArrays
        Material of each triangle of the scene.
    wet : WetArrays
        Films of water on the materials.
    met : MetArrays
        The surfaces that the rays met.
    n_workers : int
        Number of threads.
    mirrored_out : float32 (n_beam,)
        Output, all rows: the share; 0 if the beam's first sub-ray meets no wet road, or meets it
        after a pane or a mirror. [1]
    """
    in_threads(_find_wet, n_workers, (new_deal(), surfaces, wet, met, mirrored_out))


@njit(cache=True, nogil=True, error_model="numpy")
def _find_wet(deal, surfaces, wet, met, mirrored_out):
    """Process one block after the other; the arguments as for `find_wet`."""
    surfaces, wet, mirrored_out = borrowed(surfaces), borrowed(wet), borrowed(mirrored_out)
    hits, share, moment = borrowed(met)
    n_sub = len(hits.instance) // len(mirrored_out)
    while True:
        first = take_block(deal) * BLOCK
        if first >= len(mirrored_out):
            break
        for beam in range(first, min(first + BLOCK, len(mirrored_out))):
            ray = np.uint64(beam * n_sub)
            mirrored_out[beam] = 0.0
            if hits.instance[ray] == NOTHING or (len(share) > 0 and share[ray] != 1.0):
                continue
            film = wet.film[_material_of(surfaces, hits, ray)]
            up = wet.up[moment[beam if len(moment) > 1 else 0]]
            if film != DRY and _levelness(hits.normal, ray, up) > wet.least_level:
                cosine = float(hits.cos_incidence[ray])
                mirrored_out[beam] = _between(wet.cosines, wet.mirrored_twice, film, cosine)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _levelness(normal, ray, up):
    """Return the cosine between a surface's normal, of either direction, and the vertical."""
    x, y, z = float(normal[0, ray]), float(normal[1, ray]), float(normal[2, ray])
    return abs(x * up[0] + y * up[1] + z * up[2]) / math.sqrt(x * x + y * y + z * z)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _between(places, values, of, place):
    """Return a value of one of the tables, linear between its places, constant beyond the ends."""
    row, last = 0, len(places) - 2
    while row < last and places[row + 1] <= place:  # roads are met at grazing angles, early rows
        row += 1
    share = (place - places[row]) / (places[row + 1] - places[row])
    below, above = values[of, row], values[of, row + 1]
    return below + min(max(share, 0.0), 1.0) * (above - below)


@njit(cache=True, nogil=True, threads=True)
def send_mirrored(
    # In:
    rays,  # see records.RayArrays
    hits,  # see records.HitArrays
    beams,  # int64 (n,) that meet wet roads
    n_sub,  # number of rays of each beam
    n_workers,
    # Out:
    sent_out,  # see MirroredArrays
):
    """Write one new ray for each of some beams: the beam as the wet road mirrors it.

    The beam's first ray and its hit give the new ray.

    Parameters
    ----------
    rays, hits : RayArrays, HitArrays
        The rays of all beams, and the surfaces that they meet.
    beams : int64 (n,)
        Indices of the beams that meet wet roads.
    n_sub : int
        Number of rays of each beam.
    n_workers : int
        Number of threads.
    sent_out : MirroredArrays
        Output, all rows: the new ray of each entry of ``beams``.
    """
    in_threads(_send_mirrored, n_workers, (new_deal(), rays, hits, beams, n_sub, sent_out))


@njit(cache=True, nogil=True, error_model="numpy")
def _send_mirrored(deal, rays, hits, beams, n_sub, sent_out):
    """Process one block after the other; the arguments as for `send_mirrored`."""
    rays, hits, beams, sent_out = (
        borrowed(rays),
        borrowed(hits),
        borrowed(beams),
        borrowed(sent_out),
    )
    while True:
        first = take_block(deal) * BLOCK
        if first >= len(beams):
            break
        _send_some(rays, hits, beams, n_sub, (first, min(first + BLOCK, len(beams))), sent_out)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _send_some(rays, hits, beams, n_sub, span, sent_out):
    """Write the mirrored rays of some rows of ``beams``."""
    origin_m, direction, fan, fan_of_beam = rays
    for k in range(span[0], span[1]):
        ray = np.uint64(beams[k] * n_sub)
        axis, start = one_ray(ray, origin_m, direction, fan, fan_of_beam)
        range_m = float(hits.range_m[ray])
        clear_m = CLEAR_M + CLEAR_PER_M * range_m
        sent_out.start_m[k] = range_m + clear_m / max(float(hits.cos_incidence[ray]), LEAST_COSINE)
        nx, ny, nz = (
            float(hits.normal[0, ray]), float(hits.normal[1, ray]), float(hits.normal[2, ray])
        )  # fmt: skip
        x, y, z = float(axis[0]), float(axis[1]), float(axis[2])
        twice = 2.0 * (x * nx + y * ny + z * nz) / (nx * nx + ny * ny + nz * nz)
        u, v, w = x - twice * nx, y - twice * ny, z - twice * nz
        length = math.sqrt(u * u + v * v + w * w)
        u, v, w = np.float32(u / length), np.float32(v / length), np.float32(w / length)
        for row, before, after in ((0, x, u), (1, y, v), (2, z, w)):
            sent_out.direction[row, k] = after
            sent_out.origin_m[k, row] = float(start[row]) + range_m * (before - float(after))


@njit(cache=True, nogil=True, threads=True)
def see_mirrored(
    # Scene:
    surfaces,  # see fused_kernels.SurfaceArrays
    # In:
    hits,  # see records.HitArrays, of the rays that went on
    beams,  # int64 (n,) beams of these rays
    mirrored,  # float32 (n_beam,) see find_wet
    n_workers,
    # Out:
    seen_out,  # see ghosts.seen.Ghosts, of which the strength is 0 at first
):
    """Write range and strength of the ghosts that beams see in wet roads.

    Parameters
    ----------
    surfaces : SurfaceArrays
        Materials of the scene.
    hits : HitArrays
        The surface that each mirrored ray meets.
    beams : int64 (n,)
        Index of the beam of each mirrored ray.
    mirrored : float32 (n_beam,)
        Share of each beam's light that the road mirrors out and back, from `find_wet`.
    n_workers : int
        Number of threads.
    seen_out : Ghosts
        Output: ``range_m`` and ``strength`` (``mirrored`` times reflectivity) of the beams whose
        ray meets a surface; all other rows stay as they are, and so does ``object_id``.
    """
    in_threads(_see_mirrored, n_workers, (new_deal(), surfaces, hits, beams, mirrored, seen_out))


@njit(cache=True, nogil=True, error_model="numpy")
def _see_mirrored(deal, surfaces, hits, beams, mirrored, seen_out):
    """Process one block after the other; the arguments as for `see_mirrored`."""
    surfaces, hits, seen_out = borrowed(surfaces), borrowed(hits), borrowed(seen_out)
    while True:
        first = take_block(deal) * BLOCK
        if first >= len(beams):
            break
        for k in range(first, min(first + BLOCK, len(beams))):
            ray, beam = np.uint64(k), beams[k]
            if hits.instance[ray] != NOTHING:
                material = _material_of(surfaces, hits, ray)
                back = reflectivity_at(
                    surfaces.reflectance, surfaces.lookup, material, hits.cos_incidence[ray]
                )
                seen_out.range_m[beam] = hits.range_m[ray]
                seen_out.strength[beam] = mirrored[beam] * back
