# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A trace in one call gives the clouds that a replay of it writes."""

import pytest

from osi_bridge import TraceError
from osi_lidar import ConfigurationError, FrameSource, InputError, open_run, replay, scan_trace
from tests.builders.refusals import one_line
from tests.builders.runs import SENSORS, make_run
from tests.builders.worlds import config


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("traces")
    make_run(folder)
    return folder


def told(clouds):
    return [(each.sensor, each.time_ns, each.points.tolist()) for each in clouds]


def written(run):
    """Return what `told` would say of a run on disk."""
    return [(each.row.sensor, each.row.end_ns, each.points().tolist()) for each in run.scans]


def test_clouds_are_those_of_a_replay(folder):
    clouds = list(scan_trace(folder / "drive.osi", config=config(sensors=list(SENSORS))))
    assert told(clouds) == written(open_run(folder / "run"))
    row = next(open_run(folder / "run").scans).row
    assert tuple(clouds[0].world_from_sensor[:3, 3]) == pytest.approx(row.end_pose[:3])


@pytest.mark.parametrize("frames", [range(1, 3), slice(1, None), range(0, 3, 2)])
def test_chosen_frames_are_those_of_a_replay(folder, frames, tmp_path):
    chosen = config(sensors=list(SENSORS))
    as_slice = slice(frames.start, frames.stop, frames.step)
    replay(FrameSource(folder / "drive.osi", frames=as_slice), chosen, tmp_path / "out")
    clouds = scan_trace(folder / "drive.osi", config=chosen, frames=frames)
    assert told(clouds) == written(open_run(tmp_path / "out"))


def test_the_model_tells_what_was_replaced(folder):
    clouds = scan_trace(folder / "drive.osi", sensor="VLP-16", frames=range(1))
    cloud = next(clouds)
    assert cloud.sensor == "VLP-16"
    assert {each.kind for each in clouds.model.fallbacks} >= {"object"}
    assert repr(clouds) == (
        "TraceClouds(FrameSource(drive.osi: SensorView, frames: 1), Config(VLP-16))"
    )
    assert not list(clouds)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"sensor": "VPL-16"}, ConfigurationError, "VLP-16"),
        ({"fidelity": "physicle"}, ConfigurationError, "physical"),
        ({"config": "absent.yaml"}, ConfigurationError, r"absent\.yaml"),
        ({"config": config(), "sensor": "VLP-16"}, InputError, "and a Config, expected it in"),
        ({"config": config(), "fidelity": "ideal"}, InputError, "and a Config, expected it in"),
        ({"map_file": "absent.xodr"}, ConfigurationError, r"scene\.map: no such file"),
        ({"frames": 5}, InputError, r"frames: got 5, expected a range .* range\(5\)"),
        ({"frames": "0:5"}, InputError, "expected a range"),
        ({"frames": range(3, 3)}, InputError, "expected numbers that grow"),
        ({"frames": range(3, 0, -1)}, InputError, "expected numbers that grow"),
        ({"frames": slice(-2, None)}, InputError, "expected numbers that grow"),
        ({"frames": slice(0.5, 2)}, InputError, "expected numbers that grow"),
        ({"frames": slice("a", None)}, InputError, "expected numbers that grow"),
        ({"frames": range(2**70)}, InputError, "expected numbers that grow"),
    ],
)
def test_a_wrong_option_is_one_line_at_once(folder, options, error, message):
    with one_line(error, match=message):
        scan_trace(folder / "drive.osi", **options)


def test_a_trace_that_is_none_is_one_line_at_once(tmp_path):
    with pytest.raises(TraceError, match=r"absent\.osi"):
        scan_trace(tmp_path / "absent.osi")


def test_frames_beyond_the_end_are_told_when_they_are_missing(folder):
    clouds = scan_trace(folder / "drive.osi", frames=range(7, 9))
    with pytest.raises(InputError, match="no frame in the range 7:9, the trace has 3 messages"):
        next(clouds)
