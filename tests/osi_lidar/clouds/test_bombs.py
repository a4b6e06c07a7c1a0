# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Packed PCD files that stand for more than their size allows end in one line."""

import struct

import pytest

from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.errors import InputError

N_POINT = 10**8
HEADER = (
    "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"
    f"WIDTH {N_POINT}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {N_POINT}\n"
    "DATA binary_compressed\n"
)


def test_points_of_a_packed_file_are_held_against_its_bytes(tmp_path):
    path = tmp_path / "a.pcd"
    path.write_bytes(HEADER.encode() + struct.pack("<II", 20, 12 * N_POINT) + bytes(20))
    problem = "bytes of its points: got 1200000000, expected at most [0-9]+"
    with pytest.raises(Exception, match=problem) as caught:
        read_pcd(path)
    assert "\n" not in str(caught.value)


def test_packed_points_are_at_most_sixteen_times_their_bytes_beside_32_mib(tmp_path):
    path = tmp_path / "a.pcd"
    n_packed = 2**20
    path.write_bytes(HEADER.encode() + struct.pack("<II", n_packed, 12 * N_POINT) + bytes(n_packed))
    with pytest.raises(InputError, match=r"got 1200000000, expected at most 5033[0-9]{4}$"):
        read_pcd(path)
