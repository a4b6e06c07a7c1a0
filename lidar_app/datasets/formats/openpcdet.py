# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Layout of OpenPCDet's custom data set: points, boxes in the lidar frame, lists of splits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import yaml

from lidar_app.datasets.formats.index import SampleRow, write_lists, write_samples
from lidar_app.exports.kitti_files import point_rows
from lidar_app.exports.scan_points import end_pose

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_app.datasets.class_map import ClassMap
    from lidar_app.datasets.formats.index import Counted
    from lidar_app.datasets.scenes import DataScene, Sample

USE = """\
- OpenPCDet: link this folder as `data/custom`, copy `custom_dataset.yaml` from it to
  `tools/cfgs/dataset_configs`, then

      python -m pcdet.datasets.custom.custom_dataset create_custom_infos \\
          tools/cfgs/dataset_configs/custom_dataset.yaml

Samples without boxes are in `ImageSets/empty.txt` and in no split, as readers fail on them.
"""
KITTI_TYPES = ("Car", "Pedestrian", "Cyclist", "Van", "Truck", "Tram", "Person_sitting", "Misc")
_HEIGHT_M, _VOXEL_M = 6.0, (0.1, 0.1, 0.15)  # of OpenPCDet's own custom_dataset.yaml
_REACH_M = 75.2


class OpenpcdetSet:
    """Writes scenes in the layout of OpenPCDet's custom data set.

    Parameters
    ----------
    folder : Path
        The folder of the data set.
    classes : ClassMap
        The classes.
    """

    def __init__(self, folder: Path, classes: ClassMap) -> None:
        self._folder, self._classes = folder, classes
        self._lists: dict[str, list[str]] = {"train": [], "val": [], "test": [], "empty": []}
        self._rows: list[SampleRow] = []
        self._floor_m = math.inf
        for name in ("points", "labels"):
            (folder / name).mkdir()

    def add(self, scene: DataScene, split: str, counted: Counted) -> None:
        """Write the scans of a run (a scene) as samples; labels contain the boxes that have points.

        A sample without such boxes is listed in ``empty.txt``, not in the list of its split.

        Parameters
        ----------
        scene : DataScene
            The run.
        split : {'train', 'val', 'test'}
            Split of the run.
        counted : callable
            Takes the scans; returns an iterable of them that shows progress.
        """
        for sample in scene.samples(counted):
            name = f"{len(self._rows):06d}"
            np.save(self._folder / "points" / f"{name}.npy", point_rows(sample.points))
            lines = list(self._lines(sample.chosen(sample.boxes.points > 0)))
            text = "".join(f"{line}\n" for line in lines)
            (self._folder / "labels" / f"{name}.txt").write_text(text, encoding="ascii")
            self._lists[split if lines else "empty"].append(name)
            self._rows.append(SampleRow.of(name, split, scene, sample, len(lines)))

    def _lines(self, sample: Sample) -> Iterator[str]:
        """Yield a line for each box: x y z dx dy dz heading class."""
        boxes, names = sample.boxes, ("", *self._classes.names)
        lidar_from_box = np.linalg.inv(end_pose(sample.scan)) @ boxes.world_from_box
        rows = zip(lidar_from_box, boxes.size_m, sample.box_classes.tolist(), strict=True)
        for pose, size_m, index in rows:
            self._floor_m = min(self._floor_m, pose[2, 3] - 0.5 * size_m[2])
            numbers = (*pose[:3, 3], *size_m, heading(pose))
            yield f"{' '.join(f'{number:.6f}' for number in numbers)} {names[index]}"

    def finish(self) -> None:
        """Write the lists of samples in each split, the table of samples, and a configuration."""
        write_lists(self._folder / "ImageSets", self._lists)
        write_samples(self._folder, self._rows)
        text = yaml.safe_dump(self._config(), sort_keys=False, default_flow_style=None, width=100)
        (self._folder / "custom_dataset.yaml").write_text(text, encoding="utf-8")

    def _config(self) -> dict[str, object]:
        """Return the configuration of the data set for OpenPCDet."""
        low = math.floor(10.0 * self._floor_m) / 10.0 - 0.2 if self._rows else 0.0
        low = low if math.isfinite(low) else -2.0
        names = self._classes.box_names
        features = ["x", "y", "z", "intensity"]
        return {
            "DATASET": "CustomDataset",
            "DATA_PATH": "../data/custom",
            "POINT_CLOUD_RANGE": [
                *(-_REACH_M, -_REACH_M, round(low, 1)),
                *(_REACH_M, _REACH_M, round(low + _HEIGHT_M, 1)),
            ],
            "CLASS_NAMES": list(names),
            "MAP_CLASS_TO_KITTI": {name: _kitti_type(name) for name in names},
            "DATA_SPLIT": {"train": "train", "test": "val"},
            "INFO_PATH": {"train": ["custom_infos_train.pkl"], "test": ["custom_infos_val.pkl"]},
            "POINT_FEATURE_ENCODING": {
                "encoding_type": "absolute_coordinates_encoding",
                "used_feature_list": features,
                "src_feature_list": features,
            },
            "DATA_AUGMENTOR": {"DISABLE_AUG_LIST": ["placeholder"], "AUG_CONFIG_LIST": []},
            "DATA_PROCESSOR": [
                {"NAME": "mask_points_and_boxes_outside_range", "REMOVE_OUTSIDE_BOXES": True},
                {"NAME": "shuffle_points", "SHUFFLE_ENABLED": {"train": True, "test": False}},
                {
                    "NAME": "transform_points_to_voxels",
                    "VOXEL_SIZE": list(_VOXEL_M),
                    "MAX_POINTS_PER_VOXEL": 5,
                    "MAX_NUMBER_OF_VOXELS": {"train": 150000, "test": 150000},
                },
            ],
        }


def heading(pose: NDArray[np.float64]) -> float:
    """Return the heading of a pose: the azimuth of its x axis, from -pi to pi [rad].

    `pose` is float64 (4, 4); only its rotation counts.
    """
    return math.atan2(pose[1, 0], pose[0, 0])


def _kitti_type(name: str) -> str:
    """Return the KITTI type whose rules OpenPCDet's evaluation applies to a class."""
    return name if name in KITTI_TYPES else "Car"
