# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of objects with moving parts, and the interface of an assembly of such parts.

An assembly has a state: numbers that it finds for every message from the message before,
such as the angles of wheels. Between two messages the numbers are interpolated linearly in time, so
angles are not wrapped. All messages are heard, also those that no scan follows; the poses of parts
therefore do not depend on where a recording is cut.
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
    """An object in a message, and how it moved since the message before.

    Attributes
    ----------
    frame, row : Frame and int
        The message, and the object's row in its `objects`; ``frame.moving[row]`` is its protobuf
        message, for what it states of the parts.
    way_m : float
        Way of the object's centre along its heading since the message before, negative backwards;
        0 in the first message, and where the object was put elsewhere. [m]
    turned_rad : float
        Turn about the object's upright axis since then, positive to the left. [rad]
    duration_s : float
        Time since then, 0 if nothing is known of it. [s]
    speed_m_s : float
        Speed along the heading. [m/s]
    curvature_per_m : float
        Curvature of the way, positive to the left. [1/m]
    """

    frame: Frame
    row: int
    way_m: float
    turned_rad: float
    duration_s: float
    speed_m_s: float
    curvature_per_m: float


class Travel(NamedTuple):
    """How one object travels, at the n instants at which its parts are posed.

    Or how several do that move together, for each of which there are n / n_object instants.

    Attributes
    ----------
    object_id : int
        OSI id, of the first one.
    way_m : float64 (n,)
        Way along the heading since the object appeared, negative backwards. [m]
    speed_m_s : float64 (n,)
        Speed along the heading. [m/s]
    curvature_per_m : float64 (n,)
        Curvature of the way, positive to the left. [1/m]
    state : float64 (n, n_state)
        State of the assembly.
    shown : bool
        True: poses that rays see, in which wheels keep the angle of the last instant, as turning
        them costs much and they are round. False: true poses, from which velocities follow.
    n_object : int
        How many objects.
    """

    object_id: int
    way_m: Floats
    speed_m_s: Floats
    curvature_per_m: Floats
    state: Floats
    shown: bool = False
    n_object: int = 1

    def by_object(self, column: Floats) -> Floats:
        """Return a column with a row for each object, (n_object, n / n_object, ..)."""
        return column.reshape(self.n_object, -1, *column.shape[1:])

    def each(self) -> Iterator[Travel]:
        """Give the travel of each object."""
        columns = self.way_m, self.speed_m_s, self.curvature_per_m, self.state
        for way, speed, curvature, state in zip(*map(self.by_object, columns), strict=True):
            yield Travel(self.object_id, way, speed, curvature, state, self.shown)


class Going(NamedTuple):
    """Objects that travel as one.

    Attributes
    ----------
    object_id : list of int
        OSI ids.
    assemblies : list of Assembly
        The parts of each.
    moves : Moves
        How the parts of all move.
    travel : Travel
        Of all of them, one after the other.
    """

    object_id: list[int]
    assemblies: list[Assembly]
    moves: Moves
    travel: Travel


class Moves(Protocol):
    """How the parts of one or more objects move."""

    def n_interval(self, travel: Travel) -> int:
        """Return into how many even intervals a scan is to be divided, at least 1.

        Between two of these instants parts move evenly along a line and turn evenly about one axis,
        by less than half a turn.

        Parameters
        ----------
        travel : Travel
            The object at the messages around the scan, or several that move together; the one that
            needs most intervals counts.
        """

    def poses(self, travel: Travel) -> Floats:
        """Return object_from_part, rotations and translations, float64 (n, n_part, 4, 4). [m]."""


class Assembly(Moves, Protocol):
    """The moving parts of an object, without its pose; one assembly serves all equal objects."""

    @property
    def parts(self) -> tuple[Mesh, ...]:
        """Meshes of the parts, each in its own frame; the first is the body."""

    @property
    def standing(self) -> Floats:
        """State of one that has never moved, whatever its id, float64 (n_state,)."""

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
            A new array; `before` itself stays as it is, and may be returned if nothing changed.
        """


class Company(Moves, Protocol):
    """Some objects whose parts move by one calculation, in the order in which they were given."""

    def advance_together(self, before: Floats, heard: Sequence[Heard]) -> Floats:
        """Return the states at a message, (n, n_state), see `Assembly.advance`."""


@runtime_checkable
class MovesTogether(Protocol):
    """An assembly whose parts move by one calculation with other objects'."""

    def kin(self) -> Hashable:
        """Return a key; objects with equal keys move by one calculation."""

    def together(self, others: Sequence[Self]) -> Company:
        """Return some of this kin as one company; `self` is in it only if it is in `others`."""
