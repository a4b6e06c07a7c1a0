# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Detection ranges of a sensor in weather, and points that the weather itself causes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.weather.state import Weather
from osi_lidar.config.receiver import Reception, ReturnSelection
from osi_lidar.scan.echoes.media import beam_optics
from osi_lidar.scan.from_config import signal_scale_of
from osi_lidar.scan.media.air import Air, SensorAir

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from material_mapping.detection_range.signal_scale import SignalScale
    from osi_lidar.config import Sensor
    from osi_lidar.scan.media.drop_kernels import DropArrays

SHOWN_PERCENT = (5.0, 10.0, 20.0, 50.0, 80.0, 100.0)
PLATES_PERCENT, PLATES_M = (10.0, 30.0, 80.0), (10.0, 15.0, 20.0)
"""Reflectivities [%] and distances [m] of the target plates of `half_visibilities`."""
VISIBILITIES_M = (2.0, 20_000.0)
"""Visibilities between which `half_visibilities` searches. [m]"""
_ONE_RETURN = ("strongest", "first", "last")
_NOISE = np.linspace(-9.0, 9.0, 1201)
_NORMAL = np.exp(-0.5 * _NOISE * _NOISE)
_NORMAL /= _NORMAL.sum()
_UP_TO = np.cumsum(_NORMAL)
_AT_LEAST = np.append(np.cumsum(_NORMAL[::-1])[::-1], 0.0)  # probability of at least each value
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(9)  # for the logarithm of a threshold
_WEIGHTS /= _WEIGHTS.sum()
_N_SHARES = 64
_HALVINGS = 28  # bisections of 9.2 in the logarithm: precise to 3e-8
_ROUNDING = 1e-9  # relative rounding of the signal of a drop that is just seen
_MAY_BE_HALF = 0.4  # lower bound: if half of the beams report a target, at least 0.47 detect it
_TIMES_THRESHOLD = np.append(0.0, np.geomspace(1e-3, 1e3, 256))
"""Signals, as multiples of the threshold, among which `Signals.faintest` is searched."""
_FAINTEST, _BRIGHTEST, _N_SIGNALS = 1e-3, 1e4, 4096
"""Range and number of signals at which the probability of detection is computed, relative to the
signal of the smallest drop. The number of points is then precise to 3e-5."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeatherRow:
    """Detection range of a target of one reflectivity, in clear air and in weather.

    Attributes
    ----------
    percent : float
        Reflectivity. [%]
    clear_m, weather_m : float
        Largest range at which half of the beams report the target, without and with weather. [m]
    """

    percent: float
    clear_m: float
    weather_m: float


class Signals(NamedTuple):
    """Signal values of a sensor that do not depend on the weather.

    Attributes
    ----------
    scale : SignalScale
        Signal and noise of the sensor's receiver.
    clear : (float, float64 (n,))
        Signal in clear air over range: step between the ranges [m], and a number q for each of the
        ranges 0, 1, 2, .. steps. A target of reflectivity R that fills the beam has the
        signal-to-noise ratio R / q^2. See `SignalScale.kernel_table`.
    faintest : float
        Lower bound of the signal-to-noise ratios at which half of the beams report a target: below
        it, fewer than half do; just above it, fewer may do so, too. [1]
    """

    scale: SignalScale
    clear: tuple[float, NDArray[np.float64]]
    faintest: float

    @classmethod
    def of(cls, sensor: Sensor) -> Signals:
        """Compute the signal values of a configured sensor."""
        scale = signal_scale_of(sensor)
        faintest = scale.snr_at_limit * (1.0 - _ROUNDING)
        if sensor.receiver is not None and sensor.receiver.amplitude_noise:
            snr = scale.threshold * _TIMES_THRESHOLD
            enough = scale.detection_probability(snr) >= _MAY_BE_HALF
            faintest = float(snr[max(int(enough.argmax()) - 1, 0)])
        return cls(scale, scale.kernel_table(), faintest)


class AirEcho(NamedTuple):
    """The echo of a medium that fills the air, in a beam into the sky.

    Its signal-to-noise ratio is ``snr``, 0 if there is no such echo, and its maximum lies at
    ``range_m``. A beam reports it as a point with a ``probability``.
    """

    snr: float
    range_m: float
    probability: float


class WeatherReport:
    """Detection of targets by a sensor in weather, and points from fog and drops, without a scene.

    All results are for one beam that meets a target that fills it, or the sky.

    Parameters
    ----------
    sensor : Sensor
        A sensor with `fidelity: physical`.
    weather : Weather
        The weather.
    transmission : float
        One-way transmission of the sensor's window. [1]
    signals : Signals, optional
        Signal values of the sensor, if already known; by default, they are computed.
    """

    def __init__(
        self,
        sensor: Sensor,
        weather: Weather,
        transmission: float = 1.0,
        signals: Signals | None = None,
    ) -> None:
        self.sensor, self.weather, self.transmission = sensor, weather, transmission
        self.signals = signals or Signals.of(sensor)
        self.scale, clear, _ = self.signals
        receiver = sensor.receiver or Reception(amplitude_noise=False)
        self._is_noisy = receiver.amplitude_noise
        self._mode = (sensor.returns or ReturnSelection()).mode
        step_m, root = clear
        self._optics = beam_optics(sensor, is_noisy=self._is_noisy)
        self.air: Air = SensorAir(self._optics).of(weather, self.scale, clear)
        self.range_m = step_m * np.arange(len(root))

    @cached_property
    def rows(self) -> tuple[WeatherRow, ...]:
        """Detection ranges for each reflectivity in `SHOWN_PERCENT`.

        They are for the weather with the sensor's window, and for clear air with a clear window.
        """
        clear = WeatherReport(self.sensor, Weather(), signals=self.signals)
        return tuple(
            WeatherRow(
                percent=percent,
                clear_m=clear.half_range_m(percent / 100.0),
                weather_m=self.half_range_m(percent / 100.0),
            )
            for percent in SHOWN_PERCENT
        )

    @cached_property
    def echoes(self) -> dict[str, AirEcho]:
        """The echo of each medium that may have one, by its name, as if it were the only one."""
        found = {}
        for name, (snr, range_m) in _echoes_before(self.air, math.inf, self.transmission).items():
            probability = float(snr >= self.scale.snr_at_limit)
            if self._is_noisy:
                probability = float(self.scale.detection_probability(snr)) if snr else 0.0
            found[name] = AirEcho(snr, range_m, probability)
        return found

    def snr(self, reflectivity: ArrayLike, range_m: ArrayLike) -> NDArray[np.float64]:
        """Return the signal-to-noise ratio of targets that fill the beam.

        The losses in the air and in the sensor's window are included.

        Parameters
        ----------
        reflectivity : array_like
            Reflectivity of each target, 1 for a white matt one. [1]
        range_m : array_like
            Range of each target, in a shape that broadcasts with `reflectivity`. [m]

        Returns
        -------
        float64
            In the common shape of both arguments. [1]
        """
        q = np.interp(np.asarray(range_m, np.float64), self.range_m, self.air.root)
        back = self.transmission**2 * np.asarray(reflectivity, np.float64)
        return np.asarray(back / np.square(q), np.float64)

    def reported(self, reflectivity: float, range_m: float) -> float:
        """Return the probability that a beam that meets a target reports it.

        A target nearer than ``min_range_m`` or farther than ``max_range_m`` is not reported. Only
        fog before the target counts; fog is here all that is in `echoes`, and its signals add up.
        If its echo and the target's merge into one, the stronger of both has this echo. Otherwise,
        if ``returns.mode`` is "strongest", its default, a detected echo of the fog that is stronger
        than the target replaces it; with "first", any detected echo of the fog does. Echoes nearer
        to each other than ``returns.min_separation_m`` are treated as with "strongest". Behind a
        detected echo of the fog, the target's signal is weaker until the receiver has recovered.

        Parameters
        ----------
        reflectivity : float
            Reflectivity of the target, which fills the beam. [1]
        range_m : float
            Range of the target. [m]
        """
        if not self.sensor.min_range_m <= range_m <= self.sensor.max_range_m:
            return 0.0
        target = float(self.snr(reflectivity, range_m))
        before = _echoes_before(self.air, range_m, self.transmission).values()
        fog, fog_m = sum(snr for snr, _ in before), max(before)[1]
        behind_m = range_m - fog_m
        returns = self.sensor.returns or ReturnSelection()
        mode = self._mode if behind_m >= returns.min_separation_m else "strongest"
        behind = target * _recovered(self.sensor, behind_m)
        widths = behind_m / self._optics.sigma_m
        if _is_merged(target, fog, widths):
            if target < fog:
                return 0.0
            target, fog = target + fog * math.exp(-0.5 * widths * widths), 0.0
        if not self._is_noisy:
            limit = self.scale.snr_at_limit
            if fog < limit:
                return float(target >= limit)
            wins = behind > fog if mode == "strongest" else mode != "first"
            return float(behind >= limit and wins)
        return float(_WEIGHTS @ _by_threshold(self.scale, mode, target, behind, fog))

    def half_range_m(self, reflectivity: float) -> float:
        """Return the largest range at which at least half of the beams report a target [m].

        The result is 0 if there is no such range. Echoes of fog rather hide targets than help them,
        so ranges at which the target's signal would be too weak without fog's echo are not tested.

        Parameters
        ----------
        reflectivity : float
            Reflectivity of the target, which fills the beam. [1]
        """
        ranges = self.range_m[:0:-1]
        may_be = ranges[self.snr(reflectivity, ranges) >= self.signals.faintest].tolist()
        return next((each for each in may_be if self.reported(reflectivity, each) >= 0.5), 0.0)

    def points_per_beam(self, edges_m: Sequence[float]) -> NDArray[np.float64]:
        """Return the mean number of points from drops in a beam into the sky, by range interval.

        Drops are raindrops or snowflakes. A sensor with one return reports at most one drop of a
        beam. If a beam meets m detectable drops on average, it reports 1 - exp(-m) points on
        average, and their ranges have the same distribution as the ranges of the drops.

        Parameters
        ----------
        edges_m : sequence of float
            Edges of the intervals, n + 1 increasing ranges. [m]

        Returns
        -------
        float64 (n,)
            Points per beam in each interval. [1]
        """
        drops, total = self.air.drops, np.zeros(len(self.range_m))
        if drops is None:
            return np.zeros(len(edges_m) - 1)
        for kind in range(2):
            number, least = np.asarray(drops.number)[kind], np.asarray(drops.least)[kind]
            if not number[-1] > 0.0:
                continue
            seen = self._share_seen(drops, np.asarray(drops.tail)[kind], least)
            total[1:] += np.diff(number) * 0.5 * (seen[1:] + seen[:-1])
        up_to = np.cumsum(total)
        if self._mode in _ONE_RETURN and up_to[-1] > 0.0:
            up_to *= -np.expm1(-up_to[-1]) / up_to[-1]
        return np.asarray(np.diff(np.interp(edges_m, self.range_m, up_to)), np.float64)

    def _share_seen(
        self, drops: DropArrays, tail: NDArray[np.float64], least: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the share of drops that is detected, at each range."""
        sizes = drops.low + drops.step * np.arange(len(tail))
        share = (np.arange(_N_SHARES) + 0.5) / _N_SHARES
        signals = drops.snr * np.geomspace(_FAINTEST, _BRIGHTEST, _N_SIGNALS)
        probability, is_noisy = self._detected(signals), self._is_noisy
        seen = np.zeros(len(least))
        for each in share:  # with this probability, a signal exceeds the least one by a factor
            wanted = np.interp(least, sizes, tail) + np.log(each)
            larger = np.interp(-wanted, -tail, sizes) - least
            signal = drops.snr * np.exp(2.0 * np.maximum(larger, 0.0))
            passed = self.transmission**2 * signal
            seen += np.interp(passed, signals, probability) if is_noisy else self._detected(passed)
        return seen / _N_SHARES

    def _detected(self, snr: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability that signals are detected."""
        if self._is_noisy:
            return np.asarray(self.scale.detection_probability(snr), np.float64)
        return np.asarray(snr >= self.scale.snr_at_limit * (1.0 - _ROUNDING), np.float64)


def _echoes_before(air: Air, range_m: float, transmission: float) -> dict[str, tuple[float, float]]:
    """Return SNR and range [m] of the echo of each medium in an ``air``; (0, 0) without one.

    A target at the range ``range_m`` ends the beam. ``transmission`` is the window's, one way.
    """
    found = {}
    for name, echo in (("fog", air.fog),):
        found[name] = 0.0, 0.0
        if echo is not None:
            ends_m = echo.begin_m + echo.step_m * np.arange(echo.rows.shape[1])
            snr, place_m = (float(np.interp(range_m, ends_m, row)) for row in echo.rows[:2])
            found[name] = transmission**2 * snr, place_m
    return found


def _by_threshold(
    scale: SignalScale, mode: str, target: float, behind: float, fog: float
) -> NDArray[np.float64]:
    """Return the probability that a target is reported, for the threshold of each of `_NODES`.

    A pulse has one threshold for both echoes. The signal of the target is `behind` if the echo of
    the fog was detected, else `target`.
    """
    threshold = scale.threshold * np.exp(scale.signal_spread * _NODES)
    alone, observed = _observed(scale, target), _observed(scale, behind)
    is_seen = _AT_LEAST[np.searchsorted(alone, threshold)]
    if not fog > 0.0:
        return np.asarray(is_seen, np.float64)
    rival, below = _observed(scale, fog), _UP_TO
    fog_unseen = np.interp(threshold, rival, below, left=0.0, right=1.0)
    fog_is_less: NDArray[np.float64] | float = 0.0 if mode == "first" else 1.0
    if mode == "strongest":
        fog_is_less = np.interp(observed, rival, below, left=0.0, right=1.0)
    seen_less = np.maximum(fog_is_less - fog_unseen[:, None], 0.0)
    both = ((observed >= threshold[:, None]) * seen_less) @ _NORMAL
    return np.asarray(fog_unseen * is_seen + both, np.float64)


def _observed(scale: SignalScale, snr: float) -> NDArray[np.float64]:
    """Return the observed signal with noise, for each value of `_NOISE` [rms of noise]."""
    return np.asarray(snr + np.sqrt(1.0 + scale.shot_noise * snr) * _NOISE, np.float64)


def _is_merged(one: float, other: float, widths: float) -> bool:
    """Return whether the sum of two Gaussians of equal width has one maximum.

    Their heights are ``one`` and ``other``, at least 0, their distance is ``widths`` rms widths.
    """
    half = 0.5 * widths
    if half <= 1.0 or not (one > 0.0 and other > 0.0):
        return True
    root = math.sqrt(half * half - 1.0)
    return abs(math.log(one) - math.log(other)) >= 2.0 * (half * root - math.acosh(half))


def _recovered(sensor: Sensor, behind_m: float) -> float:
    """Return the share of a signal that a receiver detects at a distance behind an echo."""
    reach_m = 0.0 if sensor.receiver is None else sensor.receiver.recovery_m
    if reach_m == 0.0 or behind_m < 0.0:
        return 1.0
    late_m = behind_m - (sensor.returns or ReturnSelection()).min_separation_m
    return -math.expm1(-max(late_m, 0.0) / reach_m)


def half_visibilities(sensor: Sensor, transmission: float = 1.0) -> NDArray[np.float64]:
    """Return the visibility in fog at which half of the beams that meet a plate report it.

    Parameters
    ----------
    sensor : Sensor
        A sensor with `fidelity: physical`.
    transmission : float
        One-way transmission of the sensor's window. [1]

    Returns
    -------
    float64 (3, 3)
        Visibilities: a row for each reflectivity in `PLATES_PERCENT`, a column for each distance in
        `PLATES_M`. A visibility beyond an end of `VISIBILITIES_M` is given as this end. [m]
    """
    halves = np.empty((len(PLATES_PERCENT), len(PLATES_M)))
    signals = Signals.of(sensor)
    for row, percent in enumerate(PLATES_PERCENT):
        for column, range_m in enumerate(PLATES_M):
            low, high = np.log(VISIBILITIES_M)
            for _ in range(_HALVINGS):
                middle = 0.5 * (low + high)
                fog = Weather(visibility_m=float(np.exp(middle)))
                seen = WeatherReport(sensor, fog, transmission, signals)
                is_seen = seen.reported(percent / 100.0, range_m) >= 0.5
                low, high = (low, middle) if is_seen else (middle, high)
            halves[row, column] = np.exp(high)
    return halves
