# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Layouts found in clouds: rings and columns of a sensor without a preset or calibration file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lidar_gap.layout import BY_CLOUDS, BY_ROWS, FROM_TOP, Layout, circular_mean_deg, wrapped_deg
from lidar_gap.ring_order import rings_in_order
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_gap.records import ScanCloud

MOST_RINGS, MOST_KNOWN_COLUMNS = 2048, 1 << 16
"""Largest numbers of lasers, and of firings per turn, that are accepted from a file."""
_BINS_OF_TURN = 1 << 15
_FEWEST_COLUMNS, _MOST_COLUMNS = 90, 8192
_ELEVATION_BIN_DEG = 0.02
_SMOOTH_BINS = 2.0
_RING_APART_BINS = 6
_PROMINENCE = 0.02  # relative to the highest peak; lower peaks are scatter between rings
_MOST_POINTS = 1_000_000
_LEAST_ACROSS_M = 1.0  # points nearer to the vertical axis say little about the origin
_SAME_ORIGIN_M = 0.003
_NEARLY_A_TURN = 0.9
_GUESS_ERROR = 0.03  # of the number of columns that follows from the gaps between points
_MISSING_FROM = 1.4  # relative to the median gap; larger gaps miss a point


def found_layout(
    clouds: Sequence[ScanCloud], *, origin_m: tuple[float, float] | None = (0.0, 0.0)
) -> Layout:
    """Find the rings and columns of a sensor in its clouds.

    If the clouds have laser numbers, each number is a ring. Otherwise, a ring is a run of
    successive points whose azimuth goes once around (as in KITTI), or else a cluster of elevations.
    Columns are the column numbers of the first cloud. If it has none, its columns are found from
    azimuths: the points of a ring lie at nearly equal steps of azimuth, and the number of columns
    is the number of these steps per turn.

    Parameters
    ----------
    clouds : sequence of ScanCloud
        Frames of one sensor; with more frames, rings with few returns are found better.
    origin_m : (radius, height) or None
        Circle around the z axis from which the beams start [m]; an OS0-64 has 0.02767, 0.03618.
        None: find the circle, either by a fit to the points of each ring, or, if rings are clusters
        of elevations, as the circle from which the elevations cluster best.

    Raises
    ------
    InputError
        If the clouds have no points, or no rings or columns are found.
    """
    clouds = [cloud for cloud in clouds if len(cloud)]
    if not clouds:
        raise InputError("no rings found: the clouds have no points")
    points = np.concatenate([cloud.points_m for cloud in clouds])[:_MOST_POINTS]
    numbers, numbered = _ring_numbers(clouds)
    if numbers is None:
        radius_m, height_m = origin_m if origin_m is not None else _sharpest_origin(points)
        rank, elevation = _clusters(points, radius_m, height_m)
        rings = _Rings(
            rank=rank,
            number=np.arange(elevation.size, dtype=np.int32),
            elevation_deg=elevation,
            origin_m=np.tile([radius_m, 0.0, height_m], (elevation.size, 1)),
        )
    else:
        rings = _known_rings(points, numbers[:_MOST_POINTS], origin_m)
    return Layout(
        elevation_deg=rings.elevation_deg,
        origin_m=rings.origin_m,
        ring_number=rings.number,
        numbered=numbered,
        **_columns(clouds, points, rings.rank, rings.number.size),
    )


class _Rings(NamedTuple):
    """Ring index of each point, counted from the top; number, elevation and origin of each ring."""

    rank: NDArray[np.intp]
    number: NDArray[np.int32]
    elevation_deg: NDArray[np.float64]
    origin_m: NDArray[np.float64]


def _known_rings(
    points: NDArray[np.float64],
    numbers: NDArray[np.int32],
    origin_m: tuple[float, float] | None,
) -> _Rings:
    """Return the rings of points whose laser numbers are known."""
    number, ring = np.unique(numbers, return_inverse=True)
    if number.size > MOST_RINGS:
        raise InputError(
            f"no rings found: the clouds have {number.size} different laser numbers, expected at "
            f"most {MOST_RINGS}"
        )
    if origin_m is None:
        origin = _fitted_origins(points, ring, number.size)
    else:
        origin = np.tile([origin_m[0], 0.0, origin_m[1]], (number.size, 1))
    seen = _elevation_deg(points, origin[ring, 0], origin[ring, 2])
    elevation = np.array([np.median(seen[ring == each]) for each in range(number.size)])
    top_down = np.argsort(-elevation, kind="stable")
    return _Rings(
        rank=np.argsort(top_down)[ring],
        number=number[top_down].astype(np.int32),
        elevation_deg=elevation[top_down],
        origin_m=origin[top_down],
    )


def _ring_numbers(clouds: Sequence[ScanCloud]) -> tuple[NDArray[np.int32] | None, str]:
    """Return each point's laser number, None if unknown, and the source of the numbers in words."""
    own = [cloud.ring for cloud in clouds if cloud.ring is not None]
    if len(own) == len(clouds):
        return np.concatenate(own), BY_CLOUDS
    rings = [rings_in_order(cloud.points_m) for cloud in clouds]
    known = [ring for ring in rings if ring is not None]
    if len(known) < len(clouds) or len({int(ring.max()) for ring in known}) > 1:
        return None, FROM_TOP
    return np.concatenate(known), BY_ROWS


def _elevation_deg(
    points_m: NDArray[np.float64],
    radius_m: float | NDArray[np.float64],
    height_m: float | NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return elevations of points, seen from the nearest point of a circle around z [deg]."""
    across = np.hypot(points_m[:, 0], points_m[:, 1]) - radius_m
    return np.degrees(np.arctan2(points_m[:, 2] - height_m, across))


def _fitted_origins(
    points_m: NDArray[np.float64], ring: NDArray[np.intp], n_ring: int
) -> NDArray[np.float64]:
    """Return the beam origin of each laser, fitted to heights z over distances d of its points.

    The points of a laser lie on z = a + t d. Here t is the tangent of its elevation, and
    a = height - t radius. If all lasers have the same height and radius, a is linear in t. If not
    (the two blocks of an HDL-64E), each laser gets its own height.
    """
    across = np.hypot(points_m[:, 0], points_m[:, 1])
    far = across > _LEAST_ACROSS_M
    slope, start = np.zeros(n_ring), np.zeros(n_ring)
    for each in range(n_ring):
        chosen = far & (ring == each)
        if np.count_nonzero(chosen) > 10 and np.ptp(across[chosen]) > 1.0:
            slope[each], start[each] = np.polyfit(across[chosen], points_m[chosen, 2], 1)
    known = slope != 0.0
    if np.count_nonzero(known) < 3:
        return np.zeros((n_ring, 3))
    fit = np.polyfit(slope[known], start[known], 1)
    misfit = np.median(np.abs(start[known] - np.polyval(fit, slope[known])))
    origin = np.zeros((n_ring, 3))
    if misfit < _SAME_ORIGIN_M:
        origin[:, 0], origin[:, 2] = -fit[0], fit[1]
    else:
        origin[:, 2] = np.where(known, start, np.median(start[known]))
    return origin


def _sharpest_origin(points_m: NDArray[np.float64]) -> tuple[float, float]:
    """Return radius and height [m] of the origin for which the points' elevations cluster best."""
    from scipy.optimize import minimize  # noqa: PLC0415  slow to import

    some = points_m[:: max(1, len(points_m) // 200_000)]

    def blur(origin: NDArray[np.float64]) -> float:
        share = _histogram(_elevation_deg(some, *origin)) / len(some)
        return -float((share**2).sum())

    starts = [np.array([r, h]) for r in (0.0, 0.03) for h in (-0.04, 0.0, 0.04, 0.1, 0.2)]
    best = min(starts, key=blur)
    simplex = best + np.array([[0.0, 0.0], [0.01, 0.0], [0.0, 0.01]])
    fit = minimize(blur, best, method="Nelder-Mead", options={"initial_simplex": simplex}).x
    return float(fit[0]), float(fit[1])


def _histogram(elevation_deg: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the smoothed histogram of elevations from -90 to 90."""
    from scipy.ndimage import gaussian_filter1d  # noqa: PLC0415  slow to import

    n_bin = round(180.0 / _ELEVATION_BIN_DEG)
    counts = np.histogram(elevation_deg, n_bin, (-90.0, 90.0))[0].astype(np.float64)
    smooth: NDArray[np.float64] = gaussian_filter1d(counts, _SMOOTH_BINS)
    return smooth


def _clusters(
    points_m: NDArray[np.float64], radius_m: float, height_m: float
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the ring index of each point, and the elevations of the rings, from the top [deg]."""
    from scipy.signal import find_peaks  # noqa: PLC0415  slow to import

    seen = _elevation_deg(points_m, radius_m, height_m)
    smooth = _histogram(seen)
    peaks = find_peaks(smooth, distance=_RING_APART_BINS, prominence=_PROMINENCE * smooth.max())[0]
    if peaks.size < 2:
        raise InputError(
            "no rings found: the points are not at a few elevations; give --sensor or --calibration"
        )
    middle = -90.0 + (peaks[::-1] + 0.5) * _ELEVATION_BIN_DEG
    rank = np.searchsorted(-(middle[:-1] + middle[1:]) / 2.0, -seen)
    near = np.abs(seen - middle[rank]) < 5.0 * _ELEVATION_BIN_DEG
    count = np.maximum(np.bincount(rank[near], minlength=middle.size), 1)
    drift = np.bincount(rank[near], (seen - middle[rank])[near], minlength=middle.size) / count
    return rank, middle + drift


def _columns(
    clouds: Sequence[ScanCloud], points_m: NDArray[np.float64], rank: NDArray[np.intp], n_ring: int
) -> dict[str, Any]:
    """Return the fields of a `Layout` for azimuths and columns, by name."""
    # only one frame, because the next frame is fired at other headings
    first = clouds[0]
    n_point = min(len(first), len(points_m))
    azimuth = np.degrees(np.arctan2(points_m[:n_point, 1], points_m[:n_point, 0]))
    rank = rank[:n_point]
    if first.column is not None:
        return _known_columns(azimuth, first.column[:n_point].astype(np.float64), rank, n_ring)
    return _repeating_columns(azimuth, rank, n_ring)


def _known_columns(
    azimuth_deg: NDArray[np.float64],
    column: NDArray[np.float64],
    rank: NDArray[np.intp],
    n_ring: int,
) -> dict[str, Any]:
    """Return the layout's azimuth fields for points whose columns are known."""
    fullest = rank == np.bincount(rank).argmax()
    order = np.argsort(column[fullest], kind="stable")
    along = np.unwrap(azimuth_deg[fullest][order], period=360.0)
    if np.ptp(column[fullest]) < 2:
        raise InputError("no columns found: all points of a ring have the same column")
    step = -float(np.polyfit(column[fullest][order], along, 1)[0])
    if step == 0.0:
        raise InputError("no columns found: all points of a ring have the same azimuth")
    turn = 360.0 / abs(step)
    n_column = int(column.max()) + 1
    if n_column > _NEARLY_A_TURN * turn:  # a full turn has a whole number of columns
        n_column = round(turn)
        step = np.sign(step) * 360.0 / n_column
    if n_column > MOST_KNOWN_COLUMNS:
        raise InputError(
            f"no columns found: column numbers reach {n_column - 1}, expected at most "
            f"{MOST_KNOWN_COLUMNS} per turn"
        )
    start = wrapped_deg(azimuth_deg + step * column)
    at_start = np.array([circular_mean_deg(start[rank == each]) for each in range(n_ring)])
    heading = circular_mean_deg(at_start[np.bincount(rank, minlength=n_ring) > 0])
    return {
        "n_column": n_column,
        "step_deg": float(step),
        "first_azimuth_deg": heading,
        "azimuth_offset_deg": wrapped_deg(at_start - heading),
        "phase": np.zeros(n_ring),
    }


def _repeating_columns(
    azimuth_deg: NDArray[np.float64], rank: NDArray[np.intp], n_ring: int
) -> dict[str, Any]:
    """Return the layout's azimuth fields for points without columns, from repeating azimuths.

    The number of columns is the frequency at which the spectrum of the rings' azimuths is
    strongest. The search is limited to frequencies near the one that the gaps between neighbours
    suggest, because azimuths also repeat at the finer steps of an encoder.
    """
    cell = np.floor((azimuth_deg + 180.0) / 360.0 * _BINS_OF_TURN).astype(np.int64) % _BINS_OF_TURN
    counts = np.bincount(rank * _BINS_OF_TURN + cell, minlength=n_ring * _BINS_OF_TURN)
    spectrum = np.zeros(_BINS_OF_TURN // 2 + 1)
    for row in counts.reshape(n_ring, _BINS_OF_TURN):
        spectrum += np.abs(np.fft.rfft(row)) ** 2
    guess = 360.0 / _mean_gap_deg(azimuth_deg, rank)
    low = int(np.clip((1.0 - _GUESS_ERROR) * guess, _FEWEST_COLUMNS, _MOST_COLUMNS))
    high = int(np.clip((1.0 + _GUESS_ERROR) * guess, low + 1, _MOST_COLUMNS))
    n_column = low + int(np.argmax(spectrum[low : high + 1]))
    if n_column in (low, high):  # the flank of a peak outside; there is no peak inside
        n_column = round(guess)
    step = 360.0 / n_column
    late = [circular_mean_deg(180.0 - azimuth_deg[rank == each], step) for each in range(n_ring)]
    return {
        "n_column": n_column,
        "step_deg": step,
        "first_azimuth_deg": 180.0,
        "azimuth_offset_deg": np.zeros(n_ring),
        "phase": np.array(late) / step,
    }


def _mean_gap_deg(azimuth_deg: NDArray[np.float64], rank: NDArray[np.intp]) -> float:
    """Return the mean angle between neighbours of a ring, without gaps of missing points [deg].

    The median would give a multiple of the encoder's step: for a true step of 0.168 deg, an encoder
    gives steps of 0.09 and 0.18 deg.
    """
    order = np.lexsort((azimuth_deg, rank))
    gaps = np.diff(azimuth_deg[order])[np.diff(rank[order]) == 0]
    gaps = gaps[gaps > 360.0 / _MOST_COLUMNS]
    if not gaps.size:
        raise InputError("no columns found: no ring has two points in neighbouring columns")
    return float(gaps[gaps < _MISSING_FROM * np.median(gaps)].mean())
