# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs with kernels that were compiled for a level of processors, as a wheel ships them."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lidar_base.caches import kernel_target as target
from lidar_base.files.own_files import LIST

REPOSITORY = Path(__file__).resolve().parents[2]
STREET = REPOSITORY / "scenarios" / "street"
BUILD = """
import sys
from pathlib import Path
from build_kernels import build
build(sys.argv[1], Path(sys.argv[2]))
"""
REPLAY = """
import sys
from pathlib import Path
from lidar_app.cli.main import main
from lidar_base.caches import kernel_cache
from lidar_base.compiled import when_compiling
kernel_cache.SHIPPED = Path(sys.argv.pop(1))
compiled = []
with when_compiling(lambda: compiled.append(1)):
    try:
        main()
    finally:
        print("compiled", len(compiled))
"""
ORIGINS = """
import sys
from pathlib import Path
from lidar_base.caches import kernel_cache
kernel_cache.SHIPPED = Path(sys.argv[1])
from osi_lidar.precompiled import states
print(sorted({each.origin.value for each in states()}))
"""


def run(code, *arguments, **environment):
    """Run Python in the repository; return what it printed last."""
    paths = os.pathsep.join(map(str, (REPOSITORY, REPOSITORY / "tools")))
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1] if done.stdout else ""


def replayed(folder, fidelity, kernels, **environment):
    """Replay some frames of the street; return digests of what is written, and what is printed."""
    (trace,) = STREET.glob("*_sv_*.osi")
    options = ["-c", STREET / "config.yaml", "--fidelity", fidelity, "--frames", "20:22"]
    said = run(REPLAY, kernels, "replay", trace, *options, "--out", folder, **environment)
    others = {"run.json", LIST}  # times, and names with the number of a process
    files = (path for path in folder.rglob("*") if path.is_file() and path.name not in others)
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }, said


@pytest.fixture(scope="module", params=target.levels_here()[:1] or [None])
def kernels(request, tmp_path_factory):
    """Return a folder of kernels for the best level of this processor."""
    if request.param is None:
        pytest.skip("no kernels are shipped for this processor")
    folder = tmp_path_factory.mktemp("kernels")
    run(BUILD, request.param, folder)
    made = folder / "osi-lidar"
    (made / "kernels.json").write_text(json.dumps(target.versions()), encoding="utf-8")
    return made


@pytest.mark.slow  # compiles all kernels anew
@pytest.mark.parametrize("fidelity", ["ideal", "physical"])
def test_runs_compile_nothing_and_give_the_bytes_of_kernels_of_this_very_processor(
    kernels, fidelity, tmp_path
):
    empty = tmp_path / "nothing is kept here"
    shipped, said = replayed(tmp_path / "shipped", fidelity, kernels, NUMBA_CACHE_DIR=str(empty))
    own, _ = replayed(tmp_path / "own", fidelity, empty)
    assert said == "compiled 0"
    assert not empty.exists()
    assert len(shipped) > 2
    assert shipped == own


@pytest.mark.slow  # compiles all kernels of a run anew
def test_one_bit_flipped_in_each_of_them_is_found_and_all_are_compiled_anew(kernels, tmp_path):
    copy = shutil.copytree(kernels, tmp_path / "copy")
    files = sorted(copy.glob("*.kernel"))
    for number, file in enumerate(files):
        content = bytearray(file.read_bytes())
        bit = number * 7919 % (8 * len(content))
        content[bit // 8] ^= 1 << bit % 8
        file.write_bytes(content)
    empty = tmp_path / "nothing is kept here"
    flipped, said = replayed(tmp_path / "flipped", "ideal", copy, NUMBA_CACHE_DIR=str(empty))
    shipped, _ = replayed(tmp_path / "shipped", "ideal", kernels, NUMBA_CACHE_DIR=str(empty))
    assert int(said.removeprefix("compiled ")) > 20
    assert flipped == shipped
    loaded = run(ORIGINS, copy, NUMBA_CACHE_DIR=str(tmp_path / "none"))
    assert loaded == "['to be compiled']"
