# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boards of known shape, and the fit of their poses in a scan."""

from typing import NamedTuple

import numpy as np
from board_scans import Scan
from scipy.optimize import least_squares
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from scipy.special import ndtr

STEP_M = 0.15
"""Neighbouring beams whose ranges differ by more than this meet different things. [m]"""
ON_M = 0.1
"""A point nearer than this to the board's plane, along the beam, is on the board. [m]"""
FLAT_M = 0.02
"""Largest scatter of the points of a board about its plane. [m]"""
SIZE_M = 0.16
"""Largest difference of a thing's length or width from the board's. [m]"""
MOST = 1
"""Percentage of points at each end that do not count for the size of a thing."""
HOLE_SHARE = 1.7
"""Distance from a hole's middle within which beams belong to the hole, in radii."""
BESIDE_M = 0.12
"""Distance from the board's edges within which beams are used for its outline. [m]"""
THING_M = 0.06
"""Beams nearer than this to a thing beside the board (stand, hand) do not count. [m]"""

SOFT_M = (0.04, 0.02, 0.01, 0.006)
"""Softness (standard deviation) of the edges in successive fits of the outline. [m]"""


class Board(NamedTuple):
    """A rectangular board; its frame has the origin in its middle, x along its length.

    Attributes
    ----------
    size_m : (float, float)
        Length and width. [m]
    square_m : float
        Side of the squares of its checkerboard; 0 if it has none. [m]
    n_squares : (int, int)
        Number of squares along the length and across it; they are centred on the board.
    holes_m : tuple of (x, y, radius)
        Round holes. [m]
    """

    size_m: tuple[float, float]
    square_m: float = 0.0
    n_squares: tuple[int, int] = (0, 0)
    holes_m: tuple[tuple[float, float, float], ...] = ()

    def outside_m(self, place_m: np.ndarray) -> np.ndarray:
        """Return the distance of places to the board's nearest edge (outline or hole), (n,) [m].

        It is negative on the board, and positive off the board or in a hole.
        """
        off = np.abs(place_m) - np.array(self.size_m) / 2
        beside = np.linalg.norm(np.maximum(off, 0.0), axis=1) + np.minimum(off.max(axis=1), 0.0)
        for x_m, y_m, radius_m in self.holes_m:
            beside = np.maximum(beside, radius_m - np.hypot(*(place_m - (x_m, y_m)).T))
        return beside

    def outwards(self, place_m: np.ndarray) -> np.ndarray:
        """Return the direction in which `outside_m` grows at each place, (n, 2)."""
        off = np.abs(place_m) - np.array(self.size_m) / 2
        side = np.where(off >= off.max(axis=1, keepdims=True), np.sign(place_m), 0.0)
        beside = off.max(axis=1)
        for x_m, y_m, radius_m in self.holes_m:
            to_middle = (x_m, y_m) - place_m
            far_m = np.linalg.norm(to_middle, axis=1)
            inner = radius_m - far_m > beside
            side[inner] = (to_middle / far_m[:, None])[inner]
        return side

    def next_to_hole(self, place_m: np.ndarray) -> np.ndarray:
        """Return which places are within or near a hole, bool (n,)."""
        far = [
            np.hypot(*(place_m - (x_m, y_m)).T) / radius_m for x_m, y_m, radius_m in self.holes_m
        ]
        return np.min(far, axis=0) < HOLE_SHARE


class Pose(NamedTuple):
    """Pose of a board: its middle (3,) and its axes as rows (3, 3), the last towards the sensor."""

    middle_m: np.ndarray
    axes: np.ndarray

    def places(self, scan: Scan) -> tuple[np.ndarray, np.ndarray]:
        """Return where beams cross the board's plane, in its frame (n, 2), and their ranges [m].

        Both are NaN for beams that point away from the plane.
        """
        slope = scan.direction @ self.axes[2]
        range_m = (self.middle_m - scan.origin_m) @ self.axes[2] / slope
        range_m[(slope >= 0) | (range_m <= 0)] = np.nan
        crossed_m = scan.origin_m + range_m[:, None] * scan.direction - self.middle_m
        return crossed_m @ self.axes[:2].T, range_m

    def moved(self, x_m: float, y_m: float, turn: float) -> "Pose":
        """Return the pose, shifted by x and y and then turned within its plane. [m], [rad]"""
        cosine, sine = np.cos(turn), np.sin(turn)
        along, across, up = self.axes
        axes = np.array([cosine * along + sine * across, cosine * across - sine * along, up])
        return Pose(self.middle_m + x_m * along + y_m * across, axes)


def find_board(scan: Scan, board: Board) -> Pose:
    """Return the pose of a board: of the flat thing of the board's size that has most points.

    Raises
    ------
    LookupError
        No flat thing has the board's size.
    """
    best: tuple[int, Pose] | None = None
    half_m = np.linalg.norm(board.size_m) / 2 + SIZE_M
    for rows in things(scan):
        point_m = scan.points_m[rows]
        far_m = np.linalg.norm(point_m - point_m.mean(axis=0), axis=1)
        if np.percentile(far_m, 100 - MOST) > half_m:
            continue
        pose, size_m = _box(point_m)
        alike = bool((np.abs(size_m - board.size_m) < SIZE_M).all())
        if alike and (best is None or len(rows) > best[0]):
            best = len(rows), pose
    if best is None:
        raise LookupError(
            f"found no flat object of {board.size_m[0]:g} x {board.size_m[1]:g} m, the size of the "
            "board"
        )
    return best[1]


def things(scan: Scan, least: int = 30):
    """Yield the rows of the points of each flat thing: connected points on a plane. intp (n,)"""
    there = np.flatnonzero(np.isfinite(scan.range_m))
    grid = np.c_[scan.azimuth_deg / scan.step_deg, scan.ring][there]
    pairs = cKDTree(grid).query_pairs(1.7, p=np.inf, output_type="ndarray")
    near = np.abs(np.diff(scan.range_m[there][pairs], axis=1)[:, 0]) < STEP_M
    first, second = pairs[near].T
    links = coo_matrix((np.ones(len(first)), (first, second)), shape=(len(there),) * 2)
    _, label = connected_components(links, directed=False)
    for number in np.flatnonzero(np.bincount(label) >= least):
        rows = there[label == number]
        off_m = plane_of(scan.points_m[rows])[2]
        flat = np.abs(off_m) < 3 * FLAT_M
        if flat.mean() > 0.6 and off_m[flat].std() < FLAT_M:
            yield rows[flat]


def plane_of(point_m: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fit a plane to points, without outliers; return its middle, its axes, and all distances."""
    kept = np.ones(len(point_m), bool)
    for _ in range(8):
        middle_m = point_m[kept].mean(axis=0)
        axes = np.linalg.svd(point_m[kept] - middle_m, full_matrices=False)[2]
        off_m = (point_m - middle_m) @ axes[2]
        kept = np.abs(off_m) < max(3.0 * float(np.median(np.abs(off_m))), FLAT_M)
    if axes[2] @ middle_m > 0:
        axes[2] *= -1
    return middle_m, np.array([axes[0], np.cross(axes[2], axes[0]), axes[2]]), off_m


def _box(point_m: np.ndarray) -> tuple[Pose, np.ndarray]:
    """Return pose and size of the smallest rectangle around flat points, without outliers."""
    middle_m, axes, _ = plane_of(point_m)
    flat_m = (point_m - middle_m) @ axes[:2].T
    pose = Pose(middle_m, axes)
    best = np.inf, pose, np.zeros(2)
    for turn in np.radians(np.arange(0.0, 180.0, 1.0)):
        turned_m = seen_from(flat_m, np.array([0.0, 0.0, turn]))
        low_m, high_m = np.percentile(turned_m, (MOST, 100 - MOST), axis=0)
        size_m = (high_m - low_m) / (1.0 - 0.02 * MOST)
        if size_m[0] >= size_m[1] and size_m.prod() < best[0]:
            middle = pose.moved(0.0, 0.0, turn).moved(*(low_m + high_m) / 2, 0.0)
            best = size_m.prod(), middle, size_m
    return best[1], best[2]


def beside_things(scan: Scan, board: Board, pose: Pose) -> np.ndarray:
    """Return a mask of beams that meet a thing before or beside the board, or pass near one."""
    place_m, range_m = pose.places(scan)
    outside_m = board.outside_m(place_m)
    before = scan.range_m < range_m - ON_M
    beside = (outside_m > 0.03) & (np.abs(scan.range_m - range_m) < 3 * ON_M)
    thing = (before | beside) & (outside_m < 0.5)
    if not thing.any():
        return thing
    far_m, _ = cKDTree(place_m[thing]).query(np.nan_to_num(place_m, nan=1e3))
    return far_m < THING_M


def fit_outline(scan: Scan, board: Board, start: Pose) -> Pose:
    """Fit the board's pose within its plane to which beams are on the board, and which are not.

    The fit uses an outline with a soft edge, which becomes sharper from fit to fit.
    """
    pose, wide_m = start, 0.0
    for soft_m in SOFT_M:
        place_m, on = edge_beams(scan, board, pose)

        def error(unknown, place_m=place_m, on=on, soft_m=soft_m):
            outside_m = board.outside_m(seen_from(place_m, unknown[:3]))
            return ndtr((unknown[3] - outside_m) / soft_m) - on

        found = least_squares(error, [0.0, 0.0, 0.0, wide_m], x_scale=soft_m, diff_step=1e-3)
        pose, wide_m = pose.moved(*found.x[:3]), float(found.x[3])
    return pose


def edge_beams(scan: Scan, board: Board, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Return where beams near the edges meet the board's plane (n, 2), and which hit the board."""
    place_m, range_m = pose.places(scan)
    chosen = np.abs(board.outside_m(place_m)) < BESIDE_M
    chosen &= ~beside_things(scan, board, pose)
    on = np.abs(scan.range_m - range_m) < ON_M
    return place_m[chosen], on[chosen]


def wider_m(
    looks: list[tuple[Scan, Pose]],
    board: Board,
    *,
    upright: bool | None = None,
    of_holes: bool | None = None,
) -> float:
    """Return by how much the board appears wider in scans than it is [m].

    At this distance outside the true edges, half of the beams are still on the board. If
    ``upright`` is True, only edges within 30 degrees of upright count; if False, of level. If
    ``of_holes`` is True, only edges of holes count; if False, only the sides of the board.
    """
    outside, on = [], []
    for scan, pose in looks:
        place_m, is_on = edge_beams(scan, board, pose)
        level = np.cross((0.0, 0.0, 1.0), pose.axes[2])
        aside = np.abs(board.outwards(place_m) @ (pose.axes[:2] @ level)) / np.linalg.norm(level)
        chosen = np.ones(len(aside), bool)
        if upright is not None:
            chosen = aside > np.cos(np.pi / 6) if upright else aside < 0.5
        if of_holes is not None:
            chosen &= board.next_to_hole(place_m) == of_holes
        outside.append(board.outside_m(place_m[chosen]))
        on.append(is_on[chosen])
    outside_m, is_on = np.concatenate(outside), np.concatenate(on)
    found = np.zeros(1)
    for soft_m in SOFT_M:

        def error(unknown, soft_m=soft_m):
            return ndtr((unknown - outside_m) / soft_m) - is_on

        found = least_squares(error, found, x_scale=soft_m, diff_step=1e-3).x
    return float(found[0])


def seen_from(place_m: np.ndarray, motion: np.ndarray) -> np.ndarray:
    """Return places (.., 2) in the frame of a board that was shifted by x, y and then turned.

    ``motion`` is x, y [m] and the turn [rad].
    """
    cosine, sine = np.cos(motion[2]), np.sin(motion[2])
    return (place_m - motion[:2]) @ np.array([[cosine, -sine], [sine, cosine]])
