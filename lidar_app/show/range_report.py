# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The range limit of a configured sensor, compared with its data sheet."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from material_mapping import RangeLimitError, fit_equation
from material_mapping.detection_range.range_equation import EXPONENTS
from osi_lidar.config.range_limit import FittedEquation, OpticsEquation
from osi_lidar.scan.from_config import range_limit_of, signal_scale_of
from osi_lidar.sensors.presets import load_preset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from material_mapping import RangeEquation, RangeLimit
    from material_mapping.detection_range.range_equation import EquationFit
    from material_mapping.detection_range.signal_scale import SignalScale
    from osi_lidar.config import Sensor
    from osi_lidar.config import range_limit as config_range
    from osi_lidar.sensors.presets import SensorPreset

SHOWN_PERCENT = (1.0, 5.0, 10.0, 20.0, 50.0, 80.0, 95.0, 100.0)
SHOWN_PROBABILITIES = (0.9, 0.5, 0.1)
"""Probabilities of detection for which `detection_ranges_m` returns ranges."""
PRESET, CONFIGURATION = "preset", "configuration"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairReport:
    """A given pair (reflectivity, detection range), and the range that the model has there.

    Attributes
    ----------
    percent : float
        Reflectivity of the target. [%]
    range_m : float
        The given detection range of a target with this reflectivity. [m]
    given_by : {"preset", "configuration"}
        Where the pair comes from.
    basis : {"data sheet", "recordings", "estimate"} or None
        What a pair of a preset rests on; None for pairs of the configuration.
    limit_m : float
        The detection range of the model for this reflectivity. [m]
    """

    percent: float
    range_m: float
    given_by: str
    basis: str | None
    limit_m: float

    @property
    def residual_m(self) -> float:
        """The detection range of the model minus the given detection range [m]."""
        return self.limit_m - self.range_m

    @property
    def origin(self) -> str:
        """Where the pair comes from, in words, such as "the data sheet" or "the configuration"."""
        words = {"data sheet": "the data sheet", "estimate": "an estimate"}
        return words.get(self.basis, self.basis) if self.basis else f"the {self.given_by}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeReport:
    """The range limit of one sensor: the maximum range by reflectivity of the target.

    Attributes
    ----------
    sensor, preset : str
        Name of the sensor, and name of its preset or an empty text.
    min_range_m, max_range_m : float
        Least and greatest range at which any target is detected. [m]
    kind : {"constant", "pairs", "pieces", "equation"}
        Kind of the limit.
    words : str
        Description of the limit and its source.
    equation : RangeEquation or None
        The lidar range equation with its constants. None for limits of another kind, and if the
        sensor is a drawn unit whose signal factor is not 1.
    limit : RangeLimit
        The limit itself.
    pairs : tuple of PairReport
        Pairs of the preset, then pairs of the configuration.
    pairs_source : str
        Source of the pairs of the preset.
    comparisons : tuple of EquationFit
        For each kind of target, a lidar range equation fitted to the pairs of the configuration, or
        without any, to those of the preset. The equation of the limit itself is left out.
    no_comparison : str
        Why there are no comparisons although there are pairs.
    scale : SignalScale or None
        Signal and noise of the receiver. None without a noisy receiver: the limit is then sharp.
    """

    sensor: str
    preset: str
    min_range_m: float
    max_range_m: float
    kind: str
    words: str
    equation: RangeEquation | None
    limit: RangeLimit
    pairs: tuple[PairReport, ...]
    pairs_source: str
    comparisons: tuple[EquationFit, ...]
    no_comparison: str
    scale: SignalScale | None

    @property
    def curve(self) -> RangeLimit:
        """The limit without its cap at the maximum range of the sensor."""
        return replace(self.limit, cap_m=math.inf)

    @property
    def fitted_to(self) -> str:
        """Source of the pairs that the equations in `comparisons` are fitted to.

        It is "preset" or "configuration", or an empty text if there are no pairs.
        """
        return self.pairs[-1].given_by if self.pairs else ""

    def formulas(self) -> list[str]:
        """Return the equations of the limit as text, one for each interval of reflectivity.

        The range r is in m, the reflectivity R in percent. If there are several, each begins with
        its interval, such as "up to 10 %: r = 20 + 3 R". The list is empty for a constant limit.
        """
        if self.kind == "constant":
            return []
        if self.equation is not None:
            return [equation_words(self.equation)]
        formulas, least = [], 0.0
        for piece in self.limit.pieces:
            most = piece.until_percent
            part = f"up to {most:g} %" if math.isfinite(most) else f"above {least:g} %"
            whole = len(self.limit.pieces) == 1
            formulas.append(piece.formula() if whole else f"{part}: {piece.formula()}")
            least = most
        return formulas


def range_report(sensor: Sensor) -> RangeReport:
    """Return the range limit of a configured sensor, compared with the pairs given for it.

    Parameters
    ----------
    sensor : Sensor
        An entry of ``sensors`` in the configuration.

    Raises
    ------
    RangeLimitError
        If the threshold of a receiver, or its signal at the limit, is out of range.
    """
    preset = None if sensor.preset is None else load_preset(sensor.preset)
    limit = range_limit_of(sensor)
    known = () if preset is None else preset.range_pairs
    basis = None if preset is None else preset.range_pairs_basis
    own = _own_pairs(sensor.range_limit)
    equation = _own_equation(sensor.range_limit)
    comparisons, why_not = _comparisons(own or known, equation)
    kind, words = _kind(sensor, preset)
    signal = sensor.drawn_unit.signal_factor
    return RangeReport(
        sensor=sensor.name,
        preset=sensor.preset or "",
        min_range_m=sensor.min_range_m,
        max_range_m=sensor.max_range_m,
        kind=kind,
        words=words if signal == 1.0 else f"{words}; drawn unit: signal x {signal:.3g}",
        equation=equation if signal == 1.0 else None,
        limit=limit,
        pairs=(
            *_reports(known, limit, given_by=PRESET, basis=basis),
            *_reports(own, limit, given_by=CONFIGURATION),
        ),
        pairs_source="" if preset is None else preset.sources.get("range_pairs", ""),
        comparisons=comparisons,
        no_comparison=why_not,
        scale=_scale(sensor),
    )


def equation_words(equation: RangeEquation) -> str:
    """Return a lidar range equation (`equation`) and its constants as a line of text."""
    m, per_km = equation.exponent, 1000.0 * equation.extinction_per_m
    return (
        f"r^{m} exp(2 g r) = r_0^{m} R / 100, r_0 = {equation.clear_range_m:.6g} m, "
        f"g = {per_km:.4g} /km ({equation.target} target)"
    )


def _kind(sensor: Sensor, preset: SensorPreset | None) -> tuple[str, str]:
    """Return the kind of the limit, and its description."""
    limit = sensor.range_limit
    if limit is None or isinstance(limit, str):
        if limit is not None and preset is not None and preset.range_pairs:
            return "pairs", f"pairs of the preset {preset.name}, fit {preset.range_fit}"
        return "constant", f"max_range_m for every target; {_why_constant(limit, preset)}"
    if limit.pieces is not None:
        fits = ", ".join(piece.fit for piece in limit.pieces)
        return "pieces", f"pieces of the configuration, fits {fits}"
    if limit.equation is not None:
        optics = isinstance(limit.equation, OpticsEquation)
        how = "with the optics of" if optics else "fitted to the pairs of"
        return "equation", f"lidar range equation {how} the configuration"
    return "pairs", f"pairs of the configuration, fit {limit.fit}"


def _scale(sensor: Sensor) -> SignalScale | None:
    """Return the signal scale of a receiver with noise, otherwise None."""
    receiver = sensor.receiver
    return None if receiver is None or not receiver.amplitude_noise else signal_scale_of(sensor)


def _why_constant(limit: str | None, preset: SensorPreset | None) -> str:
    if limit is None:
        return "range_limit is null"
    if preset is None:
        return "no range_limit is configured"
    return f"the preset {preset.name} states no range at a reflectivity"


def _own_equation(limit: config_range.RangeLimitSection | str | None) -> RangeEquation | None:
    """Return the equation of a configured limit, None if it is not an equation."""
    if limit is None or isinstance(limit, str) or limit.equation is None:
        return None
    return limit.equation.equation()


def _own_pairs(
    limit: config_range.RangeLimitSection | str | None,
) -> tuple[tuple[float, float], ...]:
    """Return the pairs of a configured limit, by increasing reflectivity.

    Pairs of a piece outside its own range of reflectivity only shape its curve; they are left out.
    """
    if limit is None or isinstance(limit, str):
        return ()
    found = set(limit.pairs or ())
    if isinstance(limit.equation, FittedEquation):
        found |= set(limit.equation.pairs)
    least = 0.0
    for piece in limit.pieces or ():
        most = math.inf if piece.until_percent is None else piece.until_percent
        found |= {pair for pair in piece.pairs if least <= pair[0] <= most}
        least = most
    return tuple(sorted(found))


def _reports(
    pairs: Sequence[tuple[float, float]],
    limit: RangeLimit,
    *,
    given_by: str,
    basis: str | None = None,
) -> tuple[PairReport, ...]:
    limits_m = limit.max_range_m(np.array([percent for percent, _ in pairs]) / 100.0)
    return tuple(
        PairReport(
            percent=percent, range_m=range_m, given_by=given_by, basis=basis, limit_m=limit_m
        )
        for (percent, range_m), limit_m in zip(pairs, limits_m.tolist(), strict=True)
    )


def _comparisons(
    pairs: Sequence[tuple[float, float]], own: RangeEquation | None
) -> tuple[tuple[EquationFit, ...], str]:
    """Return the equations of all targets, fitted to the pairs, or why there are none."""
    if not pairs:
        return (), ""
    try:
        fits = [fit_equation(pairs, target=target) for target in EXPONENTS]
    except RangeLimitError as error:
        return (), str(error)
    return tuple(fit for fit in fits if fit.equation != own), ""


def detection_ranges_m(scale: SignalScale) -> list[list[float]]:
    """Return the ranges up to which a target is detected with given probabilities [m].

    `scale` has signal and noise of the receiver. The result has a list for each reflectivity in
    `SHOWN_PERCENT`, with a range for each of `SHOWN_PROBABILITIES`: 0 if it is reached nowhere,
    ``max_range_m`` if it is reached everywhere.
    """
    reflectivity = np.array(SHOWN_PERCENT)[:, np.newaxis] / 100.0
    ranges_m: list[list[float]] = scale.detection_range_m(
        reflectivity, np.array(SHOWN_PROBABILITIES)
    ).tolist()
    return ranges_m


def range_dict(report: RangeReport) -> dict[str, Any]:
    """Return the range limit of a sensor, `report`, as plain values for JSON.

    A value that is not known is None. The list ``limits`` has the maximum range for some
    reflectivities, with and without the cap at the sensor's maximum range; the value without it,
    ``curve_m``, is None if the range is then unlimited.
    """
    percent = np.array(SHOWN_PERCENT)
    limits_m = report.limit.max_range_m(percent / 100.0).tolist()
    curves_m = report.curve.max_range_m(percent / 100.0).tolist()
    return {
        "sensor": report.sensor,
        "preset": report.preset or None,
        "min_range_m": report.min_range_m,
        "max_range_m": report.max_range_m,
        "kind": report.kind,
        "words": report.words,
        "formulas": report.formulas(),
        "equation": None if report.equation is None else _equation_dict(report.equation),
        "limits": [
            {
                "reflectivity_percent": shown,
                "range_m": limit_m,
                "curve_m": curve_m if math.isfinite(curve_m) else None,
            }
            for shown, limit_m, curve_m in zip(SHOWN_PERCENT, limits_m, curves_m, strict=True)
        ],
        "pairs": [
            {
                "reflectivity_percent": pair.percent,
                "range_m": pair.range_m,
                "given_by": pair.given_by,
                "basis": pair.basis,
                "limit_m": pair.limit_m,
                "residual_m": pair.residual_m,
            }
            for pair in report.pairs
        ],
        "pairs_source": report.pairs_source or None,
        "comparisons": [
            {
                **_equation_dict(fit.equation),
                "pairs": [list(pair) for pair in fit.pairs],
                "residual_m": list(fit.residual_m),
            }
            for fit in report.comparisons
        ],
        "no_comparison": report.no_comparison or None,
        "receiver": None if report.scale is None else _scale_dict(report.scale),
    }


def _scale_dict(scale: SignalScale) -> dict[str, Any]:
    return {
        "threshold_snr": scale.threshold,
        "limit_snr": scale.snr_at_limit,
        "false_alarm_probability": scale.false_alarm_probability,
        "probability_at_limit": scale.probability_at_limit,
        "relative_noise": scale.noise,
        "probabilities": list(SHOWN_PROBABILITIES),
        "detection": [
            {"reflectivity_percent": percent, "range_m": ranges_m}
            for percent, ranges_m in zip(SHOWN_PERCENT, detection_ranges_m(scale), strict=True)
        ],
    }


def _equation_dict(equation: RangeEquation) -> dict[str, Any]:
    return {
        "target": equation.target,
        "clear_range_m": equation.clear_range_m,
        "extinction_per_km": 1000.0 * equation.extinction_per_m,
    }
