# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A kernel's digest follows what it is compiled from, and nothing else."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba import types

from lidar_base.caches.kernel_digest import digest_of, in_words
from osi_lidar.scan.echoes.point_kernels import find_and_receive
from raycore.trace.trace_kernels import trace_packets

REPOSITORY = Path(__file__).resolve().parents[3]
SOURCE = """
import numpy as np
from numba import njit

FACTOR = 2.0
TABLE = np.array([1.0, 2.0])
UNUSED = 1

@njit
def other(x):
    return x - 1

@njit
def helper(x):
    return x + 1

@njit
def work(x):
    return helper(x) * FACTOR + TABLE[0]
"""


def digest(source):
    kernels = {"__name__": "source_of_a_test"}
    exec(source, kernels)  # noqa: S102  ours
    return digest_of(kernels["work"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("helper(x) *", "helper(x) /"),
        ("x + 1", "x + 2"),
        ("FACTOR = 2.0", "FACTOR = 2"),
        ("[1.0, 2.0]", "[1.0, 3.0]"),
        ("@njit\ndef work", "@njit(error_model='numpy')\ndef work"),
        ("@njit\ndef helper", "@njit(fastmath=True)\ndef helper"),
    ],
)
def test_a_change_in_what_is_used_counts(old, new):
    assert old in SOURCE
    assert digest(SOURCE) != digest(SOURCE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [("x - 1", "x - 2"), ("UNUSED = 1", "UNUSED = 2\n\n\n"), ("    return h", "\n    return h")],
)
def test_a_change_elsewhere_does_not_count(old, new):
    assert old in SOURCE
    assert digest(SOURCE) == digest(SOURCE.replace(old, new))


def test_a_profiler_does_not_count():
    """Under it, numba overwrites the flags of the code of a kernel that is called."""
    kernels = {"__name__": "source_of_a_test"}
    exec(SOURCE, kernels)  # noqa: S102  ours
    before = digest_of(kernels["work"])
    usual = sys.getprofile()
    sys.setprofile(lambda *_: None)
    try:
        kernels["work"](1.0)
    finally:
        sys.setprofile(usual)
    assert digest_of(kernels["work"]) == before


@pytest.mark.long
def test_a_digest_is_the_same_in_every_process():
    program = (
        "from raycore.trace.trace_kernels import trace_packets as t\n"
        "from osi_lidar.scan.echoes.point_kernels import find_and_receive as f\n"
        "from lidar_base.caches.kernel_digest import digest_of\n"
        "print(digest_of(t), digest_of(f))"
    )
    command = [sys.executable, "-c", program]
    other = subprocess.run(command, check=True, capture_output=True, text=True, cwd=REPOSITORY)
    assert other.stdout.split() == [digest_of(trace_packets), digest_of(find_and_receive)]


class Pair(NamedTuple):
    one: float
    other: float


class Swapped(NamedTuple):
    other: float
    one: float


def test_types_that_differ_have_other_words():
    record = [("x", "f4"), ("y", "f8")]
    kinds = [
        types.float32,
        types.float64[::1],
        types.float64[:],
        types.float64[:, ::1],
        types.Array(types.float64, 1, "C", readonly=True),
        numba.typeof(Pair(1.0, 2.0)),
        numba.typeof(Swapped(1.0, 2.0)),
        numba.typeof((1.0, 2.0)),
        numba.typeof(np.zeros(1, np.dtype(record))),
        numba.typeof(np.zeros(1, np.dtype(record, align=True))),
        numba.typeof(np.zeros(1, np.dtype(record[:1]))),
    ]
    assert len({in_words([kind]) for kind in kinds}) == len(kinds)
    assert in_words(kinds[:2]) != in_words(kinds[1::-1])
