# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What is compiled is kept, until something that is compiled into it has changed."""

import gc
import importlib
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from lidar_base import compiled
from lidar_base.caches import kernel_digest
from lidar_base.caches.kernel_cache import KernelCache

REPOSITORY = Path(__file__).resolve().parents[2]

USER = """
from kernels_of_a_test.used import FACTOR, plus
from lidar_base.compiled import njit

@njit(cache=True)
def use(number):
    return plus(number) * FACTOR
"""
USED = """
from kernels_of_a_test.deeper import one
from lidar_base.compiled import njit

FACTOR = 2.0

@njit(cache=True)
def plus(number):
    return number + one()
"""
DEEPER = """
from numba import njit

@njit(cache=True)
def one():
    return 1
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    folder = tmp_path / "kernels_of_a_test"
    folder.mkdir()
    yield folder
    forget()


def forget():
    for name in [each for each in sys.modules if each.startswith("kernels_of_a_test")]:
        del sys.modules[name]
    kernel_digest._file_digest.cache_clear()


def used_anew(folder, **contents) -> tuple[float, bool]:
    """Return what a kernel gives in a program that starts, and whether it was compiled."""
    for name, content in contents.items():
        (folder / f"{name}.py").write_text(content)
        for kept in (folder / "__pycache__").glob(f"{name}.*.pyc"):
            kept.unlink()  # Python looks at the time of the source
    forget()
    importlib.invalidate_caches()
    use = importlib.import_module("kernels_of_a_test.user").use
    return use(3.0), bool(use.stats.cache_misses)


@pytest.mark.parametrize(
    ("change", "result"),
    [
        ({"user": USER.replace("plus(number)", "plus(number + 1.0)")}, 10.0),
        ({"used": USED.replace("2.0", "10.0")}, 40.0),
        ({"used": USED.replace("number +", "number -")}, 4.0),
        ({"deeper": DEEPER.replace("return 1", "return 2")}, 10.0),
        ({"user": USER.replace("*", "/")}, 2.0),
    ],
)
def test_a_kernel_is_compiled_again_if_a_file_that_it_uses_has_changed(package, change, result):
    assert used_anew(package, user=USER, used=USED, deeper=DEEPER) == (8.0, True)
    assert used_anew(package) == (8.0, False)
    assert used_anew(package, **change) == (result, True)
    assert used_anew(package) == (result, False)


RECORD = """
from typing import NamedTuple
from lidar_base.compiled import njit

class Pair(NamedTuple):
    one: float
    other: float

@njit(cache=True)
def added(pair):
    return pair.one + pair.other

def use(number):
    return added(Pair(number, 5.0))

use.stats = added.stats
"""


def test_a_kernel_whose_record_has_another_name_now_is_compiled_again(package):
    assert used_anew(package, user=RECORD) == (8.0, True)
    assert used_anew(package) == (8.0, False)
    assert used_anew(package, user=RECORD.replace("Pair", "Two")) == (8.0, True)


KERNELS = [
    ".".join(file.relative_to(REPOSITORY).with_suffix("").parts)
    for package in ("lidar_base", "raycore", "material_mapping", "osi_bridge", "osi_lidar")
    for file in (REPOSITORY / package).rglob("*kernels.py")
]


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_is_kept_by_what_it_is_compiled_from(name):
    kernels = [each for each in vars(importlib.import_module(name)).values() if is_kernel(each)]
    assert kernels
    for kernel in kernels:
        assert isinstance(kernel._cache, KernelCache), kernel.py_func.__name__


def is_kernel(value):
    return hasattr(value, "py_func")


@pytest.mark.long
def test_functions_of_two_records_have_two_symbols_in_every_process():
    program = (
        "import numba, numpy as np, lidar_base.compiled, sys\n"
        "fields = [('x', 'f4')] + [('y', 'f8')] * int(sys.argv[1])\n"
        "numba.from_dtype(np.dtype([('unused', 'u1')])) if sys.argv[2] == '1' else None\n"
        "print(numba.from_dtype(np.dtype(fields)).mangling_args)\n"
    )

    def symbol(n_more, others):
        done = subprocess.run(
            [sys.executable, "-c", program, str(n_more), str(others)],
            check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        return done.stdout

    one = symbol(0, 0)
    assert symbol(0, 1) == one
    assert symbol(1, 0) != one


@pytest.mark.parametrize("usual", [700, 0, 10**6])
def test_python_looks_for_garbage_as_before_once_a_kernel_is_compiled(usual):
    before = gc.get_threshold()
    meanwhile = []

    @numba.njit
    def add(a, b):
        return a + b

    gc.set_threshold(usual, *before[1:])
    try:
        with compiled.when_compiling(lambda: meanwhile.append(gc.get_threshold()[0])):
            add(1, 2)
        after = gc.get_threshold()
        with pytest.raises(numba.TypingError):
            add("a", 1)
        assert gc.get_threshold() == after == (usual, *before[1:])
    finally:
        gc.set_threshold(*before)
    assert meanwhile
    assert set(meanwhile) == {usual and max(usual, 100_000)}


def test_a_kernel_is_compiled_once_for_what_it_reads_whoever_made_it():
    @numba.njit
    def first(array):
        return array[0]

    locked = np.ones(1)
    locked.flags.writeable = False
    for array in (np.ones(1), locked):
        assert first(compiled.read_only(array)) == 1.0
    assert len(first.signatures) == 1
