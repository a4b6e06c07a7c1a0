# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The answer to a message: one step of the model, with the scans that it completes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from osi_bridge import ObjectStates
    from osi_lidar.scan.cloud import Cloud


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """One scan of one sensor.

    Attributes
    ----------
    sensor : str
        Name of the sensor.
    number : int
        Number of the scan: that of the message, or a count from 0 at the sensor's own rate.
    begin_ns, end_ns : int
        The time of the sweep; equal where no earlier message is known. [ns]
    traced : bool
        False if nothing had changed: the cloud is that of an earlier scan.
    cloud_number : int
        Number of the scan that the cloud was traced for: its own, or an earlier one.
    cloud : Cloud
        The points, each in the sensor frame at the moment it was measured.
    deskewed : structured (n_point,) or None
        The points as seen from the sensor's pose at the end of the scan, if configured.
    depth_m : float32 (n_beam,) or None
        What a depth camera measures: the distance of each beam's hit along the optical axis,
        infinite where there is none; None of other sensors. [m]
    world_from_sensor : float64 (4, 4)
        Pose of the sensor at the end of the scan, in the world of the OSI messages. [m]
    world_from_sensor_at_begin : float64 (4, 4)
        Pose at its beginning; that at the end if the rays were traced from one pose. [m]
    """

    sensor: str
    number: int
    begin_ns: int
    end_ns: int
    traced: bool
    cloud_number: int
    cloud: Cloud
    world_from_sensor: NDArray[np.float64]
    world_from_sensor_at_begin: NDArray[np.float64]
    deskewed: NDArray[Any] | None = None
    depth_m: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The answer to one OSI message.

    Attributes
    ----------
    index : int
        Number of the message.
    time_ns : int
        Its timestamp. [ns]
    scans : tuple of Scan
        One for each sensor, in the order of the configuration; for sensors with their own rate,
        the scans that the message completes.
    sensor_data : bytes
        OSI SensorData message.
    objects : ObjectStates
        The objects of the message.
    materials : tuple of str
        Names of all infrared materials; ``material_id`` of the points counts in this list.
    """

    index: int
    time_ns: int
    scans: tuple[Scan, ...]
    sensor_data: bytes
    objects: ObjectStates
    materials: tuple[str, ...]

    @property
    def traced(self) -> bool:
        """Whether any sensor traced rays."""
        return any(scan.traced for scan in self.scans)
