# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The closed form of a box: range and angle of incidence at which a ray enters it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from osi_bridge import NO_OBJECT, rotation_from_orientation
from raycore.closed_forms import range_to_plane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

GROUND = -1
"""Value of `BoxHits.row` for the ground; `NOTHING` means that a ray meets nothing."""
NOTHING = -2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoxAtTimes:
    """A box, with its pose at the time of each ray.

    Attributes
    ----------
    object_id : int
        OSI id of the box.
    dimension_m : tuple of float
        Length, width and height. [m]
    centre_m : float64 (n_ray, 3) or (1, 3)
        Centre of the box in the world; a single row is valid for all rays. [m]
    orientation_rad : float64 (n_ray, 3) or (1, 3)
        Roll, pitch and yaw in the world; a single row is valid for all rays. [rad]
    velocity_m_s : float64 (3,)
        Velocity of the box in the world. [m/s]
    """

    object_id: int
    dimension_m: tuple[float, float, float]
    centre_m: NDArray[np.float64]
    orientation_rad: NDArray[np.float64]
    velocity_m_s: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class BoxHits:
    """The first surface that each ray meets.

    Attributes
    ----------
    range_m : float64 (n,)
        Distance to the surface; infinite where a ray meets nothing. [m]
    row : int64 (n,)
        Index of the box among the boxes given to `first_hits`; else `GROUND` or `NOTHING`.
    object_id : uint64 (n,)
        OSI id of the box; `NO_OBJECT` for the ground or nothing.
    cos_incidence : float64 (n,)
        Cosine of the angle between the ray and the normal of the surface, 0 or more. [1]
    radial_m_s : float64 (n,)
        Velocity of the box along the ray, positive towards the sensor, as in OSI; else 0. [m/s]
    """

    range_m: NDArray[np.float64]
    row: NDArray[np.int64]
    object_id: NDArray[np.uint64]
    cos_incidence: NDArray[np.float64]
    radial_m_s: NDArray[np.float64]

    def split(self, n: int) -> list[BoxHits]:
        """Return n parts with equally many rays, in order; n must divide the number of rays."""
        columns = (self.range_m, self.row, self.object_id, self.cos_incidence, self.radial_m_s)
        parts = zip(*(np.split(each, n) for each in columns), strict=True)
        return [BoxHits(*part) for part in parts]


def first_hits(
    boxes: Sequence[BoxAtTimes],
    origin_m: NDArray[np.float64],
    direction: NDArray[np.float64],
    ground_m: float | None,
) -> BoxHits:
    """Return the first surface that each ray meets, by the slab method for boxes.

    In the frame of a box with half edges h, a ray o + r d is between the two planes of axis k for r
    from (-sgn(d_k) h_k - o_k) / d_k to (sgn(d_k) h_k - o_k) / d_k. The ray enters the box at the
    greatest of the three lower limits, if this is below the least of the three upper limits.

    Parameters
    ----------
    boxes : sequence of BoxAtTimes
        The boxes; a ray that starts in a box does not meet that box.
    origin_m : float64 (n, 3) or (1, 3)
        Origins of the rays; a single row is valid for all rays. [m]
    direction : float64 (n, 3)
        Unit vectors.
    ground_m : float or None
        Height of the ground plane; None: no ground. [m]
    """
    n = len(direction)
    best_m, row, cos, radial = np.full(n, np.inf), np.full(n, NOTHING), np.zeros(n), np.zeros(n)
    ids = np.full(n, NO_OBJECT, np.uint64)
    if ground_m is not None:
        best_m = range_to_plane(origin_m, direction, point_m=(0, 0, ground_m), normal=(0, 0, 1))
        cos = np.abs(direction[:, 2])
        row[np.isfinite(best_m)] = GROUND
    for index, box in enumerate(boxes):
        near = _towards(box, origin_m, direction)
        if not len(near):
            continue
        range_m, face_cos = _entry(box, origin_m, direction, near)
        nearer = range_m < best_m[near]
        hit = near[nearer]
        best_m[hit], row[hit], cos[hit] = range_m[nearer], index, face_cos[nearer]
        ids[hit], radial[hit] = box.object_id, -direction[hit] @ box.velocity_m_s
    return BoxHits(best_m, row, ids, cos, radial)


def _towards(
    box: BoxAtTimes, origin_m: NDArray[np.float64], direction: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Return the indices of rays that meet the sphere around a box."""
    centre = box.centre_m - origin_m
    along = direction @ centre[0] if len(centre) == 1 else np.einsum("ni,ni->n", centre, direction)
    aside = (centre**2).sum(axis=1) - along**2
    radius = 0.5 * float(np.linalg.norm(box.dimension_m))
    return np.flatnonzero((aside <= 1.01 * radius**2) & (along >= -radius))


def _of(rows: NDArray[np.float64], rays: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the rows for some rays, or the single row that is valid for all."""
    return rows if len(rows) == 1 else rows[rays]


def _entry(
    box: BoxAtTimes,
    origin_m: NDArray[np.float64],
    direction: NDArray[np.float64],
    rays: NDArray[np.intp],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ranges at which rays enter a box (infinite: miss), and cosines of incidence."""
    turn = rotation_from_orientation(_of(box.orientation_rad, rays))
    start = np.einsum("...ji,...j->...i", turn, _of(origin_m, rays) - _of(box.centre_m, rays))
    along = np.einsum("...ji,...j->...i", turn, direction[rays])
    half = 0.5 * np.asarray(box.dimension_m)
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (-half - start) / along, (half - start) / along
    near, far = np.minimum(first, second), np.maximum(first, second)
    beside = (along == 0.0) & (np.abs(start) > half)
    within = (along == 0.0) & ~beside
    near[within], far[within] = -np.inf, np.inf
    near[beside], far[beside] = np.inf, -np.inf
    face = np.argmax(near, axis=1)
    enter, leave = near.max(axis=1), far.min(axis=1)
    inside = (enter <= 0.0) & (leave > 0.0)
    hit = (enter <= leave) & (enter > 0.0)
    cosine = np.abs(np.take_along_axis(along, face[:, None], axis=1)[:, 0])
    return np.where(hit & ~inside, enter, np.inf), cosine
