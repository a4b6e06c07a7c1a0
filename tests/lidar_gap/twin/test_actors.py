# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Actors: a box-shaped car and a pillar that moves, scanned, rebuilt and scanned again."""

import json
from dataclasses import replace

import numpy as np
import pytest
import trimesh

from lidar_gap.compare.labels import read_labels
from lidar_gap.twin.actors.bodies import BodySettings, bodies_of
from lidar_gap.twin.actors.cells import beam_cells
from lidar_gap.twin.actors.files import Actor, frame_times_ns, write_actors
from lidar_gap.twin.actors.kinds import osi_type
from lidar_gap.twin.actors.labelled import Labelled
from lidar_gap.twin.actors.tracks import in_any_box, tracks_of
from lidar_gap.twin.null_test import simulated
from lidar_gap.twin.reflectivity.albedo import SignalLaw
from osi_bridge import FrameDecoder, open_trace
from osi_lidar import LidarModel, load_config
from osi_lidar.clouds.pcd import write_pcd
from osi_lidar.errors import InputError
from osi_lidar.run.pose_files import Poses, write_poses
from tests.builders.files import written
from tests.commands import assert_one_line, run

SENSOR = {"preset": "OS1-64", "columns": 1024, "range_limit": None}
CAR_M, PILLAR_M = (4.4, 1.8, 1.5), (0.6, 0.6, 1.7)
GROUND_M = -1.8  # below the sensor
N_FRAME, LEFT_OUT = 6, 3
HEADER = "frame,id,class,x,y,z,length,width,height,yaw"
LAW = SignalLaw(range_exponent=0.0)


def places(frame):
    """Return centre and yaw of car and pillar in a frame: one passes, the other turns around."""
    car = (-4.0 + 2.0 * frame, 5.0, GROUND_M + CAR_M[2] / 2), 0.06 * frame
    pillar = (5.0, -4.0 + 0.5 * frame, GROUND_M + PILLAR_M[2] / 2), 0.3 * frame
    return car, pillar


def scanned(folder, frame):
    """Return the cloud of ground, car and pillar in a frame, and the file of its configuration."""
    car, pillar = places(frame)
    parts = {
        "Ground": trimesh.creation.box((60.0, 60.0, 0.1)),
        "Car": trimesh.creation.box(CAR_M),
        "Pillar": trimesh.creation.cylinder(PILLAR_M[0] / 2, PILLAR_M[2], sections=64),
    }
    poses = {"Ground": ((0.0, 0.0, GROUND_M - 0.05), 0.0), "Car": car, "Pillar": pillar}
    environment = []
    for name, mesh in parts.items():
        lines = [f"v {x} {y} {z}" for x, y, z in mesh.vertices] + [f"usemtl {name}"]
        lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.faces]
        file = written(folder / f"{name}.obj", "\n".join(lines) + "\n")
        centre, yaw = poses[name]
        lies = {"up": "z", "forward": "x", "position_m": centre, "yaw_deg": np.degrees(yaw)}
        environment.append({"mesh": file.name} | lies)
    materials = {"Ground": "grey", "Car": "bright", "Pillar": "grey"}
    define = {"bright": {"reflectance": 0.6}, "grey": {"reflectance": 0.2}}
    config = {
        "sensors": [{"name": "lidar", **SENSOR}],
        "scene": {"environment": environment, "ground": "none"},
        "materials": {
            "mapping": str(
                written(
                    folder / "materials.yaml",
                    json.dumps({"materials": materials, "define": define}),
                )
            )
        },
    }
    path = written(folder / "frame.yaml", json.dumps(config))
    [(cloud, _)] = simulated(load_config(path), np.eye(4)[None])
    return replace(cloud, name=f"{frame:06d}")


def rows_of_table(frames=range(N_FRAME)):
    """Return the rows of the labels of frames."""
    rows = []
    for frame in frames:
        for name, kind, size, (centre, yaw) in zip(
            ("a", "b"), ("car", "pedestrian"), (CAR_M, PILLAR_M), places(frame), strict=True
        ):
            numbers = ",".join(f"{value:.6f}" for value in (*centre, *size, yaw))
            rows.append(f"{frame},{name},{kind},{numbers}")
    return rows


def table(folder, rows):
    return written(folder / "boxes.csv", "\n".join([HEADER, *rows]) + "\n")


def tracks_in(folder, rows, n=N_FRAME):
    path = table(folder, rows)
    return tracks_of(path, read_labels(path), [f"{frame:06d}" for frame in range(n)])


@pytest.fixture(scope="module")
def clouds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("traffic")
    return [scanned(folder, frame) for frame in range(N_FRAME)]


@pytest.fixture(scope="module")
def tracks(tmp_path_factory):
    return tracks_in(tmp_path_factory.mktemp("labels"), rows_of_table())


@pytest.fixture(scope="module")
def used():
    return np.arange(N_FRAME) != LEFT_OUT


@pytest.fixture(scope="module")
def bodies(clouds, tracks, used):
    return bodies_of(tracks, clouds, used, BodySettings(law=LAW))


@pytest.fixture(scope="module")
def again(tracks, bodies, tmp_path_factory):
    """Points of the actors in the frame that they are not made of."""
    return points_again(tmp_path_factory.mktemp("again"), tracks, bodies)


def points_again(folder, tracks, bodies):
    """Return the points of actors alone in the frame that is left out."""
    pairs = zip(tracks, bodies, strict=True)
    actors = [Actor(track, body, n, "surface", 0.5) for n, (track, body) in enumerate(pairs, 1)]
    still = np.tile(np.eye(4), (N_FRAME, 1, 1))
    trace = write_actors(folder / "x.glb", actors, still, frame_times_ns([""] * N_FRAME, None))
    rule = {"match": {"model_reference": "x_actors/*"}, "up": "z", "forward": "x"}
    at_origin = {"x_m": 0, "y_m": 0, "z_m": 0}
    at_once = {"mounting": at_origin, "rolling_shutter": False, "motion_blur": False}
    content = {
        "sensors": [{**SENSOR, **at_once}],
        "scene": {"objects": [{**rule, "origin": "as_is"}], "ground": "none"},
    }
    config = load_config(written(folder / "x.yaml", json.dumps(content)))
    message = list(open_trace(trace))[LEFT_OUT].data
    frame = FrameDecoder("GroundTruth").decode(message, 0)
    points = LidarModel(config, trace_folder=folder).step(frame).scans[0].cloud.points
    return np.stack([points[axis] for axis in "xyz"], axis=1).astype(np.float64)


def off_box(points_m, size_m):
    """Return the distance from the surface of a box in its own frame [m]."""
    beyond = np.abs(points_m) - np.array(size_m) / 2
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
    return np.abs(outside + np.minimum(beyond.max(axis=1), 0.0))


def off_cylinder(points_m, size_m):
    """Return the distance from the surface of an upright cylinder in its own frame [m]."""
    radial = np.hypot(points_m[:, 0], points_m[:, 1]) - size_m[0] / 2
    beyond = np.stack([radial, np.abs(points_m[:, 2]) - size_m[2] / 2], axis=1)
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
    return np.abs(outside + np.minimum(beyond.max(axis=1), 0.0))


@pytest.mark.long
@pytest.mark.parametrize(("number", "off"), [(0, off_box), (1, off_cylinder)])
def test_actors_return_as_many_points_as_before_from_where_they_were(
    number, off, clouds, tracks, again
):
    box = tracks[number].boxes[LEFT_OUT]
    real = box.inside(clouds[LEFT_OUT].points_m, 0.05).sum()
    found = again[box.inside(again, 0.05)]
    assert real > 100
    assert abs(len(found) / real - 1.0) < 0.1
    away = off(box.own(found), (CAR_M, PILLAR_M)[number])
    assert np.percentile(away, 95) < 0.03


@pytest.mark.long
def test_a_dark_car_returns_no_more_beams_than_it_did(clouds, tracks, used, tmp_path):
    """Half of its beams did not return, others in each frame: all together would close it."""
    random = np.random.default_rng(3)
    lost = [in_any_box(each, tracks[:1], row) for row, each in enumerate(clouds)]
    kept = [~each | (random.random(len(each)) < 0.5) for each in lost]
    dark = [cloud.rows(rows) for cloud, rows in zip(clouds, kept, strict=True)]
    box = tracks[0].boxes[LEFT_OUT]
    real = box.inside(dark[LEFT_OUT].points_m, 0.05).sum()
    shares = []
    for settings in (BodySettings(law=LAW), BodySettings(law=LAW, thinned=False)):
        bodies = bodies_of(tracks, dark, used, settings)
        shares.append(box.inside(points_again(tmp_path, tracks, bodies), 0.05).sum() / real)
    thinned, whole = shares
    assert whole > 1.5
    assert abs(thinned - 1.0) < 0.15


@pytest.mark.long
def test_the_side_that_no_frame_saw_is_the_other_one_mirrored(bodies, clouds, tracks, used):
    """The car always passes on the left, so only its right side was seen."""
    settings = BodySettings(law=LAW, mirrored=frozenset())
    seen, _ = bodies_of(tracks, clouds, used, settings)
    right, left = sides(seen)
    assert right > 100
    assert left == 0
    right, left = sides(bodies[0])
    assert 0.8 < left / right < 1.25


def sides(body):
    """Return the numbers of corners on both sides of a car, off its roof, bow and stern."""
    corners = body.mesh.vertices_m
    off = np.abs(corners[:, [0, 2]]) < 0.4 * np.array((CAR_M[0], CAR_M[2]))
    corners = corners[off.all(axis=1)]
    far = 0.45 * CAR_M[1]
    return (corners[:, 1] < -far).sum(), (corners[:, 1] > far).sum()


@pytest.mark.long
def test_the_ground_is_no_part_of_a_body(bodies):
    for body, size in zip(bodies, (CAR_M, PILLAR_M), strict=True):
        corners = body.mesh.vertices_m[body.mesh.faces].reshape(-1, 3)
        assert corners[:, 2].min() > -size[2] / 2


@pytest.mark.long
def test_a_body_has_the_reflectivity_of_its_points(bodies):
    car, pillar = bodies
    assert car.albedo / pillar.albedo == pytest.approx(3.0, rel=0.25)


def test_tracks_appear_and_vanish(tmp_path):
    """A track is in the messages of its own frames, and nowhere else."""
    rows = [row for row in rows_of_table() if row.split(",")[1] == "a" or row[0] in "12"]
    tracks = tracks_in(tmp_path, rows)
    assert [sorted(track.boxes) for track in tracks] == [[*range(N_FRAME)], [1, 2]]
    actors = [Actor(track, None, n, "surface", 0.5) for n, track in enumerate(tracks, 1)]
    poses = np.tile(np.eye(4), (N_FRAME, 1, 1))
    poses[:, 0, 3] = 10.0 * np.arange(N_FRAME)
    trace = write_actors(tmp_path / "x.glb", actors, poses, [10**8 * n for n in range(N_FRAME)])
    decoder = FrameDecoder("GroundTruth")
    frames = [decoder.decode(each.data, each.index) for each in open_trace(trace)]
    there = [frame.objects.object_id.tolist() for frame in frames]
    assert there == [[0, 1], [0, 1, 2], [0, 1, 2], [0, 1], [0, 1], [0, 1]]
    assert frames[2].host.object_id == 0
    assert frames[2].objects.type_name[1:] == ("TYPE_VEHICLE", "TYPE_PEDESTRIAN")
    centre, yaw = places(2)[0]
    np.testing.assert_allclose(frames[2].objects.position_m[1], np.add(centre, (20.0, 0, 0)))
    assert frames[2].objects.orientation_rad[1, 2] == pytest.approx(yaw)
    np.testing.assert_allclose(frames[2].objects.dimension_m[1], CAR_M)


def test_too_few_points_make_no_body(clouds, tracks):
    """One frame of few points, or none that is used: the product's own shape stands in."""
    few = [replace(cloud, points_m=cloud.points_m.copy()) for cloud in clouds]
    inside = np.flatnonzero(in_any_box(few[0], tracks[:1], 0))
    few = [few[0].rows(np.setdiff1d(np.arange(len(few[0])), inside[10:])), *few[1:]]
    only_first = np.arange(N_FRAME) == 0
    car, pillar = bodies_of(tracks, few, only_first, BodySettings(law=LAW))
    assert car is None
    assert pillar is not None
    assert bodies_of(tracks, few, only_first & False, BodySettings(law=LAW)) == [None, None]


@pytest.mark.long
def test_an_actor_without_a_body_names_no_mesh(tracks, bodies, tmp_path):
    actors = [
        Actor(tracks[0], None, 1, "surface", np.nan),
        Actor(tracks[1], bodies[1], 2, "body_02000", 0.2),
    ]
    trace = write_actors(tmp_path / "x.glb", actors, np.eye(4)[None], [0])
    frame = FrameDecoder("GroundTruth").decode(next(iter(open_trace(trace))).data, 0)
    assert frame.objects.model_reference == ("", "", "x_actors/2.glb")
    lines = (tmp_path / "x_actors" / "actors.csv").read_text().splitlines()
    assert lines[1] == "a,1,car,6,0,shape,"
    assert lines[2].startswith("b,2,pedestrian,6,")
    assert lines[2].endswith(",surfels,0.2000")


def test_beams_without_a_return_do_not_widen_the_cells_beside_them(clouds):
    """Half of the points of a cloud are left out by chance; rings and columns stay."""
    cloud = clouds[0]
    kept = np.random.default_rng(1).random(len(cloud)) < 0.7
    rows = np.flatnonzero(kept)[::50]
    whole = beam_cells(cloud, rows)
    thinned = beam_cells(cloud.rows(kept), np.searchsorted(np.flatnonzero(kept), rows))
    np.testing.assert_allclose(thinned.half_m, whole.half_m, rtol=0.05)


def test_cells_are_found_without_rings_too(clouds):
    cloud = clouds[0]
    rows = np.arange(0, len(cloud), 50)
    told, found = beam_cells(cloud, rows), beam_cells(replace(cloud, ring=None), rows)
    ratio = found.half_m.sum(axis=1) / told.half_m.sum(axis=1)
    assert 0.8 < np.median(ratio) < 1.25


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([rows_of_table([0])[0]] * 2, "got id a twice in frame 0"),
        (rows_of_table([99]), "no box is in the frame of a cloud: got frame 99, expected 0, 1, 2"),
    ],
)
def test_tracks_that_cannot_be_are_told(rows, told, tmp_path):
    with pytest.raises(InputError, match=told):
        tracks_in(tmp_path, rows)


def test_boxes_without_ids_are_told(tmp_path):
    path = written(tmp_path / "boxes.csv", "frame,x,y,z,length,width,height,yaw\n0,1,2,3,4,5,6,0\n")
    with pytest.raises(InputError, match="has no column 'id', expected the track of each box"):
        tracks_of(path, read_labels(path), ["000000"])


def test_times_are_those_of_names_or_poses_or_even():
    names = ["315966265259836000", "315966265360032000"]
    assert frame_times_ns(names, None) == [int(name) for name in names]
    assert frame_times_ns(["000000", "000001"], np.array([2.0, 2.5])) == [2 * 10**9, 25 * 10**8]
    assert frame_times_ns(["a", "b"], None) == [0, 10**8]


@pytest.mark.parametrize(
    ("category", "types"),
    [
        ("regular_vehicle", ("TYPE_VEHICLE", "TYPE_CAR")),
        ("bicyclist", ("TYPE_PEDESTRIAN", "")),
        ("dog", ("TYPE_ANIMAL", "")),
        ("bollard", ("TYPE_OTHER", "")),
    ],
)
def test_classes_become_types_of_osi(category, types):
    assert osi_type(category) == types


@pytest.mark.long
def test_clouds_without_strengths_give_bodies_without_reflectivity(clouds, tracks, tmp_path):
    plain = [replace(cloud, intensity=None, signal=None) for cloud in clouds]
    labels = Labelled(table=tmp_path, clouds=plain, tracks=tracks, used=np.ones(N_FRAME, bool))
    for actor in labels.actors(LAW, 1.0):
        assert actor.body is not None
        assert np.isnan(actor.reflectivity)
        assert actor.material == "surface"


def recorded(folder, clouds):
    """Write clouds and poses at the origin."""
    (folder / "clouds").mkdir()
    kinds = [*((axis, "f4") for axis in "xyz"), ("intensity", "f4"), ("ring", "u2")]
    for cloud in clouds:
        rows = np.zeros(len(cloud), kinds)
        rows["x"], rows["y"], rows["z"] = cloud.points_m.T
        rows["intensity"], rows["ring"] = cloud.intensity, cloud.ring
        write_pcd(folder / "clouds" / f"{cloud.name}.pcd", rows)
    still = Poses(world_from_sensor=np.tile(np.eye(4), (len(clouds), 1, 1)))
    write_poses(folder / "poses.csv", still)
    return folder / "clouds", folder / "poses.csv"


QUICK = ("--voxel", 0.1, "--depth", 6, "--no-refine", "--sensor", "OS1-64", "--columns", 1024)


def test_a_broken_table_gives_one_line(clouds, tmp_path):
    files = recorded(tmp_path, clouds[:1])
    rows = [*rows_of_table([0]), "0,c,car,1,2,3,4.4,wide,1.5,0"]
    result = run(
        "gap", "twin", *files, "--actors", table(tmp_path, rows), "-o", tmp_path / "x.glb", *QUICK
    )
    assert_one_line(result, 2, "boxes.csv: line 4", "width")
    assert not (tmp_path / "x.glb").exists()


def test_a_body_of_another_is_not_replaced(clouds, tmp_path):
    files, boxes = recorded(tmp_path, clouds[:1]), table(tmp_path, rows_of_table([0]))
    (tmp_path / "x_actors").mkdir()
    other = written(tmp_path / "x_actors" / "2.glb", "mine")
    result = run("gap", "twin", *files, "--actors", boxes, "-o", tmp_path / "x.glb", *QUICK)
    assert_one_line(result, 2, other, "was not written by")
    assert other.read_text() == "mine"


@pytest.mark.long
def test_a_place_and_its_actors_are_replayed(clouds, tmp_path):
    pytest.importorskip("open3d", reason="the extra twin", exc_type=ImportError)
    files, boxes = recorded(tmp_path, clouds[:3]), table(tmp_path, rows_of_table(range(3)))
    out = tmp_path / "x.glb"
    result = run("gap", "twin", *files, "--actors", boxes, "-o", out, *QUICK, "--white", 1)
    assert result.exit_code == 0, result.output
    assert "actors: 2, with a body: 2" in result.stdout
    trace, config = tmp_path / "x_actors.osi", tmp_path / "x.yaml"
    assert f"osi-lidar replay {trace} --config {config}" in result.stdout
    place = trimesh.load(out, force="mesh").vertices
    assert place[:, 2].max() < GROUND_M + 0.3  # neither car nor pillar
    again = run("replay", trace, "--config", config, "-o", tmp_path / "run")
    assert again.exit_code == 0, again.output
    assert json.loads((tmp_path / "run" / "run.json").read_text())["status"] == "complete"
