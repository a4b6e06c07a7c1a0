# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Make the mesh of the rendezvous scenario: a satellite with retroreflectors around its port.

    python make_rendezvous.py [FOLDER]        (default: the folder of this script)

The files are always the same, byte for byte. The script needs only numpy.
"""

import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "street"))

from maker.obj import write_lines, write_obj  # noqa: E402

from lidar_scenery.shapes.solids import Array, SolidModel, box, extruded, grid_faces, tube  # noqa: E402

Colour = tuple[float, float, float]
MATERIALS: dict[str, tuple[Colour, str]] = {  # colour in pictures, infrared material
    "Foil": ((0.85, 0.65, 0.20), "aluminium"),
    "Ring": ((0.70, 0.72, 0.75), "aluminium_anodised"),
    "Nozzle": ((0.35, 0.35, 0.37), "steel"),
    "Solar_Cells": ((0.08, 0.10, 0.30), "lambertian_10"),
    "Boom": ((0.20, 0.20, 0.22), "plastic_black"),
    "Dish": ((0.92, 0.92, 0.90), "plastic_white"),
    "Retroreflector": ((1.00, 0.20, 0.20), "retro_reflector"),
}
REFLECTOR_RADIUS_M = 0.1
REFLECTORS_M: tuple[tuple[float, float, float], ...] = (  # centres of their front faces
    *((-0.02, float(np.cos(a)), float(np.sin(a))) for a in np.radians((20, 75, 140))),
    *((-0.02, float(np.cos(a)), float(np.sin(a))) for a in np.radians((205, 270, 325))),
    (-0.9, 0.0, 0.0),  # on a post out of the plane of the others, for the tilt
    (1.53, 3.0, 0.0),
    (1.53, -3.0, 0.0),
)


def satellite() -> SolidModel:
    """Build the satellite: docking face at x = 0 towards -x, body behind it, panels along y."""
    model = SolidModel()
    model.add("Foil", box((0, -1.2, -1.2), (3.2, 1.2, 1.2)))
    _add_port(model)
    for side in (-1.0, 1.0):
        _add_panels(model, side)
    rim = np.linspace(0, 1, 6)
    dish = [(1.2 * r * r * 0.4, 0.9 * r) for r in rim]
    model.add("Dish", [_raised(face) for face in _revolved(dish, 24)])
    model.add("Boom", tube([(1.6, 0, 1.2), (1.6, 0, 2.1)], 0.06))
    for place in REFLECTORS_M:
        _add_reflector(model, place)
    return model


def _add_port(model: SolidModel) -> None:
    """Add the launch adapter ring, the nozzle within it and the post of a reflector."""
    model.add("Ring", _revolved([(0.0, 0.80), (-0.15, 0.80), (-0.15, 0.70), (0.0, 0.70)], 48))
    model.add("Nozzle", _revolved([(-0.45, 0.42), (-0.30, 0.36), (0.0, 0.12)], 32))
    model.add("Boom", tube([(0, 0, 0), (-0.88, 0, 0)], 0.03))


def _add_panels(model: SolidModel, side: float) -> None:
    """Add a boom and four panels on one side."""
    model.add("Boom", tube([(1.6, side * 1.2, 0), (1.6, side * 7.6, 0)], 0.05))
    for number in range(4):
        near = 2.0 + 1.4 * number
        y = sorted((side * near, side * (near + 1.3)))
        model.add("Solar_Cells", box((1.64, y[0], -1.0), (1.67, y[1], 1.0)))


def _add_reflector(model: SolidModel, place: tuple[float, float, float]) -> None:
    """Add a disc that faces -x."""
    angle = -2 * np.pi * np.arange(24) / 24
    ring = np.stack([0 * angle, np.cos(angle), np.sin(angle)], axis=1) * REFLECTOR_RADIUS_M
    model.add("Retroreflector", extruded(ring + place, (0.02, 0, 0)))


def _revolved(profile: list[tuple[float, float]], n_side: int) -> list[Array]:
    """Return the faces of a surface of revolution about the x axis; profile: (x, radius) [m]."""
    x, radius = np.array(profile).T
    turn = 2 * np.pi * np.arange(n_side + 1) / n_side
    cosine, sine = np.cos(turn), np.sin(turn)
    cosine[-1], sine[-1] = cosine[0], sine[0]
    round_points = [x[:, None] + 0 * turn, radius[:, None] * cosine, radius[:, None] * sine]
    return grid_faces(np.stack(round_points, axis=2))


def _raised(face: Array) -> Array:
    """Return a face of a dish that opens along x, turned upwards and moved onto the mast."""
    raised: Array = face[:, [2, 1, 0]] + (1.6, 0.0, 2.1)
    return raised


def main(folder: Path) -> None:
    """Write all files that this script makes into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    colours = {name: colour for name, (colour, _) in MATERIALS.items()}
    write_obj(satellite(), folder / "satellite.obj", colours)
    table = [f"  {name}: {infrared}" for name, (_, infrared) in MATERIALS.items()]
    head = ["# visual material of the mesh: infrared material (osi-lidar materials lists them)"]
    write_lines(folder / "materials.yaml", [*head, "materials:", *table])


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
