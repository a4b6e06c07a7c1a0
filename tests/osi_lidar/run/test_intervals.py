# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a process knows of the scans before its frames: as many as in a run of one process."""

import pytest

from osi_lidar import LidarModel
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.intervals import intervals
from osi_lidar.run.replay import frame_to_answer
from tests.builders.messages import host
from tests.builders.runs import write_worlds
from tests.builders.worlds import config

ONE = {"pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0, 0]]}}
OWN_PACE = {**ONE, "timing": "sensor_rate"}
SENSORS = [
    {"name": "usual", **ONE},
    {"name": "slow", **OWN_PACE, "rotation_rate_hz": 3},
    {"name": "odd", **OWN_PACE, "rotation_rate_hz": 7},
    {"name": "fast", **OWN_PACE, "rotation_rate_hz": 20},
]
N_MESSAGES = 14


@pytest.mark.parametrize(
    "frames",
    [slice(None), slice(5, None), slice(None, None, 2), slice(3, None, 4), slice(2, 11, 3)],
    ids=str,
)
def test_the_last_scans_before_each_frame_are_those_of_the_whole_run(tmp_path, frames):
    source = FrameSource(
        write_worlds(tmp_path / "drive.osi", [[host(x_m=n)] for n in range(N_MESSAGES)]),
        frames=frames,
    )
    chosen, expected = config(sensors=SENSORS), []
    model = LidarModel(chosen)
    for each in source.messages():
        frame = frame_to_answer(each, model, {})
        if frame is not None:
            expected.append({name: last.number for name, last in model.last_scans.items()})
            model.step(frame)
    found = intervals(source.moments(), chosen, n=len(expected))
    assert [each.last_scans for each in found] == expected
