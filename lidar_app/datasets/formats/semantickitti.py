# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Layout of SemanticKITTI: a sequence for each sensor of a scene; configuration of its tools."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
import yaml

from lidar_app.datasets.formats.index import SampleRow, write_samples
from lidar_app.exports.labels import with_instances
from lidar_app.exports.semantickitti import ScanSequence

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_app.datasets.class_map import ClassMap
    from lidar_app.datasets.formats.index import Counted
    from lidar_app.datasets.scenes import DataScene

USE = """\
- semantic-kitti-api: `DIR` is this folder,

      ./visualize.py --config DIR/semantic-kitti.yaml --dataset DIR --sequence 00
      ./evaluate_semantics.py --datacfg DIR/semantic-kitti.yaml --dataset DIR \\
          --predictions PREDICTIONS --split valid

MMDetection3D's converter takes the sequences and their lengths from SemanticKITTI itself.
"""
CONFIG = "semantic-kitti.yaml"
_SPLITS = {"train": "train", "val": "valid", "test": "test"}


class SemantickittiSet:
    """Writes scenes in the layout of SemanticKITTI.

    Parameters
    ----------
    folder : Path
        The folder of the data set.
    classes : ClassMap
        The classes.
    """

    def __init__(self, folder: Path, classes: ClassMap) -> None:
        self._folder, self._classes = folder, classes
        self._numbers = np.array([0, *classes.numbers], np.uint16)
        self._splits: dict[str, list[int]] = {name: [] for name in _SPLITS.values()}
        self._rows: list[SampleRow] = []
        self._n_sequences = 0
        self._points: Counter[int] = Counter()

    def add(self, scene: DataScene, split: str, counted: Counted) -> None:
        """Write the scans of a run (a scene), one sequence for each sensor.

        Parameters
        ----------
        scene : DataScene
            The run.
        split : {'train', 'val', 'test'}
            Split of the run; SemanticKITTI calls "val" "valid".
        counted : callable
            Takes the scans; returns an iterable of them that shows progress.
        """
        sequences: dict[str, tuple[int, ScanSequence]] = {}
        instances: dict[int, int] = {}
        for sample in scene.samples(counted):
            row = sample.scan.row
            if row.sensor not in sequences:
                number, self._n_sequences = self._n_sequences, self._n_sequences + 1
                place = self._folder / "sequences" / f"{number:02d}"
                sequences[row.sensor] = number, ScanSequence(place)
                self._splits[_SPLITS[split]].append(number)
            number, sequence = sequences[row.sensor]
            classes = self._numbers[sample.classes]
            label = with_instances(classes, sample.points, instances)
            self._points.update(dict(enumerate(np.bincount(classes).tolist())))
            name = f"{number:02d}/{sequence.add(sample.scan, sample.points, label)}"
            self._rows.append(SampleRow.of(name, split, scene, sample))
        for _, sequence in sequences.values():
            sequence.close()

    def finish(self) -> None:
        """Write the table of samples, and the configuration for SemanticKITTI's tools."""
        write_samples(self._folder, self._rows)
        text = yaml.safe_dump(self._config(), sort_keys=False, default_flow_style=None)
        (self._folder / CONFIG).write_text(text, encoding="utf-8")

    def _config(self) -> dict[str, object]:
        """Return the configuration, with the keys of semantic-kitti.yaml."""
        classes = self._classes
        rows = list(zip(classes.numbers, classes.names, classes.entries, strict=True))
        labels = {0: "unlabeled", **{number: name for number, name, _ in rows}}
        colors = {0: [0, 0, 0], **{n: each.color or _color(name) for n, name, each in rows}}
        used = [each.learn or 0 for each in classes.entries]
        learned = {0: 0}
        for number, _, each in rows:
            new = max([*learned.values(), *used]) + 1
            learned[number] = (new if number else 0) if each.learn is None else each.learn
        inverse: dict[int, int] = {}
        for number, learn in learned.items():
            inverse.setdefault(learn, number)
        total = max(sum(self._points.values()), 1)
        return {
            "labels": labels,
            "color_map": colors,
            "content": {number: self._points[number] / total for number in labels},
            "learning_map": learned,
            "learning_map_inv": dict(sorted(inverse.items())),
            "learning_ignore": {learn: learn == 0 for learn in sorted(inverse)},
            "split": self._splits,
        }


def _color(name: str) -> list[int]:
    """Return a colour (blue, green, red) that depends only on a name."""
    return [64 + each % 192 for each in sha256(name.encode()).digest()[:3]]
