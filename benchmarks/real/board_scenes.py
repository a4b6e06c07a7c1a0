# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boards as meshes before a wall, and simulated scans of them."""

import itertools
import json
import math
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from board_pattern import whiteness
from board_poses import Board, Pose
from board_scans import Scan, scan_of_points
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import FrameDecoder
from osi_lidar import LidarModel, load_config
from raycore.pattern.scan_pattern import ScanPattern

N_ARC = 64
"""Number of corners of a hole."""
WALL_M = 6.0
"""Half the side of the wall behind a board."""
ANGLES_DEG = (0, 15, 30, 45, 60, 70, 80, 85, 90)


def board_faces(board: Board):
    """Yield each face of a board, as corners in its plane (float64 (4, 2)), and its material."""
    cuts = []
    for axis, size_m in enumerate(board.size_m):
        half = board.n_squares[axis] / 2 * board.square_m
        of_squares = np.linspace(-half, half, board.n_squares[axis] + 1)
        of_holes = [hole[axis] + sign * _cell_m(hole) for hole in board.holes_m for sign in (-1, 1)]
        ends = [-size_m / 2, size_m / 2]
        cuts.append(np.unique(np.round([*ends, *of_holes, *(of_squares if half else ())], 6)))
    for x_m, y_m in itertools.product(*(list(itertools.pairwise(each)) for each in cuts)):
        middle = np.array([np.mean(x_m), np.mean(y_m)])
        hole = _hole_at(board, middle)
        if hole is not None:
            yield from ((face, "white") for face in _around(hole))
            continue
        face = np.array([(x_m[i], y_m[j]) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))])
        white = not board.square_m or whiteness(board, middle) == 1.0
        yield face, "white" if white else "black"


def _cell_m(hole: tuple[float, float, float]) -> float:
    return 1.2 * hole[2]


def _hole_at(board: Board, place_m: np.ndarray):
    for hole in board.holes_m:
        if (np.abs(place_m - hole[:2]) < 0.1 * hole[2]).all():
            return hole
    return None


def _around(hole: tuple[float, float, float]):
    """Yield the faces between a hole and the square around it, float64 (4, 2) each."""
    turns = np.linspace(0.0, 2 * math.pi, N_ARC + 1)
    circle = np.c_[np.cos(turns), np.sin(turns)]
    inner = hole[2] * circle + hole[:2]
    outer = _cell_m(hole) * circle / np.abs(circle).max(axis=1, keepdims=True) + hole[:2]
    for a, b in itertools.pairwise(range(N_ARC + 1)):
        yield np.array([inner[a], outer[a], outer[b], inner[b]])


class Scene(NamedTuple):
    """A board before a wall, with the sensor at the origin.

    Attributes
    ----------
    board : Board
        Shape of the board.
    pose : Pose
        Pose of the board.
    wall : Pose
        Pose of the wall.
    share : dict of str to float
        Reflectivity of the materials ``white``, ``black`` and ``behind`` (the wall); all are matt.
    """

    board: Board
    pose: Pose
    wall: Pose
    share: dict[str, float]

    def write(self, path: Path) -> Path:
        """Write the board before the wall as an OBJ file in the frame of the sensor."""
        square = WALL_M * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        faces = [(self.pose, *each) for each in board_faces(self.board)]
        lines = []
        for number, (frame, corner_m, name) in enumerate([*faces, (self.wall, square, "behind")]):
            at_m = frame.middle_m + corner_m @ frame.axes[:2]
            lines += [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in at_m]
            corners = " ".join(str(4 * number + corner) for corner in (1, 2, 3, 4))
            lines += [f"usemtl {name}", f"f {corners}"]
        path.write_text("\n".join(lines) + "\n")
        return path


def simulated(sensor: dict, scene: Scene, n_scan: int) -> list[Scan]:
    """Scan a scene ``n_scan`` times; return the scans, which differ in their noise.

    ``sensor`` has the keys of the sensor's configuration. If ``calibration`` is a dict, it is
    written to a file.
    """
    with tempfile.TemporaryDirectory() as name:
        model = _model(Path(name), sensor, scene.write(Path(name) / "board.obj"), scene.share)
    decoder = FrameDecoder("SensorView")
    found = []
    for number in range(n_scan):
        view = SensorView()
        for part in (view, view.global_ground_truth):
            part.timestamp.nanos = number * 10**8
        scan = model.step(decoder.decode(view.SerializeToString(), number)).scans[0]
        found.append(scan_of_points(scan.cloud.points, model.lidars[0].pattern))
    return found


def pattern_of(sensor: dict) -> ScanPattern:
    """Return the scan pattern of a sensor, given the keys of its configuration."""
    with tempfile.TemporaryDirectory() as name:
        return _model(Path(name), sensor, None, {}).lidars[0].pattern


def _model(folder: Path, sensor: dict, mesh: Path | None, share: dict) -> LidarModel:
    keys = {"name": "lidar", "mounting": {"x_m": 0.0, "y_m": 0.0, "z_m": 0.0}, **sensor}
    if "calibration" in keys:
        (folder / "unit.json").write_text(json.dumps(keys["calibration"]))
        keys["calibration"] = str(folder / "unit.json")
    matt = {
        f"matt_{name}": {
            "reflectance": [[a, round(value * math.cos(math.radians(a)), 6)] for a in ANGLES_DEG],
            "wavelength_nm": 905,
        }
        for name, value in share.items()
    }
    mapping = {"define": matt, "materials": {name: f"matt_{name}" for name in share}}
    (folder / "materials.yaml").write_text(json.dumps(mapping))
    meshes = [{"mesh": str(mesh), "up": "z", "forward": "x"}] if mesh else []
    sections = {
        "sensors": [keys],
        "scene": {"environment": meshes, "ground": "none"},
        "materials": {"mapping": str(folder / "materials.yaml")},
        "output": {"pcd": "none", "sensor_data": "none"},
    }
    config = folder / "config.yaml"
    config.write_text(json.dumps(sections))
    return LidarModel(load_config(config))
