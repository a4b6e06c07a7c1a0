# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Texture as sensors see it: fixed to surfaces, the same from everywhere, drawn by the seed."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from material_mapping.texture import Texture
from osi_bridge import NO_OBJECT
from osi_lidar import LidarModel
from osi_lidar.errors import ConfigurationError
from osi_lidar.scan.texture_kernels import write_keys
from tests.builders.clouds import points_of, xyz
from tests.builders.meshes import quad, write_quads
from tests.builders.messages import Thing, frames, host
from tests.builders.threads import kernel_threads
from tests.builders.worlds import AT_ORIGIN, WALL_GRID, config, steps

SPREAD, LENGTH_M, BRIGHT = 0.4, 0.8, 0.3
TEXTURE = Texture(spread=SPREAD, scales=((1.0, LENGTH_M),))
FLAT = [[angle_deg, BRIGHT] for angle_deg in (0, 90)]
"""As bright at every angle, so that a reflectivity is the texture's gain times this."""
QUIET = {"amplitude_noise": False, "precision": []}
PHYSICAL = {"fidelity": "physical", "beam": {"divergence_deg": 0.05}, "receiver": QUIET}


def world(folder, *sensors, seed=3, wall=True, texture=True):
    """A configuration of sensors before a textured wall, 10 m ahead, and of textured objects."""
    material = {"reflectance": FLAT, "wavelength_nm": 905}
    if texture:
        material["texture"] = {"spread": SPREAD, "correlation_m": LENGTH_M}
    (folder / "materials.yaml").write_text(
        json.dumps({"define": {"rough": material}, "materials": {"*": "rough"}})
    )
    mesh = write_quads(folder / "wall.obj", [(quad(10.0), "Wall")])
    environment = [{"mesh": str(mesh), "up": "z", "forward": "x"}] if wall else []
    one = {"pattern": WALL_GRID, "mounting": AT_ORIGIN, "range_limit": None, "texture": True}
    return config(
        sensors=[{**one, "name": f"s{n}", **each} for n, each in enumerate(sensors)],
        scene={"environment": environment, "ground": "none"},
        materials={"mapping": str(folder / "materials.yaml")},
        seed=seed,
    )


def test_materials_without_a_texture_have_that_of_the_configuration(tmp_path):
    """The same bytes as if the material stated it; a sensor that ignores textures sees none."""
    _, (of_file,) = steps([[]], world(tmp_path, {}), host_id=None)
    plain = world(tmp_path, {}, {"texture": False}, texture=False).model_dump(mode="json")
    plain["materials"]["texture"] = {"spread": SPREAD, "correlation_m": LENGTH_M}
    given = config(**plain)
    assert config(**given.resolved()) == config(**given.model_dump()) == given
    _, (step,) = steps([[]], given, host_id=None)
    seen, unseen = (points_of(step, sensor=number) for number in (0, 1))
    assert seen.tobytes() == points_of(of_file).tobytes()
    assert_allclose(unseen["reflectivity"], BRIGHT, rtol=1e-6)


def test_a_texture_of_the_configuration_that_cannot_be_is_one_line(tmp_path):
    plain = world(tmp_path, {}, texture=False).model_dump(mode="json")
    plain["materials"]["texture"] = {"spread": 3.0, "correlation_m": 1.0}
    with pytest.raises(
        ConfigurationError, match=r"materials\.texture\.spread: got 3, expected 0 to 2"
    ):
        LidarModel(config(**plain))


def block(object_id, x_m, y_m, yaw_rad=0.0):
    """A textured box of the size of a car that is no vehicle."""
    return Thing(object_id, (x_m, y_m, 0.0), yaw_rad, kind="stationary_object")


def key_of(seed, object_id=NO_OBJECT):
    """The key of an object's texture."""
    found = np.empty(1, np.uint64)
    write_keys(np.uint64(seed), np.array([object_id], np.uint64), found)
    return int(found[0])


def gains(points):
    return points["reflectivity"].astype(float) / BRIGHT


def in_frame(points, x_m=0.0, y_m=0.0, yaw_rad=0.0):
    """Places of points in the frame of an object that stands at a place before the sensor."""
    x, y, z = (xyz(points) - (x_m, y_m, 0.0)).T
    cosine, sine = np.cos(yaw_rad), np.sin(yaw_rad)
    return np.stack([cosine * x + sine * y, cosine * y - sine * x, z], axis=1)


@pytest.mark.parametrize("sensor", [{}, {"receiver": QUIET}, PHYSICAL])
def test_a_wall_has_the_stated_texture_in_the_frame_of_the_world(tmp_path, sensor):
    _, (step,) = steps([[]], world(tmp_path, sensor), host_id=None)
    points = points_of(step)
    assert len(points) > 12_000
    stated = TEXTURE.gains(xyz(points), key_of(3))
    assert_allclose(gains(points), stated, rtol=2e-2)
    assert np.median(np.abs(gains(points) / stated - 1.0)) < 1e-3
    assert np.log(gains(points)).std() == pytest.approx(SPREAD, rel=0.25)


def test_two_sensors_see_the_same_texture_at_the_same_place(tmp_path):
    """From 3 m apart, one of them physical, at another wavelength."""
    aside = {**PHYSICAL, "mounting": {**AT_ORIGIN, "y_m": 3.0}, "wavelength_nm": 940}
    _, (step,) = steps([[]], world(tmp_path, {}, aside), host_id=None)
    first, second = (points_of(step, sensor=n) for n in (0, 1))
    places = [xyz(first), xyz(second) + (0.0, 3.0, 0.0)]
    order = [np.linalg.norm(places[0] - place, axis=1).argmin() for place in places[1][::50]]
    near = np.linalg.norm(places[0][order] - places[1][::50], axis=1) < 0.03
    assert near.sum() > 100
    pair = [np.log(gains(first)[order][near]), np.log(gains(second)[::50][near])]
    assert np.corrcoef(*pair)[0, 1] > 0.99


@pytest.mark.long
def test_its_variogram_is_the_stated_one(tmp_path):
    _, (step,) = steps([[]], world(tmp_path, {}), host_id=None)
    here, place = np.log(gains(points_of(step))), xyz(points_of(step))
    chosen = np.random.default_rng(0).permutation(len(here))[:3000]
    apart_m = np.linalg.norm(place[chosen, None] - place[None, chosen[:1000]], axis=2)
    half_square = 0.5 * (here[chosen, None] - here[None, chosen[:1000]]) ** 2
    for distance_m in (0.2, 0.5, 0.8, 1.2):
        same = np.abs(apart_m - distance_m) < 0.05
        stated = SPREAD**2 * (1.0 - TEXTURE.correlation(distance_m))
        assert half_square[same].mean() == pytest.approx(stated, rel=0.3)  # of one wall


@pytest.mark.parametrize("sensor", [{}, PHYSICAL], ids=["ideal", "physical"])
def test_an_object_carries_its_texture_along(tmp_path, sensor):
    places = [(7.0, 0.0, 0.0), (6.0, 1.5, 0.0), (7.0, -2.0, 0.6)]
    worlds = [[block(5, *place)] for place in places]
    _, done = steps(worlds, world(tmp_path, {**sensor, "motion_blur": False}, wall=False),
                    host_id=None)  # fmt: skip
    for step, (x, y, yaw) in zip(done, places, strict=True):
        points = points_of(step)
        stated = TEXTURE.gains(in_frame(points, x, y, yaw), key_of(3, 5))
        off = np.abs(gains(points) / stated - 1.0)
        assert np.median(off) < 2e-3
        assert (off < 0.02).mean() > 0.75  # the beams of the others are not filled by one face
        assert np.log(stated).std() > 0.1


def test_also_while_it_moves_and_turns_within_a_scan(tmp_path):
    times, turn_rad = np.arange(4), 0.12
    worlds = [[host(), Thing(5, (12.0 + k, 0.0, 0.75), turn_rad * k)] for k in times]
    sensor = {"preset": "OS1-128", "pattern": None, "mounting": {"x_m": 1.2, "z_m": 0.45}}
    _, done = steps(worlds, world(tmp_path, sensor, wall=False))
    points = done[-1].scans[0].cloud.points
    points = points[points["object_id"] == 5]
    share = points["time_ns"].astype(float) / 1e8
    x_m, yaw_rad = 14.0 + share, turn_rad * (2.0 + share)
    place = np.stack(
        [
            np.cos(yaw_rad) * (points["x"] - x_m) + np.sin(yaw_rad) * points["y"],
            np.cos(yaw_rad) * points["y"] - np.sin(yaw_rad) * (points["x"] - x_m),
            points["z"].astype(float),
        ],
        axis=1,
    )
    stated = TEXTURE.gains(place, key_of(3, 5))
    assert len(points) > 500
    assert np.corrcoef(np.log(gains(points)), np.log(stated))[0, 1] > 0.999


def test_objects_of_one_mesh_and_seeds_have_textures_of_their_own(tmp_path):
    things = [block(5, 10.0, -1.5), block(6, 10.0, 1.5)]
    found = []
    for seed in (3, 4):
        _, (step,) = steps([things], world(tmp_path, {}, wall=False, seed=seed), host_id=None)
        for thing in things:
            points = points_of(step, thing.object_id)
            front = points[points["normal_x"] < -0.9]
            near = np.abs(xyz(front)[:, 1] - thing.position_m[1]) < 0.8
            found.append(np.log(gains(front[near])).mean())
    assert np.abs(np.subtract.outer(found, found))[np.triu_indices(4, 1)].min() > 1e-3


@pytest.mark.parametrize("sensor", [{}, PHYSICAL], ids=["ideal", "physical"])
def test_threads_splits_and_the_order_of_messages_change_nothing(tmp_path, sensor):
    a_config = world(tmp_path, {**sensor, "motion_blur": False, "rolling_shutter": False})
    worlds = [[block(5, 9.0 + 0.2 * k, 0.3 * k, 0.1 * k)] for k in range(4)]
    with kernel_threads(2):
        _, done = steps(worlds, a_config, host_id=None)
    with kernel_threads(1):
        _, again = steps(worlds, a_config, host_id=None)
    for one, other in zip(done, again, strict=True):
        assert points_of(one).tobytes() == points_of(other).tobytes()
    alone = LidarModel(a_config)
    last = alone.step(frames(worlds, host_id=None)[-1])
    assert points_of(last).tobytes() == points_of(done[-1]).tobytes()


def test_ideal_sensors_see_no_texture_and_physical_ones_do(tmp_path):
    keys = [{"texture": None}, {"texture": None, **PHYSICAL}, {**PHYSICAL, "texture": False}]
    _, (step,) = steps([[]], world(tmp_path, *keys), host_id=None)
    spreads = [np.log(gains(points_of(step, sensor=n))).std() for n in range(3)]
    assert_allclose((spreads[0], spreads[2]), 0.0, atol=1e-5)
    assert spreads[1] > 0.2


def test_a_sensor_that_sees_texture_where_there_is_none_gives_the_same_bytes(tmp_path):
    seen = []
    for texture in (True, False):
        a_config = world(tmp_path, {**PHYSICAL, "texture": texture}, texture=False)
        _, (step,) = steps([[]], a_config, host_id=None)
        seen.append(points_of(step).tobytes())
    assert seen[0] == seen[1]


def test_returns_before_the_receiver_and_the_waveform_have_it_too(tmp_path):
    model, (step,) = steps([[]], world(tmp_path, PHYSICAL), host_id=None)
    points = points_of(step)
    (lidar,), (scanned,) = model.lidars, (last.scanned for last in model.last_scans.values())
    returns = lidar.executor.returns_of(scanned.echoes)
    of_beam = np.bincount(returns.beam, returns.strength)
    assert_allclose(of_beam[step.scans[0].cloud.beam], points["reflectivity"], rtol=1e-2)
    beam = int(step.scans[0].cloud.beam[1000])
    waveform = lidar.waveform(scanned, beam)
    assert waveform.echo_snr[0] == pytest.approx(points["snr"][1000], rel=1e-5)


def test_rays_that_are_not_traced_again_keep_their_texture(tmp_path):
    """An ideal sensor traces only what has changed; the texture of the rest stays."""
    a_config = world(tmp_path, {"motion_blur": False, "rolling_shutter": False})
    worlds = [[block(5, 6.0, 0.1 * k)] for k in range(3)]
    _, done = steps(worlds, a_config, host_id=None)
    alone = LidarModel(a_config).step(frames(worlds, host_id=None)[-1])
    assert_array_equal(points_of(done[-1]), points_of(alone))
