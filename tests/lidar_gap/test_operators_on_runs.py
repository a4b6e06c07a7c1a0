# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators on whole runs: pairs of frames, files and the manifest."""

import json
from dataclasses import replace

import numpy as np
import pytest

from lidar_gap.operators_on_runs import (
    apply_operators,
    cloud_writer,
    make_output_folder,
    operators_of,
    totals,
    write_manifest,
)
from lidar_gap.pairing import frame_pairs
from lidar_gap.records import NO_POINT, RangeImage, ScanCloud
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.errors import InputError, OutputError

N_PIXEL = 8


def cloud(name, pixels, ranges_m=10.0, **columns):
    """Return a cloud with one point in each of some pixels of a row; x is its range."""
    pixels = np.array(pixels, np.int32)
    points_m = np.zeros((len(pixels), 3))
    points_m[:, 0] = ranges_m
    points_m[:, 1] = pixels
    return ScanCloud(
        name=name, points_m=points_m, range_m=points_m[:, 0].copy(), column=pixels, **columns
    )


def row_image(of):
    """Return the image of a cloud from `cloud`, by its columns."""
    range_m, point = np.full((1, N_PIXEL), np.nan), np.full((1, N_PIXEL), NO_POINT, np.int64)
    range_m[0, of.column] = of.range_m
    point[0, of.column] = np.arange(len(of))
    return RangeImage(
        range_m=range_m,
        point=point,
        n_points=(point != NO_POINT).astype(np.int32),
        pixel_of_point=of.column.astype(np.int64),
        elevation_deg=np.zeros(1),
        azimuth_deg=np.arange(float(N_PIXEL)),
    )


REAL = cloud("r", [0, 1, 2, 5], [10.0, 20.0, 30.0, 40.0], n_echoes=np.array([1, 2, 1, 1], np.uint8))
SIM = cloud("s", [1, 2, 3], [20.5, 33.0, 40.0])


def applied_once(names, write=lambda stem, _: stem):
    (frame,) = apply_operators(names, [(REAL, SIM)], row_image, write)
    return frame


def test_the_manifest_counts_what_each_operator_chose():
    # pixel 3 is only simulated, 0 and 5 only real, 1 and 2 are .5 m and 3 m apart
    frame = applied_once(["drop", "add", "echoes", "modify=0:1"])
    assert frame.counts == {"dropped": 1, "added": 2, "echoes": 1, "modified": 1}
    assert (frame.n_real, frame.n_sim) == (4, 3)
    assert frame.n_points == 4  # 1 of SIM in pixel 2; pixels 0, 5 and 1 of REAL
    assert totals([frame, frame]) == {
        "frames": 2,
        "n_real": 8,
        "n_sim": 6,
        "n_points": 8,
        "dropped": 2,
        "added": 4,
        "echoes": 2,
        "modified": 2,
    }


def test_drop_add_and_modify_together_give_the_real_points():
    clouds = []
    applied_once(operators_of("drop,add,modify=0:inf"), lambda _, of: clouds.append(of) or "r.pcd")
    (result,) = clouds
    assert sorted(map(tuple, result.points_m)) == sorted(map(tuple, REAL.points_m))


def test_limits_hold_for_differences_or_for_ranges():
    assert applied_once(operators_of("modify=0:1")).counts == {"modified": 1}
    assert applied_once(operators_of("modify=30:50", "range")).counts == {"modified": 1}
    assert applied_once(operators_of("modify=0:200")).counts == {"modified": 2}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no operator ''"),
        ("drop,", "no operator ''"),
        ("lose", "no operator 'lose'"),
        ("drop,add,drop", "got operator 'drop' twice"),
        ("modify", "expected two limits"),
        ("modify=1:0", "expected two limits"),
        ("modify=a:b", "expected two limits"),
    ],
)
def test_operators_that_cannot_be_used_are_refused(text, words):
    for by in ("difference", "range"):
        with pytest.raises(InputError, match=words):
            operators_of(text, by)


def test_frames_are_paired_by_name_or_in_their_order():
    named = [cloud(name, []) for name in ("b", "a")]
    others = [cloud(name, []) for name in ("a", "b")]
    assert [(r.name, s.name) for r, s in frame_pairs(named, others)] == [("b", "b"), ("a", "a")]
    others[0] = cloud("c", [])
    assert [(r.name, s.name) for r, s in frame_pairs(named, others)] == [("b", "c"), ("a", "b")]
    with pytest.raises(
        InputError, match="got 2 real and 1 simulated frames, expected equal numbers"
    ):
        frame_pairs(named, others[:1])
    with pytest.raises(InputError, match="got 0 real and 0"):
        frame_pairs([], [])


def test_files_have_the_names_of_real_frames_or_numbers():
    def files(*names):
        pairs = [(cloud(name, []), cloud("s", [])) for name in names]
        return [each.file for each in apply_operators(["drop"], pairs, row_image, lambda s, _: s)]

    assert files("a", "b 1/2") == ["a", "b_1_2"]
    assert files("a", "A") == files("x", "x") == ["000000", "000001"]


@pytest.mark.parametrize("suffix", ["bin", "npy"])
def test_kitti_rows_hold_coordinates_and_intensity(tmp_path, suffix):
    of = cloud("a", [0, 3], [5.0, 6.0], intensity=np.array([0.25, 1.0], np.float32))
    name = cloud_writer(tmp_path, suffix)("a", of)
    path = tmp_path / name
    rows = np.load(path) if suffix == "npy" else np.fromfile(path, "<f4").reshape(-1, 4)
    assert rows.dtype == np.float32
    assert rows.tolist() == [[5.0, 0.0, 0.0, 0.25], [6.0, 3.0, 0.0, 1.0]]


def test_a_cloud_without_intensity_has_zeros_in_kitti_rows_and_no_field_in_pcd(tmp_path):
    cloud_writer(tmp_path, "bin")("a", cloud("a", [1]))
    assert np.fromfile(tmp_path / "a.bin", "<f4").tolist() == [10.0, 1.0, 0.0, 0.0]
    cloud_writer(tmp_path, "pcd")("a", cloud("a", [1]))
    assert read_pcd(tmp_path / "a.pcd").dtype.names == ("x", "y", "z", "column")


def test_a_file_states_the_ranges_that_the_sensor_has_stated(tmp_path):
    cloud_writer(tmp_path, "pcd")("a", replace(cloud("a", [1]), states_range=True))
    points = read_pcd(tmp_path / "a.pcd")
    assert points.dtype.names == ("x", "y", "z", "range", "column")
    assert points[0].tolist() == (10.0, 1.0, 0.0, 10.0, 1)


def test_an_empty_cloud_is_written_in_every_format(tmp_path):
    for suffix in ("pcd", "bin", "npy"):
        assert (tmp_path / cloud_writer(tmp_path, suffix)("a", cloud("a", []))).exists()
    assert len(read_pcd(tmp_path / "a.pcd")) == 0


def test_the_manifest_lists_settings_totals_and_frames(tmp_path):
    path = write_manifest(tmp_path, {"operators": ["drop"]}, [applied_once(["drop"])])
    content = json.loads(path.read_text())
    assert content["operators"] == ["drop"]
    assert content["totals"]["dropped"] == 1
    assert content["frames"][0]["file"] == "r"
    assert [each.name for each in tmp_path.glob("[!.]*")] == ["manifest.json"]


def test_a_folder_with_files_is_kept_unless_it_may_be_replaced(tmp_path):
    make_output_folder(tmp_path / "new" / "folder", overwrite=False)
    (tmp_path / "note").write_text("")
    with pytest.raises(OutputError, match="not empty"):
        make_output_folder(tmp_path, overwrite=False)
    make_output_folder(tmp_path, overwrite=True)
    with pytest.raises(OutputError, match="not a folder"):
        make_output_folder(tmp_path / "note", overwrite=True)
