# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The lidar range equation: received power, and the range at which it is still sufficient.

A pulse of power P_t is emitted into a cone of full angle beta. At the range r it hits a target of
cross-section sigma; the receiver's aperture of diameter D collects part of the return [1]_::

    P_r = P_t D^2 eta_sys eta_atm sigma / (4 pi r^4 beta^2)    eta_atm = exp(-2 gamma r)

with the efficiency of the system eta_sys and the one-way extinction coefficient of the air gamma.
A target of reflectivity R (relative to a perpendicular white Lambertian one) that covers the area A
of the beam has sigma = 4 R A [2]_. There are three cases:

===========  ===================================  ===========================================
target       A                                    P_r / (P_t D^2 eta_sys eta_atm R)
===========  ===================================  ===========================================
extended     pi r^2 beta^2 / 4, all of the beam   1 / (4 r^2)
line         r beta w, a wire of width w          w / (pi r^3 beta)
point        A, smaller than the beam             A / (pi r^4 beta^2)
===========  ===================================  ===========================================

So P_r = C R r^-m exp(-2 gamma r) with m = 2, 3, 4. A target is seen where P_r reaches the
threshold P_min. With r_0 = (C / P_min)^(1/m), the range at which a white target is just seen in
clear air, this condition is r^m exp(2 gamma r) <= r_0^m R. Solved for r::

    r(R) = m / (2 gamma) W(2 gamma / m r_0 R^(1/m))     and r_0 R^(1/m) where gamma = 0

with Lambert's function W, for which W exp(W) = x.

References
----------
.. [1] S. Manivasagam et al., Towards zero domain gap: a comprehensive study of realistic lidar
   simulation for autonomy testing, ICCV 2023, equation 1
.. [2] W. Wagner, Radiometric calibration of small-footprint full-waveform airborne laser scanner
   measurements: basic physical concepts, ISPRS Journal of Photogrammetry and Remote Sensing
   65(6), 505-513, 2010, doi:10.1016/j.isprsjprs.2010.06.007
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.near_match import near_match
from material_mapping.errors import RangeLimitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

EXPONENTS = {"extended": 2, "line": 3, "point": 4}
"""Shapes of targets, and the exponent m with which the power falls with range."""

SIZES = {"line": "target_width_m", "point": "target_area_m2"}
"""Argument of `system_constant_w` for the target's size, by shape; "extended" needs none."""

LARGEST = 1e9
"""Largest reflectivity [%] and range [m] that `fit_equation` accepts; the smallest are 1e-9."""

MAX_EXTINCTION_PER_M = 1e3
NO_EXTINCTION_PER_M = 1e-15
"""Smaller extinctions count as 0: they take 1e-10 of the light over 50 km and back. [1/m]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeEquation:
    """Detection range of a sensor, r^m exp(2 gamma r) = r_0^m R.

    Attributes
    ----------
    clear_range_m : float
        r_0, the range at which a target of 100 % is just seen in clear air. [m]
    target : {"extended", "line", "point"}
        m = 2, 3, 4.
    extinction_per_m : float
        gamma, the extinction coefficient of the air, one way. [1/m]

    Raises
    ------
    RangeLimitError
        The target is unknown, or a value is out of its range.
    """

    clear_range_m: float
    target: str = "extended"
    extinction_per_m: float = 0.0

    def __post_init__(self) -> None:
        _check_target(self.target)
        _check_positive("clear_range_m", self.clear_range_m)
        _check_extinction(self.extinction_per_m)

    @property
    def exponent(self) -> int:
        """Return m: in clear air the signal falls with 1/r^m."""
        return EXPONENTS[self.target]

    @property
    def rate_per_m(self) -> float:
        """Return 2 gamma / m: the two-way extinction coefficient over the exponent m [1/m].

        It is 0 in clear air.
        """
        extinction_per_m = self.extinction_per_m
        return (
            2.0 * extinction_per_m / self.exponent
            if extinction_per_m > NO_EXTINCTION_PER_M
            else 0.0
        )

    def max_range_m(self, reflectivity: ArrayLike) -> NDArray[np.float64]:
        """Return the range [m] at which each reflectivity [1] is just seen; 0 for R <= 0 or NaN."""
        values = np.asarray(reflectivity, np.float64)
        clear_m = self.clear_range_m * np.where(values > 0.0, values, 0.0) ** (1.0 / self.exponent)
        rate_per_m = self.rate_per_m
        if rate_per_m == 0.0:
            return np.asarray(clear_m, np.float64)
        return lambert_w(rate_per_m * clear_m) / rate_per_m

    def least_reflectivity(self, range_m: ArrayLike) -> NDArray[np.float64]:
        """Return the least reflectivity [1] that is detected at each range.

        ``range_m`` has ranges of 0 or more [m]; the result has its shape. It may be infinite: then
        no reflectivity is enough.
        """
        r = np.asarray(range_m, np.float64)
        clear = (r / self.clear_range_m) ** self.exponent
        with np.errstate(over="ignore"):  # infinite: no reflectivity is enough
            return np.asarray(clear * np.exp(2.0 * self.extinction_per_m * r), np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class EquationFit:
    """A range equation fitted to pairs of reflectivity and detection range.

    Attributes
    ----------
    equation : RangeEquation
        The fitted equation.
    pairs : tuple of (percent, metres)
        The pairs of the fit, in increasing order of reflectivity.
    residual_m : tuple of float
        For each pair, the range by the equation minus the range of the pair. [m]
    """

    equation: RangeEquation
    pairs: tuple[tuple[float, float], ...]
    residual_m: tuple[float, ...]


def received_power_w(
    range_m: ArrayLike,
    *,
    reflectivity: ArrayLike,
    constant_w: float,
    target: str = "extended",
    extinction_per_m: float = 0.0,
) -> NDArray[np.float64]:
    """Return the received power, P_r = C R r^-m exp(-2 gamma r) [W].

    ``range_m`` (r) and ``reflectivity`` (R) are broadcast; the result has their common shape.

    Parameters
    ----------
    range_m : array_like
        Distance to the target, above 0. [m]
    reflectivity : array_like
        R of the target. [1]
    constant_w : float
        C, see `system_constant_w`. [W m^m]
    target : {"extended", "line", "point"}
        m = 2, 3, 4.
    extinction_per_m : float
        gamma, the extinction coefficient of the air, one way. [1/m]
    """
    _check_target(target)
    _check_extinction(extinction_per_m)
    r = np.asarray(range_m, np.float64)
    spread = np.exp(-2.0 * extinction_per_m * r) / r ** EXPONENTS[target]
    return np.asarray(constant_w * np.asarray(reflectivity, np.float64) * spread, np.float64)


def system_constant_w(  # noqa: PLR0913  as many quantities
    *,
    transmit_power_w: float,
    aperture_diameter_m: float,
    efficiency: float,
    target: str = "extended",
    beam_divergence_rad: float | None = None,
    target_width_m: float | None = None,
    target_area_m2: float | None = None,
) -> float:
    """Return the constant C of the range equation, from emitter, receiver and target.

    Parameters
    ----------
    transmit_power_w : float
        P_t, peak power of the pulse. [W]
    aperture_diameter_m : float
        D of the receiver. [m]
    efficiency : float
        eta_sys of the optics of emitter and receiver together, above 0 to 1. [1]
    target : {"extended", "line", "point"}
        Shape of the target.
    beam_divergence_rad : float
        beta, full angle of the evenly filled cone of the pulse; for a line and a point. [rad]
    target_width_m, target_area_m2 : float
        w of a line that crosses the whole beam [m], A of a point [m^2].

    Returns
    -------
    float
        C, the power that the equation gives in clear air for a target of 100 % at 1 m. [W m^m]

    Raises
    ------
    RangeLimitError
        The target is unknown, a value is not finite and above 0, the efficiency is above 1, or the
        beam divergence or the size of a line or a point is None.
    """
    _check_target(target)
    _check_positive("transmit_power_w", transmit_power_w)
    _check_positive("aperture_diameter_m", aperture_diameter_m)
    _check_positive("efficiency", efficiency)
    if efficiency > 1.0:
        raise RangeLimitError(f"range equation: efficiency is {efficiency:g}, expected at most 1")
    collected = transmit_power_w * aperture_diameter_m * aperture_diameter_m * efficiency
    if target == "extended":
        return collected / 4.0
    size = target_width_m if target == "line" else target_area_m2
    if beam_divergence_rad is None or size is None:
        raise RangeLimitError(
            f"range equation: a {target} target needs beam_divergence_rad and {SIZES[target]}"
        )
    _check_positive("beam_divergence_rad", beam_divergence_rad)
    _check_positive(SIZES[target], size)
    per_size = collected / beam_divergence_rad / math.pi
    return per_size * size if target == "line" else per_size / beam_divergence_rad * size


def clear_range_m(
    *, constant_w: float, detection_threshold_w: float, target: str = "extended"
) -> float:
    """Return r_0 = (C / P_min)^(1/m), the range of a just visible 100 % target in clear air [m].

    Parameters
    ----------
    constant_w : float
        C, see `system_constant_w`. [W m^m]
    detection_threshold_w : float
        P_min, the smallest power that the receiver distinguishes from noise. [W]
    target : {"extended", "line", "point"}
        m = 2, 3, 4.

    Raises
    ------
    RangeLimitError
        The target is unknown, or a power is not finite and above 0.
    """
    _check_target(target)
    _check_positive("constant_w", constant_w)
    _check_positive("detection_threshold_w", detection_threshold_w)
    return float((constant_w / detection_threshold_w) ** (1.0 / EXPONENTS[target]))


def fit_equation(
    pairs: Sequence[tuple[float, float]],
    *,
    target: str = "extended",
    extinction_per_m: float | None = None,
) -> EquationFit:
    """Return the range equation that best fits the pairs of a data sheet.

    Parameters
    ----------
    pairs : sequence of (percent, metres)
        Reflectivity of a Lambertian target [%] and the range at which it is just seen [m], one
        or more, in any order.
    target : {"extended", "line", "point"}
        m = 2, 3, 4.
    extinction_per_m : float, optional
        gamma. Default: fitted to two or more pairs; 0 for one pair. [1/m]

    Raises
    ------
    RangeLimitError
        The target is unknown, there are no pairs, two pairs have the same percentage, a value is
        not above 0, ranges do not grow with reflectivity, or the extinction leaves no light at
        these ranges.

    Notes
    -----
    With r in m, each pair requires m ln(r) - ln(R) = m ln(r_0) - 2 gamma r: a straight line over r.
    Its least-squares fit gives every pair the same weight in relative power. A negative extinction
    is set to 0: the ranges then grow faster than any extinction could explain.
    """
    _check_target(target)
    ordered = _checked(pairs)
    exponent = EXPONENTS[target]
    percent, range_m = np.array(ordered).T
    level = exponent * np.log(range_m) - np.log(percent / 100.0)
    extinction = extinction_per_m
    if extinction is None:
        extinction = _fitted_extinction(range_m, level)
    _check_extinction(extinction)
    log_clear = float(np.mean(level + 2.0 * extinction * range_m)) / exponent
    if log_clear > math.log(LARGEST) * exponent:
        raise RangeLimitError(
            f"range equation: extinction_per_m {extinction:g} is too large for a range of "
            f"{range_m[-1]:g} m; set a smaller one"
        )
    equation = RangeEquation(
        clear_range_m=math.exp(log_clear), target=target, extinction_per_m=extinction
    )
    residual_m = equation.max_range_m(percent / 100.0) - range_m
    return EquationFit(equation=equation, pairs=ordered, residual_m=tuple(residual_m.tolist()))


def _fitted_extinction(range_m: NDArray[np.float64], level: NDArray[np.float64]) -> float:
    """Return the extinction [1/m]: half of the slope at which the level falls with range."""
    off_m = range_m - range_m.mean()
    spread = float(off_m @ off_m)
    return max(0.0, -0.5 * float(off_m @ level) / spread) if spread > 0.0 else 0.0


def lambert_w(x: ArrayLike) -> NDArray[np.float64]:
    """Return w >= 0 with w exp(w) = x for each x >= 0, float64 in the shape of `x` [1]."""
    from material_mapping import kernels  # noqa: PLC0415  a configuration is read without numba

    values = np.asarray(x, np.float64)
    w = np.empty(values.size)
    kernels.lambert_w_of(values.ravel(), w)
    return w.reshape(values.shape)


def _checked(pairs: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Return the pairs by increasing percentage; raise RangeLimitError if one is wrong."""
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise RangeLimitError("range equation: expected one or more pairs of [percent, metres]")
    ordered = sorted((float(percent), float(range_m)) for percent, range_m in pairs)
    for percent, range_m in ordered:
        if not all(1.0 / LARGEST <= value <= LARGEST for value in (percent, range_m)):
            raise RangeLimitError(
                f"range equation: got {range_m:g} m at {percent:g} %, expected both above 0 and at "
                f"most {LARGEST:g}"
            )
    for (percent, range_m), (next_percent, next_m) in itertools.pairwise(ordered):
        if percent == next_percent:
            raise RangeLimitError(f"range equation: got two pairs for {percent:g} %, expected one")
        if next_m <= range_m:
            raise RangeLimitError(
                f"range equation: {next_m:g} m at {next_percent:g} % is not more than"
                f" {range_m:g} m at {percent:g} %, expected ranges that grow with reflectivity"
            )
    return tuple(ordered)


def _check_target(target: str) -> None:
    if target not in EXPONENTS:
        expected = f"expected one of {', '.join(EXPONENTS)}{near_match(target, EXPONENTS)}"
        raise RangeLimitError(f"range equation: unknown target {target!r}, {expected}")


def _check_positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0.0):
        raise RangeLimitError(f"range equation: {name} is {value:g}, expected above 0")


def _check_extinction(value: float) -> None:
    if not 0.0 <= value <= MAX_EXTINCTION_PER_M:
        raise RangeLimitError(
            f"range equation: extinction_per_m is {value:g}, expected 0 to {MAX_EXTINCTION_PER_M:g}"
        )
