# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Complete messages for viewers that connect late, because a viewer draws only the last message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from osi_bridge.message_types import MESSAGE_CLASSES
from osi_bridge.order import Place

if TYPE_CHECKING:
    from osi_bridge.records import MessageType

_LISTS = (
    "stationary_object",
    "traffic_sign",
    "traffic_light",
    "road_marking",
    "lane_boundary",
    "lane",
    "reference_line",
    "logical_lane_boundary",
    "logical_lane",
)


class StaticContent:
    """Adds to each message the static lists that only the first message of its run contains.

    Static lists are, for instance, stationary objects, road markings and lanes. A list of the first
    message applies until a later message contains the same list, also in a new run whose first
    message lacks it.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    def completed(self, message_type: MessageType, data: bytes, place: Place) -> bytes:
        """Return a message with all static lists that apply now; call it for each message in order.

        Parameters
        ----------
        message_type : str
            "SensorView" or "GroundTruth".
        data : bytes
            The message, serialised, which must be decodable.
        place : Place
            Whether the message is the first one, begins a new run, or continues the run.

        Returns
        -------
        bytes
            The message, serialised, with the lists added; ``data`` itself if nothing is missing.
        """
        message = MESSAGE_CLASSES[message_type].FromString(data)
        truth = message.global_ground_truth if message_type == "SensorView" else message
        own = {name: items for name in _LISTS if (items := getattr(truth, name))}
        earlier = {} if place is Place.FIRST else self._kept
        added = {name: items for name, items in earlier.items() if name not in own}
        self._kept = {**added, **own} if place in {Place.FIRST, Place.RESTART} else added
        if not added:
            return data
        for name, items in added.items():
            getattr(truth, name).MergeFrom(items)
        completed: bytes = message.SerializeToString()
        return completed
