# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The wrapper finds a Python on machines other than that of the build, or says what is missing."""

import ctypes.util
import sys
import sysconfig
from pathlib import Path

import pytest

from fmu_src.host_record import RECORD_FILE
from tests.builders.messages import moving
from tests.fmu.native.c_master import MAINLY, NATIVE, compile_wrapper, kinds, needs_cc

HERE = Path(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("INSTSONAME") or "")
NO_PYTHON = Path(__file__).with_name("no_python.c")
pytestmark = [
    needs_cc,
    pytest.mark.skipif(".so" not in HERE.name or not HERE.is_file(), reason="needs libpython"),
]


def changed_record(master, **values):
    """Write other values of some keys into the record; None removes a key."""
    file = master.resources / RECORD_FILE
    lines = [line.partition("=") for line in file.read_text(encoding="utf-8").splitlines()]
    kept = [f"{key}={value}" for key, _, value in lines if key not in values]
    kept += [f"{key}={value}" for key, value in values.items() if value is not None]
    file.write_text("\n".join(kept) + "\n", encoding="utf-8")


def refused(master, **environment):
    """Return the one line that says why there is no instance."""
    _, valid, (line,) = master.drive(moving(1), environment=environment, logging=0)
    assert valid == "x"
    return line


@kinds(MAINLY)
def test_library_of_the_environment_is_taken_where_the_recorded_one_is_gone(small_master):
    changed_record(small_master, library="/nowhere/libpython3.so")
    environment = {"OSI_LIDAR_FMU_LIBPYTHON": str(HERE)}
    _, valid, _ = small_master.drive(moving(1), environment=environment)
    assert valid == "1"


@kinds(NATIVE[:1])
@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        (
            "LIBPYTHON",
            "/no%swhere/libpython3.so",
            "expected a shared library of Python: /no%swhere",
        ),
        ("LIBPYTHON", "libm.so.6", "got libm.so.6, expected a shared library of Python: this is"),
        ("PYTHON", "/nowhere/python3", "got /nowhere/python3, expected a Python interpreter"),
    ],
)
def test_choice_of_the_environment_that_is_none_is_one_line(small_master, variable, value, words):
    line = refused(small_master, **{f"OSI_LIDAR_FMU_{variable}": value})
    assert f"OSI_LIDAR_FMU_{variable}: got " in line
    assert words in line


@kinds(NATIVE[:1])
@pytest.mark.parametrize("executable", ["/nowhere/bin/python3", None])
def test_python_without_its_recorded_interpreter_takes_the_recorded_packages(
    small_master, executable
):
    changed_record(small_master, executable=executable)
    _, valid, _ = small_master.drive(moving(1))
    assert valid == "1"


@kinds(MAINLY)
def test_machine_without_python_is_one_line_that_says_what_to_do(small_master):
    compile_wrapper(small_master.library, NO_PYTHON, "-Wl,--wrap=dlopen")
    line = refused(small_master)
    assert "there is no shared library of Python 3.10 or newer: install one" in line
    assert "or set OSI_LIDAR_FMU_LIBPYTHON to its path" in line


@kinds(MAINLY)
def test_python_without_osi_lidar_is_one_line_that_says_what_to_do(small_master):
    changed_record(small_master, executable="/nowhere/bin/python3", site=None)
    line = refused(small_master)
    assert "osi_lidar is not installed for" in line
    assert "pip install osi-lidar there, or build the FMU with --vendor" in line


@kinds(NATIVE[:1])
def test_interpreter_of_another_version_is_left_alone(small_master):
    """Its prefix holds modules of that version; a Python that looks there ends the process."""
    changed_record(small_master, python="3.99", executable=sys.executable)
    assert "osi_lidar is not installed for" in refused(small_master)


@kinds(NATIVE[:1])
@pytest.mark.skipif(
    ctypes.util.find_library("python{}.{}".format(*sys.version_info)) is None,
    reason="needs a libpython that the system knows by its name",
)
def test_python_of_the_system_is_found_by_its_name(small_master):
    changed_record(small_master, library="/nowhere/libpython3.so", executable="/nowhere/python3")
    _, valid, _ = small_master.drive(moving(1))
    assert valid == "1"


@kinds(NATIVE[:1])
def test_interpreter_may_lie_in_a_folder_of_any_letters(small_master, tmp_path):
    environment = tmp_path / "müller ✓"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python3").symlink_to(sys.executable)
    config = Path(sys.prefix, "pyvenv.cfg")
    if not config.is_file():
        pytest.skip("needs a virtual environment")
    (environment / "pyvenv.cfg").write_text(config.read_text(encoding="utf-8"), encoding="utf-8")
    (environment / "lib").symlink_to(Path(sys.prefix) / "lib")
    changed_record(small_master, executable=environment / "bin" / "python3", site=None)
    _, valid, _ = small_master.drive(moving(1))
    assert valid == "1"
