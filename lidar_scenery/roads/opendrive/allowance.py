# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the roads and objects of a map may take together, by the size of its file."""

from __future__ import annotations

from lidar_base.files.bounds import (
    BYTES_OF_COPY,
    BYTES_OF_OBJECT,
    FREE_OBJECTS,
    FREE_POINTS,
    MOST_COPIES,
    POINTS_OF_BYTE,
    check_at_most,
)

POINTS_OF_SURFACE = 4
"""Points that take as long as a lane section that is looked through for the ground of an object."""
POINTS_OF_STRIP = 50
"""The same of a strip of triangles."""


class Allowance:
    """Points and objects that a map may still have made."""

    def __init__(self) -> None:
        self._n_bytes = 0
        self._points = 0
        self._objects = 0

    def grow_to(self, n_bytes: int) -> None:
        """Allow what belongs to so many bytes of the map: those that have been read."""
        self._n_bytes = n_bytes

    def take(self, n_points: float) -> None:
        """Take points off, before they are made.

        Raises
        ------
        BoundError
            If the map takes more than its size allows.
        """
        self._points += int(n_points)
        most = FREE_POINTS + POINTS_OF_BYTE * self._n_bytes
        check_at_most(self._points, most, "points that roads and objects take so far")

    def take_objects(self, count: int, n_surfaces: int) -> None:
        """Take objects, or copies of them, off, on a road of so many surfaces; errors of `take`."""
        self._objects += count
        few = min(FREE_OBJECTS + self._n_bytes // BYTES_OF_COPY, MOST_COPIES)
        most = max(few, self._n_bytes // BYTES_OF_OBJECT)
        check_at_most(self._objects, most, "objects and copies of them so far")
        self.take(count * POINTS_OF_SURFACE * n_surfaces)
