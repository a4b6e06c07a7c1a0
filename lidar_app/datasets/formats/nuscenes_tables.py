# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON tables of nuScenes: rows with hashed tokens, and rows that all sets share.

Source: nuscenes-devkit, docs/schema_nuscenes.md.
"""

from __future__ import annotations

import json
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, TypeAlias

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

Row: TypeAlias = "dict[str, object]"
TABLES = (
    *("category", "attribute", "visibility", "instance", "sensor", "calibrated_sensor"),
    *("ego_pose", "log", "scene", "sample", "sample_data", "sample_annotation", "map"),
    *("lidarseg", "panoptic"),
)
ATTRIBUTES = (
    *("vehicle.moving", "vehicle.stopped", "vehicle.parked", "cycle.with_rider"),
    *("cycle.without_rider", "pedestrian.sitting_lying_down", "pedestrian.standing"),
    "pedestrian.moving",
)
VISIBILITIES = (("1", "v0-40"), ("2", "v40-60"), ("3", "v60-80"), ("4", "v80-100"))
"""Tokens and levels of visibility [per cent]."""


def token(*parts: object) -> str:
    """Return the token (unique id) of a row: a hash of the parts, 32 hexadecimal digits."""
    return sha256("|".join(str(part) for part in parts).encode()).hexdigest()[:32]


class Tables:
    """Writes the tables of a nuScenes version row by row, each into a file TABLE.json.

    Parameters
    ----------
    folder : Path
        The folder of the version, such as v1.0-test; it is made, and must not exist.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._begun: set[str] = set()

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Append rows to the file of a table, which is valid JSON only after `close`."""
        with (self._folder / f"{table}.json").open("a", encoding="utf-8") as file:
            for row in rows:
                file.write(",\n" if table in self._begun else "[\n")
                file.write(json.dumps(row))
                self._begun.add(table)

    def close(self, splits: dict[str, list[str]]) -> None:
        """Complete the files of all tables, also empty ones, and write splits.json.

        `splits` are the scene names of each split.
        """
        for table in TABLES:
            with (self._folder / f"{table}.json").open("a", encoding="utf-8") as file:
                file.write("\n]\n" if table in self._begun else "[]\n")
        text = json.dumps(splits, indent=1) + "\n"
        (self._folder / "splits.json").write_text(text, encoding="utf-8")


def attributes() -> Iterator[Row]:
    """Yield the rows of attribute.json: states of objects, such as "vehicle.parked"."""
    for name in ATTRIBUTES:
        yield {"token": token("attribute", name), "name": name, "description": ""}


def visibilities() -> Iterator[Row]:
    """Yield the rows of visibility.json: four levels of visibility, see `VISIBILITIES`."""
    for number, level in VISIBILITIES:
        described = f"{level[1:]} % of the points that the object would have alone"
        yield {"token": number, "level": level, "description": described}


def linked(rows: list[Row]) -> list[Row]:
    """Return copies of rows, linked in their order by the keys `prev` and `next`.

    Both hold the token of the neighbouring row; an empty text at either end.
    """
    tokens = ["", *(str(row["token"]) for row in rows), ""]
    around = zip(rows, tokens, tokens[2:], strict=False)
    return [{**row, "prev": before, "next": after} for row, before, after in around]


def listed(numbers: NDArray[np.float64]) -> list[float]:
    """Return an array as a list of numbers for JSON, rounded to 9 decimals."""
    rounded: list[float] = (numbers.round(9) + 0.0).tolist()  # + 0.0: no -0.0
    return rounded


class SceneNames:
    """Hands out names for scenes: the official nuScenes names of each split, then other names.

    Converters of frameworks find out the split of a scene by its official name.
    """

    def __init__(self) -> None:
        path = files("lidar_app.datasets") / "maps" / "nuscenes_scenes.yaml"
        known = yaml.safe_load(path.read_text(encoding="utf-8"))
        self._free = {split: _numbers(text) for split, text in known.items()}
        self._more = iter(range(2001, 10**9))

    def take(self, split: str) -> str:
        """Return the next free name of a split, such as "scene-0061".

        If the official names are used up, names from "scene-2001" on follow, for all splits.
        """
        return f"scene-{next(self._free[split], None) or next(self._more):04d}"


def _numbers(text: str) -> Iterator[int]:
    """Yield the numbers in a text such as "3 5-7"."""
    for word in text.split():
        first, _, last = word.partition("-")
        yield from range(int(first), int(last or first) + 1)
