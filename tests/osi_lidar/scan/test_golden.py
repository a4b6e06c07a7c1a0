# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The clouds of the demo are those that were taken before the model was made faster."""

import zlib
from pathlib import Path

import numpy as np
import pytest

from osi_bridge import FrameDecoder, open_trace
from osi_lidar import LidarModel, load_config
from osi_lidar.run.example_scene import street

GOLDEN = Path(__file__).parents[2] / "golden" / "street.npz"
FRAMES = (0, 21, 33, 57)
CLOSE = 1e-5  # metres, and of what is no length


@pytest.fixture(scope="module")
def demo():
    """Return the clouds of some frames of the demo; what moves in one depends on those before."""
    scenario = street()
    model = LidarModel(load_config(scenario.config), trace_folder=scenario.trace.parent)
    decoder, taken = FrameDecoder("SensorView"), {}
    for index, raw in enumerate(open_trace(scenario.trace)):
        step = model.step(decoder.decode(raw.data, index))
        if index in FRAMES:
            taken[index] = step.scans[0].cloud
    return taken


@pytest.mark.parametrize("frame", FRAMES)
def test_the_clouds_of_the_demo_are_as_they_were(demo, frame):
    points, beam = demo[frame].points, demo[frame].beam
    with np.load(GOLDEN) as golden:
        some, integers = golden[f"{frame}_every_hundredth"], golden[f"{frame}_integers"]
        mean, mean_absolute = golden[f"{frame}_mean"], golden[f"{frame}_mean_absolute"]
        assert len(points) == golden[f"{frame}_n"]
    assert points.dtype == some.dtype
    names = points.dtype.names
    whole = [np.ascontiguousarray(points[name]) for name in names if points[name].dtype.kind == "u"]
    assert [zlib.crc32(column.tobytes()) for column in (*whole, beam)] == integers.tolist()
    real = [name for name in names if points[name].dtype.kind == "f"]
    for name in real:
        np.testing.assert_allclose(points[name][::100], some[name], rtol=1e-6, atol=CLOSE)
    columns = [points[name].astype(np.float64) for name in real]
    np.testing.assert_allclose([each.mean() for each in columns], mean, rtol=0, atol=CLOSE)
    np.testing.assert_allclose(
        [np.abs(each).mean() for each in columns], mean_absolute, rtol=1e-6, atol=CLOSE
    )
