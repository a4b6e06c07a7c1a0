# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The objects of a message as rows of the scene, and their changes from message to message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.columns import rows_of
from osi_bridge import empty_frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_bridge import ObjectStates

NOT_PLACED = -1
"""Value of ``PlacedRows.instance`` for an object that is not in the scene."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedRows:
    """The objects of a message as rows, with their poses and their instances in the scene.

    Attributes
    ----------
    objects : ObjectStates
        Objects of the message.
    hidden : int or None
        OSI id of an object that is left out: the host vehicle.
    steps : float64 (n, n_step, 4, 4)
        Poses world_from_object, at evenly spaced times of the scan. [m]
    rests : bool (n,)
        Whether an object has the same pose at all these times.
    instance : int64 (n,)
        Instance of an object in the scene, ``NOT_PLACED`` if it has none.
    object_from_mesh : float64 (n, 4, 4)
        Pose of the object's mesh in the object's frame. [m]
    """

    objects: ObjectStates
    hidden: int | None
    steps: NDArray[np.float64]
    rests: NDArray[np.bool_]
    instance: NDArray[np.int64]
    object_from_mesh: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Changed:
    """Changes that a message makes to the scene; arrays have a row for each of its objects.

    Attributes
    ----------
    listed : bool
        Whether ids, order, a type or a model reference of the objects changed, or which object is
        hidden.
    new : bool (n,)
        Objects to place: new ones, objects whose size, type or mesh changed, and objects that could
        not be placed before but may be now.
    moved : bool (n,)
        All other objects whose pose or motion changed.
    """

    listed: bool
    new: NDArray[np.bool_]
    moved: NDArray[np.bool_]


def no_rows() -> PlacedRows:
    """Return rows without any object."""
    return PlacedRows(
        objects=empty_frame().objects,
        hidden=None,
        steps=np.zeros((0, 1, 4, 4)),
        rests=np.zeros(0, bool),
        instance=np.zeros(0, np.int64),
        object_from_mesh=np.zeros((0, 4, 4)),
    )


def follow(
    before: PlacedRows,
    objects: ObjectStates,
    hidden: int | None,
    steps: NDArray[np.float64],
    renewed: NDArray[np.bool_],
) -> tuple[PlacedRows, Changed]:
    """Return the rows of a new message, and what has changed; rows of unchanged objects are reused.

    Parameters
    ----------
    before, objects : PlacedRows, ObjectStates
        Rows of the previous message, and the n objects of the new message.
    hidden : int or None
        OSI id of an object that is left out.
    steps : float64 (n, n_step, 4, 4)
        Poses world_from_object of the new message, at evenly spaced times of the scan. [m]
    renewed : bool (n,)
        Which objects have to be placed anew, whatever else has changed.

    Returns
    -------
    PlacedRows
        Rows of the new message; ``instance`` and ``object_from_mesh`` are not set yet in rows that
        ``Changed.new`` marks.
    Changed
        The objects that the caller has to place or to move.
    """
    n = len(objects)
    visible = np.ones(n, bool) if hidden is None else objects.object_id != hidden
    rows = PlacedRows(
        objects=objects,
        hidden=hidden,
        steps=steps,
        rests=(steps == steps[:, -1:]).all(axis=(1, 2, 3)),
        instance=np.full(n, NOT_PLACED, np.int64),
        object_from_mesh=np.zeros((n, 4, 4)),
    )
    listed = not _same_list(before, rows)
    if listed:
        place = rows_of(before.objects.object_id, objects.object_id)
        known = np.flatnonzero((place >= 0) & visible)
        source = place[known]
    else:
        known = source = np.flatnonzero(visible)
    moved = np.zeros(n, bool)
    moved[known] = _moved(before, source, rows, known)
    same = np.zeros(n, bool)
    same[known] = _same_things(before.objects, source, objects, known, names=listed)
    rows.instance[known] = before.instance[source]
    rows.object_from_mesh[known] = before.object_from_mesh[source]
    waits = rows.instance == NOT_PLACED
    new = visible & (~same | renewed | (waits & (moved | listed)))
    rows.instance[new] = NOT_PLACED
    return rows, Changed(listed=listed, new=new, moved=moved & ~new & ~waits)


def _same_list(before: PlacedRows, after: PlacedRows) -> bool:
    """Return whether two messages list the same objects in the same order; sizes may differ."""
    old, new = before.objects, after.objects
    return (
        before.hidden == after.hidden
        and np.array_equal(old.object_id, new.object_id)
        and old.model_reference == new.model_reference
        and old.type_name == new.type_name
        and old.subtype_name == new.subtype_name
    )


def _same_things(
    before: ObjectStates,
    source: NDArray[np.int64],
    after: ObjectStates,
    known: NDArray[np.int64],
    *,
    names: bool,
) -> NDArray[np.bool_]:
    """Return which objects kept their size, and with ``names`` also their references and types."""
    same = np.asarray((before.dimension_m[source] == after.dimension_m[known]).all(axis=1), bool)
    if names:
        was, now = (
            list(zip(each.model_reference, each.type_name, each.subtype_name, strict=True))
            for each in (before, after)
        )
        pairs = zip(source.tolist(), known.tolist(), strict=True)
        same &= np.array([was[old] == now[new] for old, new in pairs], bool)
    return same


def _moved(
    before: PlacedRows, source: NDArray[np.int64], after: PlacedRows, known: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which objects have a different pose or motion than before."""
    old, new = before.steps[source], after.steps[known]
    if old.shape == new.shape:
        return np.asarray((old != new).any(axis=(1, 2, 3)), np.bool_)
    elsewhere = (old[:, -1] != new[:, -1]).any(axis=(1, 2))
    return np.asarray(elsewhere | ~before.rests[source] | ~after.rests[known], np.bool_)
