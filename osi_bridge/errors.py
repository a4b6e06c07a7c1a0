# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What this package raises for anything that its input can cause.

    OsiError
    ├── OsiInputError          a message whose content cannot be used
    │   ├── UndecodableMessage   bytes that are no message of the expected type
    │   ├── MissingTimestamp     a message that does not say its time
    │   └── UnknownHost          the host vehicle asked for is not in the message
    ├── BrokenFraming          a connection whose bytes do not fall into messages
    └── TraceError             a trace file that cannot be read or written
        └── DamagedTrace         a trace that is whole only up to some frame

Every message is one line: what, which, got, expected. Those about a message name neither its file
nor its number: who has read it knows them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "BrokenFraming",
    "DamagedTrace",
    "MissingTimestamp",
    "OsiError",
    "OsiInputError",
    "TraceError",
    "UndecodableMessage",
    "UnknownHost",
]


class OsiError(Exception):
    """Anything that OSI input can cause."""


class OsiInputError(OsiError):
    """An OSI message whose content cannot be used."""


class UndecodableMessage(OsiInputError):  # noqa: N818 (named for what it is)
    """Bytes that protobuf cannot decode as the expected message."""


class MissingTimestamp(OsiInputError):  # noqa: N818 (named for what it is)
    """A message without a timestamp: it belongs to no time."""


class UnknownHost(OsiInputError):  # noqa: N818 (named for what it is)
    """The host vehicle asked for is not among the moving objects of a message."""


class BrokenFraming(OsiError):  # noqa: N818 (named for what it is)
    """A connection whose bytes do not fall into messages; nothing after that can be read."""


class TraceError(OsiError):
    """A trace file that cannot be read or written.

    Parameters
    ----------
    file : Path
        The trace file.
    problem : str
        What is wrong with it: got, expected.
    """

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(f"{file}: {problem}")
        self.file = file
        self.problem = problem


class DamagedTrace(TraceError):  # noqa: N818 (named for what it is)
    """A trace that ends early or is corrupt; all frames before the damage were given.

    Parameters
    ----------
    file : Path
        The trace file.
    frame : int
        Index of the first frame that could not be read = number of frames before the damage.
    offset : int
        Where that frame starts, in bytes after the start of the (decompressed) file. In an MCAP
        file, where the damaged record starts.
    reason : str
        What is wrong there.
    """

    def __init__(self, file: Path, *, frame: int, offset: int, reason: str) -> None:
        super().__init__(file, f"damaged at frame {frame}, byte {offset}: {reason}")
        self.frame = frame
        self.offset = offset
        self.reason = reason
