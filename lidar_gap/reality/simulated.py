# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulated scans of known sensors in the scenes of recordings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.reality.boxes import MattBox, write_scene
from lidar_gap.reality.office import office
from lidar_gap.records import ScanCloud
from osi_lidar.model import LidarModel
from osi_lidar.run.pose_files import Poses
from osi_lidar.run.poses import carried, passing
from osi_lidar.run.replay import at_each_message
from osi_lidar.sensors.presets import load_preset

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_gap.reality.recordings import PublicRecording
    from osi_lidar.clouds.cloud import Cloud
    from osi_lidar.config import Config
    from osi_lidar.sensors.presets import SensorPreset

N_WALLS = 40
"""Number of walls around a sensor, and of classes of recorded ranges; a wall for each class."""
FEWEST_SCANS, MOST_SCANS = 3, 12
_HEIGHT_RANGES = 4.0  # height of a wall over its range: beams of 76 degrees up meet it
_BRIGHTEST = 100.0  # brighter returns come from retroreflectors or mirrors
_DARKEST, _UNKNOWN = 1.0, 20.0
_BRIGHTNESS = ((0.1, 1.0), (0.3, 1.0), (0.5, 1.0), (0.7, 1.0), (0.9, 1.0), (0.05, 0.5))
"""Reflectivities of the walls, class after class: a quantile of the class's reflectivities, and a
factor. The last pair gives a wall darker than nearly all returns, because recordings do not contain
surfaces that are too dark to return.
"""


def scene_of(recording: PublicRecording, clouds: Sequence[ScanCloud]) -> list[MattBox]:
    """Return the boxes of a recording's simulated scene, in the sensor frame.

    ``recording`` states the scene: the office, or walls. The walls are placed by the recorded
    ``clouds``, see `walls`; the office does not depend on them.
    """
    return office() if recording.scene == "office" else walls(recording, clouds)


def walls(recording: PublicRecording, clouds: Sequence[ScanCloud]) -> list[MattBox]:
    """Return vertical walls around the sensor, with ranges and reflectivities of a recording.

    Each wall is a box in the sensor frame. The returns of all clouds are sorted by range into
    `N_WALLS` classes with equal numbers of returns. Each class becomes a wall; all walls cover
    equal angles of the turn. So beams hit ranges and reflectivities about as often as in the
    recording, but always on planes: figures by range, strength or signal can be compared, figures
    of edges cannot.

    Parameters
    ----------
    recording : PublicRecording
        Description of the recording, with the sensor.
    clouds : sequence of ScanCloud
        The recorded clouds.
    """
    range_m = np.concatenate([each.range_m for each in clouds])
    percent = np.concatenate([_percent(each, load_preset(recording.sensor)) for each in clouds])
    kept = range_m > 0.05
    order = np.argsort(range_m[kept], kind="stable")
    boxes, half = [], math.tan(math.pi / N_WALLS)
    turn = np.random.default_rng(0)
    places = turn.permutation(N_WALLS)
    for number, rows in enumerate(np.array_split(order, N_WALLS)):
        far_m = float(np.median(range_m[kept][rows]))
        share, factor = _BRIGHTNESS[number % len(_BRIGHTNESS)]
        bright = factor * float(np.quantile(percent[kept][rows], share))
        boxes.append(
            _wall(far_m, half, places[number], round(min(max(bright, _DARKEST), _BRIGHTEST), 1))
        )
    return boxes


def _wall(far_m: float, half: float, place: int, percent: float) -> MattBox:
    """Return a wall across one of `N_WALLS` sectors, perpendicular to a beam in its middle."""
    angle = 2.0 * math.pi * (place + 0.5) / N_WALLS
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    wide_m, high_m = 1.05 * far_m * half, _HEIGHT_RANGES * far_m
    ends = ((far_m, far_m + 0.2), (-wide_m, wide_m), (-high_m, high_m))
    corners = np.array(
        [[ends[0][i], ends[1][j], ends[2][k]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    )
    corners[:, :2] = corners[:, :2] @ turn
    return MattBox(corners, percent)


def _percent(cloud: ScanCloud, preset: SensorPreset) -> NDArray[np.float64]:
    """Return the reflectivities of a cloud's returns from signal or intensity [%]."""
    if cloud.signal is not None:
        white = preset.reports.photons(np.ones(len(cloud)), cloud.range_m, preset.near_field)
        told = np.asarray(100.0 * cloud.signal / np.maximum(white, 1e-9), np.float64)
    elif cloud.intensity is not None:
        told = np.asarray(cloud.intensity, np.float64)
    else:
        told = np.full(len(cloud), _UNKNOWN)
    return np.where(np.isfinite(told), told, _UNKNOWN)


def sensor_keys(recording: PublicRecording) -> dict[str, object]:
    """Return the settings of the simulated sensor for a recording, as configuration keys.

    ``recording`` (`PublicRecording`) is the description of the recording. The keys are the section
    of a sensor in a configuration file: ``preset``, ``fidelity``, ``returns``, and ``columns`` if
    the recording states them.
    """
    columns = {} if recording.columns is None else {"columns": recording.columns}
    return {
        "preset": recording.sensor,
        "fidelity": "physical",
        "returns": {"mode": recording.returns},
        **columns,
    }


def write_scene_of(recording: PublicRecording, clouds: Sequence[ScanCloud], folder: Path) -> Config:
    """Write the simulated scene for a recording into a folder; return its configuration.

    The files are mesh, materials and configuration.

    Parameters
    ----------
    recording : PublicRecording
        Description with sensor and scene.
    clouds : sequence of ScanCloud
        Recorded clouds, from which the walls are placed.
    folder : Path
        Folder for the files; it is created if it does not exist.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    return write_scene(folder, scene_of(recording, clouds), sensor_keys(recording))


def scans(recording: PublicRecording, clouds: Sequence[ScanCloud], folder: Path) -> list[ScanCloud]:
    """Return simulated scans of a recording's scene: as many as recorded, but 3 to 12.

    Raise OutputError if a file cannot be written.

    Parameters
    ----------
    recording : PublicRecording
        Description with sensor and scene.
    clouds : sequence of ScanCloud
        Recorded clouds, from which the walls are placed.
    folder : Path
        Folder for mesh, materials and configuration.
    """
    config = write_scene_of(recording, clouds, folder)
    n_scan = min(max(len(clouds), FEWEST_SCANS), MOST_SCANS)
    return scanned(config, load_preset(recording.sensor), n_scan)


def scanned(config: Config, preset: SensorPreset, n_scan: int) -> list[ScanCloud]:
    """Return simulated scans of a configuration's first sensor, all from a pose at the origin.

    Parameters
    ----------
    config : Config
        Configuration with the sensor and the scene.
    preset : SensorPreset
        The sensor; it determines the columns and units of the result, see `as_recorded`.
    n_scan : int
        Number of scans.
    """
    model = LidarModel(carried(at_each_message(config), timed=False))
    poses = Poses(world_from_sensor=np.tile(np.eye(4), (n_scan, 1, 1)))
    return [
        as_recorded(f"{frame.index:06d}", model.step(frame).scans[0].cloud, preset)
        for frame in passing(model, poses)
    ]


def as_recorded(name: str, cloud: Cloud, preset: SensorPreset) -> ScanCloud:
    """Return a simulated cloud as `ScanCloud`, with the columns and units of real recordings.

    Intensities are rounded to whole numbers. If the preset says that the sensor reports photons,
    the cloud also gets the column ``signal``, in whole photons.

    Parameters
    ----------
    name : str
        Name of the frame.
    cloud : Cloud
        Simulated cloud.
    preset : SensorPreset
        The sensor.
    """
    points = cloud.points
    names, n = points.dtype.names or (), len(points)
    range_m = points["range"].astype(np.float64)
    counts = preset.reports is not None and preset.reports.photons_at_1_m is not None
    signal = None
    if counts and preset.reports is not None:
        told = preset.reports.photons(points["reflectivity"], range_m, preset.near_field)
        signal = np.rint(told).astype(np.float32)
    return ScanCloud(
        name=name,
        points_m=np.stack([points[axis] for axis in "xyz"], axis=1).astype(np.float64),
        range_m=range_m,
        states_range=True,
        intensity=np.round(points["intensity"]).astype(np.float32),
        signal=signal,
        ring=points["ring"].astype(np.int32),
        column=points["column"].astype(np.int32),
        echo=points["echo"] if "echo" in names else np.zeros(n, np.uint8),
        n_echoes=points["n_echoes"] if "n_echoes" in names else np.ones(n, np.uint8),
    )
