# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The answer to a message: one step of the model, with the scans that it completes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from lidar_base.near_match import near_match
from lidar_base.tables import table
from osi_lidar.clouds.cloud import no_points

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lidar_scenery.weather.state import Weather
    from osi_bridge import ObjectStates
    from osi_bridge.detections import EncodedDetections
    from osi_lidar.clouds.cloud import Cloud
    from osi_lidar.scan.lidar import Lidar
    from osi_lidar.scan.media.window import SensorWindow
    from osi_lidar.scan.records import Scanned
    from osi_lidar.world.shutter import Shutter
    from osi_lidar.world.sky import Sky
    from raycore.pattern.scan_pattern import ScanPattern


_SCAN_HEADER = ("sensor", "scan", "end [s]", "points", "traced")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """One scan of one sensor.

    Attributes
    ----------
    sensor : str
        Name of the sensor.
    number : int
        Number of the scan: the number of the message, or, for a sensor that scans at its own rate,
        a count from 0.
    begin_ns, end_ns : int
        Begin and end of the sweep; equal if no earlier message is known. [ns]
    traced : bool
        False if nothing had changed: the cloud comes from an earlier scan.
    cloud_number : int
        Number of the scan that the cloud was traced for: its own, or an earlier one.
    cloud : Cloud
        The points, each in the sensor frame at the moment it was measured.
    deskewed : structured (n_point,) or None
        The points as seen from the sensor's pose at the end of the scan, if configured.
    depth_m : float32 (n_beam,) or None
        The measurement of a depth camera: the distance of each beam's hit along the optical axis,
        infinite if the beam hits nothing; None if the sensor is no camera. [m]
    world_from_sensor : float64 (4, 4)
        Pose of the sensor at the end of the scan, in the world of the OSI messages. [m]
    world_from_sensor_at_begin : float64 (4, 4)
        Pose at the begin of the scan; the end pose if all rays were traced from one pose. [m]

    Examples
    --------
    >>> model = osi_lidar.LidarModel(osi_lidar.default_config("VLP-16"))
    >>> scan = model.step(next(iter(osi_lidar.FrameSource("drive.osi")))).scans["VLP-16"]
    >>> scan.sensor, scan.traced, scan.end_ns
    ('VLP-16', True, 100000000)
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

    def __repr__(self) -> str:
        repeated = "" if self.traced else f", repeated from scan {self.cloud_number}"
        points = f"{len(self.cloud)} points{repeated}"
        return f"Scan({self.sensor} {self.number} at {self.end_ns / 1e9:.3f} s: {points})"

    def _repr_html_(self) -> str:
        return self.cloud._repr_html_()


class Scans(tuple[Scan, ...]):
    """The scans of a step: a tuple that can also be indexed by the name of a sensor.

    ``scans[0]`` is the first scan, ``scans["roof"]`` the last scan of the sensor "roof".
    """

    __slots__ = ()

    @overload
    def __getitem__(self, key: SupportsIndex | str) -> Scan: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[Scan, ...]: ...

    def __getitem__(self, key: SupportsIndex | slice | str) -> Scan | tuple[Scan, ...]:
        """Return a scan by its index or by its sensor.

        Raises
        ------
        IndexError
            If there is no scan with this index.
        KeyError
            If the step has no scan of this sensor; the text lists near names.
        """
        if not isinstance(key, str):
            return super().__getitem__(key)
        for scan in reversed(self):
            if scan.sensor == key:
                return scan
        names = dict.fromkeys(scan.sensor for scan in self)
        expected = f"expected one of {', '.join(names)}" if names else "the step has no scan"
        raise KeyError(f"got sensor {key!r}, {expected}{near_match(key, names)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The answer to one OSI message.

    Attributes
    ----------
    index : int
        Number of the message.
    time_ns : int
        Timestamp of the message. [ns]
    scans : Scans
        One for each sensor, in the order of the configuration; for sensors with their own rate,
        the scans that the message completes. Index or name: ``scans[0]``, ``scans["roof"]``.
    sensor_data : bytes
        OSI SensorData message.
    objects : ObjectStates
        The objects of the message.
    materials : tuple of str
        Names of all infrared materials; a point's ``material_id`` is an index into them.

    Examples
    --------
    >>> model = osi_lidar.LidarModel(osi_lidar.default_config("VLP-16"))
    >>> step = model.step(next(iter(osi_lidar.FrameSource("drive.osi"))))
    >>> step.index, len(step.scans), len(step.sensor_data) > 0
    (0, 1, True)
    """

    index: int
    time_ns: int
    scans: Scans
    sensor_data: bytes
    objects: ObjectStates
    materials: tuple[str, ...]

    @property
    def traced(self) -> bool:
        """Whether any sensor traced rays in this step, and did not only repeat an earlier scan."""
        return any(scan.traced for scan in self.scans)

    def __repr__(self) -> str:
        scans = ", ".join(f"{scan.sensor} {len(scan.cloud)} points" for scan in self.scans)
        return f"Step({self.index} at {self.time_ns / 1e9:.3f} s: {scans or 'no scan'})"

    def _repr_html_(self) -> str:
        rows = (
            (scan.sensor, scan.number, scan.end_ns / 1e9, len(scan.cloud), scan.traced)
            for scan in self.scans
        )
        return table(repr(self), _SCAN_HEADER, rows).html()


@dataclass(slots=True)
class LastScan:
    """The last scan of a sensor; its points are reported again while nothing changes.

    Rays are traced only when the points are needed. Until then, ``scanned`` is None and ``cloud``
    has no points.

    Attributes
    ----------
    shutter : Shutter
        Time interval of the scan, with the poses from messages.
    number : int
        Number of the scan, from 0; -1 before the sensor's first scan.
    commits : int
        Number of commits of the scene (changes made visible to rays) before the scan.
    poses : float64 (n_pose, 4, 4)
        world_from_sensor at the moments from which rays are traced. [m]
    begin_pose, end_pose : float64 (4, 4)
        world_from_sensor at begin and end of the scan. [m]
    scanned : Scanned or None
        Records of the traced scan; None until it is traced.
    cloud : Cloud
        Its points.
    deskewed : structured (n_point,) or None
        The points as seen from ``end_pose``; None if not configured, or not traced yet.
    depth_m : float32 (n_beam,) or None
        Depth of each beam's hit along the optical axis; None if the sensor is no camera. [m]
    measured_ns : int
        End of the latest scan that reports these points. [ns]
    encoded : EncodedDetections or None
        The cloud as OSI detections; None until they are needed.
    pattern : ScanPattern or None
        Beams of the scan; None before the sensor's first scan.
    is_elsewhere : bool
        True if the scan belongs to no step of this run; then its points are not reported again.
    weather : Weather or None
        Weather of the scan; None before the sensor's first scan.
    window : SensorWindow or None
        The sensor's window in the scan; None if it is clear.
    """

    shutter: Shutter  # its time interval
    number: int
    commits: int  # number of the scene's commits before it
    poses: NDArray[np.float64]  # (n_pose, 4, 4) world_from_sensor at its moments [m]
    begin_pose: NDArray[np.float64]  # (4, 4) world_from_sensor [m]
    end_pose: NDArray[np.float64]
    scanned: Scanned | None = None
    cloud: Cloud = field(default_factory=no_points)
    deskewed: NDArray[Any] | None = None  # these two: see Scan
    depth_m: NDArray[np.float32] | None = None
    measured_ns: int = 0  # end of the latest scan for which it stands [ns]
    encoded: EncodedDetections | None = None  # its cloud as OSI detections
    pattern: ScanPattern | None = None
    is_elsewhere: bool = False  # whether it belongs to no step of this run
    weather: Weather | None = None
    window: SensorWindow | None = None

    def light_changed(self, shutter: Shutter) -> bool:
        """Return whether ambient light or sun differ between this scan and a later one.

        ``shutter`` is the time interval of the later scan, with its messages.
        """
        lights = [(each.frame.ambient_lux, each.frame.sun) for each in (self.shutter, shutter)]
        return lights[0] != lights[1]

    def repeats(self, lidar: Lidar, shutter: Shutter, sky: Sky) -> bool:
        """Return whether a new scan of the same scene and poses would have the same points.

        ``shutter`` is the time interval of the new scan. Random errors, falling rain or snow, or
        changed light can make the points differ, depending on the sensor (``lidar``) and on the
        weather (``sky``). Always False if `is_elsewhere` is True.
        """
        differ = lidar.scans_differ or (lidar.is_physical and sky.falls)
        return (
            not self.is_elsewhere
            and (self.measured_ns == shutter.end_ns or not differ)
            and not (lidar.notices_light and self.light_changed(shutter))
        )
