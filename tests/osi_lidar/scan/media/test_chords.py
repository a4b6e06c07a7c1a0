# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Chords of beams through bodies: closed forms, and every pair against plain numpy."""

import math
from dataclasses import replace

import numpy as np
import pytest

from lidar_base.errors import RecordError
from lidar_scenery.weather.bodies import LN_20, NONE, Bodies, BodyKind, dust_bodies
from lidar_scenery.weather.state import DustBox
from osi_lidar.scan.media.chords.search import FEWEST_ROWS, BeamDirections, SensorMotion
from tests.osi_lidar.scan.media.beams import (
    AHEAD,
    AT_REST,
    NO_OFFSET,
    bodies,
    by_pairs,
    chords,
    everywhere,
    pose,
    spinning,
)

SAME_M = 2e-4
"""float32 resolves 1.5e-5 m at 200 m; where a beam grazes a sphere, its square root is coarser."""
GRAZING_M = 2e-3
"""Chords shorter than this are in one of the two results at times."""


def only(found):
    """Return body, near and far of the only chord."""
    assert found.beam.tolist() == [0]
    return found.body[0], found.near_m[0], found.far_m[0]


def test_the_chord_through_the_centre_of_a_sphere_is_its_diameter():
    assert only(chords(AHEAD, bodies([10.0, 0.0, 0.0], 0.25))) == (0, 9.75, 10.25)


def test_a_chord_beside_the_centre_is_shorter():
    _, near_m, far_m = only(chords(AHEAD, bodies([10.0, 0.3, 0.0], 0.5)))
    assert near_m == pytest.approx(10.0 - 0.4, abs=1e-6)  # 0.3, 0.4, 0.5
    assert far_m == pytest.approx(10.0 + 0.4, abs=1e-6)


@pytest.mark.parametrize("center_m", [(10.0, 0.5, 0.0), (10.0, 0.0, -0.51), (-10.0, 0.0, 0.0)])
def test_a_sphere_that_is_touched_or_missed_or_behind_has_no_chord(center_m):
    assert len(chords(AHEAD, bodies(center_m, 0.5))) == 0


def test_a_beam_that_starts_inside_enters_at_zero():
    assert only(chords(AHEAD, bodies([0.2, 0.0, 0.0], 0.5))) == (0, 0.0, np.float32(0.7))


def test_a_chord_ends_at_the_largest_range():
    sphere = bodies([10.0, 0.0, 0.0], 0.5)
    assert only(chords(AHEAD, sphere, max_range_m=10.25)) == (0, 9.5, 10.25)
    assert len(chords(AHEAD, sphere, max_range_m=9.5)) == 0


def test_the_chord_through_a_box_along_an_axis_is_its_length():
    box = bodies([10.0, 0.5, 0.0], size_m=(4.0, 2.0, 1.0))
    assert only(chords(AHEAD, box)) == (0, 8.0, 12.0)
    assert len(chords(AHEAD, bodies([10.0, 1.01, 0.0], size_m=(4.0, 2.0, 1.0)))) == 0


def test_a_box_turns_about_the_vertical():
    """A square of 2 m turned by 45 degrees is 2 sqrt(2) m long, and by 90 degrees y is along x."""
    square = bodies([10.0, 0.0, 0.0], size_m=(2.0, 2.0, 1.0), yaw_rad=0.25 * math.pi)
    _, near_m, far_m = only(chords(AHEAD, square))
    assert (near_m, far_m) == pytest.approx((10 - math.sqrt(2), 10 + math.sqrt(2)), abs=1e-6)
    turned = bodies([10.0, 0.0, 0.0], size_m=(4.0, 2.0, 1.0), yaw_rad=0.5 * math.pi)
    _, near_m, far_m = only(chords(AHEAD, turned))
    assert (near_m, far_m) == pytest.approx((9.0, 11.0), abs=1e-6)


def test_chords_of_a_beam_stand_in_the_order_of_their_begins():
    row = np.array([[30.0, 0, 0], [10, 0, 0], [20, 0, 0], [10.2, 0, 0]])
    found = chords(AHEAD, bodies(row, np.array([0.5, 0.5, 3.0, 0.7])))
    assert found.body.tolist() == [1, 3, 2, 0]
    assert found.near_m.tolist() == [9.5, 9.5, 17.0, 29.5]  # of equal ones the first body


def test_poses_and_starts_move_beams():
    """From (100, 50, 1), turned to the left, started 0.5 m ahead: the sphere at y = 60 is ahead."""
    motion = SensorMotion(pose((100.0, 50.0, 1.0), (0, 0, 0.5 * math.pi))[None], AT_REST.moment)
    start = np.array([[0.5, 0.0, 0.0]], np.float32)
    found = chords(AHEAD, bodies([100.0, 60.0, 1.0], 0.25), motion, origin_m=start)
    _, near_m, far_m = only(found)
    assert (near_m, far_m) == pytest.approx((9.25, 9.75), abs=1e-6)


def test_each_beam_is_fired_in_its_own_pose():
    axis = np.repeat(AHEAD, 2, axis=1)
    poses = np.stack([pose(), pose((3.0, 0.0, 0.0)), pose((0.0, 1.0, 0.0))])
    moment = np.array([1, 2], np.uint32)
    found = chords(axis, bodies([10.0, 0.0, 0.0], 0.5), SensorMotion(poses, moment))
    assert found.beam.tolist() == [0]
    assert found.near_m.tolist() == [6.5]


def mixed(seed, n=300):
    """Return spheres and some boxes at 0 to 60 m to all sides."""
    rng = np.random.default_rng(seed)
    away = rng.normal(size=(n, 3)) * (1.0, 1.0, 0.3)
    away *= (rng.uniform(0.2, 60.0, n) / np.linalg.norm(away, axis=1))[:, None]
    spheres = bodies(away, np.minimum(rng.lognormal(-1.2, 0.8, n), 1.0))
    boxes = [
        bodies(center, size_m=rng.uniform(0.5, 8.0, 3), yaw_rad=rng.uniform(-4.0, 4.0))
        for center in rng.uniform(-20.0, 20.0, (5, 3)) * (1.0, 1.0, 0.1)
    ]
    return Bodies.joined([spheres, *boxes])


def rolling(moment, n_pose=64):
    """Return the motion of a sensor at 30 m/s that turns by 3 degrees, with poses by beam."""
    way = np.linspace(0.0, 1.0, n_pose)
    poses = np.stack([pose((3.0 * s, 0.5 * s, 0.1), (0.02, -0.01, 0.3 + 0.05 * s)) for s in way])
    return SensorMotion(poses, moment.astype(np.uint32))


SPIN = spinning()
N_SPIN = SPIN.shape[1]
OFFSETS = 0.1 * np.ascontiguousarray(everywhere(N_SPIN, 7).T)
COLUMN = np.tile(np.arange(512), 32)
ANY = np.random.default_rng(2).integers(0, 64, N_SPIN)
ALL = everywhere(20_000)
BACKWARDS = np.ascontiguousarray(ALL[:, ALL[0] < -0.9])
SCENES = {
    "at rest": (SPIN, AT_REST, NO_OFFSET),
    "to all sides, poles too": (everywhere(8000), AT_REST, NO_OFFSET),
    "one ring": (spinning(columns=4000, rings=1, elevation_deg=(0, 0)), AT_REST, NO_OFFSET),
    "backwards, across the seam": (BACKWARDS, AT_REST, NO_OFFSET),
    "few beams": (everywhere(5), AT_REST, NO_OFFSET),
    "one beam": (AHEAD, AT_REST, NO_OFFSET),
    "with starts": (SPIN, AT_REST, OFFSETS),
    "rolling": (SPIN, rolling(COLUMN // 8), NO_OFFSET),
    "rolling the other way": (SPIN, rolling(63 - COLUMN // 8), OFFSETS),
    "poses without order": (SPIN, rolling(ANY), OFFSETS),
    "ring by ring": (SPIN, rolling(np.arange(N_SPIN) // (N_SPIN // 64)), NO_OFFSET),
    "all beams in one of some poses": (SPIN, rolling(np.array([63])), NO_OFFSET),
}


@pytest.mark.parametrize("scene", SCENES)
def test_all_pairs_are_found_and_none_more(scene):
    axis, motion, origin_m = SCENES[scene]
    those = mixed(3)
    found = chords(axis, those, motion, origin_m=origin_m, max_range_m=50.0)
    near, far = by_pairs(axis, those, motion, origin_m=origin_m, max_range_m=50.0)
    beam = found.beam
    is_found = np.zeros(near.shape, bool)
    is_found[beam, found.body] = True
    assert is_found.sum() == len(found)  # none twice
    assert is_found[far - near > GRAZING_M].all()
    assert not is_found[far - near < -GRAZING_M].any()
    assert (far - near)[~is_found].max(initial=0.0) < GRAZING_M
    wide = found.far_m - found.near_m > GRAZING_M
    np.testing.assert_allclose(found.near_m[wide], near[beam, found.body][wide], atol=SAME_M)
    np.testing.assert_allclose(found.far_m[wide], far[beam, found.body][wide], atol=SAME_M)
    is_next = np.diff(beam) == 0
    assert (np.diff(found.near_m)[is_next] >= 0.0).all()


def test_more_pairs_than_the_memory_holds_are_all_found():
    axis = everywhere(3 * FEWEST_ROWS)
    around = bodies([0.0, 0.0, 0.0], size_m=(10.0, 10.0, 10.0))
    directions = BeamDirections(axis)
    for those, n in ((around, 1), (Bodies.joined([around, around]), 2), (around, 1)):
        back = those.backscatter(905.0).astype(np.float32)
        found = directions.chords(
            those, AT_REST, origin_m=NO_OFFSET, max_range_m=99.0, backscatter=back
        )
        assert (found.end_of_beam - found.first_of_beam == n).all()


def test_without_bodies_there_are_no_chords():
    found = chords(SPIN, NONE)
    assert len(found) == 0


def test_far_from_the_origin_of_the_world_chords_are_the_same():
    """At 1e6 m float64 resolves 1e-10 m, so only the float32 of the result may differ."""
    away_m = np.array([1e6, -5e5, 100.0])
    sphere = bodies(np.array([[10.0, 0.1, 0.0]]) + away_m, 0.25)
    far_away = chords(AHEAD, sphere, SensorMotion(pose(away_m)[None], AT_REST.moment))
    near = chords(AHEAD, bodies([10.0, 0.1, 0.0], 0.25))
    np.testing.assert_allclose(far_away.near_m, near.near_m, rtol=1e-6)


def test_dust_has_the_extinction_that_leaves_5_percent_in_its_visibility():
    box = DustBox(center_m=(1.0, 2.0, 3.0), size_m=(4.0, 6.0, 2.0), yaw_rad=0.5, visibility_m=30.0)
    dust = dust_bodies([box])
    assert math.exp(-dust.extinction_per_m[0] * 30.0) == pytest.approx(0.05)
    assert dust.extinction_per_m[0] == pytest.approx(LN_20 / 30.0)
    assert dust.half_size_m.tolist() == [[2.0, 3.0, 1.0]]
    assert dust.radius_m[0] == pytest.approx(math.sqrt(14.0))
    assert dust.kind.tolist() == [BodyKind.DUST]
    assert len(dust_bodies([])) == 0


def test_bodies_are_joined_in_their_order():
    joined = Bodies.joined([bodies([1.0, 0, 0]), bodies([2.0, 0, 0], size_m=(1, 1, 1))])
    assert joined.center_m[:, 0].tolist() == [1.0, 2.0]
    assert joined.kind.tolist() == [BodyKind.SPRAY, BodyKind.DUST]
    assert len(Bodies.joined([])) == 0


def test_columns_that_disagree_are_refused():
    with pytest.raises(RecordError, match="radius_m"):
        replace(bodies([1.0, 0, 0]), radius_m=np.ones(2))
