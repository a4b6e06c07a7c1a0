# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A simple detector that learns from one split beats chance on another one."""

import csv
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from osi_bridge import write_trace
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.messages import SensorView, Thing, host, message
from tests.builders.worlds import config
from tests.lidar_app.datasets.conftest import write

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "simple_detector.py"
ALL_AROUND = {
    "kind": "grid",
    "horizontal": {"min_deg": -180, "max_deg": 179.5, "step_deg": 0.5},
    "vertical": {"min_deg": -15, "max_deg": 5, "step_deg": 0.5},
}
SENSOR = {"name": "roof", "pattern": ALL_AROUND, "mounting": {"x_m": 1.0, "z_m": 1.7}}
N_TRACES, N_FRAMES = 10, 4


def town(seed):
    """Yield messages of cars, pedestrians, trees and walls at random places around the host."""
    draw = np.random.default_rng(seed)
    sizes = (
        [(4.2, 1.8, 1.5)] * 5
        + [(0.5, 0.6, 1.8)] * 5
        + [(1.0, 1.0, 4.0)] * 4
        + [(0.3, 8.0, 2.5)] * 3
    )
    places = []
    while len(places) < len(sizes):
        place = draw.uniform(-30, 30, 2)
        if min(np.linalg.norm(place - other) for other in [(0, 0), *places]) > 5.0:
            places.append(place)
    turns = draw.uniform(-np.pi, np.pi, len(sizes))
    for n in range(N_FRAMES):
        things = [
            Thing(
                100 + row,
                (*(place + (row < 10) * n * np.array([np.cos(turn), np.sin(turn)])), 0.5 * size[2]),
                yaw_rad=turn,
                dimension_m=size,
                kind="moving_object" if row < 10 else "stationary_object",
            )
            for row, (place, turn, size) in enumerate(zip(places, turns, sizes, strict=True))
        ]
        view = SensorView.FromString(message([host(), *things], time_s=0.5 * n))
        yield of_types(view)


def of_types(view):
    """Return a message whose small moving objects are pedestrians."""
    for each in view.global_ground_truth.moving_object:
        if each.base.dimension.length < 1.0:
            each.type = each.TYPE_PEDESTRIAN
            each.ClearField("vehicle_classification")
    for each in view.global_ground_truth.stationary_object:
        kinds = each.classification
        kinds.type = kinds.TYPE_TREE if each.base.dimension.length > 0.5 else kinds.TYPE_WALL
    return view.SerializeToString()


@pytest.fixture(scope="module")
def town_set(tmp_path_factory):
    folder = tmp_path_factory.mktemp("towns")
    for seed in range(N_TRACES):
        trace = folder / f"{seed}.osi"
        write_trace(trace, town(seed), message_type="SensorView")
        replay(FrameSource(trace), config(sensors=[SENSOR]), folder / f"town_{seed}")
    write(folder, folder / "set", "openpcdet")
    return folder / "set"


@pytest.mark.long
def test_a_simple_detector_beats_chance_on_the_test_split(town_set, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [EXAMPLE.name, str(town_set)])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    rows = {row["class"]: row for row in csv.DictReader(capsys.readouterr().out.splitlines())}
    assert set(rows) == {"Pedestrian", "Vehicle"}
    for row in rows.values():
        assert float(row["precision"]) > 2 * float(row["precision_by_chance"])
        assert float(row["recall"]) > 2 * float(row["recall_by_chance"])
        assert float(row["precision"]) > 0.7
        assert float(row["recall"]) > 0.5
