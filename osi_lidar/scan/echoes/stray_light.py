# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Blooming: beams that meet retroreflectors, and other beams that see them by stray light."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.scan.echoes.waveform_kernels import BRIGHT, strength_of
from osi_lidar.scan.media.ghosts.halo import Bright, Halo
from raycore.pattern.neighbours import BeamNeighbours

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.config import Sensor
    from osi_lidar.config.receiver import StrayLight
    from osi_lidar.scan.echoes.received import BeamHits, ReceivedEchoes
    from osi_lidar.scan.media.ghosts.seen import Ghosts
    from osi_lidar.scan.records import Exposure


class StrayLightFinder:
    """Finds the ghosts of retroreflectors whose light strays into neighbouring beams (blooming).

    Parameters
    ----------
    config : StrayLight
        Share and width of the faint halo of light around each beam.
    """

    def __init__(self, config: StrayLight) -> None:
        self._halo = Halo(config.share, math.radians(config.width_deg))

    @classmethod
    def of(cls, config: Sensor) -> StrayLightFinder | None:
        """Return the finder of a sensor; None if its receiver has no ``stray_light``.

        ``config`` is the sensor's entry of the configuration.
        """
        halo = None if config.receiver is None else config.receiver.stray_light
        return None if halo is None else cls(halo)

    def ghosts(self, exposure: Exposure, echoes: ReceivedEchoes) -> Ghosts | None:
        """Return the ghosts of retroreflectors in beams near those that meet them; None if none.

        A beam that meets a retroreflector itself gets no ghost.

        Parameters
        ----------
        exposure : Exposure
            The scan.
        echoes : ReceivedEchoes
            Echoes of the first look.
        """
        look, sensitivity = echoes.first, echoes.first.media.notices
        bright = _bright_beams(look, echoes.seen, exposure.surfaces.object_of_instance)
        reach_rad = self._halo.reach_rad(bright, sensitivity)
        if not reach_rad > 0.0:
            return None
        others = _others_near(exposure.axis, bright.beams, reach_rad)
        found = self._halo.echoes(exposure.axis, others, bright, sensitivity)
        return found if found.strength.any() else None


def _bright_beams(
    look: BeamHits, seen: NDArray[np.uint8], object_of_instance: NDArray[np.uint64]
) -> Bright:
    """Return the bright beams of a first look; ``seen`` preselects them, unless beams are lines."""
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
    return Bright(beams, total, range_m, object_of_instance[rays.instance[best]])


def _others_near(
    axis: NDArray[np.float32], bright: NDArray[np.intp], reach_rad: float
) -> NDArray[np.intp]:
    """Return the beams within an angle of bright beams, without the bright beams."""
    marks, near = np.zeros(axis.shape[1], np.uint8), np.zeros(axis.shape[1], np.bool_)
    marks[bright] = BRIGHT
    BeamNeighbours(axis, reach_rad).add_near(marks, BRIGHT, near)
    near[bright] = False
    return np.flatnonzero(near)
