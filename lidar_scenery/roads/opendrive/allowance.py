# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Limit on the points and objects of a map, in proportion to the size of its file."""

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
"""Number of points that searching a lane section for the ground of an object counts as."""
POINTS_OF_STRIP = 50
"""Number of points that a strip counts as, besides one for each of its pairs of points."""


class Allowance:
    """Counts the points and objects made from a map; raises an error above a limit.

    The limit grows with the size of the map's file.
    """

    def __init__(self) -> None:
        self._n_bytes = 0
        self._points = 0
        self._objects = 0

    def grow_to(self, n_bytes: int) -> None:
        """Set the limit from `n_bytes`, the number of bytes of the map's file read so far."""
        self._n_bytes = n_bytes

    def take(self, n_points: float) -> None:
        """Count `n_points` (rounded down) more points against the limit, before they are made.

        Raises
        ------
        BoundError
            If the map needs more points than the size of its file allows.
        """
        self._points += int(n_points)
        most = FREE_POINTS + POINTS_OF_BYTE * self._n_bytes
        check_at_most(self._points, most, "points that roads and objects take so far")

    def take_objects(self, count: int, n_surfaces: int) -> None:
        """Count `count` more objects, or copies of an object, against the limits.

        Finding the ground below them costs points too: `POINTS_OF_SURFACE` for each object and each
        of the `n_surfaces` lane sections of their road.

        Raises
        ------
        BoundError
            If the map has more objects, or needs more points, than the size of its file allows.
        """
        self._objects += count
        few = min(FREE_OBJECTS + self._n_bytes // BYTES_OF_COPY, MOST_COPIES)
        most = max(few, self._n_bytes // BYTES_OF_OBJECT)
        check_at_most(self._objects, most, "objects and copies of them so far")
        self.take(count * POINTS_OF_SURFACE * n_surfaces)
