# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""XML, YAML, JSON, archives and blocks that stand for more than their size allows."""

import bz2
import io
import struct
import zipfile

import numpy as np
import pytest

from lidar_base.errors import BoundError, ConfigurationError, YamlFileError
from lidar_base.files.arrays import checked_array, zipped_arrays
from lidar_base.files.blocks import unpacked
from lidar_base.files.json_files import check_csv, check_json
from lidar_base.files.unpacking import open_archive, zip_member
from lidar_base.files.yaml_files import read_yaml_text
from lidar_base.xml_tree import read_xml
from tests.builders.bombs import MIB, lz4_zeros, memory_bound, zstd

LAUGHS = '<!DOCTYPE x [<!ENTITY a "1">]><OpenDRIVE b="&a;"/>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32", "gb2312"])
def test_a_document_type_is_refused_in_every_encoding(tmp_path, encoding):
    content = f'<?xml version="1.0" encoding="{encoding}"?>{LAUGHS}'.encode(encoding)
    with pytest.raises(ConfigurationError, match="has a document type"):
        read_xml(tmp_path, content)


@pytest.mark.parametrize("encoding", ["utf-7", "cp037", "rot13", "nosuch"])
def test_an_encoding_of_no_list_is_refused(tmp_path, encoding):
    content = f'<?xml version="1.0" encoding="{encoding}"?><a/>'.encode()
    with pytest.raises(ConfigurationError, match="is not XML: unknown encoding"):
        read_xml(tmp_path, content)


@pytest.mark.parametrize("encoding", ["gb2312", "gbk", "gb18030", "utf-16", "utf-8"])
def test_names_of_roads_are_read_in_usual_encodings(tmp_path, encoding):
    content = f'<?xml version="1.0" encoding="{encoding}"?><a n="长安街"/>'.encode(encoding)
    assert read_xml(tmp_path, content).attributes == {"n": "长安街"}


def test_what_is_not_asked_for_takes_no_place(tmp_path):
    content = f"<a><b><c>{'<d/>' * 40_000}</c><e/></b><c><d/></c></a>"
    root = read_xml(tmp_path, content.encode(), without={"c"})
    first, second = root.children
    assert [each.tag for each in (*first.children, second)] == ["c", "e", "c"]
    assert first.children[0].children == second.children == []


@pytest.mark.long
def test_elements_that_are_kept_together_are_bounded(tmp_path):
    content = b"<a>" + b'<b name="a name"><c x="0"/></b>' * 60_000 + b"</a>"
    with pytest.raises(ConfigurationError, match="elements that are kept so far: got 100001"):
        read_xml(tmp_path, content)


@pytest.mark.long
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"<a>" * 100, "elements are nested more than 64 deep"),
        (b"<a>" + b"<b/>" * 300_000, "elements so far: got 6"),
        (b'<a b="' + b"x" * (6 * MIB) + b'"/>', "bytes of one tag or comment: got 5"),
        (b"<a><!--" + b"x" * (6 * MIB), "bytes of one tag or comment: got 5"),
    ],
)
def test_xml_without_end_is_refused_on_the_way(tmp_path, content, problem):
    with pytest.raises(ConfigurationError, match=problem):
        read_xml(tmp_path, content)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: " + "[" * 200, "over 64 lists and tables deep"),
        ("a: [" + "1, " * 150_000 + "1]", "more than 100000 values"),
    ],
)
def test_yaml_of_many_values_or_levels_is_refused_before_it_is_built(text, problem):
    with pytest.raises(YamlFileError, match=problem):
        read_yaml_text(text, "it")


def test_json_and_tables_of_many_small_values_are_refused():
    for text in ("[" + "{}," * 700_000 + "{}]", ("[" + "{}," * 700_000 + "{}]").encode()):
        with pytest.raises(BoundError, match="values in the file"):
            check_json(text)
    check_json("[" + "0.123456, " * 100_000 + "1]")
    with pytest.raises(BoundError, match="values in the file"):
        check_csv("1,2\n" * 700_000)


@pytest.mark.long
def test_a_block_that_stands_for_more_than_its_bytes_allow_stops_at_the_bound():
    zeros = bytes(64 * MIB)
    for kind, data in (
        ("zstd", zstd(zeros)),
        ("bz2", bz2.compress(zeros)),
        ("lz4", lz4_zeros(200)),
    ):
        for n_stated in (None, 1000, 2**40):
            with memory_bound(130), pytest.raises(BoundError, match="bytes stand for: got"):
                unpacked(kind, data, n_stated)
    assert unpacked("zstd", zstd(b"abc"), 3) == b"abc"
    with pytest.raises(
        BoundError, match="got the compression 'brotli', expected zstd, lz4 or none"
    ):
        unpacked("brotli", b"abc")


def zipped(method, content, n_files=1):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for number in range(n_files):
            archive.writestr(f"{number}.npy", content)
    return file


@pytest.mark.long
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_file_of_an_archive_is_bounded(method):
    file = zipped(method, bytes(64 * MIB))
    with (
        memory_bound(20),
        open_archive(file) as archive,
        pytest.raises(BoundError, match="bytes of"),
    ):
        zip_member(archive, "0.npy", 2**40)


def test_an_archive_that_states_little_is_not_unpacked_beyond_that():
    data = bytearray(zipped(zipfile.ZIP_DEFLATED, bytes(64 * MIB)).getvalue())
    place = data.find(b"PK\1\2")
    struct.pack_into("<I", data, place + 24, MIB)
    struct.pack_into("<I", data, 22, MIB)
    told = pytest.raises((zipfile.BadZipFile, BoundError))
    with memory_bound(20), open_archive(io.BytesIO(data)) as archive, told:
        zip_member(archive, "0.npy", 2**40)


def test_an_archive_of_many_files_is_refused():
    data = bytearray(zipped(zipfile.ZIP_STORED, b"").getvalue())
    struct.pack_into("<I", data, data.find(b"PK\5\6") + 12, 2**31)
    with pytest.raises(BoundError, match="bytes of the directory"):
        open_archive(io.BytesIO(data))
    with pytest.raises(BoundError, match="arrays: got 1001, expected at most 1000"):
        zipped_arrays(zipped(zipfile.ZIP_STORED, b"", 1001))


@pytest.mark.parametrize("shape", [f"({2**40}, 3)", f"({2**62},)"])
def test_an_array_has_the_bytes_of_its_shape(shape):
    file = io.BytesIO()
    np.save(file, np.zeros(3, np.float32))
    data = file.getvalue().replace(b"(3,), }" + b" " * (len(shape) - 4), f"{shape}, }}".encode())
    with pytest.raises(BoundError, match="bytes of an array"):
        checked_array(io.BytesIO(data))
