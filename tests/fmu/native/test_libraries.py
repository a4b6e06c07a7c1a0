# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The libraries that are kept are those of the source, and offer both standards whole."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from fmu_src.exporter.native_wrapper import TARGETS
from tests.fmu.native.c_master import functions_of
from tests.fmu.native.symbols import exported, is_signed, needed_glibc

ROOT = Path(__file__).resolve().parents[3]
OLDEST_GLIBC = (2, 17)  # of all Linux systems with Python 3.10 or newer


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_library_exports_every_function_of_both_standards_and_nothing_else(target):
    functions = functions_of("fmi2Functions.h") | functions_of("fmi3Functions.h")
    assert len(functions) == 44 + 75
    assert exported(target.library.read_bytes()) == functions


@pytest.mark.parametrize("target", [target for target in TARGETS if target.suffix == ".so"])
def test_library_of_linux_runs_on_old_systems(target):
    assert max(needed_glibc(target.library.read_bytes())) <= OLDEST_GLIBC


def test_library_of_arm_macs_is_signed():
    (target,) = (target for target in TARGETS if target.name == "aarch64-darwin")
    assert is_signed(target.library.read_bytes())


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("ziglang") is None, reason="needs ziglang: make fmu-native"
)
def test_libraries_are_what_their_source_compiles_to():
    command = [sys.executable, ROOT / "tools" / "build_native.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
