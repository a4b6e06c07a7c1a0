# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rays of echoes that no surface has sent: each has an origin, a draw and a place of its own."""

from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.scan.echoes import media_kernels, origin_kernels
from osi_lidar.scan.echoes.maxima_kernels import MOST_ECHOES
from osi_lidar.scan.echoes.origin_kernels import DRAWS_PER_BEAM, DUST, FROM_AIR, SURFACE

RAYS = {name: ray for name, ray in vars(origin_kernels).items() if name.endswith("_RAY")}
BODIES = 6
"""Bodies, or bodies that touch, of which a beam may report one each."""


def test_each_origin_but_surfaces_has_a_ray():
    """Dust has the ray of spray, moved to its own origin."""
    origins = {(ray - FROM_AIR) // 16 for ray in RAYS.values()}
    assert origins | {DUST} == {*range(len(ORIGINS))} - {SURFACE}
    assert max(RAYS.values()) < 0xFFFFFFFE  # from there on rays are FREE or DARK


def test_each_ray_has_a_draw_that_no_other_has():
    """Echoes of surfaces have the first ones, by their number."""
    draws = [(ray - FROM_AIR) % 16 for ray in RAYS.values()]
    assert len({*draws}) == len(draws), RAYS
    assert {*draws} <= {*range(MOST_ECHOES, DRAWS_PER_BEAM)}


def test_media_leave_bodies_their_places():
    """`MOST_IN_AIR` grows by one with each medium that has a place among components."""
    assert media_kernels._MOST_BODIES == BODIES
