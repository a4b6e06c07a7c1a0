# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The sampled waveform of one beam, for users to look at; the model itself needs no samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.scan.echoes.component_kernels import MEAN, PART_SNR, VARIANCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARGIN = 5.0
"""Length that is sampled before the first and after the last component, in pulse widths."""
STEPS_PER_WIDTH = 16
MOST_SAMPLES = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Waveform:
    """The signal over range that the receiver gets from one beam, without noise.

    Attributes
    ----------
    range_m : float64 (n,)
        Ranges of the samples. [m]
    snr : float64 (n,)
        The signal at these ranges. [rms of the noise]
    component_snr : float64 (n_component, n)
        The part of the signal from each component: a surface that the beam meets, several close
        surfaces, or something in the air. [rms of the noise]
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


def waveform_of(
    parts: NDArray[np.float64], found: NDArray[np.void], *, sigma_r_m: float, threshold: float
) -> Waveform:
    """Return the waveform of one beam.

    Parameters
    ----------
    parts, found
        Components of its light and the maxima of their sum, see `EchoReceiver.components`.
    sigma_r_m : float
        Width of the pulse (standard deviation). [m]
    threshold : float
        Signal from which on an echo is detected. [rms of the noise]
    """
    snr, mean_m, variance = parts[PART_SNR], parts[MEAN], parts[VARIANCE]
    sigma_m = np.sqrt(variance)
    range_m = _samples(mean_m, sigma_m, sigma_r_m)
    off = (range_m - mean_m[:, None]) / sigma_m[:, None]
    peak = snr * sigma_r_m / sigma_m
    component_snr = peak[:, None] * np.exp(-0.5 * off * off)
    return Waveform(
        range_m=range_m,
        snr=component_snr.sum(axis=0),
        component_snr=component_snr,
        echo_range_m=found["range_m"],
        echo_snr=found["snr"],
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
