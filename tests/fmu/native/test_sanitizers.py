# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The wrapper makes no error that the sanitizers of the C compiler find."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.builders.messages import moving
from tests.fmu.native.c_master import NATIVE, Master, compile_wrapper, compiled, needs_cc

SANITIZERS = ("-fsanitize=address,undefined", "-fno-omit-frame-pointer")
BLOCKS = Path(__file__).with_name("blocks.c")
# the finder of leaks stops all threads, which does not end where many are Python's: blocks.c counts
SETTINGS = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
BAD = ("null", "no-address", "negative", "random", "cut")


def has_sanitizers():
    """Tell whether the compiler has them."""
    command = [shutil.which("cc"), *SANITIZERS, "-x", "c", "-", "-o", "/dev/null"]
    done = subprocess.run(command, input=b"int main(void) { return 0; }", check=False)
    return done.returncode == 0


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory):
    """Compile the master and the wrapper."""
    if not has_sanitizers():
        pytest.skip("the C compiler has no sanitizers")
    folder = tmp_path_factory.mktemp("sanitized")
    library = folder / "OsiLidar.so"
    wrapped = [f"-Wl,--wrap={name}" for name in ("malloc", "realloc", "free")]
    compile_wrapper(library, *SANITIZERS, BLOCKS, *wrapped)
    return compiled(folder, *SANITIZERS), library


def assert_clean(log):
    """Assert that no error was found, and that the wrapper has freed what it has allocated."""
    assert "ERROR: AddressSanitizer" not in log, log
    assert "runtime error" not in log, log
    assert "\n0 blocks are left" in f"\n{log}", log


@pytest.mark.slow
@needs_cc
@pytest.mark.parametrize("kind", NATIVE)
def test_sanitizers_find_no_error_of_the_wrapper(kind, sanitized, small_fmus, tmp_path):
    program, library = sanitized
    master = Master(program, small_fmus(kind), tmp_path)
    shutil.copy(library, master.library)
    messages = moving(2)
    runs = [master.words(messages, mode=mode) for mode in BAD]
    runs += [
        master.words(messages, parameter=("config", "/nowhere/100%s.yaml")),
        *(master.words(token=token) for token in ("{ü%s}", "")),
        master.words(resources="file:///no%20where%%n"),
        master.words(name=""),
        master.words(name="", logging=0),
    ]
    for words in (*runs, master.words(mode="cycles", steps=10)):
        done = master.run(words, environment=SETTINGS)
        assert_clean(done.stderr)
    together = [master.words(parallel=1, steps=30, out=tmp_path / name) for name in "ab"]
    assert_clean(master.run(*together, environment=SETTINGS).stderr)
