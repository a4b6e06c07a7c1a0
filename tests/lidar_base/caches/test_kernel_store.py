# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A kept kernel comes back as it was, or not at all."""

import os
import threading
import time

import pytest

from lidar_base.caches.kernel_store import KernelStore, Key

KEY = Key("package.module.work", '{"numba": "1.0"}')
CODE = bytes(range(256)) * 40


@pytest.fixture
def store(tmp_path):
    return KernelStore(tmp_path / "kernels")


def test_a_kernel_comes_back(store):
    assert store.load(KEY) is None
    store.keep(KEY, CODE)
    assert KEY in store
    assert store.load(KEY) == CODE
    assert [file.name for file in store.folder.iterdir()] == [KEY.file]


@pytest.mark.parametrize("place", [0, 31, 32, 500, -1])
def test_a_flipped_bit_is_noticed(store, place):
    store.keep(KEY, CODE)
    file = store.folder / KEY.file
    content = bytearray(file.read_bytes())
    content[place] ^= 16
    file.write_bytes(content)
    assert store.load(KEY) is None


@pytest.mark.parametrize("size", [0, 20, 32, 1000])
def test_a_file_that_was_cut_short_is_noticed(store, size):
    store.keep(KEY, CODE)
    file = store.folder / KEY.file
    file.write_bytes(file.read_bytes()[:size])
    assert store.load(KEY) is None


def test_a_kernel_that_was_compiled_from_something_else_is_noticed(store):
    other = KEY._replace(made_of='{"numba": "2.0"}')
    assert other.file != KEY.file
    store.keep(other, CODE)
    (store.folder / other.file).rename(store.folder / KEY.file)
    assert store.load(KEY) is None


def test_a_damaged_file_is_replaced(store):
    store.folder.mkdir()
    (store.folder / KEY.file).write_bytes(b"foreign")
    store.keep(KEY, CODE)
    assert store.load(KEY) == CODE


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        KernelStore(tmp_path / "file").keep(KEY, CODE)


@pytest.mark.long
def test_many_at_once_read_a_complete_kernel_or_none(store):
    seen = set()
    until = time.monotonic() + 0.5

    def write():
        while time.monotonic() < until:
            store.keep(KEY, CODE)

    def read():
        while time.monotonic() < until:
            seen.add(store.load(KEY))

    threads = [threading.Thread(target=each) for each in (write, write, read, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen <= {None, CODE}
    assert store.load(KEY) == CODE


def test_versions_that_nobody_loads_go_when_another_comes(store):
    old, used = (KEY._replace(made_of=word) for word in ("old", "used"))
    for key in (old, used):
        store.keep(key, CODE)
        os.utime(store.folder / key.file, (1.0, 1.0))
    other = Key("package.module.other", "old")
    store.keep(other, CODE)
    os.utime(store.folder / other.file, (1.0, 1.0))
    assert store.load(used) == CODE
    store.keep(KEY, CODE)
    assert old not in store
    assert used in store
    assert other in store
