# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Range images of clouds (measure M1): a pixel for each ring and firing.

The column of a point follows from the head's heading when its laser fired, not from the azimuth of
the point, because lasers have azimuth offsets. Encoders round headings by up to half a column, so
two firings may fall into one column and none into the next. One of the two then moves to the free
column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.found_layout import found_layout
from lidar_gap.layout import Layout, pattern_layout, sensor_layout
from lidar_gap.metrics.summaries import grouped_median
from lidar_gap.records import NO_POINT, RangeImage, ScanCloud
from lidar_gap.ring_order import rings_in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Layout", "found_layout", "pattern_layout", "range_image", "sensor_layout"]

_OUTSIDE = -1
_PASSES = 3
_SAME_FIRING = 64  # points of a ring within 1/64 of a column belong to one firing
_LEAST_COHERENCE = 0.3  # coherence of the columns' fractions; below this, there is no grid to align
_NEIGHBOURS = 9  # number of firings over which encoder errors average out
_FARTHEST_COLUMNS = 1.0  # largest distance of a firing's column from its heading
_FAR_RINGS = 1.0  # points beyond an outer ring by more than one ring spacing belong to no ring


def range_image(cloud: ScanCloud, layout: Layout) -> RangeImage:
    """Return a cloud as a range image, with the rings and columns of a layout.

    Parameters
    ----------
    cloud : ScanCloud
        The cloud; its ``ring``, ``column`` and ``azimuth_deg`` are used if it has them.
    layout : Layout
        Layout of the sensor. Use the same layout for all clouds that are to be compared.
    """
    rank = ring_ranks(cloud, layout)
    inside = rank != _OUTSIDE
    pixel = np.full(len(cloud), _OUTSIDE, np.int64)
    rows = np.flatnonzero(inside)
    pixel[rows] = _pixels(cloud.rows(rows), rank[rows], layout)
    return _image(cloud, pixel, layout)


def ring_ranks(cloud: ScanCloud, layout: Layout) -> NDArray[np.intp]:
    """Return the index of each point's ring in the layout, from the top; -1 for a point of no ring.

    Makers and drivers number lasers differently: from the top, from the bottom, or in the order of
    firing. So the numbers in the cloud are assigned to rings by the elevations of their points. A
    cloud without numbers gets them if its points are listed ring after ring (as in KITTI), with as
    many rings as the layout. Otherwise, each point belongs to the ring of the nearest elevation.
    Numbers are better: the elevations of a unit may differ from the data sheet by more than the
    distance between rings.

    Returns
    -------
    intp (n_point,)
        0 is the highest ring.
    """
    ring = cloud.ring
    if ring is None:
        ring = rings_in_order(cloud.points_m, seam_is_forward=True)
        if ring is not None and int(ring[-1]) + 1 != layout.n_ring:
            ring = None
    if ring is not None and len(cloud):
        return _numbered_ranks(cloud, ring, layout)
    return _nearest_ranks(cloud.points_m, layout)


def _numbered_ranks(cloud: ScanCloud, ring: NDArray[np.int32], layout: Layout) -> NDArray[np.intp]:
    """Return the ring index of each point, found by the number of its laser."""
    numbers, index = np.unique(ring, return_inverse=True)
    middle = layout.n_ring // 2
    elevation = layout.seen_from_head(cloud.points_m, np.full(len(cloud), middle))[0]
    seen = grouped_median(elevation, index, numbers.size)
    best, least = np.full(numbers.size, _OUTSIDE), np.inf
    for ranks in _countings(numbers, seen, layout):
        known = ranks != _OUTSIDE
        if known.any():
            apart = np.abs(seen[known] - layout.elevation_deg[ranks[known]]).mean()
            cost = apart + 90.0 * (~known).mean()
            if cost < least - 1e-9:
                best, least = ranks, cost
    return best[index].astype(np.intp)


def _countings(
    numbers: NDArray[np.int32], seen_deg: NDArray[np.float64], layout: Layout
) -> list[NDArray[np.int64]]:
    """Return for each possible way of numbering lasers the ring index of each laser number."""
    n_ring = layout.n_ring
    by_maker = {int(number): rank for rank, number in enumerate(layout.ring_number)}
    countings = [np.array([by_maker.get(int(number), _OUTSIDE) for number in numbers])]
    for first in (0, 1):
        from_top = numbers.astype(np.int64) - first
        countings += [from_top, n_ring - 1 - from_top]
    if numbers.size == n_ring:
        by_elevation = np.empty(n_ring, np.int64)
        by_elevation[np.argsort(-seen_deg, kind="stable")] = np.arange(n_ring)
        countings.append(by_elevation)
    nearest = np.abs(np.subtract.outer(seen_deg, layout.elevation_deg)).argmin(axis=1)
    if np.unique(nearest).size == numbers.size:
        countings.append(nearest)
    return [np.where((each >= 0) & (each < n_ring), each, _OUTSIDE) for each in countings]


def _nearest_ranks(points_m: NDArray[np.float64], layout: Layout) -> NDArray[np.intp]:
    """Return the ring index of each point, by its elevation as seen from the laser's origin."""
    rank = np.full(len(points_m), layout.n_ring // 2)
    edges = -(layout.elevation_deg[:-1] + layout.elevation_deg[1:]) / 2.0
    # first from the middle ring's origin, then from the origin of the ring found
    for _ in range(2):
        elevation = layout.seen_from_head(points_m, rank)[0]
        rank = np.searchsorted(edges, -elevation)
    if layout.n_ring > 1:
        above, below = layout.elevation_deg[[0, -1]]
        spacing = np.abs(np.diff(layout.elevation_deg))[[0, -1]]
        outside = elevation > above + _FAR_RINGS * spacing[0]
        outside |= elevation < below - _FAR_RINGS * spacing[1]
        rank = np.where(outside, _OUTSIDE, rank)
    return rank


def _pixels(cloud: ScanCloud, rank: NDArray[np.intp], layout: Layout) -> NDArray[np.int64]:
    """Return the pixel of each point, -1 for points outside the image."""
    heading = cloud.azimuth_deg
    if heading is None:
        heading = layout.seen_from_head(cloud.points_m, rank)[1]
    at = layout.column_of(heading, rank)
    at = _aligned(at, rank, layout)
    within = np.round(at * _SAME_FIRING).astype(np.int64) if cloud.column is None else cloud.column
    width = int(within.max(initial=0)) - int(within.min(initial=0)) + 1
    key = rank * np.int64(width) + (within - within.min(initial=0))
    _, first, firing = np.unique(key, return_index=True, return_inverse=True)
    column = _placed(rank[first], at[first], layout)[firing]
    return np.where(column == _OUTSIDE, _OUTSIDE, rank * np.int64(layout.n_column) + column)


def _aligned(
    at: NDArray[np.float64], rank: NDArray[np.intp], layout: Layout
) -> NDArray[np.float64]:
    """Shift the fractional columns of each ring so that most firings are at whole numbers.

    This is needed because a sensor may start its turns anywhere between two columns.
    """
    turn = 2.0 * np.pi * at
    count = np.bincount(rank, minlength=layout.n_ring)
    c, s = (
        np.bincount(rank, part, minlength=layout.n_ring) for part in (np.cos(turn), np.sin(turn))
    )
    shift = np.arctan2(s, c) / (2.0 * np.pi)
    shift = np.where(np.hypot(c, s) > _LEAST_COHERENCE * count, shift, 0.0)
    return at - shift[rank]


def _counted(at: NDArray[np.float64], rank: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the column of each firing as a whole number, by counting the firings of its ring.

    Every firing is at least one column after the previous firing. The mean difference between count
    and heading, over neighbouring firings, corrects the count: encoders round single headings, but
    the mean of several is exact.
    """
    from scipy.ndimage import uniform_filter1d  # noqa: PLC0415  slow to import

    order = np.lexsort((at, rank))
    ahead = np.diff(at[order], prepend=0.0)
    same_ring = np.diff(rank[order], prepend=-1) == 0
    count = np.cumsum(np.where(same_ring, np.maximum(np.round(ahead), 1.0), np.round(ahead)))
    behind = uniform_filter1d(at[order] - count, _NEIGHBOURS, mode="nearest")
    column = np.empty_like(at)
    column[order] = count + np.round(behind)
    return np.where(np.abs(column - at) < _FARTHEST_COLUMNS, column, np.round(at))


def _placed(rank: NDArray[np.intp], at: NDArray[np.float64], layout: Layout) -> NDArray[np.int64]:
    """Return the column of each firing: the nearest column, or a free neighbour if it is taken."""
    n_column = layout.n_column
    n_turn = 360.0 / abs(layout.step_deg)
    wraps = abs(n_turn - n_column) < 0.5
    column = _counted(at, rank).astype(np.int64)
    rest = at - column
    column = np.where(column >= n_column, 0 if wraps else _OUTSIDE, column)
    column = np.where(column < 0, n_column - 1 if wraps else _OUTSIDE, column)
    used = np.flatnonzero(column != _OUTSIDE)
    held = np.bincount(rank[used] * n_column + column[used], minlength=layout.n_ring * n_column)
    for _ in range(_PASSES):
        for side in (-1, 1):
            moved = _moved(rank, column, side * rest, (side, wraps, n_column, held))
            if moved.size:
                column[moved] = (column[moved] + side) % n_column
                rest[moved] -= side
    return column


def _moved(
    rank: NDArray[np.intp],
    column: NDArray[np.int64],
    lean: NDArray[np.float64],
    image: tuple[int, bool, int, NDArray[np.int64]],
) -> NDArray[np.intp]:
    """Return the firings that move from a shared pixel to a free neighbour, and update the counts.

    From each shared pixel, the firing that is farthest to that side moves.
    """
    side, wraps, n_column, held = image
    start = rank * np.int64(n_column)
    target = column + side
    possible = (column != _OUTSIDE) & (lean > 0.0)
    possible &= wraps | ((target >= 0) & (target < n_column))
    target = start + target % n_column
    pixel = start + np.maximum(column, 0)
    rows = np.flatnonzero(possible & (held[pixel] > 1) & (held[target] == 0))
    rows = rows[np.argsort(-lean[rows], kind="stable")]
    moved = rows[np.unique(target[rows], return_index=True)[1]]
    held[target[moved]] += 1
    np.subtract.at(held, pixel[moved], 1)
    return moved


def _image(cloud: ScanCloud, pixel: NDArray[np.int64], layout: Layout) -> RangeImage:
    """Return the range image of points with known pixels."""
    shape = layout.n_ring, layout.n_column
    n_pixel = layout.n_ring * layout.n_column
    rows = np.flatnonzero(pixel != _OUTSIDE)
    # the nearest point is written last
    rows = rows[np.argsort(-cloud.range_m[rows], kind="stable")]
    range_m = np.full(n_pixel, np.nan)
    point = np.full(n_pixel, NO_POINT, np.int64)
    range_m[pixel[rows]] = cloud.range_m[rows]
    point[pixel[rows]] = rows
    n_points = np.bincount(pixel[rows], minlength=n_pixel).astype(np.int32)
    return RangeImage(
        range_m=range_m.reshape(shape),
        point=point.reshape(shape),
        n_points=n_points.reshape(shape),
        pixel_of_point=pixel,
        elevation_deg=layout.elevation_deg,
        azimuth_deg=layout.azimuth_deg,
    )
