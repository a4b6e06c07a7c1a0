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
        negative backwards; 0 in the object's first message and after a jump. [m]
    turned_rad : float
        Turn about the object's vertical axis since the previous message, positive to the left.
        [rad]
    duration_s : float
        Time since the previous message, 0 if the motion in between is not known. [s]
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
    """Travel of one object, at the n instants at which its parts are posed.

    It may also describe several objects that move together: then the rows of the first object
    come first, and each object has n / n_object of them.

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
        State of the assembly.
    shown : bool
        True for the poses that rays hit: wheels keep the angle of the last instant, since they are
        round and turning them is slow. False for exact poses, which give velocities.
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
        """Return a column of n rows split by object, (n_object, n / n_object, ..)."""
        return column.reshape(self.n_object, -1, *column.shape[1:])

    def each(self) -> Iterator[Travel]:
        """Yield the travel of each object; all have the OSI id of the first."""
        columns = self.way_m, self.speed_m_s, self.curvature_per_m, self.state
        for way, speed, curvature, state in zip(*map(self.by_object, columns), strict=True):
            yield Travel(self.object_id, way, speed, curvature, state, self.shown)


class Going(NamedTuple):
    """Objects whose parts are posed by one calculation.

    Attributes
    ----------
    object_id : list of int
        OSI ids.
    assemblies : list of Assembly
        The parts of each object.
    moves : Moves
        Computes the poses of the parts of all objects.
    travel : Travel
        Travel of all objects, one after the other.
    """

    object_id: list[int]
    assemblies: list[Assembly]
    moves: Moves
    travel: Travel


class Moves(Protocol):
    """Interface that computes the poses of the parts of one or more objects."""

    def n_interval(self, travel: Travel) -> int:
        """Return the number of equal intervals to divide a scan into, at least 1.

        Within an interval, each part is moved at constant velocity along a line, and turned at a
        constant rate about one axis by less than half a turn.

        Parameters
        ----------
        travel : Travel
            Travel of one or more objects at the messages around the scan. The result is the
            number for the object that needs most intervals.
        """

    def poses(self, travel: Travel) -> Floats:
        """Return the poses object_from_part at the n instants, float64 (n, n_part, 4, 4) [m]."""


class Assembly(Moves, Protocol):
    """The moving parts of an object. It has no pose, so all equal objects share one assembly."""

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
            State at the message before; None at the first one.
        heard : Heard
            The object in the message.

        Returns
        -------
        float64 (n_state,)
            The state; `before` is not modified, and may itself be returned if nothing changed.
        """


class Company(Moves, Protocol):
    """Several objects whose states and poses are computed at once, in the order given."""

    def advance_together(self, before: Floats, heard: Sequence[Heard]) -> Floats:
        """Return the states of all objects at a message, (n, n_state), see `Assembly.advance`."""


@runtime_checkable
class MovesTogether(Protocol):
    """An assembly whose state and poses can be computed at once with those of other objects."""

    def kin(self) -> Hashable:
        """Return a key; objects with equal keys can be computed at once."""

    def together(self, others: Sequence[Self]) -> Company:
        """Return the assemblies `others`, all with the key of this one, as one company.

        This assembly belongs to the company only if it is one of `others`.
        """
