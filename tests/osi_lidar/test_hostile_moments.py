# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Time that does not go on, hosts that vanish, rates that do not fit, sensors beside each other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from osi_lidar import LidarModel
from osi_lidar.config import Config
from osi_lidar.run.replay import scan
from raycore.errors import PatternError
from raycore.pattern.curves import rosette
from raycore.pattern.scan_pattern import from_pairs
from tests.builders.clouds import xyz
from tests.builders.messages import Thing, frames, host
from tests.builders.worlds import config, steps

WALL = Thing(8, (0.0, 10.0, 0.0), dimension_m=(400.0, 0.2, 20.0), kind="stationary_object")
ROSETTE = {"kind": "rosette", "radius_deg": 25, "radial_hz": 33, "rotation_hz": 7, "pulse_hz": 4000}
CAMERA = {"kind": "camera", "width": 16, "height": 9, "horizontal_fov_deg": 80}


def sensors(*entries):
    """Return a configuration of these sensors, which see all as far as they reach."""
    mounting = {"x_m": 1.2, "z_m": 0.45}
    whole = [{"range_limit": None, "mounting": mounting, **entry} for entry in entries]
    return config(sensors=whole, scene={"ground": "none"})


def beams(name="s", pattern=ROSETTE, **changes):
    return {"name": name, "pattern": pattern, **changes}


def at_times(worlds, times_s):
    """Return frames of worlds at some times."""
    pairs = zip(worlds, times_s, strict=True)
    return [frames([things, things], step_s=time_s)[1] for things, time_s in pairs]


def told(model, kind):
    return [f"{each.used}: {each.reason}" for each in model.fallbacks if each.kind == kind]


def scans_of(model, worlds, step_s):
    return [scan for frame in frames(worlds, step_s=step_s) for scan in model.step(frame).scans]


def blinking_world(k):
    """Return a world in which all moves, one object comes and goes, and the host is lost."""
    things = [Thing(9, (15 + 0.3 * k, 2.0, 0.75), yaw_rad=0.1 * k), WALL]
    if k % 4 != 1:
        things.append(Thing(10, (20 - 0.5 * k, -2.0, 0.75)))
    return things if 5 <= k <= 8 else [host(x_m=0.7 * k, yaw_rad=0.02 * k), *things]


TOGETHER = [
    {"preset": "VLP-16", "name": "each"},
    {"preset": "VLP-16", "name": "own-rate", "timing": "sensor_rate", "deskew": True},
    {"preset": "VLP-16", "name": "still", "rolling_shutter": False, "motion_blur": False},
    {"preset": "VLP-16", "name": "fast", "timing": "sensor_rate", "rotation_rate_hz": 20,
     "rolling_shutter": False},
    beams("curve", timing="sensor_rate", rotation_rate_hz=7, noise={"range_sigma_m": 0.1}),
    beams("camera", CAMERA, motion_blur=False),
]  # fmt: skip


@pytest.fixture(scope="module")
def together():
    worlds = [blinking_world(k) for k in range(14)]
    return worlds, scans_of(LidarModel(sensors(*TOGETHER)), worlds, 0.04)


@pytest.mark.parametrize("one", TOGETHER, ids=lambda one: one["name"])
def test_a_sensor_sees_in_company_what_it_sees_alone(together, one):
    worlds, all_scans = together
    alone = scans_of(LidarModel(sensors(one)), worlds, 0.04)
    beside = [each for each in all_scans if each.sensor == one["name"]]
    assert len(alone) == len(beside) > 2
    for expected, got in zip(alone, beside, strict=True):
        assert (got.number, got.begin_ns, got.end_ns) == (
            expected.number, expected.begin_ns, expected.end_ns
        )  # fmt: skip
        # the origin of float32 coordinates is where the first of all sensors first was
        points, others = expected.cloud.points, got.cloud.points
        assert abs(len(points) - len(others)) <= 2
        if len(points) == len(others):
            assert_allclose(xyz(others), xyz(points), atol=1e-4)


@pytest.mark.parametrize("timing", ["per_message", "sensor_rate"])
def test_a_host_that_is_missing_stays_where_it_was_last(timing):
    ahead = Thing(9, (30.0, 0.0, 0.0), dimension_m=(0.2, 200.0, 20.0), kind="stationary_object")
    worlds = [[host(x_m=float(k)), ahead] for k in range(3)] + [[ahead]] * 3
    model = LidarModel(sensors({"preset": "VLP-16", "name": "s", "timing": timing}))
    for last in scans_of(model, worlds, 0.1)[-2:]:
        assert_allclose(last.cloud.points["x"], 29.9 - 2.0, atol=1e-3)


@pytest.mark.parametrize(
    ("times_s", "of_turns", "of_instants"),
    [
        ((0.0, 0.1, 0.1), *[["the last of them: at the time of the message before"]] * 2),
        ((5.0, 5.1, 5.0), ["no motion: it begins a new run, at an earlier time"], []),
        ((0.0, 0.1, 1.2), ["no motion: it comes more than 1 s after the previous message"], []),
    ],
    ids=["repeated", "backwards", "pause"],
)
def test_a_message_that_does_not_go_on_from_the_one_before_is_told(times_s, of_turns, of_instants):
    worlds = [[host(x_m=float(k)), WALL] for k in range(3)]
    for sensor, lines in (
        ({"preset": "VLP-16"}, of_turns),
        (beams("s", CAMERA), of_instants),
    ):
        model = LidarModel(sensors(sensor))
        for frame in at_times(worlds, times_s):
            model.step(frame)
        assert told(model, "message") == lines


@pytest.mark.parametrize(
    ("turn_rad", "elsewhere"),
    [(np.pi, True), (-np.pi, True), (1.3, True), (1.2, False)],
    ids=["half round", "half round, clockwise", "over two turns a second", "less"],
)
def test_what_turns_too_fast_is_put_elsewhere(turn_rad, elsewhere):
    """Such as a heading that flips: nobody can say which way round, and no car turns so."""
    worlds = [[host(), Thing(9, (12.0, 0.0, 0.75), yaw_rad=yaw_rad)] for yaw_rad in (0.0, turn_rad)]
    model, done = steps(worlds, sensors({"preset": "VLP-16"}))
    assert bool(told(model, "object")[1:]) == elsewhere  # the first one is the missing mesh
    _, at_rest = steps(worlds, sensors({"preset": "VLP-16", "motion_blur": False}))
    same = np.array_equal(done[1].scans[0].cloud.points, at_rest[1].scans[0].cloud.points)
    assert same == elsewhere


@pytest.mark.parametrize("timing", ["per_message", "sensor_rate"])
def test_a_scan_too_long_for_the_times_of_its_points_is_refused(timing):
    slow = {"rotation_rate_hz": 0.2, "timing": timing}
    with pytest.raises(PatternError, match=r"a scan takes 5 s, expected at most 4.29 s"):
        LidarModel(sensors(beams(**slow)))
    for fits in (
        beams(timing=timing, rotation_rate_hz=0.234),
        beams(**slow, rolling_shutter=False, motion_blur=False),
        beams(pattern=CAMERA, **slow),
    ):
        LidarModel(sensors(fits))


@pytest.mark.parametrize(("rate_hz", "step_s"), [(1.0, 0.1), (10.0, 1.5)], ids=["slow", "pauses"])
def test_a_sensor_that_has_not_completed_a_scan_is_told(rate_hz, step_s):
    model = LidarModel(sensors(beams(timing="sensor_rate", rotation_rate_hz=rate_hz)))
    assert told(model, "sensor") == []
    assert scans_of(model, [[host(), WALL]] * 4, step_s) == []
    (line,) = told(model, "sensor")
    assert line == f"no scan: a scan takes {1 / rate_hz:g} s, and the messages cover less"


def test_a_static_scene_is_scanned_at_once_whatever_the_timing(tmp_path):
    entry = {"preset": "VLP-16", "timing": "sensor_rate"}
    report = scan(Config.model_validate({"sensors": [entry]}), tmp_path / "out")
    assert report.content["points"] > 1000
    assert (tmp_path / "out" / "VLP-16" / "000000.pcd").is_file()


def test_scans_of_a_second_source_do_not_take_the_numbers_of_the_first():
    model = LidarModel(sensors({"preset": "VLP-16", "timing": "sensor_rate"}))
    worlds = [[host(), WALL]] * 3
    first = scans_of(model, worlds, 0.1)
    model.restart()
    second = scans_of(model, worlds, 0.1)
    assert [each.number for each in (*first, *second)] == [0, 1, 2, 3]


def test_a_pattern_of_another_duration_is_refused_at_the_sensors_rate():
    model = LidarModel(sensors(beams(timing="sensor_rate")))
    curve = {"radius_rad": 0.4, "radial_rate_hz": 33.0, "rotation_rate_hz": 7.0}
    faster = rosette(**curve, pulse_rate_hz=4000.0, period_s=0.05, start_s=0.0)
    model.lidars[0].use_pattern(faster)
    with pytest.raises(PatternError, match=r"takes 0.05 s per scan, expected 0.1 s"):
        scans_of(model, [[host(), WALL]] * 2, 0.1)
    # beams that all fire at once fit any scan
    model.lidars[0].use_pattern(from_pairs(azimuth_rad=[1.5], elevation_rad=[0.0]))
    (seen, *_) = scans_of(model, [[host(), WALL]] * 2, 0.1)
    assert len(seen.cloud.points) == 1
