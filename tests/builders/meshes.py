# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Meshes as OBJ files: cubes and upright rectangles."""

import math

from tests.builders.files import written

CUBE = "".join(f"v {x} {y} {z}\n" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)) + (
    "f 1 2 4 3\nf 5 6 8 7\nf 1 2 6 5\nf 3 4 8 7\nf 1 3 7 5\nf 2 4 8 6\n"
)
"""A cube of 2 m edges."""


def write_cube(path, material="Paint"):
    """Write a cube of 2 m edges of one visual material."""
    return written(path, f"usemtl {material}\n{CUBE}")


def quad(x_m, turn_deg=0.0, half_m=30.0):
    """Return the corners of an upright rectangle around (x, 0, 0), turned about z."""
    turn = math.radians(turn_deg)
    return [
        (x_m - side * math.sin(turn), side * math.cos(turn), up)
        for side, up in ((-half_m, -half_m), (half_m, -half_m), (half_m, half_m), (-half_m, half_m))
    ]


def write_quads(path, surfaces):
    """Write surfaces, a list of (four corners, visual material)."""
    lines = []
    for number, (corners, material) in enumerate(surfaces):
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in corners]
        lines += [f"usemtl {material}", "f " + " ".join(str(4 * number + i) for i in (1, 2, 3, 4))]
    return written(path, "\n".join(lines) + "\n")
