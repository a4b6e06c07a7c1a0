# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The waveform of one beam, sampled: for a look at it, the model itself needs no samples."""

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

    from osi_lidar.scan.echoes.received import BeamsMet

MARGIN = 5.0
"""Widths of the pulse before the first and behind the last component that are sampled."""
STEPS_PER_WIDTH = 16
MOST_SAMPLES = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Waveform:
    """What the receiver sees of one beam, without its noise.

    Attributes
    ----------
    range_m : float64 (n,)
        Places of the samples. [m]
    snr : float64 (n,)
        The signal there. [rms of the noise]
    component_snr : float64 (n_component, n)
        The part of each component: of the surfaces that the beam meets, near ones as one.
    echo_range_m, echo_snr : float64 (n_echo,)
        Maxima of the signal: place [m] and height.
    threshold : float
        Signal that is detected. [rms of the noise]
    """

    range_m: NDArray[np.float64]
    snr: NDArray[np.float64]
    component_snr: NDArray[np.float64]
    echo_range_m: NDArray[np.float64]
    echo_snr: NDArray[np.float64]
    threshold: float


def waveform_of(look: BeamsMet, *, row: int, threshold: float) -> Waveform:
    """Return the waveform of one beam of the last scan.

    Parameters
    ----------
    look : BeamsMet
        What some beams met, and what is in the air.
    row : int
        Which of these beams.
    threshold : float
        Signal that is detected. [rms of the noise]
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
    """Return evenly spaced ranges from before the first to behind the last component. [m]."""
    if not len(mean_m):
        return np.zeros(0)
    low = max(float((mean_m - MARGIN * sigma_m).min()), 0.0)
    high = float((mean_m + MARGIN * sigma_m).max())
    step_m = max(sigma_r_m / STEPS_PER_WIDTH, (high - low) / MOST_SAMPLES)
    return np.arange(low, high + step_m, step_m)
