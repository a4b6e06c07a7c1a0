# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The width of beams and the pose of a board, fitted to the signals of its mixed squares."""

from typing import NamedTuple

import numpy as np
from board_poses import ON_M, Board, Pose, seen_from
from board_scans import Scan
from scipy.optimize import minimize
from scipy.special import ndtri

N_SIDE = 9
"""Number of places across a beam at which the colour of the square is looked up."""
WITHIN_M = 0.02
"""Distance from the board's edge from which on a beam is on the board alone. [m]"""
MIXED = (0.12, 0.7)
"""Range of signals that are between black and white, relative to white."""
MOST_BEAMS = 250
"""About this many beams are used: of twice as many, every second one, and so on."""
STEP_M = 0.012
"""Distance between the shifts that `_first` tries. [m]"""
_PLACES = ndtri((np.arange(N_SIDE) + 0.5) / N_SIDE)
_ASIDE, _UP = (each.ravel() for each in np.meshgrid(*2 * [_PLACES / _PLACES.std()]))
_FIRST = np.array([0.008, 0.008, 0.02, 7e-4, 7e-4, 0.2, 0.4, 0.2, 0.2])


class Pattern(NamedTuple):
    """The result of fitting the squares of a board to a scan.

    Attributes
    ----------
    pose : Pose
        Pose of the board at which the squares fit best.
    sigma_rad : (float, float)
        Rms half width of a beam at the board, horizontal and vertical. [rad]
    range_m : float
        Mean range of the board. [m]
    white, black : float
        Signals of white and black squares.
    mixed : float
        Share of the beams whose signal is between black and white, see `MIXED`.
    is_white, is_black : bool (n_beam,)
        Beams that lie almost wholly (99 %) on white, or on black.
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
        """Rms half widths of a beam at the board, horizontal and vertical. [mm]"""
        return 1e3 * self.range_m * np.array(self.sigma_rad)


def whiteness(board: Board, place_m: np.ndarray) -> np.ndarray:
    """Return 1 for places (.., 2) on a white square or beside all squares, 0 on a black one."""
    square = np.floor(place_m / board.square_m)
    within = (np.abs(place_m) < np.array(board.n_squares) / 2 * board.square_m).all(axis=-1)
    return np.where(within, square.sum(axis=-1) % 2, 1.0)


def fit_pattern(scan: Scan, board: Board, start: Pose) -> Pattern:
    """Fit the board's pose within its plane and the width of the beams to the signals.

    Each beam is a Gaussian over its angles. The light of white squares may change linearly (in its
    logarithm) along the board. Roots of signals are compared, as the photon noise of a root is the
    same at all levels.
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
    """Return the shift of the board, (2,), at which white squares fit strong signals best. [m]"""
    reach = np.arange(-board.square_m / 2, board.square_m / 2, STEP_M)
    shifts = np.array([(x_m, y_m) for x_m in reach for y_m in reach])
    agree = [
        np.corrcoef(whiteness(board, place_m - each), np.sqrt(signal))[0, 1] for each in shifts
    ]
    return shifts[int(np.argmax(agree))]


def _spread(scan: Scan, pose: Pose, range_m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far each beam moves on the board if turned: aside, and upwards [m/rad].

    Both results are (n, 2), in the frame of the board.
    """
    aside = np.cross(scan.direction, (0.0, 0.0, 1.0))
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    slope = scan.direction @ pose.axes[2]
    moved = []
    for turn in (aside, np.cross(aside, scan.direction)):
        within = turn - scan.direction * ((turn @ pose.axes[2]) / slope)[:, None]
        moved.append(range_m[:, None] * (within @ pose.axes[:2].T))
    return moved[0], moved[1]
