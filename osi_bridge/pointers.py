# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages by pointer, as OSMP passes them through FMI: an address in two integers, and a size.

FMI 2.0 has no binary variables. OSMP uses three integers instead: the low and the high 32 bits of
the address, reinterpreted as signed, and the number of bytes (OSMP 1.6.0, "Binary variables").
"""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from osi_bridge.errors import UndecodableMessage

__all__ = ["MESSAGE_PARTS", "NO_DATA", "OutputBuffer", "Pointer", "address_of"]

_LOW_32 = 0xFFFFFFFF

MESSAGE_PARTS = ("base.lo", "base.hi", "size")
"""Suffixes of the three variable names of a message, in the order of `Pointer`."""


class Pointer(NamedTuple):
    """The place of one message in memory: three signed 32-bit integers, all 0 for no message.

    Attributes
    ----------
    lo, hi : int
        Lower and upper 32 bits of the address, each reinterpreted as signed.
    size : int
        Length of the message. [bytes]
    """

    lo: int = 0  # lower half of the address
    hi: int = 0  # upper half of the address
    size: int = 0  # [bytes]

    @classmethod
    def to(cls, address: int, size: int) -> Pointer:
        """Return the pointer to a memory address and size [bytes].

        Raises
        ------
        ValueError
            The size or the address is out of range.
        """
        if not 0 <= size < 2**31 or not 0 <= address < 2**64:
            raise ValueError(
                f"got {size} bytes at the address {address:#x}, expected less than 2**31 bytes and "
                "an address of at most 64 bits"
            )
        return cls(_signed(address & _LOW_32), _signed(address >> 32), size)

    @classmethod
    def of(cls, data: bytes) -> Pointer:
        """Return the pointer to the bytes of a message, valid as long as the bytes object exists.

        ``data`` is the serialised message. If it is empty, the pointer is three zeros.

        Raises
        ------
        ValueError
            The message has 2 GiB or more.
        """
        return cls.to(address_of(data), len(data)) if data else NO_DATA

    @property
    def address(self) -> int:
        """The memory address of the message as one unsigned 64-bit number, from `lo` and `hi`."""
        return (self.hi & _LOW_32) << 32 | self.lo & _LOW_32

    def read(self) -> bytes:
        """Return a copy of the message; empty if the size or the address is 0 (no data).

        The address must be valid for `size` bytes.

        Raises
        ------
        UndecodableMessage
            The size is negative.
        """
        if self.size < 0:
            raise UndecodableMessage(f"got a message of {self.size} bytes, expected 0 or more")
        if not self.size or not self.address:
            return b""
        return ctypes.string_at(self.address, self.size)


NO_DATA = Pointer()


def _signed(bits: int) -> int:
    return bits - 2**32 if bits & 0x80000000 else bits


def address_of(data: bytes) -> int:
    """Return the memory address of the first byte of ``data``, valid as long as ``data`` exists."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


class OutputBuffer:
    """Keeps the output message of the current step in memory, where a master reads it.

    `put` replaces the message. As OSMP demands, the previous message stays in memory for one more
    step: two messages are kept.

    Attributes
    ----------
    pointer : Pointer
        Address and size of the current message; all zeros without a message.
    """

    def __init__(self) -> None:
        self.pointer = NO_DATA
        self._kept: tuple[bytes, bytes] = (b"", b"")

    def put(self, data: bytes) -> None:
        """Set the message of a new step, and `pointer` to it; the previous message stays in memory.

        ``data`` is the serialised message; empty bytes mean no message.

        Raises
        ------
        ValueError
            The message has 2 GiB or more.
        """
        self._kept = (self._kept[1], data)
        self.pointer = Pointer.of(data)
