# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ribbons along a road that lie on its sampled surface, and pieces of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lidar_scenery.roads.opendrive.sections import SectionSurface

    Lines = NDArray[np.float64]
    """Left and right edge of a ribbon at n stations, (n, 2, 3). [m]"""

_LEAST_M = 1e-3


def ribbons(
    surface: SectionSurface, left_t_m: NDArray[np.float64], right_t_m: NDArray[np.float64]
) -> Iterator[Lines]:
    """Yield a ribbon that lies on the surface of a lane section, in one or more lengthwise strips.

    Each strip is float64 (n, 2, 3), its left and right edge at each station [m]. If cross-sections
    are straight, there is one strip. Otherwise the ribbon is cut at the edges of the lanes, so that
    it follows each crown and step.

    Parameters
    ----------
    surface : SectionSurface
        The sampled surface of the section, with n stations.
    left_t_m, right_t_m : float64 (n,)
        Lateral offsets of the left and right edge of the whole ribbon, positive to the left. [m]
    """
    if _is_plane(surface):
        points = surface.frames.points
        yield np.stack([points(left_t_m), points(right_t_m)], axis=1)
        return
    for place, column in enumerate(surface.columns):
        left, right = left_t_m, right_t_m
        if place > 0:
            left = np.minimum(left, column.left_t_m)
        if place < len(surface.columns) - 1:
            right = np.maximum(right, column.right_t_m)
        if (left - right > _LEAST_M).any():
            yield np.stack([column.points(np.maximum(left, right)), column.points(right)], axis=1)


def pieces(
    s_m: NDArray[np.float64], lines_m: Lines, intervals_m: NDArray[np.float64]
) -> Iterator[Lines]:
    """Yield the pieces of a ribbon that lie within given intervals, such as dashes.

    A piece is float64 (m, 2, 3): left and right edge at its m stations [m]. Its ends are
    interpolated linearly. Intervals are cut at the ends of the ribbon; pieces under 1 mm are left
    out.

    Parameters
    ----------
    s_m : float64 (n,)
        Stations of the ribbon, rising. [m]
    lines_m : float64 (n, 2, 3)
        Left edge and right edge of the ribbon at these stations. [m]
    intervals_m : float64 (k, 2)
        Start and end of each interval, as stations. [m]
    """
    held = np.clip(intervals_m, s_m[0], s_m[-1])
    held = held[held[:, 1] - held[:, 0] > _LEAST_M]
    before = np.clip(np.searchsorted(s_m, held, side="right") - 1, 0, len(s_m) - 2)
    share = ((held - s_m[before]) / (s_m[before + 1] - s_m[before]))[..., None, None]
    ends = (1.0 - share) * lines_m[before] + share * lines_m[before + 1]
    first = np.searchsorted(s_m, held[:, 0], side="right")
    last = np.searchsorted(s_m, held[:, 1], side="left")
    for own, start, stop in zip(ends, first.tolist(), last.tolist(), strict=True):
        if stop <= start:
            yield own
        else:
            yield np.concatenate([own[:1], lines_m[start:stop], own[1:]])


def _is_plane(surface: SectionSurface) -> bool:
    """Return whether each cross-section is one straight line."""
    road = surface.frames.road
    return not (
        road.left_fall
        or road.right_fall
        or road.shapes
        or any(column.lane.level or column.lane.heights_m.size for column in surface.columns)
    )
