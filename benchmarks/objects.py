# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Cost of moving objects: decoding their message, and updating the scene.

python benchmarks/objects.py [--runs N]
"""

import time

from measure import WARM_UP, main, time_row
from scenes import AT_AN_INSTANT, VLP_16, crowd_message, crowd_model

from osi_bridge import FrameDecoder

TITLE = "Moving objects"
ABOUT = """\
A crowd: OSI GroundTruth of cars that all move, on the field's ground. Decoding goes from bytes to
columns. Updating the scene is everything in a step except tracing, response and SensorData: finding
the changes, handing poses to Embree, and its commit. With motion blur every car has two poses, at
the start and at the end of a scan."""
MESSAGES_A_RUN = 3
GOALS_MS = {100: (1.0, 2.0), 1000: (10.0, 15.0)}
"""By number of objects: goals for updating the scene, and for decoding."""
RAYS = ("trace", "respond", "encode")
"""Stages of the model's clock that deal with rays and points."""


def times_of(n_object, n_messages, *, sensor):
    """Return two lists, by message: the times of decoding and of updating the scene. [ms]"""
    model, decoder = crowd_model({**VLP_16, **sensor}), FrameDecoder("GroundTruth")
    messages = [crowd_message(number, n_object) for number in range(n_messages + WARM_UP)]
    rows = []
    for number, data in enumerate(messages):
        before = model.clock.seconds()
        began = time.perf_counter()
        frame = decoder.decode(data, number)
        decoded = time.perf_counter()
        model.step(frame)
        done = time.perf_counter()
        after = model.clock.seconds()
        of_rays = sum(after[stage] - before[stage] for stage in RAYS)
        rows.append((1e3 * (decoded - began), 1e3 * (done - decoded - of_rays)))
    return [list(column) for column in zip(*rows[WARM_UP:], strict=True)]


def measure(runs):
    """Return the rows of this topic's table."""
    rows, n_messages = [], MESSAGES_A_RUN * runs
    for n_object, (goal_ms, decode_goal_ms) in GOALS_MS.items():
        decode, update = times_of(n_object, n_messages, sensor=AT_AN_INSTANT)
        _, blurred = times_of(n_object, n_messages, sensor={})
        rows += [
            time_row(f"{n_object} objects: scene updated", update, goal=goal_ms),
            time_row(f"{n_object} objects: the same with motion blur", blurred),
            time_row(f"{n_object} objects: message decoded", decode, goal=decode_goal_ms),
        ]
    return rows


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
