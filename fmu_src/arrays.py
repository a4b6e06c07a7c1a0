# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of C, as masters give them to the FMU: an address and a number of elements."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from .errors import CallError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .variables import Value

MOST_ELEMENTS = 100_000  # no master sets more at once; reading would follow any garbage number
MOST_BYTES = 2**31 - 1
_NOTHING = ctypes.create_string_buffer(8)
_TYPES: dict[int, dict[str, Any]] = {
    2: {
        "Real": ctypes.c_double,
        "Integer": ctypes.c_int32,
        "Boolean": ctypes.c_int32,
        "String": ctypes.c_char_p,
    },
    3: {
        "Float64": ctypes.c_double,
        "Int32": ctypes.c_int32,
        "Boolean": ctypes.c_bool,
        "String": ctypes.c_char_p,
    },
}
_NAMES = {2: {}, 3: {"Real": "Float64", "Integer": "Int32"}}


def type_name(fmi: int, kind: str) -> str:
    """Return the name of a data type in an FMI version, such as "Float64" for "Real" in FMI 3.0.

    ``fmi`` is the major version. ``kind`` is the name of the type in FMI 2.0: "Real", "Integer",
    "Boolean" or "String".
    """
    return _NAMES[fmi].get(kind, kind)


def value_references(address: int, n: int) -> list[int]:
    """Return the elements of a C array of `n` value references at an address.

    Raises
    ------
    CallError
        The address is null although `n` is not 0, or `n` is too large.
    """
    return list(_array(ctypes.c_uint32, address, n))


def sizes(address: int, n: int) -> Any:  # noqa: ANN401  of ctypes
    """Return the C array of `n` sizes (size_t) at an address; the caller may read and write it."""
    return _array(ctypes.c_size_t, address, n)


def read_values(fmi: int, kind: str, address: int, n: int) -> list[Value]:
    """Return the elements of a C array of values as numbers, bools or texts.

    Parameters
    ----------
    fmi : int
        Major version of FMI, which determines the C type.
    kind : str
        Name of the data type in FMI 2.0: "Real", "Integer", "Boolean" or "String".
    address, n : int
        Address of the array, and its number of elements.

    Raises
    ------
    CallError
        There is no array although `n` is not 0, `n` is too large, or a string is a null pointer.
    """
    array = _array(_TYPES[fmi][kind], address, n)
    if kind != "String":
        return [bool(each) for each in array] if kind == "Boolean" else list(array)
    if None in array:
        raise CallError("a string pointer is null, expected the address of a string")
    return [each.decode("utf-8", "surrogateescape") for each in array]


def text_bytes(text: str) -> bytes:
    """Return a text as the UTF-8 bytes of a C string, without the terminating zero byte.

    Zero characters within the text become spaces, because they would end the string. Surrogates
    that `read_values` made of invalid bytes become these bytes again.
    """
    return text.replace("\0", " ").encode("utf-8", "surrogateescape")


def write_values(fmi: int, kind: str, address: int, values: Sequence[Value | bytes]) -> None:
    """Write values to an array of the master.

    ``fmi``, ``kind`` and ``address`` are as for `read_values`. Texts (kind "String") have to be
    bytes, from `text_bytes`. The array gets only pointers to these bytes, so the caller keeps the
    bytes alive as long as the master may read them.

    Raises
    ------
    CallError
        There is no array.
    """
    array = _array(_TYPES[fmi][kind], address, len(values))
    for index, value in enumerate(values):
        array[index] = value


def read_binaries(address: int, lengths: Sequence[int]) -> list[bytes]:
    """Return copies of the messages that an array of binary values (FMI 3.0) points to.

    ``address`` is the address of the array of pointers, and ``lengths`` has the size of each
    message in bytes.

    Raises
    ------
    CallError
        There is no array, the pointer of a message that is not empty is null, or a message has more
        than `MOST_BYTES`.
    """
    pointers = _array(ctypes.c_void_p, address, len(lengths))
    return [_message(pointer, size) for pointer, size in zip(pointers, lengths, strict=True)]


def write_addresses(address: int, addresses: Sequence[int]) -> None:
    """Write addresses of messages to the master's array of binary values (FMI 3.0).

    ``address`` is the address of this array. An empty message has the address 0. The array gets the
    address of a few zero bytes for it instead of a null pointer: some masters read the first bytes
    of a value even if its size is 0.

    Raises
    ------
    CallError
        There is no array.
    """
    pointers = _array(ctypes.c_void_p, address, len(addresses))
    for index, each in enumerate(addresses):
        pointers[index] = each or ctypes.addressof(_NOTHING)


def _message(pointer: int | None, size: int) -> bytes:
    if size and not pointer:
        raise CallError(f"the pointer of a message of {size} bytes is null")
    if size > MOST_BYTES:
        raise CallError(f"a message has {size} bytes, expected at most {MOST_BYTES}")
    return ctypes.string_at(pointer, size) if pointer else b""


def _array(element: Any, address: int, n: int) -> Any:  # noqa: ANN401  types of ctypes
    if n > MOST_ELEMENTS:
        raise CallError(f"got {n} elements, expected at most {MOST_ELEMENTS}")
    if not n:
        return (element * 0)()
    if not address:
        raise CallError(f"the pointer of an array of {n} elements is null")
    return (element * n).from_address(address)
