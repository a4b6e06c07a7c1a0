# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of points as bytes: each record lies where the type of the row has its fields."""

from itertools import product

import numpy as np
import pytest

from lidar_base.compiled import njit
from lidar_base.memory_kernels import record_at
from osi_lidar.clouds import cloud_kernels
from osi_lidar.clouds.cloud import point_type, spherical
from osi_lidar.clouds.row_kernels import (
    ABSENT,
    ECHO,
    HEAD,
    IDS,
    RECEIVED,
    TIME,
    WIDE_IDS,
    places_in,
    row_bytes,
    write_ids,
)

ROWS = [
    point_type(ids, timed=timed, several=several, received=received, moving=moving)
    for ids, timed, several, received, moving in product(["<u4", "<u8"], *[[False, True]] * 4)
]


def part_of(row, record, at):
    """Return the part of a row type that starts at a byte, as a type of its own."""
    fields = {name: (kind, place - at) for name, (kind, place) in row.fields.items()}
    return {name: fields[name] for name in record.names}


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_records_lie_where_the_row_has_their_fields(row):
    places = places_in(row)
    ids = WIDE_IDS if places.is_wide else IDS
    parts = [(HEAD, 0), (ids, HEAD.itemsize)]
    optional = [(TIME, places.time_ns), (ECHO, places.echo), (RECEIVED, places.received)]
    for record, at in [*parts, *(each for each in optional if each[1] != ABSENT)]:
        assert part_of(row, record, at) == dict(record.fields)
    for record, at in optional:
        assert (at == ABSENT) == (record.names[0] not in row.names)


@njit()
def write(rows, places):
    for i in range(len(rows)):
        place = rows.ctypes.data + i * rows.shape[1]
        record_at(place, HEAD).range = i
        write_ids(place, places.is_wide, 1000 * i, i)


@pytest.mark.parametrize("row", [ROWS[0], ROWS[-1]], ids=str)
def test_a_record_is_the_memory_of_its_row_alone(row):
    points = np.zeros(3, row)
    write(row_bytes(points), places_in(row))
    expected = np.zeros(3, row)
    expected["range"], expected["object_id"] = [0, 1, 2], [0, 1000, 2000]
    expected["material_id"] = [0, 1, 2]
    np.testing.assert_array_equal(points, expected)


def test_a_kernel_is_compiled_once_for_all_rows():
    n_before = len(cloud_kernels.to_spherical.signatures)
    for row in ROWS:
        for n in (0, 1, 2):
            spherical(np.zeros(n, row))
    assert len(cloud_kernels.to_spherical.signatures) <= max(1, n_before)
