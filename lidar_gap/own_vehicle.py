# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Masks of pixels that always hit the sensor's own vehicle, or the person who carries it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lidar_base.errors import NOT_NUMPY, BoundError, YamlFileError
from lidar_base.files.arrays import checked_array
from lidar_base.files.whole_files import check_regular
from lidar_base.files.yaml_files import read_yaml
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_gap.layout import Layout

_EXPECTED = "expected boxes: a list of center_m: [x, y, z], size_m: [l, w, h] and perhaps yaw_deg"
_KEYS = {"center_m", "size_m", "yaw_deg"}


class Box(NamedTuple):
    """A box in the sensor frame; pixels whose beams hit it are left out of a comparison.

    Attributes
    ----------
    center_m : (float, float, float)
        Centre: x forward, y left, z up. [m]
    size_m : (float, float, float)
        Length, width and height: along x, y and z before the box is turned. [m]
    yaw_deg : float
        Angle by which the box is turned about z, counter-clockwise seen from above. [deg]
    """

    center_m: tuple[float, float, float]
    size_m: tuple[float, float, float]
    yaw_deg: float = 0.0


def mask_from_file(path: Path, layout: Layout) -> NDArray[np.bool_]:
    """Return the pixels that a mask file leaves out of the comparison.

    Parameters
    ----------
    path : Path
        Either an image (PNG, npy) with the layout's rings as rows and its columns: nonzero pixels
        are left out. Or boxes in the sensor frame (JSON, YAML): pixels whose beams hit a box are
        left out.
    layout : Layout
        Rings and columns of the range images that are compared.

    Returns
    -------
    bool (n_ring, n_column)
        True for pixels that are left out.

    Raises
    ------
    InputError
        If the file is of another format or cannot be read, or the image does not have the size of
        the layout.
    """
    suffix = path.suffix.lower()
    if suffix in (".json", ".yaml", ".yml"):
        return box_mask(layout, _read_boxes(path))
    if suffix not in (".png", ".npy"):
        raise InputError(f"{path}: is of no known format, expected .png, .npy, .json or .yaml")
    image = _read_image(path)
    if image.ndim == 3 and image.shape[2]:
        image = image[:, :, :3].max(axis=2)
    shape = layout.n_ring, layout.n_column
    if image.shape != shape:
        raise InputError(f"{path}: got an image of {image.shape}, expected {shape}: rings, columns")
    mask: NDArray[np.bool_] = image != 0
    return mask


def box_mask(layout: Layout, boxes: Sequence[Box]) -> NDArray[np.bool_]:
    """Return for each pixel of a layout whether its beam hits a box, bool (n_ring, n_column).

    Parameters
    ----------
    layout : Layout
        Rings and columns of the range images; it gives origin and direction of each beam.
    boxes : sequence of Box
        The boxes. Without any, all pixels are False. A beam that starts in a box hits it.
    """
    origin, direction = layout.beams()
    mask = np.zeros(origin.shape[:2], bool)
    for box in boxes:
        turn = math.radians(box.yaw_deg)
        c, s = math.cos(turn), math.sin(turn)
        box_from_sensor = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        start = (origin - box.center_m) @ box_from_sensor.T
        along = direction @ box_from_sensor.T
        along = np.where(along == 0.0, 1e-12, along)
        half = np.array(box.size_m) / 2.0
        with np.errstate(over="ignore"):  # boxes may be of any size
            one, other = (-half - start) / along, (half - start) / along
        enters = np.minimum(one, other).max(axis=-1)
        leaves = np.maximum(one, other).min(axis=-1)
        mask |= leaves >= np.maximum(enters, 0.0)
    return mask


def _read_image(path: Path) -> NDArray[Any]:
    try:
        check_regular(path)
        if path.suffix.lower() == ".npy":
            with path.open("rb") as file:
                return checked_array(file)
        from lidar_gap.pictures.figures import imread  # noqa: PLC0415  the extra plot

        return np.asarray(imread(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except BoundError as error:
        raise InputError(f"{path}: {error}") from None
    except (*NOT_NUMPY, SyntaxError) as error:
        raise InputError(f"{path}: is not an image, or is damaged") from error


def _read_boxes(path: Path) -> list[Box]:
    """Return the boxes of a YAML or JSON file."""
    try:
        content = read_yaml(path)
    except YamlFileError as error:
        raise InputError(str(error)) from error
    listed = content.get("boxes")
    if not isinstance(listed, list) or not listed:
        raise InputError(f"{path}: {_EXPECTED}")
    return [_box(path, number, each) for number, each in enumerate(listed)]


def _box(path: Path, number: int, given: object) -> Box:
    where = f"{path}: boxes[{number}]"
    if (
        not isinstance(given, dict)
        or set(given) - _KEYS
        or not {"center_m", "size_m"} <= set(given)
    ):
        raise InputError(f"{where}: {_EXPECTED}")
    center, size = (_three(where, key, given[key]) for key in ("center_m", "size_m"))
    if min(size) <= 0.0:
        raise InputError(f"{where}: size_m: got {list(size)}, expected values above 0")
    (yaw_deg,) = _numbers(where, "yaw_deg", [given.get("yaw_deg", 0.0)])
    return Box(center, size, yaw_deg)


def _three(where: str, key: str, given: object) -> tuple[float, float, float]:
    values = _numbers(where, key, given)
    if len(values) != 3:
        raise InputError(f"{where}: {key}: got {len(values)} numbers, expected 3")
    return values[0], values[1], values[2]


def _numbers(where: str, key: str, given: object) -> list[float]:
    values: list[Any] = given if isinstance(given, list) else [None]
    if any(isinstance(v, bool) or not isinstance(v, int | float) for v in values) or not all(
        map(math.isfinite, values)
    ):
        raise InputError(f"{where}: {key}: got {given!r:.60}, expected finite numbers")
    return [float(value) for value in values]
