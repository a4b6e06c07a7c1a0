# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes of fast objects and their points, brought to one time."""

import numpy as np
import pytest

from lidar_app.datasets.box_times import brought_together, points_inside
from lidar_app.datasets.boxes import MessageBoxes, TableBoxes
from lidar_app.exports.scan_points import after_ns, deskewed_scans, end_pose, xyz_m
from lidar_app.truth.run import replay_with_truth
from osi_lidar.output.stored import open_run
from osi_lidar.run.frame_source import FrameSource
from tests.builders.extras import needs
from tests.builders.messages import Thing, host
from tests.builders.runs import write_worlds
from tests.builders.worlds import config

pytestmark = needs("pyarrow")
BIKE, SIZE_M = 2, (2.2, 0.8, 1.4)
SENSOR = {"name": "top", "preset": "VLP-16", "columns": 1800, "mounting": {"z_m": 1.2}}
TOLERANCE_M = 0.02


def run_of(folder, speed_m_s, *, place_m=(0.0, 9.0), turn_rad=0.0, things=(), **sensor):
    """Replay a motorcycle that is at a place at the end of the last scan, and drives along x."""
    bikes = [
        Thing(
            BIKE,
            (place_m[0] + 0.1 * step * speed_m_s, place_m[1], 0.75),
            dimension_m=SIZE_M,
            yaw_rad=step * turn_rad,
        )
        for step in (-2, -1, 0)
    ]
    folder.mkdir(exist_ok=True)
    trace = write_worlds(folder / "drive.osi", [[host(), bike, *things] for bike in bikes])
    replay_with_truth(FrameSource(trace), config(sensors=[{**SENSOR, **sensor}]), folder / "run")
    return open_run(folder / "run")


def of_table(run):
    return TableBoxes(run, run.folder)


def last_scan(run, when, boxes_of=of_table):
    """Return the last scan, its points, its boxes, and the row of the motorcycle's box."""
    *_, (scan, points) = deskewed_scans(run, run.scans)
    points, boxes = brought_together(scan, points, boxes_of(run).of(scan, points), when)
    (row,) = np.flatnonzero(boxes.object_id == BIKE)
    return scan, points, boxes, row


def share_outside(run, when, boxes_of=of_table):
    """Return the share of the motorcycle's points more than 2 cm outside of it."""
    scan, points, boxes, row = last_scan(run, when, boxes_of)
    own = xyz_m(points[points["object_id"] == BIKE])
    assert len(own) > 30
    pose = np.linalg.inv(end_pose(scan)) @ boxes.world_from_box[row]
    return 1.0 - points_inside(own, pose, np.array(SIZE_M) + 2.0 * TOLERANCE_M).mean()


@pytest.mark.parametrize("boxes_of", [of_table, MessageBoxes], ids=["table", "messages"])
@pytest.mark.parametrize(
    ("speed_m_s", "at_end", "at_points"),
    [(0.0, 0.0, 0.0), (5.0, 0.1, 0.0), (15.0, 0.4, 0.01), (40.0, 0.95, 0.08)],
)
def test_points_are_in_the_boxes_where_the_sensor_saw_them(
    tmp_path, speed_m_s, at_end, at_points, boxes_of
):
    """While beams sweep over 2.2 m at 9 m, for 4 ms, it drives up to 16 cm, 8 to either side."""
    run = run_of(tmp_path, speed_m_s)
    assert share_outside(run, "at-end", boxes_of) >= at_end
    assert share_outside(run, "at-points", boxes_of) <= at_points
    assert share_outside(run, "carried", boxes_of) == 0.0


def test_halves_on_both_sides_of_the_seam_are_carried_together(tmp_path):
    run = run_of(tmp_path, 40.0, place_m=(4.0, 0.3))
    assert share_outside(run, "at-points") > 0.2
    assert share_outside(run, "carried") == 0.0


def test_what_turns_is_carried_around(tmp_path):
    run = run_of(tmp_path, 0.0, turn_rad=0.4)
    assert share_outside(run, "at-end") > 0.3
    assert share_outside(run, "at-points") < 0.02
    assert share_outside(run, "carried") == 0.0


@pytest.mark.parametrize("boxes_of", [of_table, MessageBoxes], ids=["table", "messages"])
def test_a_tilted_sensor_has_points_carried_along_the_way_of_their_object(tmp_path, boxes_of):
    """The sensor looks down by 25 deg, so the motorcycle does not drive along its x-y plane."""
    run = run_of(tmp_path, 40.0, mounting={"z_m": 1.2, "pitch_deg": 25.0})
    assert share_outside(run, "at-end", boxes_of) > 0.9
    assert share_outside(run, "carried", boxes_of) == 0.0


def test_a_hidden_object_is_where_beams_of_a_tilted_sensor_went_by(tmp_path):
    """Of all points, the nearest one to the box, seen from the sensor, is of the box's time."""
    wall = Thing(7, (6.0, 5.0, 2.0), dimension_m=(60.0, 0.2, 60.0), kind="stationary_object")
    # the level direction of the box, 45 deg, has an azimuth of 57 deg in this turned sensor
    mounting = {"z_m": 1.2, "roll_deg": 33.0, "pitch_deg": 40.0}
    run = run_of(tmp_path, 40.0, place_m=(9.0, 9.0), things=[wall], mounting=mounting)
    scan, points, boxes, row = last_scan(run, "at-points")
    assert not (points["object_id"] == BIKE).any()
    pose = end_pose(scan)
    away_m = xyz_m(points).astype(np.float64) @ pose[:3, :3].T
    along = away_m / np.linalg.norm(away_m, axis=1)[:, None]
    nearest = np.argmax(along @ (boxes.world_from_box[row, :3, 3] - pose[:3, 3]))
    passed_s = (boxes.world_from_box[row, 0, 3] - 9.0) / 40.0  # before the end
    assert passed_s == pytest.approx(1e-9 * after_ns(scan, points)[nearest] - 0.1, abs=2e-4)


def test_boxes_keep_their_place_where_objects_rest_during_a_scan(tmp_path):
    run = run_of(tmp_path, 40.0, motion_blur=False)
    for boxes_of in (of_table, MessageBoxes):
        _, _, boxes, row = last_scan(run, "at-points", boxes_of)
        assert boxes.world_from_box[row, :2, 3].tolist() == [0.0, 9.0]
        np.testing.assert_array_equal(boxes.world_from_box, boxes.world_from_box_begin)


def test_a_hidden_object_is_where_beams_went_by(tmp_path):
    wall = Thing(7, (0.0, 5.0, 2.0), dimension_m=(60.0, 0.2, 4.0), kind="stationary_object")
    run = run_of(tmp_path, 40.0, things=[wall])
    _, points, boxes, row = last_scan(run, "at-points")
    assert not (points["object_id"] == BIKE).any()
    seen = run_of(tmp_path / "seen", 40.0)
    _, _, other, same = last_scan(seen, "at-points")
    np.testing.assert_allclose(
        boxes.world_from_box[row], other.world_from_box[same], rtol=0.0, atol=0.05
    )


def test_boxes_enclose_the_points_of_what_rests(tmp_path):
    run = run_of(tmp_path, 0.0)
    scan, points, boxes, row = last_scan(run, "at-points")
    pose = np.linalg.inv(end_pose(scan)) @ boxes.world_from_box[row]
    assert boxes.size_m[row].tolist() == pytest.approx([each + 0.02 for each in SIZE_M])
    assert points_inside(xyz_m(points[points["object_id"] == BIKE]), pose, boxes.size_m[row]).all()
