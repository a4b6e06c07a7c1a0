# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The triangles of a stage, joined: copies of a shape are written out, or the shape is kept once.

All copies are written out if the stage draws no more than `MOST_USD_WRITTEN_OUT` vertices and
corners. In a larger stage, a shape that is drawn several times with the same materials is kept
once, with its poses, if it has more than `USD_INSTANCE` vertices and corners. Instances, point
instancers and references to one file all repeat shapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.files.bounds import MOST_USD_WRITTEN_OUT, USD_INSTANCE, check_at_most
from raycore.mesh.readers import transform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from raycore.mesh.usd.pieces import PlacedShape

_LARGEST_SCALE = 1e6
_MOST_STRETCHED = 32.0
"""Limits of an instance's scale, and of the ratio of its scales along two axes. Beyond them, the
instance is written out: Embree inverts its matrix in single precision, so hits would be wrong."""


class Triangles(NamedTuple):
    """The triangles of a stage, in metres with z up, in groups with one or more poses each.

    Attributes
    ----------
    vertices : float64 (n_vertex, 3)
        Positions of the vertices. [m]
    faces : int64 (n_face, 3)
        Vertex indices of each face.
    material : int64 (n_face,)
        Index of the material of each face.
    n_face : int64 (n_group,)
        Number of faces of each group; the faces are in the order of the groups.
    n_place : int64 (n_group,)
        Number of poses of each group.
    places : float64 (sum of n_place, 4, 4)
        Poses, from the frame of the group into that of the stage, for column vectors. [m]
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    material: NDArray[np.int64]
    n_face: NDArray[np.int64]
    n_place: NDArray[np.int64]
    places: NDArray[np.float64]


def joined(
    pieces: Sequence[PlacedShape], meters_from_stage: NDArray[np.float64], most: int
) -> Triangles:
    """Return all pieces as triangles, in metres with z up.

    A shape that a large stage draws often is kept once, with its poses; all others are written out.

    Parameters
    ----------
    pieces : sequence of PlacedShape
        The surfaces of a stage, in the stage's frame.
    meters_from_stage : float64 (4, 4)
        Transform from the stage to metres with z up: a rotation and a uniform scale.
    most : int
        Largest allowed number of vertices and corners in the result; each pose of a shape that is
        kept once counts as `USD_INSTANCE` of them.

    Raises
    ------
    BoundError
        The pieces have more vertices and corners.
    """
    once, often = _split(pieces)
    n_kept = sum(each.n_numbers for each in once)
    n_kept += sum(each.shape.n_numbers + USD_INSTANCE * len(each.matrices) for each in often)
    check_at_most(n_kept, most, "vertices and corners")
    groups = [_Group(once, np.eye(4)[None])] if once else []
    for each in often:
        as_modelled = each._replace(matrices=np.eye(4)[None])
        groups.append(_Group([as_modelled], _in_meters(each.matrices, meters_from_stage)))
    return _triangles(groups, meters_from_stage)


class _Group(NamedTuple):
    """Surfaces, and the poses (n, 4, 4) at which all of them are drawn."""

    pieces: Sequence[PlacedShape]
    places: NDArray[np.float64]


def _triangles(groups: Sequence[_Group], meters_from_stage: NDArray[np.float64]) -> Triangles:
    """Return the surfaces of all groups in metres, one group after the other."""
    vertices = [np.empty((0, 3))]
    faces = [np.empty((0, 3), np.int64)]
    material = [np.empty(0, np.int64)]
    n_vertex = 0
    for piece in (piece for group in groups for piece in group.pieces):
        vertices.append(transform(piece.vertices(), meters_from_stage))
        faces.append(piece.faces() + n_vertex)
        material.append(piece.materials())
        n_vertex += len(vertices[-1])
    return Triangles(
        np.concatenate(vertices),
        np.concatenate(faces),
        np.concatenate(material),
        np.array([sum(each.n_triangles for each in one.pieces) for one in groups], np.int64),
        np.array([len(one.places) for one in groups], np.int64),
        np.concatenate([np.empty((0, 4, 4)), *(one.places for one in groups)]),
    )


def _split(pieces: Sequence[PlacedShape]) -> tuple[list[PlacedShape], list[PlacedShape]]:
    """Split pieces into those to write out, and those to keep once, with all their poses."""
    if sum(each.n_numbers for each in pieces) <= MOST_USD_WRITTEN_OUT:
        return [*pieces], []
    alike: dict[tuple[int, int], list[PlacedShape]] = {}
    for each in pieces:
        alike.setdefault((id(each.shape), id(each.material)), []).append(each)
    once: list[PlacedShape] = []
    often: list[PlacedShape] = []
    for same in alike.values():
        whole = same[0]._replace(matrices=np.concatenate([each.matrices for each in same]))
        sound = _is_sound(whole.matrices)
        if whole.shape.n_numbers > USD_INSTANCE and np.count_nonzero(sound) > 1:
            often.append(whole._replace(matrices=whole.matrices[sound]))
            whole = whole._replace(matrices=whole.matrices[~sound])
        if len(whole.matrices):
            once.append(whole)
    return once, often


def _is_sound(matrices: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether each matrix (n, 4, 4) can be inverted well in single precision, bool (n,)."""
    sound = np.asarray(np.isfinite(matrices).all(axis=(1, 2)))
    scale = np.linalg.svd(matrices[sound, :3, :3], compute_uv=False)
    largest, least = scale[:, 0], scale[:, -1]
    stretched = largest > _MOST_STRETCHED * least
    sound[sound] = ~stretched & (largest < _LARGEST_SCALE) & (least > 1.0 / _LARGEST_SCALE)
    return sound


def _in_meters(
    matrices: NDArray[np.float64], meters_from_stage: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Convert matrices of the stage, for row vectors, to matrices in metres, for column vectors."""
    stage_from_meters = np.eye(4)
    turn = meters_from_stage[:3, :3]
    stage_from_meters[:3, :3] = turn.T / (turn[:, 0] @ turn[:, 0])
    places = matrices.transpose(0, 2, 1).copy()
    places[:, 3] = (0.0, 0.0, 0.0, 1.0)
    return np.asarray(meters_from_stage @ places @ stage_from_meters)
