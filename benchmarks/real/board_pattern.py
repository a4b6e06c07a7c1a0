# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The width of beams and the pose of a board, from how its squares are mixed."""

from typing import NamedTuple

import numpy as np
from board_poses import ON_M, Board, Pose, seen_from
from board_scans import Scan
from scipy.optimize import minimize
from scipy.special import ndtri

N_SIDE = 9
"""Places across a beam at which a square is looked up."""
WITHIN_M = 0.02
"""So far from the edge of the board its beams meet nothing else."""
MIXED = (0.12, 0.7)
"""Signals between the squares, as shares of that of white."""
MOST_BEAMS = 250
"""Of more beams than twice as many, every second or third one is looked at."""
STEP_M = 0.012
"""Between the places at which the search begins."""
_PLACES = ndtri((np.arange(N_SIDE) + 0.5) / N_SIDE)
_ASIDE, _UP = (each.ravel() for each in np.meshgrid(*2 * [_PLACES / _PLACES.std()]))
_FIRST = np.array([0.008, 0.008, 0.02, 7e-4, 7e-4, 0.2, 0.4, 0.2, 0.2])


class Pattern(NamedTuple):
    """How a sensor sees the squares of a board.

    Attributes
    ----------
    pose : Pose
        At which the squares fit best.
    sigma_rad : (float, float)
        Rms half width of a beam at the board, aside and up. [rad]
    range_m : float
        Of the board. [m]
    white, black : float
        Signals of the squares.
    mixed : float
        Share of the beams whose signal is between those of the squares, see `MIXED`.
    is_white, is_black : bool (n_beam,)
        Beams that lie within one square by more than two rms widths.
    """

    pose: Pose
    sigma_rad: tuple[float, float]
    range_m: float
    white: float
    black: float
    mixed: float
    is_white: np.ndarray
    is_black: np.ndarray

    @property
    def sigma_mm(self) -> np.ndarray:
        """Rms half widths at the board, aside and up. [mm]"""
        return 1e3 * self.range_m * np.array(self.sigma_rad)


def whiteness(board: Board, place_m: np.ndarray) -> np.ndarray:
    """Return 1 where a place (.., 2) is on a white square, 0 on a black one; white beside them."""
    square = np.floor(place_m / board.square_m)
    within = (np.abs(place_m) < np.array(board.n_squares) / 2 * board.square_m).all(axis=-1)
    return np.where(within, square.sum(axis=-1) % 2, 1.0)


def fit_pattern(scan: Scan, board: Board, start: Pose) -> Pattern:
    """Return the pose within the plane and the width of the beams that fit the signals best.

    Each beam is a Gaussian over its angles. The light of white squares may change along the
    board. Roots of signals are compared, whose scatter is that of photons at all levels.
    """
    place_m, range_m = start.places(scan)
    on = np.isnan(scan.range_m) | (np.abs(scan.range_m - range_m) < ON_M)
    rows = np.flatnonzero(on & (board.outside_m(place_m) < -WITHIN_M) & (scan.signal > 0))
    rows = rows[:: max(1, len(rows) // MOST_BEAMS)]
    place_m, range_m, signal = place_m[rows], range_m[rows], scan.signal[rows]
    aside_m, up_m = _spread(scan.rows(rows), start, range_m)
    level = np.sqrt(signal)

    def seen(unknown):
        spot_m = (
            place_m[:, None]
            + unknown[3] * _ASIDE[:, None] * aside_m[:, None]
            + unknown[4] * _UP[:, None] * up_m[:, None]
        )
        return whiteness(board, seen_from(spot_m, unknown[:3])).mean(axis=1)

    def bright(unknown):
        return np.exp(unknown[5] + place_m @ unknown[7:])

    def cost(unknown):
        share = seen(unknown)
        light = bright(unknown) * (share + (1.0 - share) * np.exp(unknown[6]))
        return (np.sqrt(1.0 + np.square((np.sqrt(light) - level) / 2.0)) - 1.0).sum()

    found = np.array([*_first(board, place_m, signal), 0.0, 1e-3, 1e-3, 0.0, -2.5, 0.0, 0.0])
    found[5] = np.log(np.percentile(signal, 80))
    for size in (1.0, 0.4):
        corners = np.vstack([found, found + size * np.diag(_FIRST)])
        options = {"initial_simplex": corners, "maxfev": 1600, "xatol": 1e-6, "fatol": 1e-4}
        found = minimize(cost, found, method="Nelder-Mead", options=options).x
    found[3:5] = np.abs(found[3:5])
    share, white = seen(found), bright(found)
    plain = np.zeros((2, len(scan.range_m)), bool)
    plain[:, rows] = share > 0.99, share < 0.01
    mixed = (signal / white > MIXED[0]) & (signal / white < MIXED[1])
    return Pattern(
        pose=start.moved(*found[:3]),
        sigma_rad=tuple(found[3:5]),
        range_m=float(range_m.mean()),
        white=float(np.exp(found[5])),
        black=float(np.exp(found[5:7].sum())),
        mixed=float(mixed.mean()),
        is_white=plain[0],
        is_black=plain[1],
    )


def _first(board: Board, place_m: np.ndarray, signal: np.ndarray) -> np.ndarray:
    """Return the shift at which white squares agree best with strong signals, (2,). [m]"""
    reach = np.arange(-board.square_m / 2, board.square_m / 2, STEP_M)
    shifts = np.array([(x_m, y_m) for x_m in reach for y_m in reach])
    agree = [
        np.corrcoef(whiteness(board, place_m - each), np.sqrt(signal))[0, 1] for each in shifts
    ]
    return shifts[int(np.argmax(agree))]


def _spread(scan: Scan, pose: Pose, range_m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far a turn aside and one upwards move beams on the board, (n, 2). [m/rad]"""
    aside = np.cross(scan.direction, (0.0, 0.0, 1.0))
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    slope = scan.direction @ pose.axes[2]
    moved = []
    for turn in (aside, np.cross(aside, scan.direction)):
        within = turn - scan.direction * ((turn @ pose.axes[2]) / slope)[:, None]
        moved.append(range_m[:, None] * (within @ pose.axes[:2].T))
    return moved[0], moved[1]
