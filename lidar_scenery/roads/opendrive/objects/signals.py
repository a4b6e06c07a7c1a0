# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Signals: plates and lights on posts, stop lines and crosswalks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.opendrive.objects.ground import moved
from lidar_scenery.roads.opendrive.objects.paint import BAR_M, crosswalk_bars, in_world
from lidar_scenery.roads.parts import Standing, Strip
from lidar_scenery.shapes.roadside.sign_types import PLAIN, catalogue_sign_shape
from lidar_scenery.shapes.signs import SIGNS
from osi_bridge.description.details import ObjectDetails

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lidar_scenery.roads.opendrive.objects.ground import RoadGround
    from lidar_scenery.roads.opendrive.records import Signal
    from lidar_scenery.roads.opendrive.remarks import MapRemarks

PLATE_M = (0.03, 0.6, 0.6)
"""Thickness, and the usual width and height of a sign: size 2 in towns (VwV-StVO). [m]"""
LIGHT_M = (0.3, 0.35, 1.0)
"""Depth, and the usual width and height of a traffic light of three lamps of 200 mm. [m]"""
BOTTOM_M = 2.0
"""Usual height of the bottom edge above the road (VwV-StVO to sections 39 to 43). [m]"""
STOP_LINE_M = 0.5
"""Depth of a stop line (German sign 294). [m]"""
CROSSWALK_M = 4.0
"""Length of a crosswalk in the direction of the road, if its signal states none. [m]"""

_GERMAN = frozenset({"", "de", "deu", "germany", "opendrive"})
_POST_M = 0.06
_OWN_POST_M = 0.5  # a pole of the map as near as this carries the signal
_OVERHEAD_M = 4.0  # higher signals get no post, because it might stand in a lane
_PAINTED_M = 0.05  # flatter signals lie on the road
_LONGEST_LIGHT_M = 2.0  # a longer light includes its post
_LIGHTS = frozenset(f"{number}" for number in (1000001, 1000002, *range(1000007, 1000017)))


class SignalMaker(NamedTuple):
    """Makes shapes and paint from the signals of one road of a map.

    Attributes
    ----------
    ground : RoadGround
        The road.
    poles_m : sequence of (float, float)
        (station, lateral offset) of each pole among the objects of the road. [m]
    remarks : MapRemarks
        Takes notes on guesses and omissions.
    """

    ground: RoadGround
    poles_m: Sequence[tuple[float, float]]
    """(station, lateral offset) of each pole among the objects of the road: a signal there needs no
    post. [m]"""
    remarks: MapRemarks  # takes notes on guesses and omissions

    def parts(self, signal: Signal) -> Iterator[Standing | Strip]:
        """Yield the parts of a signal: upright shapes (`Standing`), or paint on the road (`Strip`).

        Raises
        ------
        PartError
            If the signal's paint is too large, or the signal lies far beyond its road.
        """
        name = f"road {self.ground.road.name}, signal {signal.name}"
        self.ground.note_beyond(np.array([signal.s_m]), self.remarks, name)
        if signal.height_m is None and _is_paint(signal):
            self.remarks.add(name, "paint", "it is a line or a crosswalk, and states no height")
            yield from self._paint(signal, name)
        elif signal.height_m is not None and signal.height_m <= _PAINTED_M:
            yield from self._paint(signal, name)
        else:
            yield from self._standing(signal, name)

    def _paint(self, signal: Signal, name: str) -> Iterator[Strip]:
        if not signal.width_m:
            self.remarks.add(name, "nothing", "it lies on the road and states no width")
            return
        v = 0.5 * signal.width_m
        if _is_stop_line(signal):
            u = 0.5 * STOP_LINE_M
            used = f"a line of {STOP_LINE_M:g} m"
            quads = np.array([[(-u, -v), (u, -v), (u, v), (-u, v)]])
        elif _is_crosswalk(signal):
            u = 0.5 * (signal.value if signal.value and signal.value > 0.0 else CROSSWALK_M)
            used = f"bars of {BAR_M:g} m over {2.0 * u:g} m"
            quads = crosswalk_bars(np.array([(-u, -v), (u, v)]), turned=False)
        else:
            self.remarks.add(
                name, "nothing", "of painted signals, arrows and symbols are not drawn"
            )
            return
        self.remarks.add(name, used, "signals do not state the sizes of paint")
        pose = self.ground.pose(signal.s_m, signal.t_m, 0.0, (signal.angles_rad[0], 0.0, 0.0))
        yield from self.ground.patches(in_world(quads, pose), signal.s_m, "marking_white")

    def _standing(self, signal: Signal, name: str) -> Iterator[Standing]:
        is_light = signal.is_dynamic or signal.kind in _LIGHTS
        depth, usual_width, usual_height = LIGHT_M if is_light else PLATE_M
        width, height = signal.width_m or usual_width, signal.height_m or usual_height
        bottom = None if signal.has_zeros else signal.z_offset_m
        if is_light and (bottom or 0.0) <= 0.0 and height > _LONGEST_LIGHT_M:
            bottom, height = (bottom or 0.0) + height - usual_height, usual_height
        self._note(signal, bottom, name)
        bottom = BOTTOM_M if bottom is None else bottom
        yield from self._post(signal, bottom, bottom + height, name)
        heading, pitch, roll = signal.angles_rad
        faces = heading if signal.faces_along else heading + math.pi
        pose = self.ground.pose(signal.s_m, signal.t_m, bottom, (faces, pitch, roll))
        yield Standing(
            shape="traffic_light" if is_light else _sign_shape(signal),
            dimension_m=(depth, width, height),
            world_from_object=moved(pose, 0.5 * (_POST_M + depth), 0.0, 0.5 * height),
            details=_details(signal, is_light=is_light),
        )

    def _note(self, signal: Signal, bottom_m: float | None, name: str) -> None:
        if None in {signal.width_m, signal.height_m}:
            self.remarks.add(name, "usual width and height", "its size is not stated")
        if bottom_m is None:
            reason = "its height is not stated"
            if signal.has_zeros:
                reason = "its zOffset of 0 is not used: its sizes are not stated either, or are 0"
            self.remarks.add(name, f"{BOTTOM_M:g} m above the road", reason)

    def _post(self, signal: Signal, bottom_m: float, top_m: float, name: str) -> Iterator[Standing]:
        """Yield a post up to the top of a signal.

        There is none if the map has a pole at the same place, or if the signal hangs above the
        road. The post begins on the road, or at the bottom of the signal if that is lower.
        """
        if signal.z_offset_m is not None and signal.z_offset_m >= _OVERHEAD_M:
            self.remarks.add(name, "no post", "it hangs above the road")
            return
        here = signal.s_m, signal.t_m
        if any(math.dist(here, pole) <= _OWN_POST_M for pole in self.poles_m):
            return
        pose = self.ground.pose(*here, 0.0, (0.0, 0.0, 0.0))
        foot = min(bottom_m, 0.0)
        yield Standing(
            shape="pole",
            dimension_m=(_POST_M, _POST_M, top_m - foot),
            world_from_object=moved(pose, 0.0, 0.0, 0.5 * (foot + top_m)),
        )


def _is_paint(signal: Signal) -> bool:
    """Return whether a signal is paint by its type, such as a stop line, whatever its height."""
    if signal.kind == "294" and signal.country.lower() in _GERMAN:
        return True
    return signal.kind == "1000003" or (signal.kind != "294" and _is_stop_line(signal))


def _is_stop_line(signal: Signal) -> bool:
    words = signal.words.lower()
    return signal.kind == "294" or "stopline" in words or "holdingline" in words


def _is_crosswalk(signal: Signal) -> bool:
    return signal.kind == "1000003" or "crosswalk" in signal.words.lower()


def _sign_shape(signal: Signal) -> str:
    """Return the shape of a sign; only German sign numbers are known, which many tools export."""
    is_german = signal.country.lower() in _GERMAN
    shape = catalogue_sign_shape(signal.kind) if is_german else PLAIN
    return shape if shape in SIGNS else PLAIN


def _details(signal: Signal, *, is_light: bool) -> ObjectDetails:
    if is_light:
        return ObjectDetails()
    return ObjectDetails(sign_value=signal.value)
