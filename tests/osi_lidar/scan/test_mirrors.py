# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Beams off mirrors: where the ghosts stand, what comes back from them, and where beams end."""

import math

import numpy as np
import pytest

from osi_lidar.errors import ConfigurationError
from osi_lidar.scan import light_path
from raycore.records import Shots
from tests.builders.clouds import points_before, points_seen, xyz
from tests.builders.meshes import quad
from tests.builders.messages import Thing, frames, host
from tests.builders.refusals import one_line
from tests.builders.threads import kernel_threads
from tests.builders.worlds import FAN, RULES, config, model_before

BEHIND_M = -10.0
MIRROR_M = 5.0
PATH_M = 2 * MIRROR_M - BEHIND_M
"""Forward to the mirror, and back past the sensor to the wall behind it."""
SHARE = 0.9**2
"""What a mirror of 90 % leaves, there and back."""
PANE = ((1 - 0.04) / (1 + 0.04)) ** 2
"""What a pane of n = 1.5 leaves at the normal, there and back."""
WIDE_M = 100.0


def wall(x_m=BEHIND_M, turn_deg=0.0, half_m=WIDE_M):
    return quad(x_m, turn_deg, half_m), "Wall"


def mirror(x_m=MIRROR_M, turn_deg=0.0, half_m=30.0):
    return quad(x_m, turn_deg, half_m), "Mirror"


def directions(points):
    """Return unit vectors of the beams, float64 (n, 3)."""
    return xyz(points) / np.linalg.norm(xyz(points), axis=1, keepdims=True)


def upright_normal(turn_deg):
    """Return the normal of an upright rectangle that is turned about z."""
    turn = math.radians(turn_deg)
    return np.array([math.cos(turn), math.sin(turn), 0.0])


def test_a_wall_behind_the_sensor_appears_at_its_mirror_image(tmp_path):
    points = points_before(tmp_path, [mirror(), wall()], **FAN)
    bare = points_before(tmp_path, [wall(PATH_M)], **FAN)
    assert len(points) == len(bare) > 5000
    for field in ("ring", "column", "material_id"):
        np.testing.assert_array_equal(points[field], bare[field])
    for field in ("range", "x", "y", "z"):
        np.testing.assert_allclose(points[field], bare[field], rtol=5e-7, atol=1e-6)
    np.testing.assert_allclose(points["x"], PATH_M, rtol=5e-7)
    np.testing.assert_allclose(
        points["reflectivity"], np.float32(SHARE) * bare["reflectivity"], rtol=1e-6
    )


@pytest.mark.parametrize("wall_turn_deg", [0.0, 12.5])
@pytest.mark.parametrize("turn_deg", [-41.0, 17.3, 66.0])
def test_a_ghost_lies_in_the_mirrored_plane(tmp_path, turn_deg, wall_turn_deg):
    """Range of the plane n . p = c, of which the mirror makes n - 2 (n . m) m."""
    normal, across = upright_normal(wall_turn_deg), upright_normal(turn_deg)
    mirrored = normal - 2 * (normal @ across) * across
    distance = normal[0] * BEHIND_M - 2 * (across[0] * MIRROR_M) * (normal @ across)
    surfaces = [mirror(turn_deg=turn_deg), wall(turn_deg=wall_turn_deg)]
    points = points_before(tmp_path, surfaces, **FAN)
    ways = directions(points)
    off_mirror_m = across[0] * MIRROR_M / (ways @ across)
    seen = (points["range"] > off_mirror_m) & (off_mirror_m > 0)
    assert seen.sum() > 100
    # an angle is off by what float32 leaves of a normal, a range by as much over the cosine
    error = points["range"] * (ways @ mirrored) / distance - 1.0
    assert (np.abs(error * (ways @ mirrored))[seen] < 5e-7).all()


def test_normal_and_incidence_are_those_of_the_last_leg(tmp_path):
    (point,) = points_before(tmp_path, [mirror(), wall(turn_deg=30.0)])
    assert point["range"] == pytest.approx(PATH_M, rel=1e-6)
    normal = [point[f"normal_{axis}"] for axis in "xyz"]
    assert normal == pytest.approx(upright_normal(30.0), abs=1e-6)
    expected = 0.8 * math.cos(math.radians(30.0)) * SHARE
    assert point["reflectivity"] == pytest.approx(expected, rel=1e-6)


def test_the_target_s_object_and_material_are_reported_not_the_mirror_s(tmp_path):
    target = Thing(17, (BEHIND_M - 1.0, 0.0, 0.0), dimension_m=(2.0, 2.0, 2.0))
    target.kind = "stationary_object"
    model = model_before(tmp_path, [mirror()], rules={**RULES, "box": "lambertian_20"})
    (points,) = points_seen(model, [target])
    (point,) = points
    assert point["object_id"] == 17
    assert model.world.materials.table(905.0).names[point["material_id"]] == "lambertian_20"
    assert point["x"] == pytest.approx(PATH_M, rel=1e-6)


@pytest.mark.parametrize("max_bounces", [0, 1, 2, 3, 4])
def test_between_two_mirrors_a_beam_goes_on_up_to_its_last_bounce(tmp_path, max_bounces):
    """Unfolded, mirrors at 5 and -3 stand at 5, 13, 21 .. and a side wall stays at y = 4."""
    side = [(-3.0, 4.0, -9.0), (5.0, 4.0, -9.0), (5.0, 4.0, 9.0), (-3.0, 4.0, 9.0)]
    forward_m = np.array([4.9, 5.1, 12.9, 13.1, 20.9, 21.1, 28.9, 29.1, 36.9, 37.1])
    azimuth = np.arctan2(4.0, forward_m)
    pairs = [[angle, 0.0] for angle in np.degrees(azimuth).tolist()]
    pattern = {"kind": "pairs", "azimuth_elevation_deg": pairs}
    surfaces = [mirror(5.0), mirror(-3.0), (side, "Wall")]
    points = points_before(tmp_path, surfaces, pattern=pattern, max_bounces=max_bounces)
    bounces = np.array([0, 1, 1, 2, 2, 3, 3, 4, 4, 5])
    seen = bounces <= max_bounces
    assert points["column"].tolist() == np.flatnonzero(seen).tolist()
    np.testing.assert_allclose(points["y"], 4.0, rtol=1e-5)
    np.testing.assert_allclose(points["x"], forward_m[seen], rtol=1e-5)
    expected = 0.8 * np.sin(azimuth[seen]) * SHARE ** bounces[seen]
    np.testing.assert_allclose(points["reflectivity"], expected, rtol=1e-4)


def test_two_mirrors_at_a_right_angle_send_a_beam_back_to_where_it_came_from(tmp_path):
    """A corner is a point mirror of the beams' plane: p becomes (10, 0) - p."""
    angles_deg = [-30.0, -10.0, 3.0, 22.0]
    pairs = [[angle, 0.0] for angle in angles_deg]
    pattern = {"kind": "pairs", "azimuth_elevation_deg": pairs}
    surfaces = [mirror(turn_deg=45.0, half_m=60.0), mirror(turn_deg=-45.0, half_m=60.0), wall()]
    points = points_before(tmp_path, surfaces, pattern=pattern)
    assert len(points) == 4
    np.testing.assert_allclose(points["x"], PATH_M, rtol=1e-6)
    expected = 0.8 * np.cos(np.radians(angles_deg)) * SHARE**2
    np.testing.assert_allclose(points["reflectivity"], expected, rtol=1e-4)


def test_a_physical_sensor_sees_normals_as_the_image_in_all_mirrors_has_them(tmp_path):
    """The image in a corner of mirrors is turned by 180 degrees, that in one mirror is flipped."""
    corner = [mirror(turn_deg=turn_deg, half_m=60.0) for turn_deg in (45.0, -45.0)]
    pattern = {"kind": "pairs", "azimuth_elevation_deg": [[-10.0, 0.0], [22.0, 0.0]]}
    for mirrors, image in ((corner, (-1.0, -1.0, 1.0)), ([mirror()], (-1.0, 1.0, 1.0))):
        surfaces = [*mirrors, wall(turn_deg=30.0)]
        points = points_before(tmp_path, surfaces, pattern=pattern, fidelity="physical")
        assert len(points) == 2
        found = np.stack([points[f"normal_{axis}"] for axis in "xyz"], axis=1)
        np.testing.assert_allclose(found, [image * upright_normal(30.0)] * 2, atol=1e-5)


def test_a_path_longer_than_the_range_gives_no_point(tmp_path):
    for longest_m, expected in ((PATH_M - 1e-3, 0), (PATH_M + 1e-3, 1)):
        found = points_before(tmp_path, [mirror(), wall()], max_range_m=longest_m)
        assert len(found) == expected


def test_a_mirror_that_sees_nothing_gives_no_point(tmp_path):
    assert len(points_before(tmp_path, [mirror()], **FAN)) == 0


def test_the_range_limit_counts_the_total_path_and_what_the_mirror_leaves(tmp_path):
    """80 % is seen to 100 m, 80 * 0.81 = 64.8 % to 60 + 54.8 * 40 / 70 = 91.3 m."""
    limit = {"pairs": [[10, 60], [80, 100]], "fit": "linear"}
    limit_m = 60.0 + (80.0 * SHARE - 10.0) * 40.0 / 70.0
    for path_m, expected in ((limit_m - 0.01, 1), (limit_m + 0.01, 0)):
        surfaces = [mirror(), wall(2 * MIRROR_M - path_m)]
        assert len(points_before(tmp_path, surfaces, range_limit=limit)) == expected


def test_the_nearest_range_counts_the_total_path(tmp_path):
    surfaces = [mirror(0.5), wall(-3.0)]
    (point,) = points_before(tmp_path, surfaces, min_range_m=2.0)
    assert point["range"] == pytest.approx(4.0, rel=1e-6)
    assert len(points_before(tmp_path, surfaces, min_range_m=4.01)) == 0


def test_a_pane_before_a_mirror_is_passed_on_both_ways(tmp_path):
    surfaces = [(quad(3.0), "Pane"), mirror(), wall()]
    (point,) = points_before(tmp_path, surfaces)
    assert point["range"] == pytest.approx(PATH_M, rel=1e-6)
    assert point["reflectivity"] == pytest.approx(0.8 * PANE**2 * SHARE, rel=1e-5)


def test_a_pane_behind_the_sensor_is_passed_after_the_mirror(tmp_path):
    surfaces = [mirror(), (quad(-3.0), "Pane"), (quad(-4.0), "Pane"), wall()]
    (point,) = points_before(tmp_path, surfaces)
    assert point["range"] == pytest.approx(PATH_M, rel=1e-6)
    assert point["reflectivity"] == pytest.approx(0.8 * PANE**2 * SHARE, rel=1e-5)


def test_mirrors_panes_and_what_is_not_there_go_together(tmp_path):
    rules = {**RULES, "Air": "transparent", "Black": "absorber"}
    aside = [(quad(3.0), "Pane"), mirror(), (quad(-2.0), "Air"), wall()]
    (point,) = points_before(tmp_path, aside, rules=rules)
    assert point["reflectivity"] == pytest.approx(0.8 * PANE**2 * SHARE, rel=1e-5)
    assert len(points_before(tmp_path, [*aside, (quad(-5.0), "Black")], rules=rules)) == 0


@pytest.mark.parametrize("mirror_m", [0.3, 5.0, 180.0])
@pytest.mark.parametrize("turn_deg", [80.0, 88.0, 89.5])
def test_a_beam_along_a_mirror_does_not_meet_it_again(tmp_path, turn_deg, mirror_m):
    across = upright_normal(turn_deg)
    ahead = upright_normal(0.0)
    way = ahead - 2 * (ahead @ across) * across
    far_m = mirror_m + 30.0
    surfaces = [mirror(mirror_m, turn_deg, half_m=900.0), wall(far_m, half_m=900.0)]
    points = points_before(tmp_path, surfaces)
    assert len(points) == 1
    assert points["range"][0] == pytest.approx(mirror_m + 30.0 / way[0], rel=1e-5)


def test_the_sensor_s_pose_changes_nothing(tmp_path):
    turned = {"x_m": 2.0, "y_m": -1.0, "z_m": 0.5, "roll_deg": 4, "pitch_deg": -7, "yaw_deg": 33}
    model = model_before(tmp_path, [mirror(half_m=90.0), wall()], mounting=turned, **FAN)
    (points,) = points_seen(model)
    pose = model.last_scans["front"].end_pose
    world = xyz(points) @ pose[:3, :3].T + pose[:3, 3]
    assert len(points) > 5000
    np.testing.assert_allclose(world[:, 0], PATH_M, rtol=3e-6)


def test_beams_beside_a_mirror_are_untouched_and_all_stay_in_the_order_of_their_beams(tmp_path):
    front = wall(20.0)
    bare = points_before(tmp_path, [front], **FAN)
    seen = points_before(tmp_path, [mirror(half_m=1.0), wall(), front], **FAN)
    np.testing.assert_array_equal(seen["column"], bare["column"])
    np.testing.assert_array_equal(seen["ring"], bare["ring"])
    off = (np.abs(5 * bare["y"] / bare["x"]) < 1) & (np.abs(5 * bare["z"] / bare["x"]) < 1)
    assert 100 < off.sum() < len(bare) - 1000
    np.testing.assert_array_equal(seen[~off], bare[~off])
    np.testing.assert_allclose(seen["x"][off], PATH_M, rtol=1e-6)


def test_the_range_of_a_ghost_is_its_distance(tmp_path):
    model = model_before(tmp_path, [mirror(), wall()], **FAN)
    (points,) = points_seen(model)
    distance = np.linalg.norm(xyz(points), axis=1)
    np.testing.assert_allclose(points["range"], distance, rtol=3e-7)


def test_threads_do_not_change_a_bit_off_mirrors(tmp_path):
    surfaces = [mirror(5.0, 40.0, 2.0), mirror(6.0, -30.0, 3.0), (quad(4.0, 10.0, 1.0), "Pane")]
    surfaces += [wall(), wall(20.0)]
    with kernel_threads(2):
        many = points_before(tmp_path, surfaces, **FAN)
    with kernel_threads(1):
        one = points_before(tmp_path, surfaces, **FAN)
    assert len(many) > 5000
    np.testing.assert_array_equal(one, many)


def test_a_scene_without_a_mirror_or_pane_is_traced_once(tmp_path, monkeypatch):
    def never(*_arguments, **_options):
        raise AssertionError("there is nothing that light goes on from")

    monkeypatch.setattr(light_path, "send_on", never)
    model = model_before(tmp_path, [wall(20.0)], **FAN)
    assert not model.world.library.slots.has_mirrors
    assert len(points_seen(model)[0]) > 5000


@pytest.mark.parametrize("value", [-1, 65, 1.5, True, "4"])
def test_bounces_that_cannot_be_are_refused(value):
    sensor = {"preset": "VLP-16", "max_bounces": value}
    with pytest.raises(ValueError, match="max_bounces"):
        config(sensors=[sensor])


def test_a_mirror_of_more_than_100_percent_is_one_line(tmp_path):
    define = {"looking_glass": {"class": "mirror", "reflectance": 1.2}}
    with one_line(ConfigurationError, match="expected at most 1 for a mirror"):
        model_before(tmp_path, [mirror()], define=define)


def test_some_rays_keep_their_own_values_and_what_is_shared():
    shots = Shots(
        origin_m=np.zeros((1, 3), np.float32),
        direction=np.array([[1, 4, 7], [2, 5, 8], [3, 6, 9]], np.float32),
        time=np.array([0.0, 0.5, 1.0], np.float32),
        start_m=np.zeros(1, np.float32),
        moment=np.array([0, 1, 2], np.uint32),
        weight=np.ones(1, np.float32),
        max_range_m=100.0,
        coherent=True,
    )
    some = shots.rows(np.array([2, 0]))
    assert some.time.tolist() == [1.0, 0.0]
    assert some.moment.tolist() == [2, 0]
    assert some.direction.T.tolist() == [[7.0, 8.0, 9.0], [1.0, 2.0, 3.0]]
    assert some.origin_m.shape == (1, 3)
    assert some.start_m.shape == (1,)
    assert some.max_range_m == 100.0


def test_a_ghost_stands_still_beside_a_sensor_that_drives(tmp_path):
    """Each beam meets the mirror from where the sensor is when it is fired."""
    sensor = {"preset": "VLP-16", "name": "front", "deskew": True, "range_limit": None}
    model = model_before(tmp_path, [mirror(half_m=90.0), wall()], sensors=[sensor])
    (_, step) = [model.step(frame) for frame in frames([[host(y_m=y_m)] for y_m in (0.0, 3.0)])]
    (scan,) = step.scans
    pose = model.last_scans["front"].end_pose
    world = xyz(scan.deskewed) @ pose[:3, :3].T + pose[:3, 3]
    ghosts = (scan.cloud.points["x"] > 0) & (np.abs(scan.cloud.points["y"]) < 60.0)
    assert ghosts.sum() > 5000
    np.testing.assert_allclose(world[ghosts, 0], PATH_M, atol=1e-4)
    # at the middle of its turn the sensor is half way, with 1.5 m to go
    middle = np.flatnonzero(scan.cloud.points["time_ns"] == 50_000_000)[0]
    shift_m = scan.deskewed["y"][middle] - scan.cloud.points["y"][middle]
    assert shift_m == pytest.approx(-1.5, abs=1e-3)
