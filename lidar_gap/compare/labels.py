# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Labelled objects: boxes of the compared frames, counts of real and simulated points in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.files.whole_files import check_regular
from lidar_gap.metrics import objects
from lidar_gap.reading.arrow import check_arrow
from lidar_gap.reading.tables import NO_PYARROW, damage_as_input_error
from lidar_gap.records import kept_points
from lidar_gap.tasks.boxes import Boxes, read_boxes
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_gap.metrics.objects import ObjectCounts
    from lidar_gap.records import Pair

_SIZE = ("length_m", "width_m", "height_m")
_CENTRE = ("tx_m", "ty_m", "tz_m")
_TURN = ("qw", "qx", "qy", "qz")
_TRACK = "track_uuid"
_ARGOVERSE = ("timestamp_ns", *_SIZE, *_CENTRE, *_TURN, "category")


def read_labels(path: Path) -> Boxes:
    """Read labelled boxes: annotations of Argoverse 2 (``.feather``), or else a CSV or JSON table.

    The columns of a table are listed in `read_boxes`; a table needs no scores. In annotations of
    Argoverse 2, the boxes are in the frame of the vehicle, and `Boxes.frame` is the time [ns].

    Parameters
    ----------
    path : Path
        The file. Its suffix decides how it is read.

    Raises
    ------
    InputError
        If the file cannot be used, has no boxes, or pyarrow is not installed for annotations.
    """
    labels = _annotations(path) if path.suffix.lower() == ".feather" else _table(path)
    if not len(labels):
        raise InputError(f"{path}: has no boxes, expected one or more")
    return labels


def points_on_objects(
    pairs: Sequence[Pair], labels: Boxes, kept: NDArray[np.bool_]
) -> list[ObjectCounts]:
    """Count real and simulated points in labelled boxes, by class and range (measure M26).

    There is one `ObjectCounts` over all frames for each class and 10 m of range with objects.

    Parameters
    ----------
    pairs : sequence of Pair
        The compared frames.
    labels : Boxes
        Boxes in the coordinate frame of the clouds. If the names of all real clouds are different
        numbers, such as 000007 or a time, `Boxes.frame` is the number in the cloud's name.
        Otherwise it is the index of the pair, from 0.
    kept : bool (n_ring, n_column)
        Pixels that are compared; points in other pixels of the image are not counted.

    Raises
    ------
    InputError
        If no box belongs to a compared frame.
    """
    numbers = _frame_numbers(pairs)
    of_frames, real_rows, sim_rows = [], [], []
    for number, pair in zip(numbers, pairs, strict=True):
        of_frame = labels.rows(labels.frame == number)
        boxes = _around(of_frame)
        real = kept_points(pair.real, pair.real_image, kept)
        sim = kept_points(pair.sim, pair.sim_image, kept)
        of_frames.append(boxes)
        margin_m = objects.NOISE_M
        real_rows += objects.rows_in_boxes(real.points_m, boxes, margin_m=margin_m)
        sim_rows += objects.rows_in_boxes(sim.points_m, boxes, margin_m=margin_m)
    if not any(map(len, of_frames)):
        raise InputError(
            f"boxes: no box is in a compared frame: got boxes in frame {labels.frame[0]} .., "
            f"expected in {', '.join(map(str, numbers[:3]))}{' ..' if len(numbers) > 3 else ''}"
        )
    return objects.object_counts(real_rows, sim_rows, _together(of_frames))


def _around(labels: Boxes) -> objects.ObjectBoxes:
    return objects.ObjectBoxes(
        centre_m=labels.centre_m,
        size_m=labels.size_m,
        yaw_rad=labels.yaw_rad,
        label=tuple(labels.category.tolist()),
    )


def _frame_numbers(pairs: Sequence[Pair]) -> list[int]:
    """Return a number per frame: its name if all names are distinct numbers, else its index."""
    names = [pair.real.name for pair in pairs]
    if all(name.isascii() and name.isdigit() for name in names) and len(set(names)) == len(names):
        return [int(name) for name in names]
    return list(range(len(names)))


def _together(boxes: Sequence[objects.ObjectBoxes]) -> objects.ObjectBoxes:
    return objects.ObjectBoxes(
        centre_m=np.concatenate([each.centre_m for each in boxes]),
        size_m=np.concatenate([each.size_m for each in boxes]),
        yaw_rad=np.concatenate([each.yaw_rad for each in boxes]),
        label=tuple(label for each in boxes for label in each.label),
    )


def _table(path: Path) -> Boxes:
    return read_boxes(path, scored=False)


def _annotations(path: Path) -> Boxes:
    """Read ``annotations.feather`` of Argoverse 2, whose boxes are in the frame of the vehicle."""
    try:
        from pyarrow import feather  # noqa: PLC0415  an optional dependency
    except ImportError as error:
        raise InputError(f"{path}: {NO_PYARROW}") from error
    check_regular(path)
    with damage_as_input_error(path, "a file of annotations (Arrow)"):
        check_arrow(path)
        table = feather.read_table(path)
        missing = [name for name in _ARGOVERSE if name not in table.column_names]
        if missing:
            raise InputError(
                f"{path}: has no column {missing[0]!r}, expected annotations of Argoverse 2"
            )
        columns: dict[str, NDArray[Any]] = {
            name: table.column(name).to_numpy() for name in _ARGOVERSE
        }
        tracks: NDArray[np.str_] | None = None
        if _TRACK in table.column_names:
            tracks = np.array(table.column(_TRACK).to_pylist(), np.str_)
    w, x, y, z = (columns[name] for name in _TURN)
    return Boxes(
        frame=columns["timestamp_ns"].astype(np.int64),
        centre_m=np.stack([columns[name] for name in _CENTRE], axis=1),
        size_m=np.stack([columns[name] for name in _SIZE], axis=1),
        yaw_rad=np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)),
        category=np.array([name.lower() for name in columns["category"].tolist()], np.str_),
        score=np.ones(table.num_rows),
        track=tracks,
    )
