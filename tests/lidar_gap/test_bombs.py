# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Masks, tables of tasks and labels that state much in few bytes end in one line."""

import io
import struct

import numpy as np
import pytest

from lidar_gap.compare.labels import read_labels
from lidar_gap.own_vehicle import _read_image
from lidar_gap.reading.captures import read_capture
from lidar_gap.reading.las import las_columns
from lidar_gap.reading.tables import ply_columns, read_feather
from lidar_gap.tasks.tables import Column, read_table
from osi_lidar.errors import InputError
from tests.builders.bombs import memory_bound
from tests.builders.extras import needs


def array_of(shape):
    """Return a `.npy` file of a few bytes that states a shape."""
    file = io.BytesIO()
    header = {"descr": "<f4", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + bytes(12)


def test_a_mask_has_the_bytes_of_its_shape(tmp_path):
    path = tmp_path / "mask.npy"
    path.write_bytes(array_of((2**40, 3)))
    with pytest.raises(InputError, match="bytes of an array: got 13194139533312, expected at most"):
        _read_image(path)


def test_a_table_of_a_task_has_few_values_for_its_bytes(tmp_path):
    path = tmp_path / "boxes.csv"
    path.write_text("a,b\n" + "1,2\n" * 1_000_000)
    problem = "values in the file: got [0-9]+, expected at most [0-9]+$"
    with pytest.raises(InputError, match=problem):
        read_table(path, [Column(name="a", kind="number")])


def test_labels_as_arrow_are_not_unpacked_beyond_their_bytes(tmp_path):
    pa, feather = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.feather")
    path = tmp_path / "annotations.feather"
    zeros = pa.table({name: pa.array(np.zeros(2**24, np.float32)) for name in "xyz"})
    feather.write_feather(zeros, path, compression="zstd")
    problem = "bytes of its columns: got [0-9]+, expected at most [0-9]+$"
    for read in (read_labels, read_feather):
        with pytest.raises(InputError, match=problem):
            read(path)


def test_the_header_of_a_ply_cloud_is_bounded(tmp_path):
    path = tmp_path / "a.ply"
    path.write_bytes(b"ply\n" + b"element e 0\nproperty float x\n" * 10_000 + b"end_header\n")
    with pytest.raises(InputError, match=r"lines of its header: got 20001, expected at most 1000$"):
        ply_columns(path)


@pytest.mark.long
@needs("dpkt", "velodyne_decoder")
def test_a_capture_of_empty_packets_is_refused_on_the_way(tmp_path):
    path = tmp_path / "zero.pcap"
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 2**16, 1)
    path.write_bytes(head + bytes(16) * 200_000)
    with pytest.raises(InputError, match="packets so far: got 133334, expected at most 133333"):
        read_capture(path)


@needs("laspy")
def test_a_las_file_without_its_points_is_told(tmp_path):
    import laspy

    path = tmp_path / "a.las"
    las = laspy.create(point_format=6, file_version="1.4")
    las.x = las.y = las.z = np.zeros(10)
    las.write(path)
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, 96, 2**32 - 1)
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"a\.las: is cut short: 0 of 10 points$"):
        las_columns(path)


@needs("laspy", "lazrs")
@pytest.mark.parametrize("suffix", ["las", "laz"])
def test_a_las_file_states_points_in_proportion_to_its_bytes(tmp_path, suffix):
    import laspy

    path = tmp_path / f"a.{suffix}"
    las = laspy.create(point_format=6, file_version="1.4")
    las.x = las.y = las.z = np.zeros(10)
    las.write(path)
    data = bytearray(path.read_bytes())
    struct.pack_into("<Q", data, 247, 10**8)
    path.write_bytes(data)
    problem = "bytes of points: got [0-9]+, expected at most [0-9]+$"
    with pytest.raises(InputError, match=problem):
        las_columns(path)


def laz_of(path, point_format):
    """Write a LAZ file of 10 points; return its bytes."""
    import laspy

    las = laspy.create(point_format=point_format, file_version="1.4")
    las.x = las.y = las.z = np.arange(10.0)
    las.write(path)
    return bytearray(path.read_bytes())


# the record of LASzip is found by its name; 12 bytes in it are before the points of a chunk
@needs("laspy", "lazrs")
@pytest.mark.parametrize("point_format", [1, 6])
def test_a_chunk_of_a_laz_file_has_points_in_proportion_to_its_bytes(tmp_path, point_format):
    path = tmp_path / "a.laz"
    data = laz_of(path, point_format)
    record = data.index(b"laszip encoded") - 2 + 54
    struct.pack_into("<I", data, record + 12, 10**9)
    path.write_bytes(data)
    problem = "bytes of a chunk of points: got [0-9]+, expected at most [0-9]+$"
    with memory_bound(60), pytest.raises(InputError, match=problem):
        las_columns(path)


@needs("laspy", "lazrs")
def test_the_layers_of_a_chunk_are_in_it(tmp_path):
    path = tmp_path / "a.laz"
    data = laz_of(path, 6)
    (points_at,) = struct.unpack_from("<I", data, 96)
    sizes_at = points_at + 8 + 30 + 4  # the place of the table, the first point, their number
    assert struct.unpack_from("<I", data, sizes_at - 4) == (10,)
    struct.pack_into("<9I", data, sizes_at, *[2**32 - 1] * 9)
    path.write_bytes(data)
    problem = "bytes of layers of a chunk: got [0-9]+, expected at most [0-9]+$"
    with memory_bound(60), pytest.raises(InputError, match=problem):
        las_columns(path)


@needs("laspy", "lazrs")
@pytest.mark.parametrize("point_format", [0, 1, 3, 6, 7, 8])
def test_laz_files_of_all_layouts_are_read(tmp_path, point_format):
    path = tmp_path / "a.laz"
    laz_of(path, point_format)
    np.testing.assert_allclose(las_columns(path)["X"], np.arange(10.0), atol=0.01)
