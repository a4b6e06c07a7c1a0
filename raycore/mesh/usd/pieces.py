# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of prims that have a surface: triangles, transforms and materials."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pxr import Sdf, Usd, UsdGeom, UsdShade

from raycore.mesh.usd.shapes import BUILT_IN, PrimShape, built_in, polygons, type_of
from raycore.mesh.usd.stage_materials import StageMaterials, bound_materials
from raycore.mesh.usd.unfollowed import list_animation, list_prim

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_base.unfollowed import Unfollowed

_LEFT_OUT = (UsdGeom.Tokens.proxy, UsdGeom.Tokens.guide)
"""Purposes of prims that are left out: they stand in for others, or only help to edit the stage."""


class PlacedShape(NamedTuple):
    """A surface, and the transforms of its copies.

    Attributes
    ----------
    shape : PrimShape
        Triangles of the surface; prims with equal triangles share one object.
    matrices : float64 (n, 4, 4)
        Transform of each copy from the shape's frame into the frame of the stage or prototype, for
        row vectors.
    material : int64 (n_triangle,)
        Number of each triangle's material. Equal arrays of one shape are one object.
    """

    shape: PrimShape
    matrices: NDArray[np.float64]
    material: NDArray[np.int64]

    @property
    def n_numbers(self) -> int:
        """Number of vertices plus number of corners of triangles, of all copies together."""
        return self.shape.n_numbers * len(self.matrices)

    @property
    def n_triangles(self) -> int:
        """Number of triangles of all copies."""
        return len(self.material) * len(self.matrices)

    def copied(self, places: NDArray[np.float64]) -> PlacedShape:
        """Return the surface with all its copies drawn again at each of ``places``.

        ``places`` are transforms (n, 4, 4) from the present frame to the new one, for row vectors.
        The result has n times as many copies.
        """
        matrices = self.matrices[None] @ places[:, None]
        return self._replace(matrices=matrices.reshape(-1, 4, 4))

    def vertices(self) -> NDArray[np.float64]:
        """Return the vertices in the frame of the stage or prototype, copy by copy, (n, 3)."""
        x, y, z = self.shape.points.T[..., None]
        rows = self.matrices[:, None, :, :3]
        placed = x * rows[:, :, 0] + y * rows[:, :, 1] + z * rows[:, :, 2] + rows[:, :, 3]
        return np.asarray(placed.reshape(-1, 3))

    def faces(self) -> NDArray[np.int64]:
        """Return the indices in `vertices` of each triangle's corners, copy by copy, (n, 3)."""
        first = len(self.shape.points) * np.arange(len(self.matrices))
        return (self.shape.triangles + first[:, None, None]).reshape(-1, 3)

    def materials(self) -> NDArray[np.int64]:
        """Return the material's number for each of the `faces`, (n,)."""
        return np.tile(self.material, len(self.matrices))


class PieceReader:
    """A reader of prims at one time of the stage.

    Parameters
    ----------
    time : Usd.TimeCode
        Time at which attributes are read.
    looks : StageMaterials
        Materials of the stage; materials that the reader meets are added and numbered.
    unfollowed : Unfollowed
        List to which ignored content is added.

    Attributes
    ----------
    time : Usd.TimeCode
        Time at which attributes are read.
    """

    def __init__(self, time: Usd.TimeCode, looks: StageMaterials, unfollowed: Unfollowed) -> None:
        self.time = time
        self._looks = looks
        self._unfollowed = unfollowed
        self._transforms = UsdGeom.XformCache(time)
        self._shape_of: dict[Sdf.Path, PrimShape | None] = {}
        self._shapes: dict[bytes, PrimShape] = {}
        self._materials: dict[tuple[int, bytes], NDArray[np.int64]] = {}

    def shows(self, prim: Usd.Prim) -> bool:
        """Return False if a prim is invisible, which hides all prims below it, too; else True."""
        imageable = UsdGeom.Imageable(prim)
        if not imageable:
            return prim.IsPseudoRoot() or not prim.IsA(UsdShade.Material)
        attribute = imageable.GetVisibilityAttr()
        if attribute.ValueMightBeTimeVarying():
            self._unfollowed.add("animation of visibility", str(prim.GetPath()))
        return bool(attribute.Get(self.time) != UsdGeom.Tokens.invisible)

    def is_taken(self, prim: Usd.Prim) -> bool:
        """Return whether a prim is read, by its purpose: default and render are, others are not.

        Other purposes, and animation, are added to ``unfollowed``.
        """
        list_animation(prim, self._unfollowed)
        purpose = UsdGeom.Imageable(prim).ComputePurpose()
        if purpose in _LEFT_OUT:
            self._unfollowed.add(f"purpose {purpose}", str(prim.GetPath()))
        return purpose not in _LEFT_OUT

    def matrix(self, prim: Usd.Prim, root: Usd.Prim) -> NDArray[np.float64]:
        """Return the matrix (4, 4) from a prim's frame into the frame of ``root``, for row vectors.

        ``root`` is the stage's pseudo-root for the frame of the stage, or a prim above ``prim``.
        """
        if root.IsPseudoRoot():
            return np.array(self._transforms.GetLocalToWorldTransform(prim), np.float64)
        return np.array(self._transforms.ComputeRelativeTransform(prim, root)[0], np.float64)

    def piece(self, prim: Usd.Prim, root: Usd.Prim) -> PlacedShape | None:
        """Return the surface of a prim, with its pose in the frame of ``root``, as for `matrix`.

        None without triangles, or with purpose proxy or guide.

        Raises
        ------
        MeshError
            The prim's data are inconsistent. The caller puts the prim's name before the text.
        """
        is_mesh = prim.IsA(UsdGeom.Mesh)
        if not is_mesh and type_of(prim) not in BUILT_IN:
            list_animation(prim, self._unfollowed)
            list_prim(prim, self._unfollowed)
            return None
        if not self.is_taken(prim):
            return None
        list_prim(prim, self._unfollowed)
        shape = self._shape(prim)
        if shape is None or not len(shape.triangles):
            return None
        return PlacedShape(shape, self.matrix(prim, root)[None], self._material(prim, shape))

    def _shape(self, prim: Usd.Prim) -> PrimShape | None:
        """Return the triangles of a prim; a prototype's are read once for all instances."""
        path = (prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim).GetPath()
        if path not in self._shape_of:
            is_mesh = prim.IsA(UsdGeom.Mesh)
            shape = self._mesh(prim) if is_mesh else built_in(prim, self.time)
            if shape is not None:  # composed anew at each place: equal shapes are kept once
                shape = self._shapes.setdefault(shape.digest(), shape)
            self._shape_of[path] = shape
        return self._shape_of[path]

    def _mesh(self, prim: Usd.Prim) -> PrimShape | None:
        mesh = UsdGeom.Mesh(prim)
        points = mesh.GetPointsAttr().Get(self.time)
        counts = self._numbers(mesh.GetFaceVertexCountsAttr())
        if points is None or not len(counts):
            self._unfollowed.add("Mesh without points or faces", str(prim.GetPath()))
            return None
        if (counts < 3).any():
            first = f"{prim.GetPath()}, face {np.flatnonzero(counts < 3)[0]}"
            what = "face of fewer than three corners"
            self._unfollowed.add(what, first, int((counts < 3).sum()))
        return polygons(
            np.array(points, np.float64).reshape(-1, 3),
            counts,
            self._numbers(mesh.GetFaceVertexIndicesAttr()),
            self._numbers(mesh.GetHoleIndicesAttr()),
            left_handed=mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded,
        )

    def _numbers(self, attribute: Usd.Attribute) -> NDArray[np.int64]:
        value = attribute.Get(self.time)
        return np.array([] if value is None else value, np.int64).reshape(-1)

    def _material(self, prim: Usd.Prim, shape: PrimShape) -> NDArray[np.int64]:
        """Return the material of each triangle: of the first subset with it, or else the prim's."""
        subsets = UsdShade.MaterialBindingAPI(prim).GetMaterialBindSubsets()
        prims = [prim, *(each.GetPrim() for each in subsets)]
        numbers = [self._looks.number(each) for each in bound_materials(prims)]
        n_polygon = int(shape.polygon.max()) + 1
        of_polygon = np.full(n_polygon, numbers[0])
        for subset, number in zip(reversed(subsets), reversed(numbers[1:]), strict=True):
            faces = self._numbers(subset.GetIndicesAttr())
            if subset.GetElementTypeAttr().Get() != UsdGeom.Tokens.face:
                self._unfollowed.add("GeomSubset of no faces", str(subset.GetPath()))
                continue
            of_polygon[faces[(faces >= 0) & (faces < n_polygon)]] = number
        material = of_polygon[shape.polygon]
        return self._materials.setdefault(
            (id(shape), hashlib.sha256(material.tobytes()).digest()), material
        )
