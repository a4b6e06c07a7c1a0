# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces of lanes: strips with a material by lane type, kerbs, and outer edges."""

from __future__ import annotations

from itertools import groupby, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.roads.opendrive.sections import NOT_DRAWN
from lidar_scenery.roads.parts import Strip

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from lidar_scenery.roads.opendrive.records import MapLane
    from lidar_scenery.roads.opendrive.remarks import MapRemarks
    from lidar_scenery.roads.opendrive.sections import LaneColumn, SectionSurface

_ASPHALT = (
    "driving stop shoulder parking bidirectional entry exit onRamp offRamp connectingRamp slipLane "
    "biking bus taxi HOV mwyEntry mwyExit restricted roadWorks border tram special1 special2 "
    "special3 shared"
)
_MATERIALS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(_ASPHALT.split(), "road_asphalt"),
        "sidewalk": "road_sidewalk",
        "walking": "road_sidewalk",
        "curb": "kerb_stone",
        "median": "ground_grass",
        "rail": "road_gravel",
    }
)
_SURFACES = (
    ("asphalt", "road_asphalt"),
    ("bitum", "road_asphalt"),
    ("tarmac", "road_asphalt"),
    ("concrete", "road_concrete"),
    ("cobble", "road_paving"),
    ("brick", "road_paving"),
    ("paving", "road_paving"),
    ("stone", "road_paving"),
    ("gravel", "road_gravel"),
    ("dirt", "road_gravel"),
    ("sand", "road_gravel"),
    ("soil", "road_gravel"),
    ("grass", "ground_grass"),
)
"""Words in the surface that a map states, and their materials; the first word found counts."""

_LEAST_M = 1e-3
"""Widths and steps below this count as 0. [m]"""


def lane_strips(surface: SectionSurface, remarks: MapRemarks, road: str) -> Iterator[Strip]:
    """Yield the surfaces of a section's lanes, and kerb faces where neighbours differ in height.

    Lanes of a type in `NOT_DRAWN` have no surface. A lane of unknown type becomes asphalt. A lane
    whose stated surface is unknown gets the usual surface of its type.

    Parameters
    ----------
    surface : SectionSurface
        The sampled surface of the lane section, in the world. [m]
    remarks : MapRemarks
        Takes notes on unknown types and surfaces.
    road : str
        Name of the road in the notes.
    """
    for column in _drawn(surface):
        for material, start, stop in _materials(surface, column.lane, remarks, road):
            width = (column.left_t_m - column.right_t_m)[start:stop]
            for rows in _runs(width > _LEAST_M):
                own = slice(start + rows.start, start + rows.stop)
                yield Strip(
                    material=material, left_m=column.left_m[own], right_m=column.right_m[own]
                )
    for left, right in pairwise(surface.columns):
        if {left.lane.kind, right.lane.kind} & NOT_DRAWN:
            continue
        steps = np.abs(left.right_m[:, 2] - right.left_m[:, 2])
        for rows in _runs(steps > _LEAST_M):
            yield Strip(
                material="kerb_stone", left_m=left.right_m[rows], right_m=right.left_m[rows]
            )


def outer_edges(surface: SectionSurface) -> Iterator[NDArray[np.float64]]:
    """Yield the edges of the drawn parts of a lane section, float64 (n, 3) each, n stations [m].

    ``surface`` (`SectionSurface`) is the sampled surface of the section; edges are in the world.
    Each group of adjacent lanes yields its left edge, then its right edge. Lanes of a type in
    `NOT_DRAWN` are not drawn; they separate groups.
    """
    for drawn, group in groupby(surface.columns, lambda c: c.lane.kind not in NOT_DRAWN):
        if drawn:
            columns = list(group)
            yield columns[0].left_m
            yield columns[-1].right_m


def _drawn(surface: SectionSurface) -> Iterator[LaneColumn]:
    return (column for column in surface.columns if column.lane.kind not in NOT_DRAWN)


def _materials(
    surface: SectionSurface, lane: MapLane, remarks: MapRemarks, road: str
) -> Iterator[tuple[str, int, int]]:
    """Yield (material, first row, last row + 1) of the stations along a lane."""
    name = f"road {road}, lane {lane.number}"
    usual = _MATERIALS.get(lane.kind)
    if usual is None:
        usual = "road_asphalt"
        remarks.add(name, usual, f"its type is {lane.kind!r:.40}")
    starts = [surface.s_m[0], *(lane.start_m + offset for offset, _ in lane.materials)]
    words = ["", *(surface_word for _, surface_word in lane.materials)]
    count = len(surface.s_m)
    first = [int(np.argmin(np.abs(surface.s_m - start))) for start in starts]
    for place, word in enumerate(words):
        start = first[place]
        stop = first[place + 1] + 1 if place + 1 < len(first) else count
        if stop - start > 1:
            yield _surface(word, usual, remarks, name), start, stop


def _surface(word: str, usual: str, remarks: MapRemarks, name: str) -> str:
    found = next((material for part, material in _SURFACES if part in word.lower()), None)
    if word and found is None:
        remarks.add(name, usual, f"its surface is {word!r:.40}")
    return found or usual


def _runs(chosen: NDArray[np.bool_]) -> Iterator[slice]:
    """Yield the rows of each run of True, extended by one row before and one after."""
    if chosen.all():
        if len(chosen) > 1:
            yield slice(0, len(chosen))
        return
    changes = np.diff(np.concatenate([[False], chosen, [False]]).astype(np.int8))
    starts, stops = np.flatnonzero(changes == 1), np.flatnonzero(changes == -1)
    for start, stop in zip(starts, stops, strict=True):
        yield slice(max(int(start) - 1, 0), min(int(stop) + 1, len(chosen)))
