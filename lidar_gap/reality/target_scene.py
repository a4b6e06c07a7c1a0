# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of labelled objects: simulated objects in the labelled boxes, on the recorded ground.

Each box contains the built-in body of its object type, scaled to the box, with the default
materials. The ground below it is a slab in the plane of the recorded points around it. The scene
has no other objects: occluders without a box are missing, and so are racks with bicycles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.objects import rows_in_boxes
from lidar_gap.reality.boxes import MattBox, write_scene
from lidar_gap.reality.simulated import as_recorded, sensor_keys
from lidar_gap.reality.targets import MARGIN_M
from osi_bridge import FrameDecoder, write_trace
from osi_bridge.bench import PEDESTRIAN, VEHICLE, BoxObject, ViewHead, sensor_view_message
from osi_lidar.model import LidarModel
from osi_lidar.run.poses import carried
from osi_lidar.run.replay import at_each_message
from osi_lidar.sensors.presets import load_preset

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_gap.reality.labels import LabelledObjects
    from lidar_gap.reality.recordings import PublicRecording
    from lidar_gap.records import ScanCloud
    from osi_lidar.config import Config

TRACE = "objects.osi"
N_DRAWS = 8
"""Number of scans of the objects. Each scan draws vehicle paint at random, as labels have none."""
GROUND_PERCENT = 20.0
"""Reflectivity of the ground [%]; points on the ground are not counted."""
OSI_TYPES = {
    **dict.fromkeys(("pedestrian", "person", "person_sitting"), (PEDESTRIAN, "")),
    **dict.fromkeys(("cyclist", "bicycle"), (VEHICLE, "TYPE_BICYCLE")),
    **dict.fromkeys(("moped_scooter", "motor"), (VEHICLE, "TYPE_MOTORBIKE")),
    "car": (VEHICLE, "TYPE_CAR"),
    "van": (VEHICLE, "TYPE_DELIVERY_VAN"),
    "truck": (VEHICLE, "TYPE_HEAVY_TRUCK"),
    "tram": (VEHICLE, "TYPE_TRAM"),
    "vehicle_other": (VEHICLE, "TYPE_OTHER"),
}
"""OSI types by label in lower case: pairs of object type and vehicle type.

The vehicle type is a name such as "TYPE_CAR", and empty for a person. Objects with other labels are
left out. A rider has a label in addition to the bicycle or moped, but the box of the vehicle also
contains the rider.
"""
# ground is searched within these radii of an object, one after the other
_RADII_M = (2.5, 5.0, 8.0)
_AROUND_M = 0.6  # largest height difference of ground from the bottom of the box
_FEWEST_POINTS = 20
_FLAT_M, _STEEPEST = 0.08, 0.3  # largest roughness of ground, and largest slope
_ROUNDS = 8
_EDGE_M, _THICK_M = 1.0, 0.1
_CARRIER_ID = 0


def placed(objects: LabelledObjects) -> list[BoxObject]:
    """Return an OSI object for each label whose class is in `OSI_TYPES`; leave out the others.

    ``objects`` has the labelled objects of a frame. An OSI object has the pose and the size of the
    label's box, in the frame of the lidar. Its id is the index of its label plus one.
    """
    boxes, found = objects.boxes, []
    for row, label in enumerate(boxes.label):
        if label.lower() not in OSI_TYPES:
            continue
        osi_type, vehicle_type = OSI_TYPES[label.lower()]
        x, y, z = boxes.centre_m[row].tolist()
        length, width, height = boxes.size_m[row].tolist()
        found.append(
            BoxObject(
                row + 1,
                (x, y, z),
                yaw_rad=float(boxes.yaw_rad[row]),
                dimension_m=(length, width, height),
                osi_type=osi_type,
                vehicle_type=vehicle_type,
            )
        )
    return found


def message_of(objects: LabelledObjects) -> bytes:
    """Return a SensorView of labelled objects and of a host vehicle with the sensor, as bytes.

    ``objects`` has the labelled objects of a frame; objects of unknown class are left out. The host
    vehicle has the size 0. The sensor is at the host's rear axle, which is the origin of the
    labels' coordinates.
    """
    origin = 0.0, 0.0, 0.0
    carrier = BoxObject(_CARRIER_ID, origin, dimension_m=origin, rear_axle_m=origin)
    return sensor_view_message([carrier, *placed(objects)], 0, ViewHead(_CARRIER_ID))


def ground_below(objects: LabelledObjects, points_m: NDArray[np.float64]) -> list[MattBox]:
    """Return a thin sloped box as ground below each simulated object.

    Parameters
    ----------
    objects : LabelledObjects
        The objects.
    points_m : float64 (n_point, 3)
        Recorded points, from which the ground is found. [m]
    """
    boxes = objects.boxes
    outside = np.ones(len(points_m), np.bool_)
    for rows in rows_in_boxes(points_m, boxes, margin_m=MARGIN_M):
        outside[rows] = False
    slabs = []
    for each in placed(objects):
        row = each.object_id - 1
        foot = boxes.centre_m[row] - (0.0, 0.0, boxes.size_m[row, 2] / 2)
        plane = ground_plane(points_m[outside], foot)
        half_m = float(np.hypot(*boxes.size_m[row, :2])) / 2 + _EDGE_M
        slabs.append(_slab(foot, plane, half_m))
    return slabs


def ground_plane(
    points_m: NDArray[np.float64], foot_m: NDArray[np.float64]
) -> tuple[float, float, float]:
    """Fit a plane to the ground around an object; return height and slopes.

    Parameters
    ----------
    points_m : float64 (n_point, 3)
        Points on the ground and on other surfaces, in the frame of the lidar. [m]
    foot_m : float64 (3,)
        Centre of the bottom of the object's box. [m]

    Returns
    -------
    height_m : float
        Height of the plane at x and y of ``foot_m``. It is the height of ``foot_m`` if no plane is
        found: too few points of the ground, or only planes that are too steep or too far away. [m]
    slope_x, slope_y : float
        Slopes of the plane along x and along y, 0 if no plane is found. [1]
    """
    off_m = points_m - foot_m
    across_m = np.hypot(off_m[:, 0], off_m[:, 1])
    for radius_m in _RADII_M:
        near = off_m[(across_m < radius_m) & (np.abs(off_m[:, 2]) < _AROUND_M)]
        plane = _lower_plane(near)
        if plane is not None and np.hypot(*plane[1:]) < _STEEPEST and abs(plane[0]) < _AROUND_M:
            return float(foot_m[2] + plane[0]), float(plane[1]), float(plane[2])
    return float(foot_m[2]), 0.0, 0.0


def _lower_plane(off_m: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return height and slopes of the plane through the lowest points; None for too few points."""
    if len(off_m) < _FEWEST_POINTS:
        return None
    table = np.column_stack((np.ones(len(off_m)), off_m[:, :2]))
    kept = off_m[:, 2] <= np.median(off_m[:, 2]) + _FLAT_M
    plane = np.zeros(3)
    for _ in range(_ROUNDS):
        if kept.sum() < _FEWEST_POINTS or np.linalg.matrix_rank(table[kept], tol=1.0) < 3:
            return None
        plane = np.linalg.lstsq(table[kept], off_m[kept, 2])[0]
        above_m = off_m[:, 2] - table @ plane
        kept = np.abs(above_m) < _FLAT_M
    return plane


def _slab(foot_m: NDArray[np.float64], plane: tuple[float, float, float], half_m: float) -> MattBox:
    """Return a slab around a place; its upper side lies in a plane."""
    height_m, along, across = plane
    corners = []
    for x in (-half_m, half_m):
        for y in (-half_m, half_m):
            top = height_m + along * x + across * y
            corners += [(foot_m[0] + x, foot_m[1] + y, top - low) for low in (_THICK_M, 0.0)]
    return MattBox(np.array(corners), GROUND_PERCENT)


def write_target_scene(
    recording: PublicRecording,
    objects: LabelledObjects,
    clouds: Sequence[ScanCloud],
    folder: Path,
) -> Config:
    """Write ground, materials, configuration and a trace of the objects; return the `Config`.

    Parameters
    ----------
    recording : PublicRecording
        Description with the sensor.
    objects : LabelledObjects
        Labelled objects, in the frame of the lidar.
    clouds : sequence of ScanCloud
        Recorded clouds, from which the ground is found.
    folder : Path
        Folder for the files; it is created if it does not exist.

    Raises
    ------
    OutputError, TraceError
        If a file cannot be written.
    """
    points_m = np.concatenate([each.points_m for each in clouds])
    config = write_scene(folder, ground_below(objects, points_m), sensor_keys(recording))
    write_trace(folder / TRACE, [message_of(objects)], message_type="SensorView")
    return config


def target_scans(
    recording: PublicRecording,
    objects: LabelledObjects,
    clouds: Sequence[ScanCloud],
    folder: Path,
) -> list[ScanCloud]:
    """Write the scene of labelled objects; return `N_DRAWS` simulated scans of the objects.

    Raise OutputError or TraceError if a file cannot be written.

    Parameters
    ----------
    recording : PublicRecording
        Description with the sensor.
    objects : LabelledObjects
        Labelled objects.
    clouds : sequence of ScanCloud
        Recorded clouds, from which the ground is found.
    folder : Path
        Folder for the scene.
    """
    config = write_target_scene(recording, objects, clouds, folder)
    preset = load_preset(recording.sensor)
    found = []
    for seed in range(N_DRAWS):
        drawn = at_each_message(config.model_copy(update={"seed": seed}))
        model = LidarModel(carried(drawn, timed=False))
        frame = FrameDecoder("SensorView").decode(message_of(objects), 0)
        found.append(as_recorded(f"{seed:06d}", model.step(frame).scans[0].cloud, preset))
    return found
