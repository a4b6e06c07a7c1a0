# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs on disk are read as they were written; what is no run is one line."""

import json
from dataclasses import replace

import numpy as np
import pytest

from osi_lidar.errors import InputError
from osi_lidar.output.stored import input_messages, open_run
from tests.builders.messages import framed
from tests.builders.runs import BOX, drive, make_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("stored"))


def test_scans_repeat_the_cloud_of_a_frame_that_did_not_change(folder):
    run = open_run(folder)
    scans = list(run.scans)
    assert [(scan.row.frame, scan.row.sensor) for scan in scans] == [
        (frame, sensor) for frame in range(3) for sensor in ("front", "left")
    ]
    assert [scan.row.time_ns for scan in scans[::2]] == [0, 100_000_000, 200_000_000]
    assert scans[0].path == scans[2].path != scans[4].path
    points = scans[0].points()
    assert len(points) == scans[0].row.points > 0
    assert "asphalt_worn" in {run.materials[each] for each in np.unique(points["material_id"])}
    assert run.host_object_id == 1


def test_sensors_and_frames_are_chosen_by_name_and_number(folder):
    run = open_run(folder).chosen(sensors=["left"], frames=slice(1, 3))
    assert {(row.sensor, row.frame) for row in run.rows} == {("left", 1), ("left", 2)}
    assert run.sensor("left").settings["mounting"]["yaw_deg"] == 90.0
    with pytest.raises(InputError, match=r"got sensor 'rigth', expected one of front, left"):
        open_run(folder).chosen(sensors=["rigth"])
    with pytest.raises(InputError, match="has no frames in the chosen range"):
        open_run(folder).chosen(frames=slice(7, None))


def test_messages_of_a_run_are_those_of_its_trace(folder):
    run = open_run(folder).chosen(frames=slice(1, None))
    found = list(input_messages(run))
    assert [each.frame.index for each in found] == [1, 2]
    assert framed(each.data for each in found) == framed(drive()[1:])
    assert BOX in found[0].frame.objects.object_id


def test_a_trace_that_was_moved_and_a_folder_without_a_run_are_one_line(folder, tmp_path):
    run = open_run(folder)
    moved = replace(run, report={**run.report, "input": {"file": str(tmp_path / "gone.osi")}})
    with pytest.raises(InputError, match=r"gone\.osi: no such file, but the run was made from it"):
        next(input_messages(moved))
    with pytest.raises(InputError, match=r"absent: no such folder, expected the folder of a run"):
        open_run(tmp_path / "absent")
    with pytest.raises(InputError, match=r"has no run\.json"):
        open_run(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"materials": []}))
    with pytest.raises(InputError, match=r"no list `config.sensors`"):
        open_run(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(InputError, match="is not a JSON file, or is damaged"):
        open_run(tmp_path)
