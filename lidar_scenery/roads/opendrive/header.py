# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenDRIVE files: their elements, and the header that says where a map lies on earth."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

import numpy as np

from lidar_base.errors import ConfigurationError
from lidar_base.xml_tree import read_xml, xml_as_utf8
from lidar_scenery.roads.opendrive.attributes import PartError, number, word

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_base.xml_tree import Element

LARGEST_BYTES = 128 * 2**20
"""A larger file is refused: its elements would take gigabytes of memory."""

Offset = tuple[float, float, float]
"""Along x, y and z. [m]"""


class MapHeader(NamedTuple):
    """Where a map lies on earth.

    Attributes
    ----------
    version : str
        Of the format, such as "1.6".
    geo_reference : str
        Projection, as a PROJ string or as WKT; "" where the map has none.
    offset_m : (float, float, float)
        Offset that the header states: it was taken off the projected coordinates. [m]
    offset_heading_rad : float
        Rotation that the header states. [rad]
    """

    version: str = ""
    geo_reference: str = ""
    offset_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    offset_heading_rad: float = 0.0


def map_header(path: Path) -> MapHeader:
    """Read the header of an OpenDRIVE map.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, is too large, is no OpenDRIVE map, or its offset is no number.
    """
    content = content_of(path)
    header = root_of(path, content).first("header")
    if header is None:
        return MapHeader()
    version = f"{word(header, 'revMajor')}.{word(header, 'revMinor')}"
    reference = _text_in(content, "geoReference")
    offset = header.first("offset")
    if offset is None:
        return MapHeader(version, reference)
    try:
        x, y, z, heading = (number(offset, name, 0.0) for name in ("x", "y", "z", "hdg"))
    except PartError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    return MapHeader(version, reference, (x, y, z), heading)


def map_shift_m(path: Path, frame_offset_m: Offset | None) -> Offset:
    """Return what takes a map's coordinates to those of messages [m]; errors of `map_header`.

    Both are offsets from the same projection. Messages that state none have those of the map.
    """
    if frame_offset_m is None:
        return 0.0, 0.0, 0.0
    x, y, z = np.subtract(map_header(path).offset_m, frame_offset_m).tolist()
    return x, y, z


def content_of(path: Path) -> bytes:
    """Return the bytes of a map.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, or is too large.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigurationError(f"{path}: cannot be read: {reason}") from None
    if len(content) > LARGEST_BYTES:
        raise ConfigurationError(
            f"{path}: is larger than {LARGEST_BYTES >> 20} MiB, the most for an OpenDRIVE map"
        )
    return _from_declaration(content)


def _from_declaration(content: bytes) -> bytes:
    """Return a file without blanks and comments before its XML declaration.

    XML forbids them, but some maps have them, as other readers let them pass.
    """
    before, declaration, after = content.partition(b"<?xml")
    blank = before.strip(b"\xef\xbb\xbf \t\r\n")
    if declaration and (not blank or (blank.startswith(b"<!--") and blank.endswith(b"-->"))):
        return declaration + after
    return content


def root_of(path: Path, content: bytes) -> Element:
    """Return the root element of a map.

    Raises
    ------
    ConfigurationError
        If the file is not XML, has a document type, or is another format.
    """
    root = read_xml(path, content)
    if root.tag != "OpenDRIVE":
        raise ConfigurationError(f"{path}: its root is <{root.tag:.40}>, expected <OpenDRIVE>")
    return root


def _text_in(content: bytes, tag: str) -> str:
    """Return the text inside of the first element of a name, whose file `root_of` has accepted."""
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
    parser.Parse(xml_as_utf8(content), True)
    return " ".join("".join(text).split())
