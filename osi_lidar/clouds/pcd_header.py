# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Headers of PCD files, in all forms that PCL writes or reads.

(PCL, "The PCD (Point Cloud Data) file format", and its pcd_io.cpp: words have any blanks between
them; without COUNT each field has one value; without POINTS there are WIDTH times HEIGHT.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.files.whole_files import check_regular
from lidar_base.unfollowed import ALL_FOLLOWED, NotFollowed, Unfollowed
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

MOST_VALUES = 10_000
"""Largest number of values of one point; a header with more is taken to be damaged."""
ENCODINGS = ("ascii", "binary", "binary_compressed")

_HEADER_BYTES = 2**16
_PADDING = "_"
_KEYS = (
    *("VERSION", "FIELDS", "COLUMNS", "SIZE", "TYPE", "COUNT"),
    *("WIDTH", "HEIGHT", "VIEWPOINT", "POINTS", "DATA"),
)
_SIZES = {"F": (4, 8), "I": (1, 2, 4, 8), "U": (1, 2, 4, 8), "B": (1,)}
_KINDS = {"F": "f", "I": "i", "U": "u", "B": "u"}


class PcdField(NamedTuple):
    """A field of the points in a PCD file, as the file's header describes it.

    Attributes
    ----------
    name : str
        Name of the field; "_" for padding.
    kind : numpy.dtype
        Type of one value, little-endian, such as ``<f4``.
    n_value : int
        Number of values that the field has in each point (COUNT).
    """

    name: str
    kind: np.dtype[np.generic]
    n_value: int

    @property
    def is_padding(self) -> bool:
        """Whether this is padding: bytes that PCL leaves between fields."""
        return self.name == _PADDING

    @property
    def n_byte(self) -> int:
        """Size of the field in a point, in bytes."""
        return self.kind.itemsize * self.n_value


@dataclass(frozen=True, slots=True, kw_only=True)
class PcdHeader:
    """The content of the header of a PCD file.

    Attributes
    ----------
    fields : tuple of PcdField
        The fields in the order of the file, with padding.
    points : int or None
        Number of points; None if the header of an ASCII file leaves it out.
    width, height : int
        Columns and rows of an organised cloud; 0 and 1 if the header leaves them out.
    viewpoint : str or None
        The words of the file: x y z [m] and a quaternion.
    encoding : str
        One of `ENCODINGS`.
    start : int
        Where the points begin in the file. [bytes]
    not_followed : tuple of NotFollowed
        Parts of the header that the reader ignores: unknown lines, and WIDTH and HEIGHT if they
        contradict POINTS.
    """

    fields: tuple[PcdField, ...]
    points: int | None
    width: int = 0
    height: int = 1
    viewpoint: str | None = None
    encoding: str
    start: int
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED

    def row(self, *, padded: bool = True) -> np.dtype[np.void]:
        """Return the numpy type of a point, with one field for each value of each PCD field.

        A PCD field of several values gives the fields ``name__0000``, ``name__0001`` and so on.
        With ``padded``, padding has fields, too, as in the file; without it, padding is left out.
        """
        named = [
            (name, each.kind)
            for number, each in enumerate(self.fields)
            if padded or not each.is_padding
            for name in _names(each, number)
        ]
        return np.dtype(named)

    @property
    def names(self) -> list[str]:
        """Names of all values of a point, a list of str, without padding.

        A field of several values gives the names ``name__0000``, ``name__0001`` and so on.
        """
        return list(self.row(padded=False).names or ())


def _names(field: PcdField, number: int) -> list[str]:
    """Return a name for each value of a field."""
    name = f"{_PADDING}{number}" if field.is_padding else field.name
    return [name] if field.n_value == 1 else [f"{name}__{k:04d}" for k in range(field.n_value)]


def read_header(path: Path) -> PcdHeader:
    """Read the header of a PCD file, but not the points.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    PcdHeader
        The fields of a point, the number of points, and where and how the points are stored.

    Raises
    ------
    InputError
        The path is a device or a pipe, or the header cannot be used; one line says which part.
    OSError
        If the file cannot be read.
    """
    check_regular(path)
    with path.open("rb") as file:
        head = file.read(_HEADER_BYTES)
    try:
        return _header(head)
    except ValueError as error:
        raise InputError(f"{path}: is not a PCD file, or is damaged: {error}") from None


def _header(head: bytes) -> PcdHeader:
    """Parse the header at the beginning of the bytes; raise ValueError if it is not usable."""
    lines, start, unknown = _lines(head)
    names = lines.get("FIELDS") or lines.get("COLUMNS")
    if not names:
        raise ValueError("its header has no FIELDS")
    fields = _fields(names, lines)
    encoding = lines["DATA"][0].lower() if lines["DATA"] else ""
    if encoding not in ENCODINGS:
        raise ValueError(f"DATA: got {encoding!r:.40}, expected {', '.join(ENCODINGS)}")
    width, height = _number(lines, "WIDTH"), _number(lines, "HEIGHT")
    points = _number(lines, "POINTS")
    by_sides = None if width is None else width * (height or 1)
    if points is None:
        points = by_sides
    elif by_sides not in (None, points):
        unknown.add(f"WIDTH {width} and HEIGHT {height or 1} beside POINTS {points}")
    if points is None and encoding != "ascii":
        raise ValueError("its header has neither POINTS nor WIDTH, expected one of them")
    return PcdHeader(
        fields=fields,
        points=points,
        width=width or 0,
        height=height or 1,
        viewpoint=" ".join(lines["VIEWPOINT"]) if lines.get("VIEWPOINT") else None,
        encoding=encoding,
        start=start,
        not_followed=unknown.kinds,
    )


def _lines(head: bytes) -> tuple[dict[str, list[str]], int, Unfollowed]:
    """Return the words of each header line by key, the first byte of points, unknown lines."""
    found: dict[str, list[str]] = {}
    unknown = Unfollowed()
    start = 0
    for number, line in enumerate(head.splitlines(keepends=True), 1):
        start += len(line)
        key, *words = line.decode("ascii", "replace").partition("#")[0].split() or [""]
        key = key.upper()
        if key in _KEYS:
            found[key] = words
        elif key:
            unknown.add(f"header line {key:.40}", f"line {number}")
        if key == "DATA" and line.endswith(b"\n"):
            return found, start, unknown
    raise ValueError("its header has no line DATA, which ends it")


def _fields(names: list[str], lines: dict[str, list[str]]) -> tuple[PcdField, ...]:
    """Return the fields of a header; without SIZE and TYPE they are float32, as in PCL."""
    sizes = _numbers("SIZE", lines, len(names), 4)
    counts = _numbers("COUNT", lines, len(names), 1)
    types = [each.upper() for each in lines.get("TYPE", ["F"] * len(names))]
    if len(types) != len(names):
        raise ValueError(f"TYPE: got {len(types)} values, expected {len(names)} as in FIELDS")
    if sum(counts) > MOST_VALUES:
        raise ValueError(
            f"COUNT: got {sum(counts)} values per point, expected at most {MOST_VALUES}"
        )
    fields: list[PcdField] = []
    for name, size, letter, count in zip(names, sizes, types, counts, strict=True):
        if size not in _SIZES.get(letter, ()):
            raise ValueError(
                f"field {name!r:.40}: got the unknown TYPE {letter!r:.10} with SIZE {size}"
            )
        if name != _PADDING and any(name == each.name for each in fields):
            raise ValueError(f"field {name!r:.40} is given twice")
        fields.append(PcdField(name, np.dtype(f"<{_KINDS[letter]}{size}"), count))
    return tuple(fields)


def _numbers(key: str, lines: dict[str, list[str]], n: int, default: int) -> list[int]:
    words = lines.get(key, [str(default)] * n)
    if len(words) != n:
        raise ValueError(f"{key}: got {len(words)} values, expected {n} as in FIELDS")
    return [_whole(key, word, least=1) for word in words]


def _number(lines: dict[str, list[str]], key: str) -> int | None:
    words = lines.get(key)
    return _whole(key, words[0], least=0) if words else None


def _whole(key: str, word: str, *, least: int) -> int:
    """Parse an integer of at most 18 digits, ``least`` or more; raise ValueError if it is not."""
    if not (word.isascii() and word.isdigit()) or len(word) > 18 or int(word) < least:
        raise ValueError(f"{key}: got {word!r:.40}, expected a whole number from {least} on")
    return int(word)
