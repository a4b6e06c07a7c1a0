# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects as boxes in the colour of their class, and the edges of these boxes as points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.classes import LOOKS_LIKE, NAMES
from osi_bridge import DrawnBoxes, rotation_from_orientation
from osi_lidar.viewers.colours import RGBA, rgb
from raycore.scene.motion import quaternions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_bridge import ObjectStates
    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.point_classes import PointClasses

_OTHER = "plastic_grey"
_OPACITY = 80
_ALONG = np.linspace(-0.5, 0.5, 32)  # points of an edge
_FIRST = np.stack(np.meshgrid(_ALONG, (-0.5, 0.5), (-0.5, 0.5)), axis=-1).reshape(-1, 3)
_EDGES = np.concatenate([np.roll(_FIRST, axis, axis=1) for axis in range(3)])
_EDGE_POINT = np.dtype([*((axis, "<f4") for axis in "xyz"), *((name, "u1") for name in RGBA)])


def object_boxes(objects: ObjectStates, classes: PointClasses) -> DrawnBoxes:
    """Return the boxes of all objects that have a size, with poses in the world.

    ``classes`` gives the class of each object, which decides the name and colour of its box.
    """
    rows = _with_size(objects)
    ids = objects.object_id[rows].tolist()
    numbers = classes.of_objects(ids).tolist()
    turns = quaternions(rotation_from_orientation(objects.orientation_rad[rows]))
    colours = [(*rgb(LOOKS_LIKE.get(each, _OTHER)), _OPACITY) for each in numbers]
    return DrawnBoxes(
        object_id=ids,
        kind=[NAMES[each] for each in numbers],
        poses=np.hstack([objects.position_m[rows], turns]),
        size_m=objects.dimension_m[rows],
        colours=np.array(colours, np.uint8).reshape(-1, 4),
    )


def object_edges(objects: ObjectStates, boxes: DrawnBoxes) -> Rows:
    """Return points along the edges of the objects' boxes, in the world.

    Parameters
    ----------
    objects : ObjectStates
        The objects of a message.
    boxes : DrawnBoxes
        Their boxes, from `object_boxes`.

    Returns
    -------
    structured (n_point,)
        x y z [m] as float32, red, green, blue, alpha as uint8.
    """
    rows = _with_size(objects)
    rotation = rotation_from_orientation(objects.orientation_rad[rows])
    local = boxes.size_m[:, None] * _EDGES
    places = objects.position_m[rows][:, None] + np.einsum("nij,nkj->nki", rotation, local)
    points = np.zeros(places.shape[:2], _EDGE_POINT)
    for axis, name in enumerate("xyz"):
        points[name] = places[..., axis]
    for channel, name in enumerate(RGBA[:3]):
        points[name] = boxes.colours[:, None, channel]
    points["alpha"] = 255
    return points.ravel()


def _with_size(objects: ObjectStates) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.all(objects.dimension_m > 0, axis=1)
    return found
