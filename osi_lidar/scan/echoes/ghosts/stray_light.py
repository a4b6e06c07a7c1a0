# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Blooming: stray light of beams lights retroreflectors that others meet.

Around each beam is a faint halo. Where a beam meets a surface of reflectivity R above 1, one at the
angle phi from it has an echo of the same range, as if of the reflectivity

    R share exp(-phi / width)

Of several the strongest counts, so that a sign blooms alike for sensors of any resolution.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from osi_lidar.scan.echoes.ghosts.seen import Ghosts
from osi_lidar.scan.echoes.second_look import BeamNeighbours
from osi_lidar.scan.echoes.waveform_kernels import BRIGHT, strength_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.config.receiver import StrayLight
    from osi_lidar.scan.echoes.ghosts.seen import Sensitivity
    from osi_lidar.scan.echoes.received import BeamsMet
    from osi_lidar.scan.records import Exposure

_AT_ONCE = 1 << 21  # pairs of beams whose angle is computed at a time


class StrayLook:
    """Looks for retroreflectors whose light strays into beams beside those that meet them.

    Parameters
    ----------
    config : StrayLight or None
        The halo of the beams; None: they have none.
    """

    def __init__(self, config: StrayLight | None) -> None:
        self._config = config

    def look(
        self,
        exposure: Exposure,
        look: BeamsMet,
        seen: NDArray[np.uint8],
        sensitivity: Sensitivity,
    ) -> Ghosts | None:
        """Return what stray light adds to the beams that are not bright; None if nothing.

        Parameters
        ----------
        exposure : Exposure
            The scan.
        look : BeamsMet
            Of all beams.
        seen : uint8 (n_beam,)
            ``BRIGHT`` of these.
        sensitivity : Sensitivity
            What the receiver may notice.
        """
        if self._config is None:
            return None
        bright = _bright_beams(look, seen, exposure.surfaces.object_of_instance)
        return _stray_echoes(self._config, exposure.axis, bright, sensitivity)


class _Bright(NamedTuple):
    """Beams that meet what returns more light than a white wall would."""

    beams: NDArray[np.intp]  # (n,)
    strength: NDArray[np.float64]  # (n,) reflectivity, of the part of the beam that meets it
    range_m: NDArray[np.float64]  # (n,)
    object_id: NDArray[np.uint64]  # (n,)


def _bright_beams(
    look: BeamsMet, seen: NDArray[np.uint8], object_of_instance: NDArray[np.uint64]
) -> _Bright:
    """Return the bright beams of a first look; `seen` tells where to look, but for lines."""
    rays, n_sub = look.rays, len(look.rays.weight)
    beams = np.arange(len(seen)) if n_sub == 1 else np.flatnonzero(seen & BRIGHT)
    chosen = beams[:, None] * n_sub + np.arange(n_sub)
    back = np.empty(chosen.size)
    strength_of(look.surfaces, look.texture, rays, chosen.ravel(), back)
    power = back.reshape(chosen.shape)
    power[power <= rays.weight] = 0.0
    total = power.sum(axis=1)
    is_bright = total > 0.0
    beams, chosen, power, total = (column[is_bright] for column in (beams, chosen, power, total))
    best = chosen[np.arange(len(beams)), power.argmax(axis=1)]
    range_m = (power * rays.range_m[chosen]).sum(axis=1, where=power > 0.0) / total
    return _Bright(beams, total, range_m, object_of_instance[rays.instance[best]])


def _stray_echoes(
    config: StrayLight, axis: NDArray[np.float32], bright: _Bright, sensitivity: Sensitivity
) -> Ghosts | None:
    """Return what stray light adds; None if nothing is noticed."""
    width_rad = math.radians(config.width_deg)
    start = np.log(config.share * bright.strength / sensitivity.least_strength(bright.range_m))
    if not len(start) or start.max() <= 0.0:
        return None
    beams = _others_near(axis, bright.beams, start.max() * width_rad)
    unit = axis.T.astype(np.float64)
    sources, seen = unit[bright.beams], Ghosts.none(axis.shape[1])
    for some in np.array_split(beams, len(beams) * len(sources) // _AT_ONCE + 1):
        chord = sum((unit[some, i, None] - sources[:, i]) ** 2 for i in range(3))
        apart = 2.0 * np.arcsin(np.minimum(0.5 * np.sqrt(chord), 1.0))
        height = start - apart / width_rad
        best = height.argmax(axis=1)
        halo = np.exp(-apart[np.arange(len(some)), best] / width_rad)
        noticed = height.max(axis=1) >= 0.0
        chosen, of = some[noticed], best[noticed]
        seen.strength[chosen] = config.share * bright.strength[of] * halo[noticed]
        seen.range_m[chosen] = bright.range_m[of]
        seen.object_id[chosen] = bright.object_id[of]
    return seen if seen.strength.any() else None


def _others_near(
    axis: NDArray[np.float32], bright: NDArray[np.intp], reach_rad: float
) -> NDArray[np.intp]:
    """Return the beams within an angle of bright ones, without these."""
    marks, near = np.zeros(axis.shape[1], np.uint8), np.zeros(axis.shape[1], np.bool_)
    marks[bright] = BRIGHT
    BeamNeighbours(axis, reach_rad).add_near(marks, BRIGHT, near)
    near[bright] = False
    return np.flatnonzero(near)
