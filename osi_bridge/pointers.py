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
    """The place of one message in memory: signed 32-bit integers lo, hi (address) and size [bytes].

    All three are 0 if there is no message.
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

        Raises
        ------
        ValueError
            The message has 2 GiB or more.
        """
        return cls.to(address_of(data), len(data)) if data else NO_DATA

    @property
    def address(self) -> int:
        """The address as an unsigned number."""
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
    """Return the address of a bytes object, valid as long as the object exists."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


class OutputBuffer:
    """Keeps the output message of the current step in memory; `pointer` is its `Pointer`.

    `put` replaces the message. As OSMP demands, the previous message stays in memory for one more
    step: two messages are kept.
    """

    def __init__(self) -> None:
        self.pointer = NO_DATA
        self._kept: tuple[bytes, bytes] = (b"", b"")

    def put(self, data: bytes) -> None:
        """Set the message of a new step, empty for none; the previous message stays valid."""
        self._kept = (self._kept[1], data)
        self.pointer = Pointer.of(data)
