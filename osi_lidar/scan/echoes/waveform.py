# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The sampled waveform of one beam, for users to look at; the model itself needs no samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.random.random_kernels import DROP_COUNT
from osi_lidar.scan.echoes.component_kernels import MEAN, PART_SNR, VARIANCE, new_beam
from osi_lidar.scan.echoes.maxima_kernels import FOUND, MOST_ECHOES
from osi_lidar.scan.echoes.waveform_kernels import find_block

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.scan.echoes.received import BeamHits

MARGIN = 5.0
"""Length that is sampled before the first and after the last component, in pulse widths."""
STEPS_PER_WIDTH = 16
MOST_SAMPLES = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Waveform:
    """What the receiver sees of one beam, without its noise.

    Attributes
    ----------
    range_m : float64 (n,)
        Ranges of the samples. [m]
    snr : float64 (n,)
        The signal at these ranges. [rms of the noise]
    component_snr : float64 (n_component, n)
        The signal of each component: a surface that the beam meets, or several close surfaces.
    echo_range_m, echo_snr : float64 (n_echo,)
        Maxima of the signal: range [m] and height [rms of the noise].
    threshold : float
        Signal from which on an echo is detected. [rms of the noise]
    """

    range_m: NDArray[np.float64]
    snr: NDArray[np.float64]
    component_snr: NDArray[np.float64]
    echo_range_m: NDArray[np.float64]
    echo_snr: NDArray[np.float64]
    threshold: float


def waveform_of(look: BeamHits, *, row: int, threshold: float) -> Waveform:
    """Return the waveform of one beam of the last scan.

    Parameters
    ----------
    look : BeamHits
        Hits of some beams, and the contents of the air.
    row : int
        Row of the beam in ``look``.
    threshold : float
        Signal from which on an echo is detected. [rms of the noise]
    """
    settings, beam = look.waveform, look.beams[row : row + 1]
    memory = new_beam(len(look.rays.weight))
    part = memory[2]
    part[:] = np.nan
    found = np.empty(MOST_ECHOES, FOUND)
    none_lost = np.zeros(1, np.bool_)
    seen = np.empty(1, np.uint8)
    n_echo = find_block(
        settings,
        *(look.surfaces, look.texture, look.rays, none_lost, row, 1),
        *(look.media.arrays, look.draws.stream, beam, *look.draws.uniform_pairs(DROP_COUNT, beam)),
        *(memory, found, seen),
    )
    n_part = int(np.isfinite(part[VARIANCE]).sum())
    snr, mean_m, variance = (part[row, :n_part] for row in (PART_SNR, MEAN, VARIANCE))
    sigma_m = np.sqrt(variance)
    range_m = _samples(mean_m, sigma_m, settings.sigma_r_m)
    off = (range_m - mean_m[:, None]) / sigma_m[:, None]
    peak = snr * settings.sigma_r_m / sigma_m
    component_snr = peak[:, None] * np.exp(-0.5 * off * off)
    return Waveform(
        range_m=range_m,
        snr=component_snr.sum(axis=0),
        component_snr=component_snr,
        echo_range_m=found["range_m"][:n_echo],
        echo_snr=found["snr"][:n_echo],
        threshold=threshold,
    )


def _samples(
    mean_m: NDArray[np.float64], sigma_m: NDArray[np.float64], sigma_r_m: float
) -> NDArray[np.float64]:
    """Return evenly spaced ranges from before the first to behind the last component [m]."""
    if not len(mean_m):
        return np.zeros(0)
    low = max(float((mean_m - MARGIN * sigma_m).min()), 0.0)
    high = float((mean_m + MARGIN * sigma_m).max())
    step_m = max(sigma_r_m / STEPS_PER_WIDTH, (high - low) / MOST_SAMPLES)
    return np.arange(low, high + step_m, step_m)
