# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A Blender without a window installs the extension, scans three scenes, and takes the points."""

import importlib.util
import json
import os
import struct
import subprocess
import sys
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth

from osi_bridge import rotation_from_orientation
from osi_lidar.output.stored import open_run
from osi_lidar.world.assets.asset import Asset
from osi_lidar.world.placement import placement
from raycore.mesh.loading import load_mesh
from tests.builders.blender_extension import REPOSITORY, build_zip

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("bpy") is None, reason="needs bpy, of the group interop"
    ),
]
SCENE = REPOSITORY / "tests" / "builders" / "blender_scene.py"
N_FRAME = 20
BALL_M, RADIUS_M = np.array([6.0, -6.0, 1.8]), 1.5
EXACT_M = 0.001
UPRIGHT = Asset(path=None, reason="", up="z", forward="x", fit=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folders that Blender has written, its own arrays, and what the operators said."""
    folder = tmp_path_factory.mktemp("blender")
    (folder / "out").mkdir()
    archive = build_zip(folder)
    environment = os.environ | {
        "BLENDER_USER_RESOURCES": str(folder / "user"),
        "PYTHONPATH": os.pathsep.join((str(REPOSITORY), *sys.path)),
    }
    command = [sys.executable, str(SCENE), str(archive), sys.executable, str(folder / "out")]
    done = subprocess.run(
        command, check=False, env=environment, capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 0, done.stdout + done.stderr
    out = folder / "out"
    return SimpleNamespace(
        folder=out,
        drive=dict(np.load(out / "drive.npz")),
        odds=dict(np.load(out / "odds.npz")),
        odds_scene=json.loads((out / "odds" / "scene.json").read_bytes()),
        room=dict(np.load(out / "room.npz")),
        facts=json.loads((out / "facts.json").read_bytes()),
        scene=json.loads((out / "drive" / "scene.json").read_bytes()),
        messages=messages(out / "drive" / "trace.osi"),
    )


def messages(trace):
    """Return the messages of a trace."""
    data, found, at = trace.read_bytes(), [], 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        found.append(GroundTruth.FromString(data[at + 4 : at + 4 + length]))
        at += 4 + length
    return found


def ids_of(made, name):
    return [each["id"] for each in made.scene["objects"] if each["name"] == name]


def points_on(made, frame, name):
    """Return the points on an object in the world, and the place of the sensor [m]."""
    points, pose = made.drive[f"{frame:04}/points"], made.drive[f"{frame:04}/pose"]
    chosen = np.isin(made.drive[f"{frame:04}/object"], ids_of(made, name))
    return points[chosen] @ pose[:3, :3].T + pose[:3, 3], pose[:3, 3]


def corners_in_message(made, object_of_osi):
    """Return the corners of an object's mesh in the world, as osi-lidar places them."""
    mesh = load_mesh(made.folder / "drive" / object_of_osi.model_reference)
    base = object_of_osi.base
    size = (base.dimension.length, base.dimension.width, base.dimension.height)
    object_from_mesh = placement(UPRIGHT, mesh.bounds_m, size)
    angles = (base.orientation.roll, base.orientation.pitch, base.orientation.yaw)
    center = (base.position.x, base.position.y, base.position.z)
    corners = mesh.vertices_m + mesh.origin_m
    in_object = corners @ object_from_mesh[:3, :3].T + object_from_mesh[:3, 3]
    return in_object @ rotation_from_orientation(angles).T + center


def test_ranges_on_a_sphere_are_exact(made):
    for frame in (1, N_FRAME):
        points, sensor = points_on(made, frame, "Ball")
        assert len(points) > 500
        along = points - sensor
        ranges = np.linalg.norm(along, axis=1)
        direction = along / ranges[:, None]
        # |sensor + r direction - center| = radius, the nearer root
        to_center = BALL_M - sensor
        middle = direction @ to_center
        square = middle**2 - to_center @ to_center + RADIUS_M**2
        expected = middle - np.sqrt(np.maximum(square, 0.0))
        assert ranges == pytest.approx(expected, abs=EXACT_M)


def test_ranges_on_planes_are_exact(made):
    # the wall's normal: z of the plane, turned by 80 deg about y and then by 10 deg about z
    wall = rotation_from_orientation((0.0, np.radians(80.0), np.radians(10.0)))[:, 2]
    planes = {"Ground": (np.array([0.0, 0.0, 1.0]), np.zeros(3)), "Wall": (wall, [15.0, 0.0, 5.0])}
    for name, (normal, place) in planes.items():
        points, sensor = points_on(made, N_FRAME, name)
        assert len(points) > 1000
        ranges = np.linalg.norm(points - sensor, axis=1)
        direction = (points - sensor) / ranges[:, None]
        expected = (place - sensor) @ normal / (direction @ normal)
        assert ranges == pytest.approx(expected, abs=EXACT_M)


def test_a_scene_in_centimetres_is_scanned_in_metres_by_its_camera(made):
    points, pose = made.room["0001/points"], made.room["0001/pose"]
    in_world = points @ pose[:3, :3].T + pose[:3, 3]
    assert pose[:3, 3] == pytest.approx((50.0, 20.0, 100.0), abs=1e-3)
    assert in_world[:, 1] == pytest.approx(1020.0, abs=100.0 * EXACT_M)  # the wall, in centimetres
    ahead = points[np.abs(points[:, 1]) < 1.0, 0]
    assert ahead == pytest.approx(1000.0, abs=100.0 * EXACT_M)
    assert made.room["0001/range"].min() == pytest.approx(10.0, abs=0.2)  # rows are 1 deg off


def test_corners_are_where_blender_has_them_in_every_frame(made):
    for index, message in enumerate(made.messages):
        objects = {each.id.value: each for each in message.moving_object}
        objects |= {each.id.value: each for each in message.stationary_object}
        for name in ("Car", "Walker", "Mirrored", "Sheared"):
            (object_id,) = ids_of(made, name)
            found = np.unique(corners_in_message(made, objects[object_id]).round(3), axis=0)
            expected = made.drive[f"{index + 1}/{name}"]
            away = np.linalg.norm(found[:, None] - expected[None], axis=2)
            # 3 digits: up to 0.5 mm along each axis
            assert max(away.min(axis=0).max(), away.min(axis=1).max()) < EXACT_M


def test_messages_have_the_times_and_the_kinds_of_objects(made):
    assert len(made.messages) == N_FRAME
    for index, message in enumerate(made.messages):
        stamp = message.timestamp
        assert stamp.seconds * 10**9 + stamp.nanos == index * 10**8
        moving = {each.id.value for each in message.moving_object}
        still = {each.id.value for each in message.stationary_object}
        assert message.host_vehicle_id.value in moving
        for name in ("Car", "Walker", "Van body", "Van roof"):
            assert moving.issuperset(ids_of(made, name))
        for name in ("Ground", "Wall", "Ball", "Tree", "Mirrored", "Sheared"):
            assert still.issuperset(ids_of(made, name))
        assert len(moving) + len(still) == 1 + len(made.scene["objects"])


def test_instances_are_objects_that_share_a_mesh(made):
    trees = set(ids_of(made, "Tree"))
    assert len(trees) == 200
    told = {each["id"]: each for each in made.scene["objects"]}
    assert {told[tree]["part_of"] for tree in trees} == {"Forest"}
    assert {told[each]["part_of"] for each in ids_of(made, "Van body")} == {"Van"}
    standing = [each for each in made.messages[0].stationary_object if each.id.value in trees]
    assert len({each.model_reference for each in standing}) == 1
    assert {each.classification.type for each in standing} == {7}  # TYPE_TREE


def test_points_move_with_their_objects(made):
    for frame in (2, 10, N_FRAME):
        points, _ = points_on(made, frame, "Car")
        front, back = (-8.0 + 0.8 * (frame - 1) + side * 2.1 for side in (1, -1))
        # a scan takes the time from the frame before
        assert points[:, 0].min() > back - 0.8 - EXACT_M
        assert points[:, 0].max() < front + EXACT_M
        on_walker, _ = points_on(made, frame, "Walker")
        corners = made.drive[f"{frame}/Walker"]
        assert len(on_walker) > 100
        assert (on_walker > corners.min(axis=0) - EXACT_M).all()
        assert (on_walker < corners.max(axis=0) + EXACT_M).all()


def test_attributes_are_the_fields_of_the_clouds(made):
    run = open_run(made.folder / "drive" / "run")
    assert made.facts["materials"] == list(run.materials)
    assert made.facts["objects"] == {
        str(each["id"]): each["name"] for each in made.scene["objects"]
    }
    expected = {"Ground": "asphalt_worn", "Wall": "concrete", "Tree": "leaves"}
    for name, material in expected.items():
        on_it = np.isin(made.drive["0001/object"], ids_of(made, name))
        numbers = set(made.drive["0001/material"][on_it].tolist())
        assert {made.facts["materials"][number] for number in numbers} == {material}
    assert set(made.drive["0001/ring"].tolist()) == set(range(16))
    assert (made.drive["0001/intensity"] > 0).all()


def test_an_image_that_blender_made_is_beside_the_mesh(made):
    pillow = pytest.importorskip("PIL.Image", reason="needs the extra images")
    (ground,) = (made.folder / "drive" / "meshes").glob("Ground-*.glb")
    mesh = load_mesh(ground)
    assert np.unique(mesh.uv) == pytest.approx([0.0, 1.0])
    (look,) = mesh.materials
    image = np.asarray(pillow.open(ground.with_name(look.texture)))
    # the builder counts rows from below, PNG from above: the upper left pixel is row 7
    assert np.array_equal(image[..., 0] // 255, (np.indices((8, 8)).sum(axis=0) + 7) % 2)


def test_a_window_stays_usable_while_osi_lidar_works(made):
    one = "INFO 1 objects, 1 frames"
    assert made.facts["steps"] == [
        *(one, "RUNNING_MODAL", "PASS_THROUGH", "INFO 10197 points", "FINISHED"),
        "0 timers, done: True",
        *(one, "RUNNING_MODAL", "PASS_THROUGH", "WARNING scan stopped", "CANCELLED"),
        "0 timers, done: True",
    ]
    assert made.facts["gone"]


def test_each_kind_of_surface_is_there_once(made):
    told = Counter((each["name"], each["part_of"]) for each in made.odds_scene["objects"])
    once = {(name, "") for name in ("Wall", "Tube", "Mball", "SurfSphere", "Grows", "Goes")}
    once |= {(name, "") for name in ("Grain", "Corners", "Knob")}
    once |= {(name, owner) for name in ("Shown", "Deep text") for owner in ("Empty", "Empty.001")}
    expected = dict.fromkeys(once, 1) | {("Grain", "Field"): 30, ("Knob", "Corners"): 4}
    assert told == expected
    (grows,) = (each for each in made.odds_scene["objects"] if each["name"] == "Grows")
    assert grows["moving"]


def test_an_object_is_in_the_frames_in_which_it_is_rendered(made):
    (goes,) = (each["id"] for each in made.odds_scene["objects"] if each["name"] == "Goes")
    first, second = messages(made.folder / "odds" / "trace.osi")
    assert goes in {each.id.value for each in first.stationary_object}
    assert goes not in {each.id.value for each in second.stationary_object}


def test_all_that_is_left_out_is_told(made):
    assert made.odds_scene["left_out"] == {
        "Field": "not rendered",
        "In Excluded": "its collection is excluded",
        "In Unrendered": "not rendered",
    }
    assert made.odds_scene["not_followed"] == [
        "object Flat: is scaled to nothing",
        "object Volume: volumes",
    ]


def test_points_of_a_camera_that_drives_fit_the_world(made):
    (wall,) = (each["id"] for each in made.odds_scene["objects"] if each["name"] == "Wall")
    for frame, forward in ((1, 0.0), (2, 1.0)):
        pose = made.odds[f"{frame:04}/pose"]
        assert pose[:3, 3] == pytest.approx((forward, 0.2 * forward, 2.0), abs=1e-5)
        chosen = made.odds[f"{frame:04}/object"] == wall
        in_world = made.odds[f"{frame:04}/points"][chosen] @ pose[:3, :3].T + pose[:3, 3]
        assert len(in_world) > 1000
        assert in_world[:, 0] == pytest.approx(30.0, abs=EXACT_M)


def test_what_is_hidden_is_left_out_and_told(made):
    assert made.scene["left_out"] == {
        "For the view only": "not rendered",
        "Switched off": "hidden in the viewport",
    }
    assert made.scene["not_followed"] == []


def test_a_second_export_has_the_same_bytes(made):
    assert made.facts["same"]


def test_mistakes_are_told_in_one_line(made):
    said = made.facts["refusals"]
    expected = {
        "program": "osi-lidar: 'no-such-program' is not a program",
        "preset": "unknown sensor 'VLP-17'",
        "folder": "contains other files, expected an empty folder or an earlier export",
        "hidden sensor": "sensor 'Camera': is hidden in the viewport; show it",
        "sensor": "no sensor: choose an Empty or a camera",
    }
    assert said.keys() == expected.keys()
    for name, words in expected.items():
        assert words in said[name]
        assert "Traceback" not in said[name]
        assert "\n" not in said[name]
