# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People, riders and animals in the scene: their feet rest on the ground, and bytes agree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensorview_pb2 import SensorView
from trimesh import Trimesh
from trimesh.proximity import closest_point_naive

from lidar_scenery.articulation.animals import WalkingAnimal
from lidar_scenery.articulation.cyclists import Cyclist
from lidar_scenery.articulation.human.gait import stride_of
from lidar_scenery.articulation.human.limbs import phase_of
from lidar_scenery.articulation.human.people import WalkingPerson
from lidar_scenery.articulation.human.posed import PosedPerson
from lidar_scenery.articulation.records import Travel
from osi_bridge import BONES, FrameDecoder, write_trace
from osi_lidar import LidarModel, scan_trace
from tests.builders.clouds import xyz
from tests.builders.messages import Thing, host, message
from tests.builders.worlds import config, steps

STEP_S, SPEED_M_S, MM_S = 0.05, 1.4, 1e-3
PERSON, RIDER, ANIMAL = 9, 10, 11
ADULT_M = (1.0, 0.6, 1.75)
CAMERA = {
    "name": "front",
    "mounting": {"x_m": 1.2, "z_m": 0.45},
    "pattern": {"kind": "camera", "width": 120, "height": 60, "horizontal_fov_deg": 70},
    "range_limit": None,
}
LEFT_FOOT, RIGHT_FOOT = 8, 9  # of the parts but the body


def sees(sensor=CAMERA, **scene):
    return config(sensors=[sensor], scene={"ground": "none", "shapes": "auto", **scene})


def walker(k, speed_m_s=SPEED_M_S, x_m=7.0):
    """Return someone who walks to the left in front of the sensor, at the k-th message."""
    y_m = speed_m_s * STEP_S * (k - 70)
    at = (x_m, y_m, ADULT_M[2] / 2)
    kind = MovingObject.TYPE_PEDESTRIAN
    return Thing(PERSON, at, yaw_rad=np.pi / 2, dimension_m=ADULT_M, osi_type=kind)


def test_feet_of_who_walks_6_m_rest_in_the_scene():
    """Where a foot lies flat in two messages of one step it has not moved, to 1 mm."""
    n = int(6.0 / (SPEED_M_S * STEP_S)) + 2
    small = {**CAMERA, "pattern": {**CAMERA["pattern"], "width": 12, "height": 6}}
    model, places, turns = LidarModel(sees(small)), [], []
    decoder = FrameDecoder("SensorView")
    for k in range(n):
        data = message([host(), walker(k)], time_s=STEP_S * k)
        model.step(decoder.decode(data, k))
        placed = model.world.objects.placed[PERSON]
        if k > 1:
            feet = [model.world.scene.pose(placed.parts[foot]) for foot in (LEFT_FOOT, RIGHT_FOOT)]
            places.append([pose[:3, 3] for pose in feet])
            turns.append([pose[2, 2] for pose in feet])
    assert isinstance(placed.assembly, WalkingPerson)
    flat = np.array(turns) > 1.0 - 1e-9
    moved = np.linalg.norm(np.diff(places, axis=0), axis=2)
    rests = flat[1:] & flat[:-1]
    assert rests.sum() > 0.15 * rests.size
    assert moved[rests].max() < 1e-3
    assert moved.max() > 1.5 * SPEED_M_S * STEP_S  # a foot that swings


def test_legs_of_who_walks_move_in_the_clouds():
    clouds = {}
    for articulation in ("auto", "none"):
        _, done = steps(
            [[host(), walker(k)] for k in range(64, 78)],
            sees(articulation=articulation),
            step_s=STEP_S,
        )
        lengths = []
        for k, step in zip(range(64, 78), done, strict=True):
            points = step.scans[0].cloud.points
            ahead = points["y"].astype(float) - SPEED_M_S * STEP_S * (k - 70)
            lengths.append(np.ptp(ahead[points["z"] < -0.6]))
        clouds[articulation] = lengths[2:]
    assert np.ptp(clouds["auto"]) > 0.3
    assert np.ptp(clouds["none"]) < 0.15


def gait_at(person, object_id, time_s):
    """Return object_from_part of somebody who walks by the gait, (n, 11, 4, 4), at times [s]."""
    speed = np.full(len(time_s), SPEED_M_S / np.sqrt(person.scale[2]))
    stride_m = stride_of(speed, person.room_m).length_m * person.scale[2]
    way_m, still = SPEED_M_S * time_s, 0.0 * time_s
    phase = phase_of(object_id) + way_m / stride_m
    state = np.stack([phase, speed, still, still], axis=1)
    return person.poses(Travel(object_id, way_m, speed, still, state))


@pytest.mark.long
def test_arms_and_legs_have_the_velocities_of_the_gait():
    """The velocity of a point p of a part A(t) is A'(t) A(t)^-1 p, by a central difference of A."""
    short_s, half_s, ids = 5e-6, 1e-6, range(30, 36)  # so short that lines are the gait
    starts = np.array([(6.0, 1.3 * (k - 2.5), ADULT_M[2] / 2) for k in range(len(ids))])
    walks = (SPEED_M_S, 0.0, 0.0)
    kind = {"dimension_m": ADULT_M, "osi_type": MovingObject.TYPE_PEDESTRIAN}

    def world(k):
        places = starts + np.array(walks) * short_s * k
        people = zip(ids, places, strict=True)
        return [host(), *(Thing(i, tuple(at), velocity_m_s=walks, **kind) for i, at in people)]

    sensor = {**CAMERA, "velocity": True}
    model, done = steps([world(k) for k in range(3)], sees(sensor), step_s=short_s)
    points = done[-1].scans[0].cloud.points
    end_s, n_on = 2 * short_s, np.zeros(11, int)
    for number, object_id in enumerate(ids):
        mine = points[points["object_id"] == object_id]
        place = xyz(mine).astype(float)
        along = place / np.linalg.norm(place, axis=1, keepdims=True)
        person = model.world.objects.placed[object_id].assembly
        times = end_s + np.array([-half_s, 0.0, half_s])
        early, now, late = gait_at(person, object_id, times)
        in_object = place + (0.0, 0.0, 0.75) - starts[number] - np.array(walks) * end_s
        for part, mesh in enumerate(person.parts):
            local = np.c_[in_object, np.ones(len(place))] @ np.linalg.inv(now[part]).T
            solid = Trimesh(mesh.vertices_m, mesh.faces, process=False)
            on = closest_point_naive(solid, local[:, :3])[1] < 1e-5
            velocity = walks + (local[on] @ (late[part] - early[part])[:3].T) / (2 * half_s)
            found = mine["radial_velocity"][on]
            assert_allclose(found, -(velocity * along[on]).sum(axis=1), atol=MM_S)
            n_on[part] += on.sum()
    assert (n_on > 5).all()
    assert np.ptp(points["radial_velocity"]) > SPEED_M_S


def test_riders_and_animals_have_moving_legs():
    def world(k):
        shift = 2.5 * STEP_S * k
        vehicle, animal = MovingObject.TYPE_VEHICLE, MovingObject.TYPE_ANIMAL
        bicycle, dog = (1.8, 0.6, 1.75), (0.9, 0.3, 0.65)
        return [
            host(),
            Thing(RIDER, (5.0 + shift, 2.0, 0.875), dimension_m=bicycle, osi_type=vehicle),
            Thing(ANIMAL, (5.0 + shift, -2.0, 0.325), dimension_m=dog, osi_type=animal),
        ]

    model, decoder = LidarModel(sees()), FrameDecoder("SensorView")
    for k in range(3):
        view = SensorView.FromString(message(world(k), time_s=STEP_S * k))
        rider = view.global_ground_truth.moving_object[1]
        rider.vehicle_classification.type = MovingObject.VehicleClassification.TYPE_BICYCLE
        step = model.step(decoder.decode(view.SerializeToString(), k))
    placed = model.world.objects.placed
    assert isinstance(placed[RIDER].assembly, Cyclist)
    assert len(placed[RIDER].parts) == 2 + 1 + 6
    assert isinstance(placed[ANIMAL].assembly, WalkingAnimal)
    seen = set(step.scans[0].cloud.points["object_id"].tolist())
    assert {RIDER, ANIMAL} <= seen


def with_bones(k, raised_m):
    """Return a message of someone who stands, whose left hand is raised by so much."""
    view = SensorView.FromString(message([host(), walker(70)], time_s=STEP_S * k))
    stated = view.global_ground_truth.moving_object[1].pedestrian_attributes
    for name, place in (
        ("UPPER_ARM_L", (0.0, 0.2, 0.5)),
        ("LOWER_ARM_L", (0.0, 0.45, 0.5)),
        ("FULL_HAND_L", (0.0, 0.7, 0.5 + raised_m)),
    ):
        bone = stated.skeleton_bone.add(type=BONES[name])
        bone.position.x, bone.position.y, bone.position.z = place
    return view.SerializeToString()


def test_who_stands_with_stated_bones_is_posed_by_them():
    model, decoder = LidarModel(sees()), FrameDecoder("SensorView")
    for k in range(4):
        model.step(decoder.decode(with_bones(k, 0.02 * k), k))
    placed = model.world.objects.placed[PERSON]
    assert isinstance(placed.assembly, PosedPerson)
    elbow = model.world.scene.pose(placed.parts[2])  # the forearm of the last scan's begin
    expected = (7.0 - 0.45, 0.0, ADULT_M[2] / 2 + 0.5)  # who faces left has x behind the back
    assert_allclose(elbow[:3, 3], expected, atol=1e-3)


def test_chosen_frames_have_the_clouds_of_the_whole_run(tmp_path):
    trace = tmp_path / "walk.osi"
    messages = [message([host(), walker(k)], time_s=STEP_S * k) for k in range(65, 73)]
    write_trace(trace, messages, message_type="SensorView")
    whole, cut = (
        [cloud.points.tobytes() for cloud in scan_trace(trace, config=sees(), frames=frames)]
        for frames in (slice(None), slice(5, None))
    )
    assert whole[5:] == cut


def test_an_animal_of_an_impossible_stated_speed_has_legs():
    """Of what becomes an animal after a pause of more than a second only that speed is known."""
    model, decoder = LidarModel(sees()), FrameDecoder("SensorView")
    kinds = MovingObject.TYPE_PEDESTRIAN, MovingObject.TYPE_PEDESTRIAN, MovingObject.TYPE_ANIMAL
    for k, (time_s, kind) in enumerate(zip((0.0, 0.1, 2.0), kinds, strict=True)):
        at = (5.0 + 0.1 * k, 0.0, 0.325)
        one = Thing(ANIMAL, at, dimension_m=(0.9, 0.3, 0.65), osi_type=kind)
        view = SensorView.FromString(message([host(), one], time_s=time_s))
        view.global_ground_truth.moving_object[1].base.velocity.x = 1e300
        model.step(decoder.decode(view.SerializeToString(), k))
    placed = model.world.objects.placed[ANIMAL]
    assert isinstance(placed.assembly, WalkingAnimal)
    legs = [model.world.scene.pose(each) for each in placed.parts]
    assert np.isfinite(legs).all()
