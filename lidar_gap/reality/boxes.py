# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of matt boxes: their mesh, their materials and a configuration of one sensor in them."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, NamedTuple

from lidar_base.files.whole_files import make_folder, replacing
from osi_lidar.config import load_config
from osi_lidar.sensors.presets import load_preset

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from osi_lidar.config import Config

MESH, MATERIALS, CONFIG = "scene.obj", "materials.yaml", "config.yaml"
_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
_ANGLES_DEG = (0, 15, 30, 45, 60, 70, 80, 85, 90)


class MattBox(NamedTuple):
    """A box with a matt (diffusely reflecting) surface.

    Attributes
    ----------
    corners_m : float64 (8, 3)
        Corner 4 i + 2 j + k is at the low (0) or high (1) end of x (i), y (j) and z (k). [m]
    percent : float
        Reflectivity [%].
    """

    corners_m: NDArray[np.float64]
    percent: float


def write_scene(folder: Path, boxes: Sequence[MattBox], sensor: Mapping[str, object]) -> Config:
    """Write mesh, materials and configuration of a scene into a folder; return the `Config`.

    The files are named `MESH`, `MATERIALS` and `CONFIG`. Raise OutputError if one cannot be
    written.

    Parameters
    ----------
    folder : Path
        The folder; it is created if it does not exist.
    boxes : sequence of MattBox
        Boxes around the sensor, in the sensor frame.
    sensor : mapping
        Keys of the sensor's configuration, ``preset`` among them.
    """
    make_folder(folder)
    wavelength_nm = load_preset(str(sensor["preset"])).wavelength_nm
    at_origin = {"x_m": 0.0, "y_m": 0.0, "z_m": 0.0}
    sections = {
        "version": 1,
        "sensors": [{"name": "lidar", "mounting": at_origin, **sensor}],
        "scene": {"environment": [{"mesh": MESH, "up": "z", "forward": "x"}], "ground": "none"},
        "materials": {"mapping": MATERIALS},
        "output": {"sensor_data": "none"},
    }
    for name, text in (
        (MESH, _obj(boxes)),
        (MATERIALS, json.dumps(_mapping(boxes, wavelength_nm), indent=1)),
        (CONFIG, json.dumps(sections, indent=1)),
    ):
        with replacing(folder / name) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8")
    return load_config(folder / CONFIG)


def _mapping(boxes: Sequence[MattBox], wavelength_nm: float) -> dict[str, object]:
    """Return a mapping table with a matt material per reflectivity, at the sensor's wavelength."""
    define = {}
    for percent in sorted({each.percent for each in boxes}):
        cosines = {angle: math.cos(math.radians(angle)) for angle in _ANGLES_DEG}
        define[f"matt_{percent:.2f}"] = {
            "reflectance": [
                [angle, round(percent / 100 * cosine, 6)] for angle, cosine in cosines.items()
            ],
            "wavelength_nm": wavelength_nm,
        }
    return {"define": define, "materials": {name: name for name in define}}


def _obj(boxes: Sequence[MattBox]) -> str:
    """Return the content of an OBJ file with the boxes."""
    lines = []
    for number, box in enumerate(boxes):
        lines += [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in box.corners_m]
        lines.append(f"usemtl matt_{box.percent:.2f}")
        lines += [
            "f " + " ".join(str(8 * number + corner + 1) for corner in face) for face in _FACES
        ]
    return "\n".join(lines)
