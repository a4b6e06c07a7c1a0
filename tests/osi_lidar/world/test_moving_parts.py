# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Wheels in the scene: instances of their own, their velocities, and the same bytes any way."""

import json
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensorview_pb2 import SensorView

from fmu_src.exporter import build_fmu
from osi_bridge import write_trace
from osi_lidar import load_config
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.run.fmu import fmu_run
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.clouds import xyz
from tests.builders.messages import Thing, host, message
from tests.builders.worlds import config, steps
from tests.osi_lidar.run.cluster_helpers import assert_alike
from tests.osi_lidar.run.ways import (
    assert_answered_by_fmu,
    assert_goes_on,
    assert_later_frames_alike,
    assert_streamed,
)

MM_S = 1e-3
STEP_S = 0.1
CAR_M = (4.6, 1.8, 1.5)
SENSOR = {"name": "front", "mounting": {"x_m": 1.2, "z_m": 0.45}, "range_limit": None}
CAMERA = {
    "pattern": {"kind": "camera", "width": 240, "height": 80, "horizontal_fov_deg": 90},
    "max_range_m": 100,
}
N_FRAMES, RIDER = 7, 12
TRACE = f"20260101T000000Z_sv_380_7362_{N_FRAMES}_wheels.osi"


def sees(sensor, **scene):
    """Return a configuration of one sensor over no ground, of shapes with moving parts."""
    return config(
        sensors=[{**SENSOR, **sensor}], scene={"ground": "none", "shapes": "auto", **scene}
    )


def passing(speed_m_s, n=3, y_m=3.0):
    """Return worlds in which a car drives along x beside the sensor."""
    return [
        [host(), Thing(9, (5.0 + speed_m_s * STEP_S * k, y_m, 0.75), dimension_m=CAR_M)]
        for k in range(n)
    ]


@pytest.mark.parametrize("sensor", [{"preset": "VLP-16"}, CAMERA])
@pytest.mark.parametrize("speed_m_s", [15.0, -8.0])
def test_a_wheels_rim_has_the_velocity_of_what_rolls(sensor, speed_m_s):
    """A point p of a wheel about h has v + w x (p - h), w = v / r about its axle: 0 to 2 v."""
    model, done = steps(passing(speed_m_s), sees({**sensor, "velocity": True}))
    cloud = done[-1].scans[0].cloud
    mine = cloud.points["object_id"] == 9
    place = xyz(cloud.points)[mine].astype(float)
    when = np.full(len(place), STEP_S)
    if "time_ns" in cloud.points.dtype.names:
        when = cloud.points["time_ns"][mine] * 1e-9
    assembly = model.world.objects.placed[9].assembly
    in_world = place + (0.0, 0.0, 0.75)  # the sensor stands over the centre of its vehicle
    centre = np.array([5.0 + speed_m_s * STEP_S, 3.0, 0.75])
    centre = centre + np.outer(when, (speed_m_s, 0.0, 0.0))
    found = cloud.points["radial_velocity"][mine]
    n_on_wheels = 0
    for hub_m, radius_m in zip(assembly.hub_m, assembly.radius_m, strict=True):
        arm = in_world - centre - hub_m
        outer = np.abs(arm[:, 1] + 0.1) < 2e-3  # tyre, rim and spokes, 0.2 m wide
        on = (np.hypot(arm[:, 0], arm[:, 2]) < 0.95 * radius_m) & outer & (hub_m[1] < 0.0)
        spin = np.array([0.0, speed_m_s / radius_m, 0.0])
        velocity = (speed_m_s, 0.0, 0.0) + np.cross(spin, arm[on])
        along = place[on] / np.linalg.norm(place[on], axis=1, keepdims=True)
        assert_allclose(found[on], -(velocity * along).sum(axis=1), atol=MM_S)
        n_on_wheels += on.sum()
    assert n_on_wheels > 5
    assert np.ptp(found) > abs(speed_m_s)


def test_velocities_do_not_depend_on_how_motion_is_seen():
    """Without blur the wheels turn by more than half a turn between two messages."""
    model, done = steps(passing(30.0), sees({**CAMERA, "velocity": True, "motion_blur": False}))
    points = done[-1].scans[0].cloud.points
    assembly = model.world.objects.placed[9].assembly
    arm = xyz(points).astype(float) + (0.0, 0.0, 0.75) - (11.0, 3.0, 0.75) - assembly.hub_m[0]
    on = (np.hypot(arm[:, 0], arm[:, 2]) < assembly.radius_m[0]) & (np.abs(arm[:, 1]) < 0.1)
    velocity = (30.0, 0, 0) + np.cross([0.0, 30.0 / assembly.radius_m[0], 0.0], arm[on])
    along = xyz(points)[on] / np.linalg.norm(xyz(points)[on], axis=1, keepdims=True)
    assert on.sum() > 5
    assert_allclose(points["radial_velocity"][on], -(velocity * along).sum(axis=1), atol=MM_S)


def at(x_m):
    """Return a world with a car at a place."""
    return [host(), Thing(9, (x_m, 3.0, 0.75), dimension_m=CAR_M)]


def test_what_has_never_moved_is_one_piece_of_the_same_shape():
    """Its cloud is that of parts that have hardly moved, so nothing jumps at the first movement."""
    clouds = []
    for moved_m in (0.0, 1e-7):
        worlds = [at(8.0), at(8.0), at(8.0 + moved_m), at(8.0 + moved_m)]
        model, done = steps(worlds, sees({**CAMERA, "velocity": True}))
        assert len(model.world.objects.placed[9].parts) == (4 if moved_m else 0)
        clouds.append(done[-1].scans[0].cloud.points)
    assert len(clouds[0]) == len(clouds[1]) > 100
    assert_allclose(xyz(clouds[0]), xyz(clouds[1]), atol=1e-5)
    for name in ("material_id", "reflectivity"):
        assert_allclose(clouds[0][name], clouds[1][name], atol=1e-4)


def test_parts_go_with_their_object():
    """A car that moves has five instances of one OSI id; all are gone with it."""
    model, done = steps([*passing(10.0), [host()]], sees(CAMERA))
    assert (done[2].scans[0].cloud.points["object_id"] == 9).any()
    assert not len(done[3].scans[0].cloud.points)
    counts = model.world.scene.counts
    assert counts.instances_added == counts.instances_removed == 6


def test_a_car_that_stops_keeps_its_wheels_as_they_are_and_nothing_is_traced():
    worlds = passing(10.0, n=4)
    _, done = steps([*worlds, worlds[-1], worlds[-1]], sees(CAMERA))
    assert [each.scans[0].traced for each in done] == [True, True, True, True, False, False]


def test_without_articulation_shapes_are_stiff():
    model, _ = steps(passing(10.0), sees(CAMERA, articulation="none"))
    assert model.world.objects.placed[9].parts == ()


def on_a_curve(k):
    """Return the world of a message: a car turns left, one overtakes; a walker, a rider, a dog."""
    turn = 0.06 * k
    return [
        host(),
        Thing(
            9,
            (6 + 12 * math.sin(turn), 8 - 12 * math.cos(turn), 0.75),
            yaw_rad=turn,
            dimension_m=CAR_M,
        ),
        Thing(10, (4 + 2.2 * k, 6.0, 0.75), dimension_m=(4.2, 1.75, 1.45)),
        Thing(
            11,
            (5 + 0.14 * k, -2.0, 0.875),
            dimension_m=(0.9, 0.6, 1.75),
            osi_type=MovingObject.TYPE_PEDESTRIAN,
        ),
        Thing(RIDER, (4 + 0.5 * k, -4.0, 0.875), dimension_m=(1.8, 0.6, 1.75)),
        Thing(
            13,
            (4 + 0.2 * k, 2.0, 0.325),
            dimension_m=(0.9, 0.3, 0.65),
            osi_type=MovingObject.TYPE_ANIMAL,
        ),
    ]


def stated(k):
    """Return the k-th message, in which the rider's vehicle is a bicycle."""
    view = SensorView.FromString(message(on_a_curve(k), time_s=STEP_S * k))
    for item in view.global_ground_truth.moving_object:
        if item.id.value == RIDER:
            item.vehicle_classification.type = MovingObject.VehicleClassification.TYPE_BICYCLE
    return view.SerializeToString()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a trace and a configuration."""
    folder = tmp_path_factory.mktemp("wheels")
    messages = [stated(k) for k in range(N_FRAMES)]
    write_trace(folder / TRACE, messages, message_type="SensorView")
    spinning = {**SENSOR, "preset": "VLP-16", "columns": 360, "velocity": True}
    rate = {**SENSOR, "preset": "OS1-16", "columns": 512, "timing": "sensor_rate"}
    sensors = [{**spinning, "name": "roof"}, {**rate, "name": "rate"}]
    (folder / "config.yaml").write_text(json.dumps({"sensors": sensors, "seed": 7}))
    return folder


def test_all_that_moves_is_seen(whole):
    """Of the scene whose bytes the tests below compare."""
    seen = set()
    for path in (whole / "roof").glob("*.pcd"):
        seen |= set(read_pcd(path)["object_id"].tolist())
    assert {9, 10, 11, RIDER, 13} <= seen


def configured(folder):
    return load_config(folder / "config.yaml")


@pytest.fixture(scope="module")
def whole(folder):
    """Return the folder of a replay in one go."""
    replay(FrameSource(folder / TRACE), configured(folder), folder / "whole")
    return folder / "whole"


@pytest.mark.long
def test_a_worker_of_a_cluster_gives_the_same_bytes(folder, whole, tmp_path):
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from osi_lidar.run.parallel import replay_on

    here = {"processes": False, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with distributed.Client(n_workers=1, **here) as client:
        source = FrameSource(folder / TRACE)
        replay_on(client, source, configured(folder), tmp_path / "out", n_intervals=3)
    assert_alike(tmp_path / "out", whole)


@pytest.mark.slow
def test_two_processes_of_a_cluster_give_the_same_bytes(folder, whole, tmp_path):
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from osi_lidar.run.cluster import cluster
    from osi_lidar.run.parallel import replay_on

    with cluster(workers=2) as client:
        source = FrameSource(folder / TRACE)
        replay_on(client, source, configured(folder), tmp_path / "out", n_intervals=3)
    assert_alike(tmp_path / "out", whole)


@pytest.mark.long
def test_a_run_that_was_cut_goes_on(folder, whole, tmp_path):
    assert_goes_on(folder / TRACE, configured(folder), whole, tmp_path / "out", 4)


def test_chosen_frames_have_the_clouds_that_they_have_in_the_whole_run(folder, whole, tmp_path):
    """Messages before them are heard, so that wheels have turned."""
    out = tmp_path / "out"
    assert_later_frames_alike(folder / TRACE, configured(folder), whole, out, first=5)


def test_an_fmu_gives_the_same_messages(folder, whole, tmp_path):
    fmu = build_fmu(config=folder / "config.yaml", out=tmp_path)[0].path
    assert_answered_by_fmu(fmu_run(fmu, folder / TRACE, tmp_path / "fmu"), whole)


def test_a_stream_gives_the_same_messages(folder, whole):
    """Also when its source is connected anew: wheels begin again."""
    assert_streamed(folder / TRACE, configured(folder), whole)
