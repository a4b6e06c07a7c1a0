# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bytes that are filled in place."""

import gc

import numpy as np
import pytest

from lidar_base.buffers import new_bytes


@pytest.mark.parametrize("size", [0, 1, 2, 1000, 3_000_000, 5_000_001])
def test_what_is_written_to_the_array_is_what_the_bytes_hold(size):
    message, out = new_bytes(size)
    expected = np.random.default_rng(size).integers(0, 256, size, np.uint8)
    out[:] = expected
    assert message == expected.tobytes()
    assert new_bytes(size)[0] is not message or not size


def test_the_array_keeps_the_bytes_alive():
    out = new_bytes(100_000)[1]
    out[:] = 7
    gc.collect()
    others = [new_bytes(100_000)[1] for _ in range(20)]
    for other in others:
        other[:] = 1
    assert (out == 7).all()
