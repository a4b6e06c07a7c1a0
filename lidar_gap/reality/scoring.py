# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts: simulated figures beside recorded ones, against what two real recordings differ by.

Two values differ by their logarithm, or by their value where they are shares, angles or
correlations. A row of classes differs by the root mean square over the classes that both sides
have. A simulated 0 beside a recorded value above 0 differs without bound. The yardstick is

    t^2 = s^2 + e_real^2 + e_sim^2

s is the root mean square of the difference between two recordings of one sensor, over all such
pairs (see `real_against_real`). Where there is no pair, it is what the known sensor states of its
units, and 0 where it states nothing or the place decides. e is the standard error of either side,
half of its 95 % interval over 1.96. Angles have a yardstick of 0.05 degrees at least, to which
makers state them. A simulation ``within`` t is about as near to a recording as a second unit would
be; ``twice`` is within 2 t.
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
_LEAST_BEAMS_DEG = 0.05  # to which makers state angles
_SAME_TABLE_DEG = 1e-3
_FEWEST_CLASSES = 0.5  # of those that the recording tells
_OF_EDGES = {"mixed", "second returns", "repeats"}  # kinds that the walls cannot tell
_OF_PLACES = {"mixed", "second returns"}  # kinds that differ from place to place
_OF_SENSORS = {"beams", "signal"}  # kinds that each sensor states by itself
_OF_OBJECTS = {"targets"}  # kinds that have limits
_WITHIN_RINGS = "in_ring"
_OWN_PLACE = "walls"
_SPREADS = Path(__file__).parent / "real_against_real.yaml"


class ByClass(NamedTuple):
    """A finding as arrays over its classes."""

    labels: tuple[str, ...]
    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def rows(self, chosen: list[int]) -> ByClass:
        """Return some of the classes."""
        labels = tuple(self.labels[row] for row in chosen)
        return ByClass(labels, self.value[chosen], self.low[chosen], self.high[chosen])


@dataclass(frozen=True, slots=True)
class Score:
    """A row of one recording, real and simulated.

    Attributes
    ----------
    name : str
        Of the figure.
    real, sim : Finding or None
        Both sides; None where one does not tell it.
    difference, yardstick : float
        Of the row, see the module; NaN where nothing is compared.
    verdict : str
        ``within`` the yardstick, within ``twice`` of it, ``beyond``, ``not told`` by the simulated
        clouds, or ``not asked``.
    reason : str
        Why a row has no verdict or is not asked.
    tuned : bool
        Whether figures of the sensor were fitted to rows of this kind of this recording.
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
    """By how much two real recordings of one sensor differ.

    Attributes
    ----------
    rms : float
        Root mean square of the difference, over all pairs.
    pairs : tuple of (str, str)
        Names of the recordings of each pair.
    """

    rms: float
    pairs: tuple[tuple[str, str], ...]


def real_against_real() -> dict[str, RealSpread]:
    """Return what `spreads` finds in our recordings."""
    return {
        str(name): RealSpread(float(each["rms"]), tuple(map(tuple, each["pairs"])))
        for name, each in read_yaml(_SPREADS, own=True).items()
    }


def spreads(measured: Sequence[tuple[PublicRecording, Findings]]) -> dict[str, RealSpread]:
    """Return by how much two real recordings of one sensor differ, by figure.

    Parameters
    ----------
    measured : sequence of (PublicRecording, Findings)
        All recordings.

    Returns
    -------
    dict of str to RealSpread
        Figures that no sensor has twice are left out.
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
    """Return the rows of one recording.

    Parameters
    ----------
    recording : PublicRecording
        Which one.
    real, sim : Findings
        Figures of what was recorded, and of what was simulated.
    between : mapping of str to RealSpread
        From `real_against_real`.
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
    """Return why classes are not compared; None and no reason if they are."""
    known = _values(real.get(name))
    n = 0 if known is None else int(np.isfinite(known.value).sum())
    if len(apart) < _FEWEST_CLASSES * n:
        return "not told", f"the clouds tell {len(apart)} of {n} classes"
    if ROWS[name].kind == "beams" and np.abs(apart).max() < _SAME_TABLE_DEG:
        return "not asked", "both sides have the angles of the same table"
    return None, ""


def _by_object(name: str, real: Finding | None, sim: Finding | None, *, tuned: bool) -> Score:
    """Return a row that is compared object by object, by its limit."""
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
    """Return why a row is not asked, or not told; None and no reason if it is compared."""
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
    """Return what a known sensor states of how two of its units differ."""
    preset = load_preset(recording.sensor)
    if kind == "beams":
        units = preset.units
        own = None if units is None else math.hypot(units.common_elevation_deg, units.elevation_deg)
    else:
        own = {"noise": preset.unit_noise, "signal": preset.unit_signal}.get(kind)
    return 0.0 if own is None else math.sqrt(2.0) * own


def _values(finding: Finding | None) -> ByClass | None:
    """Return a finding as arrays, None for one that is not there."""
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
    """Return the standard errors of both sides together, over the classes that both have."""
    both = _both(name, one, other) or ()
    squares = np.zeros(len(both[0].labels) if both else 0)
    for each in both:
        error = 0.5 * (each.high - each.low) / WIDTH
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = error / each.value if ROWS[name].is_ratio else error
        squares += np.nan_to_num(relative, posinf=0.0) ** 2
    return np.sqrt(squares)
