# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lanes compute as numpy does with sixteen numbers, and borrowed arrays are the same arrays."""

import numpy as np
import pytest

from lidar_base.compiled import njit
from lidar_base.lane_kernels import (
    N_LANES,
    bits_of,
    converted,
    first_bit,
    gathered,
    lane_numbers,
    lanes_of,
    least,
    most,
    put_lanes,
    select,
    total,
)
from lidar_base.memory_kernels import borrowed

RANDOM = np.random.default_rng(3)


@njit(error_model="numpy")
def compute(a, b, row, out):
    """Write what the operators do to lanes; return what is made of all lanes."""
    x, y = lanes_of(a, (0, np.uint64(row))), lanes_of(b, (np.uint64(row),))
    put_lanes(out, (0, np.uint64(0)), x + y * 2.0 - 1.0)
    put_lanes(out, (1, np.uint64(0)), x / y)
    mask = ((x < y) & (x > 0.1)) | ~(y <= 0.9)
    put_lanes(out, (2, np.uint64(0)), select(mask, x, 7.0))
    put_lanes(out, (3, np.uint64(0)), converted(converted(x * 100.0, np.int32), np.float64))
    put_lanes(out, (4, np.uint64(0)), lane_numbers() + 3)
    bits = bits_of(mask)
    return total(x), least(x), most(x), bits, first_bit(bits | np.uint64(1 << 40))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_lanes_compute_as_numpy_does(kind):
    a, b = RANDOM.random((2, 40)).astype(kind), RANDOM.random(40).astype(kind) + kind(0.1)
    out = np.zeros((5, N_LANES), kind)
    summed, smallest, largest, bits, first = compute(a, b, 5, out)
    x, y = a[0, 5:21], b[5:21]
    mask = ((x < y) & (x > kind(0.1))) | ~(y <= kind(0.9))
    np.testing.assert_array_equal(out[0], x + y * kind(2.0) - kind(1.0))
    np.testing.assert_array_equal(out[1], x / y)
    np.testing.assert_array_equal(out[2], np.where(mask, x, kind(7.0)))
    np.testing.assert_array_equal(out[3], (x * kind(100.0)).astype(np.int32))
    np.testing.assert_array_equal(out[4], np.arange(3, 19))
    assert (smallest, largest) == (x.min(), x.max())
    assert bits == sum(1 << int(lane) for lane in np.flatnonzero(mask))
    assert first == np.flatnonzero(mask)[0]
    while len(x) > 1:
        half = len(x) // 2
        x = x[:half] + x[half:]
    assert summed == x[0]


@njit(error_model="numpy")
def gather(row, index, out):
    put_lanes(out, (0,), gathered(row, lanes_of(index, (0,))))


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32, np.int64, np.float32])
@pytest.mark.parametrize("index_kind", [np.int32, np.uint32, np.int64])
def test_lanes_are_gathered_from_rows(kind, index_kind):
    row = np.arange(100).astype(kind)
    index, out = RANDOM.integers(0, 100, N_LANES).astype(index_kind), np.zeros(N_LANES, kind)
    gather(row, index, out)
    np.testing.assert_array_equal(out, row[index])


@njit(error_model="numpy")
def add_borrowed(arrays, number):
    """Add to the first of two arrays the second one."""
    to, what = borrowed(arrays)
    for i in range(len(to)):
        to[i] += what[i] * number
    return len(borrowed(to))


def test_borrowed_arrays_are_the_same_arrays():
    to, what = np.ones(5), np.arange(5.0)
    assert add_borrowed((to, what), 2.0) == 5
    np.testing.assert_array_equal(to, 1.0 + 2.0 * what)
