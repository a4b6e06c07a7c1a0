# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenDRIVE files: their elements, and the header that says where a map lies on earth."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from xml.parsers import expat

import numpy as np

from lidar_base.errors import ConfigurationError
from lidar_base.xml_tree import utf8_pieces, xml_parts
from lidar_scenery.roads.opendrive.attributes import PartError, number, word

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lidar_base.xml_tree import Element

LARGEST_BYTES = 128 * 2**20
"""Largest map file; a larger file would need gigabytes of memory, and is an error."""
_HEAD_BYTES = 2**14

Offset = tuple[float, float, float]
"""Offset along x, y and z. [m]"""


class MapHeader(NamedTuple):
    """What the header of a map states: the version of the format, and the map's place on earth.

    Attributes
    ----------
    version : str
        Version of the format, such as "1.6".
    geo_reference : str
        Projection, as a PROJ string or as WKT; "" if the header states none.
    offset_m : (float, float, float)
        x, y, z of the offset that the header states. Projected coordinates minus this offset give
        map coordinates. [m]
    offset_heading_rad : float
        Rotation that the header states. [rad]
    """

    version: str = ""
    geo_reference: str = ""
    offset_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    offset_heading_rad: float = 0.0


def map_header(path: Path) -> MapHeader:
    """Return the header of an OpenDRIVE map; for a map without a header, the default `MapHeader()`.

    ``path`` is the file of the map.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, is too large, is no OpenDRIVE map, or its offset is not a
        number.
    """
    with open_map(path) as stream:
        headers = [each for root in parts_of(path, stream) for each in root.all("header")]
    if not headers:
        return MapHeader()
    header = headers[0]
    version = f"{word(header, 'revMajor')}.{word(header, 'revMinor')}"
    with open_map(path) as stream:
        reference = _text_in(stream, "geoReference")
    offset = header.first("offset")
    if offset is None:
        return MapHeader(version, reference)
    try:
        x, y, z, heading = (number(offset, name, 0.0) for name in ("x", "y", "z", "hdg"))
    except PartError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    return MapHeader(version, reference, (x, y, z), heading)


def map_shift_m(path: Path, frame_offset_m: Offset | None) -> tuple[Offset, float]:
    """Return the vector that moves a map into the coordinates of messages.

    The header of a map and the messages may state different offsets from the same projection.

    Parameters
    ----------
    path : Path
        The OpenDRIVE map.
    frame_offset_m : (float, float, float) or None
        Offset that the messages state. If it is None, the messages use the coordinates of the map,
        and both results are 0. [m]

    Returns
    -------
    (float, float, float)
        Vector (x, y, z) to add to the map's coordinates. [m]
    float
        Rotation that the map's header states. The vector does not account for it. [rad]

    Raises
    ------
    ConfigurationError
        If the map or its header cannot be read; see `map_header`.
    """
    if frame_offset_m is None:
        return (0.0, 0.0, 0.0), 0.0
    header = map_header(path)
    x, y, z = np.subtract(header.offset_m, frame_offset_m).tolist()
    return (x, y, z), header.offset_heading_rad


def open_map(path: Path) -> BinaryIO:
    """Open a map for reading, at its XML declaration; blanks and comments before it are skipped.

    ``path`` is the file of the map. XML forbids blanks and comments there, but some maps have them,
    and other readers accept them. The result is a binary stream, which the caller must close.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, or is too large.
    """
    try:
        stream = path.open("rb")
        try:
            n_bytes = stream.seek(0, os.SEEK_END)
            stream.seek(0)
            stream.seek(_declaration_at(stream.read(_HEAD_BYTES)))
        except BaseException:
            stream.close()
            raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigurationError(f"{path}: cannot be read: {reason}") from None
    if n_bytes > LARGEST_BYTES:
        stream.close()
        raise ConfigurationError(
            f"{path}: is larger than {LARGEST_BYTES >> 20} MiB, the most for an OpenDRIVE map"
        )
    return stream


def _declaration_at(head: bytes) -> int:
    """Return the byte at which the XML declaration begins; 0 if there is none."""
    before, declaration, _ = head.partition(b"<?xml")
    blank = before.strip(b"\xef\xbb\xbf \t\r\n")
    is_blank = not blank or (blank.startswith(b"<!--") and blank.endswith(b"-->"))
    return len(before) if declaration and is_blank else 0


def parts_of(path: Path, stream: BinaryIO) -> Iterator[Element]:
    """Yield the XML of an open map in pieces, so that a large map is never in memory as a whole.

    The first result is the root element without children. Then comes one result for each child of
    the map's root, such as a road: the root without attributes, with this child only.

    Parameters
    ----------
    path : Path
        The file, for messages.
    stream : binary file
        The map, as `open_map` returns it.

    Raises
    ------
    ConfigurationError
        If the file is not XML, has a document type, has too many elements, or is not OpenDRIVE.
    """
    parts = xml_parts(path, stream)
    root = next(parts)
    if root.tag != "OpenDRIVE":
        raise ConfigurationError(f"{path}: its root is <{root.tag:.40}>, expected <OpenDRIVE>")
    yield root
    for part in parts:
        yield replace(root, attributes={}, children=[part])


def _text_in(stream: BinaryIO, tag: str) -> str:
    """Return the text in all elements with a tag, in a map that `parts_of` has accepted."""
    parser = expat.ParserCreate("utf-8")
    inside: list[bool] = []
    text: list[str] = []

    def start(name: str, _: dict[str, str]) -> None:
        inside.append(name == tag)

    def end(_: str) -> None:
        inside.pop()

    def characters(data: str) -> None:
        if inside[-1]:
            text.append(data)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    for piece in utf8_pieces(stream):
        parser.Parse(piece)
    parser.Parse(b"", True)
    return " ".join("".join(text).split())
