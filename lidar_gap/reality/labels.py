# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Labels of objects in KITTI's format, in the frame of the lidar.

Each line describes one object: class, truncation, state of occlusion, observation angle, box in the
image, height, width and length, centre of the bottom in the camera frame, and rotation. The
rotation is applied about the lidar's -z axis, because the camera may be tilted; View-of-Delft
defines it so, and most readers of KITTI do the same. Boxes are upright in the lidar frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.files.whole_files import check_regular
from lidar_gap.metrics.objects import ObjectBoxes
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

FREE, PARTLY = 0, 1
"""States of occlusion: visible, and partly hidden. Higher states: largely hidden, and unknown."""
_FEWEST, _MOST = 15, 16  # number of words in a line, without and with a score
# places of the numbers in a line, after the class
_BOX, _SIZE, _PLACE, _TURN = slice(3, 7), slice(7, 10), slice(10, 13), 13
_FARTHEST_M, _LARGEST_M = 1e4, 1e3
_TRANSFORM, _CAMERA, _RECTIFICATION = "Tr_velo_to_cam", "P2", "R0_rect"
_HIDDEN = 0.2  # an object is cut if more of its box's width or height is beyond the border
_BORDER = 0.05  # margin along the image's borders, as a share of its size
_NEAREST_M = 0.1  # least distance in front of the camera
_UNLABELLED = "DontCare"  # class of image regions in which KITTI labels no objects


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledObjects:
    """Objects of one frame, in the frame of the lidar.

    Attributes
    ----------
    boxes : ObjectBoxes
        Boxes and classes of the objects.
    occluded : int64 (n_object,)
        State of occlusion: 0 visible, 1 partly hidden, 2 largely hidden, 3 unknown.
    cut : bool (n_object,)
        Whether the border of the camera image cuts off a part of the object.
    """

    boxes: ObjectBoxes
    occluded: NDArray[np.int64]
    cut: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.boxes)

    @property
    def distance_m(self) -> NDArray[np.float64]:
        """Distance of the middle of each box from the lidar, float64 (n_object,) [m]."""
        distance_m: NDArray[np.float64] = np.linalg.norm(self.boxes.centre_m, axis=1)
        return distance_m


def read_labels(labels: Path, calibration: Path) -> LabelledObjects:
    """Return the labelled objects of a frame.

    Parameters
    ----------
    labels, calibration : Path
        Text files in the format of KITTI's object data set. ``labels`` has a line for each object;
        lines of the class DontCare are left out.
        ``calibration`` has the pose of the lidar (``Tr_velo_to_cam``) and the camera's projection
        (``P2``).

    Raises
    ------
    InputError
        If a file cannot be read, or a line is not as expected; the message names the line.
    """
    matrices = _matrices(calibration)
    words = [(number, line.split()) for number, line in _lines(labels)]
    words = [(number, each) for number, each in words if each and each[0] != _UNLABELLED]
    rows = [_numbers(f"{labels}, line {number}", each) for number, each in words]
    table = np.array(rows, np.float64).reshape(len(rows), _FEWEST - 1)
    camera_from_lidar = matrices[_RECTIFICATION] @ matrices[_TRANSFORM]
    bottom = np.column_stack((table[:, _PLACE], np.ones(len(rows))))
    centre_m = (bottom @ np.linalg.inv(camera_from_lidar).T)[:, :3]
    size_m = table[:, _SIZE][:, ::-1].copy()  # length, width, height
    centre_m[:, 2] += size_m[:, 2] / 2
    boxes = ObjectBoxes(
        centre_m=centre_m,
        size_m=size_m,
        yaw_rad=-table[:, _TURN] - math.pi / 2,
        label=tuple(each[0] for _, each in words),
    )
    # no file states the size of the image; it is about twice the principal point
    camera = matrices[_CAMERA]
    return LabelledObjects(
        boxes=boxes,
        occluded=table[:, 1].astype(np.int64),
        cut=_cut(boxes, table[:, _BOX], camera @ camera_from_lidar, 2.0 * camera[:2, 2]),
    )


def corners_m(boxes: ObjectBoxes) -> NDArray[np.float64]:
    """Return the 8 corners of each box, float64 (n_box, 8, 3), in the frame of the boxes [m].

    ``boxes`` (`ObjectBoxes`) has n_box upright boxes. The four bottom corners come first. Each four
    are in the order rear right, rear left, front right, front left, with the front along the yaw.
    """
    signs = np.array([(x, y, z) for z in (-1, 1) for x in (-1, 1) for y in (-1, 1)]) / 2
    local = signs * boxes.size_m[:, None, :]
    cos, sin = np.cos(boxes.yaw_rad)[:, None], np.sin(boxes.yaw_rad)[:, None]
    x_m = cos * local[..., 0] - sin * local[..., 1]
    y_m = sin * local[..., 0] + cos * local[..., 1]
    return np.stack((x_m, y_m, local[..., 2]), axis=2) + boxes.centre_m[:, None, :]


def _cut(
    boxes: ObjectBoxes,
    stated: NDArray[np.float64],
    projection: NDArray[np.float64],
    image: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Return which boxes are cut off by a border of the image, bool (n_box,).

    The stated rectangle encloses the visible part of an object in the image. Rectangles of people
    are narrower than their projected boxes even in the middle of the image. So an object counts as
    cut only if its rectangle ends at a border.

    Parameters
    ----------
    boxes : ObjectBoxes
        The boxes.
    stated : float64 (n_box, 4)
        Rectangle of each object in the image: left, top, right, bottom. [pixel]
    projection : float64 (4, 4)
        Projection from the frame of the lidar into the image.
    image : float64 (2,)
        Width and height of the image. [pixel]
    """
    corners = corners_m(boxes)
    ones = np.ones((*corners.shape[:2], 1))
    seen = np.concatenate((corners, ones), axis=2) @ projection[:3].T
    before = seen[..., 2] > _NEAREST_M
    with np.errstate(divide="ignore", invalid="ignore"):
        pixels = seen[..., :2] / seen[..., 2:]
    low, high = pixels.min(axis=1), pixels.max(axis=1)
    beyond = np.hstack((stated[:, :2] - low, high - stated[:, 2:]))
    at_border = np.hstack((stated[:, :2] < _BORDER * image, stated[:, 2:] > (1 - _BORDER) * image))
    cut = at_border & (beyond > _HIDDEN * np.tile(high - low, 2))
    cut_off: NDArray[np.bool_] = ~before.all(axis=1) | cut.any(axis=1)
    return cut_off


def _lines(path: Path) -> list[tuple[int, str]]:
    """Return the lines of a text file with their numbers."""
    try:
        check_regular(path)
        return list(enumerate(path.read_text(encoding="utf-8").splitlines(), 1))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise InputError(f"{path}: cannot be read: {reason}") from None


def _numbers(where: str, words: list[str]) -> list[float]:
    """Return the numbers that follow the class in an object's line, without the optional score."""
    if not _FEWEST <= len(words) <= _MOST:
        raise InputError(
            f"{where}: got {len(words)} words, expected a class and {_FEWEST - 1} numbers (KITTI)"
        )
    row = _floats(where, words[1:])[: _FEWEST - 1]
    size_m, place_m = row[_SIZE], row[_PLACE]
    if not 0.0 < min(size_m) <= max(size_m) <= _LARGEST_M:
        raise InputError(
            f"{where}: got a size of {size_m} m, expected height, width and length, each above 0 m"
            f", up to {_LARGEST_M:g} m"
        )
    if max(map(abs, place_m)) > _FARTHEST_M:
        raise InputError(
            f"{where}: got a position of {place_m} m, expected at most {_FARTHEST_M:g} m from the "
            "camera"
        )
    if row[1] not in {0, 1, 2, 3}:
        raise InputError(f"{where}: got the occlusion {row[1]:g}, expected 0, 1, 2 or 3")
    return row


def _floats(where: str, words: list[str]) -> list[float]:
    """Return words as finite numbers; raise InputError for others."""
    try:
        numbers = [float(each) for each in words]
    except ValueError as error:
        raise InputError(f"{where}: {error}, expected a number") from None
    if not all(map(math.isfinite, numbers)):
        raise InputError(f"{where}: got a number that is not finite")
    return numbers


def _matrices(path: Path) -> Mapping[str, NDArray[np.float64]]:
    """Return the matrices of a calibration by name, float64 (4, 4)."""
    found = {_RECTIFICATION: np.eye(4)}
    for number, line in _lines(path):
        name, _, rest = line.partition(":")
        shape = {_TRANSFORM: (3, 4), _CAMERA: (3, 4), _RECTIFICATION: (3, 3)}.get(name.strip())
        if shape is None:
            continue
        numbers = _floats(f"{path}, line {number}", rest.split())
        if len(numbers) != shape[0] * shape[1]:
            n = shape[0] * shape[1]
            raise InputError(f"{path}, line {number}: got {len(numbers)} numbers, expected {n}")
        found[name.strip()] = np.eye(4)
        found[name.strip()][: shape[0], : shape[1]] = np.reshape(numbers, shape)
    for name in (_TRANSFORM, _CAMERA):
        if name not in found:
            raise InputError(f"{path}: has no matrix {name}, expected a KITTI calibration")
    for name in (_TRANSFORM, _RECTIFICATION):
        turn = found[name][:3, :3]
        is_rotation = np.allclose(turn @ turn.T, np.eye(3), atol=0.01) and np.linalg.det(turn) > 0.0
        if not is_rotation:
            raise InputError(f"{path}: {name} is not a rotation, expected an orthonormal matrix")
    if not (found[_CAMERA][2, :3] != 0.0).any():
        raise InputError(f"{path}: {_CAMERA} is not the projection matrix of a camera")
    return found
