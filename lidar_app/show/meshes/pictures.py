# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Small shaded pictures of shapes, for the list of shapes and for looking at a single one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.pictures.figures import Axes, Figure, FigureCanvasAgg

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lidar_scenery.shapes.solids import Array
    from raycore.mesh.mesh import Mesh

BACKGROUND = "#f4f4f1"
_YAW_RAD, _PITCH_RAD = 0.6, 0.3  # camera: front left of the mesh, slightly above
_LIGHT = np.array([0.5, 0.2, 0.84])
_UNKNOWN = (0.6, 0.6, 0.6)
_FINER = 2  # samples per pixel along each axis
_DPI = 100
_NAME_IN = 0.16  # height of the line with a name on a sheet


def draw_shape(mesh: Mesh, axes: Axes, *, size_px: int = 220) -> None:
    """Draw a shaded picture of a mesh into square matplotlib axes, without axis lines.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    axes : Axes
        The axes to draw into.
    size_px : int
        Width and height of the picture, which `picture_of` makes. [px]
    """
    axes.imshow(picture_of(mesh, size_px), interpolation="nearest")
    axes.set_axis_off()


def write_picture(mesh: Mesh, path: Path, *, size_px: int = 400) -> None:
    """Write a shaded picture of one mesh as a square PNG file.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    path : Path
        The file, which is replaced if it exists; any suffix is allowed.
    size_px : int
        Width and height of the picture. [px]
    """
    inches = size_px / _DPI
    figure = Figure(figsize=(inches, inches), dpi=_DPI, facecolor=BACKGROUND)
    draw_shape(mesh, figure.add_axes((0, 0, 1, 1)), size_px=size_px)
    FigureCanvasAgg(figure)
    figure.savefig(path, format="png")


def write_sheet(
    meshes: Mapping[str, Mesh], path: Path, *, columns: int = 8, size_px: int = 130
) -> None:
    """Write the pictures of several meshes, each below its name, as one PNG file.

    Parameters
    ----------
    meshes : mapping of str to Mesh
        The meshes by name, in the order of the pictures.
    path : Path
        The file, which is replaced if it exists; any suffix is allowed.
    columns : int
        Number of pictures in a row.
    size_px : int
        Width and height of each picture, without its name. [px]
    """
    rows, inches = -(-len(meshes) // columns), size_px / _DPI
    height = inches + _NAME_IN
    figure = Figure(figsize=(columns * inches, rows * height), dpi=_DPI, facecolor=BACKGROUND)
    for at, (name, mesh) in enumerate(meshes.items()):
        row, column = divmod(at, columns)
        place = (column / columns, 1 - (row + 1) / rows, 1 / columns, inches / height / rows)
        draw_shape(mesh, figure.add_axes(place), size_px=size_px)
        middle, top = (column + 0.5) / columns, 1 - (row + 0.05) / rows
        figure.text(middle, top, name.replace("_", " "), ha="center", va="top", size=6)
    FigureCanvasAgg(figure)
    figure.savefig(path, format="png")


def picture_of(mesh: Mesh, size_px: int) -> Array:
    """Return a picture of a mesh from front left and above, in parallel projection.

    Faces have the colours of their visual materials, shaded by a light from above. The mesh fills
    the picture.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    size_px : int
        Width and height of the picture. [px]

    Returns
    -------
    float64 (size_px, size_px, 4)
        Red, green, blue and opacity, 0 to 1; the first row is the top.
    """
    n = size_px * _FINER
    corners = (mesh.vertices_m.astype(np.float64) + mesh.origin_m)[mesh.faces]
    seen = corners @ _view().T
    low, high = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
    pixel = 1.08 * float((high - low)[1:].max()) / n
    seen = (seen - (low + high) / 2) / pixel * (1, 1, -1) + (0, n / 2, n / 2)
    depth, picture = np.full((n, n), -np.inf), np.zeros((n, n, 4))
    for triangle, color in zip(seen, _lit(mesh, corners), strict=True):
        _draw(triangle, color, depth, picture)
    mean: Array = picture.reshape(size_px, _FINER, size_px, _FINER, 4).mean(axis=(1, 3))
    mean[..., :3] /= np.maximum(mean[..., 3:], 1e-9)  # mean over samples of the mesh
    return mean


def _lit(mesh: Mesh, corners: Array) -> Array:
    """Return the colour of each triangle in the light, (n, 4)."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True) + 1e-30
    normal *= np.where(normal @ _view()[0] < 0, -1.0, 1.0)[:, None]  # towards the viewer
    shade = 0.62 + 0.38 * normal @ _LIGHT
    colors = np.array([m.base_color or _UNKNOWN for m in mesh.materials])[mesh.slot]
    return np.insert(np.clip(colors * shade[:, None], 0, 1), 3, 1.0, axis=1)


def _draw(triangle: Array, color: Array, depth: Array, picture: Array) -> None:
    """Draw a triangle, corners (3, 3), where no nearer triangle has been drawn."""
    at, z = triangle[:, 1:], triangle[:, 0]
    first = np.maximum(np.floor(at.min(axis=0)), 0).astype(int)
    last = np.minimum(np.ceil(at.max(axis=0)), len(depth)).astype(int)
    (ax, ay), (bx, by) = at[1] - at[0], at[2] - at[0]
    area = ax * by - ay * bx
    if area == 0:
        return
    px = np.arange(first[0], last[0])[None, :] + 0.5 - at[0, 0]
    py = np.arange(first[1], last[1])[:, None] + 0.5 - at[0, 1]
    u, v = (px * by - py * bx) / area, (ax * py - ay * px) / area
    nearness = z[0] + u * (z[1] - z[0]) + v * (z[2] - z[0])
    part = np.s_[first[1] : last[1], first[0] : last[0]]
    visible = (u >= 0) & (v >= 0) & (u + v <= 1) & (nearness > depth[part])
    depth[part][visible] = nearness[visible]
    picture[part][visible] = color


def _view() -> Array:
    """Return the axes of the view in the mesh frame, as rows: towards the viewer, right, up."""
    (c, p), (s, q) = np.cos((_YAW_RAD, _PITCH_RAD)), np.sin((_YAW_RAD, _PITCH_RAD))
    return np.array([[c * p, s * p, q], [-s, c, 0.0], [-c * q, -s * q, p]])
