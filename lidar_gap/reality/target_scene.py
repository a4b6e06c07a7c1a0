# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of labelled objects: ours in the labelled boxes, each on the ground as it was recorded.

An object stands in its box with the body that the product makes to such a size, of the product's
usual materials. The ground below it is a slab in the plane of the recorded points around it.
Nothing else is there: what hides objects and has no box is missing, and so are racks with bicycles.
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
"""Scans of the objects; for each the paint of the vehicles is drawn, as no label states it."""
GROUND_PERCENT = 20.0
"""Reflectivity of the ground [%]; points of it do not count."""
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
"""OSI type of an object, and of a vehicle, by its label in small letters; others are left out.

A rider is labelled besides the bicycle or the moped under him, whose box holds him, too.
"""
_RADII_M = (2.5, 5.0, 8.0)  # around an object, within which ground is looked for
_AROUND_M = 0.6  # of the bottom of the box
_FEWEST_POINTS = 20
_FLAT_M, _STEEPEST = 0.08, 0.3  # ground is rougher than that nowhere, and no street is steeper
_ROUNDS = 8
_EDGE_M, _THICK_M = 1.0, 0.1
_CARRIER_ID = 0


def placed(objects: LabelledObjects) -> list[BoxObject]:
    """Return the OSI objects of labels; those that are not simulated are left out."""
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
    """Return a SensorView of the objects and of a carrier without a shape.

    The carrier's rear axle, and with it the sensor, is the origin of the labels.
    """
    origin = 0.0, 0.0, 0.0
    carrier = BoxObject(_CARRIER_ID, origin, dimension_m=origin, rear_axle_m=origin)
    return sensor_view_message([carrier, *placed(objects)], 0, ViewHead(_CARRIER_ID))


def ground_below(objects: LabelledObjects, points_m: NDArray[np.float64]) -> list[MattBox]:
    """Return a slab of ground below each simulated object.

    Parameters
    ----------
    objects : LabelledObjects
        The objects.
    points_m : float64 (n_point, 3)
        Recorded points, which tell of the ground. [m]
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
    """Return height of the ground at a place, and its slopes along x and y.

    Parameters
    ----------
    points_m : float64 (n_point, 3)
        Points, of the ground and of others. [m]
    foot_m : float64 (3,)
        Where a box says that the ground is; it counts where no points tell. [m]
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
    """Return height and slopes of the plane through the lowest of some points, None if few are."""
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
    """Return a slab whose upper side lies in a plane, around a place."""
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
    """Write ground, materials, configuration and a trace of the objects into a folder.

    Raises
    ------
    OutputError
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
    """Return `N_DRAWS` scans of the known sensor among the labelled objects.

    Parameters
    ----------
    recording : PublicRecording
        Which sensor.
    objects : LabelledObjects
        What stands where.
    clouds : sequence of ScanCloud
        What was recorded, which tells of the ground.
    folder : Path
        Where the scene is written.

    Raises
    ------
    OutputError
        If a file cannot be written.
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
