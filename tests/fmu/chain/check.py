# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares what the recorder has written with the answers of the model itself.

    python -m tests.fmu.chain.check RECORDED

run in a clone of the repository, whose street scene the player has played. Timestamps are left
out, because the master sets them.
"""

import sys
from itertools import zip_longest

from osi_bridge import FrameDecoder, open_trace
from osi_lidar.config import load_config
from osi_lidar.model import LidarModel
from osi_lidar.run.example_scene import street
from tests.fmu.driving import without_times


def answers():
    """Yield the answers of the model to the street scene."""
    scenario = street()
    model, decoder = LidarModel(load_config(scenario.config)), FrameDecoder("SensorView")
    for index, raw in enumerate(open_trace(scenario.trace)):
        yield model.step(decoder.decode(raw.data, index)).sensor_data


def difference(recorded):
    """Return the number of equal messages before the first difference, and what differs there."""
    theirs = (raw.data for raw in open_trace(recorded, message_type="SensorData"))
    n_equal = 0
    for got, expected in zip_longest(theirs, answers()):
        if got is None or expected is None:
            return n_equal, "there are fewer messages" if got is None else "there are more messages"
        if without_times(got) != without_times(expected):
            return n_equal, "the next message differs"
        n_equal += 1
    return n_equal, ""


if __name__ == "__main__":
    n_equal, why = difference(sys.argv[1])
    sys.exit(f"{n_equal} messages are equal, then {why}") if why else None
    sys.stdout.write(f"{n_equal} messages, each as the model gives it\n")
