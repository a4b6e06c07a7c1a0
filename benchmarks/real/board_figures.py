# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of a board in scans: outline, beams on edges, squares, ranges of bright and dark."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from board_pattern import Pattern, fit_pattern
from board_poses import (
    BESIDE_M,
    ON_M,
    Board,
    Pose,
    beside_things,
    find_board,
    fit_outline,
    plane_of,
    wider_m,
)
from board_scans import Scan

EDGE_M = 0.02
"""A beam this near to an edge counts as on the edge. [m]"""
HALF_M = 0.005
"""A beam this near to the line at which half of the beams are on the board is half covered. [m]"""
BETWEEN_M = 0.6
"""A point less than this behind a board is between the board and the background. [m]"""
FEW, NEXT = 6, 4
"""For firings lost beside a board: least firings of a ring on the board, and firings beside it that
are checked."""
OUTLINE = "outline farther out by [mm]"
WALK = "bright behind dark by [mm]"
EDGES = (
    ("upright sides", True, False),
    ("upright edges of holes", True, True),
    ("level edges of holes", False, True),
)
"""Kinds of edges of a board with holes: name, ``upright`` and ``of_holes`` of `wider_m`."""
LEAST_CONTRAST = 2.0
"""Least ratio of the signals of white and black at which squares count as recognizable."""


class Look(NamedTuple):
    """A board in a scan, with its pose: from its squares, or from its outline (no pattern)."""

    scan: Scan
    board: Board
    pose: Pose
    pattern: Pattern | None


def looked_at(scan: Scan, board: Board) -> Look:
    """Find a board in a scan, and its pose.

    Raises
    ------
    LookupError
        If the board is not found.
    """
    pose = fit_outline(scan, board, find_board(scan, board))
    if not board.square_m:
        return Look(scan, board, pose, None)
    pattern = fit_pattern(scan, board, pose)
    if pattern.white < LEAST_CONTRAST * pattern.black:
        return Look(scan, board, pose, None)
    return Look(scan, board, pattern.pose, pattern)


def wall_behind(look: Look) -> Pose:
    """Return the plane of the background behind a board, from the points around the board.

    If these are not flat, the plane is across the view, at their median range.
    """
    place_m, range_m = look.pose.places(look.scan)
    outside_m = look.board.outside_m(place_m)
    behind = look.scan.range_m > range_m + 1.5 * ON_M
    behind &= (outside_m > EDGE_M) & (outside_m < 0.6)
    point_m = look.scan.points_m[behind]
    middle_m, axes, off_m = plane_of(point_m)
    if np.mean(np.abs(off_m) < 0.03) > 0.7:
        return Pose(middle_m, axes)
    way = look.pose.middle_m / np.linalg.norm(look.pose.middle_m)
    level = np.cross((0.0, 0.0, 1.0), -way)
    level /= np.linalg.norm(level)
    far_m = np.median(np.linalg.norm(point_m, axis=1))
    return Pose(far_m * way, np.array([level, np.cross(-way, level), -way]))


def reflectivities(look: Look, wall: Pose, white: float | None) -> dict[str, float]:
    """Return the reflectivities of white, black and the background, 0.01 to 1, by name.

    If ``white`` (the reflectivity of white) is None, signals are reflectivities in per cent.
    Otherwise they are relative to white, and fall with the square of the range.
    """
    scan = look.scan
    place_m, range_m = look.pose.places(scan)
    far_m = wall.places(scan)[1]
    outside_m = look.board.outside_m(place_m)
    on = (outside_m < -EDGE_M) & (np.abs(scan.range_m - range_m) < ON_M)
    behind = (outside_m > EDGE_M) & (outside_m < 0.4) & (np.abs(scan.range_m - far_m) < 2 * ON_M)
    bright = float(np.median(scan.signal[on])) if look.pattern is None else look.pattern.white
    dark = bright if look.pattern is None else look.pattern.black
    back = float(np.median(scan.signal[behind])) if behind.any() else bright
    if white is None:
        found = np.array([bright, dark, back]) / 100.0
    else:
        nearer = np.median(range_m[on]) / np.linalg.norm(wall.middle_m)
        found = white * np.array([1.0, dark / bright, back / bright / nearer**2])
    return dict(zip(("white", "black", "behind"), np.clip(found, 0.01, 1.0), strict=True))


def figures(looks: list[Look]) -> dict[str, float]:
    """Return the figures of a sensor by name, each a mean over the scans of a board."""
    board, seen = looks[0].board, [(each.scan, each.pose) for each in looks]
    if board.holes_m:
        found = {
            f"{name} farther out by [mm]": wider_m(seen, board, upright=upright, of_holes=of_holes)
            for name, upright, of_holes in EDGES
        }
    else:
        found = {OUTLINE: wider_m(seen, board)}
    found = {name: 1e3 * value for name, value in found.items()}
    edges = [_edges(each, 1e-3 * np.mean(list(found.values()))) for each in looks]
    found |= {name: float(np.nanmean([each[name] for each in edges])) for name in edges[0]}
    if not board.holes_m:
        lost = np.array([pair for each in looks for pair in _lost_beside(each)])
        found["firings lost beside the left end of a ring"] = lost[:, 0].mean()
        found["  beside the right end"] = lost[:, 1].mean()
    squares = [_squares(each.scan, each.pattern) for each in looks if each.pattern is not None]
    if squares:
        found |= {name: float(np.mean([each[name] for each in squares])) for name in squares[0]}
        found["  its standard error [mm]"] = float(
            np.std([each[WALK] for each in squares]) / np.sqrt(len(squares))
        )
    found["lost inside the board"] = float(np.mean([_lost(each) for each in looks]))
    return found


def _edges(look: Look, wider_by_m: float) -> dict[str, float]:
    """Return shares and ranges of beams next to the edges, by name of the figure."""
    scan, pose = look.scan, look.pose
    place_m, range_m = pose.places(scan)
    outside_m = look.board.outside_m(place_m)
    counts = ~beside_things(scan, look.board, pose)
    farther_m = scan.range_m - range_m
    on = np.abs(farther_m) < ON_M
    between = (farther_m >= ON_M) & (farther_m < BETWEEN_M)
    near = counts & (np.abs(outside_m) < EDGE_M)
    half = counts & (np.abs(outside_m - wider_by_m) < HALF_M)
    return {
        "beams within 20 mm of an edge: on the board": on[near].mean(),
        "  0.1 to 0.6 m behind it": between[near].mean(),
        "  lost": np.isnan(scan.range_m[near]).mean(),
        "half covered beams that return": np.isfinite(scan.range_m[half]).mean(),
        "  those on the board, behind its plane by [mm]": 1e3 * farther_m[half & on].mean(),
    }


def _lost_beside(look: Look) -> Iterator[tuple[int, int]]:
    """Yield, for each ring, the numbers of firings lost beside the board's left and right end.

    Rings with few firings on the board, or with other things beside the board, are left out.
    """
    scan, pose = look.scan, look.pose
    place_m, range_m = pose.places(scan)
    near = np.flatnonzero(look.board.outside_m(place_m) < BESIDE_M)
    near = near[np.argsort(-scan.azimuth_deg[near])]
    thing = beside_things(scan, look.board, pose)
    for ring in np.unique(scan.ring[near]):
        rows = near[scan.ring[near] == ring]
        on = np.flatnonzero(np.abs(scan.range_m[rows] - range_m[rows]) < ON_M)
        if len(on) < FEW:
            continue
        left, right = rows[max(on[0] - NEXT, 0) : on[0]], rows[on[-1] + 1 : on[-1] + 1 + NEXT]
        if not (thing[left].any() or thing[right].any()):
            lost = np.isnan(scan.range_m)
            yield int(lost[left].sum()), int(lost[right].sum())


def _squares(scan: Scan, pattern: Pattern) -> dict[str, float]:
    """Return the figures that come from the squares, by name: beam width, contrast, range error."""
    _, range_m = pattern.pose.places(scan)
    farther_mm = 1e3 * (scan.range_m - range_m)
    bright, dark = (np.nanmean(farther_mm[each]) for each in (pattern.is_white, pattern.is_black))
    aside_mm, up_mm = pattern.sigma_mm
    return {
        "rms half width of the beam, aside [mm]": aside_mm,
        "rms half width of the beam, up [mm]": up_mm,
        "  of both together [mm]": np.sqrt((aside_mm**2 + up_mm**2) / 2),
        "beams between white and black": pattern.mixed,
        "black over white": pattern.black / pattern.white,
        WALK: bright - dark,
    }


def _lost(look: Look) -> float:
    """Return the share of the beams inside a board that did not return."""
    place_m, _ = look.pose.places(look.scan)
    inside = look.board.outside_m(place_m) < -EDGE_M
    inside &= ~beside_things(look.scan, look.board, look.pose)
    return float(np.isnan(look.scan.range_m[inside]).mean())
