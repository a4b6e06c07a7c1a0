# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Radial velocity of points: closed forms, noise, folding, and what is as before without it."""

import json
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from osi3.osi_sensordata_pb2 import SensorData
from scipy import stats

from lidar_app.conformance.bench import Verdict, chosen, judge_scene
from lidar_app.conformance.sheet import DataSheet
from lidar_app.conformance.subjects.own_model import ModelSubject
from osi_lidar.scan.velocity.doppler_kernels import SEVERAL
from osi_lidar.scan.velocity.meter import VelocityMeter
from tests.builders.beams import BEAM, FAR, SEES, SIGMA_R_M
from tests.builders.clouds import xyz
from tests.builders.meshes import quad, write_quads
from tests.builders.messages import Thing, frames, host
from tests.builders.threads import kernel_threads
from tests.builders.worlds import DEFINE, FAN, RULES, config, model_before, steps
from tests.osi_lidar.scan.test_mirrors import mirror, upright_normal

STEP_S = 0.1
MM_S = 1e-3
LINES = {"preset": "VLP-16"}
FOOTPRINT = {"preset": "VLP-16", "fidelity": "physical", "noise": None}
PHYSICAL = {**FOOTPRINT, "beam": None}
CAMERA = {
    "pattern": {"kind": "camera", "width": 40, "height": 20, "horizontal_fov_deg": 60},
    "max_range_m": 100,
}
AXLE = np.array([-1.2, 0.0, -0.45])
"""The rear axle in the frame of the host's box."""
NO_GROUND = {"ground": "none"}


def meter(base=LINES, *, velocity=True, **changes):
    """Return a configuration of one sensor that measures velocities."""
    sensor = {"name": "front", "mounting": {"x_m": 1.2, "z_m": 0.45}, "range_limit": None}
    return config(sensors=[{**sensor, **base, "velocity": velocity, **changes}], scene=NO_GROUND)


def last_scan(worlds, configuration):
    """Return the last scan of a model that has seen some worlds."""
    return steps(worlds, configuration)[1][-1].scans[0]


def velocities(scan, object_id):
    """Return velocity, place and time [s] of the points of an object, in the sensor frame."""
    points = scan.cloud.points
    mine = points["object_id"] == object_id
    assert mine.sum() > 20
    true_m = scan.cloud.true_xyz_m
    place = xyz(points) if true_m is None else true_m
    when = np.full(len(points), STEP_S)
    if "time_ns" in points.dtype.names:
        when = points["time_ns"] * 1e-9
    return points["radial_velocity"][mine], place[mine].astype(float), when[mine]


def along(place):
    """Return unit vectors from the sensor to places."""
    return place / np.linalg.norm(place, axis=1, keepdims=True)


def turn(yaw_rad):
    """Return a rotation about z."""
    c, s = math.cos(yaw_rad), math.sin(yaw_rad)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


WALL = Thing(9, (20.0, 0.0, 0.75), dimension_m=(0.2, 30.0, 6.0))


@pytest.mark.parametrize("base", [PHYSICAL, CAMERA])
def test_boxes_that_come_nearer_and_go_away(base):
    """The scene of the bench, for other kinds of sensors than the tests of the bench have."""
    kind = "instant" if base is CAMERA else "rotating"
    sheet = DataSheet(
        name="meter",
        field_of_view={"azimuth_deg": (-30.0, 30.0), "elevation_deg": (-15.0, 15.0)},
        range_m=(0.5, 100.0),
        margins={"velocity_m_s": MM_S},
        mounting={"x_m": 1.2, "z_m": 0.45},
        scan={"kind": kind},
    )
    result = judge_scene(ModelSubject(meter(base)), sheet, *chosen(["radial_velocity"]))
    assert result.verdict is Verdict.PASSED, (result.note, result.findings)


@pytest.mark.parametrize("base", [LINES, PHYSICAL, CAMERA])
def test_a_sensor_that_drives_towards_a_wall(base):
    worlds = [[host(x_m=1.5 * k), WALL] for k in range(3)]
    found, place, _ = velocities(last_scan(worlds, meter(base)), 9)
    assert_allclose(found, 15.0 * along(place)[:, 0], atol=MM_S)


def test_a_beam_with_a_footprint_has_the_mean_over_it():
    """It is that of its axis, but at the edges, where part of the beam passes the wall."""
    points = last_scan([[host(x_m=1.5 * k), WALL] for k in range(3)], meter(FOOTPRINT)).cloud.points
    points = points[points["object_id"] == 9]
    off_m_s = np.abs(points["radial_velocity"] - 15.0 * along(xyz(points))[:, 0])
    assert np.median(off_m_s) < MM_S
    assert off_m_s.max() < 0.05


@pytest.mark.long
@pytest.mark.parametrize("refine", [False, True])
def test_rays_that_need_not_be_looked_at_change_nothing(monkeypatch, refine):
    """Beams that have met one thing that is no object are known to rest."""
    car, post = (4.5, 1.8, 1.5), (0.1, 0.1, 3.0)
    worlds = [
        [
            host(x_m=1.5 * k),
            Thing(9, (20.0 - 1.0 * k, 1.0, 0.75), dimension_m=car),
            Thing(10, (12.0, -1.0 + 0.3 * k, 1.5), dimension_m=post),
        ]
        for k in range(3)
    ]
    beam = {"beam": {"divergence_deg": 0.2, "sub_rays": 16, "refine": refine}}
    sensor = meter({**FOOTPRINT, **beam}).sensors[0]
    on_ground = config(sensors=[sensor], weather={"rain_mm_h": 20})
    usual = last_scan(worlds, on_ground).cloud.points
    looks = VelocityMeter._looks
    kinds = []

    def all_looked_at(meter, *met):
        found = looks(meter, *met)
        kinds.append(found.kind)
        return found._replace(kind=np.maximum(found.kind, SEVERAL))

    monkeypatch.setattr(VelocityMeter, "_looks", all_looked_at)
    assert_array_equal(last_scan(worlds, on_ground).cloud.points, usual)
    assert {*np.unique(kinds[-1])} == ({0, 1, 2} if refine else {0, 1})
    assert len(np.unique(usual["radial_velocity"][usual["object_id"] == 9])) > 20


@pytest.mark.parametrize("switch", ["rolling_shutter", "motion_blur"])
def test_velocities_do_not_depend_on_how_motion_is_seen(switch):
    worlds = [
        [host(x_m=1.5 * k), Thing(9, (20.0 + 0.5 * k, 0.0, 0.75), dimension_m=(0.2, 30.0, 6.0))]
        for k in range(3)
    ]
    found, place, _ = velocities(last_scan(worlds, meter(**{switch: False})), 9)
    assert_allclose(found, 10.0 * along(place)[:, 0], atol=MM_S)


@pytest.mark.parametrize("base", [LINES, CAMERA])
def test_a_car_that_turns_as_it_drives(base):
    """A point p of a body at c has the velocity c' + w x (p - c)."""
    speed_m_s, spin_rad_s, begin_m = np.array([3.0, 4.0, 0.0]), 0.9, np.array([15.0, -1.0, 0.75])
    worlds = [
        [host(), Thing(9, tuple(begin_m + speed_m_s * STEP_S * k), yaw_rad=spin_rad_s * STEP_S * k)]
        for k in range(3)
    ]
    found, place, when = velocities(last_scan(worlds, meter(base)), 9)
    sensor_m = host().position_m + AXLE + [1.2, 0.0, 0.45]
    arm = place + sensor_m - begin_m - speed_m_s * (STEP_S + when[:, None])
    velocity = speed_m_s + np.cross([0.0, 0.0, spin_rad_s], arm)
    assert np.ptp(found) > 0.5
    assert_allclose(found, -(velocity * along(place)).sum(axis=1), atol=MM_S)


@pytest.mark.parametrize("base", [LINES, CAMERA])
def test_a_sensor_that_turns_and_an_object_that_drives(base):
    """The sensor stands beside the centre of its vehicle, which it is turned about."""
    spin_rad_s, lever_m = 0.6, np.array([1.2, 0.8, 0.0])
    worlds = [
        [
            host(yaw_rad=spin_rad_s * STEP_S * k),
            Thing(9, (20.0, 0.2 * k, 0.75), dimension_m=(0.2, 30.0, 6.0)),
        ]
        for k in range(3)
    ]
    mounting = {"x_m": 1.2 + lever_m[0], "y_m": lever_m[1], "z_m": 0.45, "yaw_deg": 10}
    found, place, when = velocities(last_scan(worlds, meter(base, mounting=mounting)), 9)
    yaw = spin_rad_s * (STEP_S + when)
    turned = zip(yaw, along(place), strict=True)
    in_world = np.array([turn(a + math.radians(10)) @ d for a, d in turned])
    own = np.array([turn(a) @ np.cross([0.0, 0.0, spin_rad_s], lever_m) for a in yaw])
    relative = np.array([0.0, 2.0, 0.0]) - own
    assert_allclose(found, -(relative * in_world).sum(axis=1), atol=MM_S)


@pytest.mark.parametrize("base", [LINES, PHYSICAL, CAMERA])
def test_what_rests_has_none_if_the_sensor_rests(base):
    points = last_scan([[host(), WALL]] * 3, meter(base)).cloud.points
    assert len(points)
    assert_array_equal(points["radial_velocity"], 0.0)


def test_what_stops_has_none_from_then_on():
    """Scene and poses are those of the scan before, in which the wall still moved."""
    places = (20.0, 21.0, 22.0, 22.0)
    worlds = [[host(), Thing(9, (x, 0.0, 0.75), dimension_m=(0.2, 30.0, 6.0))] for x in places]
    _, done = steps(worlds, meter(CAMERA))
    found = [each.scans[0].cloud.points["radial_velocity"] for each in done]
    assert [bool(np.abs(each).max() > 5.0) for each in found] == [False, True, True, False]


def test_a_mixed_beam_has_the_mean_of_its_power():
    """Half of each beam at an edge falls on a plate that moves, half on a wall right behind it."""
    worlds = [
        [
            host(),
            Thing(9, (20.0, 0.0, 0.75), dimension_m=(0.2, 30.0, 6.0)),
            Thing(10, (19.88, 1.0 * k, 0.75), dimension_m=(0.02, 4.0, 6.0)),
        ]
        for k in range(2)
    ]
    beam = {"beam": {"divergence_deg": 0.3, "sub_rays": 128}, "returns": {"mode": "strongest"}}
    one = meter({"preset": "VLP-16", **beam}, motion_blur=False)
    points = last_scan(worlds, one).cloud.points
    side = 10.0 * np.sin(np.arctan2(points["y"], points["x"]))
    share = -points["radial_velocity"] / side
    share = share[(points["x"] > 0) & (np.abs(points["y"]) > 0.5)]
    assert (np.abs(share) < 1e-3).any()
    assert ((share > 0.2) & (share < 0.8)).any()
    assert (share < 1.01).all()


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize("gap_m", [0.2, 0.3, 0.45])
def test_a_mixed_echo_weighs_its_surfaces_by_their_distance_from_itself(gap_m, noise):
    """Two plates in half of the beam each: at its range r both count by exp(-(r - r_i)^2 / 2 s^2).

    A standard deviation of the range moves the point, not the light that is in it.
    """
    speed_m_s, plate_m = 10.0, (0.02, 4.0, 6.0)
    worlds = [
        [
            host(),
            Thing(9, (20.01 + speed_m_s * STEP_S * (1 - k), 2.0, 0.75), dimension_m=plate_m),
            Thing(10, (20.01 + gap_m, -2.0, 0.75), dimension_m=plate_m),
        ]
        for k in range(2)
    ]
    noisy = {"range_sigma_m": 0.3} if noise else None
    both = {"pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0, 0]] * 20}, "noise": noisy}
    beam = {"beam": {**BEAM, "sub_rays": 128}, "receiver": SEES, "range_limit": FAR}
    scan = last_scan(worlds, meter(both, **beam))
    points = scan.cloud.points
    echo_m = 20.0 + 0.5 * gap_m - 0.01 if noise else points["range"].astype(float)
    assert np.ptp(points["range"]) > 0.5 if noise else np.ptp(points["range"]) < 0.02
    off = (echo_m - 20.0, echo_m - 20.0 - gap_m)
    near, far = (np.exp(-0.5 * np.square(each / SIGMA_R_M)) for each in off)
    found = np.sort(points["radial_velocity"])
    assert_allclose(found, speed_m_s * near / (near + far), atol=0.15)


@pytest.mark.parametrize("fidelity", ["ideal", "physical"])
@pytest.mark.parametrize("turn_deg", [0.0, 20.0])
def test_what_a_mirror_shows_has_the_change_of_the_whole_way(tmp_path, turn_deg, fidelity):
    """On its last leg light goes along e - 2 (e . m) m, with the normal m of the mirror."""
    across, moves = upright_normal(turn_deg), np.array([3.0, -8.0, 0.0])
    sensor = {**FAN, "velocity": True, "fidelity": fidelity, "noise": None}
    model = model_before(tmp_path, [mirror(turn_deg=turn_deg)], **sensor)
    start = np.array([-9.0, 2.0, 0.0])
    still = host(x_m=1.2, z_m=0.45)  # its rear axle is at the origin
    worlds = [
        [still, Thing(9, tuple(start + STEP_S * k * moves), dimension_m=(8.0, 30.0, 8.0))]
        for k in range(3)
    ]
    step = [model.step(frame) for frame in frames(worlds)][-1]
    found, place, _ = velocities(step.scans[0], 9)
    ways = along(place)
    last = ways - 2.0 * (ways @ across)[:, None] * across
    assert_allclose(found, -(last @ moves), atol=MM_S)


@pytest.mark.parametrize("host_rad_s", [0.0, 0.8])
@pytest.mark.parametrize(
    ("base", "atol"),
    [
        (FAN, MM_S),
        ({**FAN, "fidelity": "physical", "noise": None}, MM_S),
        (LINES, MM_S),
        (PHYSICAL, MM_S),
        (FOOTPRINT, 0.3),  # it has the mean over it
    ],
    ids=["fan", "physical fan", "lines", "physical lines", "footprint"],
)
def test_a_mirror_that_moves_and_turns_changes_the_way(tmp_path, base, atol, host_rad_s):
    """Finite differences of the distance to the mirror image of a point that is fixed to a wall.

    Lines fire one after another: each meets the mirror as it is then.
    """
    mesh = write_quads(tmp_path / "mirror.obj", [(quad(0.0, half_m=1.0), "Mirror")])
    (tmp_path / "map.yaml").write_text(json.dumps({"materials": RULES, "define": DEFINE}))
    one = {"match": {"id": 8}, "mesh": str(mesh), "up": "z", "forward": "x"}
    setting = config(
        sensors=meter(base).sensors,
        scene={**NO_GROUND, "objects": [one]},
        materials={"mapping": str(tmp_path / "map.yaml")},
    )
    begin_m, drives, spin = np.array([6.0, 0.5, 0.0]), np.array([-4.0, 2.0, 0.0]), 3.0
    wall_m, comes = np.array([-9.0, 2.0, 0.0]), np.array([3.0, -8.0, 0.0])

    def world(k):
        at = STEP_S * k
        plate = Thing(8, tuple(begin_m + drives * at), yaw_rad=spin * at - 0.25)
        wall = Thing(9, tuple(wall_m + comes * at), dimension_m=(8.0, 60.0, 20.0))
        return [host(z_m=0.0, yaw_rad=host_rad_s * at), plate, wall]  # the sensor is at the origin

    def image(place, at):
        across = np.array([upright_normal(math.degrees(spin * each - 0.25)) for each in at])
        off = ((place - begin_m - drives * at[:, None]) * across).sum(axis=1)
        return place - 2.0 * off[:, None] * across

    found, place, when = velocities(last_scan([world(k) for k in range(3)], setting), 9)
    ahead = place[:, 0] > 0.0  # the wall itself is behind
    found, place, at, half_s = found[ahead], place[ahead], STEP_S + when[ahead], 1e-5
    turned = zip(host_rad_s * at, place, strict=True)
    on_wall = image(np.array([turn(yaw_rad) @ each for yaw_rad, each in turned]), at)
    late, early = (
        np.linalg.norm(image(on_wall + comes * part, at + part), axis=1)
        for part in (half_s, -half_s)
    )
    assert np.ptp(found) > 1.0
    assert_allclose(found, -(late - early) / (2.0 * half_s), atol=atol)


def test_noise_is_normal_by_its_sigma_and_anew_in_each_scan():
    configuration = meter({"preset": "OS1-128"}, velocity={"sigma_m_s": 0.05})
    _, done = steps([[host(), WALL]] * 2, configuration)
    first, second = (each.scans[0].cloud.points["radial_velocity"] for each in done)
    for found in (first, second):
        assert stats.kstest(found / 0.05, "norm").pvalue > 1e-3
    assert (first != second).all()


@pytest.mark.parametrize("base", [LINES, FOOTPRINT])
def test_the_number_of_threads_changes_nothing(base):
    configuration = meter(base, velocity={"sigma_m_s": 0.1, "ambiguity_m_s": 20.0})
    worlds = [
        [host(x_m=1.5 * k), Thing(9, (8.0 + k, 1.0, 0.75), yaw_rad=0.1 * k)] for k in range(2)
    ]
    found = []
    for n in (1, 2):
        with kernel_threads(n):
            found.append(last_scan(worlds, configuration).cloud.points.tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("speed_m_s", [12.0, -12.0, 3.0])
def test_velocities_are_folded(speed_m_s):
    worlds = [
        [host(), Thing(9, (20.0 + speed_m_s * STEP_S * k, 0.0, 0.75), dimension_m=(0.2, 30.0, 6.0))]
        for k in range(2)
    ]
    found, place, _ = velocities(last_scan(worlds, meter(velocity={"ambiguity_m_s": 10.0})), 9)
    true = -speed_m_s * along(place)[:, 0]
    assert (np.abs(found) <= 5.0).all()
    assert_allclose((found - true + 5.0) % 10.0 - 5.0, 0.0, atol=MM_S)


@pytest.mark.parametrize("base", [LINES, PHYSICAL])
def test_sensor_data_has_it_and_the_rest_is_as_without(base):
    worlds = [[host(x_m=1.5 * k), WALL] for k in range(3)]
    with_it = steps(worlds, meter(base))[1][-1]
    without = steps(worlds, meter(base, velocity=False))[1][-1]
    points, others = with_it.scans[0].cloud.points, without.scans[0].cloud.points
    assert points.dtype.names == (*others.dtype.names, "radial_velocity")
    for name in others.dtype.names:
        assert_array_equal(points[name], others[name])
    told, plain = (
        SensorData.FromString(each.sensor_data).feature_data.lidar_sensor[0].detection
        for each in (with_it, without)
    )
    assert [each.radial_velocity for each in told] == points["radial_velocity"].tolist()
    assert not any(each.HasField("radial_velocity") for each in plain)
    for one, other in zip(told, plain, strict=True):
        one.ClearField("radial_velocity")
        assert one == other
