# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The surfaces of a stage, in metres with z up."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING

import numpy as np
from pxr import Usd, UsdGeom

from lidar_base.errors import BoundError
from lidar_base.files.bounds import (
    FREE_USD_INSTANCES,
    INSTANCE_RATIO,
    USD_INSTANCE,
    check_at_most,
)
from raycore.errors import MeshError
from raycore.mesh.usd.composition import check_composition, check_prims
from raycore.mesh.usd.instances import matrices_of, prototypes_of
from raycore.mesh.usd.joining import Triangles, joined
from raycore.mesh.usd.pieces import PieceReader, PlacedShape
from raycore.mesh.usd.stage_materials import StageMaterials

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from pxr import Sdf

    from raycore.mesh.readers import MeshSource
    from raycore.mesh.usd.layers import Layers
    from raycore.mesh.usd.shapes import PrimShape

_TURNS = {"Y": ((1, 0, 0), (0, 0, -1), (0, 1, 0)), "Z": ((1, 0, 0), (0, 1, 0), (0, 0, 1))}
"""Rotations from a stage whose up axis is the key into one with z up; x stays."""
_DRAWN = Usd.PrimDefaultPredicate


class CurrentPrim:
    """The name of the prim that is being read, for the beginning of error messages.

    ``str()`` gives the text, which is empty between prims; the reader of the stage sets ``words``.
    """

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
        The file; log messages and ignored content are added to it.
    at : CurrentPrim
        Is set to each prim that is read, so that the caller can name it in messages of errors.

    Returns
    -------
    triangles : Triangles
        All triangles that the stage draws.
    materials : list of dict
        Fields of the `VisualMaterial` with each number in ``triangles.material``.

    Raises
    ------
    MeshError
        The stage cannot be composed, its shapes are inconsistent, or it draws too much.
    """
    stage = Usd.Stage.Open(layers.root, Usd.Stage.LoadAll)
    check_composition(stage, layers, source)
    check_prims(stage, source)
    time = Usd.TimeCode(stage.GetStartTimeCode())
    looks = StageMaterials(time, source.unfollowed)
    reader = PieceReader(time, looks, source.unfollowed)
    most = FREE_USD_INSTANCES + INSTANCE_RATIO * layers.n_bytes
    try:
        pieces = list(_Surfaces(reader, source, at, most).below(stage.GetPseudoRoot()))
        layers.check_used(stage.GetUsedLayers())
        return joined(pieces, _meters_from_stage(stage, source), most), looks.stated()
    except BoundError as error:
        raise MeshError(f"{source}: {error}; share shapes, or split the file") from None


class _Surfaces:
    """Reads the surfaces of a stage, and stops when they exceed a bound."""

    def __init__(self, reader: PieceReader, source: MeshSource, at: CurrentPrim, most: int) -> None:
        self._reader = reader
        self._source = source
        self._at = at
        self._most = most
        self._n_kept = 0
        self._met: set[int] = set()

    def below(self, root: Usd.Prim, way: tuple[Sdf.Path, ...] = ()) -> Iterator[PlacedShape]:
        """Yield the surfaces of a prim and of all prims below it, in the frame of the prim.

        ``way`` has the paths of the point instancers that are being drawn, outermost first.
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
                    self._count(piece.shape, 1)
                    yield piece
        self._at.words = ""

    def _instanced(
        self, prim: Usd.Prim, root: Usd.Prim, way: tuple[Sdf.Path, ...]
    ) -> Iterator[PlacedShape]:
        """Yield the surfaces of a point instancer: each prototype's, at all of its instances."""
        if prim.GetPath() in way:
            raise MeshError(
                f"{self._source}: {self._at}has itself as a prototype, expected other prims"
            )
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
                self._count(piece.shape, len(piece.matrices) * (len(places) - 1))
                yield piece.copied(places @ above)

    def _count(self, shape: PrimShape, n_more: int) -> None:
        """Count n_more copies of a shape, as `joining` does; raise BoundError if too many."""
        if id(shape) not in self._met:
            self._met.add(id(shape))
            self._n_kept += shape.n_numbers
            n_more -= 1
        self._n_kept += n_more * min(shape.n_numbers, USD_INSTANCE)
        check_at_most(self._n_kept, self._most, "vertices and corners")


def _meters_from_stage(stage: Usd.Stage, source: MeshSource) -> NDArray[np.float64]:
    """Return the matrix (4, 4) from a stage's unit and axes to metres with z up.

    If the file does not state them, OpenUSD's defaults apply: 0.01 m, and y up.
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
