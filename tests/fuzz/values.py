# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers and texts that programs stumble over, and changes of bytes and of lines."""

import math
import re
import struct

NUMBERS = (
    *(0, 1, -1, 2, 3, 7, 255, 256, 65535, 65536, 2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32),
    *(2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64, 10**30, 999_999_999),
    *(-0.0, 0.5, 1e-3, -1e-3, 1e3, 1e6, 1e9, -1e9, 1e18, 1e38, 3.5e38, 1e100, 1e300, -1e300),
    *(1.7976931348623157e308, 5e-324, 1e-300, 1e-30, 1e-9, 89.999, 90.0, 180.0, 360.0, 1e15),
)
NOT_FINITE = (float("nan"), float("inf"), float("-inf"))
LITERALS = ("1e999", "-1e999", "9" * 5000, "0x10", "1_000", "1,5", "1e", "+", "-", "1:30", "0.1.2")
"""What stands in the place of a number in a text."""
TEXTS = (
    *("", " ", "\n", "a\nb", "\t", "\0", "a\0b", "nan", "inf", "null", "true", "None", "-", "."),
    *("..", "../../etc/passwd", "/dev/zero", "/", "a/b", "C:\\x", "x" * 300, "x" * 5000, "\x7f"),
    *("[red]a[/red]", "[/]", ":warning:", "%s%n", "{0}", "${x}", "<script>", "|", "'", '"', "\\"),
    *("*", "?", "[", "!", "\xe4", "\u65e5\u672c", "\u202e", "\ufeff", "\U0001f600", "\x1b[31m"),
    *("=1+1", "#", "\r", "\u2028", "\xe9" * 200, "car.obj", "file:///etc/passwd"),
    *("http://localhost/", "data:,", "data:;base64,!!"),
)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1", "cp1252", "gb2312", "utf-7")
MOST_BYTES = 2**20
"""What changes make larger than that is cut."""


def number(draw, old=None, *, finite=False):
    """Return a number in the place of another one."""
    if old is not None and draw.random() < 0.5:
        changes = (-old, old + 1, old - 1, old * 2, old * 1000, old / 1000, old * 1.001)
        return draw.choice(changes)
    if not finite and draw.random() < 0.15:
        return draw.choice(NOT_FINITE)
    if draw.random() < 0.2:
        return draw.choice((draw.gauss(0, 1), draw.gauss(0, 1000), draw.randint(0, 300)))
    return draw.choice(NUMBERS)


def text(draw, old=""):
    """Return a text in the place of another one."""
    how = draw.random()
    if how < 0.5 or not old:
        return draw.choice(TEXTS)
    at = draw.randint(0, len(old))
    if how < 0.7:
        return old[:at] + draw.choice(TEXTS) + old[at:]
    return draw.choice((old[:at], old[at:], old * 2, old.upper(), old.swapcase(), old[::-1]))


def changed_bytes(data, draw):
    """Return bytes, some of them changed, whatever they mean."""
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        at = draw.randrange(len(data)) if data else 0
        n = draw.choice((1, 2, 4, 8, 16, 64, max(1, len(data) // 4)))
        how = draw.randrange(9)
        if how == 0 and data:
            data[at] ^= 1 << draw.randrange(8)
        elif how == 1 and data:
            data[at] = draw.choice((0, 1, 127, 128, 255, 32, 10))
        elif how in (2, 3):
            width = draw.choice("bBhHiIqQfd")
            value = _packed(width, number(draw), draw.choice("<>"))
            data[at : at + len(value)] = value
        elif how == 4:
            del data[at:]
        elif how == 5:
            del data[at : at + n]
        elif how == 6:
            data[at:at] = bytes(data[at : at + n]) * draw.choice((1, 1, 2, 20))
        elif how == 7:
            data[at : at + n] = bytes(n) if draw.random() < 0.5 else b"\xff" * n
        else:
            data[at:at] = draw.randbytes(n)
    return bytes(data[:MOST_BYTES])


def _packed(width, value, order):
    """Return a number in so many bytes, wrapped around where it is too large."""
    if width in "fd":
        with_limits = max(min(float(value), 3.4e38), -3.4e38) if width == "f" else float(value)
        return struct.pack(order + width, with_limits)
    size = struct.calcsize(width)
    whole = int(value) if math.isfinite(value) else -1
    return (whole % 2 ** (8 * size)).to_bytes(size, "little" if order == "<" else "big")


def changed_words(data, draw):
    """Return the lines of a text, some of them or of their words changed."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    for _ in range(draw.choice((1, 1, 2, 3))):
        at = draw.randrange(len(lines))
        lines = _with_line_changed(lines, at, draw)
    return "\n".join(lines).encode("utf-8", "surrogateescape")[:MOST_BYTES]


def _with_line_changed(lines, at, draw):
    line = lines[at]
    how = draw.random()
    if how < 0.4 and (found := list(NUMBER.finditer(line))):
        one = draw.choice(found)
        now = [line[: one.start()] + literal(draw) + line[one.end() :]]
    elif how < 0.6:
        words = re.split(r"([\s,;:=\"'<>()\[\]{}]+)", line)
        words[draw.randrange(len(words))] = text(draw) if draw.random() < 0.6 else literal(draw)
        now = ["".join(words)]
    elif how < 0.8:
        now = [line] * draw.choice((0, 2, 3, 100))
    elif how < 0.92:
        other = draw.randrange(len(lines))
        now = [lines[other]]
        lines = [*lines[:other], line, *lines[other + 1 :]]
    else:
        now = [line.replace(*draw.choice(((",", ";"), (" ", "\t"), (".", ","), (" ", ""))))]
    rest = lines[at + 1 :] if draw.random() < 0.97 else []
    return [*lines[:at], *now, *rest] or [""]


def literal(draw):
    """Return how a text may write a number, or what stands in its place."""
    if draw.random() < 0.25:
        return draw.choice(LITERALS)
    value = number(draw)
    return repr(value) if draw.random() < 0.9 else f"{value:.3f}"


def in_other_encoding(data, draw):
    """Return a text in another encoding, as far as that has its characters."""
    content = data.decode("utf-8", "replace")
    return content.encode(draw.choice(ENCODINGS), "replace")
