# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compressed clouds: python-lzf, the library of other readers, gives the same bytes back."""

import lzf
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lidar_base.pcd_kernels import HASH_BITS, compress, take_columns
from osi_lidar.clouds.cloud import point_type
from osi_lidar.clouds.pcd import read_pcd, write_pcd

PLACE = np.empty(1 << HASH_BITS, np.uint32)


def packed(data, room=None):
    """Return compressed bytes, None if they do not fit."""
    PLACE[:] = 0xFFFFFFFF  # what an earlier use may have left
    out = np.full(len(data) * 2 + 64 if room is None else room, 0xAA, np.uint8)
    guarded = np.full(len(out) + 64, 0xAA, np.uint8)
    n_bytes = compress(np.frombuffer(data, np.uint8), PLACE, guarded[: len(out)])
    assert (guarded[len(out) :] == 0xAA).all()
    return guarded[:n_bytes].tobytes() if n_bytes else None


def repeated(rng, n_bytes):
    """Return bytes in which runs of all lengths come again at all distances."""
    data = bytearray(rng.bytes(40))
    while len(data) < n_bytes:
        away = int(rng.integers(1, min(len(data), 9000) + 1))
        begin = len(data) - away
        for n in range(int(rng.integers(1, 600))):
            data.append(data[begin + n])
        data += rng.bytes(int(rng.integers(0, 80)))
    return bytes(data[:n_bytes])


@pytest.mark.parametrize("seed", range(40))
def test_runs_of_all_lengths_at_all_distances_come_back(seed):
    rng = np.random.default_rng(seed)
    data = repeated(rng, int(rng.integers(1, 60_000)))
    assert lzf.decompress(packed(data), len(data)) == data


@pytest.mark.parametrize("n_bytes", [*range(1, 70), 262, 263, 264, 265, 266, 274, 8192, 100_003])
@pytest.mark.parametrize("byte", [b"\0", b"\xff"])
def test_one_byte_over_and_over_comes_back(n_bytes, byte):
    data = n_bytes * byte
    assert lzf.decompress(packed(data), len(data)) == data
    if n_bytes > 70:  # at most 264 bytes make three
        assert len(packed(data)) <= 3 * (n_bytes // 264 + 1) + 12


@pytest.mark.parametrize("away", [8190, 8191, 8192, 8193, 8194])
def test_what_is_too_far_away_is_no_match(away):
    rng = np.random.default_rng(1)
    data = rng.bytes(300)
    data += bytes(away - 300) + data
    assert lzf.decompress(packed(data), len(data)) == data


@settings(deadline=None, max_examples=200)
@given(st.binary(min_size=1, max_size=400), st.integers(1, 60))
@example(b"\0\0\0\0", 1)
def test_any_bytes_come_back(data, times):
    data *= times
    assert lzf.decompress(packed(data), len(data)) == data


@pytest.mark.parametrize("seed", range(5))
def test_what_has_no_room_is_refused_and_nothing_is_written_beyond(seed):
    data = repeated(np.random.default_rng(seed), 5000)
    whole = packed(data)
    for room in {0, 1, 2, 33, len(whole) // 2, len(whole) - 1}:
        assert packed(data, room) is None
    assert packed(data, len(whole)) == whole


def test_noise_does_not_shrink():
    data = np.random.default_rng(1).bytes(5000)
    assert packed(data, len(data)) is None
    assert lzf.decompress(packed(data), len(data)) == data


@pytest.mark.parametrize("n_rows", [1, 2, 255, 256, 257, 1000])
@pytest.mark.parametrize("object_id", ["<u4", "<u8"])
@pytest.mark.parametrize("align", [False, True])
def test_columns_are_those_of_numpy(n_rows, object_id, align):
    names = point_type(object_id, timed=True)
    kind = np.dtype([(name, names[name]) for name in names.names], align=align)
    raw = np.random.default_rng(1).bytes(n_rows * kind.itemsize)
    rows = np.frombuffer(raw, kind)
    sizes = np.array([kind[name].itemsize for name in kind.names], np.uint64)
    starts = np.array([kind.fields[name][1] for name in kind.names], np.uint64)
    columns = np.empty(n_rows * int(sizes.sum()), np.uint8)
    take_columns(np.frombuffer(raw, np.uint8), kind.itemsize, starts, sizes, columns)
    assert columns.tobytes() == b"".join(rows[name].tobytes() for name in kind.names)


def scene(n_points):
    """Return points such as those of a scan: smooth coordinates, few ids."""
    points = np.zeros(n_points, point_type(timed=True))
    turn_rad = np.linspace(0.0, 6.28, n_points)
    points["x"], points["y"] = 20.0 * np.cos(turn_rad), 20.0 * np.sin(turn_rad)
    points["ring"], points["column"] = np.arange(n_points) // 1024, np.arange(n_points) % 1024
    points["object_id"] = np.arange(n_points) // 700
    points["normal_z"] = 1.0
    return points


@pytest.mark.parametrize("n_points", [2, 30, 5000, 70_000])
def test_a_compressed_cloud_is_as_small_as_liblzf_makes_it_and_reads_the_same(tmp_path, n_points):
    """But for a twentieth: fewer places are looked at."""
    points = scene(n_points)
    write_pcd(tmp_path / "a.pcd", points, "binary_compressed")
    np.testing.assert_array_equal(read_pcd(tmp_path / "a.pcd"), points)
    columns = b"".join(points[name].tobytes() for name in points.dtype.names)
    assert (tmp_path / "a.pcd").stat().st_size < 400 + 1.05 * len(lzf.compress(columns) or columns)


def test_points_that_do_not_shrink_are_written_as_they_are(tmp_path):
    kind = np.dtype([("x", "<f4"), ("n", "<u4")])
    points = np.frombuffer(np.random.default_rng(2).bytes(800), kind)
    write_pcd(tmp_path / "a.pcd", points, "binary_compressed")
    assert b"DATA binary\n" in (tmp_path / "a.pcd").read_bytes()
    assert (tmp_path / "a.pcd").read_bytes().endswith(points.tobytes())


def test_rows_that_do_not_lie_side_by_side_are_written_in_their_order(tmp_path):
    points = scene(1000)
    for encoding in ("binary", "binary_compressed"):
        write_pcd(tmp_path / "a.pcd", points[::-2], encoding)
        np.testing.assert_array_equal(read_pcd(tmp_path / "a.pcd"), points[::-2])
