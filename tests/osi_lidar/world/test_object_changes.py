# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Whatever came, went, moved or became something else: the world is that of the last message."""

from dataclasses import replace

import numpy as np
import pytest

from lidar_base.columns import rows_of
from osi_bridge import FrameDecoder
from osi_lidar import LidarModel
from tests.builders.clouds import points_of
from tests.builders.messages import Thing, frames, host, message
from tests.builders.worlds import config, instant, steps

LINE = (0.0, 0.0, 1.5)


def next_things(things, rng):
    """Return what a later message may say of these things, and of others."""
    things = [each for each in things if rng.random() > 0.15]
    for n, each in enumerate(things):
        change = rng.random()
        if change < 0.3:
            things[n] = replace(each, position_m=tuple(rng.uniform((5, -20, 0.5), (40, 20, 2))))
        elif change < 0.4:
            size_m = LINE if rng.random() < 0.3 else tuple(rng.uniform(1, 4, 3))
            things[n] = replace(each, dimension_m=size_m)
        elif change < 0.5:
            things[n] = replace(each, yaw_rad=rng.uniform(-3, 3))
        elif change < 0.55:
            things[n] = replace(each, model_reference=f"model {rng.integers(3)}")
    for object_id in rng.integers(2, 40, 3).tolist():
        if object_id not in {each.object_id for each in things}:
            place = tuple(rng.uniform((5, -20, 0.5), (40, 20, 2)))
            things.append(Thing(object_id, place, kind=rng.choice(KINDS)))
    if rng.random() < 0.3:
        rng.shuffle(things)
    return things


KINDS = ["moving_object", "stationary_object"]


@pytest.mark.parametrize("seed", range(4))
def test_the_world_is_that_of_the_last_message(seed):
    rng = np.random.default_rng(seed)
    configuration = instant(config(scene={"ground": 0.0}))
    model = LidarModel(configuration)
    things = []
    for index in range(12):
        things = next_things(things, rng)
        (frame,) = frames([[host(), *things]])
        step = model.step(replace(frame, index=index, time_ns=index * 100_000_000))
        afresh = LidarModel(configuration).step(frame)
        got, expected = points_of(step), points_of(afresh)
        assert len(got) > 100
        assert (got["object_id"] == expected["object_id"]).all()
        for name in ("x", "y", "z", "normal_x", "normal_y", "normal_z"):
            np.testing.assert_allclose(got[name], expected[name], atol=1e-5)


def test_a_message_that_changes_nothing_is_not_committed():
    things = [Thing(n, (10.0, 2.0 * n, 1.0)) for n in range(2, 9)]
    model = LidarModel(instant(config()))
    for frame in frames([[host(), *things]] * 3):
        model.step(frame)
    assert model.world.scene.counts.commits == 1
    assert model.world.scene.counts.poses_set == 0


def test_what_changes_its_size_while_it_drives_moves_on_during_the_scan():
    rotating = config(sensors=[{"name": "roof", "preset": "OS1-128"}])
    clouds = []
    for before_m in ((4.0, 2.0, 1.5), (3.0, 1.0, 1.5)):
        before = Thing(2, (10.0, 0.0, 1.0), dimension_m=before_m)
        after = replace(before, position_m=(12.0, 0.0, 1.0), dimension_m=(4.0, 2.0, 1.5))
        _, done = steps([[host(), before], [host(), after]], rotating)
        clouds.append(points_of(done[-1], 2))
    assert len(clouds[0]) > 100
    assert clouds[0].tobytes() == clouds[1].tobytes()


def test_another_order_of_the_same_objects_moves_none():
    things = [Thing(n, (10.0, 2.0 * n, 1.0)) for n in range(2, 9)]
    model = LidarModel(instant(config()))
    for frame in frames([[host(), *things], [host(), *things[::-1]], [*things, host()]]):
        model.step(frame)
    assert model.world.scene.counts.commits == 1


@pytest.mark.parametrize("host_id", [1, 2])
def test_sensors_are_on_the_vehicle_that_is_the_host_now(host_id):
    """The rear axles of the two are not at the same place in their boxes."""
    things = [
        Thing(1, (0.0, 0.0, 0.75), rear_axle_m=(-1.2, 0.0, -0.45)),
        Thing(2, (0.0, 6.0, 0.75), rear_axle_m=(-1.9, 0.0, -0.4)),
        Thing(3, (15.0, 3.0, 1.0)),
    ]

    def cloud(host_ids):
        model, decoder = LidarModel(instant(config())), FrameDecoder("SensorView")
        for n, each in enumerate(host_ids):
            data = message(things, time_s=0.1 * n, host_id=each)
            step = model.step(decoder.decode(data, n))
        return points_of(step).tobytes()

    other = 3 - host_id
    assert cloud([other, host_id]) == cloud([host_id, host_id]) != cloud([other, other])


def test_ids_are_found_where_they_are():
    ids = [np.array(each, np.uint64) for each in ([9, 2, 2**63], [2, 5, 2**63, 9], [])]
    assert rows_of(ids[0], ids[1]).tolist() == [1, -1, 2, 0]
    assert rows_of(ids[2], ids[1]).tolist() == [-1, -1, -1, -1]
    assert rows_of(ids[0], ids[2]).tolist() == []
