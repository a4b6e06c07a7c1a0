# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Range noise by reflectivity, signal and range, and as keys of the configuration's ``noise``."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

from lidar_base.given import given
from lidar_gap.calibrate.bootstrap import N_DRAWS, draws, interval
from lidar_gap.calibrate.findings import Absent, Figure, Series, figure
from lidar_gap.calibrate.samples import WINDOW_SCALE, clipped, temporal, within_rings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.calibrate.findings import Finding
    from lidar_gap.calibrate.recording import Recording
    from lidar_gap.calibrate.samples import Samples

# limits of the bins; makers state percent, up to 255
_REFLECTIVITY = (0, 2, 5, 10, 20, 40, 80, 256)
_SIGNAL = (0, 20, 30, 50, 80, 200, 500, 2000, 1e9)
_RANGE_M = (0, 2, 5, 10, 20, 30, 50, 100)
_LEAST_SAMPLES = 60
_LEAST_REFLECTIVITY = 2.0  # smaller reflectivities are stated too coarsely
_MOST_REFLECTIVITY = 256.0
_MOVED = 1.5  # over the scatter within rings; a larger temporal scatter is not noise
SIGMAS_TOGETHER = "sigma_correlation"
"""Name of a figure: the correlation of the estimates of range_sigma_m and sigma_dark_m over
resampled recordings.
"""
_DARK = 0.1  # reflectivity that sigma_dark is given for


def find_noise(recording: Recording, quantum_m: float) -> list[Finding]:
    """Return findings on the range noise; a finding that cannot be determined is `Absent`.

    The standard deviation of the range is found in two ways: from differences between scans at rest
    (names with ``temporal_``), and from the scatter about planes fitted to parts of a ring (names
    with ``in_ring_``). Each is given over all points, and in bins of range, reflectivity and
    signal. From one of them follow ``range_sigma_m`` and ``sigma_dark_m``, which are keys of the
    configuration's section ``noise``.

    Parameters
    ----------
    recording : Recording
        Recording at rest or in motion. In motion, only the scatter within rings can be found.
    quantum_m : float
        Step to which the sensor rounds ranges, 0 if unknown. The noise that this rounding adds is
        subtracted. [m]
    """
    found: list[Finding] = []
    if recording.at_rest:
        found += _figures(recording, temporal(recording), quantum_m, "temporal")
    else:
        found.append(Absent(name="temporal_sigma_m", reason="needs two scans at rest"))
    found += _figures(recording, within_rings(recording), quantum_m, "in_ring")
    return found + _keys(recording, found, _quieter(found))


def moved_by_others(found: list[Finding]) -> bool:
    """Return whether scans at rest differ by more than noise, as if each had been shifted a little.

    This happens if another program corrected the scans for motion by an inertial unit. It is
    assumed if ``temporal_sigma_m`` is at least 1.5 times ``in_ring_sigma_m``. Both are figures in
    ``found``, the list that `find_noise` returns. If one of the two is missing, the result is
    False.
    """
    sigma_m = {each.name: each.value for each in found if isinstance(each, Figure)}
    temporal_m = sigma_m.get("temporal_sigma_m", 0.0)
    return temporal_m > 0.0 and temporal_m >= _MOVED * sigma_m.get("in_ring_sigma_m", np.inf)


def _quieter(found: list[Finding]) -> str:
    """Return which samples are used for the noise keys, "temporal" or "in_ring".

    Differences between scans at rest ("temporal") are used unless the scans were moved.
    """
    at_rest = any(isinstance(each, Figure) and each.name == "temporal_sigma_m" for each in found)
    return "temporal" if at_rest and not moved_by_others(found) else "in_ring"


def _figures(recording: Recording, samples: Samples, quantum_m: float, kind: str) -> list[Finding]:
    """Return sigma over all samples, and over bins of reflectivity, signal and range."""
    if len(samples.row) < _LEAST_SAMPLES:
        return [Absent(name=f"{kind}_sigma_m", reason="too few points on smooth surfaces")]
    everything = np.zeros(len(samples.row), np.intp)
    value, low, high, n = _by_bin(recording, samples, everything, 1, quantum_m)
    what = {
        "temporal": f"differences of successive scans, {recording.what}",
        "in_ring": f"scatter within rings about local planes, {recording.what}",
    }[kind]
    found: list[Finding] = [figure(f"{kind}_sigma_m", (value[0], low[0], high[0]), int(n[0]), what)]
    for over, edges, values in _scales(recording):
        labels = tuple(f"{a:g}-{b:g}" for a, b in itertools.pairwise(edges))
        of_bin = np.digitize(values[samples.row], edges) - 1
        value, low, high, n = _by_bin(recording, samples, of_bin, len(labels), quantum_m)
        found.append(
            Series(
                name=f"{kind}_sigma_by_{over}_m",
                labels=labels,
                values=value,
                low=low,
                high=high,
                n=n,
                fitted_on=what,
            )
        )
    return found


def _scales(
    recording: Recording,
) -> list[tuple[str, tuple[float, ...], NDArray[np.float64]]]:
    """Return the quantities that noise is split by: name, bounds of bins, values of points."""
    scales: list[tuple[str, tuple[float, ...], NDArray[np.float64]]] = [
        ("range", _RANGE_M, recording.range_m)
    ]
    if reflectivity_known(recording):
        scales.append(("reflectivity", _REFLECTIVITY, given(recording.intensity)))
    signal = recording.intensity if recording.signal is None else recording.signal
    if signal is not None and (recording.signal is not None or signal.max() >= _MOST_REFLECTIVITY):
        scales.append(("signal", _SIGNAL, signal))
    return scales


def reflectivity_known(recording: Recording) -> bool:
    """Return whether intensities are reflectivities in percent, as many makers calibrate them.

    This is assumed if the largest intensity of ``recording`` (`Recording`) is above 1 and below
    256. Larger intensities are photons; if none is above 1, intensities are fractions, as in
    KITTI's files. The result is also False without intensities.
    """
    if recording.intensity is None:
        return False
    largest = float(recording.intensity.max())
    return 1.0 < largest < _MOST_REFLECTIVITY


def _by_bin(
    recording: Recording, samples: Samples, of_bin: NDArray[np.intp], n_bin: int, quantum_m: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return sigma, both ends of its interval [m], and the number of samples, each (n_bin,)."""
    sigma = np.full((N_DRAWS + 1, n_bin), np.nan)
    n = np.bincount(of_bin[(of_bin >= 0) & (of_bin < n_bin)], minlength=n_bin)
    weights = np.vstack((np.ones(recording.n_block), draws(recording.n_block)))
    for number in np.flatnonzero(n >= _LEAST_SAMPLES):
        chosen = of_bin == number
        block, error_m = recording.block[samples.row[chosen]], samples.error_m[chosen]
        if samples.of_windows:
            sigma[:, number] = WINDOW_SCALE * _medians(error_m, block, weights)
        else:
            sigma[:, number] = _clipped(error_m, block, weights, quantum_m)
    sigma = np.sqrt(np.maximum(sigma**2 - quantum_m**2 / 12.0, 0.0))
    low, high = interval(sigma[1:])
    return sigma[0], low, high, n


def _clipped(
    error_m: NDArray[np.float64],
    block: NDArray[np.intp],
    weights: NDArray[np.float64],
    quantum_m: float,
) -> NDArray[np.float64]:
    """Return the clipped standard deviation of each resampling [m]."""
    sigma_m, bound_m = clipped(error_m, quantum_m)
    inside = np.abs(error_m) <= bound_m
    n_block = weights.shape[1]
    n = np.bincount(block[inside], minlength=n_block).astype(np.float64)
    square = np.bincount(block[inside], weights=error_m[inside] ** 2, minlength=n_block)
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt((weights @ square) / (weights @ n))
    return root * (sigma_m / max(float(root[0]), 1e-12))


def _medians(
    values: NDArray[np.float64], block: NDArray[np.intp], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the median of each resampling."""
    order = np.argsort(values)
    medians = np.empty(len(weights))
    for number, weight in enumerate(weights):
        cumulated = np.cumsum(weight[block[order]])
        place = np.searchsorted(cumulated, 0.5 * cumulated[-1])
        medians[number] = values[order[min(place, len(order) - 1)]]
    return medians


def _keys(recording: Recording, found: list[Finding], kind: str) -> list[Finding]:
    """Return the values of ``range_sigma_m`` and ``sigma_dark_m`` that fit the noise best."""
    every = next((one for one in found if one.name == f"{kind}_sigma_m"), None)
    if not isinstance(every, Figure):
        reason = "too few points on smooth surfaces"
        return [Absent(name=name, reason=reason) for name in ("range_sigma_m", "sigma_dark_m")]
    name = f"{kind}_sigma_by_reflectivity_m"
    series = next((one for one in found if one.name == name), None)
    fit = _law(recording, series) if isinstance(series, Series) else None
    if fit is None:
        plain = replace(every, name="range_sigma_m")
        return [plain, Absent(name="sigma_dark_m", reason="needs points of several reflectivities")]
    return fit


def _law(recording: Recording, series: Series) -> list[Finding] | None:
    """Fit sigma² = range_sigma² + sigma_dark² 0.1 / R to the bins; None for fewer than two bins."""
    centre = np.array([_centre(given(recording.intensity), label) for label in series.labels])
    used = np.isfinite(series.values) & (centre >= _LEAST_REFLECTIVITY) & (series.values > 0)
    if used.sum() < 2:
        return None
    sigma, spread = series.values[used], (series.high - series.low)[used] / 3.92
    design = np.stack((np.ones(int(used.sum())), _DARK / (centre[used] / 100.0)), axis=1)
    weight = 1.0 / (sigma**2)
    random = np.random.default_rng(0)
    drawn = np.empty((N_DRAWS + 1, 2))
    for number in range(N_DRAWS + 1):
        noise = 0.0 if number == 0 else random.normal(size=len(sigma)) * spread
        square, _ = nnls(design * weight[:, None], (sigma + noise) ** 2 * weight)
        drawn[number] = np.sqrt(square)
    low, high = interval(drawn[1:])
    n, what = int(series.n[used].sum()), f"{used.sum()} bins of reflectivity, {series.fitted_on}"
    found: list[Finding] = [
        figure(name, (drawn[0, key], low[key], high[key]), n, what)
        for key, name in enumerate(("range_sigma_m", "sigma_dark_m"))
    ]
    if (drawn[1:].std(axis=0) > 0.0).all():
        together = float(np.corrcoef(drawn[1:].T)[0, 1])
        found.append(figure(SIGMAS_TOGETHER, (together, together, together), n, what))
    return found


def _centre(intensity: NDArray[np.float64], label: str) -> float:
    """Return the reflectivity R that represents a bin in 0.1 / R: the bin's harmonic mean [%]."""
    low, high = (float(text) for text in label.split("-"))
    inside = intensity[(intensity >= low) & (intensity < high)]
    return float(1.0 / np.mean(1.0 / np.maximum(inside, 0.1))) if len(inside) else np.nan
