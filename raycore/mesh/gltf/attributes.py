# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of glTF accessors that trimesh does not read: instances, morph targets, attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from raycore.errors import MeshError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

Header = dict[str, Any]
"""JSON of a glTF file, or an object of it."""

_BYTES = {5121: 1, 5123: 2, 5126: 4}  # of a number: 8 or 16 bits without a sign, or float
_WIDTH = {"VEC2": 2, "VEC4": 4}
_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_NUMBERS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


def is_plain(header: Header, index: int, primitive: Header, kind: str) -> bool:
    """Return whether a glTF accessor has usable rows for the vertices of a primitive.

    It must have a row for each vertex, have a certain type, not be sparse, and lie within its
    buffer. The result is False if the JSON of the file is wrong.

    Parameters
    ----------
    header : Header
        JSON of the file.
    index : int
        Number of the accessor in the JSON.
    primitive : Header
        JSON object of the primitive.
    kind : str
        The type: "VEC2" or "VEC4".
    """
    try:
        accessor, positions = (
            header["accessors"][each] for each in (index, primitive["attributes"]["POSITION"])
        )
        view = header["bufferViews"][accessor["bufferView"]]
        of_one = _WIDTH[kind] * _BYTES[accessor["componentType"]]
        count = accessor["count"]
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


def rows_of(
    header: Header, index: int, buffers: Mapping[str, bytes], source: object
) -> NDArray[np.float64]:
    """Return the values of a glTF accessor, one row per element, float64 (count, numbers per row).

    Normalized integers are converted to numbers up to 1, and sparse values are filled in. The
    caller must have checked that the count is not too large.

    Parameters
    ----------
    header : Header
        JSON of the file.
    index : int
        Number of the accessor in the JSON.
    buffers : mapping of str to bytes
        Buffers of the file, by "buffer 0" and so on.
    source : object
        Name of the file for messages.

    Raises
    ------
    MeshError
        The accessor's type is unknown.
    ValueError
        The accessor reaches beyond its buffer.
    """
    accessor = header["accessors"][index]
    component = accessor["componentType"]
    n = accessor["count"]
    if component not in _DTYPES or accessor["type"] not in _NUMBERS:
        kind = f"{accessor['type']} of componentType {component}"
        raise MeshError(f"{source}: accessor {index}: got {kind}, expected a type of glTF 2.0")
    dtype = np.dtype(_DTYPES[component])
    width = _NUMBERS[accessor["type"]]
    rows = np.zeros((n, width), dtype)
    if "bufferView" in accessor:
        rows = _viewed(header, accessor, dtype, (n, width), buffers)
    if "sparse" in accessor:
        sparse = accessor["sparse"]
        n_changed = sparse["count"]
        of_index = np.dtype(_DTYPES[sparse["indices"]["componentType"]])
        changed = _viewed(header, sparse["indices"], of_index, (n_changed, 1), buffers)
        rows = rows.copy()
        rows[changed[:, 0]] = _viewed(header, sparse["values"], dtype, (n_changed, width), buffers)
    if not accessor.get("normalized"):
        return rows.astype(np.float64)
    return np.asarray(np.maximum(rows / np.float64(np.iinfo(dtype).max), -1.0))


def _viewed(
    header: Header,
    stated: Header,
    dtype: np.dtype[np.generic],
    shape: tuple[int, int],
    buffers: Mapping[str, bytes],
) -> NDArray[np.generic]:
    """Return rows of a buffer view as an array; ValueError if they reach beyond the buffer."""
    view = header["bufferViews"][stated["bufferView"]]
    start = view.get("byteOffset", 0) + stated.get("byteOffset", 0)
    strides = (view.get("byteStride", shape[1] * dtype.itemsize), dtype.itemsize)
    data = buffers[f"buffer {view['buffer']}"]
    found: NDArray[np.generic] = np.ndarray(shape, dtype, data, start, strides)
    return found
