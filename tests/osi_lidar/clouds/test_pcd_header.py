# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""PCD files with every header that PCL writes or allows, written here byte by byte."""

import struct
from pathlib import Path

import numpy as np
import pytest

from lidar_app.show.info import describe
from lidar_gap.reading import read_clouds
from osi_lidar.clouds.pcd import read_pcd, write_pcd
from osi_lidar.clouds.pcd_header import MOST_VALUES, read_header
from osi_lidar.errors import InputError
from tests.builders.refusals import one_line

XYZ = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"
SIDES = "WIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\n"
BODY = "1 2 3\n4 5 6\n"
POINTS = [(1.0, 2.0, 3.0), (4.0, 5.0, 6.0)]

HEADERS = {
    "as PCL writes it": "# .PCD v0.7\n" + XYZ + SIDES + "DATA ascii\n",
    "no COUNT": XYZ.replace("COUNT 1 1 1\n", "") + SIDES + "DATA ascii\n",
    "no VERSION": XYZ.replace("VERSION 0.7\n", "") + SIDES + "DATA ascii\n",
    "VERSION .7": XYZ.replace("0.7", ".7") + SIDES + "DATA ascii\n",
    "VERSION 0.6": XYZ.replace("0.7", "0.6") + SIDES + "DATA ascii\n",
    "no SIZE and TYPE": "FIELDS x y z\n" + SIDES + "DATA ascii\n",
    "COLUMNS": "COLUMNS x y z\n" + SIDES + "DATA ascii\n",
    "no VIEWPOINT": XYZ + "WIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA ascii\n",
    "no POINTS": XYZ + "WIDTH 2\nHEIGHT 1\nDATA ascii\n",
    "POINTS alone": XYZ + "POINTS 2\nDATA ascii\n",
    "no numbers of points": XYZ + "DATA ascii\n",
    "comments": "# of ours\n" + XYZ + "# between\n\n" + SIDES + "#last\nDATA ascii\n",
    "a comment behind": XYZ + SIDES.replace("WIDTH 2", "WIDTH 2 # points") + "DATA ascii\n",
    "blanks": (XYZ + SIDES + "DATA ascii\n").replace(" ", "  ").replace("FIELDS", "  FIELDS\t"),
    "tabs": (XYZ + SIDES + "DATA ascii\n").replace(" ", "\t"),
    "upper case": XYZ + SIDES + "DATA ASCII\n",
    "lower case": (XYZ + SIDES + "DATA ascii\n").lower(),
}


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_text_is_read_whatever_its_header(tmp_path: Path, header: str, end: str) -> None:
    path = tmp_path / "a.pcd"
    path.write_bytes((header + BODY).replace("\n", end).encode())
    assert read_pcd(path).tolist() == POINTS
    (cloud,) = read_clouds(path)
    assert cloud.points_m.tolist() == [list(each) for each in POINTS]
    assert describe(path).facts["points"] == 2


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_bytes_are_read_whatever_their_header(tmp_path: Path, header: str) -> None:
    if "POINTS" not in header.upper() and "WIDTH" not in header.upper():
        header = header.replace("DATA", "POINTS 2\nDATA")
    path = tmp_path / "a.pcd"
    content = np.array(POINTS, "<f4").tobytes()
    for data in ("binary", "BINARY"):
        text = header.replace("ascii", data).replace("ASCII", data)
        path.write_bytes(text.encode() + content)
        assert read_pcd(path).tolist() == POINTS
    path.write_bytes(text.encode().replace(b"\n", b"\r\n") + content)
    assert read_pcd(path).tolist() == POINTS


def test_text_has_any_blanks_and_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.pcd"
    path.write_text(XYZ + SIDES + "DATA ascii\n  1\t2   3 \n\n4  5\t6\n\n")
    assert read_pcd(path).tolist() == POINTS


WIDE = np.dtype([("x", "<f4"), ("_0", "u1", 3), ("y", "<f4"), ("h", "<i2", 2), ("z", "<f8")])
WIDE_HEADER = (
    "FIELDS x _ y h z\nSIZE 4 1 4 2 8\nTYPE F U F I F\nCOUNT 1 3 1 2 1\n" + SIDES + "DATA {}\n"
)


def wide() -> np.ndarray:
    rows = np.zeros(2, WIDE)
    rows["x"], rows["y"], rows["z"] = np.array(POINTS).T
    rows["_0"] = 77
    rows["h"] = [[-5, 6], [7, -8]]
    return rows


def packed(raw: bytes) -> bytes:
    """Return bytes in the format LZF as literals only: 32 at a time, behind their number less 1."""
    pieces = [raw[at : at + 32] for at in range(0, len(raw), 32)]
    content = b"".join(bytes([len(each) - 1]) + each for each in pieces)
    return struct.pack("<II", len(content), len(raw)) + content


def contents() -> dict[str, bytes]:
    rows = wide()
    with_padding = b"".join(rows[name].tobytes() for name in WIDE.names or ())
    without = b"".join(rows[name].tobytes() for name in ("x", "y", "h", "z"))
    text = "1 77 77 77 2 -5 6 3\n4 77 77 77 5 7 -8 6\n"
    return {
        "ascii": WIDE_HEADER.format("ascii").encode() + text.encode(),
        "binary": WIDE_HEADER.format("binary").encode() + rows.tobytes(),
        "compressed": WIDE_HEADER.format("binary_compressed").encode() + packed(with_padding),
        "as PCL compresses": WIDE_HEADER.format("binary_compressed").encode() + packed(without),
    }


@pytest.mark.parametrize("content", contents().values(), ids=contents())
def test_padding_is_left_out_and_fields_of_several_values_are_columns(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "a.pcd"
    path.write_bytes(content)
    points = read_pcd(path)
    assert points.dtype.names == ("x", "y", "h__0000", "h__0001", "z")
    assert points.tolist() == [(1.0, 2.0, -5, 6, 3.0), (4.0, 5.0, 7, -8, 6.0)]


@pytest.mark.parametrize(("letter", "value"), [("F", "4.2108e+06"), ("U", "4278190335")])
def test_colours_are_numbers_of_either_type(tmp_path: Path, letter: str, value: str) -> None:
    path = tmp_path / "a.pcd"
    header = f"FIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F {letter}\n" + SIDES + "DATA ascii\n"
    path.write_text(header + f"1 2 3 {value}\n4 5 6 {value}\n")
    points = read_pcd(path)
    assert points["rgb"].tolist() == [np.dtype(f"{letter.lower()}4").type(float(value))] * 2
    assert len(read_clouds(path)[0]) == 2


def test_whole_numbers_of_eight_bytes_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "a.pcd"
    header = "FIELDS x y z t\nSIZE 4 4 4 8\nTYPE F F F U\n" + SIDES + "DATA ascii\n"
    path.write_text(header + f"1 2 3 {2**64 - 1}\n4 5 6 {2**53 + 1}\n")
    assert read_pcd(path)["t"].tolist() == [2**64 - 1, 2**53 + 1]


def test_whole_numbers_may_be_written_with_a_point_or_missing(tmp_path: Path) -> None:
    path = tmp_path / "a.pcd"
    header = "FIELDS x y z ring\nSIZE 4 4 4 2\nTYPE F F F U\n" + SIDES + "DATA ascii\n"
    path.write_text(header + "1 2 3 7.0\nnan nan nan nan\n")
    assert read_pcd(path)["ring"].tolist() == [7, 0]
    assert len(read_clouds(path)[0]) == 1
    path.write_text(header + "1 2 3 7.5\n4 5 6 1\n")
    with one_line(InputError, match="field ring: got a value that does not fit the type uint16"):
        read_pcd(path)


def test_rows_of_an_organised_cloud_are_rings_and_beams_without_return_are_none(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.pcd"
    sides = "WIDTH  3\r\nHEIGHT\t2\r\n"
    body = "1 0 0\r\nnan nan nan\r\n2 0 0\r\n3 0 0\r\n4 0 0\r\nnan nan nan\r\n"
    path.write_bytes(("FIELDS x y z\r\n" + sides + "DATA ascii\r\n" + body).encode())
    (cloud,) = read_clouds(path)
    assert cloud.ring is not None
    assert cloud.ring.tolist() == [0, 0, 1, 1]
    assert cloud.range_m.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert describe(path).facts["organised"] == "3 x 2"


def test_lines_that_the_format_does_not_have_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.pcd"
    sides = SIDES.replace("WIDTH 2", "WIDTH 3")
    path.write_text(XYZ + "EPOCH 5\n" + sides + "DATA ascii\n" + BODY)
    listed = describe(path).lists["not_followed"]
    assert [each["what"] for each in listed] == [
        "header line EPOCH",
        "WIDTH 3 and HEIGHT 1 beside POINTS 2",
    ]
    assert listed[0]["first"] == "line 6"
    assert read_header(path).points == 2


def test_a_point_may_have_as_many_values_as_are_allowed(tmp_path: Path) -> None:
    path = tmp_path / "a.pcd"
    path.write_text(XYZ.replace("1 1 1", f"1 1 {MOST_VALUES - 2}") + "POINTS 0\nDATA ascii\n")
    assert len(read_header(path).names) == MOST_VALUES


REFUSED = {
    "no FIELDS": (SIDES + "DATA ascii\n" + BODY, "no FIELDS"),
    "no DATA": (XYZ + SIDES, "its header has no line DATA"),
    "SIZE": (XYZ.replace("SIZE 4 4 4", "SIZE 4 4") + "DATA ascii\n", "SIZE: got 2 values"),
    "TYPE": (XYZ.replace("F F F", "F F") + "DATA ascii\n", "TYPE: got 2 values"),
    "a type": (XYZ.replace("F F F", "F F I").replace("4 4 4", "4 4 3") + "DATA ascii\n",
               "field 'z': got the unknown TYPE 'I' with SIZE 3"),
    "COUNT": (XYZ.replace("1 1 1", "1 1 0") + "DATA ascii\n", "COUNT: got '0'"),
    "too many": (XYZ.replace("1 1 1", "1 1 99999") + "DATA ascii\n", "100001 values per point"),
    "twice": (XYZ.replace("x y z", "x y x") + "DATA ascii\n", "field 'x' is given twice"),
    "encoding": (XYZ + SIDES + "DATA zip\n", "DATA: got 'zip', expected ascii, binary"),
    "points": (XYZ + "POINTS many\nDATA ascii\n", "POINTS: got 'many'"),
    "no number": (XYZ + "DATA binary\n", "neither POINTS nor WIDTH"),
    "words": (XYZ + SIDES + "DATA ascii\na b c\n", "could not convert string"),
    "short": (XYZ + SIDES + "DATA binary\n123", "short: got 0 points, the header"),
    "long": (XYZ + SIDES + "DATA ascii\n" + BODY * 2, "rows: got 4 points, the header states 2"),
    "packed": (XYZ + SIDES + "DATA binary_compressed\n" + "\0" * 8, "got 0 bytes, expected 2"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_says_why(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "a.pcd"
    path.write_text(content)
    with one_line(InputError, match=reason):
        read_pcd(path)
    with one_line(InputError, match=reason):
        describe(path)


def test_our_own_compressed_clouds_are_read_as_before(tmp_path: Path) -> None:
    rows = np.zeros(500, [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("t", "<i8")])
    rows["x"] = np.arange(500) % 7
    rows["t"] = np.arange(500) // 9
    write_pcd(tmp_path / "a.pcd", rows, "binary_compressed")
    assert read_header(tmp_path / "a.pcd").encoding == "binary_compressed"
    assert (read_pcd(tmp_path / "a.pcd") == rows).all()
