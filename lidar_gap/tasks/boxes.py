# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes that a detector found or a person labelled, and their tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.files.bounds import MOST_OF_A_FRAME
from lidar_gap.tasks.tables import Column, read_table
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

    from lidar_gap.tasks.tables import InputTable

ONE_CLASS = "object"
"""Class of all boxes of a table without classes."""
_CENTRE, _SIZE = ("x", "y", "z"), ("length", "width", "height")
_BOX_COLUMNS = (
    Column(name="frame", kind="whole"),
    *(Column(name=name) for name in _CENTRE),
    *(Column(name=name, positive=True) for name in _SIZE),
    Column(name="yaw", needed=False),
    Column(name="yaw_deg", needed=False),
    Column(name="class", kind="text", needed=False),
    Column(name="actor", kind="text", needed=False),
    Column(name="id", kind="text", needed=False),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes:
    """Upright boxes of all frames of a run, in the order of their table.

    Attributes
    ----------
    frame : int64 (n_box,)
        Number of the frame in which each box was found.
    centre_m : float64 (n_box, 3)
        Centre, z up. [m]
    size_m : float64 (n_box, 3)
        Length, width and height. [m]
    yaw_rad : float64 (n_box,)
        Heading of the length, counter-clockwise from x. [rad]
    category : text (n_box,)
        Class, such as ``car``.
    score : float64 (n_box,)
        Confidence of the detector, 1 for labels; only the order of scores is used.
    actor : text (n_box,) or None
        Name of the actor whose trajectory is predicted; None if the table has no such column.
    track : text (n_box,) or None
        Name of the object, the same in all frames; None if the table has no such column.
    """

    frame: NDArray[np.int64]
    centre_m: NDArray[np.float64]
    size_m: NDArray[np.float64]
    yaw_rad: NDArray[np.float64]
    category: NDArray[np.str_]
    score: NDArray[np.float64]
    actor: NDArray[np.str_] | None = None
    track: NDArray[np.str_] | None = None

    def __len__(self) -> int:
        return len(self.frame)

    def rows(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Boxes:
        """Return some of the boxes, chosen by a mask or by their indices."""
        return Boxes(
            frame=self.frame[chosen],
            centre_m=self.centre_m[chosen],
            size_m=self.size_m[chosen],
            yaw_rad=self.yaw_rad[chosen],
            category=self.category[chosen],
            score=self.score[chosen],
            actor=None if self.actor is None else self.actor[chosen],
            track=None if self.track is None else self.track[chosen],
        )


def read_boxes(path: Path, *, scored: bool = True) -> Boxes:
    """Read a table of boxes: a CSV file with a header, or a JSON list of objects.

    Parameters
    ----------
    path : Path
        The table. It must have the columns ``frame``, ``x``, ``y``, ``z``, ``length``, ``width``,
        ``height``, and either ``yaw`` [rad] or ``yaw_deg``. It may have ``class`` (default:
        `ONE_CLASS`), ``score``, ``actor`` and ``id``.
    scored : bool
        Whether the table must have scores: detections need them, labels do not. In a table without
        the column, all scores are 1.

    Raises
    ------
    InputError
        If the table cannot be used; the message names line and column.
    """
    table = read_table(path, (*_BOX_COLUMNS, Column(name="score", needed=scored)))
    columns = table.columns
    category = columns.get("class", np.full(len(table), ONE_CLASS))
    _check_groups(table, category)
    return Boxes(
        frame=columns["frame"],
        centre_m=np.stack([columns[name] for name in _CENTRE], axis=1),
        size_m=np.stack([columns[name] for name in _SIZE], axis=1),
        yaw_rad=_yaw_rad(path, columns),
        category=category,
        score=columns.get("score", np.ones(len(table))),
        actor=columns.get("actor"),
        track=columns.get("id"),
    )


def _check_groups(table: InputTable, category: NDArray[np.str_]) -> None:
    """Check that the boxes of a frame and class are few enough to be compared pair by pair."""
    groups = Counter(zip(table.columns["frame"].tolist(), category.tolist(), strict=True))
    for (frame, name), n in groups.most_common(1):
        if n > MOST_OF_A_FRAME:
            raise InputError(
                f"{table.path}: got {n} boxes of class {name} in frame {frame}, "
                f"expected at most {MOST_OF_A_FRAME}"
            )


def _yaw_rad(path: Path, columns: dict[str, NDArray[Any]]) -> NDArray[np.float64]:
    """Return the column ``yaw``, or ``yaw_deg`` in radians."""
    if "yaw" in columns:
        yaw_rad: NDArray[np.float64] = columns["yaw"]
        return yaw_rad
    if "yaw_deg" not in columns:
        raise InputError(f"{path}: has no heading, expected a column 'yaw' [rad] or 'yaw_deg'")
    from_degrees_rad: NDArray[np.float64] = np.radians(columns["yaw_deg"])
    return from_degrees_rad
