# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A mesh as a chunk of the page: vertices of 16 bits, whose rounding also thins it, and triangles.

A vertex has a material, so that triangles of two materials share none. Triangles that rounding
makes a line or a point are left out, and so are those that it lays on others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.show.page.encoding import Codes, encode_chunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PLACES = 65_536
"""Places of a vertex along an axis."""
FINEST_STEP_M = 0.002
LARGEST_M = 100.0
"""Size from which on a triangle of what stands still is divided. [m]"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScenePart:
    """Triangles of a scene, with their materials.

    Attributes
    ----------
    corners_m : float64 (n_face, 3, 3)
        The corners of each triangle. [m]
    material : int (n_face,)
        Place in ``materials``.
    materials : tuple of str
        Names of the infrared materials.
    """

    corners_m: NDArray[np.float64]
    material: NDArray[np.integer]
    materials: tuple[str, ...]

    def within(self, low_m: NDArray[np.float64], high_m: NDArray[np.float64]) -> ScenePart:
        """Return the part with the triangles whose bounds meet a box's only.

        Large ones are divided: single precision places a small part of them badly.
        """
        corners_m, material = self.corners_m, self.material
        while True:
            lowest, highest = corners_m.min(axis=1), corners_m.max(axis=1)
            kept = ((lowest <= high_m) & (highest >= low_m)).all(axis=1)
            corners_m, material = corners_m[kept], material[kept]
            large = (highest - lowest)[kept].max(axis=1, initial=0.0) > LARGEST_M
            if not large.any():
                return replace(self, corners_m=corners_m, material=material)
            parts = _quarters(corners_m[large])
            corners_m = np.concatenate([corners_m[~large], parts])
            material = np.concatenate([material[~large], np.repeat(material[large], 4)])


def _quarters(corners_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the four triangles of each between its corners and the middles of its edges."""
    a, b, c = np.moveaxis(corners_m, 1, 0)
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    quarters = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
    return np.stack([np.stack(each, axis=1) for each in quarters], axis=1).reshape(-1, 3, 3)


def mesh_chunk(part: ScenePart, step_m: float = FINEST_STEP_M) -> bytes:
    """Return the chunk of a part.

    Parameters
    ----------
    part : ScenePart
        With at least one triangle.
    step_m : float
        To what places are rounded; a coarser step where the extent has more than 65 535 of it.
    """
    places, steps, low = _rounded(part.corners_m, step_m)
    x, y, z = np.moveaxis(places, -1, 0)
    vertex = (part.material.astype(np.uint64)[:, None] << 48) | (x << 32) | (y << 16) | z
    known, faces = np.unique(vertex.reshape(-1), return_inverse=True)
    faces = _thinned(faces.reshape(-1, 3))
    vertices = [(known >> shift) & 0xFFFF for shift in (32, 16, 0)]
    names, material = np.unique((known >> 48).astype(np.int64), return_inverse=True)
    table = [part.materials[each] for each in names]
    return encode_chunk(
        [
            *(
                Codes(name=name, codes=code.astype(np.uint32), header={"offset": at, "step": step})
                for name, code, at, step in zip("xyz", vertices, low, steps, strict=True)
            ),
            Codes(name="material", codes=material.astype(np.uint32), header={"table": table}),
            *(
                Codes(name=name, codes=corner.astype(np.uint32))
                for name, corner in zip("abc", faces.T, strict=True)
            ),
        ],
        {},
    )


def _rounded(
    corners_m: NDArray[np.float64], step_m: float
) -> tuple[NDArray[np.uint64], list[float], list[float]]:
    """Return corners as multiples of a step for each axis above the lowest corner."""
    low, high = corners_m.min(axis=(0, 1)), corners_m.max(axis=(0, 1))
    steps = np.maximum(step_m, (high - low) / (MOST_PLACES - 1))
    places = np.rint((corners_m - low) / steps).astype(np.uint64)
    return places, steps.tolist(), low.tolist()


def _thinned(faces: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return triangles with three corners, each set of corners once."""
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    return np.unique(np.sort(faces, axis=1), axis=0).reshape(-1, 3)
