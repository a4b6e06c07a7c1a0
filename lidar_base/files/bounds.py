# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bounds of readers: how much a file may make the program read, keep and draw.

A file can state any number, and a few packed bytes can stand for gigabytes: unpacked, they would
take that much memory. So each number that a file states is first checked against the actual size of
the file. SECURITY.md lists these bounds; a test compares the list with this file.
"""

from __future__ import annotations

from lidar_base.errors import BoundError

FREE_UNPACKED_BYTES = 2**24
"""Unpacked size that is allowed for every packed file, however small it is."""
UNPACKED_RATIO = 500
"""Unpacked bytes allowed for each packed byte, in addition; OSI traces have some 3 to 300."""
FREE_AT_ONCE_BYTES = 2**25
"""Unpacked size that is allowed for every block that is unpacked into memory as a whole."""
AT_ONCE_RATIO = 16
"""Unpacked bytes allowed for each packed byte of such a block, in addition: clouds have 2 to 14."""
BLOCK_RATIO = 6
"""The same for a chunk of an MCAP file or ROS bag; chunks usually have a few MiB unpacked."""
FREE_MESSAGE_BYTES = 2**22
"""Length of a message that any packed trace may hold: protobuf takes some 80 times as much."""
MOST_MESSAGE_BYTES = 2**29
"""Length of any message: protobuf ends at 2 GiB, and text read as a length is always larger."""
MOST_OTHER_RECORDS = 2**17
"""Records of an MCAP file's chunks that are no messages: there are 65536 schemas and channels."""
MOST_LINE_BYTES = 2**24
"""Line of a text trace, and line or cell of a table."""
MOST_PIXELS = 2**26
"""Pixels of an image: 8192 by 8192."""
FREE_INSTANCES = 2**20
"""Vertices and corners that a mesh file may draw, however small it is: instances cost few bytes."""
INSTANCE_RATIO = 16
"""Vertices and corners that each byte of a mesh file may stand for beside these."""
MOST_DEPTH = 64
"""Elements of XML, and lists and tables of YAML, within each other."""
MOST_YAML_VALUES = 100_000
"""Values of a YAML file: each takes some 50 us to read."""
MOST_NODES_DEEP = 500
"""Nodes of a glTF file within each other."""
FREE_ELEMENTS = 50_000
"""Elements that an XML file may have, however small they are."""
BYTES_OF_ELEMENT = 24
"""Bytes of an XML file for each element beside these: courses of OpenSCENARIO have 30, maps 61."""
MOST_ELEMENTS = 100_000
"""Elements of XML that are kept together, such as a road's: each takes some 600 bytes."""
MOST_MARKUP_BYTES = 2**22
"""Bytes of one tag or comment of XML."""
FREE_VALUES = 500_000
"""Values that a file of JSON, or a table as text, may have, however small they are."""
BYTES_OF_VALUE = 6
"""Bytes of such a file for each value beside these: each takes 50 to 200 bytes of memory."""
MOST_TEXT_BYTES = 2**24
"""Size of a file of JSON, or of a calibration as text."""
MOST_ARRAYS = 1000
"""Arrays of a numpy archive, columns of a table, and sections of a binary glTF file."""
MOST_TABLE_BYTES = 2**26
"""Size of a table of jobs."""
MOST_FILES = 100_000
"""Files of a zip archive, such as an FMU: one with all packages has some 10 000."""
BYTES_OF_FILE = 128
"""Bytes of the directory of a zip archive for each file."""
MOST_BUNDLE_BYTES = 2**34
"""Bytes of all files of a bundle together, and so on the disk while it is open."""
FREE_ROWS = 100_000
"""Rows of a Parquet table, however small it is; each byte allows one more."""
FREE_PIXELS = 6_000_000
"""Pixels of an image, however small its file is: 3000 by 2000; each takes up to 14 bytes."""
PIXELS_OF_BYTE = 16
"""Pixels that each byte of an image's file may stand for beside these: photographs have 2 to 10."""
FREE_PIECES = 10_000
"""Uses of a primitive by the nodes of a glTF file, however small it is."""
BYTES_OF_PIECE = 256
"""Bytes of JSON for each use beside these; a usual node, its mesh and its numbers have 400."""
FREE_POINTS = 2**19
"""Points that an OpenDRIVE map may have sampled, however small it is."""
POINTS_OF_BYTE = 3
"""Points for each byte of the map beside these: 409 public maps need 56 % of both at most."""
FREE_OBJECTS = 4000
"""Objects of an OpenDRIVE map, copies of repeated ones included, however small it is: some 3 s."""
BYTES_OF_COPY = 40
"""Bytes of the map for each object beside these, up to `MOST_COPIES` objects: a public map of a
motorway has 11 552 posts and rails in 520 kB."""
MOST_COPIES = 16_000
BYTES_OF_OBJECT = 150
"""Bytes of the map for each of more objects; public maps state one in 366 and more."""
FREE_USD_INSTANCES = 2**25
"""Vertices and corners that an OpenUSD file may draw, however small it is: scenes that consist of
instances are usual. `INSTANCE_RATIO` holds beside these."""
MOST_USD_WRITTEN_OUT = 2**22
"""Vertices and corners up to which an OpenUSD file is one mesh, with all instances written out: a
million triangles."""
USD_INSTANCE = 512
"""Vertices and corners that an instance counts as where it is not written out; shapes of no more
are always written out."""
FREE_USD_BYTES = 2**31
"""Memory that reading an OpenUSD file may take in its own process, however small the file is."""
USD_MEMORY_RATIO = 64
"""Bytes of memory for each byte of its layers beside these."""
FREE_USD_SECONDS = 120
"""Processor time of that process, however small the file is."""
BYTES_OF_USD_SECOND = 2**17
"""Bytes of layers for each second beside these."""
FREE_WORDS = 1_000_000
"""Words that an OBJ file may have, however short they are."""
BYTES_OF_WORD = 4
"""Bytes of an OBJ file for each word beside these: an index of a large mesh has six digits."""
MOST_LIBRARY_BYTES = 2**23
"""Size of all libraries of materials of an OBJ file together: some 30 000 materials."""
MOST_OF_A_FRAME = 1000
"""Boxes of a class in a frame: each is compared with each. Benchmarks take 500 at most."""
FREE_PACKETS = 100_000
"""Packets of a capture of a network, however short they are."""
BYTES_OF_PACKET = 64
"""Bytes of a capture for each packet beside these: the shortest frame of Ethernet has 76 there."""


def most_unpacked(n_packed: int) -> int:
    """Return the largest allowed unpacked size of a stream of n_packed bytes, read in pieces."""
    return FREE_UNPACKED_BYTES + UNPACKED_RATIO * n_packed


def most_at_once(n_packed: int, ratio: int = AT_ONCE_RATIO) -> int:
    """Return the largest allowed unpacked size of a block that is unpacked as a whole [bytes]."""
    return min(most_unpacked(n_packed), FREE_AT_ONCE_BYTES + ratio * n_packed)


def most_in_block(n_packed: int) -> int:
    """Return the largest allowed unpacked size of a chunk of an MCAP file or ROS bag [bytes]."""
    return most_at_once(n_packed, BLOCK_RATIO)


def most_message(n_packed: int) -> int:
    """Return the largest allowed message of a trace with n_packed packed bytes [bytes]."""
    return min(MOST_MESSAGE_BYTES, FREE_MESSAGE_BYTES + AT_ONCE_RATIO * n_packed)


def check_at_most(n_stated: int, n_most: int, what: str) -> None:
    """Check that a number that a file states is at most ``n_most``.

    Raises
    ------
    BoundError
        The number is larger. The text names ``what`` was counted, but not the file.
    """
    if n_stated > n_most:
        raise BoundError(f"{what}: got {n_stated}, expected at most {n_most}")
