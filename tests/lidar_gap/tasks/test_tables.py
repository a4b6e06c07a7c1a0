# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of boxes: what is read, and one line for what cannot be."""

import json

import numpy as np
import pytest

from lidar_base.files.bounds import MOST_OF_A_FRAME
from lidar_gap.tasks.boxes import ONE_CLASS, read_boxes
from osi_lidar.errors import InputError
from tests.builders.refusals import one_line
from tests.builders.task_tables import box_rows, written

HEADER = "frame,x,y,z,length,width,height,yaw,class,score\n"
GOOD = "0,1,2,3,4,2,1.5,0.1,car,0.9\n"


def test_csv_and_json_give_the_same_boxes(tmp_path):
    rows = box_rows()
    found = [read_boxes(written(tmp_path / name, rows)) for name in ("b.csv", "b.json")]
    for boxes in found:
        assert len(boxes) == 4
        assert boxes.centre_m[:, 0].tolist() == [0.0, 10.0, 20.0, 30.0]
        assert boxes.size_m[0].tolist() == [4.0, 2.0, 1.5]
        assert boxes.category.tolist() == ["car"] * 4
        assert boxes.actor.tolist() == ["a0", "a1", "a2", "a3"]
        assert boxes.score.tolist() == [row["score"] for row in rows]


def test_columns_stand_in_any_order_and_others_are_ignored(tmp_path):
    path = tmp_path / "b.csv"
    path.write_text("note,score,yaw_deg,height,width,length,z,y,x,frame\n?,1,90,3,2,4,0,0,7,5\n\n")
    boxes = read_boxes(path)
    assert boxes.centre_m.tolist() == [[7.0, 0.0, 0.0]]
    assert boxes.yaw_rad[0] == pytest.approx(np.pi / 2)
    assert (boxes.category[0], boxes.frame[0], boxes.actor) == (ONE_CLASS, 5, None)


def test_a_table_without_boxes_is_allowed(tmp_path):
    (tmp_path / "b.csv").write_text(HEADER)
    (tmp_path / "b.json").write_text("[]")
    assert len(read_boxes(tmp_path / "b.csv")) == len(read_boxes(tmp_path / "b.json")) == 0


def test_boxes_of_a_frame_are_few_enough_to_be_compared_pair_by_pair(tmp_path):
    most = [GOOD] * MOST_OF_A_FRAME
    (tmp_path / "b.csv").write_text(HEADER + "".join([*most, GOOD.replace("car", "bus")]))
    assert len(read_boxes(tmp_path / "b.csv")) == MOST_OF_A_FRAME + 1
    (tmp_path / "b.csv").write_text(HEADER + "".join([*most, GOOD]))
    expected = "got 1001 boxes of class car in frame 0, expected at most 1000"
    with pytest.raises(InputError, match=expected):
        read_boxes(tmp_path / "b.csv")


def test_labels_need_no_scores_but_detections_do(tmp_path):
    rows = [{k: v for k, v in row.items() if k != "score"} for row in box_rows()]
    path = written(tmp_path / "b.csv", rows)
    assert read_boxes(path, scored=False).score.tolist() == [1.0] * 4
    with pytest.raises(InputError, match=r"b\.csv: has no column 'score'"):
        read_boxes(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("a\0b", "is not a text"),
        (",,\n,,\n", "all cells are empty, expected a header"),
        (HEADER.replace("length", "lenght") + GOOD, "no column 'length', did you mean 'lenght'"),
        (HEADER.replace("yaw,", "heading,") + GOOD, "'yaw' [rad] or 'yaw_deg'"),
        (HEADER.replace("class", "x") + GOOD, "got the column 'x' twice"),
        (HEADER + GOOD + "0,1,2\n", "line 3: got 3 cells, expected 10"),
        (HEADER + GOOD.replace("0.9", "high"), "line 2, column score: got 'high', expected a num"),
        (HEADER + GOOD.replace("0.9", "nan"), "line 2, column score: got 'nan'"),
        (HEADER + GOOD.replace("0.9", "1e308"), "line 2, column score: got '1e308'"),
        (HEADER + GOOD.replace("0.9", "1e999"), "line 2, column score: got '1e999'"),
        (
            HEADER + GOOD.replace("1.5", "-1.5"),
            "column height: got '-1.5', expected a number above 0",
        ),
        (
            HEADER + "\n" + GOOD.replace("0,1", "0.5,1"),
            "line 3, column frame: got '0.5', expected a w",
        ),
        (HEADER + GOOD.replace("0,1", "1e30,1"), "column frame: got '1e30'"),
        (HEADER + GOOD.replace("car", ""), "column class: got '', expected a text"),
        (HEADER + GOOD.replace("0,1", "9" * 30 + ",1"), "column frame"),
    ],
)
def test_a_damaged_csv_table_is_refused_with_line_and_column(tmp_path, text, words):
    path = tmp_path / "boxes.csv"
    path.write_text(text)
    with one_line(InputError, words, "boxes.csv"):
        read_boxes(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "line 1: is not JSON"),
        ("{}", "got dict, expected a list of objects"),
        ("[1]", "entry 1: got int, expected an object"),
        ("[" * 100_000, "is not JSON"),
        (json.dumps([{**box_rows()[0], "x": None}]), "entry 1, column x: got ''"),
        (json.dumps([{**box_rows()[0], "x": True}]), "entry 1, column x"),
        (json.dumps([*box_rows(), {"frame": 1}]), "entry 5, column x: got ''"),
        (json.dumps([{"frame": 1, "lenght": 3}]), "has no column 'x'"),
    ],
)
def test_a_damaged_json_table_is_refused(tmp_path, text, words):
    path = tmp_path / "boxes.json"
    path.write_text(text)
    with one_line(InputError, words, "boxes.json"):
        read_boxes(path)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_boxes(tmp_path / "nothing.csv")
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        read_boxes(tmp_path / "picture.csv")
