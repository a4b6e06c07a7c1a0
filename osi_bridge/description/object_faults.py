# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Stated details of an object that are ignored because they do not fit its other details."""

from __future__ import annotations

from typing import TYPE_CHECKING

from osi_bridge.description.axles import FRONT, axle_fault
from osi_bridge.description.bones import MOST_BONES
from osi_bridge.description.limits import MOST_WHEELS
from osi_bridge.description.read_details import MOST_CORNERS, message_of, stated_point
from osi_bridge.records import ObjectKind, SkippedObject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.message import Message

    from osi_bridge.records import Frame

__all__ = ["object_faults"]

USUAL, BOX = "usual proportions", "the box"
"""What is used instead of a stated axle, and instead of a base polygon."""


def object_faults(frame: Frame, row: int) -> tuple[SkippedObject, ...]:
    """Return the details of an object that a message states, but that are wrong and ignored.

    Each entry has the reason and the substitute. A wrong rear axle is not among the entries:
    `Frame.skipped` already has it, because the axle is checked when the message is decoded. Nor are
    numbers outside of their `RANGES`, which `UnusedFieldSearch` reports.

    Parameters
    ----------
    frame : Frame
        The frame.
    row : int
        Row of the object in `frame.objects`.
    """
    message, kind = message_of(frame, row), ObjectKind(frame.objects.kind[row])
    faults: list[tuple[str, str]] = []
    if message is not None and kind is ObjectKind.MOVING:
        faults += _of_vehicle(message)
        faults += _of_outline(message)
    elif message is not None and kind is ObjectKind.STATIONARY:
        faults += _of_outline(message)
    object_id = int(frame.objects.object_id[row])
    return tuple(
        SkippedObject(object_id=object_id, kind=kind, reason=reason, used=used)
        for reason, used in faults
    )


def _of_vehicle(message: Message) -> Iterator[tuple[str, str]]:
    axle_m, box = stated_point(message.vehicle_attributes, "bbcenter_to_front"), message.base
    size = box.dimension
    fault = axle_m and axle_fault(axle_m, (size.length, size.width, size.height), FRONT)
    if fault:
        yield fault, USUAL
    n_wheels = len(message.vehicle_attributes.wheel_data)
    if n_wheels > MOST_WHEELS:
        yield f"{n_wheels} wheels, expected at most {MOST_WHEELS}", "the first of them"
    n_bones = len(message.pedestrian_attributes.skeleton_bone)
    if n_bones > MOST_BONES:
        yield f"{n_bones} bones, expected at most {MOST_BONES}", "the first of them"


def _of_outline(message: Message) -> Iterator[tuple[str, str]]:
    n_corners = len(message.base.base_polygon)
    if n_corners and not 3 <= n_corners <= MOST_CORNERS:
        yield f"base_polygon has {n_corners} corners, expected 3 to {MOST_CORNERS}", BOX
