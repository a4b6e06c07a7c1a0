# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the roads and objects of a map may take together, by the size of its file."""

from __future__ import annotations

from lidar_base.files.bounds import FREE_POINTS, POINTS_OF_BYTE, check_at_most

POINTS_OF_OBJECT = 500
"""Points that take as long as one object, or one copy of it, and its mesh: some 0.7 ms."""
POINTS_OF_SURFACE = 4
"""The same of a lane section that is looked through for the ground under an object."""
POINTS_OF_STRIP = 50
"""The same of a strip of triangles."""


class Allowance:
    """Points that a map may still have sampled."""

    def __init__(self) -> None:
        self._most = 0
        self._taken = 0

    def grow_to(self, n_bytes: int) -> None:
        """Allow what belongs to so many bytes of the map: those that have been read."""
        self._most = FREE_POINTS + POINTS_OF_BYTE * n_bytes

    def take(self, n_points: float) -> None:
        """Take points off, before they are made.

        Raises
        ------
        BoundError
            If the map takes more than its size allows.
        """
        self._taken += int(n_points)
        check_at_most(self._taken, self._most, "points that roads and objects take so far")

    def take_objects(self, count: int, n_surfaces: int) -> None:
        """Take off what objects on a road of a number of surfaces need; errors of `take`."""
        self.take(count * (POINTS_OF_OBJECT + POINTS_OF_SURFACE * n_surfaces))
