# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Growth of times with threads, sensors, rays and triangles.

python benchmarks/scaling.py [--runs N]
"""

from itertools import cycle

import numba
import numpy as np
from measure import THREADS, alternate, main, ratio_row, time_row
from scenes import AT_AN_INSTANT, RaysIn, hills, retimed, scene_of, street_model
from tracing import Scan, at_frame

from osi_bridge import FrameDecoder

TITLE = "Growth"
ABOUT = """\
The street with OS1-128 at 1024 columns; a whole step goes from OSI bytes to SensorData bytes. Four
sensors are mounted on the four sides of the roof. A million rays are 128 x 8192 instead of
128 x 1024, over the same angles. Triangles belong to one mesh of rolling ground, 200 m wide, on
finer and finer grids."""
STEPS_A_RUN = 3
MOUNTINGS = (
    {"x_m": 1.5, "y_m": 0.0, "z_m": 1.9},
    {"x_m": 1.0, "y_m": 0.5, "z_m": 1.9, "yaw_deg": 90.0},
    {"x_m": 1.0, "y_m": -0.5, "z_m": 1.9, "yaw_deg": -90.0},
    {"x_m": 0.5, "y_m": 0.0, "z_m": 1.9, "yaw_deg": 180.0},
)
TRIANGLES = (10_000, 100_000, 1_000_000, 10_000_000)


class Drive:
    """Whole steps of a model whose host drives back and forth through the street."""

    def __init__(self, *changes):
        self._model, messages = street_model(*changes)
        self._decoder = FrameDecoder("SensorView")
        self._index = 0
        self._decode_and_step(messages[0])  # it holds the stationary objects
        self._way = cycle([*messages[10:50], *messages[48:10:-1]])

    def step(self, _number=0):
        """Decode and process the next message."""
        if not self._decode_and_step(next(self._way)).traced:
            raise RuntimeError("a step reused an old cloud, expected each step to be traced")

    def _decode_and_step(self, data):
        self._index += 1
        frame = self._decoder.decode(retimed(data, self._index), self._index)
        return self._model.step(frame)


def on_threads(n, call):
    """Return a function that makes the call with n threads."""

    def made(number):
        numba.set_num_threads(n)
        try:
            return call(number)
        finally:
            numba.set_num_threads(THREADS)

    return made


def threads(runs):
    """Return the rows about one thread compared with two."""
    rows = []
    model, _ = at_frame(street_model(AT_AN_INSTANT))
    kinds = {
        "tracing": (Scan(model, runs + 2).trace, runs, 1.7),
        "whole step": (Drive(AT_AN_INSTANT).step, STEPS_A_RUN * runs, 1.5),
    }
    for name, (call, n, goal) in kinds.items():
        calls = {"one thread": on_threads(1, call), "two threads": on_threads(THREADS, call)}
        times = alternate(calls, runs=n)
        row = (f"{name}: one thread / two", times, *calls)
        rows.append(ratio_row(*row, goal=goal, at_least=True))
    return rows


def four_sensors(runs):
    """Return the row about four sensors compared with one."""
    sensors = [{**AT_AN_INSTANT, "mounting": each} for each in MOUNTINGS]
    calls = {"four sensors": Drive(*sensors).step, "one": Drive(sensors[0]).step}
    times = alternate(calls, runs=STEPS_A_RUN * runs)
    return [ratio_row("whole step: four sensors / one", times, *calls, goal=4.1)]


def beams(n_column):
    """Return the changes of a configuration that give a sensor 128 layers of n columns."""
    pattern = {
        "kind": "angles",
        "horizontal_deg": np.linspace(-180.0, 180.0, n_column, endpoint=False).tolist(),
        "vertical_deg": np.linspace(-22.5, 22.5, 128).tolist(),
    }
    return {"preset": None, "columns": None, "pattern": pattern, "max_range_m": 120.0}


def many_rays(runs):
    """Return the rows about a million rays compared with 131 072."""
    sensors = {"1 048 576 rays": beams(8192), "131 072 rays": beams(1024)}
    models = {name: at_frame(street_model(sensor))[0] for name, sensor in sensors.items()}
    calls = {name: Scan(model, runs + 2).trace for name, model in models.items()}
    traced = alternate(calls, runs=runs)
    calls = {name: Drive(sensor).step for name, sensor in sensors.items()}
    stepped = alternate(calls, runs=runs)
    return [
        ratio_row("tracing: 1 048 576 rays / 131 072", traced, *calls, goal=8.5),
        ratio_row("whole step: 1 048 576 rays / 131 072", stepped, *calls, goal=8.5),
    ]


def many_triangles(runs):
    """Return the rows about meshes with more and more triangles."""
    model, _ = street_model(AT_AN_INSTANT)
    direction = model.lidars[0].pattern.direction
    scenes = [scene_of(*hills(n)) for n in TRIANGLES]
    names = [f"{n:,}".replace(",", " ") for n in TRIANGLES]
    calls = {
        f"{name} triangles": RaysIn(scene, direction).trace
        for name, scene in zip(names, scenes, strict=True)
    }
    times = alternate(calls, runs=runs)
    fewest, *_, most = calls
    rows = [
        ratio_row(f"tracing: {names[-1]} triangles / {names[0]}", times, most, fewest, goal=8.0)
    ]
    return rows + [time_row(f"  tracing {name}", times[name]) for name in calls]


def measure(runs):
    """Return the rows of this topic's table."""
    return [*threads(runs), *four_sensors(runs), *many_rays(runs), *many_triangles(runs)]


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
