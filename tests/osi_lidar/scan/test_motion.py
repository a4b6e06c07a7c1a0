# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Time within a scan: a sensor that drives, objects that move, and scans at the sensor's rate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from osi_lidar import LidarModel
from osi_lidar.config.scene import Teleport
from osi_lidar.world.history import LONGEST_GAP_NS
from raycore.pattern.scan_pattern import from_pairs
from raycore.records import NOTHING, Shots
from raycore.trace.embree_tracer import EmbreeTracer
from tests.builders.clouds import xyz
from tests.builders.messages import Thing, frames, host
from tests.builders.worlds import config, steps

SPEED_M_S, PERIOD_S = 30.0, 0.1
WAY_M = SPEED_M_S * PERIOD_S
WALL = Thing(8, (0.0, 10.0, 0.0), dimension_m=(400.0, 0.2, 20.0), kind="stationary_object")
PLATE_M = 2.0


def scanner(preset="OS1-128", **changes):
    """Return a configuration of one rotating sensor, at the height of the objects' centres."""
    sensor = {"preset": preset, "name": "front", "mounting": {"x_m": 1.2, "z_m": 0.45}, **changes}
    sensor.setdefault("range_limit", None)
    scene = {"ground": "none"}
    return config(sensors=[sensor], scene=scene)


def share(points):
    """Return when points were measured, 0 to 1 within a scan of a tenth of a second."""
    return points["time_ns"].astype(float) / (1e9 * PERIOD_S)


def driving(*others, n=2):
    """Return worlds in which the host drives along x, 3 m from message to message."""
    return [[host(x_m=WAY_M * k), *others] for k in range(n)]


def one_scan(worlds, configuration):
    """Return the last scan of a model that has seen some worlds, and the model."""
    model, done = steps(worlds, configuration)
    return done[-1].scans[0], model


@pytest.mark.parametrize("preset", ["OS1-128", "VLP-16"])
def test_a_wall_beside_a_sensor_that_drives_is_skewed_by_three_metres(preset):
    scan, _ = one_scan(driving(WALL), scanner(preset, deskew=True))
    points = scan.cloud.points
    measured, deskewed = xyz(points), xyz(scan.deskewed)
    assert_allclose(measured[:, 1], 9.9, atol=1e-4)
    # seen from the end of the scan, the wall stands still and each point slides back
    expected_m = -WAY_M * (1.0 - share(points))
    assert_allclose(deskewed[:, 0] - measured[:, 0], expected_m, atol=2e-3)
    assert_allclose(deskewed[:, 1:], measured[:, 1:], atol=2e-3)


def plates(speed_m_s):
    """Return worlds in which a thin plate passes beside a sensor that stands."""
    way_m = speed_m_s * PERIOD_S
    return [
        [host(), Thing(9, (x_m, 1.0, 0.75), dimension_m=(PLATE_M, 0.02, 3.0))]
        for x_m in (-way_m / 2, way_m / 2)
    ]


def seen_from(scan):
    """Return the span of a plate along x, as the middle ring sees it."""
    points = scan.cloud.points
    mine = xyz(points)[(points["object_id"] == 9) & (np.abs(points["z"]) < 0.1)]
    return np.ptp(mine[:, 0])


def test_without_motion_blur_an_actor_is_as_long_as_it_is_and_where_it_ends():
    configuration = scanner("VLP-16", motion_blur=False)
    scan, _ = one_scan(plates(30.0), configuration)
    points = scan.cloud.points
    assert PLATE_M - 0.02 < seen_from(scan) <= PLATE_M + 1e-4  # less by two columns at most
    x = points["x"][points["object_id"] == 9]
    assert (x.max() + x.min()) / 2 == pytest.approx(WAY_M / 2, abs=0.01)


def test_without_rolling_shutter_the_sensor_is_where_it_is_at_the_end():
    ahead = Thing(9, (30.0, 0.0, 0.0), dimension_m=(0.2, 200.0, 20.0), kind="stationary_object")
    still, _ = one_scan(driving(ahead), scanner(rolling_shutter=False))
    assert_allclose(still.cloud.points["x"], 29.9 - WAY_M, atol=1e-4)


def test_each_switch_acts_alone():
    """The sensor drives, and an actor ahead drives with it: their distance never changes."""
    worlds = [
        [host(x_m=x_m), Thing(9, (20.0 + x_m, 0.0, 0.75), dimension_m=(0.2, 60.0, 3.0))]
        for x_m in (0.0, WAY_M)
    ]
    near_m = 19.9

    def spread(**switches):
        points = one_scan(worlds, scanner(**switches))[0].cloud.points
        return points["x"].min() - near_m, points["x"].max() - near_m

    assert_allclose(spread(), (0, 0), atol=1e-3)
    assert_allclose(spread(rolling_shutter=False, motion_blur=False), (0, 0), atol=1e-3)
    low, high = spread(motion_blur=False)  # only the sensor moves: it comes nearer
    assert 0.5 < low < high < WAY_M
    low, high = spread(rolling_shutter=False)  # only the actor moves
    assert -WAY_M < low < high < -0.5


def room():
    """Return four walls, seen from within."""
    size = {(1, 0): (0.2, 80.0, 30.0), (0, 1): (80.0, 0.2, 30.0)}
    return [
        Thing(10 + n, (40.0 * x, 40.0 * y, 0.0), dimension_m=size[abs(x), abs(y)],
              kind="stationary_object")
        for n, (x, y) in enumerate([(1, 0), (-1, 0), (0, 1), (0, -1)])
    ]  # fmt: skip


def test_deskewing_a_static_world_gives_what_an_instant_scan_sees():
    worlds = [[host(x_m=WAY_M * k, y_m=0.4 * k, yaw_rad=0.3 * k), *room()] for k in range(2)]
    scan, model = one_scan(worlds, scanner(deskew=True))
    deskewed = xyz(scan.deskewed)
    assert len(deskewed) > 50_000
    range_m = np.linalg.norm(deskewed, axis=1)
    pattern = from_pairs(
        azimuth_rad=np.arctan2(deskewed[:, 1], deskewed[:, 0]),
        elevation_rad=np.arcsin(deskewed[:, 2] / range_m),
    )
    shots = Shots(
        origin_m=np.zeros((1, 3), np.float32),
        direction=np.ascontiguousarray(pattern.direction.T),
        time=np.zeros(1, np.float32),
        start_m=np.zeros(1, np.float32),
        moment=np.zeros(1, np.uint32),
        weight=np.ones(1, np.float32),
        max_range_m=200.0,
        coherent=False,
    )
    hits = EmbreeTracer().trace(model.world.scene, shots, model.last_scans["front"].end_pose)
    assert (hits.instance != NOTHING).all()
    assert_allclose(hits.range_m, range_m, atol=1e-4)
    skewed = np.abs(xyz(scan.cloud.points) - deskewed).max()
    assert skewed > 2.0


def test_a_step_after_a_motion_is_traced_once_more_and_then_no_more():
    x_m = [0, 0, 0, 1, 1, 1, 1]
    _, done = steps([[host(x_m=x), WALL] for x in x_m], scanner("VLP-16"))
    assert [step.traced for step in done] == [True, False, False, True, True, False, False]
    still = scanner("VLP-16", rolling_shutter=False, motion_blur=False)
    _, done = steps([[host(x_m=x), WALL] for x in x_m], still)
    assert [step.traced for step in done] == [True, False, False, True, False, False, False]


def test_the_first_message_is_an_instant_with_the_sensors_own_times():
    _, (first,) = steps([[host(), WALL]], scanner())
    scan = first.scans[0]
    assert scan.begin_ns == scan.end_ns
    assert scan.cloud.points["time_ns"].max() < 1e8


@pytest.mark.parametrize(
    "jump_m", [Teleport().speed_m_s * PERIOD_S + 0.1, 5000.0], ids=["just too fast", "teleport"]
)
def test_what_is_put_elsewhere_does_not_move_through_the_scan(jump_m):
    ahead = Thing(9, (6000.0, 0.0, 0.0), dimension_m=(0.2, 200.0, 20.0), kind="stationary_object")
    worlds = [[host(x_m=5900.0 - jump_m), ahead], [host(x_m=5900.0), ahead]]
    scan, _ = one_scan(worlds, scanner())
    assert_allclose(scan.cloud.points["x"], 99.9, atol=1e-3)
    worlds = [
        [host(), Thing(9, (20.0 + x_m, 0.0, 0.75), dimension_m=(0.2, 60.0, 3.0))]
        for x_m in (jump_m, 0.0)
    ]
    scan, model = one_scan(worlds, scanner())
    assert_allclose(scan.cloud.points["x"], 19.9, atol=1e-3)
    (told,) = [each for each in model.fallbacks if each.used == "no motion"]
    assert "jumps, faster than scene.teleport allows: 400 m/s" in told.reason


@pytest.mark.parametrize(
    ("stated", "moves"), [((), False), ((0,), True), ((1,), True), ((0, 1), True)]
)
def test_a_velocity_that_either_message_states_tells_motion_from_a_jump(stated, moves):
    """An object that starts or stops states its speed in only one of the two."""
    worlds = plates(SPEED_M_S)
    for n in stated:
        worlds[n][1].velocity_m_s = (SPEED_M_S, 0.0, 0.0)
    teleport = {"speed_m_s": 0.5 * SPEED_M_S}
    setting = config(sensors=scanner().sensors, scene={"ground": "none", "teleport": teleport})
    scan, model = one_scan(worlds, setting)
    assert any(each.used == "no motion" for each in model.fallbacks) != moves
    middle = scan.cloud.points[scan.cloud.object_id == 9]["x"].mean()
    assert (middle < 0.3 * WAY_M) == moves


def test_after_a_long_pause_or_a_step_back_in_time_a_scan_is_an_instant():
    ahead = Thing(9, (30.0, 0.0, 0.0), dimension_m=(0.2, 200.0, 20.0), kind="stationary_object")
    worlds = [[host(x_m=0.0), ahead], [host(x_m=3.0), ahead]]
    for pause_s in (1e-9 * LONGEST_GAP_NS + 0.1, -0.1, 0.0):
        model = LidarModel(scanner())
        model.step(frames(worlds[:1] * 2, step_s=1.0)[1])
        scan = model.step(frames(worlds, step_s=1.0 + pause_s)[1]).scans[0]
        assert_allclose(scan.cloud.points["x"], 26.9, atol=1e-3)


def test_an_object_that_appears_within_a_scan_is_where_it_is_at_its_end():
    worlds = [[host()], [host(), Thing(9, (20.0, 0.0, 0.75))], [host()]]
    _, done = steps(worlds, scanner())
    counts = [int((step.scans[0].cloud.object_id == 9).sum()) for step in done]
    assert counts[0] == counts[2] == 0
    assert counts[1] > 20


def test_messages_that_are_unevenly_spaced_are_interpolated_at_their_times():
    """At the sensor's rate: the host stands, then drives; scans end between messages."""
    ahead = Thing(9, (30.0, 0.0, 0.0), dimension_m=(0.2, 200.0, 20.0), kind="stationary_object")
    time_s = [0.0, 0.03, 0.09, 0.11, 0.19, 0.21]
    model = LidarModel(scanner(timing="sensor_rate", rotation_rate_hz=10))
    scans = []
    for index, time in enumerate(time_s):
        frame = frames([[host(x_m=SPEED_M_S * time), ahead]] * 2, step_s=time or 1.0)[time > 0]
        scans += model.step(frame).scans
        assert frame.time_ns == round(1e9 * time)
        assert len(scans) == (0, 0, 0, 1, 1, 2)[index]
    for number, scan in enumerate(scans):
        assert (scan.number, scan.begin_ns) == (number, number * 10**8)
        points = scan.cloud.points
        expected_m = 29.9 - SPEED_M_S * (0.1 * number + 1e-9 * points["time_ns"])
        assert_allclose(points["x"], expected_m, atol=1e-3)


@pytest.mark.parametrize("rate_hz", [8, 9.5, 11, 12.5, 20])
def test_a_beam_meets_a_moving_object_where_it_is_then_however_long_scans_take(rate_hz):
    """Scans end with the messages, a tenth of a second apart, and begin between them."""
    worlds = [
        [host(), Thing(9, (20.0 + WAY_M * k, 0.0, 0.75), dimension_m=(0.2, 60.0, 20.0))]
        for k in range(4)
    ]
    scan, _ = one_scan(worlds, scanner("VLP-16", rotation_rate_hz=rate_hz))
    assert scan.end_ns - scan.begin_ns == pytest.approx(1e9 / rate_hz, abs=1.0)
    points = scan.cloud.points
    assert len(points) > 500
    when_s = 1e-9 * (scan.begin_ns + points["time_ns"].astype(float))
    assert_allclose(points["x"], 19.9 + SPEED_M_S * when_s, atol=1e-3)


def test_moving_objects_are_interpolated_at_the_sensors_rate():
    model = LidarModel(scanner(timing="sensor_rate", rotation_rate_hz=10))
    scans = []
    for k in range(21):  # 100 Hz, on a circle that the messages draw as a polygon
        angle = 0.04 * k
        thing = Thing(
            9, (20 * np.cos(angle), 20 * np.sin(angle), 0.75), yaw_rad=angle,
            dimension_m=(0.2, 3.0, 3.0),
        )  # fmt: skip
        (frame,) = frames([[host(), thing], [host(), thing]], step_s=0.01 * k)[1:]
        scans += model.step(frame).scans
    assert [scan.end_ns for scan in scans] == [10**8, 2 * 10**8]
    for scan in scans:
        points = scan.cloud.points
        when = 1e-9 * (scan.begin_ns + points["time_ns"].astype(float))
        place = xyz(points)[:, :2]
        angle = 0.04 * 100 * when
        # the face is 0.1 m nearer than the centre, which is on the circle but for the polygon
        along = place @ np.array([1, 0]) * np.cos(angle) + place @ np.array([0, 1]) * np.sin(angle)
        assert len(points) > 20
        assert_allclose(along, 19.9, atol=0.02)


@pytest.mark.parametrize("host_m_s", [0.0, 5.0])
@pytest.mark.parametrize("rate_hz", [8, 20])
def test_without_motion_blur_a_scan_that_ends_between_messages_sees_all_as_it_is_then(
    rate_hz, host_m_s
):
    """A wide plate drives and turns, and perhaps the host drives, too."""
    still = {"motion_blur": False, "rolling_shutter": False}
    rate = {"timing": "sensor_rate", "rotation_rate_hz": rate_hz}
    worlds = [
        [
            host(x_m=host_m_s * time_s),
            Thing(9, (20.0 + 10.0 * time_s, 0.0, 0.75), dimension_m=(0.2, 60.0, 3.0),
                  yaw_rad=0.2 * time_s),
        ]
        for time_s in (0.0, PERIOD_S, 2 * PERIOD_S, 3 * PERIOD_S)
    ]  # fmt: skip
    _, done = steps(worlds, scanner("VLP-16", **rate, **still))
    scans = [scan for step in done for scan in step.scans]
    assert [scan.end_ns for scan in scans] == [
        10**9 * (1 + number) // rate_hz for number in range(len(scans))
    ]
    assert len(scans) == 3 * rate_hz // 10
    for scan in scans:
        points, end_s = scan.cloud.points, 1e-9 * scan.end_ns
        assert len(points) > 500
        angle, ahead_m = 0.2 * end_s, 20.0 + (10.0 - host_m_s) * end_s
        off_m = (points["x"] - ahead_m) * np.cos(angle) + points["y"] * np.sin(angle)
        assert_allclose(off_m, -0.1, atol=1e-3)


def test_a_fast_sensor_scans_several_times_between_two_messages():
    model = LidarModel(scanner("VLP-16", timing="sensor_rate", rotation_rate_hz=20))
    done = [model.step(frame) for frame in frames(driving(WALL, n=4))]
    assert [len(step.scans) for step in done] == [0, 2, 2, 2]
    numbers = [scan.number for step in done for scan in step.scans]
    assert numbers == list(range(6))
    first = model.step(frames(driving(WALL, n=4))[0])  # time starts anew
    assert first.scans == ()


def test_before_the_first_scan_is_complete_there_is_no_detection():
    model = LidarModel(scanner("VLP-16", timing="sensor_rate", rotation_rate_hz=5))
    sizes = [len(model.step(frame).sensor_data) for frame in frames([[host(), WALL]] * 4)]
    assert sizes[0] == pytest.approx(sizes[1], abs=20)
    assert sizes[2] > 1000 * 20
    assert sizes[3] == pytest.approx(sizes[2], abs=20)


def test_two_sensors_share_what_one_would_move():
    """Objects are moved once for both, and a scan after the motion is the last one."""
    sensor = {"preset": "VLP-16", "range_limit": None}
    both = config(sensors=[{**sensor, "name": "a"}, {**sensor, "name": "b"}])
    x_m = [20, 20, 22, 24, 24, 24]
    worlds = [[host(), Thing(9, (x, 0.0, 0.75))] for x in x_m]
    model, done = steps(worlds, both)
    assert [step.traced for step in done] == [True, False, True, True, True, False]
    alone, _ = steps(worlds, config(sensors=[{**sensor, "name": "a"}]))
    assert model.scene_counts == alone.scene_counts


ALIKE = {"preset": "VLP-16", "columns": 60, "range_limit": None}
OF_SENSORS = {
    "usual": {},
    "at_once": {"motion_blur": False, "rolling_shutter": False},
    "sharp": {"motion_blur": False},
    "still": {"rolling_shutter": False},
    "fast": {"rotation_rate_hz": 20},
    "own_pace": {"rotation_rate_hz": 8, "timing": "sensor_rate"},
}


@pytest.mark.parametrize("order", [sorted(OF_SENSORS), sorted(OF_SENSORS)[::-1]])
def test_each_of_several_sensors_sees_what_it_would_see_alone(order):
    """A car passes and turns, one stops, and one waits; all scans show the same objects."""

    def world(k):
        passing = Thing(8, (12.0 - WAY_M * k, 4.0, 0.75), yaw_rad=0.2 * k)
        stopping = Thing(9, (15.0 + min(k, 1), -4.0, 0.75))
        return [host(x_m=0.5 * k), passing, stopping, Thing(10, (20.0, 0.0, 0.75))]

    worlds = [world(k) for k in range(4)]
    sensors = {name: {**ALIKE, "name": name, **OF_SENSORS[name]} for name in order}
    _, together = steps(worlds, config(sensors=[*sensors.values()]))
    for name, sensor in sensors.items():
        _, alone = steps(worlds, config(sensors=[sensor]))
        for step, expected in zip(together, alone, strict=True):
            found = [scan for scan in step.scans if scan.sensor == name]
            assert len(found) == len(expected.scans)
            for one, other in zip(found, expected.scans, strict=True):
                assert_allclose(xyz(one.cloud.points), xyz(other.cloud.points), atol=1e-4)
                assert (one.cloud.object_id == other.cloud.object_id).all()
