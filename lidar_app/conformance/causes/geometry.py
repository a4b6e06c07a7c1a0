# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Find the assumed errors (readings) that explain wrong detections in several scenes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from lidar_app.conformance.causes.directions import FRAMES, UNITS_AND_AXES
from lidar_app.conformance.causes.evidence import (
    AS_ASKED,
    COARSE_M,
    FINE_M,
    BenchReading,
    directions_of,
    planes_hit,
)
from lidar_app.conformance.causes.fits import (
    BOTH,
    SHIFT,
    TURN,
    YAW,
    RigidFit,
    fit_ranges,
    fit_rigid,
)
from lidar_app.conformance.causes.worlds import GROUNDS, HOSTS, MOUNTINGS, THINGS, TIMES
from lidar_app.conformance.sheet import SheetMounting
from osi_bridge import orientation_from_rotation, rotation_from_orientation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lidar_app.conformance.causes.evidence import Directions, Evidence, Values
    from lidar_app.conformance.causes.fits import Planes, RangeFit
    from lidar_app.conformance.sheet import DataSheet

READINGS = (*UNITS_AND_AXES, *FRAMES, *MOUNTINGS, *HOSTS, *TIMES, *THINGS, *GROUNDS)
LEAST_OFF = 0.02
"""A scene needs an explanation if more than this share of its detections is wrong."""
MOST_LEFT = 0.25
"""Share of a scene's wrong detections that an assumed error (reading) may leave unexplained.

Detections at edges of objects are often wrong for another reason.
"""
LEAST_LEFT = 0.01
"""Share of all detections of a scene that may stay unexplained, even if `MOST_LEFT` allows less."""
MOST_CAUSES = 3
_MOST_MISSED = 0.1
"""If a known reading leaves at most this share of scenes unexplained, no numbers are fitted."""
_MOST_SEARCHED = 12
_FACTORS = {1000.0: "millimetres", 100.0: "centimetres", 0.001: "kilometres", 3.280_84: "feet"}
_WAYS = {
    2.0: "all ranges are twice as large: the way there and back, not half of it",
    0.5: "all ranges are half as large: the way there and back is halved twice",
}
_YAWS_RAD = np.radians([0, *range(5, 181, 5), *range(-175, 0, 5)])
_LATE_STEP_S = 0.025
_LATE_S = [_LATE_STEP_S * each for each in range(-20, 41)]
_CLIPPED_M = 1.0
_MOST_WEIGHED = 5
_NEAR_M = 0.1
_MOST_FITTED = 8
_MOSTLY, _ALL, _MOST_NOISE_M = 0.8, 0.99, 0.5
_SIGMA_OF_MAD = 1.4826
"""Standard deviation of a normal distribution, as a multiple of its median absolute deviation."""


class Explained(NamedTuple):
    """A likely cause of the failures of a tested model, and the scenes that it explains.

    Attributes
    ----------
    text : str
        The cause in words.
    scenes : tuple of str
        Names of the explained scenes.
    """

    text: str
    scenes: tuple[str, ...]

    @property
    def n_scenes(self) -> str:
        """The number of explained scenes in words, such as "2 scenes"."""
        return f"{len(self.scenes)} scene{'s' if len(self.scenes) > 1 else ''}"


def reading_of_ranges(evidence: Sequence[Evidence]) -> Explained | None:
    """Return a common offset or factor of all ranges as the cause of scenes with wrong ranges.

    Only beams that meet a single surface, in scenes at rest, are used.

    Parameters
    ----------
    evidence : sequence of Evidence
        Sampled detections of each scene with wrong ranges, all with the same data sheet.

    Returns
    -------
    Explained or None
        The cause, with the names of all these scenes. None if there are no such beams, or neither
        an offset nor a factor explains their ranges.
    """
    came_m, told_m, _ = _all_sure(evidence)
    if not len(came_m):
        return None
    fit, errors = fit_ranges(came_m, told_m), evidence[0].sheet.errors
    most_m = 0.5 * errors.range_trueness_m + errors.range_sigma_m
    if fit.before_m <= most_m or fit.after_m > 0.3 * fit.before_m or fit.share < _MOSTLY:
        return None
    return Explained(_words_of_ranges(fit), tuple(each.scene for each in evidence))


def scatter_of_ranges(evidence: Sequence[Evidence], rest: Sequence[Evidence]) -> Explained | None:
    """Return range noise that the data sheet does not state as the cause of wrong ranges.

    Noise affects all scenes, so ranges of the passed scenes must scatter at least half as much.

    Parameters
    ----------
    evidence : sequence of Evidence
        Sampled detections of each scene with wrong ranges.
    rest : sequence of Evidence
        Sampled detections of each passed scene.

    Returns
    -------
    Explained or None
        The cause, with the names of the scenes in `evidence`; None if it is not the cause.
    """
    came_m, told_m, weight = _all_sure(evidence)
    if not len(came_m):
        return None
    error_m, stated_m = came_m - told_m, evidence[0].sheet.errors.range_sigma_m
    sigma_m = _sigma_m(error_m, weight)
    is_noise = np.mean(np.abs(error_m) <= 5.0 * sigma_m) > _ALL
    if not is_noise or not max(2.0 * stated_m, 1e-3) < sigma_m < _MOST_NOISE_M:
        return None
    came_m, told_m, weight = _all_sure(rest)
    if len(came_m) and _sigma_m(came_m - told_m, weight) < 0.5 * sigma_m:
        return None
    told = f"ranges scatter by {sigma_m:.3f} m (standard deviation), the sheet says {stated_m:g} m"
    return Explained(told, tuple(each.scene for each in evidence))


def _sigma_m(error_m: Values, weight: Values) -> float:
    """Return the standard deviation of errors, from their weighted median absolute value."""
    order = np.argsort(np.abs(error_m))
    below = np.cumsum(weight[order])
    middle = order[np.searchsorted(below, 0.5 * below[-1])]
    return _SIGMA_OF_MAD * abs(float(error_m[middle]))


def _all_sure(evidence: Sequence[Evidence]) -> tuple[Values, Values, Values]:
    """Return ranges of answers and of closed forms [m], and weights, from scenes at rest."""
    parts = [_sure(each) for each in evidence if each.is_at_rest]
    none = np.empty(0)
    came, told, weight = zip((none, none, none), *parts, strict=True)
    return np.concatenate(came), np.concatenate(told), np.concatenate(weight)


def _sure(of: Evidence) -> tuple[Values, Values, Values]:
    """Return the same for one scene, of beams that meet one surface as a whole."""
    told = of.closed_forms()
    sure = told.is_sure() & told.is_hit()
    return of.range_m[sure], told.hits[0].range_m[sure], of.weight[sure]


def _words_of_ranges(fit: RangeFit) -> str:
    if fit.scale == 1.0:
        long = "long" if fit.offset_m > 0.0 else "short"
        return f"all ranges are {abs(fit.offset_m):.3f} m too {long}"
    for factor, unit in _FACTORS.items():
        if abs(fit.scale / factor - 1.0) < 1e-3:
            return f"ranges are in {unit}, where OSI has metres: {factor:g} times as large"
    for factor, told in _WAYS.items():
        if abs(fit.scale / factor - 1.0) < 1e-3:
            return told
    return f"all ranges are {fit.scale:.4g} times as large as they are"


def readings_of_places(off: Sequence[Evidence], rest: Sequence[Evidence]) -> list[Explained]:
    """Return at most `MOST_CAUSES` assumed errors (readings) that explain wrong positions.

    The first one explains the most scenes; each further one explains scenes that remain.

    Parameters
    ----------
    off : sequence of Evidence
        Scenes that failed, and have wrong positions.
    rest : sequence of Evidence
        Scenes that passed. A reading may make only few scenes worse: less than half as many as it
        explains.
    """
    told: list[Explained] = []
    while off and len(told) < MOST_CAUSES:
        best = _best(off, rest, FINE_M)
        if 2 * _n_explained(best) < len(off):
            best = max(best, _best(off, rest, COARSE_M), key=_n_explained)
        if best is None:
            break
        told.append(best)
        off = [each for each in off if each.scene not in best.scenes]
    return told


def _n_explained(told: Explained | None) -> int:
    return len(told.scenes) if told else 0


class _Ranked(NamedTuple):
    """A reading with sort keys: the reading with the smallest keys explains the scenes best.

    Attributes
    ----------
    n_not_explained : int
        Number of scenes that the reading does not explain.
    left : float
        Mean share of detections that stay off, rounded to percent.
    order : int
        Index of the reading; lower ones are preferred.
    reading : BenchReading
        The reading.
    """

    n_not_explained: int
    left: float
    order: int
    reading: BenchReading


def _best(off: Sequence[Evidence], rest: Sequence[Evidence], slack_m: float) -> Explained | None:
    """Return the reading that explains most scenes and makes few others worse, None without one."""
    tried = _spread([each for each in off if each.is_small], _MOST_SEARCHED)
    before = {each.scene: AS_ASKED.share_off(each, slack_m) for each in (*off, *rest)}
    ranked = _ranked(READINGS, tried, before, slack_m)
    if not ranked or ranked[0].n_not_explained > _MOST_MISSED * len(tried):
        ranked += _ranked([*_fitted(tried)], tried, before, slack_m, len(READINGS))
        ranked.sort(key=lambda each: each[:3])
    for each in ranked[:_MOST_WEIGHED]:
        left = {of.scene: each.reading.share_off(of, slack_m) for of in (*off, *rest)}
        scenes = tuple(of.scene for of in off if _explains(left[of.scene], before[of.scene]))
        harmed = [name for name, share in left.items() if share > before[name] + 0.05]
        if 2 * len(harmed) < len(scenes):
            return Explained(each.reading.text, scenes)
    return None


def _spread(evidence: Sequence[Evidence], most: int) -> Sequence[Evidence]:
    """Return at most `most` scenes, evenly spread."""
    return evidence[:: max(1, -(-len(evidence) // most))]


def _ranked(
    readings: Sequence[BenchReading],
    tried: Sequence[Evidence],
    before: dict[str, float],
    slack_m: float,
    first: int = 0,
) -> list[_Ranked]:
    """Return the readings that explain at least one scene, the best one first."""
    ranked = []
    for order, reading in enumerate(readings):
        left = {each.scene: reading.share_off(each, slack_m) for each in tried}
        n = sum(not _explains(share, before[name]) for name, share in left.items())
        if n < len(tried):
            mean = round(sum(left.values()) / len(tried), 2)
            ranked.append(_Ranked(n, mean, first + order, reading))
    return sorted(ranked, key=lambda each: each[:3])


def _explains(left: float, before: float) -> bool:
    """Return whether a reading explains a scene, by the shares of wrong detections."""
    return before > LEAST_OFF and left <= max(LEAST_LEFT, MOST_LEFT * before)


def _fitted(off: Sequence[Evidence]) -> Iterator[BenchReading]:
    """Yield readings with fitted numbers: rigid motions of points, and delays."""
    yield from _moved([each for each in off if each.is_at_rest][:_MOST_FITTED])
    moving = [each for each in off if not each.is_at_rest][:_MOST_FITTED]
    if moving:
        late_s = _lateness_s(moving, lambda late_s: BenchReading(text="", late_s=late_s))
        told = f"the world of an answer is {_older(late_s)} than its message"
        yield BenchReading(text=told, late_s=late_s)
        late_s = _lateness_s(moving, lambda late_s: BenchReading(text="", things_late_s=late_s))
        told = f"moving objects, and not the host, are {_older(late_s)} than the message"
        yield BenchReading(text=told, things_late_s=late_s)


def _older(late_s: float) -> str:
    return f"{abs(late_s):.3f} s {'older' if late_s > 0.0 else 'newer'}"


def _lateness_s(moving: Sequence[Evidence], reading: Callable[[float], BenchReading]) -> float:
    """Return the age of worlds or objects for which detections are off least [s]."""

    def cost(late_s: float) -> float:
        off_m = [np.minimum(reading(late_s).off_m(each), _CLIPPED_M) for each in moving]
        return sum(float(np.mean(each)) for each in off_m)

    start_s = min(_LATE_S, key=cost)
    bounds = start_s - _LATE_STEP_S, start_s + _LATE_STEP_S
    found = minimize_scalar(cost, bounds=bounds, method="bounded", options={"xatol": 1e-4})
    return float(found.x)


def _moved(still: Sequence[Evidence]) -> Iterator[BenchReading]:
    """Yield readings with points that are shifted, rotated or both, fitted to scenes at rest."""
    if not still:
        return
    cuts = np.cumsum([len(each.range_m) for each in still])[:-1]

    def planes(points_m: Values) -> tuple[Values, Values]:
        parts = zip(still, np.split(points_m, cuts), strict=True)
        normals, distances = zip(*(planes_hit(of, part) for of, part in parts), strict=True)
        return np.concatenate(normals), np.concatenate(distances)

    points_m = np.concatenate([each.points_m() for each in still])
    for free in (SHIFT, YAW, TURN, BOTH):
        start_rad = _yaw_rad(points_m, planes) if free == YAW else 0.0
        fit = fit_rigid(points_m, planes, free, start_rad)
        yield from _both_ways(fit, _words_of_move(fit, free))


def _yaw_rad(points_m: Values, planes: Planes) -> float:
    """Return the yaw that brings most points near their planes [rad]."""
    turns = [rotation_from_orientation((0.0, 0.0, each)) for each in _YAWS_RAD]
    near = [_n_near(RigidFit(turn, np.zeros(3)), points_m, planes) for turn in turns]
    return float(_YAWS_RAD[int(np.argmax(near))])


def _n_near(fit: RigidFit, points_m: Values, planes: Planes) -> int:
    at_m = fit.undone(points_m)
    normal, distance_m = planes(at_m)
    error_m = np.einsum("ni,ni->n", normal, at_m) - distance_m
    return int(np.count_nonzero(np.abs(error_m) < _NEAR_M))


def _both_ways(fit: RigidFit, text: str) -> Iterator[BenchReading]:
    """Yield two readings of a rigid motion: the points were moved, or the sensor was."""

    def undone(of: Evidence) -> Directions:
        return directions_of(fit.undone(of.points_m()))

    def elsewhere(sheet: DataSheet) -> DataSheet:
        turn = rotation_from_orientation(sheet.orientation_rad)
        x_m, y_m, z_m = np.asarray(sheet.position_m) - turn @ fit.turn.T @ fit.shift_m
        roll, pitch, yaw = np.degrees(orientation_from_rotation(turn @ fit.turn.T))
        place = {"x_m": x_m, "y_m": y_m, "z_m": z_m}
        place |= {"roll_deg": roll, "pitch_deg": pitch, "yaw_deg": yaw}
        mounting = SheetMounting(**{name: float(value) for name, value in place.items()})
        return sheet.model_copy(update={"mounting": mounting})

    yield BenchReading(text=text, undone=undone)
    yield BenchReading(text=text, sheet=elsewhere)


def _words_of_move(fit: RigidFit, free: tuple[int, ...]) -> str:
    x, y, z = np.round(fit.shift_m, 2) + 0.0
    shifted = f"shifted by ({x:+.2f}, {y:+.2f}, {z:+.2f}) m in the frame of the sensor (x, y, z)"
    roll, pitch, yaw = np.round(np.degrees(orientation_from_rotation(fit.turn)), 2) + 0.0
    turned = f"turned by roll {roll:+.2f}, pitch {pitch:+.2f}, yaw {yaw:+.2f} deg"
    words = {SHIFT: shifted, YAW: f"turned by {yaw:+.2f} deg about the vertical axis of the sensor"}
    words |= {TURN: turned, BOTH: f"{turned}, and {shifted}"}
    return f"all detections are {words[free]}"
