# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Wavefront OBJ files of models, and text files with the same bytes on every platform."""

from collections.abc import Iterable
from pathlib import Path

from lidar_scenery.shapes.solids import DECIMALS, SolidModel


def write_obj(
    model: SolidModel,
    path: Path,
    colours: dict[str, tuple[float, float, float]],
    *,
    unit: str = "metres",
) -> None:
    """Write the OBJ file and, beside it, the MTL file with the colours of its materials."""
    index: dict[tuple[float, ...], int] = {}
    faces: list[str] = []
    last_group = ""
    for (group, material), polygons in model.whole_groups.items():
        if group != last_group:
            faces.append(f"g {group}")
            last_group = group
        faces.append(f"usemtl {material}")
        for polygon in polygons:
            corners = map(tuple, (polygon.round(DECIMALS) + 0.0).tolist())  # no -0.0
            numbers = [index.setdefault(c, len(index) + 1) for c in corners]
            numbers = [n for n, after in zip(numbers, _rotated(numbers), strict=True) if n != after]
            if len(numbers) > 2:
                faces.append("f " + " ".join(map(str, numbers)))
    head = [f"# {path.stem}: {unit}, x forward, y left, z up", f"mtllib {path.stem}.mtl"]
    vertices = [
        "v " + " ".join(f"{x:.{DECIMALS}f}".rstrip("0").rstrip(".") for x in c) for c in index
    ]
    write_lines(path, head + vertices + faces)
    lines = []
    for material in sorted({material for _, material in model.groups}):
        red, green, blue = colours[material]
        lines += [f"newmtl {material}", f"Kd {red:.2f} {green:.2f} {blue:.2f}", ""]
    write_lines(path.with_suffix(".mtl"), lines[:-1])


def _rotated(numbers: list[int]) -> list[int]:
    return numbers[1:] + numbers[:1]


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write text with line feeds on every platform."""
    path.write_bytes(("\n".join(lines) + "\n").encode())
