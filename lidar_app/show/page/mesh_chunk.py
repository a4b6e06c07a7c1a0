# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A mesh, encoded as a chunk of the page: vertices of 16 bits per axis, and triangles.

A vertex has a material, so triangles with different materials share no vertex. Rounding also thins
the mesh: triangles that become a line, a point or a duplicate are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.show.page.encoding import Codes, encode_chunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PLACES = 65_536
"""Number of possible positions of a vertex along an axis."""
FINEST_STEP_M = 0.002
LARGEST_M = 100.0
"""Largest extent of a triangle along an axis; larger triangles of static meshes are divided. [m]"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScenePart:
    """Triangles of one mesh of a scene, with their materials.

    Attributes
    ----------
    corners_m : float64 (n_face, 3, 3)
        The corners of each triangle. [m]
    material : int (n_face,)
        Index of each triangle's material in ``materials``.
    materials : tuple of str
        Names of the infrared materials.
    """

    corners_m: NDArray[np.float64]
    material: NDArray[np.integer]
    materials: tuple[str, ...]

    def within(self, low_m: NDArray[np.float64], high_m: NDArray[np.float64]) -> ScenePart:
        """Return the part with only the triangles whose bounds overlap a box.

        Triangles that extend over more than `LARGEST_M` along an axis are divided into four until
        they are smaller, and the pieces outside of the box are left out. The page computes in
        single precision, which would be too coarse for a small piece of a very large triangle.

        Parameters
        ----------
        low_m, high_m : float64 (3,)
            Lower and upper corner of the box, in the frame of `corners_m`. [m]
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
    """Divide each triangle into four at the middles of its edges."""
    a, b, c = np.moveaxis(corners_m, 1, 0)
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    quarters = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
    return np.stack([np.stack(each, axis=1) for each in quarters], axis=1).reshape(-1, 3, 3)


def mesh_chunk(part: ScenePart, step_m: float = FINEST_STEP_M) -> bytes:
    """Return the triangles and materials of a part as a chunk, see `encode_chunk`.

    Parameters
    ----------
    part : ScenePart
        A part with at least one triangle.
    step_m : float
        Step to which positions are rounded. The step is coarser along an axis on which the part
        extends over more than 65 535 steps. [m]
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
    """Return corners as multiples of a step per axis, the steps [m], and the lowest corner [m]."""
    low, high = corners_m.min(axis=(0, 1)), corners_m.max(axis=(0, 1))
    steps = np.maximum(step_m, (high - low) / (MOST_PLACES - 1))
    places = np.rint((corners_m - low) / steps).astype(np.uint64)
    return places, steps.tolist(), low.tolist()


def _thinned(faces: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the triangles with three different corners, without duplicates."""
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    return np.unique(np.sort(faces, axis=1), axis=0).reshape(-1, 3)
