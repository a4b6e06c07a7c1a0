# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of arguments become JSON and come back as the same types."""

from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba import types

from lidar_base.caches.kernel_list import ListedKernel, list_text, read_list, type_text


class Alike(NamedTuple):
    one: float
    other: float


class Mixed(NamedTuple):
    one: float
    number: int
    alike: Alike


locked = np.zeros((2, 3), np.float32)
locked.flags.writeable = False
record = np.dtype([("x", "f4"), ("n", "u1"), ("y", "f8")])
VALUES = [
    1.5,
    np.uint16(1),
    True,
    np.zeros(3, bool),
    np.zeros((2, 2, 2)),
    np.zeros((4, 4))[::2],
    locked,
    (1, 2.0),
    tuple(range(16)),
    tuple(range(8)),
    Alike(1.0, 2.0),
    Mixed(1.0, 2, Alike(1.0, 2.0)),
    np.zeros(2, record),
    np.zeros(2, np.dtype(record.descr, align=True)),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: str(numba.typeof(value))[:40])
def test_a_type_comes_back(value, tmp_path):
    kind = numba.typeof(value)
    listed = ListedKernel("module.kernel", (type_text(kind, 16),), ("ideal",))
    (tmp_path / "list.json").write_text(list_text([listed]))
    (again,) = read_list(tmp_path / "list.json")
    assert again == listed
    assert again.kinds(16) == (kind,)


def test_packets_have_as_many_lanes_as_the_processor():
    text = type_text(numba.typeof(tuple(range(16))), 16)
    assert ListedKernel("m.k", (text,), ()).kinds(8) == (types.UniTuple(types.int64, 8),)


def test_a_type_that_no_kernel_has_is_told():
    with pytest.raises(ValueError, match="cannot describe"):
        type_text(types.unicode_type, 16)
