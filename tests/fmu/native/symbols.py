# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that shared libraries of Linux, Windows and macOS export, and what else they tell."""

import struct

_LINUX, _WINDOWS, _MACOS = b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe"
_DYNAMIC_SYMBOLS = 11  # SHT_DYNSYM
_SYMBOL_TABLE, _SIGNATURE = 0x2, 0x1D  # LC_SYMTAB, LC_CODE_SIGNATURE
_EXTERNAL, _DEBUG = 0x01, 0xE0  # N_EXT, N_STAB
_OF_THE_LINKER = {"__dso_handle", "_mh_dylib_header"}


def exported(data):
    """Return the names that a library of any of the three formats exports, as C writes them."""
    if data.startswith(_LINUX):
        return {name for name, section in _symbols_of_elf(data) if section}
    if data.startswith(_WINDOWS):
        return _of_pe(data)
    assert data.startswith(_MACOS)
    return _of_mach_o(data)


def needed_glibc(data):
    """Return the versions of glibc that a library of Linux asks for."""
    return {
        tuple(map(int, word.split(b".")))
        for word in (part[6:] for part in data.split(b"\0") if part.startswith(b"GLIBC_"))
    }


def is_signed(data):
    """Tell whether a library of macOS is signed, without which Arm Macs load none."""
    return any(command == _SIGNATURE for command, _ in _load_commands(data))


def _text(data, at):
    return data[at : data.index(b"\0", at)].decode()


def _symbols_of_elf(data):
    (sections,) = struct.unpack_from("<Q", data, 0x28)
    size, n = struct.unpack_from("<HH", data, 0x3A)
    # name, type, flags, address, offset, size, link, info, align, entry size
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, sections + i * size) for i in range(n)]
    (table,) = (header for header in headers if header[1] == _DYNAMIC_SYMBOLS)
    names = headers[table[6]][4]
    for at in range(table[4], table[4] + table[5], table[9]):
        name, _, _, section, _, _ = struct.unpack_from("<IBBHQQ", data, at)
        yield _text(data, names + name), section


def _of_pe(data):
    (head,) = struct.unpack_from("<I", data, 0x3C)
    assert data[head : head + 4] == b"PE\0\0"
    n_sections, optional_size = struct.unpack_from("<H12xH", data, head + 6)
    optional = head + 24
    assert struct.unpack_from("<H", data, optional) == (0x20B,)  # 64 bits
    (directory,) = struct.unpack_from("<I", data, optional + 112)
    sections = [
        struct.unpack_from("<III", data, optional + optional_size + 40 * i + 12)
        for i in range(n_sections)
    ]  # address, size in the file, offset

    def place(address):
        (found,) = (
            offset + address - start
            for start, size, offset in sections
            if start <= address < start + size
        )
        return found

    n_names, _, names = struct.unpack_from("<III", data, place(directory) + 24)
    addresses = struct.unpack_from(f"<{n_names}I", data, place(names))
    return {_text(data, place(address)) for address in addresses}


def _load_commands(data):
    (n,) = struct.unpack_from("<I", data, 16)
    at = 32
    for _ in range(n):
        command, size = struct.unpack_from("<II", data, at)
        yield command, at
        at += size


def _of_mach_o(data):
    (table,) = (at for command, at in _load_commands(data) if command == _SYMBOL_TABLE)
    symbols, n, names, _ = struct.unpack_from("<IIII", data, table + 8)
    found = set()
    for i in range(n):
        name, kind, section = struct.unpack_from("<IBB", data, symbols + 16 * i)
        if kind & _EXTERNAL and not kind & _DEBUG and section:
            found.add(_text(data, names + name).removeprefix("_"))
    return found - _OF_THE_LINKER
