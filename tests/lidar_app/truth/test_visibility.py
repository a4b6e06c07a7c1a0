# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What objects would show alone: as many points as brute force counts."""

import json
import math
from dataclasses import replace

import pytest

from lidar_app.truth.visibility import AloneScans, points_by_object
from osi_lidar import LidarModel
from tests.builders.meshes import quad, write_quads
from tests.builders.messages import Thing, frames
from tests.builders.worlds import AT_ORIGIN, DEFINE, config
from tests.lidar_app.datasets.alone import NAME, RandomScene

QUICK, ALL = 14, 200
CAR, WALL = 5, 6


@pytest.mark.long
@pytest.mark.parametrize(
    "seed",
    [
        *range(QUICK),
        *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(QUICK, ALL)),
    ],
)
def test_points_alone_are_those_of_a_world_of_that_object_alone(seed):
    scene = RandomScene(seed)
    points, found = scene.counts()
    assert found == scene.counted()
    if not scene.is_physical:
        assert all(points[each] <= found[each] for each in points)


def grid_config(shapes="box", **sections):
    """Return a sensor at the origin whose beams are 0.1 deg apart, none of them at azimuth 0."""
    grid = {
        "kind": "grid",
        "horizontal": {"min_deg": -40.05, "max_deg": 40.05, "step_deg": 0.1},
        "vertical": {"min_deg": -10.0, "max_deg": 10.0, "step_deg": 0.5},
    }
    sensor = {"name": NAME, "pattern": grid, "mounting": AT_ORIGIN, "range_limit": None}
    scene = {"ground": "none", "shapes": shapes, **sections.pop("scene", {})}
    return config(sensors=[sensor], scene=scene, **sections)


def counts_of(things, configuration):
    """Return points and points alone of things seen from the origin, and the scans they took.

    None of them moves, so that none is taken for the host.
    """
    things = [replace(thing, kind="stationary_object") for thing in things]
    model = LidarModel(configuration)
    alone = AloneScans(model.config.sensors[0], model.config.seed)
    (frame,) = frames([things], host_id=None)
    step = model.step(frame)
    found = alone.points(model.world, model.last_scans[NAME])
    return points_by_object(step.scans[0].cloud), found, alone.n_scans


def test_beams_that_differ_from_scan_to_scan_are_those_of_the_scan():
    rosette = {"kind": "rosette", "radius_deg": 15, "radial_hz": 33, "rotation_hz": 7}
    sensor = {"name": NAME, "pattern": {**rosette, "pulse_hz": 20_000}, "mounting": AT_ORIGIN}
    model = LidarModel(config(sensors=[sensor], scene={"ground": "none", "shapes": "box"}))
    alone = AloneScans(model.config.sensors[0], model.config.seed)
    car, seen = Thing(CAR, (20.0, 1.0, 0.0), kind="stationary_object"), []
    for frame in frames([[car]] * 4, host_id=None):
        (scan,) = model.step(frame).scans
        seen.append(points_by_object(scan.cloud))
        assert alone.points(model.world, model.last_scans[NAME]) == seen[-1]
    assert len({each[CAR] for each in seen}) > 1


@pytest.mark.parametrize("edge_m", [-0.5, -0.2, 0.0, 0.3, 0.45])
def test_a_car_half_behind_a_wall_has_the_share_that_geometry_says(edge_m):
    # the car's rear is 2 m wide at x = 18; the wall is between x = 9 and x = 10, and hides what is
    # left of it: of the angle between -atan(1 / 18) and atan(1 / 18) what is right of it is seen
    car = Thing(CAR, (20.0, 0.0, 0.0), dimension_m=(4.0, 2.0, 1.5))
    wall = Thing(WALL, (9.5, edge_m + 10.0, 0.0), dimension_m=(1.0, 20.0, 20.0))
    points, alone, _ = counts_of([car, wall], grid_config())
    half_deg, edge_deg = (
        math.degrees(math.atan(slope)) for slope in (1 / 18, min(edge_m / 9, edge_m / 10))
    )
    expected = (half_deg + edge_deg) / (2.0 * half_deg)
    a_column = 0.1 / (2.0 * half_deg)
    assert points.get(CAR, 0) / alone[CAR] == pytest.approx(expected, abs=a_column)


def test_of_a_car_behind_the_middle_of_which_a_wall_begins_exactly_half_is_seen():
    car = Thing(CAR, (20.0, 0.0, 0.0), dimension_m=(4.0, 2.0, 1.5))
    wall = Thing(WALL, (9.5, 10.0, 0.0), dimension_m=(1.0, 20.0, 20.0))
    points, alone, n_scans = counts_of([car, wall], grid_config())
    assert 2 * points[CAR] == alone[CAR]
    assert points[WALL] == alone[WALL]
    assert n_scans == 2


@pytest.mark.parametrize(("apart_m", "n_scans"), [(1.9, 2), (2.5, 1)])
def test_objects_that_no_beam_sees_together_share_a_scan(apart_m, n_scans):
    cubes = [Thing(n, (10.0, n * apart_m, 0.0), dimension_m=(2.0, 2.0, 2.0)) for n in (0, 1)]
    assert counts_of(cubes, grid_config())[2] == n_scans


def test_objects_near_each_other_share_no_scan_of_beams_that_look_again():
    cubes = [Thing(n, (10.0, n * 2.5, 0.0), dimension_m=(2.0, 2.0, 2.0)) for n in (0, 1)]
    lines = grid_config()
    wide = lines.sensors[0].model_dump() | {"beam": {"divergence_deg": 0.3, "refine": True}}
    assert counts_of(cubes, grid_config())[2] == 1
    assert counts_of(cubes, config(sensors=[wide], scene=lines.scene.model_dump()))[2] == 2


def test_what_an_object_shows_in_a_mirror_of_another_is_not_alone_there(tmp_path):
    # the mirror stands across the x axis, turned by 45 deg: beams along x go on along -y
    mirror = quad(0.0, 45.0, half_m=1.0)
    mesh = write_quads(tmp_path / "mirror.obj", [(mirror, "Mirror")])
    mapping = {"materials": {"Mirror": "looking_glass"}, "define": DEFINE}
    (tmp_path / "materials.yaml").write_text(json.dumps(mapping))
    match = {"match": {"model_reference": "*.obj"}, "up": "z", "forward": "x", "origin": "center"}
    chosen = grid_config(
        scene={"search": [str(tmp_path)], "objects": [match]},
        materials={"mapping": str(tmp_path / "materials.yaml"), "default": "lambertian_50"},
    )
    pane = Thing(WALL, (10.0, 0.0, 0.0), model_reference=mesh.name, dimension_m=(2.0, 2.0, 2.0))
    car = Thing(CAR, (10.0, -12.0, 0.0), dimension_m=(2.0, 2.0, 2.0))
    points, alone, n_scans = counts_of([pane, car], chosen)
    unseen, by_itself, _ = counts_of([car], chosen)
    assert points[CAR] > alone.get(CAR, 0) == by_itself.get(CAR, 0) == unseen.get(CAR, 0)
    assert n_scans == 2
