# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Choice between shapes of a map and objects that a message lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_scenery import shapes
from osi_bridge import ObjectKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lidar_scenery.roads.parts import Standing
    from osi_bridge import ObjectStates


def not_listed(standing: Iterable[Standing], objects: ObjectStates) -> Iterator[Standing]:
    """Yield the built-in shapes of a map, except the kinds that a message lists as objects itself.

    There are three kinds: traffic signs, traffic lights and stationary objects. If `objects`, the
    objects of the message, has one of a kind, all shapes of that kind in `standing` are skipped.
    """
    listed = set(objects.kind.tolist())
    for each in standing:
        if _list_of(each.shape) not in listed:
            yield each


def _list_of(shape: str) -> ObjectKind:
    """Return the kind of object, and so the list of a message, that a map's shape belongs to."""
    if shape in shapes.SIGNS:
        return ObjectKind.TRAFFIC_SIGN
    return ObjectKind.TRAFFIC_LIGHT if shape in shapes.LIGHTS else ObjectKind.STATIONARY
