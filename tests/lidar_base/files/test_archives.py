# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Zip archives have the same bytes for the same content, and can be read within the bounds."""

import os
import zipfile

import pytest

from lidar_base.errors import BoundError
from lidar_base.files.archives import write_archive
from lidar_base.files.unpacking import open_archive, unpack_member
from tests.builders.files import written


def test_bytes_depend_on_content_alone(tmp_path):
    for name, time_s in (("a", 1e9), ("b", 1.5e9)):
        file = written(tmp_path / name / "x.txt", "x" * 100)
        file.chmod(0o600 if name == "a" else 0o755)
        os.utime(file, (time_s, time_s))
        write_archive({"in/x.txt": file}, tmp_path / f"{name}.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "a.zip", "b", "b.zip"]


def test_a_file_that_packs_beyond_the_bounds_of_readers_is_stored(tmp_path):
    """Deflate packs 40 MiB of zeros to 1/1030, which may stand for 16 MiB and 500 times as much."""
    zeros = tmp_path / "zeros.bin"
    zeros.write_bytes(bytes(40 * 2**20))
    write_archive({"zeros.bin": zeros}, tmp_path / "z.zip")
    with open_archive(tmp_path / "z.zip") as archive:
        (entry,) = archive.infolist()
        assert entry.compress_type == zipfile.ZIP_STORED
        unpack_member(archive, entry, tmp_path / "again.bin")
    assert (tmp_path / "again.bin").stat().st_size == 40 * 2**20


def test_a_bomb_is_not_unpacked(tmp_path):
    file = tmp_path / "bomb.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.bin", bytes(40 * 2**20))
    with (
        open_archive(file) as archive,
        pytest.raises(BoundError, match=r"zeros\.bin: got 41943040"),
    ):
        unpack_member(archive, archive.infolist()[0], tmp_path / "out.bin")
    assert not (tmp_path / "out.bin").exists()
