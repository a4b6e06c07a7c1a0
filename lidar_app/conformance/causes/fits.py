# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Robust fits: an offset or factor of ranges, a translation and rotation of points."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Values = NDArray[np.float64]
    Planes = Callable[[Values], tuple[Values, Values]]

_ROUNDS = 30
_FIRST_M, _LAST_M = 4.0, 0.03
"""Distances at which a residual has a quarter of its weight, in the first round and the last."""
_FALL = 0.8
_RIDGE = 1e-6
SHIFT, YAW, TURN, BOTH = (0, 1, 2), (5,), (3, 4, 5), (0, 1, 2, 3, 4, 5)
"""Fitted parameters of a rigid motion; 0 to 2: translation, 3 to 5: rotation about x, y, z."""


class RangeFit(NamedTuple):
    """Fit of ranges: a range in an answer is ``scale * expected + offset_m``.

    Attributes
    ----------
    offset_m, scale : float
        Offset and factor. Only one is fitted: the offset is 0, or the factor is 1. [m], [1]
    before_m, after_m : float
        Median of the absolute errors before and after the fit. [m]
    share : float
        Share of ranges whose error after the fit is at most 4 * `after_m` (at least 1 mm).
    """

    offset_m: float
    scale: float
    before_m: float
    after_m: float
    share: float


class RigidFit(NamedTuple):
    """Rigid motion of points: an answer has a true point p at ``turn @ p + shift_m``.

    Attributes
    ----------
    turn : float64 (3, 3)
        Rotation.
    shift_m : float64 (3,)
        Shift. [m]
    """

    turn: Values
    shift_m: Values

    def undone(self, points_m: Values) -> Values:
        """Undo the motion of the points of an answer, and return the true points.

        Parameters
        ----------
        points_m : float64 (n, 3)
            Points of the answer, which are not changed. [m]

        Returns
        -------
        float64 (n, 3)
            True points, in the same order. [m]
        """
        return np.asarray((points_m - self.shift_m) @ self.turn)


def fit_ranges(came_m: Values, told_m: Values) -> RangeFit:
    """Fit ranges by an offset alone, and by a factor alone; return the better fit.

    Offset and factor are medians. The better fit leaves the smaller median absolute error.

    Parameters
    ----------
    came_m, told_m : float64 (n,)
        Ranges in answers, and the range that closed forms give for each; n is at least 1. [m]
    """
    offset_m, scale = float(np.median(came_m - told_m)), float(np.median(came_m / told_m))
    before_m = float(np.median(np.abs(came_m - told_m)))
    fits = []
    for a, b in ((offset_m, 1.0), (0.0, scale)):
        error_m = np.abs(came_m - a - b * told_m)
        after_m = float(np.median(error_m))
        share = float(np.mean(error_m <= max(4.0 * after_m, 1e-3)))
        fits.append(RangeFit(a, b, before_m, after_m, share))
    return min(fits, key=lambda each: each.after_m)


def fit_rigid(
    points_m: Values, planes: Planes, free: tuple[int, ...], yaw_rad: float = 0.0
) -> RigidFit:
    """Fit the rigid motion that moved true points to the points of an answer.

    True points lie on the planes that their beams meet. Each round undoes the motion so far, finds
    the plane of each point, and solves the linear least squares of the distances to the planes
    (Chen and Medioni 1992). Weights of Geman and McClure, whose scale falls from round to round,
    leave out points that are matched with a wrong plane.

    Parameters
    ----------
    points_m : float64 (n, 3)
        Points of the answer, in the frame of the sensor. [m]
    planes : callable
        As `planes_hit`: takes points, returns normals (n, 3) and distances (n,) of the planes that
        the beams through the points meet; NaN for beams that meet nothing.
    free : tuple of int
        Which parameters to fit: one of the constants `SHIFT`, `YAW`, `TURN` or `BOTH`.
    yaw_rad : float
        Start value of the yaw of the motion. [rad]
    """
    turn, move_m = _rotation(np.array((0.0, 0.0, -yaw_rad))), np.zeros(3)
    scale_m = _FIRST_M
    for _ in range(_ROUNDS):
        at_m = points_m @ turn.T + move_m
        normal, distance_m = planes(at_m)
        known = np.isfinite(distance_m) & np.isfinite(at_m).all(axis=1)
        if np.count_nonzero(known) < len(free):
            break
        step = _step(at_m[known], normal[known], distance_m[known], free, scale_m)
        back = _rotation(-step[3:])
        turn, move_m = back @ turn, back @ (move_m - step[:3])
        scale_m = max(_FALL * scale_m, _LAST_M)
    return RigidFit(turn.T, -turn.T @ move_m)


def _step(
    at_m: Values, normal: Values, distance_m: Values, free: tuple[int, ...], scale_m: float
) -> Values:
    """Return the shift [m] and the rotation vector [rad] of a round, float64 (6,)."""
    error_m = np.einsum("ni,ni->n", normal, at_m) - distance_m
    weight = (scale_m**2 / (scale_m**2 + error_m**2)) ** 2
    slopes = np.hstack([normal, np.cross(at_m, normal)])[:, free]
    left = slopes.T @ (weight[:, None] * slopes)
    left += _RIDGE * max(float(np.trace(left)), _RIDGE) * np.eye(len(free))
    step = np.zeros(6)
    step[list(free)] = np.linalg.solve(left, slopes.T @ (weight * error_m))
    return step


def _rotation(vector_rad: Values) -> Values:
    """Return the matrix of a rotation vector (Rodrigues)."""
    angle = float(np.linalg.norm(vector_rad))
    if not angle:
        return np.eye(3)
    x, y, z = vector_rad / angle
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross)
