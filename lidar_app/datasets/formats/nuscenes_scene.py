# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A scene of nuScenes: its clouds and labels, and its rows in the tables."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.datasets.formats.nuscenes_boxes import Annotations
from lidar_app.datasets.formats.nuscenes_cameras import calibrated_rows, calibration, camera_rows
from lidar_app.datasets.formats.nuscenes_keys import TOP, channels, key_frames
from lidar_app.datasets.formats.nuscenes_labels import PointLabels, write_cloud
from lidar_app.datasets.formats.nuscenes_place import ScenePlace, place_rows
from lidar_app.datasets.formats.nuscenes_tables import Row, linked, listed, token
from lidar_app.exports.scan_points import base_from_sensor, end_pose, reports_of
from lidar_base.given import given
from osi_lidar.clouds.pcd import pose_row

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_app.datasets.class_map import ClassMap
    from lidar_app.datasets.formats.index import Counted
    from lidar_app.datasets.scenes import DataScene, Sample

MARGIN_M = 100.0
"""Margin of the map around the path of the vehicle. [m]"""
DAY_US = 86_400_000_000


class SceneWriter:
    """Writes the clouds and labels of a scene, and collects its rows in nuScenes' tables.

    Parameters
    ----------
    folder : Path
        The folder of the data set.
    version, name : str
        Folder of the tables, such as "v1.0-test", and name of the scene in nuScenes.
    scene : DataScene
        The scene.
    classes : ClassMap
        The classes.

    Attributes
    ----------
    rows : dict of str to list
        Rows of each table, by its name; complete after `write`.
    channels : dict of str to str
        Channel of each sensor, by the name of the sensor.
    """

    def __init__(
        self, folder: Path, version: str, name: str, scene: DataScene, classes: ClassMap
    ) -> None:
        source, scans = scene.source, scene.scans
        self._folder, self._version, self._name, self._scene = folder, version, name, scene
        self._key = token(source.name, source.trace, source.config)
        self.channels = channels(scene.run, scans)
        self._top = next(iter(self.channels))
        sensors = [each for each in scene.run.sensors if each.name in self.channels]
        self._poses = {
            self.channels[each.name]: base_from_sensor(scene.run, each) for each in sensors
        }
        self._reports = {each.name: reports_of(each) for each in sensors}
        self._keys = key_frames(scans, self._top)
        self._n_left = Counter(self._keys.of_cloud.values())
        way = np.array([end_pose(scan)[:2, 3] for scan in scans])
        self._size_m = np.ptp(way, axis=0) + 2.0 * MARGIN_M
        self._shift_m = np.array([*np.floor(way.min(axis=0) - MARGIN_M), 0.0])
        self._labels = PointLabels(classes)
        self._boxes = Annotations(self._key, ("", *classes.names), self._shift_m)
        self._data: dict[str, list[Row]] = {}
        self._late_us = 0
        self.rows: dict[str, list[Row]] = {"ego_pose": [], "lidarseg": [], "panoptic": []}

    @property
    def begin_us(self) -> int:
        """Time of the first sample in the data set [us]."""
        return self._us(self._keys.times_ns[0])

    def delay(self) -> None:
        """Add a day to all times of the scene; call it before `write`.

        The devkit lists scenes by begin time, which must differ.
        """
        self._late_us += DAY_US

    def _us(self, time_ns: int) -> int:
        return time_ns // 1000 + self._late_us

    def write(self, counted: Counted) -> None:
        """Write the clouds, labels and map of the scene, and collect its table rows in `rows`.

        `counted` takes the scans and returns an iterable of them that shows progress.
        """
        for sample in self._scene.samples(counted):
            self._write_scan(sample)
        samples = [self._sample(key) for key in range(len(self._keys.times_ns))]
        annotations, instances = self._boxes.rows(samples)
        self._data |= camera_rows(self._data[TOP], self._key)
        self.rows |= {
            "sample_data": [row for rows in self._data.values() for row in linked(rows)],
            "sample_annotation": annotations,
            "instance": instances,
            "calibrated_sensor": list(calibrated_rows(self._key, self._poses)),
            "sample": linked(
                [
                    {
                        "token": each,
                        "timestamp": self._us(time_ns),
                        "scene_token": token(self._key, "scene"),
                    }
                    for each, time_ns in zip(samples, self._keys.times_ns, strict=True)
                ]
            ),
            **place_rows(
                self._folder,
                ScenePlace(
                    key=self._key,
                    name=self._name,
                    source=self._scene.source.name,
                    facts=given(self._scene.source.facts),
                    samples=samples,
                    begin_us=self.begin_us,
                    late_us=self._late_us,
                    shift_m=self._shift_m,
                    size_m=self._size_m,
                ),
            ),
        }

    def _sample(self, key: int) -> str:
        """Return the token of the sample of a key frame."""
        return token(self._key, "sample", key)

    def _write_scan(self, sample: Sample) -> None:
        """Write the cloud of a scan; in a key frame, also add its labels and boxes."""
        row, channel = sample.scan.row, self.channels[sample.scan.row.sensor]
        key = self._keys.of_cloud.get(sample.scan.path)
        each = token(self._key, channel, sample.scan.path.name)
        place = self._folder / ("sweeps" if key is None else "samples") / channel
        place.mkdir(parents=True, exist_ok=True)
        file = place / f"{self._name}__{channel}__{sample.scan.path.stem}.pcd.bin"
        write_cloud(file, sample.points, self._reports[row.sensor])
        self._data.setdefault(channel, []).append(
            {
                "token": each,
                "sample_token": self._sample(
                    self._keys.nearest(row.end_ns) if key is None else key
                ),
                "ego_pose_token": each,
                "calibrated_sensor_token": calibration(self._key, channel),
                "timestamp": self._us(row.end_ns),
                "fileformat": "pcd",
                "is_key_frame": key is not None,
                "height": 0,
                "width": 0,
                "filename": file.relative_to(self._folder).as_posix(),
            }
        )
        pose = end_pose(sample.scan) @ np.linalg.inv(self._poses[channel])
        self.rows["ego_pose"].append(self._ego_pose(each, row.end_ns, pose))
        if key is not None:
            self._boxes.add(key, sample)
            self._n_left[key] -= 1
            if not self._n_left[key]:
                self._boxes.count(key)
            self._write_labels(each, sample)

    def _write_labels(self, each: str, sample: Sample) -> None:
        """Write the labels of the points of a scan."""
        lidarseg = self._labels.lidarseg(sample.classes)
        panoptic = self._labels.panoptic(sample.points, sample.classes)
        for table, ending in (("lidarseg", "lidarseg.bin"), ("panoptic", "panoptic.npz")):
            place = self._folder / table / self._version
            place.mkdir(parents=True, exist_ok=True)
            file = place / f"{each}_{ending}"
            if table == "lidarseg":
                file.write_bytes(lidarseg.tobytes())
            else:
                np.savez_compressed(file, data=panoptic)
            name = file.relative_to(self._folder).as_posix()
            self.rows[table].append({"token": each, "sample_data_token": each, "filename": name})

    def _ego_pose(self, each: str, time_ns: int, pose: NDArray[np.float64]) -> Row:
        return {
            "token": each,
            "timestamp": self._us(time_ns),
            "rotation": list(pose_row(pose)[3:]),
            "translation": listed(pose[:3, 3] - self._shift_m),
        }
