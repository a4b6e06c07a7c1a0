# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The messages of objects and scans, in colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from osi_bridge import (
    EDGES,
    GLOBAL_FRAME,
    OBJECTS,
    RangeImages,
    grey_image,
    image_topic,
    point_cloud,
    points_topic,
    scene_update,
)
from osi_lidar.output.point_classes import PointClasses
from osi_lidar.viewers.colours import PointColours
from osi_lidar.viewers.objects import object_boxes, object_edges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from osi_bridge import Frame, ViewerMessage
    from osi_lidar.output.accumulation import Rows


class SceneMessages:
    """Makes viewer messages of objects and scans.

    Points on objects get the classes of the objects of all messages that `of_objects` was called
    with so far.

    Parameters
    ----------
    materials : sequence of str
        Names of the materials, indexed by ``material_id`` of the points.
    """

    def __init__(self, materials: Sequence[str]) -> None:
        self._classes, self._colours = PointClasses(materials), PointColours(materials)
        self._images: dict[str, RangeImages] = {}

    def of_objects(
        self, frame: Frame, is_wanted: Callable[[str], bool] = lambda _: True
    ) -> Iterator[tuple[str, ViewerMessage]]:
        """Yield (topic, message) for the objects of an OSI message: as boxes, and as edges.

        Points of later scans have the classes of these objects.

        Parameters
        ----------
        frame : Frame
            The message.
        is_wanted : callable
            Returns whether the message of a topic is wanted; default: all are.
        """
        self._classes.learn(frame.objects)
        boxes = object_boxes(frame.objects, self._classes)
        if is_wanted(OBJECTS):
            yield OBJECTS, scene_update(boxes, frame=GLOBAL_FRAME, time_ns=frame.time_ns)
        if is_wanted(EDGES):
            edges = object_edges(frame.objects, boxes)
            yield EDGES, point_cloud(edges, frame=GLOBAL_FRAME, time_ns=frame.time_ns)

    def of_scan(
        self,
        sensor: str,
        points: Rows,
        end_ns: int,
        is_wanted: Callable[[str], bool] = lambda _: True,
    ) -> Iterator[tuple[str, ViewerMessage]]:
        """Yield (topic, message) for a scan: its cloud, and its range image if it has one.

        Parameters
        ----------
        sensor : str
            Name of the sensor, and of its frame.
        points : structured (n_point,)
            The cloud, in the sensor's frame.
        end_ns : int
            End of the scan, the time of the sensor's pose. [ns]
        is_wanted : callable
            Returns whether the message of a topic is wanted; default: all are.
        """
        cloud, image = points_topic(sensor), image_topic(sensor)
        if is_wanted(cloud):
            drawn = self._colours.drawn(points, self._classes.of(points))
            yield cloud, point_cloud(drawn, frame=sensor, time_ns=end_ns)
        if is_wanted(image):
            pixels = self._images.setdefault(sensor, RangeImages()).image(points)
            if pixels is not None:
                yield image, grey_image(pixels, frame=sensor, time_ns=end_ns)
