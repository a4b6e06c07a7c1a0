# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The surfaces of a stage, as one mesh in metres with z up."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pxr import Usd, UsdGeom

from lidar_base.errors import BoundError
from lidar_base.files.bounds import FREE_USD_INSTANCES, INSTANCE_RATIO, check_at_most
from raycore.errors import MeshError
from raycore.mesh.readers import transform
from raycore.mesh.usd.composition import check_composition, check_prims
from raycore.mesh.usd.instances import matrices_of, prototypes_of
from raycore.mesh.usd.looks import StageLooks
from raycore.mesh.usd.pieces import PieceReader, PlacedShape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray
    from pxr import Sdf

    from raycore.mesh.readers import MeshSource
    from raycore.mesh.usd.layers import Layers

_TURNS = {"Y": ((1, 0, 0), (0, 0, -1), (0, 1, 0)), "Z": ((1, 0, 0), (0, 1, 0), (0, 0, 1))}
"""Rotations from a stage whose up axis is the key into one with z up; x stays."""
_DRAWN = Usd.PrimDefaultPredicate


class Triangles(NamedTuple):
    """The triangles of a stage, in metres with z up.

    Attributes
    ----------
    vertices : float64 (n_vertex, 3)
        Places. [m]
    faces : int64 (n_face, 3)
        Rows of the vertices.
    material : int64 (n_face,)
        Number of the material.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    material: NDArray[np.int64]


class CurrentPrim:
    """The prim that is being read, as messages begin; empty outside of prims."""

    def __init__(self) -> None:
        self.words = ""

    def __str__(self) -> str:
        return self.words


def read_stage(
    layers: Layers, source: MeshSource, at: CurrentPrim
) -> tuple[Triangles, list[dict[str, object]]]:
    """Compose the stage of a file, and read its surfaces.

    Parameters
    ----------
    layers : Layers
        The layers of the file.
    source : MeshSource
        The file; notes and contents that are not followed are added to it.
    at : CurrentPrim
        Follows the reading, so that any error can be told with its prim.

    Returns
    -------
    triangles : Triangles
        All that is drawn.
    materials : list of dict
        Fields of the materials, by number.

    Raises
    ------
    MeshError
        If the stage cannot be composed, its shapes make no sense, or it draws too much.
    """
    stage = Usd.Stage.Open(layers.root, Usd.Stage.LoadAll)
    check_composition(stage, layers, source)
    check_prims(stage, source)
    time = Usd.TimeCode(stage.GetStartTimeCode())
    looks = StageLooks(time, source.unfollowed)
    reader = PieceReader(time, looks, source.unfollowed)
    surfaces = _Surfaces(reader, source, at, FREE_USD_INSTANCES + INSTANCE_RATIO * layers.n_bytes)
    pieces = list(surfaces.below(stage.GetPseudoRoot()))
    layers.check_used(stage.GetUsedLayers())
    return joined(pieces, _meters_from_stage(stage, source)), looks.stated()


class _Surfaces:
    """The surfaces of a stage in the making, counted against a bound."""

    def __init__(self, reader: PieceReader, source: MeshSource, at: CurrentPrim, most: int) -> None:
        self._reader = reader
        self._source = source
        self._at = at
        self._most = most
        self._n_drawn = 0

    def below(self, root: Usd.Prim, way: tuple[Sdf.Path, ...] = ()) -> Iterator[PlacedShape]:
        """Yield the surfaces of a prim and of all below it, in its frame.

        ``way`` are the point instancers that lead there.
        """
        walk = iter(Usd.PrimRange(root, Usd.TraverseInstanceProxies(_DRAWN)))
        for prim in walk:
            self._at.words = f"prim {prim.GetPath()}: "
            if not self._reader.shows(prim):
                walk.PruneChildren()
            elif prim.IsA(UsdGeom.PointInstancer):
                walk.PruneChildren()
                yield from self._instanced(prim, root, way)
            else:
                try:
                    piece = self._reader.piece(prim, root)
                except MeshError as error:
                    raise MeshError(f"{self._source}: {self._at}{error}") from None
                if piece is not None:
                    self._count(piece.n_numbers)
                    yield piece
        self._at.words = ""

    def _instanced(
        self, prim: Usd.Prim, root: Usd.Prim, way: tuple[Sdf.Path, ...]
    ) -> Iterator[PlacedShape]:
        """Yield what a point instancer draws: the pieces of each prototype, for all its places."""
        if prim.GetPath() in way:
            raise MeshError(f"{self._source}: {self._at}draws itself as one of its prototypes")
        if not self._reader.is_taken(prim):
            return
        matrices, which = matrices_of(prim, self._reader.time, f"{self._source}: {self._at}")
        above = self._reader.matrix(prim, root)
        for number, prototype in enumerate(prototypes_of(prim)):
            places = matrices[which == number]
            if not len(places):
                continue
            if not prototype:
                self._source.unfollowed.add("prototype that does not exist", str(prim.GetPath()))
                continue
            for piece in self.below(prototype, (*way, prim.GetPath())):
                self._count(piece.n_numbers * (len(places) - 1))
                yield piece.copied(places @ above)

    def _count(self, n_more: int) -> None:
        self._n_drawn += n_more
        try:
            check_at_most(self._n_drawn, self._most, "vertices and corners")
        except BoundError as error:
            raise MeshError(f"{self._source}: {error}") from None


def joined(pieces: Iterable[PlacedShape], stage_to_meters: NDArray[np.float64]) -> Triangles:
    """Return all pieces as one mesh; the matrix (4, 4) leads from the stage to metres, z up."""
    vertices = [np.empty((0, 3))]
    faces = [np.empty((0, 3), np.int64)]
    material = [np.empty(0, np.int64)]
    n_vertex = 0
    for piece in pieces:
        vertices.append(transform(piece.vertices(), stage_to_meters))
        faces.append(piece.faces() + n_vertex)
        material.append(piece.materials())
        n_vertex += len(vertices[-1])
    return Triangles(np.concatenate(vertices), np.concatenate(faces), np.concatenate(material))


def _meters_from_stage(stage: Usd.Stage, source: MeshSource) -> NDArray[np.float64]:
    """Return the matrix (4, 4) from a stage's unit and axes to metres with z up.

    OpenUSD's own defaults hold where the file states none: 0.01 m, and y up.
    """
    unit_m = UsdGeom.GetStageMetersPerUnit(stage)
    if not (math.isfinite(unit_m) and unit_m > 0.0):
        raise MeshError(f"{source}: metersPerUnit is {unit_m}, expected a positive number")
    if not UsdGeom.StageHasAuthoredMetersPerUnit(stage):
        source.note(
            logging.WARNING, "states no metersPerUnit, and is taken in OpenUSD's default of 0.01 m"
        )
    up = str(UsdGeom.GetStageUpAxis(stage))
    if up not in _TURNS:
        raise MeshError(f"{source}: upAxis is {up[:40]!r}, expected Y or Z")
    if not stage.HasAuthoredMetadata(UsdGeom.Tokens.upAxis):
        source.note(
            logging.WARNING, "states no upAxis, and is taken with OpenUSD's default of y up"
        )
    matrix = np.eye(4)
    matrix[:3, :3] = unit_m * np.array(_TURNS[up], np.float64)
    return matrix
