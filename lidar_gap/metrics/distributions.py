# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of distributions of one quantity: areas between them, bias and scatter, p-boxes.

All areas are exact integrals of empirical distribution functions; samples may differ in size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.summaries import mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class PBox:
    """A p-box (probability box): lower and upper bounds of several distribution functions [1]_.

    Each draw of quantities that are fixed but uncertain (pose, material) gives a distribution. The
    spread of these distributions is the width of the box. Noise, which differs from beam to beam,
    determines how steep the two edges (the bounds) are.

    Attributes
    ----------
    value : float64 (n_value,)
        Values of the quantity at which an edge steps, ascending.
    lowest, highest : float64 (n_value,)
        Lower and upper bound of the distribution functions, from each value up to the next. [1]

    References
    ----------
    .. [1] S. Ferson et al., "Constructing probability boxes and Dempster-Shafer structures",
       Sandia National Laboratories, SAND2002-4015, 2003.
    """

    value: NDArray[np.float64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]

    @property
    def width(self) -> float:
        """Area between the lower and the upper bound: the uncertainty, in the unit of `value`."""
        return _integral(self.value, self.highest - self.lowest)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationAreas:
    """Areas between the distribution functions of simulation and reality.

    Trap: the area mixes bias and scatter; `double_validation` separates them.

    Attributes
    ----------
    right, left : float
        Area in which the simulated function lies to the right of the real one (d+: simulated values
        are too large), and area in which it lies to the left (d-), in the unit of the quantity.
        Right minus left is the simulated mean minus the real mean.

    References
    ----------
    .. [1] S. Ferson, W. Oberkampf, L. Ginzburg, "Model validation and predictive capability for
       the thermal challenge problem", Computer Methods in Applied Mechanics and Engineering 197,
       2008: the area.
    .. [2] I. Voyles, C. Roy, "Evaluation of model validation techniques in the presence of
       aleatory and epistemic input uncertainties", AIAA 2015-1374: d+ and d-.
    """

    right: float
    left: float

    @property
    def area(self) -> float:
        """The area validation metric: right plus left, in the unit of the quantity."""
        return self.right + self.left


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleValidation:
    """The double validation metric, DVM: bias and scatter, separately.

    Attributes
    ----------
    bias : float
        Simulated mean minus real mean, in the unit of the quantity.
    scatter : float
        Area between the distribution functions after the bias is removed, in the unit of the
        quantity.

    References
    ----------
    .. [1] P. Rosenberger, "Metrics for specification, validation, and uncertainty prediction for
       credibility in simulation of active perception sensor systems", TU Darmstadt, 2023.
    """

    bias: float
    scatter: float


def validation_areas(
    real: NDArray[np.float64], sim: NDArray[np.float64], *, safety: float = 1.0
) -> ValidationAreas:
    """Return the two areas between the distribution functions of a real and a simulated sample.

    One is the area in which the simulated function lies to the right of the real one (simulated
    values are too large), the other the area in which it lies to the left. Both are NaN if a
    sample is empty.

    Parameters
    ----------
    real, sim : float64 (n_value,)
        The samples, in the same unit, which is also the areas' unit; their sizes may differ.
    safety : float
        Factor by which both areas are multiplied, above 1 for small samples. [1]
    """
    areas = box_areas(p_box([real]), p_box([sim]))
    return ValidationAreas(right=safety * areas.right, left=safety * areas.left)


def double_validation(real: NDArray[np.float64], sim: NDArray[np.float64]) -> DoubleValidation:
    """Return bias and scatter of a simulated sample; NaN if a sample is empty.

    Parameters
    ----------
    real, sim : float64 (n_value,)
        The samples; their sizes may differ.
    """
    bias = mean(sim) - mean(real)
    return DoubleValidation(bias=bias, scatter=validation_areas(real, sim - bias).area)


def p_box(draws: Sequence[NDArray[np.float64]]) -> PBox:
    """Return the envelope of the distribution functions of several samples.

    Trap: agreement with a wide box does not show that a model is right; report the box's ``width``.

    Parameters
    ----------
    draws : sequence of float64 (n_value,)
        A sample for each draw of the uncertain quantities; one sample gives a box without width.
    """
    value = np.unique(np.concatenate(draws))
    functions = np.array([_distribution(draw, value) for draw in draws])
    return PBox(value=value, lowest=functions.min(axis=0), highest=functions.max(axis=0))


def box_areas(real: PBox, sim: PBox) -> ValidationAreas:
    """Return the areas between a real and a simulated p-box; places where they overlap add nothing.

    The area on the right lies between the lower bound of the real box and the upper bound of the
    simulated box, where the simulated box is below. The area on the left is the reverse. Both areas
    are NaN if a box has no values.

    Parameters
    ----------
    real, sim : PBox
        Bounds of the distribution functions of the same quantity, in the same unit. The areas have
        this unit.
    """
    if not (real.value.size and sim.value.size):
        return ValidationAreas(right=np.nan, left=np.nan)
    value = np.union1d(real.value, sim.value)
    real_low, real_high = _edges_at(real, value)
    sim_low, sim_high = _edges_at(sim, value)
    return ValidationAreas(
        right=_integral(value, np.maximum(real_low - sim_high, 0)),
        left=_integral(value, np.maximum(sim_low - real_high, 0)),
    )


def kolmogorov_smirnov(real: NDArray[np.float64], sim: NDArray[np.float64]) -> float:
    """Return the largest difference of two samples' distribution functions; NaN if one is empty.

    Trap: for 100 000 correlated pixels, any difference looks "significant"; so no p-value is given.

    Parameters
    ----------
    real, sim : float64 (n_value,)
        The samples, in the same unit; their sizes may differ.

    Returns
    -------
    float
        Largest absolute difference, 0 to 1. [1]

    References
    ----------
    .. [1] N. Smirnov, "Table for estimating the goodness of fit of empirical distributions",
       Annals of Mathematical Statistics 19, 1948.
    """
    if not (real.size and sim.size):
        return np.nan
    value = np.concatenate([real, sim])
    return float(np.max(np.abs(_distribution(sim, value) - _distribution(real, value))))


def mape_percent(real: NDArray[np.float64], sim: NDArray[np.float64]) -> float:
    """Return the mean of |sim - real| / |real| over pairs of values, in percent (MAPE).

    Trap: small real values give huge percentages. Pairs with a real value of 0 or a NaN are left
    out; without other pairs, the result is NaN.

    Parameters
    ----------
    real, sim : float64 (n_pair,)
        The two values of each pair, in the same order and unit.

    References
    ----------
    .. [1] A. Haider et al., "Development of high-fidelity automotive LiDAR sensor model with
       standardized interfaces", Sensors 22, 2022: counts and mean intensities of targets.
    """
    some = (real != 0) & ~np.isnan(real + sim)
    return 100 * mean(np.abs(sim[some] - real[some]) / np.abs(real[some]))


def _distribution(sample: NDArray[np.float64], value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the sample at or below each value, NaN for an empty sample."""
    if not sample.size:
        return np.full(len(value), np.nan)
    return np.searchsorted(np.sort(sample), value, side="right") / len(sample)


def _edges_at(
    box: PBox, value: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower and the upper edge of a box from each value up to the next."""
    row = np.searchsorted(box.value, value, side="right")
    lowest, highest = (np.concatenate([[0.0], edge])[row] for edge in (box.lowest, box.highest))
    return lowest, highest


def _integral(value: NDArray[np.float64], height: NDArray[np.float64]) -> float:
    """Return the integral of a function that is constant from each value up to the next."""
    return float(np.sum(np.diff(value) * height[:-1]))
