# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Stations at which lanes, rails and other shapes along a road are sampled: few, but enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.roads.opendrive.attributes import LARGEST, PartError
from lidar_scenery.roads.opendrive.cubics import SEAM_M

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from lidar_scenery.roads.opendrive.records import LaneSection, Road, Span

    Sample = Callable[[NDArray[np.float64]], NDArray[np.float64]]

CHORD_M = 0.005
"""Largest distance of an edge of a lane or a rail from its chord between two stations. [m]"""
TWIST_M = 0.01
"""Largest distance of a corner of a quad between two stations from the plane of the other three
corners. It is so small that markings stay above the lane. [m]"""
MOST_POINTS = 1_000_000
"""Largest number of points of a lane section or a rail; larger ones are left out."""

_PROBES = (0.31, 0.64)
_ROUNDS = 24


def breaks_of(road: Road, section: LaneSection) -> NDArray[np.float64]:
    """Return stations between which a lane section has no kinks or jumps, rising, (n,) [m].

    Both ends of the section are included. ``road`` is the road, and ``section`` the lane section.

    Raises
    ------
    PartError
        If there are too many stations.
    BoundError
        If the map needs more points than the size of its file allows.
    """
    lanes = (*section.left, *section.right)
    offset = road.lane_offset
    own: list[ArrayLike] = [
        *(offset.starts_m, offset.jumps() - SEAM_M),
        *(lane.start_m + curve.starts_m for lane in lanes for curve in (lane.widths, lane.borders)),
        *(lane.start_m + lane.heights_m[:, 0] for lane in lanes),
        *([lane.start_m + s for s, _ in lane.materials] for lane in lanes),
    ]
    return line_breaks(road, (section.start_m, section.end_m), section_words(section), own)


def line_breaks(
    road: Road, span_m: Span, words: str, more_m: Iterable[ArrayLike] = ()
) -> NDArray[np.float64]:
    """Return stations between which a stretch of a road has no kinks or jumps, rising, (n,) [m].

    Kinks and jumps of lanes are not considered; `more_m` can have their stations.

    Parameters
    ----------
    road : Road
        The road.
    span_m : (float, float)
        Ends of the stretch, which are also the first and the last station. [m]
    words : str
        Name of the sampled thing in error messages.
    more_m : iterable of arrays
        Further stations to include, any number of arrays. [m]

    Raises
    ------
    PartError
        If there are too many stations.
    BoundError
        If the map needs more points than the size of its file allows.
    """
    along = [
        *(curve.starts_m for curve in (road.elevation, road.roll, road.left_fall)),
        *(road.right_fall.starts_m, *more_m),
        *([shape.s_m] for shape in road.shapes),
        *_steps(road, span_m, words),
    ]
    first, last = span_m
    road.allowance.take(sum(map(np.size, along)))
    inner = np.unique(np.concatenate([np.asarray(part, np.float64) for part in along]))
    inner = inner[(inner > first + SEAM_M) & (inner < last - SEAM_M)]
    return np.concatenate([[first], inner, [last]])


def _steps(road: Road, span_m: Span, words: str) -> Iterable[NDArray[np.float64]]:
    """Return stations along each piece of the reference line, close enough for its curvature."""
    for piece in road.geometries:
        start = max(piece.start_m, span_m[0])
        end = min(piece.start_m + piece.length_m, span_m[1])
        steps = (end - start) / piece.step_m(0.5 * CHORD_M)
        if steps > MOST_POINTS:
            raise _too_many(words)
        if end > start:
            road.allowance.take(steps)
            yield np.linspace(start, end, int(steps) + 2)


def section_words(section: LaneSection) -> str:
    """Return the name of a lane section for error messages."""
    return f"the lane section at s = {section.start_m:g} m"


def _too_many(words: str) -> PartError:
    return PartError(f"{words} takes over {MOST_POINTS} points")


def refined(
    breaks_m: NDArray[np.float64], sample: Sample, words: str, lines: int
) -> NDArray[np.float64]:
    """Return stations so close that sampled edges are nearly straight and faces nearly flat.

    Between two stations, sampled edges deviate from the chord by at most `CHORD_M`, and the corners
    of a face from a plane by at most `TWIST_M`. Steps are halved a limited number of times.

    Parameters
    ----------
    breaks_m : float64 (n,)
        Stations to begin with, rising. [m]
    sample : callable
        Function that takes stations (n,) and returns points of edges, (lines, n, 3) [m]: the left
        and the right edge of the first face, then of the next face, and so on.
    words : str
        Name of the sampled thing in error messages.
    lines : int
        Number of edges that `sample` returns.

    Returns
    -------
    float64 (m,)
        All stations. [m]

    Raises
    ------
    PartError
        If there are too many points, or points are too far from the origin.
    """
    s = breaks_m
    for _ in range(_ROUNDS):
        if len(s) * lines > MOST_POINTS:
            raise _too_many(words)
        gaps = np.diff(s)
        points = sample(np.concatenate([s, *(s[:-1] + share * gaps for share in _PROBES)]))
        if not np.abs(points).max() <= LARGEST:  # also raises for NaN
            raise PartError(f"{words} has points beyond {LARGEST:g} m")
        ends, *probes = np.split(points, [len(s), len(s) + len(gaps)], axis=1)
        bent = (_away_m(ends, probes) > CHORD_M) | (_twist_m(ends) > TWIST_M)
        if not bent.any():
            return s
        s = np.sort(np.concatenate([s, s[:-1][bent] + 0.5 * gaps[bent]]))
    return s


def _away_m(ends: NDArray[np.float64], probes: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return for each of n steps the largest distance of two probes from the step's chord."""
    away: NDArray[np.float64] = np.maximum(
        *(_from_chord_m(probe, ends[:, :-1], ends[:, 1:]) for probe in probes)
    )
    return away


def _from_chord_m(
    points: NDArray[np.float64], first: NDArray[np.float64], last: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the distances (n,) of points (m, n, 3) from their chords, the largest of m lines."""
    away, chord = points - first, last - first
    along = np.einsum("mni,mni->mn", away, chord)
    square = np.einsum("mni,mni->mn", chord, chord)
    share = np.divide(along, square, out=np.zeros_like(along), where=square > 0.0)
    rest = away - share[..., None] * chord
    squares: NDArray[np.float64] = np.einsum("mni,mni->mn", rest, rest).max(axis=0)
    return np.sqrt(squares)


def _twist_m(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each step the largest distance of a quad's fourth corner from the others' plane.

    `edges` are left and right edges of faces at n stations; the result is (n - 1,).
    """
    left, right = edges[0::2], edges[1::2]
    start = left[:, :-1]
    normals = np.cross(left[:, 1:] - start, right[:, :-1] - start)
    size = np.sqrt(np.einsum("mni,mni->mn", normals, normals))
    off = np.abs(np.einsum("mni,mni->mn", right[:, 1:] - start, normals))
    np.divide(off, size, out=off, where=size > SEAM_M**2)
    most: NDArray[np.float64] = off.max(axis=0)
    return most
