# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Make the mesh of the perforated plate scenario: a plate with round holes in front of a wall.

    python make_plate.py [FOLDER]        (default: the folder of this script)

The files are always the same, byte for byte. The script needs only numpy. The mesh is in
millimetres, because the street's OBJ writer rounds to three decimals.
"""

import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "street"))

from maker.obj import write_obj  # noqa: E402

from lidar_scenery.shapes.solids import Array, SolidModel, box, grid_faces  # noqa: E402

HOLES = (7, 5)  # along y and z
PITCH_MM = 80.0  # distance between the centres of holes
RADIUS_MM = 20.0
THICKNESS_MM = 3.0
WALL_MM = 500.0  # distance of the wall behind the plate's front
N_SIDE = 64  # corners of a hole; a multiple of 8, so that some lie towards the corners of its cell
COLOURS = {"Plate": (0.75, 0.77, 0.80), "Wall": (0.90, 0.88, 0.80)}


def hole_centres_mm() -> Array:
    """Return y and z of the centre of each hole, (n_hole, 2)."""
    along_y, along_z = (PITCH_MM * (np.arange(n) - (n - 1) / 2) for n in HOLES)
    y, z = np.meshgrid(along_y, along_z)
    return np.stack([y.ravel(), z.ravel()], axis=1)


def plate() -> SolidModel:
    """Build the plate, with its front at x = 0 facing -x, and the wall behind it."""
    model = SolidModel()
    angle = 2 * np.pi * np.arange(N_SIDE + 1) / N_SIDE
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    square = circle / np.abs(circle).max(axis=1, keepdims=True) * PITCH_MM / 2
    # a polygon with the area of the circle
    hole = circle * RADIUS_MM * np.sqrt(2 * np.pi / N_SIDE / np.sin(2 * np.pi / N_SIDE))
    square[-1], hole[-1] = square[0], hole[0]
    for centre in hole_centres_mm():
        ring = np.stack([hole, square]) + centre
        front, back = (np.insert(ring, 0, x, axis=2) for x in (0.0, THICKNESS_MM))
        model.add("Plate", grid_faces(front))
        model.add("Plate", grid_faces(back[::-1]))
        model.add("Plate", grid_faces(np.stack([front[0], back[0]])))
        rim = grid_faces(np.stack([back[1], front[1]]))
        model.add("Plate", [quad for quad in rim if _on_outline(quad)])
    model.add("Wall", box((WALL_MM, -2000, -2000), (WALL_MM, 2000, 2000), sides="x"))
    return model


def _on_outline(quad: Array) -> bool:
    """Return whether all corners of a quad lie on one edge of the plate."""
    half = np.array(HOLES) * PITCH_MM / 2
    on_edge = [np.isclose(quad[:, 1:], sign * half).all(axis=0).any() for sign in (-1, 1)]
    return any(on_edge)


def main(folder: Path) -> None:
    """Write the mesh and its colours into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_obj(plate(), folder / "plate.obj", COLOURS, unit="millimetres")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
