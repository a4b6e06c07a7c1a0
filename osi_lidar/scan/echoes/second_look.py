# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A second look at beams for which the first sub-rays are too few: which beams, and their rays.

A beam gets a second look if

- it meets several surfaces, or partly nothing, or is near a beam that does, and the sensor refines
  such beams: the second look has four times as many sub-rays;
- its tails, beyond 2.5 sigma, may meet a retroreflector, which at long range is the only surface
  bright enough to be seen there: 16 sub-rays in two rings are added;
- its light goes on behind a pane or off a mirror: each ray is followed twice, straight on and by
  way of the mirror.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.lane_kernels import N_LANES
from osi_lidar.scan.echoes.waveform_kernels import BRIGHT, MIXED
from osi_lidar.scan.light_path import Branch, PathRules, follow_light
from osi_lidar.scan.records import Paths
from raycore.pattern.fan_kernels import ALONG, N_PARTS
from raycore.pattern.neighbours import BeamNeighbours
from raycore.records import Hits
from raycore.trace.tracer import new_tracer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.config import Sensor
    from osi_lidar.scan.records import Exposure
    from raycore.pattern.footprint import Footprint
    from raycore.records import Shots

MOST_POINTS = 128
"""Largest number of sub-rays of a refined beam, without the sub-rays of its tails."""
FINER = 4
"""How many times as many sub-rays a refined beam has."""
REACH_OF_TAILS = 6.0
"""Distance between beams up to which their tails may meet the same retroreflector. [sigma]"""
REACH_OF_EDGES = 5.0
"""Distance between beams up to which they may meet the same edge of a surface. [sigma]"""
NEAREST_M = 5.0
"""Nearest range at which neighbours are sought; there the window adds most to the sigma. [m]"""


class SecondLook:
    """Chooses beams for a second look: they are traced again, usually with more sub-rays.

    These are beams at edges, near retroreflectors, behind panes, and off mirrors.

    Parameters
    ----------
    footprint : Footprint or None
        Footprint of the first look; None if beams are lines.
    refines : bool
        Whether beams that meet several surfaces are refined.
    max_bounces : int
        How many mirrors a ray may meet.
    """

    def __init__(self, footprint: Footprint | None, *, refines: bool, max_bounces: int) -> None:
        self._footprint, self._max_bounces = footprint, max_bounces
        self._width_rad = 0.0 if footprint is None else _width_rad(footprint)
        self._refines = refines and footprint is not None
        self._has_tails = footprint is not None and footprint.profile == "gaussian"
        self._tracer, self._tracer_onwards = new_tracer(), new_tracer()
        self._neighbours: dict[float, BeamNeighbours] = {}
        self._finer = None if footprint is None else _finer(footprint, refines=refines)
        self._fans: NDArray[np.float32] | None = None
        self._last: _LastLook | None = None

    @classmethod
    def of(cls, config: Sensor, footprint: Footprint | None) -> SecondLook:
        """Return the chooser of beams that a sensor traces a second time.

        Parameters
        ----------
        config : Sensor
            The sensor; ``beam.refine`` and ``max_bounces`` are used.
        footprint : Footprint or None
            Footprint of its beams in the first look; None if its beams are lines.
        """
        refines = config.beam is not None and config.beam.refine
        return cls(footprint, refines=refines, max_bounces=config.max_bounces)

    def beams(
        self, axis: NDArray[np.float32], seen: NDArray[np.uint8], paths: Paths
    ) -> NDArray[np.uint32]:
        """Return the indices of the beams to be traced a second time, uint32 (n,), ascending.

        They are beams at edges and their neighbours, if the sensor refines such beams; bright beams
        and their neighbours, if beams have Gaussian tails; and beams of which a ray has met a pane
        or a mirror.

        Parameters
        ----------
        axis : float32 (3, n_beam)
            Unit vectors along the beams.
        seen : uint8 (n_beam,)
            Bits of each beam in the first look. ``MIXED``, at an edge: its sub-rays do not all meet
            one plane. ``BRIGHT``: on at least one of them, more light comes back than from a white
            wall. ``SEVERAL`` is not used.
        paths : Paths
            The surfaces at which the sub-rays of the first look end.
        """
        chosen = np.zeros(len(seen), np.bool_)
        for kind, wanted, reach in (
            (MIXED, self._refines, REACH_OF_EDGES),
            (BRIGHT, self._has_tails, REACH_OF_TAILS),
        ):
            if wanted and (seen & kind).any():
                self._neighbours_of(axis, reach).add_near(seen, kind, chosen)
        straight = paths.straight()
        if straight is not None:
            chosen |= ~straight.reshape(len(seen), -1).all(axis=1)
        return np.flatnonzero(chosen).astype(np.uint32)

    def look(self, exposure: Exposure, shots: Shots, beams: NDArray[np.uint32]) -> BeamLook:
        """Trace some beams a second time; return their new sub-rays and the surfaces they meet.

        If a surface of the scene may send light on, each new ray is there twice: once for the way
        straight on, and once for the way of the mirror.

        Parameters
        ----------
        exposure : Exposure
            The scan: world, beams and poses of the sensor.
        shots : Shots
            Rays of the first look at all beams.
        beams : uint32 (n,)
            Indices of the beams to trace again, ascending.
        """
        last = self._last
        if last is None or last.shots is not shots or not np.array_equal(last.beams, beams):
            self._last = last = _LastLook(shots, beams, self._make_shots(shots, beams))
        again, paths = self._follow(exposure, last.again)
        return BeamLook(beams=beams, footprint=self._finer, shots=again, paths=paths)

    def _make_shots(self, shots: Shots, beams: NDArray[np.uint32]) -> Shots:
        """Return the rays of the second look."""
        chosen = shots.of_beams(beams)
        if self._footprint is None or self._finer is None:
            return chosen
        if self._fans is None:
            self._fans = self._finer.fans()
        fan_of_beam = self._finer.fan_of(self._footprint, chosen.fan_of_beam)
        return replace(chosen, weight=self._finer.weight, fan=self._fans, fan_of_beam=fan_of_beam)

    def _follow(self, exposure: Exposure, shots: Shots) -> tuple[Shots, Paths]:
        """Return the rays and their paths; each ray is there twice if a surface sends light on."""
        hits, most = self._tracer.trace(exposure.scene, shots, exposure.poses), self._max_bounces
        straight, mirrored = (
            follow_light(exposure, shots, hits, self._tracer_onwards, PathRules(most, branch))
            for branch in (Branch.STRAIGHT, Branch.MIRRORED)
        )
        if not exposure.sends_on:
            return shots, straight
        twice = _twice(shots)
        return twice, _both(straight, mirrored, shots.n_sub, twice.n_sub)

    def _neighbours_of(self, axis: NDArray[np.float32], reach: float) -> BeamNeighbours:
        """Return the search for beams that are at most ``reach`` beam widths from other beams."""
        known = self._neighbours.get(reach)
        if known is None or known.axis is not axis:
            known = BeamNeighbours(axis, reach * self._width_rad)
            self._neighbours[reach] = known
        return known


def _finer(footprint: Footprint, *, refines: bool) -> Footprint:
    """Return the footprint of the second look.

    If it is Gaussian, it always has tails, so that a beam does not depend on other beams.
    """
    n_points = min(FINER * footprint.n_points, MOST_POINTS) if refines else footprint.n_points
    return replace(footprint, n_points=n_points, has_tails=footprint.profile == "gaussian")


@dataclass(frozen=True, slots=True, kw_only=True)
class BeamLook:
    """The sub-rays with which some beams are traced once, and the surfaces that they meet.

    Attributes
    ----------
    beams : uint32 (n,)
        Indices of the beams in the scan pattern, ascending.
    footprint : Footprint or None
        Spread of the sub-rays; None: as in the sensor's own footprint, or beams are lines.
    shots : Shots
        The sub-rays of these beams.
    paths : Paths
        The surfaces at which they end.
    """

    beams: NDArray[np.uint32]
    footprint: Footprint | None
    shots: Shots
    paths: Paths


class _LastLook(NamedTuple):
    """The last second look: rays of the first look, beams, and rays of the second look."""

    shots: Shots
    beams: NDArray[np.uint32]
    again: Shots


def _twice(shots: Shots) -> Shots:
    """Return shots in which each beam has all of its rays twice, one set after the other.

    If beams are lines, rays of weight 0 fill up the vector lanes.
    """
    weight = np.concatenate([shots.weight, shots.weight])
    if len(shots.fan):
        return replace(shots, fan=np.concatenate([shots.fan, shots.fan], axis=2), weight=weight)
    fan = np.zeros((1, N_PARTS, N_LANES), np.float32)
    fan[:, ALONG] = 1.0
    of_beam = np.zeros(shots.direction.shape[1], np.uint16)
    weight = np.pad(weight, (0, N_LANES - len(weight)))
    return replace(shots, fan=fan, fan_of_beam=of_beam, weight=weight)


def _both(straight: Paths, mirrored: Paths, n_sub: int, n_both: int) -> Paths:
    """Join the paths of two sets of n_sub rays per beam to one set of n_both rays per beam."""

    def joined(one: NDArray[np.generic], other: NDArray[np.generic]) -> NDArray[np.generic]:
        parts = [part.reshape(*part.shape[:-1], -1, n_sub) for part in (one, other)]
        parts += [parts[0][..., :1]] * (n_both - 2 * n_sub)  # rays of weight 0
        both = np.concatenate(parts, axis=-1)
        return both.reshape(*one.shape[:-1], -1)

    straight, mirrored = straight.ray_by_ray(), mirrored.ray_by_ray()
    columns = {
        name: joined(getattr(straight.hits, name), getattr(mirrored.hits, name))
        for name in ("range_m", "normal", "cos_incidence", "instance", "primitive")
    }
    share, ghost = (
        joined(getattr(straight, name), getattr(mirrored, name)) for name in ("share", "ghost")
    )
    legs = mirrored.legs.behind(straight.legs)
    legs = legs._replace(of_ray=joined(straight.legs.of_ray, legs.of_ray).astype(np.int32))
    return Paths(hits=Hits(**columns), share=share, ghost=ghost, legs=legs)  # type: ignore[arg-type]


def _width_rad(footprint: Footprint) -> float:
    """Return the standard deviation of the beam's wider side, at the nearest range [rad]."""
    both = zip(footprint.sigma_rad, footprint.window_sigma_m, strict=True)
    return max(math.hypot(angle, start / NEAREST_M) for angle, start in both)
