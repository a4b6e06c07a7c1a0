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
from numba.core.caching import IndexDataCacheFile

import raycore.trace.trace_kernels
import raycore.trace.tracer
from lidar_base import compiled

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
    folder = tmp_path / "kernels_of_a_test"
    folder.mkdir()
    yield folder
    forget()


def forget():
    for name in [each for each in sys.modules if each.startswith("kernels_of_a_test")]:
        del sys.modules[name]
    compiled._source_digest.cache_clear()


def used_anew(folder, **contents) -> tuple[float, bool]:
    """Return what a kernel gives in a program that starts, and whether it was compiled."""
    for name, content in contents.items():
        (folder / f"{name}.py").write_text(content)
        for kept in (folder / "__pycache__").glob(f"{name}.*.pyc"):
            kept.unlink()  # Python looks at the time of the source, numba does not
    forget()
    importlib.invalidate_caches()
    use = importlib.import_module("kernels_of_a_test.user").use
    return use(3.0), bool(use.stats.cache_misses)


@pytest.mark.parametrize(
    ("change", "result"),
    [
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


def test_the_kernels_of_the_ray_core_know_of_each_other():
    index = raycore.trace.trace_kernels.trace_packets._cache._cache_file
    assert index._source_stamp[1] == compiled._digest(
        raycore.trace.trace_kernels.trace_packets.py_func
    )


KERNELS = [
    ".".join(file.relative_to(REPOSITORY).with_suffix("").parts)
    for package in ("lidar_base", "raycore", "material_mapping", "osi_bridge", "osi_lidar")
    for file in (REPOSITORY / package).rglob("*kernels.py")
]


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_that_numba_alone_keeps_uses_none_of_another_file(name):
    module = importlib.import_module(name)
    kernels = {key: value for key, value in vars(module).items() if hasattr(value, "py_func")}
    own = [each for each in kernels.values() if each.py_func.__module__ == name]
    assert own
    of_others = [key for key, each in kernels.items() if each.py_func.__module__ != name]
    for kernel in own:
        _, *digest = kernel._cache._cache_file._source_stamp
        assert not of_others or len(str(digest[0])) == 64, kernel.py_func.__name__


class Index(IndexDataCacheFile):
    """numba's index of one kernel, as one of several processes has it."""

    def __init__(self, folder, stamp="new"):
        super().__init__(str(folder), "kernels.work-12.py311", stamp)


def test_two_processes_never_keep_two_versions_under_one_name(tmp_path, monkeypatch):
    one, other = Index(tmp_path), Index(tmp_path)
    compiled._save(one, "for float32", "code for float32")
    with monkeypatch.context() as unaware:  # the other one has read the index before
        unaware.setattr(other, "_load_index", dict)
        compiled._save(other, "for float64", "code for float64")
    for index in (one, other):
        for kind in ("float32", "float64"):
            assert index.load(f"for {kind}") in (f"code for {kind}", None)
    compiled._save(one, "for float32", "code for float32")
    assert one.load("for float32") == "code for float32"


def test_a_name_is_in_the_index_only_when_its_file_is_new(tmp_path, monkeypatch):
    old = Index(tmp_path, "old")
    compiled._save(old, "for float32", "old code")
    new, reader = Index(tmp_path), Index(tmp_path)
    seen = []
    save_index = new._save_index

    def look_then_save(overloads):
        seen.append(reader.load("for float32"))
        save_index(overloads)
        seen.append(reader.load("for float32"))

    monkeypatch.setattr(new, "_save_index", look_then_save)
    compiled._save(new, "for float32", "new code")
    assert seen == [None, "new code"]
    assert len(list(tmp_path.glob("*.nbc"))) == 1


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

    assert symbol(0, 0) == symbol(0, 1)
    assert symbol(0, 1) != symbol(1, 0)


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
