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
"""Unpacked bytes allowed for each byte of a packed file, besides `FREE_UNPACKED_BYTES`; OSI traces
have some 3 to 300."""
FREE_AT_ONCE_BYTES = 2**25
"""Unpacked size that is allowed for every block that is unpacked into memory as a whole."""
AT_ONCE_RATIO = 16
"""Unpacked bytes allowed for each packed byte of a block that is unpacked as a whole, besides
`FREE_AT_ONCE_BYTES`; clouds have 2 to 14."""
BLOCK_RATIO = 6
"""Unpacked bytes allowed for each packed byte of a chunk of an MCAP file or ROS bag, besides
`FREE_AT_ONCE_BYTES`; chunks usually have a few MiB unpacked."""
FREE_MESSAGE_BYTES = 2**22
"""Length of a message that every packed trace may have, however small it is. A decoded message may
take 80 times its length in memory."""
MOST_MESSAGE_BYTES = 2**29
"""Largest length of an OSI message; Protobuf itself allows 2 GiB. Four bytes of text, taken for the
length of a message, are above this unless the fourth is a line break or a tab, so nearly all text
files are recognised."""
MOST_OTHER_RECORDS = 2**17
"""Most records other than messages in all chunks of an MCAP file: 65 536 schemas, and as many
channels."""
MOST_LINE_BYTES = 2**24
"""Bytes of a line of a text trace, and of a line or cell of a table."""
MOST_PIXELS = 2**26
"""Pixels of an image: 8192 by 8192."""
FREE_INSTANCES = 2**20
"""Vertices and triangle corners that every mesh file may draw, however small it is. A mesh that is
placed several times counts each time, for each instance."""
INSTANCE_RATIO = 16
"""Vertices and triangle corners allowed for each byte of a mesh file, besides `FREE_INSTANCES`."""
MOST_DEPTH = 64
"""Levels of nesting of XML elements, and of lists and tables of YAML."""
MOST_YAML_VALUES = 100_000
"""Values of a YAML file; each takes some 50 us to read."""
MOST_NODES_DEEP = 500
"""Levels of nested nodes of a glTF file."""
FREE_ELEMENTS = 50_000
"""Elements that every XML file may have, however small it is."""
BYTES_OF_ELEMENT = 24
"""An XML file may have one more element than `FREE_ELEMENTS` for each of as many bytes: real
trajectories have 30 bytes for an element, maps 61."""
MOST_ELEMENTS = 100_000
"""XML elements kept in memory together, such as those of a road; each takes some 600 bytes."""
MOST_MARKUP_BYTES = 2**22
"""Bytes of one tag or comment of XML."""
FREE_VALUES = 500_000
"""Values that every JSON file or text table may have, however small it is."""
BYTES_OF_VALUE = 6
"""Bytes of a JSON file or text table needed for each value beyond `FREE_VALUES`; a value takes 50
to 200 bytes of memory."""
MOST_TEXT_BYTES = 2**24
"""Size of a JSON file, or of a calibration in a text file."""
MOST_ARRAYS = 1000
"""Arrays of a numpy archive, columns of a table, and sections of a binary glTF file."""
MOST_TABLE_BYTES = 2**26
"""Size of a table of jobs, see ``osi-lidar batch``."""
MOST_FILES = 100_000
"""Files of a zip archive, such as an FMU: an FMU with all its packages has some 10 000."""
BYTES_OF_FILE = 128
"""Bytes of the directory of a zip archive for a file: the directory may have `MOST_FILES` times as
many."""
MOST_BUNDLE_BYTES = 2**34
"""Bytes of all files of a bundle together: they lie on the disk while the bundle is open."""
FREE_ROWS = 100_000
"""Rows allowed for every Parquet table, however small it is; each byte allows one more."""
FREE_PIXELS = 6_000_000
"""Pixels allowed for every image, however small its file is; each takes up to 14 bytes."""
PIXELS_OF_BYTE = 16
"""Pixels allowed for each byte of an image's file, besides `FREE_PIXELS`; photographs have 2 to
10."""
FREE_PIECES = 10_000
"""Primitives that the nodes of every glTF file may draw, however small it is; a primitive counts
for each node that draws it."""
BYTES_OF_PIECE = 256
"""Bytes of a glTF file's JSON needed for each drawn primitive beyond `FREE_PIECES`; a usual node,
with mesh and numbers, has 400."""
FREE_POINTS = 2**19
"""Points at which lines of an OpenDRIVE map may be sampled, however small the map is."""
POINTS_OF_BYTE = 3
"""Points allowed for each byte of an OpenDRIVE map, besides `FREE_POINTS`: 409 public maps need at
most 56 % of the sum."""
FREE_OBJECTS = 4000
"""Objects, with copies of repeated ones, allowed for every OpenDRIVE map: making them takes 3 s."""
BYTES_OF_COPY = 40
"""Bytes of an OpenDRIVE map needed for each object beyond `FREE_OBJECTS`, up to `MOST_COPIES`
objects in all: a public map of a motorway has 11 552 posts and rails in 520 kB."""
MOST_COPIES = 16_000
BYTES_OF_OBJECT = 150
"""Bytes of an OpenDRIVE map needed for each object if there are more than `MOST_COPIES`; public
maps have 366 and more."""
FREE_USD_INSTANCES = 2**25
"""Vertices and triangle corners that every OpenUSD file may draw, counted for each instance: scenes
that consist of instances are usual. Each byte of the file allows `INSTANCE_RATIO` more."""
MOST_USD_WRITTEN_OUT = 2**22
"""Vertices and triangle corners up to which an OpenUSD file is read as one mesh, with a copy of the
shape for each of its instances: a million triangles."""
USD_INSTANCE = 512
"""Number of vertices and triangle corners that counts for an instance that is not copied but kept
as a pose. Shapes with no more of them are always copied."""
FREE_USD_BYTES = 2**31
"""Memory that reading an OpenUSD file may take in its own process, however small the file is."""
USD_MEMORY_RATIO = 64
"""Bytes of memory allowed for each byte of an OpenUSD file and its layers, besides
`FREE_USD_BYTES`."""
FREE_USD_SECONDS = 120
"""Processor time that the process which reads an OpenUSD file may take, however small the file is.
[s]"""
BYTES_OF_USD_SECOND = 2**17
"""Bytes of an OpenUSD file and its layers needed for each second of processor time beyond
`FREE_USD_SECONDS`."""
FREE_WORDS = 1_000_000
"""Words (texts between blanks and line ends) that every OBJ file may have, however small it is."""
BYTES_OF_WORD = 4
"""Bytes of an OBJ file needed for each word beyond `FREE_WORDS`: indices of large meshes have six
digits."""
MOST_LIBRARY_BYTES = 2**23
"""Size of all material libraries of an OBJ file together: enough for some 30 000 materials."""
MOST_OF_A_FRAME = 1000
"""Most boxes of one class in a frame of a table of boxes, because they are compared in pairs;
public benchmarks allow at most 500 detected ones."""
FREE_PACKETS = 100_000
"""Packets that every network capture may have, however small it is."""
BYTES_OF_PACKET = 64
"""Bytes of a capture needed for each packet beyond `FREE_PACKETS`; the shortest Ethernet frame
takes 76 in a capture."""


def most_unpacked(n_packed: int) -> int:
    """Return the largest allowed unpacked size of a packed file that is read in pieces [bytes].

    ``n_packed`` is its size as packed. [bytes]
    """
    return FREE_UNPACKED_BYTES + UNPACKED_RATIO * n_packed


def most_at_once(n_packed: int, ratio: int = AT_ONCE_RATIO) -> int:
    """Return the largest allowed unpacked size of a block that is unpacked as a whole [bytes].

    Parameters
    ----------
    n_packed : int
        Size of the block as packed. [bytes]
    ratio : int
        Unpacked bytes allowed for each packed byte, besides `FREE_AT_ONCE_BYTES`.
    """
    return min(most_unpacked(n_packed), FREE_AT_ONCE_BYTES + ratio * n_packed)


def most_in_block(n_packed: int) -> int:
    """Return the largest allowed unpacked size of a chunk of an MCAP file or ROS bag [bytes].

    ``n_packed`` is the size of the chunk as packed. [bytes]
    """
    return most_at_once(n_packed, BLOCK_RATIO)


def most_message(n_packed: int) -> int:
    """Return the largest allowed length of an OSI message in a packed trace [bytes].

    ``n_packed`` is the size of the packed trace. [bytes]
    """
    return min(MOST_MESSAGE_BYTES, FREE_MESSAGE_BYTES + AT_ONCE_RATIO * n_packed)


def check_at_most(n_stated: int, n_most: int, what: str) -> None:
    """Check that a number that a file states is not too large.

    Parameters
    ----------
    n_stated : int
        The stated number.
    n_most : int
        The largest number that is allowed.
    what : str
        What is counted, in words, for the error message.

    Raises
    ------
    BoundError
        The number is larger. The text names ``what`` was counted, but not the file.
    """
    if n_stated > n_most:
        raise BoundError(f"{what}: got {n_stated}, expected at most {n_most}")
