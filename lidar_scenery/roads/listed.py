# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of a map that a message lists itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_scenery import shapes
from osi_bridge import ObjectKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lidar_scenery.roads.parts import Standing
    from osi_bridge import ObjectStates


def not_listed(standing: Iterable[Standing], objects: ObjectStates) -> Iterator[Standing]:
    """Yield shapes of a map but those of lists that a message has: these take precedence."""
    listed = set(objects.kind.tolist())
    for each in standing:
        if _list_of(each.shape) not in listed:
            yield each


def _list_of(shape: str) -> ObjectKind:
    """Return the list in which a message would have what a map stands there."""
    if shape in shapes.SIGNS:
        return ObjectKind.TRAFFIC_SIGN
    return ObjectKind.TRAFFIC_LIGHT if shape in shapes.LIGHTS else ObjectKind.STATIONARY
