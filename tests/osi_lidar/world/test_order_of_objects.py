# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects are known by their ids: the order in which messages list them changes no point."""

import numpy as np
import pytest
from osi3.osi_object_pb2 import MovingObject

from tests.builders.clouds import points_of
from tests.builders.messages import Thing, host
from tests.builders.worlds import config, steps

SENSOR = {"preset": "VLP-16", "mounting": {"x_m": 1.2, "z_m": 0.45}, "velocity": True}
STEP_S = 0.1


def driving(object_id, time_s, speed_m_s, y_m, *, is_stated, **more):
    """Return a car that drives along x beside the host; its velocity is stated if asked."""
    velocity_m_s = (speed_m_s, 0.0, 0.0) if is_stated else None
    place_m = (4.0 + speed_m_s * time_s, y_m, 0.75)
    size_m = (4.6, 1.8, 1.5)
    return Thing(object_id, place_m, dimension_m=size_m, velocity_m_s=velocity_m_s, **more)


def traffic(time_s):
    """Return cars: at rest, fast as stated, too fast for no stated velocity; and a pedestrian."""
    return [
        driving(2, time_s, 0.0, 9.0, is_stated=False),
        driving(3, time_s, 40.0, 4.0, is_stated=True),
        driving(4, time_s, 40.0, -4.0, is_stated=False),
        driving(5, time_s, 10.0, -8.0, is_stated=True),
        Thing(
            6,
            (5.0, 1.0 + 1.5 * time_s, 0.9),
            dimension_m=(0.6, 0.6, 1.8),
            yaw_rad=np.pi / 2,
            osi_type=MovingObject.TYPE_PEDESTRIAN,
        ),
    ]


def clouds(order_of):
    """Return the points of some steps, of messages that list things in orders by message."""
    worlds = [[host(), *traffic(STEP_S * k)] for k in range(4)]
    ordered = [[things[row] for row in order_of(k, len(things))] for k, things in enumerate(worlds)]
    scene = {"ground": "none", "shapes": "auto", "teleport": {"speed_m_s": 20.0}}
    _, done = steps(
        ordered, config(sensors=[{"name": "roof", **SENSOR}], scene=scene), step_s=STEP_S
    )
    return [points_of(step) for step in done]


@pytest.mark.parametrize("shift", [1, -1])
def test_points_are_the_same_in_whatever_order_each_message_lists_its_objects(shift):
    usual = clouds(lambda _, n: range(n))
    other = clouds(lambda k, n: np.roll(range(n), shift * k))
    assert set(usual[-1]["object_id"].tolist()) >= {2, 3, 4, 5, 6}
    for one, two in zip(usual, other, strict=True):
        assert one.tobytes() == two.tobytes()
