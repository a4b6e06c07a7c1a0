# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Signal scale: from the range limit of a sensor to the signal-to-noise ratio of an echo.

A data sheet says at which range a reflectivity is just seen. The received signal is proportional to
the reflectivity, so this one curve gives the signal of every target at every range, in multiples of
the noise, without any number of the optics::

    SNR(R, r) = SNR_L R e(r) / R_min(max(r, r_c)) / sqrt(1 - f + f E / 100 klx)

- R_min(r): least reflectivity that is just seen at r, the inverse of the range limit
- SNR_L: signal-to-noise ratio of an echo that is just seen
- r_c: range below which nearer targets give no stronger echo
- e: signal of a near target relative to this law
- f: share of sunlight in the variance of the noise at E = 100 klx

SNR is the peak of an echo over the rms of the noise: a ratio of amplitudes at the comparator, not
of powers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from material_mapping.detection_range.least_reflectivity import least_reflectivity, signal_range_m
from material_mapping.errors import RangeLimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from material_mapping.detection_range.range_limit import RangeLimit

DATA_SHEET_LUX = 1e5
"""Ambient light at which data sheets state ranges: full sunlight. [lx]"""

LEAST_ROOT = 1e-12
"""Values of `SignalScale.kernel_table` are clipped to this and its inverse, 1e-12 to 1e12. [1]"""

_LEAST_SNR = 1e-9  # of an echo; its detection is no more likely than that of noise
_ERFC_IS_2, _ERFC_IS_0 = -6.0, 27.5
"""Arguments up to which the complementary error function rounds to 2, and from which on to 0."""
_quantile = np.vectorize(NormalDist().inv_cdf, otypes=[np.float64])
_N_STEPS = 4096
_N_HALVINGS = 45  # of 60: to 2e-12 of a ratio
_NORMAL = np.linspace(-8.0, 8.0, 801)  # the detection rises within 1 / (k s), 0.1 or more
_WEIGHT = np.exp(-0.5 * _NORMAL * _NORMAL)
_WEIGHT /= _WEIGHT.sum()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SignalScale:
    """Receiver model of a sensor: signal-to-noise ratio, detection and range error of echoes.

    The methods compute the ratio of a target from its reflectivity and range; from the ratio, the
    probability of detection and the range error; and the largest range at which a target is
    detected with a given probability. The attributes up to `ambient_lux` are the arguments; the
    last four, from `n_0` on, are computed from them.

    Attributes
    ----------
    limit : RangeLimit
        The range limit of the sensor.
    sigma_m : float
        rms width of the pulse at the comparator, in range, c sigma_t / 2. [m]
    max_range_m : float
        Length of the receiver's window. The longer the window, the more noise peaks pass. [m]
    false_alarm_probability : float
        Probability that noise alone gives a beam an echo. [1]
    probability_at_limit : float
        Probability that a target at its range limit is detected, p_0. [1]
    near_range_m : float
        r_c: nearer targets give no stronger echo than at this range, since their image is larger
        than the detector. About the aperture over the receiver's field of view in radians. [m]
    near_field : sequence of (range_m, efficiency)
        Near-field efficiency e(r): linear between the rows, constant beyond the ends; 1 without
        rows. It may exceed 1 where optics are aligned for a middle distance. [m], [1]
    signal_spread : float
        s: pulses and lasers differ in strength, which spreads the threshold. Standard deviation
        of the natural logarithm of the threshold. [1]
    shot_noise : float
        q: an echo of signal-to-noise ratio S adds the variance q S to the noise. [1]
    sunlight_share : float
        f: share of sunlight in the variance of the noise at 100 klx, 0 to 1. [1]
    ambient_lux : float
        Ambient light, E. [lx]
    n_0 : float
        Mean number of times that the noise in the window rises through 0, N_0. [1]
    threshold : float
        k: a peak that reaches this multiple of the noise's rms is an echo. [1]
    snr_at_limit : float
        SNR_L: signal-to-noise ratio of a target at its range limit, at 100 klx. [1]
    noise : float
        rms of the noise at ``ambient_lux``, divided by the rms at 100 klx. [1]

    Raises
    ------
    RangeLimitError
        A value is out of its range, ``threshold`` or ``snr_at_limit`` is not above 0, or there is
        no noise.

    Notes
    -----
    White noise behind the filter that is matched to a Gaussian pulse of rms s has the
    autocorrelation exp(-t^2 / 4 s^2); the pulse behind it, at the comparator, has
    sigma_t = s sqrt(2), so this is exp(-t^2 / 2 sigma_t^2). By Rice's formula [1]_ such noise
    crosses a level of k rms upwards N_0 exp(-k^2 / 2) times in the window of 2 r_max / c::

        N_0 = 2 r_max / c / (2 pi sigma_t) = r_max / (2 pi sigma_m)

    Crossings of a high level are rare and independent. So no crossing happens with probability
    exp(-N_0 exp(-k^2 / 2)) = 1 - P_fa, which gives k. An echo of signal-to-noise ratio S is
    observed as S + sqrt(1 + q S) z, where z is standard normal, and is detected if this reaches
    t k. Without spread and shot noise t is 1 and P_d = Phi(S - k), so SNR_L = k + Phi^-1(p_0).
    Otherwise t is lognormal with median 1, and P_d is the mean of Phi((S - t k) / sqrt(1 + q S)).

    References
    ----------
    .. [1] S. O. Rice, Mathematical analysis of random noise, Bell System Technical Journal 23,
       282-332, 1944, and 24, 46-156, 1945, section 3.3, doi:10.1002/j.1538-7305.1945.tb00453.x
    """

    limit: RangeLimit
    sigma_m: float
    max_range_m: float
    false_alarm_probability: float = 1e-4
    probability_at_limit: float = 0.5
    near_range_m: float = 8.0
    near_field: Sequence[tuple[float, float]] = ()
    signal_spread: float = 0.0
    shot_noise: float = 0.0
    sunlight_share: float = 0.5
    ambient_lux: float = DATA_SHEET_LUX
    n_0: float = field(init=False)
    threshold: float = field(init=False)
    snr_at_limit: float = field(init=False)
    noise: float = field(init=False)

    def __post_init__(self) -> None:
        self._check()
        least_reflectivity(self.limit, self.max_range_m)  # raises if there is none
        n_0 = self.max_range_m / (2.0 * math.pi * self.sigma_m)
        threshold = _threshold(n_0, self.false_alarm_probability)
        receiver = _Receiver(threshold, self.signal_spread, self.shot_noise)
        at_limit = float(receiver.detected_snr(self.probability_at_limit))
        if not at_limit > 0.0:
            raise RangeLimitError(
                f"signal scale: got probability_at_limit {self.probability_at_limit:g}, which "
                f"noise alone reaches with a threshold of {threshold:.3g} times the noise; "
                "expected more"
            )
        share = self.sunlight_share
        variance = 1.0 - share + share * self.ambient_lux / DATA_SHEET_LUX
        if not variance > 0.0:
            raise RangeLimitError(
                "signal scale: sunlight_share 1 and ambient_lux 0 leave no noise, expected a share "
                "below 1"
            )
        values = (n_0, threshold, at_limit, math.sqrt(variance))
        for name, value in zip(("n_0", "threshold", "snr_at_limit", "noise"), values, strict=True):
            object.__setattr__(self, name, value)

    def _check(self) -> None:
        """Raise RangeLimitError if a value is out of its range."""
        for name in ("sigma_m", "max_range_m"):
            _check_value(name, getattr(self, name), least=math.ulp(0.0), words="above 0")
        for name in ("false_alarm_probability", "probability_at_limit"):
            between = {"least": math.ulp(0.0), "most": 1.0 - math.ulp(0.5)}
            _check_value(name, getattr(self, name), **between, words="above 0 and below 1")
        for name in ("near_range_m", "ambient_lux", "signal_spread", "shot_noise"):
            _check_value(name, getattr(self, name), words="0 or more")
        _check_value("sunlight_share", self.sunlight_share, most=1.0, words="0 to 1")

    def snr(self, reflectivity: ArrayLike, range_m: ArrayLike) -> NDArray[np.float64]:
        """Return the signal-to-noise ratio of targets that fill the beam, in clear air.

        Parameters
        ----------
        reflectivity : array_like
            Reflectivity at the angle of incidence, as a fraction. [1]
        range_m : array_like
            [m]; broadcast with `reflectivity`

        Returns
        -------
        float64
            SNR_L R e(r) / R_min(max(r, r_c)) / noise; 0 where nothing is reflected, infinite at a
            range of 0 without a near range. [1]
        """
        values = np.asarray(reflectivity, np.float64)
        least = self._least_reflectivity(np.asarray(range_m, np.float64))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratio = values * (self.snr_at_limit / self.noise) / least
        return np.where(values > 0.0, ratio, 0.0)

    def detection_probability(self, snr: ArrayLike) -> NDArray[np.float64]:
        """Return the probability that echoes of signal-to-noise ratio `snr` are detected [1]."""
        values = np.asarray(snr, np.float64)
        return self._receiver.detection_probability(values)

    def existence_probability(self, snr: ArrayLike) -> NDArray[np.float64]:
        """Return the probability [1] that echoes are real, by their observed signal-to-noise ratio.

        It is the probability that noise alone gives no echo of this strength anywhere in the
        window, exp(-N_0 exp(-S^2 / 2)). ``snr`` is S, see the notes of the class.
        """
        exponent = -0.5 * np.square(np.asarray(snr, np.float64))
        return np.asarray(np.exp(-self.n_0 * np.exp(exponent)), np.float64)

    def range_sigma(self, snr: ArrayLike, sigma_j: ArrayLike) -> NDArray[np.float64]:
        """Return the rms range error of the peak of each echo, sigma_j^2 / (sigma_m S) [m].

        Parameters
        ----------
        snr : array_like
            S, the signal-to-noise ratio at the peak of each echo. [1]
        sigma_j : array_like
            rms width of each echo; `sigma_m` for an echo of a perpendicular wall. [m]

        Notes
        -----
        Noise n(x) shifts the peak of the signal s(x) by n' / s''. The slope n' has the rms
        1 / sigma_m by the noise's autocorrelation; s'' = S / sigma_j^2 at the peak of a Gaussian.
        """
        with np.errstate(divide="ignore"):
            width = np.square(np.asarray(sigma_j, np.float64)) / self.sigma_m
            return np.asarray(width / np.asarray(snr, np.float64), np.float64)

    def detection_range_m(
        self, reflectivity: ArrayLike, probability: ArrayLike
    ) -> NDArray[np.float64]:
        """Return the largest range at which targets are detected with a given probability.

        Parameters
        ----------
        reflectivity : array_like
            [1], a fraction
        probability : array_like
            Above 0, below 1; broadcast with `reflectivity`. [1]

        Returns
        -------
        float64
            0 to `max_range_m`; 0 where no range reaches the probability. [m]
        """
        least_snr = self._receiver.detected_snr(probability)
        per_unit = self.noise / self.snr_at_limit * np.maximum(least_snr, _LEAST_SNR)
        reaching = np.asarray(reflectivity, np.float64) / per_unit
        if self.near_field:
            return _farthest_m(self._least_reflectivity, reaching, self.max_range_m)
        range_m = signal_range_m(self.limit, reaching)
        is_seen = range_m >= self.near_range_m  # below it the signal no longer grows
        return np.where(is_seen, np.minimum(range_m, self.max_range_m), 0.0)

    def kernel_table(self, n: int = 4096) -> tuple[float, NDArray[np.float64]]:
        """Return a table over the range r from which kernels compute the signal-to-noise ratio.

        The table holds q(r) = sqrt(R_min(max(r, r_c)) / e(r) noise / SNR_L). A target that fills
        the beam and has the reflectivity R then has the signal-to-noise ratio R / q(r)^2. Where the
        signal falls with 1/r^2, q is a straight line, which linear interpolation keeps exactly.

        Parameters
        ----------
        n : int
            Number of steps.

        Returns
        -------
        step_m : float
            Range from one row to the next. [m]
        root : float64 (n + 1,)
            q at the ranges 0, step_m, .. max_range_m; clipped to between `LEAST_ROOT` and
            1 / `LEAST_ROOT`. [1]
        """
        range_m = np.linspace(0.0, self.max_range_m, n + 1)
        least = self._least_reflectivity(range_m)
        root = np.sqrt(least * (self.noise / self.snr_at_limit))
        root = np.clip(root, LEAST_ROOT, 1.0 / LEAST_ROOT)
        root.flags.writeable = False
        return self.max_range_m / n, root

    @property
    def _receiver(self) -> _Receiver:
        return _Receiver(self.threshold, self.signal_spread, self.shot_noise)

    def _least_reflectivity(self, range_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the reflectivity [1] that is just seen at each range, with the near field."""
        least = least_reflectivity(self.limit, np.maximum(range_m, self.near_range_m))
        if not self.near_field:
            return least
        rows_m, efficiency = np.array(self.near_field, np.float64).T
        return np.asarray(least / np.interp(range_m, rows_m, efficiency), np.float64)


def _farthest_m(
    least_reflectivity_at: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    reflectivity: NDArray[np.float64],
    max_range_m: float,
) -> NDArray[np.float64]:
    """Return the largest range [m] at which each reflectivity is seen, or 0 if there is none.

    In the near field the signal need not fall with range. So the search tests steps of 1/4096 of
    the maximum range, and then bisects the step after the last range that is seen.
    """
    steps_m = np.linspace(0.0, max_range_m, _N_STEPS + 1)
    is_seen = least_reflectivity_at(steps_m) <= reflectivity[..., None]
    is_seen[..., 0] = False  # nothing is at 0
    last = _N_STEPS - np.argmax(is_seen[..., ::-1], axis=-1)
    low, high = steps_m[last], steps_m[np.minimum(last + 1, _N_STEPS)]
    for _ in range(_N_HALVINGS):
        middle = 0.5 * (low + high)
        enough = least_reflectivity_at(middle) <= reflectivity
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return np.where(is_seen.any(axis=-1), low, 0.0)


class _Receiver(NamedTuple):
    """Threshold, its spread and shot noise: which echoes are detected."""

    threshold: float
    spread: float
    shot_noise: float

    def detection_probability(self, snr: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean of Phi((S - t k) / sqrt(1 + q S)) over the thresholds t k [1]."""
        if not self.spread:
            return self._with_threshold(snr, self.threshold)
        thresholds = self.threshold * np.exp(self.spread * _NORMAL)
        found = self._with_threshold(snr[..., None], thresholds)
        return np.asarray(found @ _WEIGHT, np.float64)

    def _with_threshold(
        self, snr: NDArray[np.float64], threshold: float | NDArray[np.float64]
    ) -> NDArray[np.float64]:
        below = (threshold - snr) / np.sqrt(1.0 + self.shot_noise * snr)
        return np.asarray(0.5 * _erfc(below / math.sqrt(2.0)), np.float64)

    def detected_snr(self, probability: ArrayLike) -> NDArray[np.float64]:
        """Return the signal-to-noise ratio [1] at which an echo has this detection probability."""
        if not (self.spread or self.shot_noise):
            return np.asarray(self.threshold + _quantile(probability), np.float64)
        wanted = np.asarray(probability, np.float64)
        low, high = np.full(wanted.shape, -30.0), np.full(wanted.shape, 30.0)  # logarithms
        for _ in range(_N_HALVINGS):
            middle = 0.5 * (low + high)
            enough = self.detection_probability(np.exp(middle)) >= wanted
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return np.asarray(np.exp(high), np.float64)


def _erfc(value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the complementary error function; arguments far from 0 give 2 or 0 at once."""
    found = np.where(value < 0.0, 2.0, 0.0)
    near = ~((value <= _ERFC_IS_2) | (value >= _ERFC_IS_0))
    found[near] = np.fromiter(map(math.erfc, value[near].tolist()), np.float64)
    return found


def _threshold(n_0: float, false_alarm_probability: float) -> float:
    """Return the threshold k that noise with `n_0` zero crossings reaches with a probability."""
    crossings = -math.log1p(-false_alarm_probability)
    if not n_0 > crossings:
        raise RangeLimitError(
            f"signal scale: false_alarm_probability is {false_alarm_probability:g}, expected less "
            f"than {-math.expm1(-n_0):.3g}, the probability that noise crosses 0 within the range"
        )
    return math.sqrt(2.0 * math.log(n_0 / crossings))


def _check_value(
    name: str, value: float, *, least: float = 0.0, most: float = math.inf, words: str
) -> None:
    if not (least <= value <= most and math.isfinite(value)):
        raise RangeLimitError(f"signal scale: {name} is {value:g}, expected {words}")
