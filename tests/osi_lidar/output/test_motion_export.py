# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Where objects were, as text and as Parquet, and back again."""

import math
import re

import numpy as np
import pytest

from osi_lidar import ConfigurationError, OutputError, load_config
from osi_lidar.output import motion_export
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.messages import Thing, frames
from tests.builders.refusals import one_line
from tests.builders.runs import write_worlds
from tests.builders.worlds import config

NUMBER = r"(-?\d+\.\d+)"
LINE = re.compile(
    rf"timestamp: {NUMBER} object: (\d+) "
    rf"x: {NUMBER} y: {NUMBER} z: {NUMBER} rx: {NUMBER} ry: {NUMBER} rz: {NUMBER}"
)
START_S = 1000.0
BIG_ID = 2**63 + 5
N_FRAMES = 5
ONE = {"name": "one", "pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0, 0]]}}


def worlds():
    """Return objects that go and turn, one of them far from the origin, one that comes later."""
    return [
        [
            Thing(1, (math.pi * i, -1e6 / 3, 0.75), yaw_rad=0.1 * i - 0.2),
            Thing(BIG_ID, (1e-9, 2.0 / 7, 0.5), model_reference="a b.obj"),
            *([Thing(3, (5.0, 5.0, 5.0), kind="stationary_object")] if i > 2 else []),
        ]
        for i in range(N_FRAMES)
    ]


def run_with(folder, output):
    trace = write_worlds(folder / "objects.osi", worlds(), start_s=START_S, step_s=0.01)
    files = {"pcd": "none", "sensor_data": "none"}
    configuration = config(sensors=[ONE], output={**files, **output})
    return replay(FrameSource(trace), configuration, folder / "out"), folder / "out"


def states():
    """Return (frame, id, position and orientation) of all objects as decoded."""
    for frame in frames(worlds(), step_s=0.01):
        objects = frame.objects
        for row, object_id in enumerate(objects.object_id.tolist()):
            pose = (*objects.position_m[row], *objects.orientation_rad[row])
            yield frame.index, object_id, pose


def test_text_is_read_back_as_it_was(tmp_path):
    _, out = run_with(tmp_path, {"motion": "text"})
    lines = (out / "motion.txt").read_text(encoding="ascii").splitlines()
    expected = list(states())
    assert len(lines) == len(expected) == 2 * N_FRAMES + 2
    for line, (index, object_id, pose) in zip(lines, expected, strict=True):
        found = LINE.fullmatch(line)
        assert found is not None, line
        assert found[1] == f"{START_S + 0.01 * index:.4f}"
        assert int(found[2]) == object_id
        # half a unit of the tenth decimal, and what a double of this size cannot tell
        values = [float(value) for value in found.groups()[2:]]
        np.testing.assert_allclose(values, pose, rtol=0, atol=1e-10)
    assert not (out / "motion.parquet").exists()


@pytest.mark.parametrize("rows_at_once", [1, 5, 1 << 16])
def test_parquet_is_read_back_bit_for_bit(tmp_path, monkeypatch, rows_at_once):
    """Rows are written in groups: each message alone, a few messages, or all at the end."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    monkeypatch.setattr(motion_export, "_MANY_ROWS", rows_at_once)
    _, out = run_with(tmp_path, {"motion": "both"})
    table = parquet.read_table(out / "motion.parquet")
    rows = table.to_pylist()
    assert len(rows) == len((out / "motion.txt").read_text().splitlines())
    names = ("x_m", "y_m", "z_m", "rx_rad", "ry_rad", "rz_rad")
    back = [(row["frame"], row["object_id"], tuple(row[name] for name in names)) for row in rows]
    assert back == list(states())
    assert {row["timestamp_ns"] for row in rows if row["frame"] == 2} == {1_000_020_000_000}
    assert {row["model_reference"] for row in rows if row["object_id"] == BIG_ID} == {"a b.obj"}
    assert rows[0]["type"] == "TYPE_VEHICLE"
    assert table.schema.field("rz_rad").metadata == {b"unit": b"rad"}


def test_chosen_objects_alone_are_written_and_absent_ones_told(tmp_path, caplog):
    _, out = run_with(tmp_path, {"motion": "text", "motion_objects": [3, BIG_ID, 99]})
    lines = (out / "motion.txt").read_text().splitlines()
    ids = [int(LINE.fullmatch(line)[2]) for line in lines]
    assert ids == [BIG_ID] * 3 + [BIG_ID, 3] * 2
    told = [record.getMessage() for record in caplog.records]
    assert [line for line in told if line.startswith("output.")] == [
        "output.motion_objects: no message contained the object 99"
    ]


def test_objects_of_the_frames_before_a_resumed_run_goes_on_are_not_told_as_absent(
    tmp_path, caplog
):
    seen = [
        [Thing(1, (0.0, 0.0, 0.75)), *([Thing(2, (9.0, 0.0, 0.75))] * (i < 2))] for i in range(6)
    ]
    source = FrameSource(write_worlds(tmp_path / "objects.osi", seen))
    output = {"pcd": "none", "motion": "text", "motion_objects": [2, 99]}
    chosen, out = config(sensors=[ONE], output=output), tmp_path / "out"
    replay(source, chosen, out, on_step=lambda progress: progress.frames_read < 4)
    caplog.clear()
    replay(source, chosen, out, go_on=True)
    assert [
        record.getMessage() for record in caplog.records if "motion" in record.getMessage()
    ] == ["output.motion_objects: no message contained the object 99"]
    replay(source, chosen, tmp_path / "whole")
    assert (out / "motion.txt").read_bytes() == (tmp_path / "whole" / "motion.txt").read_bytes()


def test_without_motion_there_is_no_file(tmp_path):
    _, out = run_with(tmp_path, {})
    assert not list(out.glob("motion*"))


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("{motion: csv}", "output.motion: got 'csv'"),
        ("{motion_objects: [1]}", "output.motion_objects: needs motion: text, parquet or both"),
        ("{motion: text, motion_objects: []}", "output.motion_objects: "),
        ("{motion: text, motion_objects: [car]}", "output.motion_objects[0]: "),
        ("{motion: text, motion_objects: -1}", "output.motion_objects[0]: "),
        ("{ground_truth: yes please}", "output.ground_truth: "),
    ],
)
def test_what_cannot_be_written_is_one_line(tmp_path, output, words):
    path = tmp_path / "config.yaml"
    path.write_text(f"sensors: [{{preset: VLP-16}}]\noutput: {output}\n")
    with one_line(ConfigurationError, start=f"{path}: {words}"):
        load_config(path)


def test_a_file_that_cannot_be_completed_is_one_line(tmp_path, monkeypatch):
    from osi_lidar.output import motion_export

    monkeypatch.setattr(motion_export, "_PART", "absent/part")
    with one_line(OutputError, match=r"motion\.txt: cannot be written: "):
        run_with(tmp_path, {"motion": "text"})
