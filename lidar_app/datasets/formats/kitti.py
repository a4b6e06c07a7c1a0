# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Layout of KITTI's object data set, with lists of splits; test samples have labels, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.datasets.formats.index import SampleRow, black_image, write_lists, write_samples
from lidar_app.exports.kitti import label_lines, write_label, write_sample
from lidar_app.exports.kitti_camera import HEIGHT, WIDTH
from lidar_app.exports.scan_points import end_pose

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_app.datasets.class_map import ClassMap
    from lidar_app.datasets.formats.index import Counted
    from lidar_app.datasets.scenes import DataScene

USE = """\
- OpenPCDet: link this folder as `data/kitti`, then

      python -m pcdet.datasets.kitti.kitti_dataset create_kitti_infos \\
          tools/cfgs/dataset_configs/kitti_dataset.yaml

  with `USE_ROAD_PLANE: False` in it, as there are no road planes.
- MMDetection3D: link this folder as `data/kitti`, then

      python tools/create_data.py kitti --root-path data/kitti --out-dir data/kitti \\
          --extra-tag kitti

The images are black: they stand for a virtual camera, at the lidar, with the projection of KITTI's
left colour camera. Only objects in its image have boxes.
"""
NO_OBJECT = "DontCare -1 -1 -10 0 0 0 0 -1 -1 -1 -1000 -1000 -1000 -10"
"""Label line for a sample without boxes, as readers expect at least one line."""


class KittiSet:
    """Writes scenes in the layout of KITTI's object data set.

    Parameters
    ----------
    folder : Path
        The folder of the data set.
    classes : ClassMap
        The classes; their names are the types in label files.
    """

    def __init__(self, folder: Path, classes: ClassMap) -> None:
        self._folder, self._names = folder, ("", *classes.names)
        self._image = black_image(WIDTH, HEIGHT)
        self._lists: dict[str, list[str]] = {"train": [], "val": [], "test": []}
        self._rows: list[SampleRow] = []
        self._numbers = {"training": 0, "testing": 0}

    def add(self, scene: DataScene, split: str, counted: Counted) -> None:
        """Write the scans of a run (a scene) as samples.

        They go into the folder ``testing`` if the split is "test", else into ``training``. Labels
        contain the boxes that have points and are in the image of the virtual camera.

        Parameters
        ----------
        scene : DataScene
            The run.
        split : {'train', 'val', 'test'}
            Split of the run.
        counted : callable
            Takes the scans; returns an iterable of them that shows progress.
        """
        part = "testing" if split == "test" else "training"
        place = self._folder / part
        (place / "image_2").mkdir(parents=True, exist_ok=True)
        for sample in scene.samples(counted):
            name = f"{self._numbers[part]:06d}"
            self._numbers[part] += 1
            write_sample(place, name, sample.points)
            (place / "image_2" / f"{name}.png").write_bytes(self._image)
            seen = sample.chosen(sample.boxes.points > 0)
            kinds = [self._names[each] for each in seen.box_classes.tolist()]
            lines = list(label_lines(kinds, seen.boxes, end_pose(sample.scan)))
            write_label(place, name, lines or [NO_OBJECT])
            self._lists[split].append(name)
            self._rows.append(SampleRow.of(f"{part}/{name}", split, scene, sample, len(lines)))

    def finish(self) -> None:
        """Write the lists of samples in each split, and the table of samples."""
        both = sorted(self._lists["train"] + self._lists["val"])
        write_lists(self._folder / "ImageSets", {**self._lists, "trainval": both})
        write_samples(self._folder, self._rows)
