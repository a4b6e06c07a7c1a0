# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The path of light: rays that go on after a surface, through glazing or off a mirror.

Surfaces that let every ray pass are masked in the scene, so rays never meet them. Whether other
surfaces let light go on depends on the material and the angle of incidence, which are known only
after the hit: such beams are traced once more from the hit.

A path is unfolded. After a mirror, a beam is traced as if it came from the mirror image of its
origin, and only surfaces behind the mirror count. So its range is the length of the total path, and
the reported point, origin + direction * range, is a ghost: the mirror image of the real surface.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from osi_lidar.scan.light_path_kernels import send_on
from osi_lidar.scan.records import Paths
from raycore.records import NOTHING
from raycore.trace.legs import Bounces, last_legs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.scan.records import Exposure
    from raycore.records import Hits, Shots
    from raycore.trace.tracer import Tracer

NO_LOSS = np.empty(0, np.float32)
"""Transmission if no ray has met glazing or mirrors: no rows, which means 1 for all rays."""
_NO_GHOST = np.empty(0, np.bool_)
MOST_PANES = 16
"""Largest number of panes that a beam passes; it ends at the next pane."""
CLEAR_M = 1e-4
"""Rays go on this far behind a surface, so that they do not meet the same surface again. [m]"""
CLEAR_PER_M = 1e-6
"""Fraction of the range that is added to ``CLEAR_M``, because float32 has few digits. [1]"""
LEAST_COSINE = 1e-3
"""Least cosine by which the clearance off a mirror is divided: grazing rays stay near it. [1]"""


class Branch(Enum):
    """Where light goes at a surface that both transmits and mirrors some of it.

    The beam of an ideal sensor goes straight on. The beam of a physical sensor is split at the
    first such surface, each part with its fraction of the light; later, both go straight on.

    Attributes
    ----------
    ONLY
        Straight on; no other part is traced.
    STRAIGHT
        Straight on, as one of two parts.
    MIRRORED
        In the mirror's direction at the first such surface, as the other part.
    """

    ONLY = "straight on, the only part"
    STRAIGHT = "straight on, as one of two parts"
    MIRRORED = "the mirror's way, as one of two parts"


class PathRules(NamedTuple):
    """Rules by which light goes on from a surface.

    Attributes
    ----------
    max_bounces : int
        How many mirrors a ray may meet; it ends at the next mirror.
    branch : Branch
        Where a ray goes at a surface that both transmits and mirrors some of its light.
    """

    max_bounces: int
    branch: Branch


def follow_light(
    exposure: Exposure,
    shots: Shots,
    hits: Hits,
    onwards: Tracer,
    rules: PathRules,
) -> Paths:
    """Return the surfaces at which the rays end, and the fraction of light that comes back.

    Parameters
    ----------
    exposure : Exposure
        The scan.
    shots : Shots
        The rays.
    hits : Hits
        The first surfaces that they meet.
    onwards : Tracer
        Traces the rays that go on; it must not be the tracer that has produced ``hits``.
    rules : PathRules
        Rules by which light goes on.

    Returns
    -------
    Paths
        A hit for each ray, with the range of the total path. If no ray goes on, these are the
        input hits; but with the branch MIRRORED, if the scene has surfaces that may send light on,
        a ray has light and a hit only if it has been split. The cosine of incidence is taken where
        the path ends. With the branch ONLY, the normal is the surface's own; else it is the normal
        of the mirror image that the sensor sees.
    """
    direct, branch = Paths(hits=hits, share=NO_LOSS, ghost=_NO_GHOST), rules.branch
    if not exposure.sends_on:
        return direct
    unsplit = np.full(len(hits), branch is Branch.MIRRORED)
    sent = _sent_on(exposure, hits, unsplit, branch)
    on = np.flatnonzero(sent.share)
    if not on.size and branch is not Branch.MIRRORED:
        return direct
    met = hits.copy()
    met.instance[on] = NOTHING
    total = np.ones(len(hits), np.float32)
    first_ray = np.arange(len(hits))  # row of the ray's beginning
    image = _Image.of(on) if branch is not Branch.ONLY else None
    ends: list[tuple[NDArray[np.intp], Shots, NDArray[np.intp]]] = []
    bounced: list[Bounces] = []
    panes, bounces = np.zeros(len(hits), np.int64), np.zeros(len(hits), np.int64)
    while on.size:
        of_first, mirrored = first_ray[on], sent.mirrored[on]
        unsplit[of_first[sent.both[on]]] = False
        panes[of_first] += ~mirrored
        bounces[of_first] += mirrored
        goes_on = (panes[of_first] <= MOST_PANES) & (bounces[of_first] <= rules.max_bounces)
        on = on[goes_on]
        if not on.size:
            break
        if image is not None:
            image = image.after(goes_on, sent.mirrored[on], hits.normal[:, on])
        before, shots = shots, rays_onwards(shots, hits, on, sent.mirrored[on])
        first_ray = first_ray[on]
        bounced.append(_bounces(before, hits, on, sent.mirrored[on], (first_ray, shots)))
        total[first_ray] *= sent.share[on]
        hits = onwards.trace(exposure.scene, shots, exposure.poses)
        sent = _sent_on(exposure, hits, unsplit[first_ray], branch)
        ended = np.flatnonzero((hits.instance != NOTHING) & (sent.share == 0.0))
        met.put(first_ray[ended], hits, ended)
        ends.append((first_ray[ended], shots, ended))
        on = np.flatnonzero(sent.share)
        if image is not None:
            met.normal[:, first_ray[ended]] = image.rows(ended).seen(hits.normal[:, ended])
            image = image.rows(on)
    met.instance[unsplit], total[unsplit] = NOTHING, 0.0  # their light is in the other branch
    is_ghost = bounces > 0
    return Paths(hits=met, share=total, ghost=is_ghost, legs=last_legs(is_ghost, ends, bounced))


class _Image(NamedTuple):
    """The mirror images that some rays see: for each ray, a rotation or reflection matrix.

    Paths are unfolded, so places are in the mirror image. Normals must be in the image, too,
    because the echoes of a beam depend on which of its sub-rays meet one plane.
    """

    turn: NDArray[np.float64]  # (n, 3, 3) from the frame of the last leg to that of the first

    @classmethod
    def of(cls, rays: NDArray[np.intp]) -> _Image:
        """Return the image for rays that have met no mirror: the identity."""
        return cls(np.broadcast_to(np.eye(3), (len(rays), 3, 3)))

    def rows(self, chosen: NDArray[Any]) -> _Image:
        """Return the images of some of the rays."""
        return _Image(self.turn[chosen])

    def after(
        self,
        goes_on: NDArray[np.bool_],
        mirrored: NDArray[np.bool_],
        normal: NDArray[np.float32],
    ) -> _Image:
        """Return the images of the rays that go on; some leave mirrors of normals (3, n_on)."""
        turn, across = self.turn[goes_on].copy(), normal[:, mirrored].T.astype(np.float64)
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        turn[mirrored] -= 2.0 * (turn[mirrored] @ across[:, :, None]) * across[:, None, :]
        return _Image(turn)

    def seen(self, normal: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return normals (3, n) as seen in the mirrors."""
        turned: NDArray[np.float64] = np.einsum("nij,jn->in", self.turn, normal)
        return turned.astype(np.float32)


class _SentOn(NamedTuple):
    """The light that goes on from each hit."""

    share: NDArray[np.float32]  # fraction of it, 0 where the ray ends
    mirrored: NDArray[np.bool_]
    both: NDArray[np.bool_]  # whether another part goes the other way


def _sent_on(
    exposure: Exposure, hits: Hits, takes_mirror: NDArray[np.bool_], branch: Branch
) -> _SentOn:
    """Return the light that goes on from each hit; of two ways, ``takes_mirror`` chooses one."""
    table, n = exposure.table, len(hits)
    is_only = branch is Branch.ONLY
    sent = _SentOn(np.empty(n, np.float32), np.empty(n, np.bool_), np.empty(n, np.bool_))
    send_on(
        exposure.surfaces.first_row_of_instance,
        exposure.surfaces.material_of_row,
        table.sends_some_on,
        table.transmittance if is_only else table.behind,
        table.least_passed if is_only else np.zeros_like(table.least_passed),
        table.mirrored if is_only else table.ghost,
        hits.arrays,
        takes_mirror,
        *sent,
    )
    return sent


def rays_onwards(
    shots: Shots, hits: Hits, on: NDArray[np.intp], mirrored: NDArray[np.bool_]
) -> Shots:
    """Return the rays that go on from some hits, straight through a pane or off a mirror.

    Each result ray is traced from just behind its hit on. A mirrored ray starts at the mirror image
    of its origin, so that ranges go on to count the whole path.

    Parameters
    ----------
    shots : Shots
        The rays before the hits.
    hits : Hits
        The surface that each of these rays meets.
    on : int (n_on,)
        Rows of the rays that go on.
    mirrored : bool (n_on,)
        Whether each of them goes on off a mirror; False: straight on.

    Returns
    -------
    Shots
        A ray for each entry of ``on``, each as a beam of its own.
    """
    range_m = hits.range_m[on]
    clear_m = CLEAR_M + CLEAR_PER_M * range_m
    clear_m[mirrored] /= np.maximum(hits.cos_incidence[on[mirrored]], np.float32(LEAST_COSINE))
    onwards = shots.rows(on, start_m=(range_m + clear_m).astype(np.float32), coherent=False)
    if not mirrored.any():
        return onwards
    direction = onwards.direction.T.copy()
    origin_m = np.broadcast_to(onwards.origin_m, direction.shape).copy()
    origin_m[mirrored], direction[mirrored] = _mirror_image(
        origin_m[mirrored],
        direction[mirrored],
        range_m[mirrored],
        hits.normal[:, on[mirrored]].T,
    )
    return replace(onwards, origin_m=origin_m, direction=np.ascontiguousarray(direction.T))


def _bounces(
    before: Shots,
    hits: Hits,
    on: NDArray[np.intp],
    mirrored: NDArray[np.bool_],
    after: tuple[NDArray[np.intp], Shots],
) -> Bounces:
    """Return the bounces of mirrored rays; ``after``: rows of their first rays, and new shots."""
    rays, (first_ray, shots) = on[mirrored], after
    came = before.rows(rays)
    place_m = came.origin_m + came.direction.T * hits.range_m[rays, np.newaxis]
    turn = (came.direction - shots.direction[:, mirrored]).T
    return Bounces(first_ray[mirrored].astype(np.int32), hits.instance[rays], place_m, turn)


def _mirror_image(
    origin_m: NDArray[np.float32],
    direction: NDArray[np.float32],
    range_m: NDArray[np.float32],
    normal: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return origin and direction of rays after a mirror that they meet at a range.

    With the unit normal n, a direction d becomes d - 2 (d . n) n. The mirrored origin is chosen so
    that the mirrored ray passes the mirror at the same place and range.
    """
    before, across = direction.astype(np.float64), normal.astype(np.float64)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    after = before - 2.0 * (before * across).sum(axis=1, keepdims=True) * across
    after = (after / np.linalg.norm(after, axis=1, keepdims=True)).astype(np.float32)
    far_m = range_m[:, np.newaxis].astype(np.float64)
    mirrored_m = origin_m.astype(np.float64) + far_m * (before - after.astype(np.float64))
    return mirrored_m.astype(np.float32), after
