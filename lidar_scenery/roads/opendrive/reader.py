# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From an OpenDRIVE file to road parts."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.errors import BoundError, ConfigurationError
from lidar_base.files.xml_unasked import list_unasked, still_unasked
from lidar_base.unfollowed import Unfollowed, log_not_followed
from lidar_base.xml_tree import AskedFor
from lidar_scenery.roads.opendrive.allowance import POINTS_OF_STRIP, Allowance
from lidar_scenery.roads.opendrive.attributes import PartError, number, word
from lidar_scenery.roads.opendrive.coverage import note_course
from lidar_scenery.roads.opendrive.header import open_map, parts_of
from lidar_scenery.roads.opendrive.lanes import lane_strips, outer_edges
from lidar_scenery.roads.opendrive.marks import MarkBook, mark_strips
from lidar_scenery.roads.opendrive.meaningless import MEANINGLESS
from lidar_scenery.roads.opendrive.objects.ground import RoadGround
from lidar_scenery.roads.opendrive.objects.kinds import kind_of
from lidar_scenery.roads.opendrive.objects.parse import object_of, signal_of
from lidar_scenery.roads.opendrive.objects.signals import SignalMaker
from lidar_scenery.roads.opendrive.objects.standing import ObjectMaker
from lidar_scenery.roads.opendrive.objects.unread import note_unread
from lidar_scenery.roads.opendrive.parse import road_of, under
from lidar_scenery.roads.opendrive.remarks import MapRemarks
from lidar_scenery.roads.opendrive.sections import SectionSurface, section_surface
from lidar_scenery.roads.parts import RoadParts, Standing, Strip
from lidar_scenery.roads.rules import MarkingRules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_base.xml_tree import Element
    from lidar_scenery.roads.opendrive.records import Road

MOST_TRIANGLES = 10_000_000
"""Largest number of triangles of a map; more are an error."""
MOST_SHAPES = 200_000
"""Largest number of shapes of a map; more are an error."""

_COUNTED = "roads", "lanes", "markings", "objects", "signals", "junctions"
_BUILT_UP = {"town", "townLocal", "townExpressway", "lowSpeed", "pedestrian", "townPrivate"}
_NOT_READ = MappingProxyType(
    {
        "objects/tunnel": "walls and roofs of tunnels are not made",
        "objects/bridge": "rails and piers of bridges are not made",
        "surface/CRG": "OpenCRG surfaces are not read",
        "lateralProfile/crossSectionSurface": "cross-section surfaces of version 1.8 are not read",
        "signals/signal/positionRoad": "positions of signals apart from their own are not read",
        "signals/signal/positionInertial": "positions of signals apart from their own are not read",
    }
)
"""Elements of a road that are left out, and the reason for the note."""


def read_map(
    path: Path,
    offset_m: tuple[float, float, float] = (0.0, 0.0, 0.0),
    rules: MarkingRules | None = None,
) -> RoadParts:
    """Read a map (ASAM OpenDRIVE 1.4 to 1.8), and return it as the parts of a road world.

    Parameters
    ----------
    path : Path
        The map.
    offset_m : (float, float, float)
        Vector added to all coordinates of the map. [m]
    rules : MarkingRules, optional
        Dashes and gaps for broken lines whose dashes the map does not state.

    Returns
    -------
    RoadParts
        The parts, in coordinates of the map plus `offset_m`. A road, an object or a signal that
        cannot be used is left out and noted. Contents that are never read are listed and logged.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, is no OpenDRIVE map, holds no usable road, needs more points
        than the size of the file allows, or too many triangles.
    """
    made = _Made(path, rules or MarkingRules())
    with open_map(path) as stream:
        for root in parts_of(path, stream):
            made.add(root, stream.tell())
    if not made.has_roads:
        raise ConfigurationError(f"{path}: contains no <road>, expected one or more")
    if made.counts["roads"] == 0:
        name, _, reason = made.remarks.notes[0]
        raise ConfigurationError(
            f"{path}: no road can be used; the first problem is: {name}: {reason}"
        )
    return made.parts(np.array(offset_m, np.float64))


class _Made:
    """Collector of the parts of a map while it is read."""

    def __init__(self, path: Path, rules: MarkingRules) -> None:
        self._path = path
        self._allowance = Allowance()
        self.has_roads = False
        self._rules = rules
        self.remarks = MapRemarks()
        self.counts = dict.fromkeys(_COUNTED, 0)
        self._strips: list[Strip] = []
        self._standing: list[Standing] = []
        self._edges_m: list[NDArray[np.float64]] = []
        self._triangles = 0
        self._kinds: set[str] = set()
        self._left_out: set[int] = set()
        self._unfollowed = Unfollowed()
        self._asked = AskedFor.nothing()

    def add(self, root: Element, n_bytes: int) -> None:
        """Add a part of the map, such as a road; `n_bytes` of the map were read up to its end.

        Raises
        ------
        ConfigurationError
            If the roads so far need more points than `n_bytes` allow.
        """
        self.counts["junctions"] += len(root.all("junction"))
        roads = root.all("road")
        self.has_roads = self.has_roads or bool(roads)
        self._allowance.grow_to(n_bytes)
        try:
            for road in roads:
                self._add_road(road)
        except BoundError as error:
            raise ConfigurationError(f"{self._path}: {error}") from None
        list_unasked(root, MEANINGLESS, self._unfollowed, left_out=self._left_out)
        self._left_out.clear()
        self._asked = root.asked

    def _add_road(self, element: Element) -> None:
        """Add a road, or note why it is left out."""
        with self._noted(element, f"road {word(element, 'id'):.40}"):
            road = road_of(element, self._allowance)
            with_lanes = [section for section in road.sections if section.left or section.right]
            surfaces = [section_surface(road, section) for section in with_lanes]
            self.counts["roads"] += 1
            note_course(road, self.remarks)
            for section in under(element, "lanes/laneSection"):
                if (start := number(section, "s")) >= road.length_m:
                    place = f"road {road.name:.40} (s = {start:g} m)"
                    self.remarks.add(place, "nothing", "a lane section lies beyond its road")
            self._kinds.add(road.kind)
            for surface in surfaces:
                self._add_surface(surface, road)
            self._add_objects(element, RoadGround(road, surfaces))

    @contextmanager
    def _noted(self, element: Element, name: str) -> Iterator[None]:
        """Note the reason if a PartError says that a part cannot be used."""
        try:
            yield
        except PartError as error:
            self._left_out.add(id(element))
            self.remarks.add(name, "nothing", str(error))

    def _add_surface(self, surface: SectionSurface, road: Road) -> None:
        section = surface.section
        lanes = (*section.left, *section.right)
        self.counts["lanes"] += len(lanes)
        centre = (section.centre,) if section.centre else ()
        marks = [mark for lane in (*centre, *lanes) for mark in lane.marks]
        self.counts["markings"] += sum(mark.kind != "none" for mark in marks)
        self._edges_m.extend(outer_edges(surface))
        self._keep(lane_strips(surface, self.remarks, road.name))
        self._keep(mark_strips(surface, road, MarkBook(self._rules, self.remarks)))

    def _add_objects(self, element: Element, ground: RoadGround) -> None:
        road = f"road {ground.road.name:.40}"
        poles: list[tuple[float, float]] = []
        objects = ObjectMaker(ground, self.remarks)
        things = under(element, "objects/object")
        signs = under(element, "signals/signal")
        self._allowance.take_objects(len(things) + len(signs), len(ground.surfaces))
        for child in things:
            with self._noted(child, name := f"{road}, object {word(child, 'id'):.40}"):
                thing = object_of(child)
                self._keep(list(objects.parts(thing)))
                note_unread(child, self.remarks, name)
                self.counts["objects"] += 1
                if kind_of(thing).shape == "pole":
                    poles.append((thing.s_m, thing.t_m))
        signals = SignalMaker(ground, poles, self.remarks)
        for child in signs:
            with self._noted(child, name := f"{road}, signal {word(child, 'id'):.40}"):
                self._keep(list(signals.parts(signal_of(child))))
                note_unread(child, self.remarks, name)
                self.counts["signals"] += 1
        for path, reason in _NOT_READ.items():
            if under(element, path):
                self.remarks.add(road, "nothing", reason)

    def _keep(self, parts: Iterable[Strip | Standing]) -> None:
        for part in parts:
            if isinstance(part, Standing):
                self._standing.append(part)
            else:
                self._allowance.take(POINTS_OF_STRIP + len(part.left_m))
                self._strips.append(part)
                self._triangles += 2 * (len(part.left_m) - 1)
            if self._triangles > MOST_TRIANGLES or len(self._standing) > MOST_SHAPES:
                raise ConfigurationError(
                    f"{self._path}: needs over {MOST_TRIANGLES} triangles or {MOST_SHAPES} shapes, "
                    "the most for a map"
                )

    def parts(self, offset_m: NDArray[np.float64]) -> RoadParts:
        """Return all parts, shifted by an offset (3,), and log the ignored contents."""
        not_followed = still_unasked(self._unfollowed, self._asked)
        log_not_followed(str(self._path), not_followed)
        pose = np.eye(4)
        pose[:3, 3] = offset_m
        return RoadParts(
            strips=tuple(
                replace(strip, left_m=strip.left_m + offset_m, right_m=strip.right_m + offset_m)
                for strip in self._strips
            ),
            standing=tuple(
                replace(shape, world_from_object=pose @ shape.world_from_object)
                for shape in self._standing
            ),
            edges_m=tuple(edge + offset_m for edge in self._edges_m),
            notes=self.remarks.notes,
            not_followed=not_followed,
            counts=tuple(self.counts.items()),
            motorway="motorway" in self._kinds and not self._kinds & _BUILT_UP,
        )
