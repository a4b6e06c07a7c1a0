# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The messages and topics of a scan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from osi_bridge import grey_image, point_cloud
from osi_lidar.viewers.range_image import RangeImages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from osi_bridge import ViewerMessage

TRANSFORMS = "/tf"
"""Topic of all transforms."""


def points_topic(sensor: str) -> str:
    """Return the topic of a sensor's clouds."""
    return f"/{sensor}/points"


def image_topic(sensor: str) -> str:
    """Return the topic of a sensor's range images."""
    return f"/{sensor}/range_image"


def osi_topic(message_type: str, way: str) -> str:
    """Return the topic of OSI messages, as OSI recommends it; the way is In or Out."""
    return f"osi-lidar.OSMP{message_type}{way}"


class ScanMessages:
    """Makes the messages of scans, one after another."""

    def __init__(self) -> None:
        self._images: dict[str, RangeImages] = {}

    def of(
        self,
        sensor: str,
        points: NDArray[Any],
        end_ns: int,
        is_wanted: Callable[[str], bool] = lambda _: True,
    ) -> Iterator[tuple[str, ViewerMessage]]:
        """Yield the messages of a scan with their topics: the cloud, and its range image if any.

        Parameters
        ----------
        sensor : str
            Name of the sensor, which is that of its frame.
        points : structured (n_point,)
            The cloud, in the sensor's frame.
        end_ns : int
            End of the scan, when the sensor's pose holds. [ns]
        is_wanted : callable
            Returns whether the message of a topic is wanted; default: all are.
        """
        cloud, image = points_topic(sensor), image_topic(sensor)
        if is_wanted(cloud):
            yield cloud, point_cloud(points, frame=sensor, time_ns=end_ns)
        if is_wanted(image):
            pixels = self._images.setdefault(sensor, RangeImages()).image(points)
            if pixels is not None:
                yield image, grey_image(pixels, frame=sensor, time_ns=end_ns)
