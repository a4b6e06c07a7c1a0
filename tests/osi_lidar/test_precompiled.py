# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The list of kernels is what runs compile."""

import subprocess
import sys
from pathlib import Path

import pytest

from lidar_base.caches.kernel_cache import user_folder
from lidar_base.caches.kernel_digest import KINDS
from lidar_base.caches.kernel_list import read_list
from lidar_base.caches.kernel_store import KernelStore
from lidar_base.caches.trust import make_own_folder
from osi_lidar import precompiled
from osi_lidar.precompiled import LIST, Origin, compile_all, states

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("listed", read_list(LIST), ids=lambda listed: listed.name)
def test_every_listed_kernel_exists_and_its_arguments_are_types(listed):
    assert len(listed.kinds(16)) == listed.kernel().py_func.__code__.co_argcount
    assert listed.runs


def named_tuples(kinds):
    """Yield the named tuples among types, and those inside of tuples."""
    for kind in kinds:
        if isinstance(kind, KINDS.BaseNamedTuple):
            yield kind
        if isinstance(kind, KINDS.BaseTuple):
            yield from named_tuples(kind.types)


@pytest.mark.parametrize("listed", read_list(LIST), ids=lambda listed: listed.name)
def test_named_tuples_of_the_list_have_as_many_fields_as_in_the_code(listed):
    """Types of fields are held by the slow test."""
    old = [
        kind.instance_class.__name__
        for kind in named_tuples(listed.kinds(16))
        if len(kind.types) != len(kind.fields)
    ]
    assert not old, "tools/list_kernels.py writes the list anew"


def test_kernels_of_one_kind_of_sensor_can_be_asked_for():
    ideal, physical, every = (len(states(runs)) for runs in (["ideal"], ["physical"], []))
    assert ideal < every
    assert physical < every
    assert ideal + physical > every


@pytest.mark.long
def test_what_is_missing_is_compiled_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("numba.config.BOUNDSCHECK", 1)  # none are shipped with it
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    name = "osi_lidar.clouds.cloud_kernels.count_chosen"
    few = [each for each in read_list(LIST) if each.name == name]
    monkeypatch.setattr(precompiled, "_listed", lambda _runs: few)
    assert {each.origin for each in states()} == {Origin.NOWHERE}
    assert list(compile_all()) == few
    assert {each.origin for each in states()} == {Origin.CACHED}
    assert list(compile_all()) == []


def test_one_bit_flipped_in_a_kept_kernel_is_found(tmp_path):
    places = {key.file: key for each in states() for _, key in precompiled._places(each.listed, 16)}
    kept = KernelStore(user_folder()).files()
    known = [file for file in kept if file.name in places][:20]
    copies = KernelStore(make_own_folder(tmp_path / "kernels"))
    for number, file in enumerate(known):
        content = bytearray(file.read_bytes())
        (copies.folder / file.name).write_bytes(content)
        assert copies.load(places[file.name]) is not None
        bit = number * 7919 % (8 * len(content))
        content[bit // 8] ^= 1 << bit % 8
        (copies.folder / file.name).write_bytes(content)
        assert copies.load(places[file.name]) is None, file.name


@pytest.mark.slow  # some forty runs, each twice
def test_no_run_compiles_a_kernel_that_the_list_lacks():
    command = [sys.executable, "tools/list_kernels.py", "--check"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
