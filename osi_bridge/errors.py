# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Exceptions of this package: every error that its input can cause.

    OsiError
    ├── OsiInputError          a message whose content cannot be used
    │   ├── UndecodableMessage   bytes that are not a message of the expected type
    │   ├── MissingTimestamp     a message without a possible timestamp
    │   ├── LateMessage          a message that is older than its predecessor
    │   └── UnknownHost          the requested host vehicle is not in the message
    ├── BrokenFraming          a connection whose bytes cannot be split into messages
    └── TraceError             a trace file that cannot be read or written
        └── DamagedTrace         a trace that is intact only up to some frame

Every error text is one line: what is wrong, where, the value found and the value expected. Texts
about an OSI message name neither its file nor its number, because the caller knows both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_base.errors import OneLineError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "BrokenFraming",
    "DamagedTrace",
    "LateMessage",
    "MissingTimestamp",
    "OsiError",
    "OsiInputError",
    "TraceError",
    "UndecodableMessage",
    "UnknownHost",
]


class OsiError(OneLineError):
    """Base class of all errors that OSI input can cause."""


class OsiInputError(OsiError):
    """An OSI message whose content cannot be used."""


class UndecodableMessage(OsiInputError):  # noqa: N818 (named for what it is)
    """Bytes that protobuf cannot decode as the expected message."""


class MissingTimestamp(OsiInputError):  # noqa: N818 (named for what it is)
    """A message without a timestamp, or with an impossible timestamp."""


class LateMessage(OsiInputError):  # noqa: N818 (named for what it is)
    """A message that is left out because it is older than the previous one; see `order`."""


class UnknownHost(OsiInputError):  # noqa: N818 (named for what it is)
    """The requested host vehicle is not a moving object of a message."""


class BrokenFraming(OsiError):  # noqa: N818 (named for what it is)
    """A connection whose bytes cannot be split into messages; later bytes are unreadable, too."""


class TraceError(OsiError):
    """A trace file that cannot be read or written.

    Parameters
    ----------
    file : Path
        The trace file.
    problem : str
        What is wrong with the file: the value found and the value expected.
    """

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(f"{file}: {problem}")
        self.file = file
        self.problem = problem


class UnchosenSourceError(TraceError):
    """A trace with several sources of messages, none of which is chosen by an existing name.

    The text lists all sources.
    """


class DamagedTrace(TraceError):  # noqa: N818 (named for what it is)
    """A trace that ends early or is corrupt; all frames before the damage have been read.

    Parameters
    ----------
    file : Path
        The trace file.
    frame : int
        Index of the first unreadable frame, which equals the number of frames before the damage.
    offset : int
        Byte offset of that frame in the (decompressed) file. In an MCAP file, the offset of the
        damaged record.
    reason : str
        What is wrong at that offset.
    """

    def __init__(self, file: Path, *, frame: int, offset: int, reason: str) -> None:
        super().__init__(file, f"damaged at frame {frame}, byte {offset}: {reason}")
        self.frame = frame
        self.offset = offset
        self.reason = reason
