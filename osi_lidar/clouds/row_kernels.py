# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of points as bytes: the fields that all rows begin with, and the places of the others.

Kernels take the points as bytes and look at each row through these records. So a kernel is compiled
once, and not anew for each type of row that a sensor's settings lead to.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lidar_base.compiled import njit
from lidar_base.memory_kernels import record_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

XYZ = np.dtype([(axis, "<f4") for axis in "xyz"])
"""numpy type of the first three fields of a point: x, y and z, float32. [m, sensor frame]"""
_SURFACE = ("intensity", "reflectivity", "normal_x", "normal_y", "normal_z", "range")
HEAD = np.dtype(
    XYZ.descr + [(name, "<f4") for name in _SURFACE] + [("ring", "<u2"), ("column", "<u4")]
)
"""numpy type of the fields with which every row of `cloud.point_type` begins, up to column."""
_HEAD_BYTES = HEAD.itemsize
IDS = np.dtype([("object_id", "<u4"), ("material_id", "<u2")])
WIDE_IDS = np.dtype([("object_id", "<u8"), ("material_id", "<u2")])
"""numpy type of the ids that follow `HEAD` if an OSI id does not fit into 32 bits; else `IDS`."""
TIME = np.dtype([("time_ns", "<u4")])
ECHO = np.dtype([("echo", "u1"), ("n_echoes", "u1")])
RECEIVED = np.dtype([("snr", "<f4"), ("width_m", "<f4"), ("origin", "u1")])
SPEED = np.dtype([("radial_velocity", "<f4")])
"""numpy type of a point's radial velocity; optional, as are `TIME`, `ECHO` and `RECEIVED`."""
ABSENT = -1
"""Position in `RowPlaces` of fields that the rows do not have."""


class RowPlaces(NamedTuple):
    """Positions of the optional fields within a row of `cloud.point_type`.

    Attributes
    ----------
    is_wide : bool
        Whether object ids have 64 bits.
    time_ns, echo, received : int
        Bytes from the begin of the row to the fields `TIME`, `ECHO` and `RECEIVED`; `ABSENT` if
        the row does not have them.
    """

    is_wide: bool
    time_ns: int
    echo: int
    received: int


@cache
def places_in(row: np.dtype[Any]) -> RowPlaces:
    """Return the positions of the optional fields within a point of a numpy type.

    Parameters
    ----------
    row : numpy.dtype
        Structured type of a point, as `cloud.point_type` makes it.

    Returns
    -------
    RowPlaces
        The positions in bytes, and whether the object ids have 64 bits.
    """
    fields: Mapping[str, Any] = row.fields or {}
    time_ns, echo, received = (
        fields[name][1] if name in fields else ABSENT for name in ("time_ns", "echo", "snr")
    )
    return RowPlaces(fields["object_id"][0].itemsize > 4, time_ns, echo, received)


def row_bytes(points: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the memory of points as bytes, uint8 (n_point, n_byte), not a copy.

    ``points`` is a contiguous structured array, (n_point,), of n_byte bytes per point.
    """
    return points.view(np.uint8).reshape(len(points), points.dtype.itemsize)


@njit(cache=True, nogil=True, inline="always")
def write_ids(
    # In:
    place,  # memory address of the row
    is_wide,  # see RowPlaces
    object_id,
    material,
):
    """Write the OSI object id and the material of a point into the memory of the point.

    Parameters
    ----------
    place : int
        Memory address of the point, whose type is one of `cloud.point_type`; it is written to.
    is_wide : bool
        True: the point's object id has 64 bits. False: it has 32.
    object_id : int
        OSI id of the object that the point is on.
    material : int
        Index of the material in the table of infrared materials: the point's ``material_id``.
    """
    if is_wide:
        wide = record_at(place + _HEAD_BYTES, WIDE_IDS)
        wide.object_id = object_id
        wide.material_id = material
    else:
        narrow = record_at(place + _HEAD_BYTES, IDS)
        narrow.object_id = object_id
        narrow.material_id = material
