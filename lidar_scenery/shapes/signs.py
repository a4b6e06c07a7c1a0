# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Traffic signs of a size: a retroreflective face on an aluminium plate, on a post in a high box.

A sign faces x, as in OSI: the x axis of its box is the normal of its face.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.builder import Builder
from lidar_scenery.shapes.fitting import fitted
from lidar_scenery.shapes.roadside.sign_faces import band, digits, plate, regular, ring, stripes
from lidar_scenery.shapes.roadside.sign_types import PLAIN, catalogue_sign_shape, sign_shape
from lidar_scenery.shapes.solids import Array, SolidModel, box, extruded, tube

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lidar_scenery.shapes.builder import Size
    from osi_bridge.description.details import ObjectDetails

__all__ = ["SIGNS", "catalogue_sign_shape", "sign_shape"]

_ON_POST = 1.6  # a box this much higher than the plate has a post below it
_THICK_M, _LIFT_M, _POST_RADIUS_M = 0.012, 0.002, 0.03

_SQUARE = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
_POINTED = np.array([(-0.5, -0.5), (0.4, -0.5), (0.5, 0.0), (0.4, 0.5), (-0.5, 0.5)])
_DISC, _OCTAGON, _DIAMOND = regular(20, 0.0), regular(8, np.pi / 8), regular(4, 0.0)
_UP, _DOWN = regular(3, np.pi / 2), regular(3, -np.pi / 2)
_SLASH = (band((-0.33, -0.33), (0.33, 0.33), 0.1),)
_BACKSLASH = (band((-0.33, 0.33), (0.33, -0.33), 0.1),)
_ZONE_DISC = 0.33


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Face:
    """Look of the face of one type of traffic sign: its outline, colours and symbol.

    Attributes
    ----------
    outline : float64 (n, 2)
        Corners of the plate: right and up, as seen by a driver. The outline is stretched to the
        size of the sign.
    border, field : str
        Visual materials of the border, and of the field inside it.
    inner : float
        Size of the field over the size of the plate. [1]
    mark : tuple of float64 (n, 2)
        Polygons of the symbol, right and up, in the square from -0.5 to 0.5 about the middle of the
        plate; the square is stretched like the plate.
    marked : str
        Visual material of the symbol.
    height : float
        Height over width of a plate that is on a post. [1]
    """

    outline: Array
    border: str
    field: str
    inner: float = 0.94
    mark: tuple[Array, ...] = ()
    marked: str = "Sign_Black"
    height: float = 1.0


_WHITE, _RED, _BLUE, _YELLOW, _GREEN, _BROWN, _ORANGE = (
    f"Sign_Retroreflective_{color}"
    for color in ("White", "Red", "Blue", "Yellow", "Green", "Brown", "Orange")
)
_BLACK = "Sign_Black"
_FACES: Mapping[str, Face] = {
    PLAIN: Face(outline=_SQUARE, border=_WHITE, field=_WHITE),
    "sign_warning": Face(outline=_UP, border=_RED, field=_WHITE, inner=0.72, height=0.87),
    "sign_give_way": Face(outline=_DOWN, border=_RED, field=_WHITE, inner=0.72, height=0.87),
    "sign_stop": Face(outline=_OCTAGON, border=_WHITE, field=_RED),
    "sign_priority_road": Face(outline=_DIAMOND, border=_WHITE, field=_YELLOW, inner=0.7),
    "sign_priority_road_end": Face(
        outline=_DIAMOND, border=_WHITE, field=_YELLOW, inner=0.7, mark=_SLASH
    ),
    "sign_prohibition": Face(outline=_DISC, border=_RED, field=_WHITE, inner=0.8),
    "sign_speed_limit": Face(outline=_DISC, border=_RED, field=_WHITE, inner=0.8),
    "sign_prohibition_end": Face(outline=_DISC, border=_WHITE, field=_WHITE, mark=_SLASH),
    "sign_no_entry": Face(
        outline=_DISC,
        border=_WHITE,
        field=_RED,
        mark=(band((-0.38, 0), (0.38, 0), 0.17),),
        marked=_WHITE,
    ),
    "sign_no_stopping": Face(
        outline=_DISC,
        border=_RED,
        field=_BLUE,
        inner=0.8,
        mark=(
            *_SLASH,
            band((-0.33, 0.33), (-0.05, 0.05), 0.1),
            band((0.05, -0.05), (0.33, -0.33), 0.1),
        ),
        marked=_RED,
    ),
    "sign_no_parking": Face(
        outline=_DISC, border=_RED, field=_BLUE, inner=0.8, mark=_BACKSLASH, marked=_RED
    ),
    "sign_mandatory": Face(outline=_DISC, border=_WHITE, field=_BLUE),
    "sign_mandatory_end": Face(outline=_DISC, border=_WHITE, field=_BLUE, mark=_SLASH, marked=_RED),
    "sign_bus_stop": Face(outline=_DISC, border=_GREEN, field=_YELLOW, inner=0.85),
    "sign_zone": Face(
        outline=_SQUARE,
        border=_WHITE,
        field=_WHITE,
        mark=tuple(ring(_ZONE_DISC, 0.8 * _ZONE_DISC)),
        marked=_RED,
    ),
    "sign_zone_blue": Face(
        outline=_SQUARE,
        border=_WHITE,
        field=_WHITE,
        mark=(_ZONE_DISC * _DISC,),
        marked=_BLUE,
    ),
    "sign_zone_end": Face(outline=_SQUARE, border=_WHITE, field=_WHITE, mark=_SLASH),
    "sign_information": Face(outline=_SQUARE, border=_WHITE, field=_BLUE),
    "sign_information_end": Face(
        outline=_SQUARE, border=_WHITE, field=_BLUE, mark=_SLASH, marked=_RED
    ),
    "sign_living_street": Face(outline=_SQUARE, border=_WHITE, field=_BLUE, height=0.65),
    "sign_living_street_end": Face(
        outline=_SQUARE, border=_WHITE, field=_BLUE, height=0.65, mark=_SLASH, marked=_RED
    ),
    "sign_one_way": Face(outline=_SQUARE, border=_WHITE, field=_BLUE, height=0.38),
    "sign_town": Face(outline=_SQUARE, border=_YELLOW, field=_YELLOW, height=0.65),
    "sign_town_end": Face(
        outline=_SQUARE, border=_YELLOW, field=_YELLOW, height=0.65, mark=_SLASH, marked=_RED
    ),
    **{
        f"sign_direction_{side}_{color.lower()}": Face(
            outline=outline,
            border=_WHITE,
            field=f"Sign_Retroreflective_{color}",
            height=0.3,
            inner=0.9,
        )
        for color in ("Yellow", "White", "Blue")
        for side, outline in (("right", _POINTED), ("left", (_POINTED * (-1, 1))[::-1]))
    },
    **{
        f"sign_board_{color.lower()}": Face(
            outline=_SQUARE, border=_WHITE, field=f"Sign_Retroreflective_{color}", height=0.7
        )
        for color in ("Yellow", "Blue", "Green", "Brown", "Orange")
    },
    "sign_beacon": Face(
        outline=_SQUARE,
        border=_WHITE,
        field=_WHITE,
        height=4.0,
        mark=tuple(stripe[:, ::-1][::-1] for stripe in stripes(7)),
        marked=_RED,
    ),
    "sign_beacon_blue": Face(
        outline=_SQUARE,
        border=_WHITE,
        field=_BLUE,
        height=2.5,
        mark=(band((-0.3, 0.0), (0.3, 0.2), 0.1),),
        marked=_WHITE,
    ),
    "sign_striped_board": Face(
        outline=_SQUARE,
        border=_WHITE,
        field=_WHITE,
        height=0.3,
        mark=tuple(stripes(7)),
        marked=_RED,
    ),
    "sign_green_arrow": Face(
        outline=_SQUARE,
        border=_BLACK,
        field=_BLACK,
        mark=(band((-0.35, 0), (0.1, 0), 0.2), np.array([(0.1, -0.25), (0.38, 0.0), (0.1, 0.25)])),
        marked=_GREEN,
    ),
}


def _build(face: Face, size: Size, details: ObjectDetails) -> SolidModel:
    """Build a sign with this face; on a post if its box is much higher than the plate."""
    model = SolidModel()
    length, width, height = size
    natural = face.height * width
    on_post = height > _ON_POST * natural
    high = natural if on_post else height
    thick = min(_THICK_M, 0.3 * length)
    mark = _number(details) if face is _FACES["sign_speed_limit"] else face.mark
    front = length / 2 - (min(_LIFT_M, 0.1 * length) if mark else 0.0)

    def at(points: Array, x: float) -> Array:
        return np.insert(points * (width, high) + (0, height - high / 2), 0, x, axis=1)

    low, span = face.outline.min(axis=0), np.ptp(face.outline, axis=0)
    outline, centre = (face.outline - low) / span - 0.5, -low / span - 0.5
    field = centre + face.inner * (outline - centre)
    model.group = "plate"
    plate(model, at(outline, front), at(field, front), (face.border, face.field), thick)
    if mark:
        model.add(face.marked, [at(part, length / 2) for part in mark])
    model.group = "post"
    _hold(model, size, (height - high / 2, high, front - thick), on_post=on_post)
    return fitted(model, size)


def _number(details: ObjectDetails) -> tuple[Array, ...]:
    """Return the strokes of the number that a sign states; none if it states no number."""
    value = details.sign_value
    if value is None or not 0 < value < 1000:
        return ()
    text = str(round(value))
    return tuple(digits(text, 0.42 if len(text) < 3 else 0.3))


def _hold(
    model: SolidModel, size: Size, held: tuple[float, float, float], *, on_post: bool
) -> None:
    """Add rails behind a plate, up to a post (also added) if `on_post`, else to the box's rear.

    `held` is the height of the plate's middle, the height of the plate, and the x of its back.
    """
    length, width, _ = size
    middle, high, back = held
    rear = -length / 2
    if on_post:
        deep, half = min(2 * _POST_RADIUS_M, back - rear), min(_POST_RADIUS_M, 0.1 * width)
        post = tube([(0, 0, 0), (0, 0, middle + 0.25 * high)], 1.0)
        rear += deep / 2
        model.add("Sign_Post_Steel", [p * (deep / 2, half, 1) + (rear, 0, 0) for p in post])
    for z in (middle - 0.2 * high, middle + 0.2 * high):
        low, top = (rear, -0.14 * width, z - 0.02 * high), (back, 0.14 * width, z + 0.02 * high)
        model.add("Sign_Back_Aluminium", box(low, top))


def _crossbuck(size: Size, _: ObjectDetails) -> SolidModel:
    """Build the cross of a level crossing: two bars, one before the other."""
    model = SolidModel()
    length, width, height = size
    high = width if height > _ON_POST * width else height
    thick = min(_THICK_M, 0.3 * length)
    for i, side in enumerate((1, -1)):
        front = length / 2 - i * thick
        bar = band((-0.42 * side, -0.42), (0.42 * side, 0.42), 0.18)
        bar = np.insert(bar * (width, high) + (0, height - high / 2), 0, front, axis=1)
        face, *rest = extruded(bar, (-thick, 0, 0))
        model.add(_WHITE, [face])
        model.add("Sign_Back_Aluminium", rest)
    held = (height - high / 2, 0.3 * high, length / 2 - 2 * thick)
    _hold(model, size, held, on_post=high < height)
    return fitted(model, size)


def _builder(name: str, face: Face) -> Builder:
    width, height = (0.6, 2.5) if face.height == 1.0 else (1.0, 2.8)
    if face.height > 1.0:
        width, height = 0.25, 0.25 * face.height
    words = name.removeprefix("sign_").replace("_", " ")
    return Builder(
        build=partial(_build, face), usual_m=(0.08, width, height), words=f"traffic sign: {words}"
    )


SIGNS: Mapping[str, Builder] = MappingProxyType(
    {
        **{name: _builder(name, face) for name, face in _FACES.items()},
        "sign_crossbuck": Builder(
            build=_crossbuck, usual_m=(0.08, 0.9, 2.8), words="traffic sign: level crossing"
        ),
    }
)
"""Shapes of traffic signs, by name."""
