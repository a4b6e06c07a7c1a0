# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages by pointer, as OSMP passes them through FMI: an address in two integers, and a size.

FMI 2.0 has no binary variables. OSMP puts the low and the high 32 bits of an address, taken as
signed, and the number of bytes into three integers (OSMP 1.6.0, "Binary variables").
"""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from osi_bridge.errors import UndecodableMessage

__all__ = ["MESSAGE_PARTS", "NO_DATA", "OutputBuffer", "Pointer", "address_of"]

_LOW_32 = 0xFFFFFFFF

MESSAGE_PARTS = ("base.lo", "base.hi", "size")
"""Names of the three integers behind the prefix of a message, in the order of `Pointer`."""


class Pointer(NamedTuple):
    """The three integers of one message, each a signed 32-bit number; all 0 is no data."""

    lo: int = 0
    hi: int = 0
    size: int = 0

    @classmethod
    def to(cls, address: int, size: int) -> Pointer:
        """Return the integers for an address and a size.

        Raises
        ------
        ValueError
            A size or an address that does not fit.
        """
        if not 0 <= size < 2**31 or not 0 <= address < 2**64:
            raise ValueError(
                f"{size} bytes at {address:#x}, expected less than 2**31 bytes at up to 64 bits"
            )
        return cls(_signed(address & _LOW_32), _signed(address >> 32), size)

    @property
    def address(self) -> int:
        """The address, unsigned."""
        return (self.hi & _LOW_32) << 32 | self.lo & _LOW_32

    def read(self) -> bytes:
        """Return a copy of the message; empty where there is no data: a size or an address of 0.

        The address must be valid for as many bytes as the size says.

        Raises
        ------
        UndecodableMessage
            The size is negative.
        """
        if self.size < 0:
            raise UndecodableMessage(f"a message of {self.size} bytes, expected 0 or more")
        if not self.size or not self.address:
            return b""
        return ctypes.string_at(self.address, self.size)


NO_DATA = Pointer()


def _signed(bits: int) -> int:
    return bits - 2**32 if bits & 0x80000000 else bits


def address_of(data: bytes) -> int:
    """Return where bytes lie; valid as long as they live, and they never move."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


class OutputBuffer:
    """What a step gives out, kept as long as OSMP promises: until the second step after it begins.

    The pointer is made once, when the data is put in; reading it any number of times is the same.
    """

    def __init__(self) -> None:
        self.pointer = NO_DATA
        self._kept: tuple[bytes, bytes] = (b"", b"")

    def put(self, data: bytes) -> None:
        """Give out the message of a new step, empty for none; the one before stays intact."""
        self._kept = (self._kept[1], data)
        self.pointer = Pointer.to(address_of(data), len(data)) if data else NO_DATA
