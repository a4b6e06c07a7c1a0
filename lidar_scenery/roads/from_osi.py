# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Road parts from OSI's lanes, lane boundaries and road markings."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.roads.markings import (
    LINE_WIDTH_M,
    color_material,
    neighbours,
    offsets_m,
    regular_dashes_m,
    ribbons,
    stated_dashes_m,
)
from lidar_scenery.roads.meshing import triangles_of
from lidar_scenery.roads.painted import lies_partly_beside, painted
from lidar_scenery.roads.parts import Note, Patch, RoadParts, Strip
from lidar_scenery.roads.polylines import Array, Chain, chained, stations_m
from lidar_scenery.roads.rules import MarkingRules
from lidar_scenery.roads.surfaces import LaneSurface, beside, extended, paired
from lidar_scenery.roads.uprights import UPRIGHTS, dots, rail_posts, upright_strips
from lidar_scenery.roads.widths import LANE_WIDTH_M, sides_of_centrelines
from lidar_scenery.shapes.triangulation import NOT_FILLED, triangulated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lidar_scenery.roads.markings import Neighbour
    from lidar_scenery.roads.rules import Dashes
    from osi_bridge import BoundaryLine, Lane, LaneNetwork

LEAST_LANE_M2 = 1e-4
"""Least area between the left and the right boundary of a lane; a lane with less area has no
surface and is noted. [m2]"""
MOST_LENGTH_M = 200e3
"""Largest length of a boundary line or a centreline that is used; longer ones are noted. [m]"""
MOTORWAY_LANE_M = 3.4
"""Least median width of driving lanes from which roads of unstated type are taken for motorways.
[m]"""

_PAVED = "road_asphalt"
_LANE_MATERIALS: Mapping[str, str] = MappingProxyType(
    {"SIDEWALK": "road_sidewalk", "PARKING": "road_paving", "MEDIAN": "road_paving"}
)
"""Materials of lanes by subtype; lanes of any other subtype are asphalt."""
_GROUNDS: Mapping[str, str] = MappingProxyType(
    {
        "GRASS_EDGE": "ground_grass",
        "GRAVEL_EDGE": "ground_gravel",
        "SOIL_EDGE": "ground_soil",
        "SNOW_EDGE": "ground_snow",
    }
)
_MOTORWAY = "MOTORWAY"
_TOWN = {"SIDEWALK", "BIKING", "PARKING"}
_MOST_NAMED = 5


class _Remarks:
    """Notes on guesses and omissions, grouped by cause, each with the parts concerned."""

    def __init__(self) -> None:
        self._parts: dict[tuple[str, str, str], list[str]] = {}

    def add(self, part: str, own_id: int | None, used: str, reason: str) -> None:
        """Add a note on a part, such as a lane: what was used instead, and why."""
        name = "without an id" if own_id is None else str(own_id)
        self._parts.setdefault((part, used, reason), []).append(name)

    def notes(self) -> tuple[Note, ...]:
        """Return one note for each cause."""
        return tuple(
            Note(f"{part} {_listed(names)}", used, reason)
            for (part, used, reason), names in self._parts.items()
        )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    named = ", ".join(names[:_MOST_NAMED])
    return f"{named} and {more} more" if more > 0 else named


class _Roads:
    """The surfaces of the lanes of a network; guesses are noted in `book`."""

    def __init__(self, network: LaneNetwork, book: _Remarks) -> None:
        logical = not network.lanes
        self.book = book
        self.lanes = network.logical_lanes if logical else network.lanes
        self.physical = self._usable(network.boundaries)
        self.lines = self._usable(network.logical_boundaries) if logical else self.physical
        self.surfaces: list[LaneSurface] = []
        self.patches: list[Patch] = []
        self.polygon_ids: list[int] = []
        self._outlines_m: list[Array] = []
        self.dashes_m = {
            line.id: dashes
            for line in self.physical.values()
            if line.type_name == "DASHED_LINE" and (dashes := stated_dashes_m(line)) is not None
        }
        if logical and self.lanes:
            book.add("logical lanes", len(self.lanes), "their boundaries", "no physical lanes")
        self._centred = sides_of_centrelines(
            {
                lane.id: lane.centerline_m
                for lane in self.lanes.values()
                if not (lane.left_ids or lane.right_ids or lane.free_ids)
                and 0.0 < _length_m(lane.centerline_m) <= MOST_LENGTH_M
            }
        )
        for lane in self.lanes.values():
            self._lay(lane)

    def _usable(self, lines: Mapping[int, BoundaryLine]) -> Mapping[int, BoundaryLine]:
        """Return the lines that are at most `MOST_LENGTH_M` long; the others are noted."""
        usable = {}
        for line in lines.values():
            length_m = _length_m(line.points_m)
            if length_m <= MOST_LENGTH_M:
                usable[line.id] = line
            else:
                most = f"expected at most {1e-3 * MOST_LENGTH_M:g} km"
                reason = f"{1e-3 * length_m:.4g} km long, {most}"
                self.book.add("lane boundary", line.id, "nothing", reason)
        return usable

    def _lay(self, lane: Lane) -> None:
        """Add the surface of a lane."""
        material = _LANE_MATERIALS.get(lane.subtype_name or lane.type_name, _PAVED)
        left, right = self._chain(lane, lane.left_ids), self._chain(lane, lane.right_ids)
        width = f"{LANE_WIDTH_M:g} m"
        if left is None and right is None and lane.free_ids:
            self._lay_polygon(lane, material)
            return
        if left is not None and right is not None:
            left, right = self._level(left, right), self._level(right, left)
        elif left is not None:
            right = beside(left, -LANE_WIDTH_M)
            self.book.add("lane", lane.id, width, "no right boundary, so its width is unknown")
        elif right is not None:
            left = beside(right, LANE_WIDTH_M)
            self.book.add("lane", lane.id, width, "no left boundary, so its width is unknown")
        elif lane.id in self._centred:
            sides = self._centred[lane.id]
            left, right = Chain(sides.left_m, ()), Chain(sides.right_m, ())
            width = f"{width}, halfway to neighbours" if sides.has_neighbour else width
            self.book.add("lane", lane.id, width, "a centreline only, so its width is unknown")
        elif 0.0 < _length_m(lane.centerline_m) <= MOST_LENGTH_M:  # its boundaries are not there
            center = Chain(lane.centerline_m, ())
            left, right = beside(center, 0.5 * LANE_WIDTH_M), beside(center, -0.5 * LANE_WIDTH_M)
            self.book.add("lane", lane.id, width, "a centreline only, so its width is unknown")
        if left is None or right is None:
            self.book.add("lane", lane.id, "nothing", "neither boundaries nor a centreline")
            return
        self._keep(paired(lane.id, material, left, right))

    def _keep(self, surface: LaneSurface) -> None:
        if not surface.area_m2 > LEAST_LANE_M2:
            reason = "its boundaries cross or coincide: no area"
            self.book.add("lane", surface.id, "nothing", reason)
            return
        if surface.folded.any():
            reason = "its boundaries cross, so that its surface is folded"
            self.book.add("lane", surface.id, "its surface without the folds", reason)
        self.surfaces.append(surface)

    def _chain(self, lane: Lane, ids: Iterable[int]) -> Chain | None:
        """Return the boundaries of one side of a lane as a chain; None if it has none."""
        known = []
        for own_id in dict.fromkeys(ids):
            if own_id in self.lines:
                known.append((own_id, self.lines[own_id].points_m))
            else:
                self.book.add(
                    "lane boundary",
                    own_id,
                    "nothing",
                    f"lane {lane.id} names it, but it is not in the message",
                )
        return chained(known) if known else None

    def _level(self, chain: Chain, other: Chain) -> Chain:
        """Return a chain, extended to the other's ends if its points are ends of dashes."""
        dashed = any(piece.id in self.dashes_m for piece in chain.pieces)
        return extended(chain, other) if dashed else chain

    def _lay_polygon(self, lane: Lane, material: str) -> None:
        """Add the polygon that the free boundaries of an intersection enclose."""
        chain = self._chain(lane, lane.free_ids)
        if chain is None:
            return
        keep = np.linalg.norm(np.diff(chain.points_m, axis=0, append=chain.points_m[:1]), axis=1)
        points_m = chain.points_m[keep > 1e-3]
        triangles = triangulated(points_m[:, :2])
        if triangles is None:
            reason = f"the polygon of its free boundaries has {NOT_FILLED}"
            self.book.add("lane", lane.id, "nothing", reason)
            return
        self.patches.append(Patch(material=material, points_m=points_m, triangles=triangles))
        self.polygon_ids.append(lane.id)
        self._outlines_m.append(np.vstack([points_m, points_m[:1]]))

    def edges_m(self) -> tuple[Array, ...]:
        """Return the outer edges: sides of lanes without a neighbour, and intersection outlines."""
        sides = [
            (chain, line_m)
            for surface in self.surfaces
            for chain, line_m in ((surface.left, surface.left_m), (surface.right, surface.right_m))
        ]
        used: dict[int, int] = {}
        for chain, _ in sides:
            for piece in chain.pieces:
                used[piece.id] = used.get(piece.id, 0) + 1
        outer = [
            line_m for chain, line_m in sides if all(used[piece.id] == 1 for piece in chain.pieces)
        ]
        return (*outer, *self._outlines_m)

    def is_motorway(self, network: LaneNetwork) -> bool:
        """Return whether the roads are motorways: as stated, else by types and widths of lanes."""
        if stated := _stated_types(network):
            return _MOTORWAY in stated
        kinds = {
            kind for lane in self.lanes.values() for kind in (lane.type_name, lane.subtype_name)
        }
        driving = {
            lane.id for lane in self.lanes.values() if lane.type_name in {"DRIVING", "NORMAL"}
        }
        widths_m = [
            surface.area_m2 / surface.left_station_m[-1]
            for surface in self.surfaces
            if surface.id in driving
        ]
        in_town = bool(kinds & _TOWN) or "INTERSECTION" in kinds
        return not in_town and bool(widths_m) and float(np.median(widths_m)) >= MOTORWAY_LANE_M


def _stated_types(network: LaneNetwork) -> set[str]:
    return {lane.road_type for lane in network.logical_lanes.values()} - {"UNKNOWN", "OTHER"}


def _length_m(points_m: Array) -> float:
    return float(stations_m(points_m)[-1]) if len(points_m) else 0.0


def road_parts(network: LaneNetwork, rules: MarkingRules | None = None) -> RoadParts:
    """Return the static road world that OSI lanes describe: surfaces, markings, guard rails.

    Parameters
    ----------
    network : LaneNetwork
        Lanes, boundaries and road markings.
    rules : MarkingRules, optional
        Dashes and gaps for broken lines whose dashes the message does not state.

    Returns
    -------
    RoadParts
        The parts, in the coordinates of the message. A part of the message that cannot be used is
        left out. ``notes`` has one note for each cause of guesses and omissions.
    """
    book = _Remarks()
    for fault in network.faults:
        book.add(fault.part, fault.id, "nothing of that", fault.reason)
    roads = _Roads(network, book)
    beside_of = neighbours(roads.surfaces) if roads.lines is roads.physical else {}
    lanes = [strip for surface in roads.surfaces for strip in surface.strips()]
    rules = rules or MarkingRules()
    dashes = rules.dashes(network.country_code, motorway=roads.is_motorway(network))
    lines, uprights, posts = _along_boundaries(roads, beside_of, *dashes)
    road = RoadParts(strips=tuple(lanes), patches=tuple(roads.patches))
    marks = _painted(network, road, book)
    return RoadParts(
        strips=(*lanes, *lines, *uprights),
        patches=(*roads.patches, *posts, *marks),
        edges_m=roads.edges_m(),
        notes=book.notes(),
        counts=_counts(network, len(roads.surfaces) + len(roads.patches), len(lines), len(marks)),
        ground=_ground(network),
        motorway=_MOTORWAY in _stated_types(network),
    )


def lane_areas(network: LaneNetwork) -> Mapping[int, Sequence[Strip | Patch]]:
    """Return the surfaces of each lane of a network, as strips or patches, by the lane's OSI id.

    ``network`` has the lanes and boundaries of a message. Lanes without a usable surface are
    missing. Logical lanes are used only if there are no physical lanes.
    """
    roads = _Roads(network, _Remarks())
    polygons = zip(roads.polygon_ids, roads.patches, strict=True)
    strips = {surface.id: tuple(surface.strips()) for surface in roads.surfaces}
    return {**strips, **{own_id: (patch,) for own_id, patch in polygons}}


def _along_boundaries(
    roads: _Roads,
    beside_of: Mapping[int, Sequence[Neighbour]],
    dashes: Dashes,
    usual: str,
) -> tuple[list[Strip], list[Strip], list[Patch]]:
    """Return three lists: painted lines; kerbs, walls and rails; posts and dots."""
    lines: list[Strip] = []
    uprights: list[Strip] = []
    posts: list[Patch] = []
    broken = [
        line
        for line in roads.physical.values()
        if line.type_name == "DASHED_LINE" and line.id not in roads.dashes_m
    ]
    offset_m = offsets_m(broken)
    for line in roads.physical.values():
        around = beside_of.get(line.id, ())
        if line.type_name in {"SOLID_LINE", "DASHED_LINE"}:
            painted_m = roads.dashes_m.get(line.id)
            if line.id in offset_m:
                length_m = float(stations_m(line.points_m)[-1])
                painted_m = regular_dashes_m(length_m, offset_m[line.id], dashes)
                roads.book.add("lane boundary", line.id, usual, "its dashes are not stated")
            elif painted_m is None:  # a solid line
                painted_m = np.array([[0.0, float(stations_m(line.points_m)[-1])]])
            if not line.width_m.all():
                used, reason = f"{LINE_WIDTH_M:g} m", "the line has no width"
                roads.book.add("lane boundary", line.id, used, reason)
            lines += ribbons(line, painted_m, around)
        elif line.type_name == "BOTTS_DOTS":
            posts.append(dots(line, color_material(line)))
        elif line.type_name in UPRIGHTS:
            road_is_left = _road_is_left(around)
            uprights += upright_strips(line, road_is_left=road_is_left)
            if line.type_name == "GUARD_RAIL":
                posts.append(rail_posts(line, road_is_left=road_is_left))
            if not line.height_m.all():
                used = f"{UPRIGHTS[line.type_name].height_m:g} m"
                reason = f"a {UPRIGHTS[line.type_name].words} without a height"
                roads.book.add("lane boundary", line.id, used, reason)
    return lines, uprights, posts


def _road_is_left(around: Sequence[Neighbour]) -> bool:
    """Return whether the road is left of a boundary: paved lanes decide, else any lane."""
    paved = {each.is_left for each in around if each.material == _PAVED}
    sides = paved or {each.is_left for each in around}
    return False not in sides


def _painted(network: LaneNetwork, road: RoadParts, book: _Remarks) -> list[Patch]:
    if not network.markings:
        return []
    _, points_m, faces, _ = triangles_of(road)
    road_m = points_m[faces]
    marks = []
    for mark in network.markings.values():
        patch = painted(mark, road_m)
        if isinstance(patch, Patch):
            marks.append(patch)
            if lies_partly_beside(mark, patch):
                used, reason = "the part on the road", "the rest lies beside the road"
                book.add("road marking", mark.id, used, reason)
        else:
            book.add("road marking", mark.id, "nothing", patch)
    return marks


def _counts(
    network: LaneNetwork, n_lanes: int, n_lines: int, n_marks: int
) -> tuple[tuple[str, int], ...]:
    counts = {
        "lanes": n_lanes,
        "lane boundaries": len(network.boundaries),
        "painted lines and dashes": n_lines,
        "road markings": n_marks,
    }
    return tuple((words, n) for words, n in counts.items() if n)


def _ground(network: LaneNetwork) -> str:
    """Return the ground beside the road: of the boundary type with the greatest total length.

    Only types that imply a ground count; without any, it is grass.
    """
    length_m: dict[str, float] = {}
    for line in network.boundaries.values():
        if line.type_name in _GROUNDS:
            name = _GROUNDS[line.type_name]
            own_m = float(stations_m(line.points_m)[-1])
            length_m[name] = length_m.get(name, 0.0) + own_m
    return max(length_m, key=lambda name: length_m[name]) if length_m else "ground_grass"
