# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Host vehicle: the object that carries the sensor, and the position of its rear axle."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from osi_bridge.description.limits import MAX_DIMENSION_M, MOST_WHEELS
from osi_bridge.errors import UnknownHost
from osi_bridge.records import HostVehicle

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from google.protobuf.message import Message
    from numpy.typing import NDArray

    from osi_bridge.objects import ObjectList

__all__ = ["HostFinder", "declared_hosts", "stated_part"]

_log = logging.getLogger(__name__)
_MOST_NAMED = 10
_SAME_AXLE_M = 0.1  # wheels of one axle differ in x by toe, camber and rounding only
_AXLE_FROM_CENTER = 0.3  # share of the length: wheel bases of cars are about 0.6 lengths
_AXLE_ABOVE_GROUND_M = 0.3  # typical radius of a car's wheel


_GIVEN: set[str] = set()
"""Warnings that were already given; each begins with the name of its trace."""


def stated_part(message: Message | None, field: str) -> Message | None:
    """Return a field of a protobuf message if the field is set, and otherwise None.

    ``message`` is the message, or None, for which the result is None. ``field`` is the name of the
    field, whose type must be a message.
    """
    return getattr(message, field) if message is not None and message.HasField(field) else None


def declared_hosts(view: Message | None, truth: Message) -> tuple[int, ...]:
    """Return the stated host_vehicle_id of a SensorView and of its GroundTruth, in this order.

    Parameters
    ----------
    view : SensorView or None
        The message; None for a GroundTruth that came without SensorView.
    truth : GroundTruth
        The ground truth of the SensorView, or the GroundTruth message itself.

    Returns
    -------
    tuple of int
        No, one or two OSI ids: an id that is not stated is left out. 0 is a valid id.
    """
    # Presence counts, not the value: 0 is a valid id.
    stated = (stated_part(message, "host_vehicle_id") for message in (view, truth))
    return tuple(each.value for each in stated if each is not None)


class HostFinder:
    """Finder of the host vehicle in successive messages.

    Messages declare the host by the field host_vehicle_id. The host is `host_id`, if given. Or else
    it is the first declared id that is a moving object of the message. If no moving object has a
    declared id, the first moving object is the host, with a warning, until an object with a
    declared id appears. A chosen host is kept unless a message declares other ids.

    Parameters
    ----------
    host_id : int, optional
        OSI id that overrides the ids in the messages.

    Attributes
    ----------
    trace : Path or None
        The trace of the messages: each warning names it, and is given once per trace.
    """

    def __init__(self, host_id: int | None = None) -> None:
        self.trace: Path | None = None
        self._override = host_id
        self._declared: tuple[int, ...] = ()
        self._chosen: int | None = None
        self._stands_in = False
        self._rear_axle: dict[int, tuple[NDArray[np.float64], str]] = {}
        self._missed = False
        self._warned: set[int] = set()

    def find(self, declared: Sequence[int], moving: ObjectList) -> HostVehicle | None:
        """Return the host vehicle of the next message.

        None if no message had moving objects since the declared ids changed last, or if the chosen
        host is not in this message.

        Parameters
        ----------
        declared : sequence of int
            The result of `declared_hosts` for this message.
        moving : ObjectList
            The moving objects of this message.

        Raises
        ------
        UnknownHost
            The given `host_id` is not a moving object of the message in which the host is chosen:
            the first one with moving objects, or one that declares other ids.
        """
        ids = moving.states.object_id.tolist()
        if declared and tuple(declared) != self._declared:
            self._declared, self._chosen = tuple(declared), None
        if self._chosen is None and ids:
            self._chosen = self._choose(ids)
        elif self._stands_in and (named := self._named(ids)) is not None:
            self._warn(f"host vehicle {named} appeared: using it instead of {self._chosen}")
            self._chosen, self._stands_in = named, False
        if self._chosen is None:
            return None
        if self._chosen not in ids:
            if not self._missed:
                self._warn(f"host vehicle {self._chosen} is missing in some frames")
                self._missed = True
            return None
        row = ids.index(self._chosen)
        offset, source = self._rear_axle_of(moving, row)
        offset.flags.writeable = False
        return HostVehicle(
            object_id=self._chosen, index=row, rear_axle_from_center_m=offset, source=source
        )

    def _choose(self, ids: list[int]) -> int:
        if self._override is not None:
            if self._override not in ids:
                more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
                known = ", ".join(map(str, ids[:_MOST_NAMED])) + more
                raise UnknownHost(
                    f"host vehicle {self._override} is not a moving object of the trace, "
                    f"expected one of: {known}"
                )
            return self._override
        named = self._named(ids)
        self._stands_in = named is None
        if named is not None:
            return named
        problem = "the trace declares no host vehicle"
        if self._declared:
            problem = f"host vehicle {self._declared[0]} is not a moving object of the trace"
        self._warn(f"{problem}: using the first moving object, id {ids[0]}")
        return ids[0]

    def _named(self, ids: list[int]) -> int | None:
        return next((candidate for candidate in self._declared if candidate in ids), None)

    def _warn(self, words: str) -> None:
        """Log a warning once per trace, even if the trace is read several times."""
        if self.trace is None:
            _log.warning("%s", words)
        elif (line := f"{self.trace}: {words}") not in _GIVEN:
            _GIVEN.add(line)
            _log.warning("%s", line)

    def _warn_of_axle(self, moving: ObjectList, object_id: int) -> None:
        """Warn once that the host's stated rear axle is impossible."""
        for each in moving.skipped:
            if each.object_id == object_id and each.used and object_id not in self._warned:
                self._warned.add(object_id)
                self._warn(f"host vehicle {object_id}: {each.reason}; used: {each.used}")

    def _rear_axle_of(self, moving: ObjectList, row: int) -> tuple[NDArray[np.float64], str]:
        """Return the rear axle relative to the box centre, and its source; keep a stated axle."""
        object_id = int(moving.states.object_id[row])
        given = moving.states.rear_axle_from_center_m[row]
        if np.isfinite(given).all():
            self._rear_axle[object_id] = given.copy(), "bbcenter_to_rear"
        else:
            self._warn_of_axle(moving, object_id)
        kept = self._rear_axle.get(object_id)
        if kept is not None:
            return kept
        wheels = np.array(
            [
                (wheel.position.x, wheel.position.y, wheel.position.z)
                for wheel in moving.messages[row].vehicle_attributes.wheel_data[:MOST_WHEELS]
            ]
        ).reshape(-1, 3)
        wheels = wheels[(np.abs(wheels) <= MAX_DIMENSION_M).all(axis=1)]
        # Some tools put all wheels at x = 0 as a placeholder: those are ignored.
        if len(wheels) and wheels[:, 0].min() < 0.0:
            last = wheels[:, 0] <= wheels[:, 0].min() + _SAME_AXLE_M
            return wheels[last].mean(axis=0), "wheel_data"
        length, _, height = moving.states.dimension_m[row]
        fallback = [-_AXLE_FROM_CENTER * length, 0.0, _AXLE_ABOVE_GROUND_M - 0.5 * height]
        return np.array(fallback), "dimension"
