# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Any number in any field of a message: an answer of finite numbers, or one line, and no warning.

The fields come from OSI's own descriptors, so a field that is read tomorrow is tried as well.
"""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from osi3.osi_sensordata_pb2 import SensorData

from osi_bridge import FrameDecoder, OsiError
from osi_lidar import LidarModel
from osi_lidar.config import Config
from tests.builders.full_messages import extremes, full_view, numbers, set_to
from tests.builders.refusals import one_line

MOUNTING = {"x_m": 1.2, "z_m": 1.0}
GRID = {
    "kind": "grid",
    "horizontal": {"min_deg": -40, "max_deg": 40, "step_deg": 4},
    "vertical": {"min_deg": -12, "max_deg": 4, "step_deg": 4},
}
IDEAL = Config.model_validate(
    {
        "sensors": [
            {"name": "s", "pattern": GRID, "mounting": MOUNTING},
            {"name": "own", "pattern": GRID, "mounting": MOUNTING, "timing": "sensor_rate",
             "rotation_rate_hz": 10},
        ]
    }
)  # fmt: skip
PUCK = {"preset": "VLP-16", "fidelity": "physical", "columns": 60, "mounting": MOUNTING}
PHYSICAL = Config.model_validate(
    {
        "sensors": [
            {**PUCK, "name": "s", "velocity": True},
            {**PUCK, "name": "own", "timing": "sensor_rate"},
        ],
        "weather": {
            "dust": [{"behind": "vehicles", "size_m": [5, 3, 2], "visibility_m": 10}],
            "fog": {"visibility_m": 300, "patches": {"contrast": 0.5}},
        },
    }
)
UNREAD = (
    *("camera_", "radar_", "ultrasonic_", "generic_", "lidar_"),
    *("host_vehicle_data", "mounting_position_rmse"),
)
CASES = [
    (number, value)
    for number in numbers(full_view())
    if not number.name.startswith(UNREAD)
    for value in extremes(number)
]
SECOND_NS = 10**9
LAST_NS = 9_223_372_036 * SECOND_NS


def infinite(message) -> Iterator[str]:
    """Yield the names of fields that hold a number that is not finite."""
    for field, value in message.ListFields():
        each = value if field.is_repeated else [value]
        if field.message_type is not None:
            for part in each:
                yield from infinite(part)
        elif field.cpp_type in (field.CPPTYPE_DOUBLE, field.CPPTYPE_FLOAT):
            yield from (field.full_name for number in each if not math.isfinite(number))


def assert_finite(step):
    for scan in step.scans:
        points = scan.cloud.points
        for name in points.dtype.names:
            if points.dtype[name].kind == "f":
                assert np.isfinite(points[name]).all(), name
    assert list(infinite(SensorData.FromString(step.sensor_data))) == []


class Run:
    """A run whose messages go on in time, each with one number set, as a fuzzed stream."""

    def __init__(self, configuration):
        self.model = LidarModel(configuration)
        self.decoder = FrameDecoder("SensorView")
        self.count = 0

    def answer(self, number=None, value=0):
        view = full_view(self.count % 100)
        if number is not None:
            set_to(view, number, value)
        self.count += 1
        try:
            frame = self.decoder.decode(view.SerializeToString(), self.count)
            step = self.model.step(frame)
        except OsiError as error:
            return str(error)
        assert_finite(step)
        return ""


def fault_of(run, number, value):
    """Return what a number in one message does beside an answer or a line, "" as it should be."""
    try:
        lines = run.answer(number, value), run.answer()
    except Exception as error:  # noqa: BLE001  all faults are told at once
        return f"{type(error).__name__}: {error}"
    return repr(lines) if "\n" in lines[0] or lines[1] else ""


def sweep(configuration, cases):
    run = Run(configuration)
    assert run.answer() == ""
    faults = {}
    for number, value in cases:
        fault = fault_of(run, number, value)
        if fault:
            faults.setdefault(fault, []).append((number.name, value))
            run = Run(configuration)
    assert faults == {}


@pytest.mark.long
@pytest.mark.parametrize(
    ("configuration", "every"), [(IDEAL, 983), (PHYSICAL, 3989)], ids=["ideal", "physical"]
)
def test_a_sample_of_all_numbers_does_no_harm(configuration, every):
    sweep(configuration, CASES[::every])


@pytest.mark.slow
@pytest.mark.parametrize("configuration", [IDEAL, PHYSICAL], ids=["ideal", "physical"])
@pytest.mark.parametrize("part", range(4))
def test_a_tenth_of_all_numbers_does_no_harm(configuration, part):
    sweep(configuration, CASES[10 * part :: 41])  # 41 is prime: any value of any field


FOUND = {
    "mounting_position.orientation.yaw": (math.nan,),
    "mounting_position.position.y": (-math.inf, 1e300),
    "global_ground_truth.moving_object.0.base.velocity.x": (1e300,),
    "global_ground_truth.moving_object.1.base.velocity.x": (1e38,),
    "timestamp.seconds": (9_300_000_000, -(2**63), 2**63 - 1),
}


@pytest.mark.long
def test_numbers_that_ended_a_run_are_left_out_or_told():
    fields = dict.fromkeys(each for each, _ in CASES)
    assert {each.name for each in fields} >= FOUND.keys()
    sweep(PHYSICAL, [(each, value) for each in fields for value in FOUND.get(each.name, ())])


CLOCKS = {
    "up to the last second": [LAST_NS + k * SECOND_NS // 10 for k in range(-3, 1)],
    "from the first second": [-LAST_NS + k * SECOND_NS // 10 for k in range(4)],
    "from one end to the other": [-LAST_NS, SECOND_NS // 10 - LAST_NS, LAST_NS, 0, -LAST_NS],
    "by ten years": [0, SECOND_NS // 10, 3 * 10**17, 3 * 10**17 + SECOND_NS // 10, 5, 5, 6],
    "from before zero": [k * SECOND_NS // 10 for k in range(-3, 2)],
}


@pytest.mark.parametrize("kind", CLOCKS)
def test_clocks_may_jump_go_back_and_repeat(kind):
    model = LidarModel(PHYSICAL)
    decoder = FrameDecoder("SensorView")
    for index, time_ns in enumerate(CLOCKS[kind]):
        view = full_view(index)
        view.timestamp.seconds, view.timestamp.nanos = divmod(time_ns, SECOND_NS)
        step = model.step(decoder.decode(view.SerializeToString(), index))
        assert step.time_ns == time_ns
        assert_finite(step)


@pytest.mark.parametrize("time_ns", [2**63, -(2**63), 10**400, math.nan, math.inf, 0.5])
def test_an_answer_at_no_possible_time_is_refused_before_anything_changes(time_ns):
    run, other = Run(IDEAL), Run(IDEAL)
    frame = run.decoder.decode(full_view(0).SerializeToString(), 0)
    with one_line(OsiError, "timestamp "):
        run.model.step(frame, time_ns=time_ns)
    assert run.model.step(frame).sensor_data == other.model.step(frame).sensor_data
