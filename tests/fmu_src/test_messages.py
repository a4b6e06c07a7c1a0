# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of a master's inputs: what the static objects of the beginning are for."""

import pytest

from fmu_src.messages import GROUND_TRUTH, SENSOR_VIEW, MessageReceiver
from tests.builders.messages import Thing, host, message, truth_of

WALL = Thing(9, (20.0, 0.0, 1.5), kind="stationary_object")
OTHER = Thing(10, (30.0, 0.0, 1.5), kind="stationary_object")


@pytest.mark.parametrize("name", [SENSOR_VIEW, GROUND_TRUTH])
def test_static_objects_of_the_beginning_are_in_the_messages_of_each_input(name):
    """They hold from its first message on, until a message has a list of its own."""
    receiver, found = MessageReceiver(truth_of(message([host(), WALL]))), []
    for index, things in enumerate([[host()], [host()], [host(), OTHER], [host()]]):
        view = message(things, time_s=0.1 * index)
        received = receiver.receive(name, view if name == SENSOR_VIEW else truth_of(view), index)
        found.append(received.frame.objects.object_id.tolist())
    assert found == [[1, 9], [1, 9], [1, 10], [1]]
