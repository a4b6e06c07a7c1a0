# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A folder that another user may have written is not read as code."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from lidar_base.caches import trust
from lidar_base.caches.kernel_store import KernelStore, Key, _digest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders have no modes there")
is_root = sys.platform != "win32" and os.geteuid() == 0
as_root = pytest.mark.skipif(not is_root, reason="only root can give a folder away")
STRANGER = 54321  # of no user of the system
KEY = Key("package.module.work", '{"numba": "1.0"}')
CODE = b"code"
REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def new_lines():
    trust._tell_once.cache_clear()
    yield
    trust._tell_once.cache_clear()


@pytest.fixture
def store(tmp_path):
    """Return a store with a kernel, in a folder within another one."""
    made = KernelStore(tmp_path / "above" / "kernels")
    made.keep(KEY, CODE)
    assert made.load(KEY) == CODE
    return made


@pytest.mark.parametrize("mask", [0, 0o002, 0o022, 0o077])
def test_folders_are_made_for_their_user_alone_whatever_the_umask(tmp_path, mask):
    before = os.umask(mask)
    try:
        trust.make_own_folder(tmp_path / "one" / "two")
    finally:
        os.umask(before)
    assert {(tmp_path / name).stat().st_mode & 0o777 for name in ("one", "one/two")} == {0o700}


@pytest.mark.parametrize("mode", [0o720, 0o770, 0o775, 0o702, 0o777, 0o1777])
@pytest.mark.parametrize("place", [".", ".."])
def test_a_folder_that_others_may_write_is_not_read_and_one_line_says_so(
    store, mode, place, caplog, request
):
    folder = (store.folder / place).resolve()
    folder.chmod(mode)
    request.addfinalizer(lambda: folder.chmod(0o700))
    if place == ".." and mode & 0o1000:  # sticky: nobody else may rename what is inside
        assert store.load(KEY) == CODE
        return
    assert store.load(KEY) is None
    assert store.load(KEY) is None
    (line,) = caplog.messages
    assert f"chmod go-w {folder}" in line
    with pytest.raises(PermissionError, match="chmod"):
        store.keep(KEY, CODE)
    assert len(caplog.messages) == 1


@pytest.mark.parametrize("mode", [0o755, 0o555, 0o711])
def test_a_folder_that_others_may_only_read_is_read(store, mode):
    store.folder.chmod(mode)
    assert store.load(KEY) == CODE


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o666])
def test_a_kernel_that_others_may_write_is_not_read(store, mode, caplog):
    (store.folder / KEY.file).chmod(mode)
    assert store.load(KEY) is None
    assert "chmod go-w" in caplog.text


@as_root
@pytest.mark.parametrize("place", ["above/kernels", "above", f"above/kernels/{KEY.file}"])
def test_what_belongs_to_another_user_is_not_read(store, tmp_path, place, caplog):
    os.chown(tmp_path / place, STRANGER, STRANGER)
    assert store.load(KEY) is None
    (line,) = caplog.messages
    assert f"belongs to user {STRANGER}" in line


READ = """
import os, sys
from pathlib import Path
from lidar_base.caches.kernel_store import KernelStore, Key
os.setgid(int(sys.argv[1])), os.setuid(int(sys.argv[1]))
print(KernelStore(Path(sys.argv[2])).load(Key(sys.argv[3], sys.argv[4])))
"""


@as_root
def test_a_folder_of_root_is_trusted_by_everyone(tmp_path_factory):
    folder = Path(tmp_path_factory.mktemp("open"))
    outside = Path("/", *folder.parts[1:2], f"osi-lidar-test-{os.getpid()}")  # all may enter it
    store = KernelStore(outside / "kernels")
    try:
        store.keep(KEY, CODE)
        for each in (outside, store.folder):
            each.chmod(0o755)
        command = [sys.executable, "-c", READ, STRANGER, store.folder, *KEY]
        run = subprocess.run(
            list(map(str, command)), cwd=REPOSITORY, capture_output=True, text=True, check=True
        )
    finally:
        (store.folder / KEY.file).unlink(missing_ok=True)
        store.folder.rmdir()
        outside.rmdir()
    assert run.stdout == f"{CODE}\n"


def test_links_are_followed_to_the_folder_that_counts(store, tmp_path):
    (tmp_path / "link").symlink_to(store.folder)
    linked = KernelStore(tmp_path / "link")
    assert linked.load(KEY) == CODE
    store.folder.parent.chmod(0o777)
    assert linked.load(KEY) is None
    store.folder.parent.chmod(0o700)


def test_a_pipe_in_place_of_a_kernel_is_not_waited_for(store):
    (store.folder / KEY.file).unlink()
    os.mkfifo(store.folder / KEY.file, 0o600)
    assert store.load(KEY) is None


def test_what_is_in_the_program_is_as_open_as_the_program(tmp_path, monkeypatch):
    program = tmp_path / "lidar_base"
    shipped = KernelStore(program / "shipped_kernels")
    shipped.keep(KEY, CODE)
    for mode in (0o755, 0o775, 0o777):
        for path, each in ((program, mode), (shipped.folder, mode)):
            path.chmod(each)
        (shipped.folder / KEY.file).chmod(mode & 0o666)
        monkeypatch.setattr(trust, "PROGRAM", program)
        monkeypatch.setattr(trust, "_PROGRAM", program.stat())
        monkeypatch.setattr(trust, "_ABOVE", {program, *program.parents})
        assert shipped.load(KEY) == CODE
    program.chmod(0o755)
    monkeypatch.setattr(trust, "_PROGRAM", program.stat())
    assert shipped.load(KEY) is None


class Poison:
    """What runs a command as it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


CALL = """
from lidar_base.caches import kernel_cache
from lidar_base.compiled import when_compiling
from lidar_base import math_kernels
heard = []
with when_compiling(lambda: heard.append(1)):
    math_kernels.logarithm(1.5)
print(len(heard), kernel_cache.user_folder())
"""


@pytest.mark.long
def test_a_poisoned_folder_runs_nothing_and_the_kernel_is_kept_in_the_users_own(tmp_path):
    """The attack: all files of a shared folder are replaced by pickles with a right digest."""
    shared = tmp_path / "shared"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(shared), "PYTHONPATH": str(REPOSITORY)}
    environment["OSI_LIDAR_CACHE"] = str(tmp_path / "own")

    def call():
        command = [sys.executable, "-c", CALL]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return run.stdout.split(), run.stderr.splitlines()

    (compiled, folder), said = call()
    assert (int(compiled) > 0, folder, said) == (True, str(shared / "osi-lidar"), [])
    keys = keys_of_logarithm()
    evil = pickle.dumps(Poison(tmp_path / "PWNED"))
    for file in (shared / "osi-lidar").iterdir():
        file.write_bytes(_digest(keys[file.name], evil) + evil)
    shared.chmod(0o777)
    (compiled, folder), said = call()
    assert not (tmp_path / "PWNED").exists()
    assert (int(compiled) > 0, folder) == (True, str(tmp_path / "own" / "kernels"))
    assert len(said) == 1
    assert f"chmod go-w {shared}" in said[0]
    assert {each.stat().st_mode & 0o777 for each in (tmp_path / "own").iterdir()} == {0o700}
    assert call()[0][0] == "0"


def keys_of_logarithm():
    """Return what the kernel of the attack is kept under, by the names of the files."""
    from numba import types

    from lidar_base import math_kernels
    from lidar_base.caches import kernel_target as target

    key = math_kernels.logarithm._cache.key((types.float64,), target.processor())
    return {key.file: key}
