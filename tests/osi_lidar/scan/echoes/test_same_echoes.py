# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Echoes are those of any width of ray packets, of any other sensors, and of any scans before."""

from itertools import islice

import numpy as np
import pytest

from osi_bridge import FrameDecoder, open_trace
from osi_lidar import LidarModel, load_config
from osi_lidar.run.example_scene import street
from raycore.trace.embree_tracer import EmbreeTracer

PHYSICAL = {"preset": "OS1-16", "columns": 512, "fidelity": "physical", "returns": {"mode": "all"}}
MOUNTING = {"z_m": 1.9}


def clouds(sensors, *, width=None, messages=(12,)):
    """Return the clouds of sensors by name, after some messages of the demo."""
    config = load_config(street().config, changes={("sensors",): sensors})
    model = LidarModel(config, trace_folder=street().trace.parent)
    if width is not None:
        for lidar in model.lidars:
            lidar.tracer = EmbreeTracer(packet_width=width)
    decoder = FrameDecoder("SensorView")
    for index, message in enumerate(islice(open_trace(street().trace), max(messages) + 1)):
        if index in messages:
            step = model.step(decoder.decode(message.data, index))
    return {scan.sensor: scan.cloud.points for scan in step.scans}


def test_packets_of_any_width_give_the_same_echoes():
    (first, *others) = (
        clouds([{"name": "one", **PHYSICAL, "mounting": MOUNTING}], width=width)["one"]
        for width in (4, 8, 16)
    )
    assert len(first) > 1000
    for other in others:
        shared, here, there = np.intersect1d(
            first["column"] * 16 + first["ring"],
            other["column"] * 16 + other["ring"],
            return_indices=True,
        )
        assert len(shared) >= 0.999 * len(np.unique(first["column"] * 16 + first["ring"]))
        relative = np.abs(first["range"][here] / other["range"][there] - 1.0)
        assert np.quantile(relative, 0.999) < 2.0**-20


@pytest.mark.parametrize("first", ["one", "two"])
def test_the_order_of_sensors_changes_no_byte(first):
    sensors = {
        "one": {"name": "one", **PHYSICAL, "mounting": MOUNTING},
        "two": {"name": "two", **PHYSICAL, "mounting": {"z_m": 2.5}},
    }
    second = "two" if first == "one" else "one"
    found = clouds([sensors[first], sensors[second]])
    alone = clouds([sensors[first]])
    assert found[first].tobytes() == alone[first].tobytes()


def test_a_scan_does_not_depend_on_those_before():
    sensor = [{"name": "one", **PHYSICAL, "mounting": MOUNTING, "rolling_shutter": False,
               "motion_blur": False}]  # fmt: skip
    late, early = clouds(sensor, messages=(12,)), clouds(sensor, messages=(9, 10, 11, 12))
    assert late["one"].tobytes() == early["one"].tobytes()


PAIRS = [[10, 20], [80, 45]]
LIMITS = {
    **{fit: {"pairs": PAIRS, "fit": fit} for fit in ("linear", "root2", "root3", "root4", "log")},
    "table": {"pairs": [[5, 12], *PAIRS], "fit": "table"},
    "pieces": {"pieces": [{"until_percent": 10, "pairs": PAIRS}, {"pairs": PAIRS, "fit": "root2"}]},
    "equation": {"equation": {"pairs": PAIRS}},
    "clear equation": {"equation": {"pairs": [[10, 20]]}},
    "line": {"equation": {"pairs": [[10, 20]], "target": "line"}},
    "constant": None,
}


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_a_line_without_noise_sees_what_the_sharp_limit_says_bit_for_bit(limit):
    one = {"preset": "OS1-16", "columns": 512, "mounting": MOUNTING}
    one |= {"range_limit": limit, "max_range_m": 80.0}
    quiet = {"receiver": {"amplitude_noise": False}, "returns": {"mode": "strongest"}}
    found = clouds([{"name": "ideal", **one}, {"name": "physical", **one, **quiet}])
    ideal, physical = found["ideal"], found["physical"]
    assert 0 < len(ideal) == len(physical)
    for name in ideal.dtype.names:
        assert ideal[name].tobytes() == physical[name].tobytes(), name
