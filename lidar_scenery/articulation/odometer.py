# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The odometer: the distance each object has travelled, and the state of its parts, by message."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.columns import rows_of
from lidar_scenery.articulation.catalogue import states_parts
from lidar_scenery.articulation.records import Going, Heard, Travel
from lidar_scenery.articulation.together import Due, companies, moves_of, states_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from lidar_scenery.articulation.records import Assembly, Floats
    from osi_bridge import Frame
    from raycore.scene.jumps import JumpLimits

LONGEST_GAP_NS = 1_000_000_000
"""Largest gap between messages over which the distance travelled is known. [ns]"""
SETTLING_M = 0.2
"""Distance over which the curvature settles to 1/e of a change: poses may be rounded. [m]"""
LEAST_WAY_M = 1e-3
"""Least distance from message to message from which a curvature is computed. [m]"""
FASTEST_M_S = 1e3
"""Largest speed that is taken from a message; a higher stated speed counts as this. [m/s]"""
_OF_ALL = 3  # numbers that every object has: distance, speed, curvature


class Mileage(NamedTuple):
    """Travel of an object with moving parts until a message.

    Attributes
    ----------
    assembly : Assembly
        The parts of the object.
    numbers : float64 (3 + n_state,)
        Distance travelled [m], speed [m/s] and curvature of the path [1/m], as in `Travel`; then
        the state of the assembly.
    """

    assembly: Assembly
    numbers: Floats


NO_PARTS: Mapping[int, Mileage] = MappingProxyType({})
"""Empty mapping of OSI id to `Mileage`, for a message in which no object has moving parts."""


class _Moves(NamedTuple):
    """Motion of the moving objects of a message since the previous message, float64 (n,) each.

    All values are 0 for an object whose motion is not known, such as a new one.
    """

    way_m: Floats
    turned_rad: Floats
    duration_s: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _MovingObjects:
    """The moving objects of one message.

    Attributes
    ----------
    frame : Frame
        The message.
    object_id : uint64 (n,)
        OSI ids.
    poses : float64 (n, 4, 4)
        World from object. [m]
    way : float64 (3, n)
        Distance travelled [m], speed [m/s] and curvature of the path [1/m].
    has_moved : bool (n,)
        Whether an object has moved since it appeared.
    parts : dict of int to Mileage
        The objects with moving parts, by OSI id.
    kinds : dict of int to tuple
        Type names, model reference and size by which the assembly of each object was chosen, also
        for objects without an assembly. By OSI id.
    """

    frame: Frame
    object_id: NDArray[np.uint64]
    poses: Floats
    way: Floats
    has_moved: NDArray[np.bool_]
    parts: dict[int, Mileage] = field(default_factory=dict)
    kinds: dict[int, tuple[object, ...]] = field(default_factory=dict)


class Odometer:
    """Computes distance, speed, curvature and state of parts of all moving objects, by message.

    Parameters
    ----------
    limits : JumpLimits
        Largest motion between two messages. A larger motion is a jump and adds no distance.
    assembly_of : callable
        Function of a frame and a row of ``frame.objects`` that returns the assembly of that object;
        None if it has no moving parts.
    """

    def __init__(
        self, limits: JumpLimits, assembly_of: Callable[[Frame, int], Assembly | None]
    ) -> None:
        self._limits = limits
        self._assembly_of = assembly_of
        self._last: _MovingObjects | None = None
        self._before: _MovingObjects | None = None

    def hear(self, frame: Frame, poses: Floats) -> Mapping[int, Mileage]:
        """Process the next message, and return the objects whose parts may move.

        Parameters
        ----------
        frame : Frame
            The message. If its time is earlier than the last one's, a new run begins and all
            previous messages are forgotten. If its time is the same, it replaces the last message.
        poses : float64 (n_object, 4, 4)
            Poses world_from_object of the message's objects, moving objects first. [m]

        Returns
        -------
        mapping of int to Mileage
            By OSI id, the travel of each object that has an assembly. Objects are missing that have
            not moved since they appeared, unless this or an earlier message states poses of parts.
        """
        before = self._last
        if before is not None and frame.time_ns == before.frame.time_ns:
            before = self._before
        elif before is not None and frame.time_ns < before.frame.time_ns:
            before = None
        n = len(frame.moving)
        ids = frame.objects.object_id[:n]
        old = np.full(n, -1) if before is None else rows_of(before.object_id, ids)
        moves = self._moves(before, frame, poses[:n], old)
        message = _travelled(before, frame, poses[:n], old, moves)
        self._before, self._last = before, message
        due = self._all_due(before, message, moves, old)
        for of, state in states_of(due):
            rows = [due[object_id].heard.row for object_id in of]
            numbers = np.concatenate([message.way[:, rows].T, state], axis=1)
            miles = [
                Mileage(due[each].assembly, own) for each, own in zip(of, numbers, strict=True)
            ]
            message.parts.update(zip(of, miles, strict=True))
        return message.parts

    def _all_due(
        self,
        before: _MovingObjects | None,
        message: _MovingObjects,
        moves: _Moves,
        old: NDArray[np.int64],
    ) -> dict[int, Due]:
        """Return the objects whose parts need a state in this message, by OSI id.

        These have an assembly, and have moved or state poses of parts.
        """
        due: dict[int, Due] = {}
        parts = {} if before is None else before.parts
        kinds = {} if before is None else before.kinds
        asked = []  # all but objects that are known to have no parts
        each = zip(message.object_id.tolist(), _goes_on(before, message, old).tolist(), strict=True)
        for row, (object_id, goes_on) in enumerate(each):
            if goes_on and object_id in kinds:
                message.kinds[object_id] = kinds[object_id]
                if object_id not in parts:
                    continue
            asked.append((row, object_id, goes_on))
        columns = np.array([*message.way[1:], *moves]).T.tolist() if asked else []
        for row, object_id, goes_on in asked:
            known = parts.get(object_id)
            speed, curvature, way_m, turned, duration = columns[row]
            heard = Heard(message.frame, row, way_m, turned, duration, speed, curvature)
            if goes_on and known is not None:
                due[object_id] = Due(known.assembly, known.numbers[_OF_ALL:], heard)
            else:
                found = self._due(before, message, object_id, heard)
                if found is not None:
                    due[object_id] = found
        return due

    def _moves(
        self, before: _MovingObjects | None, frame: Frame, poses: Floats, old: NDArray[np.int64]
    ) -> _Moves:
        """Return the motion of a message's objects; `old` has their rows in the message before."""
        moves = _Moves(*np.zeros((3, len(poses))))
        duration_ns = 0 if before is None else frame.time_ns - before.frame.time_ns
        known = np.flatnonzero(old >= 0)
        if before is None or not len(known) or duration_ns > LONGEST_GAP_NS:
            return moves
        moves.duration_s[known] = 1e-9 * duration_ns
        moved = known[(before.poses[old[known]] != poses[known]).any(axis=(1, 2))]
        pairs = np.stack([before.poses[old[moved]], poses[moved]], axis=1)
        frames = before.frame, frame

        def stated_m_s(n: int, step: int) -> float:
            row = moved[n] if step else old[moved[n]]
            return frames[step].stated_speed_m_s(int(row))

        jumps = self._limits.jumps(pairs, np.array([0.0, 1e-9 * duration_ns]), stated_m_s)[:, 0]
        moves.duration_s[moved[jumps]] = 0.0
        first, last = pairs[~jumps, 0], pairs[~jumps, 1]
        turn = np.swapaxes(first[:, :3, :3], 1, 2) @ last[:, :3, :3]
        heading = first[:, :3, 0] + last[:, :3, 0]
        heading /= np.linalg.norm(heading, axis=1, keepdims=True)
        way_m = (heading * (last[:, :3, 3] - first[:, :3, 3])).sum(axis=1)
        moves.way_m[moved[~jumps]] = way_m
        moves.turned_rad[moved[~jumps]] = np.arctan2(turn[:, 1, 0], turn[:, 0, 0])
        return moves

    def _due(
        self,
        before: _MovingObjects | None,
        message: _MovingObjects,
        object_id: int,
        heard: Heard,
    ) -> Due | None:
        """Return an object if its parts need a state in this message, see `_all_due`."""
        row, frame = heard.row, message.frame
        old = None if before is None else before.parts.get(object_id)
        if old is None and not message.has_moved[row] and not states_parts(frame, row):
            return None
        objects = frame.objects
        names = objects.type_name[row], objects.subtype_name[row], objects.model_reference[row]
        kind = *names, objects.dimension_m[row].tobytes()
        assembly = state = None
        if before is None or before.kinds.get(object_id) != kind:
            assembly = self._assembly_of(frame, row)
        elif old is not None:
            assembly = old.assembly
        if old is not None and _is_alike(old.assembly, assembly):
            state = old.numbers[_OF_ALL:]
        message.kinds[object_id] = kind
        return None if assembly is None else Due(assembly, state, heard)


def _travelled(
    before: _MovingObjects | None,
    frame: Frame,
    poses: Floats,
    old: NDArray[np.int64],
    moves: _Moves,
) -> _MovingObjects:
    """Return the moving objects of a message, with distance, speed and curvature updated."""
    n, known = len(old), np.flatnonzero(old >= 0)
    way, has_moved = np.zeros((_OF_ALL, n)), np.zeros(n, np.bool_)
    if before is not None:
        way[:, known] = before.way[:, old[known]]
        has_moved[known] = before.has_moved[old[known]]
    way_m, speed, curvature = way
    way_m += moves.way_m
    timed = moves.duration_s > 0.0
    speed[timed] = moves.way_m[timed] / moves.duration_s[timed]
    for row in np.flatnonzero(~timed).tolist():
        speed[row] = min(frame.stated_speed_m_s(row), FASTEST_M_S)
    far = np.flatnonzero(np.abs(moves.way_m) > LEAST_WAY_M)
    share = np.where(has_moved[far], -np.expm1(-np.abs(moves.way_m[far]) / SETTLING_M), 1.0)
    curvature[far] += share * (moves.turned_rad[far] / moves.way_m[far] - curvature[far])
    return _MovingObjects(
        frame=frame,
        object_id=frame.objects.object_id[:n],
        poses=poses,
        way=way,
        has_moved=has_moved | (moves.way_m != 0.0),
    )


class Ways:
    """Interpolates distance, speed, curvature and state of parts between consecutive messages.

    It covers the objects of the last message in ``heard``. If an earlier message lacks an object,
    or states another assembly for it, the values of the next message hold for that message and all
    messages before it.

    Parameters
    ----------
    heard : sequence of mapping of int to Mileage
        The results of `Odometer.hear` for consecutive messages, by OSI id. They lack an object that
        has not moved and for which no message so far states poses of parts.
    heard_s : float64 (n_message,)
        Times of the messages, increasing. [s]
    """

    def __init__(self, heard: Sequence[Mapping[int, Mileage]], heard_s: Floats) -> None:
        self._heard_s = heard_s
        own = {object_id: each.assembly for object_id, each in heard[-1].items()}
        self._groups = [
            (ids, assemblies, moves_of(assemblies), _keys(heard, ids, assemblies))
            for ids, assemblies in companies(own)
        ]

    def at(self, time_s: Floats, *, shown: bool = False) -> list[Going]:
        """Return the travel of all objects at given instants, one record for each group of objects.

        The objects of a group are posed by one calculation.

        Parameters
        ----------
        time_s : float64 (n_instant,)
            Instants, on the same clock as ``heard_s``. Instants before the first message get its
            values, instants after the last message get the last one's. [s]
        shown : bool
            True for the poses that rays hit, in which wheels keep the angle of the last instant.
            False for exact poses.
        """
        going = []
        for ids, assemblies, moves, keys in self._groups:
            found = _interpolated(self._heard_s, keys, time_s)
            numbers = np.swapaxes(found, 0, 1).reshape(-1, found.shape[2])
            way, speed, curvature = numbers[:, :_OF_ALL].T
            state = numbers[:, _OF_ALL:]
            travel = Travel(ids[0], way, speed, curvature, state, shown, len(ids))
            going.append(Going(ids, assemblies, moves, travel))
        return going


def _keys(
    heard: Sequence[Mapping[int, Mileage]], ids: list[int], assemblies: list[Assembly]
) -> Floats:
    """Return `Mileage.numbers` of objects at each message, (n_message, n_object, n_number)."""
    later = [heard[-1][object_id].numbers for object_id in ids]
    rows, goes_back = [later], [True] * len(ids)
    for message in heard[-2::-1]:
        found = []
        for n, object_id in enumerate(ids):
            before = message.get(object_id) if goes_back[n] else None
            goes_back[n] = before is not None and before.assembly is assemblies[n]
            found.append(before.numbers if before is not None and goes_back[n] else later[n])
        rows.append(found)
        later = found
    return np.array(rows[::-1])


def _goes_on(
    before: _MovingObjects | None, message: _MovingObjects, old: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which objects are of the same kind and size as in the message before, bool (n,)."""
    goes_on = np.zeros(len(old), np.bool_)
    if before is not None:
        known = np.flatnonzero(old >= 0)
        rows, others = known.tolist(), old[known].tolist()
        now, then = message.frame.objects, before.frame.objects
        alike = (now.dimension_m[known] == then.dimension_m[old[known]]).all(axis=1)
        for name in ("type_name", "subtype_name", "model_reference"):
            one, other = getattr(now, name), getattr(then, name)
            if rows != others or one != other:  # not all objects have kept row and name
                same = [one[row] == other[of] for row, of in zip(rows, others, strict=True)]
                alike &= np.array(same, np.bool_)
        goes_on[known] = alike
    return goes_on


def _is_alike(before: Assembly, after: Assembly | None) -> bool:
    """Return whether the state of one assembly fits another, such as after a change of size."""
    return after is before or (
        after is not None and type(after) is type(before) and len(after.parts) == len(before.parts)
    )


def _interpolated(key_time: Floats, keys: Floats, time: Floats) -> Floats:
    """Return keys (n_key, ..) interpolated linearly at times, float64 (n, ..)."""
    if len(keys) < 2:
        return np.repeat(keys, len(time), axis=0)
    key = np.clip(np.searchsorted(key_time, time, side="right") - 1, 0, len(keys) - 2)
    share = np.clip((time - key_time[key]) / np.diff(key_time)[key], 0.0, 1.0)[:, None, None]
    between: Floats = keys[key] + share * (keys[key + 1] - keys[key])
    return between
