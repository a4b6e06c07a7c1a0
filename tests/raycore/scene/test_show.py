# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A scene that shows instances of another one: rays meet these alone, as they are there."""

import numpy as np
import pytest

from raycore.mesh.mesh import box
from raycore.records import NOTHING
from raycore.scene.graph import SceneGraph
from raycore.trace.embree_tracer import EmbreeTracer
from tests.raycore.helpers import pose, random_rotation, rays, sphere_of_directions

N = 12


@pytest.fixture
def scene():
    """A committed scene of cubes at random places, of which some move while rays are shot."""
    rng = np.random.default_rng(3)
    scene = SceneGraph()
    cube = scene.add_mesh(box(np.array([2.0, 1.0, 1.5])))
    for number in range(N):
        begin = pose(rng.uniform(-10, 10, 3), random_rotation(rng))
        index = scene.add(cube, begin)
        if number % 3 == 0:
            end = pose(rng.uniform(-10, 10, 3), random_rotation(rng))
            scene.set_motions([index], np.stack([begin, end])[None], np.eye(4)[None])
    scene.commit(np.zeros(3))
    return scene


def directions():
    return sphere_of_directions(4096, np.random.default_rng(0))


def trace(scene, the_rays):
    """Return the hits of rays, traced anew from the origin."""
    return EmbreeTracer().trace(scene, the_rays, np.eye(4))


def alone(scene, instance):
    """Return the hits of a scene that holds a copy of one instance only."""
    shown = SceneGraph()
    shown.show(scene, np.array([instance]))
    return trace(shown, rays(directions()))


def same(one, other):
    met = one.instance != NOTHING
    columns = zip(one.arrays, other.arrays, strict=True)
    return np.array_equal(one.instance, other.instance) and all(
        np.array_equal(mine[..., met], theirs[..., met]) for mine, theirs in columns
    )


def test_all_instances_are_met_as_in_the_scene_itself(scene):
    shown = SceneGraph()
    shown.show(scene, np.arange(N))
    the_rays = rays(directions())
    assert same(trace(shown, the_rays), trace(scene, the_rays))


def test_only_what_is_shown_is_met(scene):
    hits = alone(scene, 4)
    assert set(hits.instance.tolist()) == {4, NOTHING}


def test_rays_that_saw_no_change_keep_what_they_met(scene):
    shown, tracer, the_rays = SceneGraph(), EmbreeTracer(), rays(directions())
    for number, instance in enumerate((4, 5, 7, 4)):
        shown.show(scene, np.array([instance]))
        hits = tracer.trace(shown, the_rays, np.eye(4))
        assert same(hits, alone(scene, instance))
        assert number == 0 or tracer.n_traced < len(the_rays)


def test_what_has_moved_in_the_scene_is_seen_where_it_is_now(scene):
    shown, tracer, the_rays = SceneGraph(), EmbreeTracer(), rays(directions())
    for place_m in ((5.0, 0.0, 0.0), (0.0, -7.0, 1.0)):
        scene.set_pose(4, pose(place_m))
        scene.commit(np.zeros(3))
        shown.show(scene, np.array([4]))
        assert same(tracer.trace(shown, the_rays, np.eye(4)), alone(scene, 4))
        assert scene.bounds_m(np.array([4])).mean(axis=1)[0] == pytest.approx(place_m, abs=1e-5)


def test_an_instance_that_left_the_scene_is_gone_and_another_may_have_its_index(scene):
    shown = SceneGraph()
    shown.show(scene, np.array([4]))
    scene.remove(4)
    assert scene.add(0, pose((0.0, 6.0, 0.0))) == 4
    scene.commit(np.zeros(3))
    shown.show(scene, np.array([4]))
    hits = trace(shown, rays(np.array([[0.0, 1.0, 0.0]])))
    assert hits.instance.tolist() == [4]
    assert hits.range_m[0] == pytest.approx(5.5, abs=1e-5)


def test_the_scene_itself_is_not_changed_by_what_another_shows(scene):
    the_rays = rays(directions())
    before, commits = trace(scene, the_rays).copy(), scene.n_commits
    SceneGraph().show(scene, np.array([1, 2]))
    assert scene.n_commits == commits
    assert same(trace(scene, the_rays), before)
