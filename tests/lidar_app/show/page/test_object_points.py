# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The numbers of points of objects in the page, for its plot."""

import numpy as np
import pytest

from lidar_app.show.page import cloud_page, write_page
from lidar_app.show.page.object_points import object_points, points_chunk
from osi_lidar.output.stored import open_run
from tests.builders.runs import BOX, make_run
from tests.lidar_app.show.page.decoding import chunk_of, page_of, values_of


@pytest.mark.parametrize("kind", [np.uint32, np.uint64])
def test_points_without_an_object_are_not_counted(kind):
    none = np.iinfo(kind).max
    found = object_points(np.array([7, none, 7, 3, none, 2**32 - 2], kind))
    assert found.object_id.tolist() == [3, 7, 2**32 - 2]
    assert found.n_point.tolist() == [1, 2, 1]


def test_an_object_is_seen_at_the_lower_median_of_the_times_of_its_points():
    """Of 10, 20, 30, 80 the second, of 9 itself."""
    ids, times_ns = [7, 3, 7, 2**32 - 1, 7, 7], [80, 9, 10, 1, 30, 20]
    found = object_points(np.array(ids, np.uint32), np.array(times_ns))
    assert found.object_id.tolist() == [3, 7]
    assert found.median_ns.tolist() == [9, 20]


def test_a_row_for_each_object_of_each_cloud():
    clouds = [object_points(np.array(ids, np.uint32)) for ids in ([5, 5, 9], [], [9])]
    _, columns = chunk_of(points_chunk(clouds))
    rows = zip(*(values_of(columns[name]) for name in ("cloud", "object", "points")), strict=True)
    assert [*rows] == [(0, "5", 2), (0, "9", 1), (2, "9", 1)]


def test_the_page_counts_the_points_of_each_cloud_in_the_order_of_frames(tmp_path):
    run = make_run(tmp_path)
    manifest, chunks = page_of(write_page(run).path.read_text(encoding="utf-8"))
    _, columns = chunk_of(chunks[manifest["object_points"]])
    shown = dict.fromkeys(each["chunk"] for frame in manifest["frames"] for each in frame["scans"])
    files = dict.fromkeys(each.path for each in open_run(run).scans)
    assert len(shown) == len(files)
    expected = []
    for number, scan in enumerate({each.path: each for each in open_run(run).scans}.values()):
        n_point = int((scan.points()["object_id"] == BOX).sum())
        expected += [(number, str(BOX), n_point)] if n_point else []
    rows = zip(*(values_of(columns[name]) for name in ("cloud", "object", "points")), strict=True)
    assert expected
    assert [*rows] == expected


def test_a_cloud_alone_has_no_plot():
    points = np.zeros(3, [(axis, "<f4") for axis in "xyz"])
    manifest, chunks = page_of(cloud_page(points))
    assert manifest["object_points"] is None
    assert len(chunks) == 1
