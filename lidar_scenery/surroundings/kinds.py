# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of things that stand beside a road, and the sizes in which they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from osi_bridge import ObjectDetails

if TYPE_CHECKING:
    from lidar_scenery.shapes.builder import Size


class Thing(NamedTuple):
    """A kind of thing that is placed beside roads, such as lamp posts, with its shape and sizes.

    ``details`` are the `ObjectDetails` from which the shape is made, such as a material.
    """

    words: str
    """Plural noun that names the kind."""
    shape: str
    """Name of the shape in `lidar_scenery.shapes.catalogue`."""
    sizes_m: tuple[Size, ...]
    """Sizes (length, width, height) to choose from; few, as things of one size share a mesh. [m]"""
    from_lanes_m: float
    """Least distance from any lane. [m]"""
    details: ObjectDetails = ObjectDetails()


LAMP = Thing("lamp posts", "lamp", ((0.45, 0.45, 4.8),), 0.4)
HOUSE = Thing(
    "houses",
    "building",
    ((11.0, 9.0, 8.2), (12.5, 9.5, 9.0), (9.5, 8.5, 7.4), (14.0, 10.0, 9.6), (16.0, 9.0, 7.0)),
    4.0,
)
HEDGE = Thing("hedge pieces", "bush", ((4.0, 0.8, 1.3), (4.0, 0.7, 1.0), (4.0, 0.9, 1.7)), 1.5)
FENCE = Thing(
    "fence pieces", "wall", ((4.0, 0.1, 1.1), (4.0, 0.1, 0.9)), 1.5, ObjectDetails(material="WOOD")
)
STREET_TREE = Thing(
    "trees", "tree", ((3.6, 3.6, 6.2), (4.0, 4.0, 7.2), (4.2, 4.2, 8.0), (3.2, 3.2, 5.4)), 0.5
)
TREE = Thing("trees", "tree", ((6.0, 6.0, 8.0), (7.5, 7.5, 10.0), (9.0, 9.0, 12.5)), 3.0)
BUSH = Thing("shrubs", "bush", ((1.6, 1.5, 1.2), (2.2, 2.0, 1.6), (1.2, 1.2, 0.9)), 2.0)
DELINEATOR = Thing("delineators", "delineator", ((0.1, 0.12, 1.0),), 0.4)

KINDS = (LAMP, DELINEATOR, HOUSE, HEDGE, FENCE, STREET_TREE, TREE, BUSH)
"""All kinds; if two things overlap, the thing whose kind comes first in this list stays."""
