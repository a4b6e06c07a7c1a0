# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ways to run a trace other than in one go, which give the same bytes."""

from itertools import islice

from osi_bridge import open_trace
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.live.counters import Counters
from osi_lidar.live.stream_model import StreamModel
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.fmu.driving import without_times
from tests.osi_lidar.live.helpers import arrival
from tests.osi_lidar.run.cluster_helpers import assert_alike

AGAIN = 3
"""How many messages of a second source show whether anything is left of the first."""


def messages_of(whole):
    """Return the answers of a run."""
    (trace,) = whole.glob("*_sd_*.osi")
    return [raw.data for raw in open_trace(trace)]


def assert_goes_on(trace, chosen, whole, out, n_frames):
    """Assert that a run that was cut after some frames is resumed to the same files."""
    report = replay(
        FrameSource(trace), chosen, out, on_step=lambda progress: progress.frames_read < n_frames
    )
    assert report.status == "interrupted"
    assert replay(FrameSource(trace), chosen, out, go_on=True).status == "complete"
    assert_alike(out, whole)


def assert_later_frames_alike(trace, chosen, whole, out, *, first):
    """Assert that clouds of each message, from a frame on, are those of the whole run."""
    replay(FrameSource(trace, frames=slice(first, None)), chosen, out)
    for sensor in (each.name for each in chosen.sensors if each.timing == "per_message"):
        names = [path.name for path in sorted((out / sensor).glob("*.pcd"))]
        assert len(names) == len(messages_of(whole)) - first
        for name in names:
            got, expected = (read_pcd(each / sensor / name) for each in (out, whole))
            assert got.tobytes() == expected.tobytes(), (sensor, name)


def assert_answered_by_fmu(report, whole):
    """Assert that an FMU has given the messages of a run."""
    expected = messages_of(whole)
    assert report.valid == report.steps == len(expected) > 0
    for ours, theirs in zip(open_trace(report.trace), expected, strict=True):
        assert without_times(ours.data) == without_times(theirs)


def assert_streamed(trace, chosen, whole):
    """Assert that a stream gives the messages of a run, also to a source that connects anew."""
    live = StreamModel(chosen, message_type=None, host_id=None, folder=None, counters=Counters())
    expected = messages_of(whole)
    for connection, n_messages in ((1, len(expected)), (2, AGAIN)):
        answers = [
            live.answer(arrival(raw.data, connection=connection)).sensor_data
            for raw in islice(open_trace(trace), n_messages)
        ]
        assert answers == expected[:n_messages]
