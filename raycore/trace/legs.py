# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The last legs of mirrored rays (after their last mirror), and the places on the mirrors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from raycore.records import Shots

STRAIGHT = -1
"""Value in ``LastLegs.of_ray`` for a ray without a last leg: it has met no mirror, or no surface
after its last mirror."""


class Bounces(NamedTuple):
    """Places at which rays met mirrors, in the sensor frame; a ray has one row for each mirror.

    ``instance`` is the mirror's instance, ``place_m``, (n, 3), the place, and ``turn``, (n, 3), the
    ray's direction before the mirror minus its direction after it. ``leg`` is the row of the ray's
    last leg in `LastLegs`; while the legs are not known yet, it is the index of the ray.
    """

    leg: NDArray[np.int32]  # (n,) row in `LastLegs`; as argument of `last_legs`, index of the ray
    instance: NDArray[np.uint32]  # (n,) index of the mirror's instance
    place_m: NDArray[np.float32]  # (n, 3)
    turn: NDArray[np.float32]  # (n, 3) direction before minus direction after the mirror

    def of_legs(self, of_ray: NDArray[np.int32]) -> Bounces:
        """Return the bounces of rays with a last leg; replace the ray by the row of its last leg.

        In this record ``leg`` is the index of the ray, in the result the row of the ray's last leg.
        ``of_ray``, int32 (n_ray,), is that row for each ray, `STRAIGHT` without one.
        """
        leg = of_ray[self.leg]
        ends = leg != STRAIGHT
        return Bounces(leg[ends], self.instance[ends], self.place_m[ends], self.turn[ends])


NO_BOUNCES = Bounces(
    np.empty(0, np.int32),
    np.empty(0, np.uint32),
    np.empty((0, 3), np.float32),
    np.empty((0, 3), np.float32),
)


class LastLegs(NamedTuple):
    """The last legs of mirrored rays, from the last mirror to the surface, in the sensor frame.

    ``of_ray``, (n_ray,), is the row of each ray's last leg, `STRAIGHT` without one. ``origin_m``
    and ``direction``, (n_leg, 3), describe the legs. The origin of a leg is the mirror image of the
    ray's start, see `osi_lidar.scan.light_path`. So the hit is at origin + range * direction, where
    range is the length of the whole path. ``bounces`` has the places on the mirrors.
    """

    of_ray: NDArray[np.int32]  # (n_ray | 0,) row of the ray's last leg, STRAIGHT without one
    origin_m: NDArray[np.float32]  # (n_leg, 3)
    direction: NDArray[np.float32]  # (n_leg, 3)
    bounces: Bounces = NO_BOUNCES

    def ray_by_ray(self, n_ray: int) -> NDArray[np.int32]:
        """Return the row of each ray's last leg, int32 (n_ray,); `STRAIGHT` for rays without one.

        ``n_ray`` is the number of rays, needed because ``of_ray`` is empty if no ray has a last
        leg.
        """
        return self.of_ray if len(self.of_ray) else np.full(n_ray, STRAIGHT, np.int32)

    def behind(self, others: LastLegs) -> LastLegs:
        """Return a record for the same rays, with the legs of ``others`` before their own legs.

        It joins the legs of two sets of rays in one table. ``of_ray`` of the result is for the rays
        of this record, with its rows moved behind the legs of ``others``.
        """
        n_before = np.int32(len(others.origin_m))
        moved = self.of_ray + n_before
        mine = self.bounces._replace(leg=self.bounces.leg + n_before)
        return LastLegs(
            np.where(self.of_ray == STRAIGHT, self.of_ray, moved),
            np.concatenate([others.origin_m, self.origin_m]),
            np.concatenate([others.direction, self.direction]),
            _joined([others.bounces, mine]),
        )


NO_LEGS = LastLegs(
    np.empty(0, np.int32), np.empty((0, 3), np.float32), np.empty((0, 3), np.float32)
)
"""The legs of rays that have met no mirror: none."""


def last_legs(
    mirrored: NDArray[np.bool_],
    ended: Sequence[tuple[NDArray[np.intp], Shots, NDArray[np.intp]]],
    bounced: Sequence[Bounces],
) -> LastLegs:
    """Return the last legs of rays; `NO_LEGS` if no ray met a mirror, or ``ended`` is empty.

    Parameters
    ----------
    mirrored : bool (n_ray,)
        Whether each ray has met a mirror.
    ended : sequence of (int (n,), Shots, int (n,))
        An entry for the second legs of all rays, one for the third legs, and so on: indices of the
        rays that end on a surface on this leg, the shots of the leg, and the rows of these rays in
        the shots.
    bounced : sequence of Bounces
        Places at which rays met mirrors, with ``leg`` as the index of the ray.
    """
    if not mirrored.any() or not ended:
        return NO_LEGS
    of_ray = np.full(len(mirrored), STRAIGHT, np.int32)
    rays = np.concatenate([ray for ray, _, _ in ended])
    of_ray[rays] = np.where(mirrored[rays], np.arange(len(rays)), STRAIGHT)
    starts = [np.broadcast_to(one.origin_m, one.direction.T.shape)[row] for _, one, row in ended]
    ways = [one.direction[:, row].T for _, one, row in ended]
    bounces = _joined(bounced).of_legs(of_ray)
    return LastLegs(of_ray, np.concatenate(starts), np.concatenate(ways), bounces)


def _joined(parts: Sequence[Bounces]) -> Bounces:
    """Concatenate bounces."""
    return Bounces(
        np.concatenate([part.leg for part in parts]),
        np.concatenate([part.instance for part in parts]),
        np.concatenate([part.place_m for part in parts]),
        np.concatenate([part.turn for part in parts]),
    )
