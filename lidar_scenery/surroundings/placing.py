# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Things placed beside the roads of a world, clear of lanes, listed objects, and each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.meshing import triangles_of
from lidar_scenery.roads.parts import Note, Standing, counted
from lidar_scenery.surroundings.clearance import LevelBoxes, Obstacles
from lidar_scenery.surroundings.footprints import footprints
from lidar_scenery.surroundings.kerbs import kerbs
from lidar_scenery.surroundings.kinds import KINDS
from lidar_scenery.surroundings.planting import spots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_scenery.roads.parts import RoadParts
    from lidar_scenery.roads.polylines import Array
    from lidar_scenery.roads.terrain import Ground
    from lidar_scenery.surroundings.kerbs import Kerb
    from lidar_scenery.surroundings.planting import Spot
    from osi_bridge import ObjectStates

FROM_OBJECTS_M = 1.0
"""Least distance of things from objects in the messages, and from the ground that they pass over.
[m]"""
OVERLAP_M = 0.15
"""Largest overlap of two things, such as pieces of a hedge in a curve. [m]"""
MOST_SPOTS = 30_000
"""If more places for things than this have been found, the remaining road edges stay bare. The last
edge that is not bare has all its places, so their number may be larger."""


class Roadside(NamedTuple):
    """Things beside the roads of a world that no map or message states: chosen at random.

    `seed` is the seed of the random choices, and `standing` the things. `notes` say which length of
    road edges stays bare, see `MOST_SPOTS`; things without enough room are left out without a note.
    """

    seed: int  # of the random choices
    standing: tuple[Standing, ...] = ()  # the things
    counts: tuple[tuple[str, int], ...] = ()
    """(plural noun, number) of each kind of thing."""
    notes: tuple[Note, ...] = ()  # on things that were left out

    @property
    def words(self) -> str:
        """Text for users: the seed, and the number of things of each kind."""
        told = ", ".join(counted(n, words) for words, n in self.counts) or "nothing"
        return f"surroundings of seed {self.seed}: {told}"

    @property
    def content(self) -> dict[str, object]:
        """Seed, and number of things by kind, for JSON."""
        return {"seed": self.seed, "counts": dict(self.counts)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Surroundings:
    """Places trees, houses and other things beside roads, from a seed.

    Attributes
    ----------
    seed : int
        Seed of the random choices: the same roads and seed give the same surroundings.
    swept_m : float64 (n, 3, 2) or None
        Triangles, seen from above, that things keep clear of; see `swept_footprints`. None: things
        keep clear only of the objects that `beside` gets. [m]
    """

    seed: int
    swept_m: Array | None = None

    def beside(self, parts: RoadParts, ground: Ground, objects: ObjectStates) -> Roadside:
        """Return the things that stand beside the roads of a world; none without roads.

        A thing that is too near to a lane, an object or another thing is left out.

        Parameters
        ----------
        parts : RoadParts
            The roads.
        ground : Ground
            The ground beside the roads.
        objects : ObjectStates
            Objects of the message that the roads come from.
        """
        names, points_m, faces, material = triangles_of(parts)
        corners_m = points_m[faces][:, :, :2]
        is_road = np.array([name.startswith("road_") for name in names], np.bool_)
        is_paint = np.array([name.startswith("marking_") for name in names], np.bool_)
        if not len(faces) or not is_road.any():
            return Roadside(self.seed)
        lines = kerbs(parts, Obstacles(corners_m[is_road[material]]))
        wanted, notes = self._wanted(lines, motorway=parts.motorway)
        if not wanted:
            return Roadside(self.seed, notes=notes)
        boxes, chosen = _boxes(lines, wanted), [spot for _, spot in wanted]
        swept_m = self.swept_m if self.swept_m is not None else footprints(objects).triangles_m
        listed_m = np.concatenate([swept_m, _boxes_of(parts.standing).triangles_m])
        clear = Obstacles(listed_m).are_clear(boxes, FROM_OBJECTS_M)
        clear &= _clear_of_lanes(boxes, chosen, Obstacles(corners_m[~is_paint[material]]))
        rows = _apart(boxes, np.flatnonzero(clear))
        kept = [chosen[k] for k in rows.tolist()]
        counts = dict.fromkeys((kind.words for kind in KINDS), 0)
        for spot in kept:
            counts[spot.kind.words] += 1
        told = tuple((words, n) for words, n in counts.items() if n)
        return Roadside(self.seed, _standing(boxes.rows(rows), kept, ground), told, notes)

    def _wanted(
        self, lines: Sequence[Kerb], *, motorway: bool
    ) -> tuple[list[tuple[int, Spot]], tuple[Note, ...]]:
        """Return pairs (index of the edge, place), by priority of their kind, and notes."""
        wanted: list[tuple[int, Spot]] = []
        bare_m = 0.0
        for k, line in enumerate(lines):
            if len(wanted) > MOST_SPOTS:
                bare_m += line.length_m
                continue
            random = np.random.default_rng((self.seed, k))
            wanted += [(k, spot) for spot in spots(line.length_m, random, motorway=motorway)]
        rank = {id(kind): number for number, kind in enumerate(KINDS)}
        wanted.sort(key=lambda pair: rank[id(pair[1].kind)])
        if not bare_m:
            return wanted, ()
        reason = f"more than {MOST_SPOTS} places: {bare_m:.0f} m of road edges stay bare"
        return wanted, (Note("surroundings", "nothing", reason),)


def _boxes(lines: Sequence[Kerb], wanted: Sequence[tuple[int, Spot]]) -> LevelBoxes:
    """Return the rectangles that things at these places cover."""
    line = np.array([k for k, _ in wanted])
    station_m, setback_m, turn_rad = (
        np.array([getattr(spot, name) for _, spot in wanted])
        for name in ("station_m", "setback_m", "turn_rad")
    )
    place_m, yaw_rad = np.empty((len(wanted), 2)), np.empty(len(wanted))
    for k in np.unique(line):
        own = line == k
        place_m[own], yaw_rad[own] = lines[k].beside(station_m[own], setback_m[own])
    half_m = 0.5 * np.array([spot.kind.sizes_m[spot.size][:2] for _, spot in wanted])
    return LevelBoxes(place_m, half_m, yaw_rad + turn_rad)


def _boxes_of(standing: Sequence[Standing]) -> LevelBoxes:
    """Return the rectangles that shapes cover."""
    poses = np.array([each.world_from_object for each in standing]).reshape(-1, 4, 4)
    half_m = 0.5 * np.array([each.dimension_m[:2] for each in standing]).reshape(-1, 2)
    return LevelBoxes(poses[:, :2, 3], half_m, np.arctan2(poses[:, 1, 0], poses[:, 0, 0]))


def _clear_of_lanes(
    boxes: LevelBoxes, chosen: Sequence[Spot], roads: Obstacles
) -> NDArray[np.bool_]:
    """Return whether each box is as far from lanes as its kind requires, bool (n,)."""
    from_lanes_m = np.array([spot.kind.from_lanes_m for spot in chosen])
    clear = np.empty(len(chosen), np.bool_)
    for margin_m in np.unique(from_lanes_m):
        own = np.flatnonzero(from_lanes_m == margin_m)
        clear[own] = roads.are_clear(boxes.rows(own), float(margin_m))
    return clear


def _apart(boxes: LevelBoxes, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the rows that stay if each box that overlaps an earlier staying box is dropped."""
    own = boxes.rows(rows)
    meet: dict[int, list[int]] = {}
    for box, triangle in Obstacles(own.triangles_m).too_near(own, -OVERLAP_M):
        for late, early in zip(box.tolist(), (triangle // 2).tolist(), strict=True):
            if early < late:
                meet.setdefault(late, []).append(early)
    stays = np.ones(len(rows), np.bool_)
    for late in sorted(meet):
        stays[late] = not stays[meet[late]].any()
    return rows[stays]


def _standing(boxes: LevelBoxes, chosen: Sequence[Spot], ground: Ground) -> tuple[Standing, ...]:
    """Return shapes, each at the height of the lowest ground below its corners."""
    corners_m = boxes.corners_m
    base_m = ground.height_m(corners_m.reshape(-1, 2)).reshape(-1, 4).min(axis=1)
    turns = boxes.axes.transpose(0, 2, 1)
    made = []
    for k, spot in enumerate(chosen):
        pose = np.eye(4)
        pose[:2, :2] = turns[k]
        size_m = spot.kind.sizes_m[spot.size]
        pose[:3, 3] = *boxes.place_m[k], base_m[k] + 0.5 * size_m[2]
        made.append(
            Standing(
                shape=spot.kind.shape,
                dimension_m=size_m,
                world_from_object=pose,
                details=spot.kind.details,
            )
        )
    return tuple(made)
