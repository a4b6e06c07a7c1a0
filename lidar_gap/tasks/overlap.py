# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Intersection over union (IoU) of upright boxes with any heading, exact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.tasks.boxes import Boxes

Overlap = Literal["3d", "bev"]
OVERLAPS: tuple[Overlap, ...] = ("3d", "bev")
"""IoU of volumes, or of areas seen from above."""
_CORNERS = np.array([(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)])  # counter-clockwise


def iou(first: Boxes, second: Boxes, overlap: Overlap = "3d") -> NDArray[np.float64]:
    """Return the intersection over union of each pair of boxes.

    Parameters
    ----------
    first, second : Boxes (n_pair,)
        The two boxes of each pair, at the same index.
    overlap : {"3d", "bev"}
        Compare volumes ("3d"), or areas seen from above ("bev").

    Returns
    -------
    float64 (n_pair,)
        Intersection over union, 0 to 1. [1]
    """
    shared = footprint_overlap_m2(first, second)
    own, other = first.size_m[:, :2].prod(axis=1), second.size_m[:, :2].prod(axis=1)
    if overlap == "3d":
        shared *= _shared_height_m(first, second)
        own, other = own * first.size_m[:, 2], other * second.size_m[:, 2]
    ratio: NDArray[np.float64] = shared / (own + other - shared)
    return np.minimum(ratio, 1.0)  # rounding may exceed 1


def _shared_height_m(first: Boxes, second: Boxes) -> NDArray[np.float64]:
    halves_m = (first.size_m[:, 2] + second.size_m[:, 2]) / 2.0
    apart_m = np.abs(first.centre_m[:, 2] - second.centre_m[:, 2])
    lower_m = np.minimum(first.size_m[:, 2], second.size_m[:, 2])
    return np.clip(halves_m - apart_m, 0.0, lower_m)


def footprint_overlap_m2(first: Boxes, second: Boxes) -> NDArray[np.float64]:
    """Return the area in which the footprints of two boxes overlap [m2], for each pair, (n_pair,).

    The boxes of a pair are at the same index of ``first`` and ``second``. The second footprint is
    clipped by the four sides of the first, in the frame of the first box (Sutherland and Hodgman,
    Reentrant polygon clipping, 1974).
    """
    turned_rad = second.yaw_rad - first.yaw_rad
    apart_m = second.centre_m[:, None, :2] - first.centre_m[:, None, :2]
    polygon_m = _turned(_CORNERS * second.size_m[:, None, :2], turned_rad)
    polygon_m += _turned(apart_m, -first.yaw_rad)
    for axis in (0, 1):
        half_m = first.size_m[:, axis, None] / 2.0
        for sign in (1.0, -1.0):
            polygon_m = _clipped(polygon_m, half_m - sign * polygon_m[..., axis])
    return _area_m2(polygon_m)


def near_pairs(
    first: Boxes, second: Boxes, first_row: NDArray[np.intp], second_row: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Return which pairs of boxes are near enough for their footprints to overlap.

    This quick test selects the pairs for `iou`. It compares the distance of the centres, seen from
    above, with half the sum of the diagonals of the footprints.

    Parameters
    ----------
    first, second : Boxes
        Two sets of boxes, of any sizes.
    first_row, second_row : intp (n_pair,)
        The two boxes of each pair, as indices into ``first`` and into ``second``.

    Returns
    -------
    bool (n_pair,)
        True if the footprints may overlap; False if they cannot.
    """
    reach_m = _half_diagonal_m(first)[first_row] + _half_diagonal_m(second)[second_row]
    x_m, y_m = (
        second.centre_m[second_row, axis] - first.centre_m[first_row, axis] for axis in (0, 1)
    )
    near: NDArray[np.bool_] = x_m**2 + y_m**2 < reach_m**2
    return near


def _half_diagonal_m(boxes: Boxes) -> NDArray[np.float64]:
    lengths_m: NDArray[np.float64] = np.hypot(boxes.size_m[:, 0], boxes.size_m[:, 1]) / 2.0
    return lengths_m


def _turned(points: NDArray[np.float64], angle_rad: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rotate the points (n_pair, n_point, 2) of each pair by the pair's angle."""
    cosine, sine = np.cos(angle_rad)[:, None], np.sin(angle_rad)[:, None]
    x, y = points[..., 0], points[..., 1]
    return np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=-1)


def _clipped(polygon: NDArray[np.float64], depth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cut each polygon by a line: remove corners whose depth (n_pair, n_corner) is below 0.

    Polygons with fewer corners than others repeat their first corner, which changes no area.
    """
    depth_next = np.roll(depth, -1, axis=1)
    inside = depth >= 0.0
    crosses = inside != (depth_next >= 0.0)
    share = np.divide(depth, depth - depth_next, out=np.zeros_like(depth), where=crosses)
    crossing = polygon + share[..., None] * (np.roll(polygon, -1, axis=1) - polygon)
    n_pair, n_corner = depth.shape
    corners = np.stack([polygon, crossing], axis=2).reshape(n_pair, 2 * n_corner, 2)
    kept = np.stack([inside, crosses], axis=2).reshape(n_pair, 2 * n_corner)
    n_kept = kept.sum(axis=1)
    order = np.argsort(~kept, axis=1, kind="stable")[:, : n_kept.max(initial=1)]
    corners = np.take_along_axis(corners, order[..., None], axis=1)
    spare = np.arange(order.shape[1]) >= n_kept[:, None]
    return np.where(spare[..., None], corners[:, :1], corners)


def _area_m2(polygon_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the area of polygons (n_pair, n_corner, 2) with corners counter-clockwise [m2]."""
    x, y = polygon_m[..., 0], polygon_m[..., 1]
    x_next, y_next = np.roll(x, -1, axis=1), np.roll(y, -1, axis=1)
    doubled: NDArray[np.float64] = (x * y_next - x_next * y).sum(axis=1)
    return np.maximum(doubled / 2.0, 0.0)
