# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A sensor at rest traces again what may have changed, and gives the bytes of a whole trace."""

from dataclasses import replace

import numpy as np
import pytest

from osi_lidar import LidarModel
from tests.builders.clouds import points_of
from tests.builders.messages import Thing, frames, host, message
from tests.builders.staged import staged_model
from tests.builders.weather import decoded
from tests.builders.worlds import config, instant, steps

N_THINGS = 20


def traffic(seed, n_steps=12):
    """Return worlds in which a few things at a time move, turn, come and go around the host."""
    rng = np.random.default_rng(seed)
    things = {
        number: Thing(
            number,
            (*rng.uniform((6.0, -30.0), (50.0, 30.0)), 0.75),
            yaw_rad=rng.uniform(-3, 3),
            kind="moving_object",
        )
        for number in range(10, 10 + N_THINGS)
    }
    worlds = []
    for _ in range(n_steps):
        for number in rng.choice(list(things), rng.integers(0, 4), replace=False).tolist():
            x, y, z = things[number].position_m
            dx, dy = rng.uniform(-1.5, 1.5, 2)
            turned = things[number].yaw_rad + rng.choice([0.0, 0.2])
            things[number] = replace(things[number], position_m=(x + dx, y + dy, z), yaw_rad=turned)
        if rng.random() < 0.3:
            gone = things.pop(rng.choice(list(things)).item())
            new = 100 + len(worlds)
            things[new] = replace(gone, object_id=new, position_m=(12.0, float(len(worlds)), 0.75))
        worlds.append([host(), *things.values()])
    return worlds


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("moving", [True, False])
def test_the_bytes_are_those_of_a_whole_trace(seed, moving):
    a_config = config() if moving else instant(config())
    partly, wholly = LidarModel(a_config), staged_model(a_config)
    for frame in frames(traffic(seed)):
        one, other = partly.step(frame), wholly.step(frame)
        assert one.scans[0].cloud.points.tobytes() == other.scans[0].cloud.points.tobytes()
        np.testing.assert_array_equal(one.scans[0].cloud.beam, other.scans[0].cloud.beam)
        np.testing.assert_array_equal(one.scans[0].cloud.object_id, other.scans[0].cloud.object_id)
        assert one.sensor_data == other.sensor_data
    assert wholly.n_rays_kept == 0
    assert partly.n_rays_kept > partly.n_rays_traced / 3
    assert partly.n_rays_traced == wholly.n_rays_traced


def test_scans_of_other_durations_have_their_own_times():
    """The times of beams follow the time between messages, also where nothing has moved."""
    angles = {"azimuth_deg": [-40, 40], "elevation_deg": [-14, 2], "one_way": True}
    pattern = {"kind": "raster", "columns": 120, "rows": 32, **angles}
    a_config = config(sensors=[{"name": "front", "pattern": pattern, "mounting": {"z_m": 1.5}}])
    time_s = [0.0, 0.1, 0.2, 0.25, 0.4]
    worlds = [
        [host(), Thing(2, (20.0, 0.0, 0.75)), Thing(3, (15.0, 8.0 + 0.1 * n, 0.75))]
        for n in range(len(time_s))
    ]
    messages = [message(*each) for each in zip(worlds, time_s, strict=True)]
    partly, wholly, last_ns = LidarModel(a_config), staged_model(a_config), []
    for frame in decoded(messages):
        one, other = (model.step(frame).scans[0].cloud.points for model in (partly, wholly))
        assert one.tobytes() == other.tobytes()
        last_ns.append(one["time_ns"].max() / 1e9)
    np.testing.assert_allclose(last_ns[1:], np.diff(time_s), rtol=0.1)
    assert partly.n_rays_kept > 0


def test_earlier_clouds_stay_as_they_were():
    _, made = steps(traffic(5), instant(config()))
    before = [step.scans[0].cloud.points.copy() for step in made[:3]]
    _, again = steps(traffic(5), instant(config()))
    for step, points in zip(again, before, strict=False):
        np.testing.assert_array_equal(step.scans[0].cloud.points, points)


def test_what_is_hidden_behind_a_wall_moves_without_a_ray():
    wall = Thing(2, (10.0, 0.0, 0.0), dimension_m=(0.5, 60.0, 40.0))
    hidden = [Thing(3, (30.0, y, 0.75)) for y in (0.0, 1.0, 2.0)]
    model, made = steps([[host(), wall, each] for each in hidden], instant(config()))
    n_beams = model.lidars[0].pattern.n_beams
    assert model.n_rays_traced - model.n_rays_kept < 1.1 * n_beams
    assert made[1].scans[0].traced
    np.testing.assert_array_equal(points_of(made[0]), points_of(made[2]))


def test_noise_is_drawn_anew_for_all_points():
    noisy = config()
    noise = {"noise": {"range_sigma_m": 0.01}, "rolling_shutter": False, "motion_blur": False}
    sensor = type(noisy.sensors[0]).model_validate(
        {"name": "front", "pattern": noisy.sensors[0].pattern.model_dump(), **noise}
    )
    noisy = noisy.model_copy(update={"sensors": (sensor,)})
    partly, wholly = LidarModel(noisy), staged_model(noisy)
    for frame in frames(traffic(7)):
        one, other = partly.step(frame), wholly.step(frame)
        assert one.scans[0].cloud.points.tobytes() == other.scans[0].cloud.points.tobytes()
        assert one.sensor_data == other.sensor_data
    assert partly.n_rays_kept > 0


def test_a_host_that_moves_has_all_rays_traced():
    worlds = [[host(0.01 * n), Thing(2, (20.0, 0.0, 0.75))] for n in range(4)]
    model, _ = steps(worlds, instant(config()))
    assert model.n_rays_kept == 0
