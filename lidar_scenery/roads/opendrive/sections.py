# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces of lane sections: the edges of each lane, sampled at the same stations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.opendrive.cubics import SEAM_M, Stations
from lidar_scenery.roads.opendrive.stations import breaks_of, refined, section_words
from lidar_scenery.roads.opendrive.surface import Frames

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lidar_scenery.roads.opendrive.records import LaneSection, MapLane, Road

NOT_DRAWN = frozenset({"none"})
"""Types of lanes that have no road surface."""

_FACET_M = 0.5
"""Width of the facets of a lane if the road states shapes of its cross-sections. [m]"""
_MOST_FACETS = 16


class LaneColumn(NamedTuple):
    """The edges of a lane, or of a facet (lengthwise strip) of a lane, at n stations.

    `left_m` and `right_m` (n, 3) are points in the world, `left_t_m` and `right_t_m` (n,) their
    lateral offsets [m].
    """

    lane: MapLane
    left_m: NDArray[np.float64]  # points of the left edge, (n, 3)
    right_m: NDArray[np.float64]  # points of the right edge, (n, 3)
    left_t_m: NDArray[np.float64]  # lateral offsets of the left edge, (n,)
    right_t_m: NDArray[np.float64]  # lateral offsets of the right edge, (n,)

    def points(self, t_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one point on the lane's surface at each of its n stations, (n, 3) [m].

        `t_m` (n,) has the lateral offset of each point. The points lie on the straight line through
        the left and right edge of the lane, also beyond the edges.
        """
        width = self.left_t_m - self.right_t_m
        share = np.divide(t_m - self.right_t_m, width, out=np.zeros_like(t_m), where=width > 1e-6)
        return self.right_m + share[:, None] * (self.left_m - self.right_m)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SectionSurface:
    """The surface of a lane section, sampled at n stations.

    Attributes
    ----------
    section : LaneSection
        The lane section as the map states it.
    frames : Frames
        Cross-sections at the stations of the surface.
    centre_t_m : float64 (n,)
        Lateral offsets of the centre lane. [m]
    columns : tuple of LaneColumn
        Lanes from left to right; if the road states shapes of its cross-section, facets of lanes.
    """

    section: LaneSection
    frames: Frames
    centre_t_m: NDArray[np.float64]
    columns: tuple[LaneColumn, ...]

    @property
    def s_m(self) -> NDArray[np.float64]:
        """Stations at which the surface is sampled, (n,) [m]."""
        return self.frames.stations.s_m

    def outer_t_m(self, lane: MapLane) -> NDArray[np.float64]:
        """Return the lateral offsets of a lane's outer border at the n stations, (n,) [m].

        The centre lane gets the lateral offsets of the centre lane itself.
        """
        own = [column for column in self.columns if column.lane is lane]
        if not own:
            return self.centre_t_m
        return own[0].left_t_m if lane.number > 0 else own[-1].right_t_m

    def heights_m(self, s_m: NDArray[np.float64], t_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the heights z of the sampled surface at k points, (k,) [m].

        The points are given by their stations `s_m` (k,) and lateral offsets `t_m` (k,) [m].
        """
        row = np.clip(np.searchsorted(self.s_m, s_m, side="right") - 1, 0, len(self.s_m) - 2)
        along = (s_m - self.s_m[row]) / (self.s_m[row + 1] - self.s_m[row])
        height = np.zeros_like(s_m)
        for place, column in enumerate(self.columns):
            left_t, right_t = (
                (1.0 - along) * t[row] + along * t[row + 1]
                for t in (column.left_t_m, column.right_t_m)
            )
            across = (left_t - t_m) / np.maximum(left_t - right_t, SEAM_M)
            (a, b), (c, d) = (
                (line[row, 2], line[row + 1, 2]) for line in (column.left_m, column.right_m)
            )
            z = np.where(
                along + across <= 1.0,  # the diagonal of a strip's quads goes from b to c
                a + along * (b - a) + across * (c - a),
                d + (1.0 - along) * (c - d) + (1.0 - across) * (b - d),
            )
            height = np.where((t_m <= left_t) | (place == 0), z, height)
        return height


def section_surface(road: Road, section: LaneSection) -> SectionSurface:
    """Return the surface of a lane section of a road: points on both edges of each lane.

    The points of all lanes are at common stations. These are so close that the surface between
    them is nearly flat, see `refined`. If the road states shapes of its cross-section, lanes are
    divided into facets.

    Raises
    ------
    PartError
        If this section alone takes too many points, or has points too far from the origin.
    BoundError
        If the map, with this section, needs more points than the size of its file allows.
    """
    lanes = (*section.left, *section.right)
    facets = {lane.number: _facets(road, lane) for lane in lanes}

    def columns_at(s_m: NDArray[np.float64]) -> tuple[Frames, tuple[LaneColumn, ...]]:
        frames = Frames.of(road, Stations.of(s_m, section.start_m, section.end_m))
        return frames, tuple(_columns(frames, section, facets))

    def edges(s_m: NDArray[np.float64]) -> NDArray[np.float64]:
        road.allowance.take(len(s_m) * lines)
        _, columns = columns_at(s_m)
        drawn = [column for column in columns if column.lane.kind not in NOT_DRAWN]
        return np.stack([line for column in drawn or columns for line in column[1:3]])

    lines = 2 * sum(facets[lane.number] for lane in lanes)  # some maps repeat numbers
    stations = refined(breaks_of(road, section), edges, section_words(section), lines)
    frames, columns = columns_at(stations)
    return SectionSurface(
        section=section,
        frames=frames,
        centre_t_m=road.lane_offset.values(frames.stations),
        columns=columns,
    )


def _facets(road: Road, lane: MapLane) -> int:
    if not road.shapes:
        return 1
    widest = max([2.0 * _FACET_M, *map(float, lane.widths.coefficients[:, 0])])
    return min(math.ceil(widest / _FACET_M), _MOST_FACETS)


def _columns(frames: Frames, section: LaneSection, facets: dict[int, int]) -> Iterator[LaneColumn]:
    """Yield the lanes or their facets from left to right."""
    centre_t = frames.road.lane_offset.values(frames.stations)
    left = [column for lane in _side(frames, section.left, centre_t, facets) for column in lane]
    yield from reversed(left)
    for lane in _side(frames, section.right, centre_t, facets):
        yield from lane


def _side(
    frames: Frames,
    lanes: tuple[MapLane, ...],
    centre_t_m: NDArray[np.float64],
    facets: dict[int, int],
) -> Iterator[list[LaneColumn]]:
    """Yield the columns of each lane on one side of the road, from the centre outwards."""
    inner_t, inner = centre_t_m, frames.points(centre_t_m)
    base = inner  # the same offset on the road's own cross-section, without lanes that stay level
    for lane in lanes:
        outer_t = _outer_t_m(frames, lane, inner_t)
        shares = np.linspace(0.0, 1.0, facets[lane.number] + 1).tolist()
        lines, offsets, start = [inner], [inner_t], base
        for share in shares[1:]:
            t = inner_t + share * (outer_t - inner_t)
            base = frames.points(t)
            level = (t - inner_t)[:, None] * frames.flat_left if lane.level else None
            lines.append(inner + (base - start if level is None else level))
            offsets.append(t)
        raised = _raised(frames, lane, lines, shares)
        yield [_column(lane, raised[i : i + 2], offsets[i : i + 2]) for i in range(len(lines) - 1)]
        inner_t, inner = outer_t, lines[-1]


def _column(
    lane: MapLane, lines_m: list[NDArray[np.float64]], offsets_m: list[NDArray[np.float64]]
) -> LaneColumn:
    """Return the column between an inner and an outer line of a lane."""
    left, right = (1, 0) if lane.number > 0 else (0, 1)
    return LaneColumn(lane, lines_m[left], lines_m[right], offsets_m[left], offsets_m[right])


def _outer_t_m(
    frames: Frames, lane: MapLane, inner_t_m: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the lateral offsets of a lane's outer border; a width below 0 counts as 0."""
    own = Stations(*(s - lane.start_m for s in frames.stations))
    side = 1.0 if lane.number > 0 else -1.0
    if lane.widths:
        return inner_t_m + side * np.maximum(lane.widths.values(own), 0.0)
    if not lane.borders:
        return inner_t_m
    border = frames.road.lane_offset.values(frames.stations) + lane.borders.values(own)
    return inner_t_m + side * np.maximum(side * (border - inner_t_m), 0.0)


def _raised(
    frames: Frames, lane: MapLane, lines_m: list[NDArray[np.float64]], shares: list[float]
) -> list[NDArray[np.float64]]:
    """Return lines along a lane, raised by the lane's heights, linear between its records."""
    if not len(lane.heights_m):
        return lines_m
    s = frames.stations.s_m - lane.start_m
    offsets, *ends = lane.heights_m.T
    inner, outer = (np.interp(s, offsets, heights)[:, None] * frames.up for heights in ends)
    return [
        line + (1.0 - share) * inner + share * outer
        for line, share in zip(lines_m, shares, strict=True)
    ]
