# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A numba without a name that we use inside it compiles by its public way, to the same bytes."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

pytestmark = pytest.mark.long  # of processes that compile
REPOSITORY = Path(__file__).resolve().parents[3]
HIDE = """
import builtins, os
hidden = os.environ["HIDDEN"]
usual = builtins.__import__
def hiding(name, globals=None, locals=None, fromlist=(), level=0):
    of_ours = (globals or {}).get("__name__", "").startswith("lidar_base")
    if of_ours and hidden in (name, *(f"{name}.{each}" for each in fromlist or ())):
        raise ImportError(f"no {hidden} here")
    return usual(name, globals, locals, fromlist, level)
builtins.__import__ = hiding
"""
CALL = """
import numpy as np
from lidar_base.math_kernels import logarithm
from osi_lidar.clouds.cloud_kernels import count_chosen
start = np.zeros(6, np.int64)
count_chosen(np.arange(5000) % 3 == 0, 1, start)
print(logarithm(1.5).hex(), start.tolist())
"""
REPLAY = """
import sys
from lidar_app.cli.main import main
main()
"""
NAMES = (
    "numba.core.caching._Cache",
    "numba.core.caching",
    "numba.core.codegen.JITCodeLibrary",
    "numba.core.compiler.Compiler",
    "numba.core.compiler_machinery.register_pass",
    "numba.core.event.Listener",
    "numba.core.ir.Scope",
    "numba.core.registry.CPUDispatcher",
    "numba.core.runtime.nrt.rtsys",
    "numba.core.typed_passes.NativeLowering",
)
EACH_OF_ITS_OWN = (
    "numba.core.caching",  # where kernels are kept
    "numba.core.registry.CPUDispatcher",  # how they are called
    "numba.core.typed_passes.NativeLowering",  # how they are compiled
)


def run(code, folder, *arguments, hidden=""):
    """Run Python where names inside numba are not to be found; return what it prints."""
    environment = {
        **os.environ,
        "HIDDEN": hidden,
        "NUMBA_CACHE_DIR": str(folder),
        "PYTHONPATH": str(REPOSITORY),
    }
    command = [sys.executable, "-c", HIDE + code, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr.splitlines()


@pytest.fixture(scope="module")
def expected():
    """Return what kernels give that are compiled as usual, as those of this process."""
    told = io.StringIO()
    with redirect_stdout(told):
        exec(CALL, {})  # noqa: S102  ours
    return told.getvalue()


@pytest.mark.parametrize(
    "name",
    [
        name if name in EACH_OF_ITS_OWN else pytest.param(name, marks=pytest.mark.slow)
        for name in NAMES
    ],
)
def test_kernels_run_without_a_name_inside_numba_and_one_line_says_so(name, expected, tmp_path):
    given, said = run(CALL, tmp_path / "kernels", hidden=name)
    assert given == expected
    assert len(said) == 1
    assert "by numba's public interface" in said[0]
    assert not (tmp_path / "kernels").exists()  # none of numba's own pickles


@pytest.mark.parametrize(
    "name", [pytest.param("_optimize_functions", marks=pytest.mark.slow), "_finalize_specific"]
)
def test_what_is_missed_only_while_a_kernel_is_compiled_is_found_by_a_trial(
    name, expected, tmp_path
):
    code = (
        "from lidar_base.dispatchers import kernel_parts\n"
        "def gone(*_):\n"
        f"    raise AttributeError('no {name} here')\n"
        f"for each in (kernel_parts._WholeLibrary, kernel_parts._PartLibrary):\n"
        f"    each.{name} = gone\n"
    )
    given, said = run(code + CALL, tmp_path / "kernels")
    assert given == expected
    assert len(said) == 1
    assert f"no {name} here" in said[0]


def test_the_command_of_the_cache_is_one_line_then(tmp_path):
    code = f"import sys\nsys.argv = ['osi-lidar', 'cache']\ntry:\n{indented(REPLAY)}\n"
    code += "except SystemExit as end:\n    print(end.code)\n"
    given, said = run(code, tmp_path, hidden="numba.core.caching._Cache")
    assert given.strip() == "2"
    assert not any("Traceback" in line for line in said)


def indented(code):
    return "\n".join(f"    {line}" for line in code.splitlines())


@pytest.mark.slow  # compiles all kernels of a run, in full
@pytest.mark.parametrize("fidelity", ["ideal", "physical"])
def test_a_run_without_names_inside_numba_gives_the_same_bytes(fidelity, tmp_path):
    street = REPOSITORY / "scenarios" / "street"
    (trace,) = street.glob("*_sv_*.osi")
    options = ["-c", street / "config.yaml", "--fidelity", fidelity, "--frames", "20:21", "--out"]
    clouds = []
    for name in ("", "numba.core.codegen.JITCodeLibrary"):
        out = tmp_path / (name or "usual")
        run(REPLAY, tmp_path / "kernels", "replay", trace, *options, out, hidden=name)
        files = sorted(each for each in out.rglob("*") if each.suffix in (".pcd", ".osi"))
        clouds.append([each.read_bytes() for each in files])
    assert len(clouds[0]) > 1
    assert clouds[0] == clouds[1]
