# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels come from the user's folder, else from those of the package, else they are compiled."""

import json
import logging
import subprocess
import sys
import threading
from pathlib import Path

import numba
import pytest

from lidar_base import compiled
from lidar_base.caches import kernel_cache, turns
from lidar_base.caches import kernel_target as target
from lidar_base.caches.kernel_store import KernelStore

REPOSITORY = Path(__file__).resolve().parents[3]
LEVEL = (target.levels_here() or ("",))[0]
needs_level = pytest.mark.skipif(not LEVEL, reason="no kernels are shipped for this processor")


def new_kernel():
    """Return a kernel as a process that starts has it."""

    @compiled.njit(cache=True)
    def double(number):
        return 2 * number

    return double


def compilations(kernel, argument=3) -> int:
    """Return how many kernels a call compiles."""
    heard = []
    with compiled.when_compiling(lambda: heard.append(1)):
        assert kernel(argument) == 2 * argument
    return len(heard)


@pytest.fixture(scope="module", autouse=True)
def _tried(tmp_path_factory):
    """Compile the first kernel of the process, which brings a trial kernel, before these tests."""
    with pytest.MonkeyPatch.context() as empty:
        empty.setattr(numba.config, "CACHE_DIR", str(tmp_path_factory.mktemp("tried")))
        new_kernel()(1.5)


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "user"))
    monkeypatch.setattr(kernel_cache, "SHIPPED", tmp_path / "shipped")
    forget()
    yield
    forget()


def forget():
    """Forget what this process knows of shipped kernels."""
    kernel_cache.shipped_for.cache_clear()
    kernel_cache._tell_once.cache_clear()


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Return the folder of shipped kernels, with one for this processor's level; nothing cached."""
    with monkeypatch.context() as building:
        building.setattr(numba.config, "CACHE_DIR", str(tmp_path / "made"))
        building.setattr(target, "processor", lambda: LEVEL)
        assert compilations(new_kernel()) == 1
    folder = tmp_path / "shipped"
    (tmp_path / "made" / "osi-lidar").rename(folder)
    fits = {**target.versions(), **target.settings(), "levels": LEVEL}
    (folder / "kernels.json").write_text(json.dumps(fits))
    forget()
    return folder


def test_a_compiled_kernel_is_kept():
    assert compilations(new_kernel(), 1.5) == 1
    assert compilations(new_kernel()) == 1
    assert len(KernelStore(kernel_cache.user_folder()).files()) == 2
    assert compilations(new_kernel()) == 0
    assert compilations(new_kernel(), 2.5) == 0


@needs_level
@pytest.mark.usefixtures("shipped")
def test_a_shipped_kernel_is_not_compiled_and_not_copied():
    assert compilations(new_kernel()) == 0
    assert not KernelStore(kernel_cache.user_folder()).files()


@needs_level
def test_a_shipped_kernel_is_used_without_any_place_to_write(shipped, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "file"))
    for file in (*shipped.iterdir(), shipped):
        file.chmod(0o555)
    assert compilations(new_kernel()) == 0
    for file in (shipped, *shipped.iterdir()):
        file.chmod(0o755)


def test_without_any_place_to_write_a_kernel_runs_and_a_line_says_so(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "file"))
    with caplog.at_level(logging.INFO):
        assert compilations(new_kernel()) == 1
    assert "compiled kernels cannot be kept" in caplog.text


@needs_level
@pytest.mark.parametrize(
    ("name", "found"),
    [("numba", "0.1.0"), ("llvmlite", "0.1.0"), ("Python", "cpython 3.5"), ("numpy", "9")],
)
@pytest.mark.usefixtures("shipped")
def test_kernels_for_other_versions_are_left_alone(monkeypatch, caplog, name, found):
    here = {**target.versions(), name: found}
    monkeypatch.setattr(target, "versions", lambda: here)
    with caplog.at_level(logging.INFO):
        assert compilations(new_kernel()) == 1
        assert compilations(new_kernel(), 2.5) == 1
    (line,) = caplog.messages
    assert f"here is {found}" in line


@needs_level
@pytest.mark.usefixtures("shipped")
def test_kernels_for_other_settings_of_numba_are_left_alone(monkeypatch, caplog):
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    with caplog.at_level(logging.INFO):
        assert compilations(new_kernel()) == 1
    assert "BOUNDSCHECK" in caplog.text


@needs_level
@pytest.mark.usefixtures("shipped")
def test_a_processor_below_all_levels_compiles(monkeypatch, caplog):
    monkeypatch.setattr(target, "levels_here", tuple)
    with caplog.at_level(logging.INFO):
        assert compilations(new_kernel()) == 1
    assert "not for a processor like" in caplog.text


@needs_level
@pytest.mark.parametrize("damage", ["cut", "flipped", "foreign"])
def test_a_damaged_shipped_kernel_is_compiled_and_named(shipped, caplog, damage):
    (file,) = shipped.glob("*.kernel")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes({"cut": content[:100], "flipped": content, "foreign": b"?" * 200}[damage])
    with caplog.at_level(logging.INFO):
        assert compilations(new_kernel()) == 1
    assert f"{file} is damaged" in caplog.text
    assert compilations(new_kernel()) == 0


@needs_level
@pytest.mark.parametrize("content", ["", "[]", "{", "\0"])
def test_a_damaged_index_costs_no_run(shipped, content):
    (shipped / "kernels.json").write_text(content)
    assert compilations(new_kernel()) == 0


def test_the_user_may_name_a_processor(monkeypatch):
    monkeypatch.setattr(numba.config, "CPU_NAME", "nocona")
    assert target.levels_to_load() == ()
    assert target.processor().startswith("nocona ")
    for level in target.levels():
        monkeypatch.setattr(numba.config, "CPU_NAME", level)
        assert target.levels_to_load() == (level,)
        assert target.processor() == level


def test_a_processor_has_all_levels_below_its_own():
    assert target.levels_here() == tuple(target.levels())[-len(target.levels_here()) :]


PROGRAM = """
from lidar_base.compiled import njit, when_compiling
from osi_lidar.clouds.cloud_kernels import count_chosen
import numpy as np
heard = []
with when_compiling(lambda: heard.append(1)):
    start = np.zeros(6, np.int64)
count_chosen(np.ones(5000, bool), 1, start)
print(len(heard))
"""


def started(folder):
    """Start a process that runs a kernel, and prints how many it compiled."""
    environment = {"NUMBA_CACHE_DIR": str(folder), "PATH": ""}
    command = [sys.executable, "-c", PROGRAM]
    out = subprocess.PIPE
    return subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=out, text=True)


@pytest.mark.long
def test_of_processes_that_start_at_once_one_compiles_each_kernel(tmp_path):
    alone = int(started(tmp_path / "one").communicate()[0])
    several = [started(tmp_path / "all") for _ in range(3)]
    assert sum(int(each.communicate()[0]) for each in several) == alone
    assert [each.returncode for each in several] == [0, 0, 0]
    assert not list((tmp_path / "all").rglob("*.turn"))


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="files cannot be locked")
def test_a_process_that_is_killed_while_it_compiles_leaves_its_turn_to_the_next(tmp_path):
    file = tmp_path / "a.kernel.turn"
    words = f"import time; from pathlib import Path; take_turn(Path({str(file)!r}))"
    program = f"from lidar_base.caches.turns import take_turn; {words}; print(1, flush=True)"
    command = [sys.executable, "-c", f"{program}; time.sleep(600)"]
    taken = threading.Thread(target=turns.take_turn, args=(file,))
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE) as other:
        assert other.stdout.read(1) == b"1"
        taken.start()
        taken.join(0.2)
        assert taken.is_alive()
        other.kill()
    taken.join()
    assert file in turns._held
    turns.end_turn(file)
    assert not file.exists()


def test_nobody_waits_longer_than_it_takes_to_compile(tmp_path, monkeypatch):
    monkeypatch.setattr(turns, "LONGEST_S", 0.0)
    with (tmp_path / "a.turn").open("wb") as file:
        fcntl = pytest.importorskip("fcntl")
        fcntl.flock(file, fcntl.LOCK_EX)
        turns.take_turn(tmp_path / "a.turn")
    assert not turns._held


def test_a_kernel_that_cannot_be_compiled_ends_its_turn():
    @compiled.njit(cache=True)
    def wrong(number):
        return number.nothing_of_this_name

    with pytest.raises(numba.TypingError):
        wrong(1)
    assert not turns._held
