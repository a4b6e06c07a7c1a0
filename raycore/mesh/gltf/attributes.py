# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of each vertex in glTF files, besides positions."""

from __future__ import annotations

from typing import Any

Header = dict[str, Any]
"""JSON of a glTF file, or an object of it."""

_BYTES = {5121: 1, 5123: 2, 5126: 4}  # of a number: 8 or 16 bits without a sign, or float
_WIDTH = {"VEC2": 2, "VEC4": 4}


def is_plain(header: Header, index: int, primitive: Header, kind: str) -> bool:
    """Return whether an accessor has a row of a kind for each position, all within its buffer."""
    try:
        accessor, positions = (
            header["accessors"][each] for each in (index, primitive["attributes"]["POSITION"])
        )
        view = header["bufferViews"][accessor["bufferView"]]
        of_one, count = _WIDTH[kind] * _BYTES[accessor["componentType"]], accessor["count"]
        last = (count - 1) * view.get("byteStride", of_one) + of_one
        ends = (
            (accessor.get("byteOffset", 0) + last, view["byteLength"]),
            (
                view.get("byteOffset", 0) + view["byteLength"],
                header["buffers"][view["buffer"]]["byteLength"],
            ),
        )
        usable = accessor["type"] == kind and "sparse" not in accessor
        usable &= count == positions["count"] and all(end <= limit for end, limit in ends)
    except (LookupError, TypeError, AttributeError):
        return False
    return bool(usable)
