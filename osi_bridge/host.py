# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which object carries the sensor, and where its rear axle is."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from osi_bridge.errors import OsiInputError
from osi_bridge.records import HostVehicle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from osi_bridge.objects import ObjectList

__all__ = ["HostFinder"]

_log = logging.getLogger(__name__)
_SAME_AXLE_M = 0.1  # wheels of one axle differ in x by toe, camber and rounding only
_AXLE_FROM_CENTER = 0.3  # of the length: cars have wheel bases of about 0.6 lengths
_AXLE_ABOVE_GROUND_M = 0.3  # typical radius of a car's wheel


class HostFinder:
    """Find the host vehicle in one message after another.

    The host is `host_id` if given; else the first of the ids that the message declares which is
    one of its moving objects; else the first moving object, which one warning names. Once chosen
    it stays, unless a message declares other ids.

    Parameters
    ----------
    host_id : int, optional
        OSI id that overrides what the messages declare.
    """

    def __init__(self, host_id: int | None = None) -> None:
        self._override = host_id
        self._declared: tuple[int, ...] = ()
        self._chosen: int | None = None
        self._rear_axle: dict[int, tuple[NDArray[np.float64], str]] = {}
        self._missed = False

    def find(self, declared: Sequence[int], moving: ObjectList) -> HostVehicle | None:
        """Return the host vehicle of this message, None if it has none.

        Parameters
        ----------
        declared : sequence of int
            host_vehicle_id of SensorView and of GroundTruth, as far as they are present.
        moving : ObjectList
            The moving objects of this message.

        Raises
        ------
        OsiInputError
            The `host_id` given is not among the first moving objects there are.
        """
        ids = moving.states.object_id.tolist()
        if declared and tuple(declared) != self._declared:
            self._declared, self._chosen = tuple(declared), None
        if self._chosen is None and ids:
            self._chosen = self._choose(ids)
        if self._chosen is None:
            return None
        if self._chosen not in ids:
            if not self._missed:
                _log.warning("host vehicle %d is missing in some frames", self._chosen)
                self._missed = True
            return None
        row = ids.index(self._chosen)
        offset, source = self._rear_axle_of(moving.messages[row], moving.states.dimension_m[row])
        offset.flags.writeable = False
        return HostVehicle(
            object_id=self._chosen, index=row, rear_axle_from_center_m=offset, source=source
        )

    def _choose(self, ids: list[int]) -> int:
        if self._override is not None:
            if self._override not in ids:
                known = ", ".join(map(str, ids))
                raise OsiInputError(
                    f"host vehicle {self._override} is not a moving object of the trace, "
                    f"expected one of: {known}"
                )
            return self._override
        for candidate in self._declared:
            if candidate in ids:
                return candidate
        named = "the trace names no host vehicle"
        if self._declared:
            named = f"host vehicle {self._declared[0]} is not a moving object of the trace"
        _log.warning("%s: taking the first moving object, id %d", named, ids[0])
        return ids[0]

    def _rear_axle_of(
        self,
        message: Any,  # noqa: ANN401
        dimension_m: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], str]:
        """Return the rear axle from the box centre, and where it comes from; keep the best one."""
        attributes = message.vehicle_attributes
        rear = attributes.bbcenter_to_rear
        given = np.array([rear.x, rear.y, rear.z])
        if attributes.HasField("bbcenter_to_rear") and np.isfinite(given).all():
            self._rear_axle[message.id.value] = given, "bbcenter_to_rear"
        kept = self._rear_axle.get(message.id.value)
        if kept is not None:
            return kept
        wheels = np.array(
            [(w.position.x, w.position.y, w.position.z) for w in attributes.wheel_data]
        )
        wheels = wheels[np.isfinite(wheels).all(axis=1)] if len(wheels) else wheels
        # Some tools fill in wheels at x = 0 for want of better: those say nothing.
        if len(wheels) and wheels[:, 0].min() < 0.0:
            last = wheels[:, 0] <= wheels[:, 0].min() + _SAME_AXLE_M
            return wheels[last].mean(axis=0), "wheel_data"
        length, _, height = dimension_m
        fallback = [-_AXLE_FROM_CENTER * length, 0.0, _AXLE_ABOVE_GROUND_M - 0.5 * height]
        return np.array(fallback), "dimension"
