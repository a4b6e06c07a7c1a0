# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ghosts in glossy surfaces: light that bounces once more, and comes back the same way.

A glossy surface reflects the share E of the light in a lobe about the mirror direction, on the way
out and again on the way back. With a lobe of the solid angle W, and 4 pi s_h s_v of the beam, a
target that fills both appears behind the surface, with the reflectivity

    R E^2 H(q),    q = W d^2 / (4 pi s_h(r) s_v(r) r^2)

at the range r of the whole way, d of it behind the surface (explanation/second-bounce.md). H is
`material_mapping.optics.gloss.returned_share`. One ray per beam is traced where its light goes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from material_mapping.kernels import LAST_DEGREE
from material_mapping.optics.gloss import returned_share
from osi_lidar.scan.light_path import Branch, PathRules, follow_light, rays_onwards
from osi_lidar.scan.media.ghosts.seen import Ghosts
from raycore.records import NOTHING
from raycore.trace.tracer import new_tracer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from material_mapping import MaterialTable
    from osi_lidar.config import Sensor
    from osi_lidar.scan.media.ghosts.seen import Sensitivity
    from osi_lidar.scan.records import Exposure, Paths
    from raycore.pattern.footprint import Footprint
    from raycore.records import Hits, Shots


class GlossMirror:
    """Finds the ghosts that beams see in glossy surfaces: light that such a surface mirrors twice.

    Parameters
    ----------
    footprint : Footprint
        Footprint of the beams.
    max_bounces : int
        How many mirrors a ray may meet; the glossy surface counts as the first.
    """

    def __init__(self, footprint: Footprint, max_bounces: int) -> None:
        self._footprint = footprint
        self._rules = PathRules(max_bounces - 1, Branch.STRAIGHT)
        self._tracer, self._onwards = new_tracer(), new_tracer()
        self._scene: _Scene | None = None

    @classmethod
    def of(cls, config: Sensor, footprint: Footprint | None) -> GlossMirror | None:
        """Return the finder for a sensor; None if it sees no second bounce.

        That is so if its beams are lines, or have no width horizontally or vertically: they light
        no area, and so receive none of the light that gloss spreads.

        The default of ``beam.second_bounce`` is on with ``fidelity: physical``, unless
        ``max_bounces`` is 0.

        Parameters
        ----------
        config : Sensor
            An entry of the configuration's ``sensors``.
        footprint : Footprint or None
            Footprint of its beams; None if they are lines.
        """
        if footprint is None or config.beam is None or not config.max_bounces:
            return None
        if not config.beam.lights_an_area:
            return None
        wanted = config.beam.second_bounce
        wanted = config.fidelity == "physical" if wanted is None else wanted
        return cls(footprint, config.max_bounces) if wanted else None

    def ghosts(
        self, exposure: Exposure, shots: Shots, paths: Paths, sensitivity: Sensitivity
    ) -> Ghosts | None:
        """Return the ghosts that beams see in glossy surfaces, a row for each beam.

        None if no beam sees one. ``exposure`` is the scan, ``shots`` its rays, and ``paths`` the
        surfaces that these rays met. Ghosts that are too weak for the ``sensitivity`` of the
        receiver are left out.
        """
        scene = self._scene_of(exposure)
        if not scene.is_glossy.any():
            return None
        n_sub = len(shots.weight)
        gloss = _glossy_beams(exposure, scene, shots.weight, paths, sensitivity)
        if not len(gloss.beams):
            return None
        rays = gloss.beams * n_sub
        sent = rays_onwards(shots, paths.hits, rays, np.ones(len(rays), np.bool_))
        hits = self._tracer.trace(exposure.scene, sent, exposure.poses)
        there = follow_light(exposure, sent, hits, self._onwards, self._rules)
        met = np.flatnonzero(there.hits.instance != NOTHING)
        range_m = there.hits.range_m[met].astype(np.float64)
        behind_m = range_m - paths.hits.range_m[rays[met]]
        share = there.share[met] if len(there.share) else np.float32(1.0)
        strength = gloss.mirrored_twice[met] * share * _reflectivity(exposure, there.hits, met)
        strength *= returned_share(gloss.width_sr[met] * behind_m**2 / self._lit_m2(range_m))
        noticed = strength >= sensitivity.least_strength(range_m)
        if not noticed.any():
            return None
        met, seen = met[noticed], Ghosts.none(len(paths.hits.range_m) // n_sub)
        beams = gloss.beams[met]
        seen.range_m[beams], seen.strength[beams] = range_m[noticed], strength[noticed]
        seen.object_id[beams] = exposure.surfaces.object_of_instance[there.hits.instance[met]]
        return seen

    def _lit_m2(self, range_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the area that a beam lights, 4 pi s_h s_v of a Gaussian one, at ranges [m]."""
        widths = zip(self._footprint.sigma_rad, self._footprint.window_sigma_m, strict=True)
        across, upright = (np.hypot(angle * range_m, start) for angle, start in widths)
        return np.asarray(4.0 * math.pi * across * upright)

    def _scene_of(self, exposure: Exposure) -> _Scene:
        """Return which materials of the scene are glossy, and the highest reflectivity in it."""
        known, rows, table = self._scene, exposure.surfaces.material_of_row, exposure.table
        if known is None or known.material_of_row is not rows or known.table is not table:
            there = np.bincount(rows, minlength=len(table.names)) > 0
            is_glossy = there & table.lobes.share.any(axis=1)
            brightest = float(table.reflectance[there].max(initial=0.0))
            self._scene = known = _Scene(rows, table, is_glossy, brightest)
        return known


class _Scene(NamedTuple):
    """The glossy materials of a scene, and its highest reflectivity."""

    material_of_row: NDArray[np.uint16]
    table: MaterialTable
    is_glossy: NDArray[np.bool_]  # (n_material,)
    brightest: float  # reflectivity


class _GlossyBeams(NamedTuple):
    """Beams whose first surface is glossy, and in which the receiver may notice a ghost."""

    beams: NDArray[np.intp]  # (n,)
    mirrored_twice: NDArray[np.float64]  # (n,) share of the light, there and back
    width_sr: NDArray[np.float64]  # (n,) of the lobe


def _glossy_beams(
    exposure: Exposure,
    scene: _Scene,
    weight: NDArray[np.float32],
    paths: Paths,
    sensitivity: Sensitivity,
) -> _GlossyBeams:
    """Return the beams that are followed off gloss; the first sub-ray stands for its beam.

    Light that has met a pane or a mirror before ends at gloss. ``weight`` has the weights of the
    sub-rays of a beam.
    """
    hits, n_sub = paths.hits, len(weight)
    first = slice(None, None, n_sub)
    met, straight = hits.instance[first] != NOTHING, paths.straight()
    beams = np.flatnonzero(met if straight is None else met & straight[first])
    material = _materials(exposure, hits, beams * n_sub)
    chosen = scene.is_glossy[material]
    beams, material = beams[chosen], material[chosen]
    rays = beams * n_sub
    place = np.degrees(np.arccos(np.minimum(hits.cos_incidence[rays], 1.0)))
    lobes = scene.table.lobes
    share = _at(lobes.share, material, place)
    whole = np.append(exposure.surfaces.whole_of_instance, np.uint32(NOTHING))
    of = whole[np.minimum(hits.instance.reshape(-1, n_sub)[beams], len(whole) - 1)]
    filled = ((of == of[:, :1]) * weight.astype(np.float64)).sum(axis=1)
    twice = share * share * filled
    may = twice * scene.brightest >= sensitivity.least_strength(hits.range_m[rays])
    width_sr = _at(lobes.width_sr, material[may], place[may])
    return _GlossyBeams(beams[may], twice[may], width_sr)


def _materials(exposure: Exposure, hits: Hits, rays: NDArray[np.intp]) -> NDArray[np.uint16]:
    """Return the materials that some rays have met, uint16 (n,)."""
    surfaces = exposure.surfaces
    row = surfaces.first_row_of_instance[hits.instance[rays]] + hits.primitive[rays]
    found: NDArray[np.uint16] = surfaces.material_of_row[row]
    return found


def _reflectivity(exposure: Exposure, hits: Hits, rays: NDArray[np.intp]) -> NDArray[np.float32]:
    """Return the reflectivity of the surfaces that some rays have met."""
    return exposure.table.reflectivity(_materials(exposure, hits, rays), hits.cos_incidence[rays])


def _at(
    table: NDArray[np.float64], material: NDArray[np.uint16], place_deg: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Return values of a table at angles of incidence, linear between whole degrees."""
    low = np.minimum(place_deg.astype(np.int64), LAST_DEGREE - 1)
    below, above = table[material, low], table[material, low + 1]
    return np.asarray(below + (place_deg - low) * (above - below))
