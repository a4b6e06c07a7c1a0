# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""States and poses of the parts of many objects; similar objects are computed in one call."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeGuard, TypeVar

import numpy as np

from lidar_scenery.articulation.records import MovesTogether

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lidar_scenery.articulation.records import Assembly, Floats, Going, Heard, Moves

_Parts = TypeVar("_Parts", "Assembly", "MovesTogether")


class Due(NamedTuple):
    """An object whose state at a message must be computed.

    Attributes
    ----------
    assembly : Assembly
        The parts of the object.
    before : float64 (n_state,) or None
        State at the previous message; None if the object had no state yet.
    heard : Heard
        The object in the message, and how it moved since the previous message.
    """

    assembly: Assembly
    before: Floats | None
    heard: Heard


class States(NamedTuple):
    """The states of n objects at a message.

    Attributes
    ----------
    object_id : list of int
        OSI ids of the objects.
    state : float64 (n, n_state)
        State of each object's assembly.
    """

    object_id: list[int]
    state: Floats


def states_of(due: Mapping[int, Due]) -> Iterator[States]:
    """Yield the states of objects at a message, one record for each group computed in one call.

    Parameters
    ----------
    due : mapping of int to Due
        The objects whose state must be computed, by OSI id.
    """
    many: dict[int, MovesTogether] = {}
    for object_id, (assembly, before, heard) in due.items():
        if before is not None and _moves_together(assembly):
            many[object_id] = assembly
        else:
            yield States([object_id], assembly.advance(before, heard)[None])
    for ids, assemblies in companies(many):
        several = [due[object_id] for object_id in ids]
        known = np.array([each.before for each in several])
        company = assemblies[0].together(assemblies)
        yield States(ids, company.advance_together(known, [each.heard for each in several]))


def companies(assemblies: Mapping[int, _Parts]) -> Iterable[tuple[list[int], list[_Parts]]]:
    """Group objects that can be computed in one call; return (OSI ids, assemblies) of each group.

    Assemblies that are a `MovesTogether` form a group if their keys are equal. Any other objects
    form a group only if they share one assembly.

    Parameters
    ----------
    assemblies : mapping of int to Assembly
        The assembly of each object, by OSI id.
    """
    found: dict[object, tuple[list[int], list[_Parts]]] = {}
    for object_id, assembly in assemblies.items():
        kin: object = assembly.kin() if _moves_together(assembly) else assembly
        ids, own = found.setdefault(kin, ([], []))
        ids.append(object_id)
        own.append(assembly)
    return found.values()


def moves_of(assemblies: Sequence[Assembly]) -> Moves:
    """Return the object that computes the poses of all parts of a group's objects.

    `assemblies` is one list of assemblies that `companies` returns.
    """
    together = [each for each in assemblies if _moves_together(each)]
    return together[0].together(together) if together else assemblies[0]


def _moves_together(assembly: Assembly | MovesTogether) -> TypeGuard[MovesTogether]:
    """Return `isinstance(assembly, MovesTogether)`, 50 times faster, in 0.1 us."""
    return _is_together(type(assembly))


@cache
def _is_together(kind: type) -> bool:
    return issubclass(kind, MovesTogether)


def poses_of(going: Iterable[Going]) -> dict[int, Floats]:
    """Return the poses object_from_part of the parts of all objects, by OSI id.

    `going` has the objects in groups, as `Ways.at` returns them. The poses of an object are
    float64 (n_instant, n_part, 4, 4), with the parts in the order of its assembly. [m]
    """
    poses: dict[int, Floats] = {}
    for ids, _, moves, travels in going:
        poses.update(zip(ids, travels.by_object(moves.poses(travels)), strict=True))
    return poses
