# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels as parts of others: the same results, once compiled with them and once by themselves."""

import math

import numba.core.codegen
import numpy as np
import pytest

from lidar_base.block_kernels import in_threads, new_deal, take_block
from lidar_base.caches.kernel_digest import digest_of
from lidar_base.compiled import njit, when_compiling
from lidar_base.dispatchers.kernel_parts import own_way_works
from lidar_base.memory_kernels import seen_as


def new_kernels(**options):
    """Return a kernel that takes in another one, and that one."""

    @njit(nogil=True, **options)
    def part(x):
        if x < 0.0:
            raise ValueError("below zero")
        return math.sqrt(x) + 1.0 / 3.0

    @njit(nogil=True)
    def whole(x):
        return part(x) * part(x + 1.0)

    return whole, part


@pytest.mark.parametrize("options", [{}, {"alone": True}, {"disjoint": True}], ids=str)
def test_a_kernel_gives_what_its_parts_give(options):
    whole, part = new_kernels(**options)
    assert whole(2.0) == part(2.0) * part(3.0)


def test_an_error_in_a_part_reaches_python():
    whole, _ = new_kernels()
    with pytest.raises(ValueError, match="below zero"):
        whole(-1.0)


def test_a_part_is_compiled_for_python_when_python_calls_it():
    whole, part = new_kernels()
    whole(2.0)
    assert not part.signatures
    compiled = []
    with when_compiling(lambda: compiled.append(1)):
        part(2.0)
        part(3.0)
    assert len(compiled) == 1
    assert len(part.signatures) == 1


@pytest.mark.parametrize("options", [{}, {"alone": True}, {"disjoint": True}], ids=str)
def test_a_part_is_compiled_once_for_all_whole_numbers(options):
    @njit(nogil=True, **options)
    def part(x, number):
        return x + number

    @njit(nogil=True)
    def whole(x):
        number = 0  # which numba takes for a type of its own until it meets the next line
        while number < 3:
            x = part(x, number)
            number += 1
        return part(x, 5)

    assert own_way_works()  # the first call in a process compiles two kernels
    compiled = []
    with when_compiling(lambda: compiled.append(1)):
        assert whole(1.0) == 9.0
    assert len(compiled) == 2  # the part and the whole


def test_how_a_part_is_taken_in_is_part_of_a_digest():
    digests = {
        digest_of(new_kernels(**how)[0]) for how in ({}, {"alone": True}, {"disjoint": True})
    }
    assert len(digests) == 3


def test_whether_a_kernel_is_wide_is_part_of_its_digest():
    def double(values):
        values *= 2.0

    assert digest_of(njit()(double)) != digest_of(njit(wide=True)(double))


def new_sum_of_lanes(**options):
    """Return a kernel that adds a packet of eight numbers to another one."""

    @njit(nogil=True, disjoint=True)
    def add(lanes, x, y, sum_out):
        for lane in range(len(lanes)):
            sum_out[lane] = x[lane] + y[lane]

    @njit(nogil=True, **options)
    def add_packets(lanes, x, y, sum_out):
        add(lanes, x, y, sum_out)

    return add_packets


def test_a_wide_kernel_adds_all_lanes_at_once():
    x, y = np.arange(8, dtype=np.float32), np.full(8, 0.1, np.float32)
    sums = np.zeros((2, 8), np.float32)
    one_by_one, wide = new_sum_of_lanes(), new_sum_of_lanes(wide=True)
    one_by_one(tuple(range(8)), x, y, sums[0])
    wide(tuple(range(8)), x, y, sums[1])
    assert sums[0].tolist() == sums[1].tolist() == (x + y).tolist()
    if hasattr(numba.core.codegen, "create_pass_builder"):
        (code,) = wide.inspect_llvm().values()
        assert "fadd <" in code


@pytest.mark.long
def test_threads_take_each_block_once():
    @njit(nogil=True)
    def mark(deal, times_out):
        while True:
            block = take_block(deal)
            if block >= len(times_out):
                break
            times_out[block] += 1

    @njit(nogil=True, threads=True)
    def mark_all(n_workers, times_out):
        in_threads(mark, n_workers, (new_deal(), times_out))

    times = np.zeros(1000, np.int64)
    mark_all(4, times)
    assert (times == 1).all()


def test_an_error_in_a_thread_is_an_error_of_the_kernel():
    @njit(nogil=True)
    def fail(values):
        if len(values) > 0:
            raise ValueError("not this one")

    @njit(nogil=True, threads=True)
    def fail_in_threads(values):
        in_threads(fail, 2, (values,))

    fail_in_threads(np.zeros(0))
    with pytest.raises(MemoryError, match="a thread of a kernel failed"):
        fail_in_threads(np.zeros(1))


@pytest.mark.parametrize(("kind", "count"), [(np.uint64, 2), (np.uint32, 4), (np.uint8, 16)])
def test_memory_is_seen_as_other_numbers(kind, count):
    @njit(nogil=True)
    def total(values):
        seen = seen_as(values, kind)
        return len(seen), seen[0], seen[len(seen) - 1]

    values = np.array([1.5, -2.0])
    expected = values.view(kind)
    assert total(values) == (count, expected[0], expected[-1])
