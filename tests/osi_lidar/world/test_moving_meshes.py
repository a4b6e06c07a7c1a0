# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Wheels of mesh files in the scene: they roll, and the cloud of the file is the same at rest."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensorview_pb2 import SensorView

from lidar_scenery.articulation.human.posed import PosedPerson
from osi_bridge import FrameDecoder, write_trace
from osi_bridge.description.bones import BONES
from osi_lidar import LidarModel
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.clouds import xyz
from tests.builders.gltf import CAR_M, HUBS_M, WHEEL_M, write_car, write_person
from tests.builders.messages import Thing, host, message
from tests.builders.worlds import config, steps

MM_S = 1e-3
STEP_S = 0.1
SENSOR = {
    "name": "front",
    "mounting": {"x_m": 1.2, "z_m": 0.45},
    "range_limit": None,
    "pattern": {"kind": "camera", "width": 240, "height": 80, "horizontal_fov_deg": 90},
    "max_range_m": 100,
}


def sees(path, sensor=None, kind="TYPE_VEHICLE", **scene):
    """Return a configuration in which all objects of a type have a file's mesh."""
    objects = [{"match": {"type": kind}, "mesh": str(path), "forward": "x"}]
    return config(
        sensors=[{**SENSOR, **(sensor or {})}],
        scene={"ground": "none", "shapes": "auto", "objects": objects, **scene},
    )


def passing(speed_m_s, n=3):
    """Return worlds in which a car drives along x beside the sensor."""
    return [
        [host(), Thing(9, (5.0 + speed_m_s * STEP_S * k, 3.0, 0.75), dimension_m=CAR_M)]
        for k in range(n)
    ]


@pytest.fixture
def car(tmp_path):
    return write_car(tmp_path / "car.gltf")


def test_a_cars_wheels_are_parts_and_roll(car):
    model, done = steps(passing(12.0), sees(car, {"velocity": True}))
    placed = model.world.objects.placed[9]
    assert len(placed.parts) == len(HUBS_M)
    points = done[-1].scans[0].cloud.points
    centre = np.array([5.0 + 12.0 * STEP_S * 2, 3.0, 0.75])
    found, place = points["radial_velocity"], xyz(points).astype(float)
    n_on_wheels = 0
    for hub_m in placed.assembly.hub_m:
        arm = place + (0.0, 0.0, 0.75) - centre - hub_m
        on = (np.hypot(arm[:, 0], arm[:, 2]) < 0.9 * WHEEL_M) & (np.abs(arm[:, 1] + 0.1) < 2e-3)
        spin = np.cross([0.0, 12.0 / WHEEL_M, 0.0], arm[on])
        along = place[on] / np.linalg.norm(place[on], axis=1, keepdims=True)
        assert_allclose(found[on], -((spin + (12.0, 0, 0)) * along).sum(axis=1), atol=MM_S)
        n_on_wheels += on.sum()
    assert n_on_wheels > 20


def test_round_wheels_that_turn_by_whole_facets_are_where_they_were(car):
    """The cloud of parts is that of the whole, but for the angle of the wheels."""
    way_m = WHEEL_M * 2 * np.pi / 24  # of one facet
    worlds = [[host(), Thing(9, (5.0 + k * way_m, 3.0, 0.75), dimension_m=CAR_M)] for k in range(2)]
    still = {"motion_blur": False, "rolling_shutter": False}
    ranges = []
    for articulation in ("auto", "none"):
        _, done = steps(worlds, sees(car, still, articulation=articulation))
        ranges.append(np.linalg.norm(xyz(done[-1].scans[0].cloud.points), axis=1))
    assert_allclose(ranges[0], ranges[1], atol=1e-4)


@pytest.mark.parametrize("name", ["Round_{}", "Wheel_{}"])
def test_without_articulation_a_file_is_stiff(tmp_path, name):
    """The cloud does not depend on the names of nodes, nor that of a file without wheels."""
    clouds = [
        steps(passing(12.0), sees(write_car(tmp_path / f"{n}.gltf", each), articulation=a))[1][-1]
        for n, (each, a) in enumerate([("Round_{}", "auto"), (name, "none")])
    ]
    assert len({each.scans[0].cloud.points.tobytes() for each in clouds}) == 1


def test_what_has_never_moved_is_one_piece(car):
    still = [[host(), Thing(9, (8.0, 3.0, 0.75), dimension_m=CAR_M)]] * 3
    model, _ = steps(still, sees(car))
    assert model.world.objects.placed[9].parts == ()


def test_parts_keep_the_materials_of_the_file_and_go_with_their_object(car):
    model, _ = steps([*passing(10.0), [host()]], sees(car))
    slots = model.world.library.slots
    assert [slots.of_mesh(mesh, 1) for mesh in range(6)] == [slots.of_mesh(0, 1)] * 6
    assert len(model.world.scene.mesh(1).faces) == 12
    counts = model.world.scene.counts
    assert counts.instances_added == counts.instances_removed == 6


def strolling(n=4):
    """Return worlds in which somebody walks by."""
    return [
        [
            host(),
            Thing(
                11,
                (6.0, 3.0 - 0.14 * k, 0.9),
                dimension_m=(1.0, 0.6, 1.8),
                yaw_rad=-np.pi / 2,
                osi_type=MovingObject.TYPE_PEDESTRIAN,
            ),
        ]
        for k in range(n)
    ]


def test_a_person_of_a_file_walks(tmp_path):
    """Joints are as the gait has them, and points move at the velocities of the parts."""
    path = write_person(tmp_path / "person.gltf")
    model, done = steps(strolling(), sees(path, {"velocity": True}, "TYPE_PEDESTRIAN"))
    placed = model.world.objects.placed[11]
    assert len(placed.parts) == 10
    points = done[-1].scans[0].cloud.points
    assert (points["object_id"] == 11).sum() > 100
    spreads = [np.ptp(each.scans[0].cloud.points["radial_velocity"]) for each in done]
    assert max(spreads) > 1.0  # in a scan in which a foot swings
    _, done = steps(strolling(), sees(path, kind="TYPE_PEDESTRIAN", articulation="none"))
    assert len(done[-1].scans[0].cloud.points) > 100
    assert "skin" not in {each.kind for each in model.fallbacks}


def test_a_person_of_a_file_follows_stated_bones(tmp_path):
    path = write_person(tmp_path / "person.gltf")
    model = LidarModel(sees(path, kind="TYPE_PEDESTRIAN"))
    decoder, place = FrameDecoder("SensorView"), (0.1, 0.5, 0.2)
    for k in range(3):
        view = SensorView.FromString(message(strolling(1)[0], time_s=STEP_S * k))
        stated = view.global_ground_truth.moving_object[1].pedestrian_attributes
        bone = stated.skeleton_bone.add(type=BONES["LOWER_ARM_L"])
        bone.position.x, bone.position.y, bone.position.z = place
        model.step(decoder.decode(view.SerializeToString(), k))
    placed = model.world.objects.placed[11]
    assert isinstance(placed.assembly, PosedPerson)
    forearm = model.world.scene.pose(placed.parts[2])[:3, 3]
    expected = 6.0 + place[1], 3.0 - place[0], 0.9 + place[2]  # who faces right
    assert_allclose(forearm, expected, atol=1e-3)


def test_two_people_of_a_file_share_their_meshes(tmp_path):
    path = write_person(tmp_path / "person.gltf")
    worlds = strolling(2)
    for world in worlds:
        world.append(replace(world[1], object_id=12, position_m=(9.0, *world[1].position_m[1:])))
    model, _ = steps(worlds, sees(path, kind="TYPE_PEDESTRIAN"))
    meshes = [
        [model.world.scene.mesh_of(i) for i in model.world.objects.placed[n].instances]
        for n in (11, 12)
    ]
    assert all(one is other for one, other in zip(*meshes, strict=True))


def test_a_skin_that_stays_stiff_is_listed(tmp_path):
    path = write_person(tmp_path / "person.gltf", lambda name: f"Some {name}")
    model, _ = steps(strolling(2), sees(path, kind="TYPE_PEDESTRIAN"))
    assert ("skin", "of person.gltf") in {(each.kind, each.name) for each in model.fallbacks}


def test_a_cloud_does_not_depend_on_the_cut(car, tmp_path):
    trace = tmp_path / "20260101T000000Z_sv_380_7362_5_wheels.osi"
    messages = [message(world, time_s=k * STEP_S) for k, world in enumerate(passing(9.0, n=5))]
    write_trace(trace, messages, message_type="SensorView")
    clouds = []
    for frames in (slice(None), slice(4, None)):
        out = tmp_path / str(len(clouds))
        replay(FrameSource(trace, frames=frames), sees(car), out)
        clouds.append(read_pcd(max((out / "front").glob("*.pcd"))).tobytes())
    assert clouds[0] == clouds[1]
