# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of objects with moving parts, and the interface of an assembly of such parts.

An assembly has a state: numbers such as the angles of wheels, computed for each message from the
state at the previous message. Between two messages the numbers are interpolated linearly in time,
so angles are not wrapped. All messages count, also those without a scan; so the poses of parts do
not depend on where a recording is cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from typing_extensions import Self

    from osi_bridge import Frame
    from raycore.mesh.mesh import Mesh

Floats = NDArray[np.float64]


class Heard(NamedTuple):
    """An object in a message, and how it moved since the previous message.

    Attributes
    ----------
    frame, row : Frame and int
        The message, and the object's row in ``frame.objects``. ``frame.moving[row]`` is the
        object's protobuf message, which may state poses of parts.
    way_m : float
        Distance that the object's centre moved along its heading since the previous message,
        negative backwards; 0 in the object's first message and after a jump or gap. [m]
    turned_rad : float
        Turn about the object's vertical axis since the previous message, positive to the left.
        [rad]
    duration_s : float
        Time since the previous message; 0 in the first message and after a jump or gap. [s]
    speed_m_s : float
        Speed along the heading. [m/s]
    curvature_per_m : float
        Curvature of the path, positive to the left. [1/m]
    """

    frame: Frame
    row: int
    way_m: float
    turned_rad: float
    duration_s: float
    speed_m_s: float
    curvature_per_m: float


class Travel(NamedTuple):
    """Travel of one object, or of several, at the instants for which the poses of parts are wanted.

    The arrays have n = n_object * n_instant rows: first all instants of the first object in the
    order of time, then all instants of the second one, and so on.

    Attributes
    ----------
    object_id : int
        OSI id of the first object.
    way_m : float64 (n,)
        Distance along the heading since the object appeared, negative backwards. [m]
    speed_m_s : float64 (n,)
        Speed along the heading. [m/s]
    curvature_per_m : float64 (n,)
        Curvature of the path, positive to the left. [1/m]
    state : float64 (n, n_state)
        State of the object's moving parts, in the form that its `Assembly` defines.
    shown : bool
        True for the poses that rays hit: wheels keep the angle of the last instant, since they are
        round and turning them is slow. False for exact poses, from which velocities are computed.
    n_object : int
        Number of objects.
    """

    object_id: int
    way_m: Floats
    speed_m_s: Floats
    curvature_per_m: Floats
    state: Floats
    shown: bool = False
    n_object: int = 1

    def by_object(self, column: Floats) -> Floats:
        """Split an array of n rows by object, and return it as (n_object, n / n_object, ..).

        ``column`` is a float64 array (n, ..) with the rows of this `Travel`, such as its `state`.
        """
        return column.reshape(self.n_object, -1, *column.shape[1:])

    def each(self) -> Iterator[Travel]:
        """Yield one `Travel` for each object, with n / n_object rows.

        `object_id` of all results is the id of the first object.
        """
        columns = self.way_m, self.speed_m_s, self.curvature_per_m, self.state
        for way, speed, curvature, state in zip(*map(self.by_object, columns), strict=True):
            yield Travel(self.object_id, way, speed, curvature, state, self.shown)


class Going(NamedTuple):
    """Objects whose parts are posed by one calculation.

    Attributes
    ----------
    object_id : list of int
        OSI ids of the objects.
    assemblies : list of Assembly
        The parts of each object.
    moves : Moves
        Computes the poses of the parts of all objects.
    travel : Travel
        Travel of all objects, in the order of `object_id`.
    """

    object_id: list[int]
    assemblies: list[Assembly]
    moves: Moves
    travel: Travel


class Moves(Protocol):
    """Interface of objects that compute the poses of the parts of one or more assemblies."""

    def n_interval(self, travel: Travel) -> int:
        """Return the number of equal intervals to divide a scan into, at least 1.

        Within an interval, each part moves at constant velocity along a line, and turns at a
        constant rate about one axis, by less than half a turn.

        Parameters
        ----------
        travel : Travel
            Travel of one or more objects at the messages around the scan. The result is the
            number for the object that needs most intervals.
        """

    def poses(self, travel: Travel) -> Floats:
        """Return the poses object_from_part of all parts at given instants.

        Parameters
        ----------
        travel : Travel
            States of one or more objects, n rows: one for each object and instant.

        Returns
        -------
        float64 (n, n_part, 4, 4)
            Poses for each row of `travel`; the origin of an object is the centre of its box. [m]
        """


class Assembly(Moves, Protocol):
    """Interface of the moving parts of an object, such as the body and the wheels of a vehicle.

    An assembly has no pose in the world and no state of its own: equal objects share it.
    """

    @property
    def parts(self) -> tuple[Mesh, ...]:
        """Meshes of the parts, each in its own frame; the first is the body."""

    @property
    def standing(self) -> Floats:
        """State of an object that has never moved, whatever its id, float64 (n_state,)."""

    def advance(self, before: Floats | None, heard: Heard) -> Floats:
        """Return the state at a message.

        Parameters
        ----------
        before : float64 (n_state,) or None
            State at the previous message; None if the object had no state yet. An object gets one
            in the first message in which it has moved or that states poses of its parts.
        heard : Heard
            The object in the message, and how it moved since the previous message.

        Returns
        -------
        float64 (n_state,)
            The state; `before` is not modified, and may itself be returned if nothing changed.
        """


class Company(Moves, Protocol):
    """Interface of several objects that are computed at once, made by `MovesTogether.together`."""

    def advance_together(self, before: Floats, heard: Sequence[Heard]) -> Floats:
        """Return the states of the n objects at a message, (n, n_state).

        Parameters
        ----------
        before : float64 (n, n_state)
            States at the previous message.
        heard : sequence of Heard
            For each object, its motion since the previous message.
        """


@runtime_checkable
class MovesTogether(Protocol):
    """An assembly whose state and poses can be computed in one call with other objects."""

    def kin(self) -> Hashable:
        """Return a key. Assemblies with equal keys can be computed in one call, see `together`."""

    def together(self, others: Sequence[Self]) -> Company:
        """Return an object that computes states and poses of the parts of several objects at once.

        Parameters
        ----------
        others : sequence of assemblies
            The assembly of each object, in the order of the results; one may occur several times.
            All must have the key that `kin` of this assembly returns. This assembly is included
            only if it is one of them.
        """
