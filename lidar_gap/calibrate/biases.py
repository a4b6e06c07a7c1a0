# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Range biases of the lasers: how far each ring lies from planes that several lasers hit.

Planes are fitted to the points of all rings together with one constant range error for each laser.
On plane j, a point at distance w_i from it along its normal obeys

    w_i = c_i b_k + a_j0 + a_j1 s_i + a_j2 t_i

for the bias b_k of its laser, the cosine c_i of its angle of incidence and its place (s, t) on the
plane. The a of all planes are eliminated, and the remaining equations are solved for all b. A bias
that all lasers share looks like planes that are farther away, so the mean of all b is set to 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import cKDTree

from lidar_gap.calibrate.beams import directions
from lidar_gap.calibrate.bootstrap import interval, signs
from lidar_gap.calibrate.findings import Absent, Series, figure
from lidar_gap.metrics.planes import SIGMA_OF_MAD, principal_plane

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.calibrate.beams import Beams
    from lidar_gap.calibrate.findings import Finding
    from lidar_gap.calibrate.recording import Recording

_MOST_POINTS, _MOST_FRAMES = 120_000, 6
_SEED_M, _REACH_M, _THICK_M = 0.7, 6.0, 0.12
_LEAST_POINTS, _LEAST_RINGS, _MOST_PLANES = 150, 4, 60
_LEAST_COSINE, _CORNER_M = 0.2, 0.2
# rings with fewer points on a plane touch only a corner; the share is of the median ring
_LEAST_OF_RING, _LEAST_SHARE = 10, 0.1
_CLIP = 3.5
# wide limits first, because lasers may be far off
_LEAST_CLIPS_M = (0.12, 0.12, 0.03, 0.003, 0.003, 0.003)
_NOTHING = 1e-9  # relative to the largest eigenvalue; a bias that all lasers share has eigenvalue 0


@dataclass(frozen=True, kw_only=True)
class _Plane:
    """Points of a plane: recording row, distance from the plane, position on it, cosine."""

    row: NDArray[np.intp]
    w_m: NDArray[np.float64]
    q: NDArray[np.float64]
    cosine: NDArray[np.float64]


def find_biases(recording: Recording, beams: Beams) -> list[Finding]:
    """Return two findings on the constant range errors (biases) of the lasers, in a list [m].

    ``laser_bias_m`` is a `Series` with the bias of each laser; the mean of all is 0.
    ``range_bias_sigma_m`` is a `Figure`, the standard deviation of the biases. Both are `Absent`
    with fewer than four lasers, or if no flat plane is seen by several lasers.

    Parameters
    ----------
    recording : Recording
        Points of all frames. Planes are searched in them.
    beams : Beams
        Angles of the lasers of this recording, from `find_beams`.
    """
    along = directions(recording, beams)
    names = ("laser_bias_m", "range_bias_sigma_m")
    if np.count_nonzero(np.bincount(recording.ring)) < _LEAST_RINGS:
        reason = f"needs at least {_LEAST_RINGS} lasers"
        return [Absent(name=name, reason=reason) for name in names]
    groups = _planes(recording)
    if not groups:
        reason = "no plane is seen by several lasers"
        return [Absent(name=name, reason=reason) for name in names]
    bias_m = np.zeros(recording.n_ring)
    planes: list[_Plane] = []
    for least_m in _LEAST_CLIPS_M:
        tried = (_plane(recording, along, rows, (bias_m, least_m)) for rows in groups)
        planes = [each for each in tried if each is not None]
        if not planes:
            return [Absent(name=name, reason="no plane is flat") for name in names]
        bias_m, drawn = _solve(recording, planes)
    return _findings(recording, planes, bias_m, drawn)


def _sample(recording: Recording) -> NDArray[np.intp]:
    """Return the rows of nearest echoes of some frames, spread over the recording."""
    if recording.at_rest:
        frames = np.arange(recording.n_frame)
    else:
        frames = np.unique(np.linspace(0, recording.n_frame - 1, _MOST_FRAMES).astype(np.intp))
    rows = np.concatenate([recording.ordered(int(frame)) for frame in frames])
    return rows[:: 1 + len(rows) // (_MOST_POINTS * (1 if recording.at_rest else len(frames)))]


def _planes(recording: Recording) -> list[NDArray[np.intp]]:
    """Find planes, growing each from a flat patch, and return the rows of each plane's points."""
    rows = _sample(recording)
    groups: list[NDArray[np.intp]] = []
    scenes = [rows]
    if not recording.at_rest:
        scenes = [
            rows[recording.frame[rows] == frame] for frame in np.unique(recording.frame[rows])
        ]
    for scene in scenes:
        groups += _planes_of_scene(recording, scene)
    return groups


def _planes_of_scene(recording: Recording, rows: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    points_m = recording.points_m[rows]
    tree = cKDTree(points_m)
    left = np.ones(len(rows), np.bool_)
    cell = np.floor(points_m / _SEED_M).astype(np.int64)
    _, first, count = np.unique(cell, axis=0, return_index=True, return_counts=True)
    groups: list[NDArray[np.intp]] = []
    for seed in first[np.argsort(-count)][: 8 * _MOST_PLANES]:
        if len(groups) == _MOST_PLANES:
            break
        if not left[seed]:
            continue
        near = np.array(tree.query_ball_point(points_m[seed], _SEED_M), np.intp)
        near = near[left[near]]
        if len(near) < 30 or len(np.unique(recording.ring[rows[near]])) < 2:
            continue
        centre_m, normal, thick_m = principal_plane(points_m[near])
        if thick_m > 0.5 * _THICK_M:
            continue
        members = _grown(points_m, tree, left, centre_m, normal)
        left[members] = False
        usable = _inner(points_m, members)
        usable = usable[_cosine(points_m[usable], normal) > _LEAST_COSINE]
        usable = usable[_well_seen(recording.ring[rows[usable]], recording.n_ring)]
        rings = np.unique(recording.ring[rows[usable]])
        if len(usable) >= _LEAST_POINTS and len(rings) >= _LEAST_RINGS:
            groups.append(rows[usable])
    return groups


def _inner(points_m: NDArray[np.float64], members: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the points of a plane without those close to another surface, such as in a corner."""
    others = np.ones(len(points_m), np.bool_)
    others[members] = False
    near_m, _ = cKDTree(points_m[others]).query(points_m[members], distance_upper_bound=_CORNER_M)
    inner: NDArray[np.intp] = members[~np.isfinite(near_m)]
    return inner


def _well_seen(ring: NDArray[np.intp], n_ring: int) -> NDArray[np.bool_]:
    """Return which points of a plane belong to rings with enough points on it."""
    n = np.bincount(ring, minlength=n_ring)
    least = max(_LEAST_OF_RING, _LEAST_SHARE * float(np.median(n[n > 0]))) if n.any() else 0.0
    seen: NDArray[np.bool_] = (n >= least)[ring]
    return seen


def _grown(
    points_m: NDArray[np.float64],
    tree: cKDTree,
    left: NDArray[np.bool_],
    centre_m: NDArray[np.float64],
    normal: NDArray[np.float64],
) -> NDArray[np.intp]:
    """Return the points of the plane around a point; the fit starts small and grows."""
    members = np.empty(0, np.intp)
    for reach_m in (2.0 * _SEED_M, 0.5 * _REACH_M, _REACH_M, _REACH_M):
        near = np.array(tree.query_ball_point(centre_m, reach_m), np.intp)
        members = near[left[near] & (np.abs((points_m[near] - centre_m) @ normal) < _THICK_M)]
        if len(members) < 30:
            return members
        _, normal, _ = principal_plane(points_m[members])
        shift_m = float(np.median((points_m[members] - centre_m) @ normal))
        centre_m = centre_m + shift_m * normal
    return members


def _cosine(points_m: NDArray[np.float64], normal: NDArray[np.float64]) -> NDArray[np.float64]:
    cosine: NDArray[np.float64] = np.abs(points_m @ normal) / np.linalg.norm(points_m, axis=1)
    return cosine


def _plane(
    recording: Recording,
    along: NDArray[np.float64],
    rows: NDArray[np.intp],
    given_m: tuple[NDArray[np.float64], float],
) -> _Plane | None:
    """Fit a plane to points that are corrected by the lasers' biases, without outliers.

    ``given_m`` holds the bias of each laser, and the least distance of an outlier. [m]
    Return None if too few points are left.
    """
    bias_m, least_m = given_m
    points_m = recording.points_m[rows]
    corrected_m = points_m - bias_m[recording.ring[rows]][:, None] * along[rows]
    kept = np.ones(len(rows), np.bool_)
    for _ in range(3):
        centre_m, normal, _ = principal_plane(corrected_m[kept])
        from_plane_m = (corrected_m - centre_m) @ normal
        from_plane_m -= np.median(from_plane_m[kept])
        spread_m = SIGMA_OF_MAD * float(np.median(np.abs(from_plane_m[kept])))
        kept = np.abs(from_plane_m) <= max(_CLIP * spread_m, least_m)
    if kept.sum() < _LEAST_POINTS:
        return None
    on_m = (points_m - centre_m)[kept]
    side = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    place = np.stack((np.ones(len(on_m)), on_m @ side, on_m @ np.cross(normal, side)), axis=1)
    return _Plane(
        row=rows[kept],
        w_m=on_m @ normal,
        q=np.linalg.qr(place)[0],
        cosine=along[rows[kept]] @ normal,
    )


def _solve(
    recording: Recording, planes: list[_Plane]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the biases, and the same with bootstrap draws below, (1 + n_draw, n_ring) [m].

    Each draw gives the residuals of each block of each plane a random sign ("wild" bootstrap).
    Drawing whole blocks instead would lose planes that a laser needs.
    """
    n_ring = recording.n_ring
    matrix, wanted = np.zeros((n_ring, n_ring)), np.zeros(n_ring)
    shared = [_by_ring(recording, each, each.q * each.cosine[:, None]) for each in planes]
    for plane, with_plane in zip(planes, shared, strict=True):
        ring = recording.ring[plane.row]
        np.add.at(matrix, (ring, ring), plane.cosine**2)
        matrix -= with_plane @ with_plane.T
        wanted += np.bincount(ring, weights=plane.cosine * plane.w_m, minlength=n_ring)
        wanted -= with_plane @ (plane.q.T @ plane.w_m)
    seen = np.diag(matrix) > 0
    values, vectors = np.linalg.eigh(matrix)
    strong = values > _NOTHING * values[-1]
    inverse = (vectors[:, strong] / values[strong]) @ vectors[:, strong].T
    bias_m = inverse @ wanted
    pulls = []
    for plane, with_plane in zip(planes, shared, strict=True):
        left_m = plane.w_m - plane.cosine * bias_m[recording.ring[plane.row]]
        left_m -= plane.q @ (plane.q.T @ left_m)
        pulls.append(_pulls(recording, plane, with_plane, left_m))
    errors_m = signs(sum(map(len, pulls))) @ np.concatenate(pulls) @ inverse
    both = np.vstack((bias_m, bias_m + errors_m))
    both = _shrunk(both, errors_m, vectors)
    both -= both[:, seen].mean(axis=1, keepdims=True)
    both[:, ~seen] = np.nan
    return np.nan_to_num(both[0]), both


def _shrunk(
    bias_m: NDArray[np.float64], errors_m: NDArray[np.float64], modes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return biases with uncertain components shrunk towards 0, (n_draw, n_ring) [m].

    A bias that grows evenly with elevation looks like tilted planes, so planes hardly determine
    it. Each mode (eigenvector) of the biases is multiplied by v / (v + e). v is the variance of
    well-determined modes, and e is the variance of this mode's errors (empirical Bayes estimate).
    """
    amounts_m = bias_m @ modes
    error = np.var(errors_m @ modes, axis=0)
    known = error <= np.median(error)
    variance = float(np.mean(np.maximum(amounts_m[0, known] ** 2 - error[known], 0.0)))
    share = variance / np.maximum(variance + error, 1e-18)
    shrunk: NDArray[np.float64] = (amounts_m * share) @ modes.T
    return shrunk


def _by_ring(
    recording: Recording, plane: _Plane, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sums of values (n, m) over each ring, float64 (n_ring, m)."""
    ring = recording.ring[plane.row]
    return np.stack(
        [np.bincount(ring, weights=each, minlength=recording.n_ring) for each in values.T], axis=1
    )


def _pulls(
    recording: Recording,
    plane: _Plane,
    with_plane: NDArray[np.float64],
    left_m: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return what each block's residuals add to the normal equations, (n_block, n_ring)."""
    n_ring, n_block = recording.n_ring, recording.n_block
    block, ring = recording.block[plane.row], recording.ring[plane.row]
    direct = np.bincount(
        block * n_ring + ring, weights=plane.cosine * left_m, minlength=n_block * n_ring
    ).reshape(n_block, n_ring)
    through = np.stack(
        [np.bincount(block, weights=each * left_m, minlength=n_block) for each in plane.q.T], axis=1
    )
    pulls: NDArray[np.float64] = direct - through @ with_plane.T
    return pulls


def _findings(
    recording: Recording,
    planes: list[_Plane],
    bias_m: NDArray[np.float64],
    drawn: NDArray[np.float64],
) -> list[Finding]:
    low, high = interval(drawn[1:])
    ring = np.concatenate([recording.ring[each.row] for each in planes])
    seen = np.isfinite(drawn[0])
    what = f"{len(planes)} planes seen by several lasers, {recording.what}"
    noise_m2 = np.nanmean(np.nanvar(drawn[1:][:, seen], axis=0))
    spread_m = np.sqrt(max(np.var(bias_m[seen], ddof=1) - noise_m2, 0.0))
    # draws contain the error of the estimate and their own, so noise counts twice
    spreads = interval(
        np.sqrt(np.maximum(np.var(drawn[1:][:, seen], axis=1, ddof=1) - 2.0 * noise_m2, 0.0))
    )
    return [
        Series(
            name="laser_bias_m",
            labels=tuple(map(str, range(recording.n_ring))),
            values=np.where(seen, bias_m, np.nan),
            low=low,
            high=high,
            n=np.bincount(ring, minlength=recording.n_ring),
            fitted_on=what,
        ),
        figure("range_bias_sigma_m", (spread_m, *spreads), int(seen.sum()), what),
    ]
