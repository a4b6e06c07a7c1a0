# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Values that exports take from a scan: times, echoes, objects and positions of points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from osi_lidar.errors import ConfigurationError
from osi_lidar.output.accumulation import cloud_in_world, end_pose_of, matrix_of, scans_within
from osi_lidar.output.frame_table import read_frame_table
from osi_lidar.output.stored.run import check_fields
from osi_lidar.scan.from_config import mounting_position, pose_matrix
from osi_lidar.sensors.presets import load_preset
from osi_lidar.sensors.reports import PER_CENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from osi_lidar.output.frame_table import FrameRow
    from osi_lidar.output.stored import StoredRun, StoredScan, StoredSensor
    from osi_lidar.sensors.presets import SensorPreset
    from osi_lidar.sensors.reports import Reports


VELOCITY = "radial_velocity"
"""Field of sensors that measure velocities. [m/s, positive towards the sensor]"""


class HasRow(Protocol):
    """Interface of a scan that has a row of frames.csv, with times and poses."""

    @property
    def row(self) -> FrameRow:
        """Row of the scan in frames.csv, or the row that it would have."""


def has(points: NDArray[Any], *names: str) -> bool:
    """Return whether points (a structured array) have fields with all of the given `names`."""
    return set(names) <= set(points.dtype.names or ())


def xyz_m(points: NDArray[Any]) -> NDArray[Any]:
    """Return the positions of points, (n_point, 3) [m].

    `points` is a structured array (n_point,) with the fields x, y and z, whose type the result has.
    """
    return np.stack([points[axis] for axis in "xyz"], axis=1)


def begin_ns(scan: HasRow, points: NDArray[Any]) -> int:
    """Return the begin of a scan, from which `after_ns` counts [ns].

    A negative begin becomes 0, as many formats have no negative times; if the end is negative, too,
    the result is the end. It is also the end of the scan if all beams fire at one instant.

    Parameters
    ----------
    scan : HasRow
        The scan, with its begin and end in ``scan.row``.
    points : structured (n_point,)
        Points of the scan. Without a field ``time_ns``, all beams fire at one instant.
    """
    row = scan.row
    return min(max(row.begin_ns, 0), row.end_ns) if has(points, "time_ns") else row.end_ns


def after_ns(scan: HasRow, points: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the time at which each point was measured, uint32 (n_point,) [ns after `begin_ns`].

    The time is the begin of the scan plus the field ``time_ns`` of the point, limited to the time
    from `begin_ns` to the end of the scan. All values are 0 if all beams fire at one instant, or if
    the scan has no duration, because no earlier message is known.

    Parameters
    ----------
    scan : HasRow
        The scan, with its begin and end in ``scan.row``.
    points : structured (n_point,)
        Points of the scan. Without a field ``time_ns``, all beams fire at one instant.
    """
    if not has(points, "time_ns"):
        return np.zeros(len(points), np.uint32)
    begin = begin_ns(scan, points)
    fired_ns = scan.row.begin_ns + points["time_ns"].astype(np.int64)
    return (np.clip(fired_ns, begin, scan.row.end_ns) - begin).astype(np.uint32)


def echo_numbers(points: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return each point's echo number (0: nearest) and its beam's number of echoes.

    `points` is a structured array (n_point,). The result is a tuple of two arrays, uint8
    (n_point,). If the points lack the fields echo and n_echoes, all numbers are 0 and 1.
    """
    if has(points, "echo", "n_echoes"):
        return points["echo"], points["n_echoes"]
    return np.zeros(len(points), np.uint8), np.ones(len(points), np.uint8)


def strength(points: NDArray[Any]) -> NDArray[np.float32]:
    """Return values by which the echoes of a beam can be compared by strength, (n_point,).

    `points` is a structured array (n_point,). The values are its field ``snr`` (signal-to-noise
    ratio), or without one its field ``reflectivity``; they share the memory of `points`.
    """
    strengths: NDArray[np.float32] = points["snr" if has(points, "snr") else "reflectivity"]
    return strengths


def reports_of(sensor: StoredSensor) -> Reports:
    """Return the scales by which a sensor converts reflectivity to the intensity that it reports.

    They are the scales of the preset of `sensor`, a sensor of a stored run. Without a known preset,
    intensity is the reflectivity in per cent.
    """
    preset = preset_of(sensor)
    return PER_CENT if preset is None else preset.reports


def preset_of(sensor: StoredSensor) -> SensorPreset | None:
    """Return the preset of `sensor`, a sensor of a stored run.

    The result is None if the sensor has no preset, or one that this version does not know.
    """
    try:
        return load_preset(str(sensor.settings.get("preset")))
    except ConfigurationError:
        return None


def scans_in_world(
    run: StoredRun, scans: Iterable[StoredScan]
) -> Iterator[tuple[StoredScan, NDArray[Any]]]:
    """Yield each scan, and its points in the world.

    Parameters
    ----------
    run : StoredRun
        The run.
    scans : iterable of StoredScan
        Scans of the run, in the order of frames.csv.

    Yields
    ------
    StoredScan
        The scan.
    structured (n_point,)
        Points, each placed by the sensor's pose at the time of its beam; x y z are float64. [m]

    Raises
    ------
    InputError
        If frames.csv has no poses, or a cloud cannot be read.
    """
    rows: dict[str, list[FrameRow]] = {}
    place: dict[tuple[str, int, int], int] = {}
    for row in read_frame_table(run.folder):  # includes rows before the chosen scans
        of_sensor = rows.setdefault(row.sensor, [])
        place[row.sensor, row.frame, row.end_ns] = len(of_sensor)
        of_sensor.append(row)
    for scan in scans:
        row = scan.row
        end_pose(scan)
        earlier = rows[row.sensor][: place[row.sensor, row.frame, row.end_ns]]
        points = cloud_in_world(run.folder, row, scans_within(row, earlier))
        check_fields(scan.path, points)
        yield scan, points


def deskewed_scans(
    run: StoredRun, scans: Iterable[StoredScan]
) -> Iterator[tuple[StoredScan, NDArray[Any]]]:
    """Yield each scan, and its points in the sensor frame at its end (motion compensation).

    If the run has deskewed clouds, these are read, and the result is exact. Otherwise each point is
    moved by the sensor's pose at the time of its beam, interpolated between poses in frames.csv.

    Parameters
    ----------
    run : StoredRun
        The run.
    scans : iterable of StoredScan
        Scans of the run, in the order of frames.csv.

    Yields
    ------
    StoredScan
        The scan.
    structured (n_point,)
        Points in the sensor frame at the end of the scan; x y z are float64. [m]

    Raises
    ------
    InputError
        If frames.csv has no poses, or a cloud cannot be read.
    """
    for scan, points in scans_in_world(run, scans):
        sensor_from_world = np.linalg.inv(end_pose(scan))
        moved = xyz_m(points) @ sensor_from_world[:3, :3].T + sensor_from_world[:3, 3]
        for axis, name in enumerate("xyz"):
            points[name] = moved[:, axis]
        yield scan, points


def end_pose(scan: StoredScan) -> NDArray[np.float64]:
    """Return the pose of the sensor in the world at the end of a scan, float64 (4, 4) [m].

    `scan` is a scan of a stored run.

    Raises
    ------
    InputError
        If frames.csv has no poses, as in older versions.
    """
    return matrix_of(end_pose_of(scan.path.parent.parent, scan.row))


def base_from_sensor(run: StoredRun, sensor: StoredSensor) -> NDArray[np.float64]:
    """Return the pose of a sensor in the vehicle frame, float64 (4, 4) [m].

    Parameters
    ----------
    run : StoredRun
        The run, which states the mountings of its sensors.
    sensor : StoredSensor
        A sensor of the run.
    """
    mounting = mounting_position(run.mounting(sensor))
    return pose_matrix(mounting.position_m, mounting.orientation_rad)
