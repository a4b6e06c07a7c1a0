# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The folder of a scene: trace, meshes, configuration, and a description that marks it as ours.

scene/
    scene.json      objects by OSI id, frames, what was left out; written first and last
    trace.osi       OSI GroundTruth
    lidar.yaml      configuration of osi-lidar (JSON, which is YAML too)
    meshes/         glTF files, and images
    replay.log      output of osi-lidar
    run/            results of osi-lidar
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import SceneError
from .glb import Surface, glb_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FORMAT = "osi-lidar Blender scene 1"
DESCRIPTION, TRACE, CONFIGURATION, MESHES = "scene.json", "trace.osi", "lidar.yaml", "meshes"
SENSOR = "lidar"
"""Name of the sensor, and so of its folder in the run."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_PLAIN = re.compile(r"[A-Za-z0-9_-]+\.[a-z]+")


class SceneFolder:
    """A folder that an export fills.

    Parameters
    ----------
    path : Path
        The folder. It may be absent or empty, or hold an earlier export, which is replaced.

    Attributes
    ----------
    path : Path
        The folder.

    Raises
    ------
    SceneError
        The folder holds something else, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stored: set[str] = set()
        try:
            (path / MESHES).parent.mkdir(parents=True, exist_ok=True)
            _remove_earlier(path)
            (path / MESHES).mkdir(exist_ok=True)
        except OSError as error:
            raise SceneError(f"{path}: cannot be written: {error.strerror}") from error
        self.describe({})

    def store_mesh(self, name: str, surface: Surface) -> str:
        """Write a mesh unless one with the same content is there, and return its reference.

        Parameters
        ----------
        name : str
            Name of an object that has it; becomes part of the file's name.
        surface : Surface
            The triangles.

        Returns
        -------
        str
            Path relative to the folder.
        """
        return f"{MESHES}/{self.store(name, '.glb', glb_of(surface))}"

    def store(self, name: str, suffix: str, data: bytes) -> str:
        """Write a file into the folder of meshes, and return its name, which has a content hash."""
        digest = hashlib.sha256(data).hexdigest()[:12]
        file = f"{_UNSAFE.sub('_', name)[:40]}-{digest}{suffix}"
        if file not in self._stored:
            self.write(f"{MESHES}/{file}", [data])
            self._stored.add(file)
        return file

    def write(self, name: str, parts: Iterable[bytes]) -> None:
        """Write a file of the folder, complete or not at all.

        Raises
        ------
        SceneError
            The file cannot be written.
        """
        target = self.path / name
        temporary = target.with_name(f".{target.name}.part")
        try:
            try:
                with temporary.open("wb") as file:
                    file.writelines(parts)
                temporary.replace(target)
            finally:
                temporary.unlink(missing_ok=True)
        except OSError as error:
            raise SceneError(f"{target}: cannot be written: {error.strerror}") from error

    def describe(self, content: dict[str, Any]) -> None:
        """Write the description, `scene.json`, which also marks the folder as an export of ours."""
        described = {"format": FORMAT, **content, "meshes": sorted(self._stored)}
        text = json.dumps(described, indent=1, ensure_ascii=False) + "\n"
        self.write(DESCRIPTION, [text.encode()])


def description_of(path: Path) -> dict[str, Any]:
    """Return the description of a folder of an earlier export.

    Raises
    ------
    SceneError
        The folder has no readable description.
    """
    file = path / DESCRIPTION
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise SceneError(
            f"{file}: cannot be read as JSON, expected the scene file that an export writes"
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise SceneError(f"{file}: is not a scene of osi-lidar, expected the format {FORMAT!r}")
    return content


def _remove_earlier(path: Path) -> None:
    """Remove the meshes of an earlier export; SceneError if the folder holds anything else."""
    if not any(path.iterdir()):
        return
    try:
        earlier = description_of(path)
    except SceneError as error:
        raise SceneError(
            f"{path}: contains other files, expected an empty folder or an earlier export"
        ) from error
    for name in earlier.get("meshes", ()):
        if isinstance(name, str) and _PLAIN.fullmatch(name):
            (path / MESHES / name).unlink(missing_ok=True)


def configuration(
    *, preset: str, columns: int, fidelity: str, patterns: bool, mapping: str
) -> dict[str, Any]:
    """Return the configuration of osi-lidar for a scene.

    Parameters
    ----------
    preset : str
        Name of a known sensor.
    columns : int
        Columns per turn, 0 for the preset's.
    fidelity : str
        `ideal` or `physical`.
    patterns : bool
        Whether surfaces get a reflectivity pattern from the images of their base colours.
    mapping : str
        Path of a mapping table of materials; empty for none.
    """
    sensor: dict[str, Any] = {"name": SENSOR, "preset": preset, "fidelity": fidelity}
    sensor["mounting"] = {"x_m": 0.0, "y_m": 0.0, "z_m": 0.0}  # the sensor is the host's origin
    if columns:
        sensor["columns"] = columns
    upright = {"match": {"model_reference": "*"}, "up": "z", "forward": "x", "fit": True}
    scene = {"objects": [upright], "roads": False, "ground": "none", "articulation": "none"}
    if patterns:
        scene["images"] = "base_color"
    content: dict[str, Any] = {
        "version": 1,
        "sensors": [{**sensor, "deskew": True}],
        "scene": scene,
    }
    if mapping:
        content["materials"] = {"mapping": mapping}
    return content


def is_flat(surface: Surface) -> bool:
    """Return whether a surface has no triangles, or corners that are not finite."""
    return not len(surface.triangles) or not np.isfinite(surface.points).all()
