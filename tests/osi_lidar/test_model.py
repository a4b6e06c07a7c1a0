# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from osi3.osi_sensordata_pb2 import SensorData

from osi_bridge import NO_OBJECT, FrameDecoder
from osi_lidar import ConfigurationError, LidarModel
from tests.builders.clouds import points_of, xyz
from tests.builders.messages import HOST_ID, Thing, frames, host, message
from tests.builders.refusals import one_line
from tests.builders.worlds import FRONT, config, steps

CAR = Thing(2, (20.0, 0.0, 0.75))


def test_every_point_is_told_apart_by_object_ring_and_column():
    model, (step,) = steps([[host(), CAR]])
    points = points_of(step)
    pattern = model.lidars[0].pattern
    beam = step.scans[0].cloud.beam
    np.testing.assert_array_equal(points["ring"], pattern.ring[beam])
    np.testing.assert_array_equal(points["column"], pattern.column[beam])
    assert set(points["object_id"]) == {2, 0xFFFFFFFF}
    np.testing.assert_allclose(points["range"], np.linalg.norm(xyz(points), axis=1), rtol=1e-6)
    names = {list(model.materials.entries)[i] for i in set(points["material_id"])}
    assert names == {"asphalt_worn", "lambertian_50"}


def test_reflectivity_follows_lamberts_law_and_intensity_is_its_percentage():
    _, (step,) = steps([[host(), CAR]])
    points = points_of(step, 2)
    direction = xyz(points) / points["range"][:, None]
    normal = np.stack([points[f"normal_{axis}"] for axis in "xyz"], axis=1)
    cosine = -(direction * normal).sum(axis=1)
    np.testing.assert_allclose(points["reflectivity"], 0.5 * cosine, atol=1e-5)
    np.testing.assert_allclose(points["intensity"], 100 * points["reflectivity"], rtol=1e-6)


def test_a_run_that_begins_in_mid_stream_repeats_no_scan_of_the_run_before():
    slow = {"preset": "VLP-16", "columns": 8, "timing": "sensor_rate", "rotation_rate_hz": 5}
    chosen = config(sensors=[{"name": "slow", **slow}])

    def numbers_of_points(*times_s):
        model, decoder = LidarModel(chosen), FrameDecoder("SensorView")
        for n, time_s in enumerate(times_s):
            step = model.step(decoder.decode(message([host(), CAR], time_s=time_s), n))
            (sensor,) = SensorData.FromString(step.sensor_data).feature_data.lidar_sensor
            yield sensor.header.number_of_valid_detections

    first, again = (10.0, 10.1, 10.2, 10.3), (1.0, 1.1, 1.2)
    *_, before = numbers_of_points(*first)
    alone = list(numbers_of_points(*again))
    assert alone[:2] == [0, 0] != [before, before]
    assert list(numbers_of_points(*first, *again))[len(first) :] == alone


def test_the_last_measurement_of_an_answer_is_that_of_any_of_its_sensors():
    slow = {"preset": "VLP-16", "columns": 8, "timing": "sensor_rate", "rotation_rate_hz": 5}
    sensors = [{"name": "slow", **slow}, {"name": "own", **FRONT}]
    seconds = []
    for ordered in (sensors, sensors[::-1]):
        _, done = steps([[host(), CAR]] * 6, config(sensors=ordered))
        for answer in (SensorData.FromString(step.sensor_data) for step in done):
            last = [each.header.measurement_time for each in answer.feature_data.lidar_sensor]
            times = [
                each.seconds + 1e-9 * each.nanos for each in (*last, answer.last_measurement_time)
            ]
            assert times[-1] == max(times[:-1])
            seconds.append(times[:2])
    assert any(one < other for one, other in seconds)
    assert any(one > other for one, other in seconds)


def test_the_host_is_invisible_unless_asked_for():
    tall = host(dimension_m=(4.0, 2.0, 6.0), z_m=3.0)  # the sensor is inside the box
    _, (unseen,) = steps([[tall, CAR]])
    _, (seen,) = steps([[tall, CAR]], config(scene={"host_visible": True}))
    assert len(points_of(unseen, HOST_ID)) == 0
    assert len(points_of(seen, HOST_ID)) == len(points_of(seen)) > 1000


def test_only_changes_are_traced_and_committed():
    """40 steps, of which only 10 and 20 move something: 3 scans, 2 commits after the first."""
    worlds = [[host(), CAR] for _ in range(40)]
    for start in (10, 20):
        for index in range(start, 40):
            worlds[index] = [host(), Thing(2, (20.0 + start, 0.0, 0.75))]
    model, done = steps(worlds)
    assert [step.index for step in done if step.traced] == [0, 10, 20]
    assert model.world.scene.counts.commits == 3
    assert model.n_rays_traced == 3 * model.lidars[0].pattern.n_beams
    assert 0 < model.n_rays_kept < 2 * model.lidars[0].pattern.n_beams
    for index in range(1, 40):
        if index not in (10, 20):
            now, before = done[index].scans[0].cloud, done[index - 1].scans[0].cloud
            assert now.points.tobytes() == before.points.tobytes()


def test_an_unchanged_step_repeats_the_detections_with_the_new_time():
    _, (first, second) = steps([[host(), CAR]] * 2)
    one, two = (SensorData.FromString(step.sensor_data) for step in (first, second))
    assert two.timestamp.nanos == 100_000_000
    a, b = one.feature_data.lidar_sensor[0], two.feature_data.lidar_sensor[0]
    assert a.detection == b.detection
    assert b.header.measurement_time.nanos == 100_000_000
    assert (a.header.cycle_counter, b.header.cycle_counter) == (0, 1)


def test_a_moving_host_traces_without_committing_the_scene():
    model, done = steps([[host(x_m=x), CAR] for x in (0.0, 1.0, 2.0)])
    assert all(step.traced for step in done)
    assert model.world.scene.counts.commits == 1
    nearest = [points_of(step, 2)["x"].min() for step in done]
    np.testing.assert_allclose(np.diff(nearest), -1.0, atol=1e-4)


def test_objects_come_and_go():
    _, done = steps([[host()], [host(), CAR], [host()]])
    assert [len(points_of(step, 2)) > 0 for step in done] == [False, True, False]
    assert done[0].scans[0].cloud.points.tobytes() == done[2].scans[0].cloud.points.tobytes()


def test_objects_that_stay_are_not_touched_when_another_one_comes_or_the_list_is_reordered():
    still = Thing(3, (25.0, 3.0, 0.75))
    model, done = steps([[host(), CAR, still], [host(), still, CAR], [host(), still]])
    counts = model.world.scene.counts
    assert [step.traced for step in done] == [True, False, True]
    assert (counts.poses_set, counts.instances_added, counts.commits) == (0, 3, 2)


def test_a_model_stepped_to_a_state_equals_one_that_starts_there():
    rng = np.random.default_rng(5)
    worlds = [
        [host(x_m=0.3 * i)]
        + [
            Thing(10 + k, (15.0 + 2 * k, *rng.uniform(-8, 8, 1), 0.75), rng.uniform(-3, 3))
            for k in range(6)
            if rng.random() < 0.7
        ]
        for i in range(12)
    ]
    _, done = steps(worlds)
    for index in (3, 7, 11):
        # the ground is laid under the first frame's objects, which stand equally high here
        _, (afresh,) = steps([worlds[index]])
        assert len(points_of(afresh)) == len(points_of(done[index]))
        got, expected = points_of(done[index]), points_of(afresh)
        np.testing.assert_allclose(got["range"], expected["range"], rtol=1e-6)
        np.testing.assert_array_equal(got["object_id"], expected["object_id"])


def test_a_flat_sign_is_a_thin_box_and_a_point_is_left_out():
    sign = Thing(5, (15.0, 0.0, 2.0), dimension_m=(0.0, 0.8, 0.8), kind="traffic_sign")
    nothing = Thing(6, (10.0, 0.0, 1.0), dimension_m=(0.0, 0.0, 0.0))
    model, (step,) = steps([[host(), sign, nothing]])
    assert len(points_of(step, 5)) > 3
    assert len(points_of(step, 6)) == 0
    used = {one.object_ids[0]: one.used for one in model.fallbacks if one.object_ids}
    assert used == {5: "box 0.00 x 0.80 x 0.80 m", 6: "nothing"}


def test_an_impossible_object_is_left_out_counted_and_listed():
    broken = Thing(9, (float("nan"), 0.0, 0.0))
    model, done = steps([[host(), CAR, broken]] * 3)
    assert len(points_of(done[0], 2)) > 0
    (fallback,) = [one for one in model.fallbacks if 9 in one.object_ids]
    assert fallback.times == 3
    assert "base.position.x is nan" in fallback.reason


def test_ids_of_64_bits_make_a_wide_column():
    wide = Thing(2**40 + 7, (20.0, 0.0, 0.75))
    _, (step,) = steps([[host(), wide]])
    points = points_of(step)
    assert points.dtype["object_id"] == np.uint64
    assert set(points["object_id"]) == {2**40 + 7, NO_OBJECT}


def test_without_any_host_a_mounting_is_a_pose_in_the_world():
    _, (step,) = steps([[Thing(3, (20.0, 0.0, 0.75), kind="stationary_object")]], host_id=None)
    assert points_of(step, 3)["x"].min() == pytest.approx(18.0, abs=1e-4)


def test_a_host_that_is_missing_in_a_frame_keeps_its_last_pose(caplog):
    _, done = steps([[host(x_m=5.0), CAR], [CAR]])
    assert "missing in some frames" in caplog.text
    first, second = (points_of(step, 2) for step in done)
    np.testing.assert_array_equal(first, second)


def test_several_sensors_see_the_same_scene():
    grid = config().sensors[0].pattern.model_dump()
    sensors = [
        {"name": "left", "pattern": grid, "mounting": {"y_m": 1.0}},
        {"name": "right", "pattern": grid, "mounting": {"y_m": -1.0, "yaw_deg": 10.0}},
    ]
    model, (step,) = steps([[host(), CAR]], config(sensors=sensors))
    assert [scan.sensor for scan in step.scans] == ["left", "right"]
    left, right = (points_of(step, 2, sensor) for sensor in (0, 1))
    turn = np.radians(10.0)
    back = xyz(right) @ np.array(
        [[np.cos(turn), np.sin(turn), 0], [-np.sin(turn), np.cos(turn), 0], [0, 0, 1]]
    )
    assert xyz(left)[:, 0].min() == pytest.approx(back[:, 0].min(), abs=1e-3)
    message = SensorData.FromString(step.sensor_data)
    assert [s.header.sensor_id.value for s in message.feature_data.lidar_sensor] == [0, 1]
    assert [s.header.mounting_position.position.y for s in message.feature_data.lidar_sensor] == [
        1.0,
        -1.0,
    ]
    assert model.n_rays_traced == 2 * model.lidars[0].pattern.n_beams


def test_an_unknown_default_material_is_one_line_with_a_near_match():
    with one_line(ConfigurationError, match=r"materials.default: .*did you mean .lambertian_50"):
        LidarModel(config(materials={"default": "lambertian50"}))


def test_the_same_input_gives_the_same_bytes():
    worlds = [[host(x_m=x), CAR] for x in (0.0, 0.5)]
    _, one = steps(worlds)
    _, two = steps(worlds)
    assert [step.sensor_data for step in one] == [step.sensor_data for step in two]
    assert frames(worlds)[0].host.object_id == HOST_ID


def test_two_models_in_two_threads_give_what_each_gives_alone():
    """As two FMUs in a master that steps them at the same time."""
    worlds = [[host(x_m=0.2 * i), Thing(2, (20.0 + 0.1 * i, 0.5, 0.75))] for i in range(30)]
    _, alone = steps(worlds)
    with ThreadPoolExecutor(2) as pool:
        together = [run.result() for run in [pool.submit(steps, worlds) for _ in range(2)]]
    for _, done in together:
        assert [step.sensor_data for step in done] == [step.sensor_data for step in alone]
