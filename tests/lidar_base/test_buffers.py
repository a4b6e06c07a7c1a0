# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory is given out again once nobody holds it, and never before."""

import numpy as np

from lidar_base.buffers import Buffers

POINT = np.dtype([("x", "<f4"), ("ring", "<u2")])


def address(array):
    return array.ctypes.data


def test_an_array_that_nobody_holds_is_given_out_again():
    buffers = Buffers()
    first = buffers.empty(1000, POINT)
    where = address(first)
    del first
    assert address(buffers.empty(1000, np.uint32)) == where
    assert buffers.empty(10, POINT).shape == (10,)


def test_an_array_that_is_held_stays_as_it_is():
    buffers = Buffers()
    kept = buffers.empty(100, POINT)
    kept["x"] = 1.5
    others = [buffers.empty(100, POINT) for _ in range(5)]
    for other in others:
        other["x"] = 7.0
    assert len({address(array) for array in (kept, *others)}) == 6
    assert (kept["x"] == 1.5).all()


def test_a_view_or_a_memoryview_holds_the_memory_too():
    buffers = Buffers()
    for view_of in (lambda array: array["x"][10:20], lambda array: array.data, np.asarray):
        array = buffers.empty(50, POINT)
        view, where = view_of(array), address(array)
        del array
        assert address(buffers.empty(50, POINT)) != where
        del view
        assert address(buffers.empty(50, POINT)) == where


def test_growing_scans_do_not_pile_up():
    buffers = Buffers()
    for n in range(1, 2000, 7):
        assert len(buffers.empty(n, POINT)) == n
    assert len(buffers._memory) == 1
