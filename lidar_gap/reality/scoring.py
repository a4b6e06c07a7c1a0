# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts: gap of simulated and recorded figures, relative to the gap of two real recordings.

The difference of two values is the difference of their logarithms; for shares, angles and
correlations, it is the difference of the values. The difference of a row with classes is the root
mean square over the classes that both sides have. A simulated 0 and a recorded value above 0 have
an infinite difference. The yardstick t is

    t^2 = s^2 + e_real^2 + e_sim^2

s is the root mean square difference between two recordings of one sensor model, over all such pairs
(see `real_against_real`). Without such a pair, s comes from the preset's spread between units; if
the preset states none, or the figure depends on the place, s is 0. e is the standard error of
either side: half of its 95 % interval, divided by 1.96. The yardstick for angles is at least 0.05
degrees, because makers state angles to that precision. A simulation ``within`` t is about as near
to a recording as a second unit of the sensor would be; ``twice`` is within 2 t.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from lidar_base.files.yaml_files import read_yaml
from lidar_gap.calibrate.findings import Absent, Figure, Series
from lidar_gap.reality.measuring import ROWS
from lidar_gap.reality.targets import FEWEST_POINTS, target_error
from osi_lidar.sensors.presets import load_preset

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lidar_gap.calibrate.findings import Finding, Findings
    from lidar_gap.reality.recordings import PublicRecording

Verdict = Literal["within", "twice", "beyond", "not told", "not asked"]
WIDTH = 1.96
"""Half of a 95 % interval, in standard errors."""
_LEAST_BEAMS_DEG = 0.05  # precision to which makers state angles
_SAME_TABLE_DEG = 1e-3
_FEWEST_CLASSES = 0.5  # share of the recorded classes that the simulation must have
_OF_EDGES = {"mixed", "second returns", "repeats"}  # kinds that a scene of walls cannot show
_OF_PLACES = {"mixed", "second returns"}  # kinds that differ from place to place
_OF_SENSORS = {"beams", "signal"}  # kinds whose spread between units comes from presets only
_OF_OBJECTS = {"targets"}  # kinds that have limits
_WITHIN_RINGS = "in_ring"
_OWN_PLACE = "walls"
_SPREADS = Path(__file__).parent / "real_against_real.yaml"


class ByClass(NamedTuple):
    """A finding as arrays with a row for each laser or bin ("class"); a single figure has one row.

    Attributes
    ----------
    labels : tuple of str (n_class)
        Numbers of the lasers, or bounds of the bins; a single figure has an empty text.
    value : float64 (n_class,)
        Values, NaN where a class has too few samples.
    low, high : float64 (n_class,)
        Ends of the 95 % interval of each value.
    """

    labels: tuple[str, ...]  # numbers of the lasers, or bounds of the bins
    value: NDArray[np.float64]  # (n_class,), NaN where there are too few samples
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def rows(self, chosen: list[int]) -> ByClass:
        """Return the finding for some of its classes, chosen by their indices."""
        labels = tuple(self.labels[row] for row in chosen)
        return ByClass(labels, self.value[chosen], self.low[chosen], self.high[chosen])


@dataclass(frozen=True, slots=True)
class Score:
    """One figure of a recording: recorded value, simulated value, and verdict.

    Attributes
    ----------
    name : str
        Name of the figure.
    real, sim : Finding or None
        Recorded and simulated value; None for a side without the figure.
    difference : float
        Difference of the recorded and simulated value; of their logarithms if the figure is
        compared by ratio. For objects, it is the mean absolute error as a share. NaN if nothing is
        compared.
    yardstick : float
        Difference that two real recordings would show, see the module. For objects, it is a fixed
        limit. NaN if nothing is compared.
    verdict : str
        ``within``: the difference is at most the yardstick; ``twice``: at most twice the yardstick;
        ``beyond``: more; ``not told``: the simulated clouds lack the figure; ``not asked``: the
        figure cannot be compared.
    reason : str
        Why the verdict is ``not told`` or ``not asked``; else empty.
    tuned : bool
        Whether parameters of the sensor model were fitted to figures of this kind in this
        recording.
    """

    name: str
    real: Finding | None
    sim: Finding | None
    difference: float
    yardstick: float
    verdict: Verdict
    reason: str
    tuned: bool


class RealSpread(NamedTuple):
    """Difference of a figure between real recordings of one sensor model.

    Attributes
    ----------
    rms : float
        Root mean square of the difference over all pairs of recordings; for a figure that is
        compared by ratio, of the difference of logarithms.
    pairs : tuple of (str, str)
        Names of the recordings of each pair.
    """

    rms: float
    pairs: tuple[tuple[str, str], ...]


def real_against_real() -> dict[str, RealSpread]:
    """Return the stored result of `spreads` for the recordings of the reality pack, by figure."""
    return {
        str(name): RealSpread(float(each["rms"]), tuple(map(tuple, each["pairs"])))
        for name, each in read_yaml(_SPREADS, own=True).items()
    }


def spreads(measured: Sequence[tuple[PublicRecording, Findings]]) -> dict[str, RealSpread]:
    """Return how much the figures of real recordings of one sensor model differ.

    Every two recordings of the same sensor model are compared.

    Parameters
    ----------
    measured : sequence of (PublicRecording, Findings)
        The recordings and the figures measured in them.

    Returns
    -------
    dict of str to RealSpread
        The difference, by name of the figure. A figure is left out if no two recordings of one
        sensor model have it. Range noise within rings is left out, and all figures of the kinds
        "mixed", "second returns", "beams", "signal" and "targets".
    """
    found: dict[str, RealSpread] = {}
    for name, row in ROWS.items():
        if row.kind in _OF_PLACES | _OF_SENSORS | _OF_OBJECTS or name.startswith(_WITHIN_RINGS):
            continue
        squares, pairs = [], []
        for (one, first), (other, second) in itertools.combinations(measured, 2):
            if one.sensor != other.sensor:
                continue
            apart = _differences(name, first, second)
            if len(apart):
                squares.append(float(np.mean(apart**2)))
                pairs.append((one.name, other.name))
        if squares:
            found[name] = RealSpread(math.sqrt(float(np.mean(squares))), tuple(pairs))
    return found


def score(
    recording: PublicRecording, real: Findings, sim: Findings, between: Mapping[str, RealSpread]
) -> list[Score]:
    """Return a verdict for each figure of `ROWS` that was found in recorded or simulated clouds.

    Parameters
    ----------
    recording : PublicRecording
        The recording.
    real, sim : Findings
        Recorded and simulated figures.
    between : mapping of str to RealSpread
        Differences between real recordings, by `real_against_real`.
    """
    return [
        _row(recording, name, real, sim, between) for name in ROWS if name in real or name in sim
    ]


def _row(
    recording: PublicRecording,
    name: str,
    real: Findings,
    sim: Findings,
    between: Mapping[str, RealSpread],
) -> Score:
    kind = ROWS[name].kind
    one, other, told = real.get(name), sim.get(name), kind in recording.tuned
    verdict, reason = _unasked(recording, name, one, other)
    if verdict is None and kind in _OF_OBJECTS:
        return _by_object(name, one, other, tuned=told)
    apart = _differences(name, real, sim)
    if verdict is None:
        verdict, reason = _uncompared(name, real, apart)
    if verdict is not None:
        return Score(name, one, other, math.nan, math.nan, verdict, reason, told)
    spread = between[name].rms if name in between else _stated(recording, kind)
    difference = math.sqrt(float(np.mean(apart**2)))
    error = _errors(name, real, sim)
    least = _LEAST_BEAMS_DEG if kind == "beams" else 0.0
    yardstick = max(math.sqrt(spread**2 + float(np.mean(error**2))), least)
    return Score(name, one, other, difference, yardstick, _verdict(difference, yardstick), "", told)


def _uncompared(
    name: str, real: Findings, apart: NDArray[np.float64]
) -> tuple[Verdict | None, str]:
    """Return verdict and reason if classes cannot be compared, else None and an empty reason."""
    known = _values(real.get(name))
    n = 0 if known is None else int(np.isfinite(known.value).sum())
    if len(apart) < _FEWEST_CLASSES * n:
        return "not told", f"the clouds tell {len(apart)} of {n} classes"
    if ROWS[name].kind == "beams" and np.abs(apart).max() < _SAME_TABLE_DEG:
        return "not asked", "both sides have the angles of the same table"
    return None, ""


def _by_object(name: str, real: Finding | None, sim: Finding | None, *, tuned: bool) -> Score:
    """Return the score of a row that is compared object by object, against its limit."""
    error, limit = target_error(real, sim), ROWS[name].limit
    if limit is None or error is None:
        reason = f"no object has {FEWEST_POINTS} recorded points"
        if limit is None:
            reason = "objects are compared one by one, in the rows above"
        return Score(name, real, sim, math.nan, math.nan, "not asked", reason, tuned)
    return Score(name, real, sim, error.mape, limit, _verdict(error.mape, limit), "", tuned)


def _verdict(difference: float, yardstick: float) -> Verdict:
    """Return the verdict of a row that is compared."""
    if difference > 2.0 * yardstick:
        return "beyond"
    return "within" if difference <= yardstick else "twice"


def _unasked(
    recording: PublicRecording, name: str, real: Finding | None, sim: Finding | None
) -> tuple[Verdict | None, str]:
    """Return verdict and reason if a row is not compared, else None and an empty reason."""
    if _values(real) is None:
        return "not asked", "the recording does not tell it"
    if recording.scene == _OWN_PLACE and ROWS[name].kind in _OF_EDGES:
        return "not asked", "a matter of the place, which walls stand in for in ranges only"
    if name.startswith(_WITHIN_RINGS):
        return "not asked", "rough surfaces count as noise"
    if _values(sim) is None:
        return "not told", sim.reason if isinstance(sim, Absent) else "the clouds do not tell it"
    return None, ""


def _stated(recording: PublicRecording, kind: str) -> float:
    """Return the standard difference of two units of a sensor, from its preset; 0 if not stated."""
    preset = load_preset(recording.sensor)
    if kind == "beams":
        units = preset.units
        own = None if units is None else math.hypot(units.common_elevation_deg, units.elevation_deg)
    else:
        own = {"noise": preset.unit_noise, "signal": preset.unit_signal}.get(kind)
    return 0.0 if own is None else math.sqrt(2.0) * own


def _values(finding: Finding | None) -> ByClass | None:
    """Return a finding as arrays; None if it is absent."""
    if isinstance(finding, Figure):
        return ByClass(("",), *(np.array([x]) for x in (finding.value, finding.low, finding.high)))
    if isinstance(finding, Series) and np.isfinite(finding.values).any():
        return ByClass(finding.labels, finding.values, finding.low, finding.high)
    return None


def _both(name: str, one: Findings, other: Findings) -> tuple[ByClass, ByClass] | None:
    """Return two findings over the classes that both have."""
    first, second = _values(one.get(name)), _values(other.get(name))
    if first is None or second is None:
        return None
    rows = [
        (first.labels.index(label), row)
        for row, label in enumerate(second.labels)
        if label in first.labels
    ]
    known = [
        (i, j)
        for i, j in rows
        if np.isfinite([first.value[i], second.value[j]]).all()
        and not (ROWS[name].is_ratio and first.value[i] <= 0.0)
    ]
    return first.rows([i for i, _ in known]), second.rows([j for _, j in known])


def _differences(name: str, one: Findings, other: Findings) -> NDArray[np.float64]:
    """Return the differences of two findings over the classes that both have."""
    both = _both(name, one, other)
    if both is None or not both[0].labels:
        return np.empty(0)
    first, second = both[0].value, both[1].value
    if not ROWS[name].is_ratio:
        return second - first
    with np.errstate(divide="ignore"):
        return np.log(second / first)


def _errors(name: str, one: Findings, other: Findings) -> NDArray[np.float64]:
    """Return the combined standard errors of both sides, over the classes that both have."""
    both = _both(name, one, other) or ()
    squares = np.zeros(len(both[0].labels) if both else 0)
    for each in both:
        error = 0.5 * (each.high - each.low) / WIDTH
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = error / each.value if ROWS[name].is_ratio else error
        squares += np.nan_to_num(relative, posinf=0.0) ** 2
    return np.sqrt(squares)
