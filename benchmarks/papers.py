# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Times in the scenes, and with the sensors, of three papers.

python benchmarks/papers.py [--runs N]
"""

from functools import partial
from statistics import median

import numba
import numpy as np
from measure import THREADS, WARM_UP, Row, alternate, figure, main, milliseconds, time_row
from scenes import (
    AT_AN_INSTANT,
    STATION_SENSOR_M,
    RaysIn,
    field_folder,
    field_script,
    scene_of,
    station,
    street_model,
)
from tracing import Scan, at_frame

from osi_bridge import FrameDecoder
from osi_lidar import FrameSource, LidarModel, load_config

TITLE = "Beside the papers' own figures"
ABOUT = """\
The papers used other scenes on other machines: these lines show orders of magnitude only.

LiMOX (Rott et al., Sensors 2024, 24(6), 1846, Table 2): OS1-128 in a scene like the street, on an
NVIDIA RTX 2080, ray tracing alone; and 40 time steps, from OSI object data to points in memory.
Measured here: tracing alone in the street, and the sum of 40 steps from OSI bytes to SensorData
bytes.

BlenSor (Gschwandtner et al., ISVC 2011, Table 1): an interval of 40 ms in a scene of 237 000
vertices, Intel Core i5, 2.53 GHz. Measured here: a step of `scenarios/field` with similar sensors.

VEROSIM (a laser scanner with adaptable patterns): single rays in a scene of 3 million vertices, one
thread, Intel Core i7-3770 and NVIDIA GeForce GTX 680. Measured here: calls with one ray each in a
space station of as many vertices, on one thread, and the same rays in calls of 65 536."""
LIMOX_MS = {512: ("1", "0.65", "37"), 1024: ("1.16", "0.8", "51"), 2048: ("1.35", "1", "74")}
"""By number of columns: one scan without and with RT cores, 40 steps with them. [ms]"""
BLENSOR_S = {"rotating": 8.462, "line": 4.943, "tof": 5.290, "depth": 11.721}
VEROSIM_RAYS_PER_S = 1440
STATION_VERTICES = 3_000_000
SINGLE_RAYS = 1000
WAY = slice(10, 50)
"""The 40 messages of the demo in which the host drives."""


def limox(runs):
    """Return the rows about LiMOX: one scan, and 40 steps, for each number of columns."""
    rows, sensors = [], {n: {**AT_AN_INSTANT, "columns": n} for n in LIMOX_MS}
    models = {n: at_frame(street_model(sensor))[0] for n, sensor in sensors.items()}
    traced = alternate({n: Scan(model, runs + 2).trace for n, model in models.items()}, runs=runs)
    ways = alternate({n: _forty_steps(sensor) for n, sensor in sensors.items()}, runs=runs)
    for n, (slow, fast, steps) in LIMOX_MS.items():
        paper = f"paper: {slow} ms, {fast} ms with RT cores"
        rows.append(time_row(f"LiMOX, {n} columns: one scan", traced[n], detail=paper))
        paper = f"paper: {steps} ms with RT cores"
        rows.append(time_row(f"LiMOX, {n} columns: 40 steps", ways[n], detail=paper))
    return rows


def _forty_steps(sensor):
    model, messages = street_model(sensor)

    def steps(_number):
        decoder = FrameDecoder("SensorView")
        model.step(decoder.decode(messages[0], 0))
        return float(
            sum(
                milliseconds(partial(_step, model, decoder, data, n))
                for n, data in enumerate(messages[WAY], start=1)
            )
        )

    return steps


def _step(model, decoder, data, number):
    model.step(decoder.decode(data, number))


def blensor(runs):
    """Return the rows about BlenSor: four sensors in the field."""
    folder, rows = field_folder(), []
    config = load_config(folder / "config.yaml")
    trace = folder / field_script("make_field").TRACE_NAME
    frames = list(FrameSource(trace, frames=slice(runs + WARM_UP)))
    for number, sensor in enumerate(config.sensors):
        model = LidarModel(field_script("run_field").alone(config, number), trace_folder=folder)
        times = [milliseconds(partial(_take, model, frame)) for frame in frames]
        n_ray = f"{model.lidars[0].pattern.n_beams:,}".replace(",", " ")
        paper_s = BLENSOR_S[sensor.name]
        factor = figure(1e3 * paper_s / median(times[WARM_UP:]))
        detail = f"paper: {paper_s} s, {factor} times as long"
        rows.append(
            time_row(f"BlenSor, {sensor.name}: {n_ray} rays", times[WARM_UP:], detail=detail)
        )
    return rows


def _take(model, frame):
    model.step(frame)


def verosim(runs):
    """Return the rows about VEROSIM: rays in the space station, one per call, and many per call."""
    scene = scene_of(*station(STATION_VERTICES))
    direction = directions(65_536)
    single = [RaysIn(scene, each[None], STATION_SENSOR_M) for each in direction[:SINGLE_RAYS]]
    together = RaysIn(scene, direction, STATION_SENSOR_M)

    def one_by_one(_number):
        for ray in single:
            ray.trace()

    numba.set_num_threads(1)
    times = alternate({"single": one_by_one, "together": together.trace}, runs=runs)
    numba.set_num_threads(THREADS)
    counts = {"single": len(single), "together": len(direction)}
    rates = {name: 1e3 * n / median(times[name]) for name, n in counts.items()}
    return [
        Row(
            name="VEROSIM: one ray a call",
            value=rates["single"],
            unit="rays/s",
            detail=f"paper: {VEROSIM_RAYS_PER_S} calls a second",
        ),
        Row(name="VEROSIM: 65 536 rays a call", value=rates["together"], unit="rays/s"),
    ]


def directions(n):
    """Return n unit vectors all around, (n, 3); consecutive ones have similar directions."""
    z = 1.0 - 2.0 * (np.arange(n) + 0.5) / n
    angle = np.arange(n) * np.sqrt(4.0 * np.pi / n) / np.maximum(np.sqrt(1.0 - z * z), 1e-3)
    radius = np.sqrt(1.0 - z * z)
    around = np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=1)
    return around.astype(np.float32)


def measure(runs):
    """Return the rows of this topic's table."""
    return [*limox(runs), *blensor(runs), *verosim(runs)]


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
