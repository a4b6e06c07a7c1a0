# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Layout of nuScenes: tables, sweeps and samples of several lidars, and labels of points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.datasets.formats.index import black_image
from lidar_app.datasets.formats.nuscenes_cameras import CAMERAS, IMAGE, IMAGE_SIZE, LIDARS
from lidar_app.datasets.formats.nuscenes_labels import PointLabels
from lidar_app.datasets.formats.nuscenes_scene import SceneWriter
from lidar_app.datasets.formats.nuscenes_tables import (
    SceneNames,
    Tables,
    attributes,
    token,
    visibilities,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lidar_app.datasets.class_map import ClassMap
    from lidar_app.datasets.formats.index import Counted
    from lidar_app.datasets.formats.nuscenes_tables import Row
    from lidar_app.datasets.scenes import DataScene

VERSIONS = {"train": "v1.0-trainval", "val": "v1.0-trainval", "test": "v1.0-test"}
"""Folder of the tables of each split."""
USE = """\
- nuscenes-devkit: `NuScenes(version="v1.0-trainval", dataroot="DIR")`, and `v1.0-test`. Splits are
  as in the devkit, by the names of scenes; `get_scenes_of_split("osi_train", ..)` and `osi_val`
  have also those beyond its 700 and 150.
- MMDetection3D: link this folder as `data/nuscenes`, then

      python tools/create_data.py nuscenes --root-path data/nuscenes --out-dir data/nuscenes \\
          --extra-tag nuscenes

- OpenPCDet: link this folder as `data/nuscenes/v1.0-trainval`, then

      python -m pcdet.datasets.nuscenes.nuscenes_dataset --func create_nuscenes_infos \\
          --cfg_file tools/cfgs/dataset_configs/nuscenes_dataset.yaml --version v1.0-trainval

The cameras are virtual: readers want them, and their picture is black. The maps are black, too.
Lidars have x ahead, unlike in nuScenes: `calibrated_sensor` says so.
"""


class NuscenesSet:
    """Writes scenes in the layout of nuScenes.

    Parameters
    ----------
    folder : Path
        The folder of the data set.
    classes : ClassMap
        The classes, which become categories.

    Raises
    ------
    InputError
        If the number of a class is larger than nuScenes allows.
    """

    def __init__(self, folder: Path, classes: ClassMap) -> None:
        PointLabels(classes)  # raises early if a number is too large
        self._folder, self._classes = folder, classes
        self._names = SceneNames()
        self._versions: dict[str, Tables] = {}
        self._splits: dict[str, list[str]] = {}
        self._begins_us: set[int] = set()
        self._channels: set[str] = set(CAMERAS)
        for channel in CAMERAS:
            place = folder / "samples" / channel
            place.mkdir(parents=True)
            (place / IMAGE).write_bytes(black_image(*IMAGE_SIZE))

    def add(self, scene: DataScene, split: str, counted: Counted) -> None:
        """Write clouds, labels and table rows of a run (a scene).

        The scene gets the next free scene name of its split. If another scene begins at the same
        time, its times are delayed by whole days.

        Parameters
        ----------
        scene : DataScene
            The run.
        split : {'train', 'val', 'test'}
            Split of the run.
        counted : callable
            Takes the scans; returns an iterable of them that shows progress.
        """
        version = VERSIONS[split]
        name = self._names.take(split)
        writer = SceneWriter(self._folder, version, name, scene, self._classes)
        while writer.begin_us in self._begins_us:
            writer.delay()
        self._begins_us.add(writer.begin_us)
        writer.write(counted)
        tables = self._tables(version)
        for table, rows in writer.rows.items():
            tables.add(table, rows)
        self._channels.update(writer.channels.values())
        self._splits.setdefault(f"osi_{split}", []).append(name)

    def finish(self) -> None:
        """Write the tables that all scenes share, and close the JSON files of all tables.

        Call it after the last scene. Until then, the files that `add` writes are not valid JSON.
        """
        for version, tables in self._versions.items():
            tables.add("category", self._categories())
            tables.add("attribute", attributes())
            tables.add("visibility", visibilities())
            tables.add("sensor", self._sensors())
            own = [f"osi_{split}" for split, each in VERSIONS.items() if each == version]
            tables.close({name: self._splits.get(name, []) for name in own})

    def _tables(self, version: str) -> Tables:
        if version not in self._versions:
            self._versions[version] = Tables(self._folder / version)
        return self._versions[version]

    def _sensors(self) -> Iterator[Row]:
        for channel in sorted(self._channels):
            modality = "lidar" if channel.startswith(LIDARS) else "camera"
            yield {"token": token("sensor", channel), "channel": channel, "modality": modality}

    def _categories(self) -> Iterator[Row]:
        """Yield the categories in the order of their numbers, "unlabelled" (0) included."""
        names = dict(zip(self._classes.numbers, self._classes.names, strict=True))
        for number, name in sorted({0: "unlabelled", **names}.items()):
            row = {"token": token("category", name), "name": name, "description": ""}
            yield {**row, "index": number}
