# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""FMUs that `fmu run` cannot drive: what it says of them."""

import zipfile
from pathlib import Path

import pytest

from osi_lidar.errors import InputError
from osi_lidar.run.fmu import Fmu
from tests.commands import assert_one_line, run

# The least that FMI 2.0 allows of a model for another kind of master.
EXCHANGED = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Tank" guid="{1}">
  <ModelExchange modelIdentifier="Tank"/>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="0"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure/>
</fmiModelDescription>
"""


def with_libraries(fmu, target, libraries):
    """Copy an FMU with other libraries."""
    with zipfile.ZipFile(fmu) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            if not name.startswith("binaries/"):
                new.writestr(name, old.read(name))
        for name, content in libraries.items():
            new.writestr(f"binaries/{name}", content)
    return target


def test_an_fmu_without_a_library_for_this_machine_says_which_it_has(small_fmu, tmp_path, trace):
    libraries = {"amiga-68k/OsiLidar.library": b"", "win32/OsiLidar.dll": b""}
    fmu = with_libraries(small_fmu, tmp_path / "x.fmu", libraries)
    result = run("fmu", "run", fmu, trace, "--out", tmp_path / "out")
    assert_one_line(result, 2, "x.fmu: has no library for", "it has libraries for amiga-68k, win32")
    fmu = with_libraries(small_fmu, tmp_path / "y.fmu", {})
    result = run("fmu", "run", fmu, trace, "--out", tmp_path / "out")
    assert_one_line(result, 2, "y.fmu: has no library for", "has no library at all")


def test_a_library_that_cannot_be_loaded_leaves_the_working_folder_as_it_was(small_fmu, tmp_path):
    with zipfile.ZipFile(small_fmu) as file:
        names = [name for name in file.namelist() if name.startswith("binaries/")]
    libraries = {name.removeprefix("binaries/"): b"no library" for name in names}
    fmu = with_libraries(small_fmu, tmp_path / "x.fmu", libraries)
    before = Path.cwd()
    with pytest.raises(InputError, match="not a usable FMU"):
        Fmu(fmu)
    assert Path.cwd() == before


def test_an_fmu_for_model_exchange_is_refused_in_one_line(tmp_path, trace):
    fmu = tmp_path / "tank.fmu"
    with zipfile.ZipFile(fmu, "w") as file:
        file.writestr("modelDescription.xml", EXCHANGED)
    result = run("fmu", "run", fmu, trace, "--out", tmp_path / "out")
    assert_one_line(result, 2, "tank.fmu: is an FMU without co-simulation")


@pytest.mark.native
def test_a_binary_variable_has_no_pointer_and_an_unknown_one_no_message(small_fmu):
    with Fmu(small_fmu) as fmu:
        assert fmu.variables.has("OSMPSensorDataOut")
        assert not fmu.variables.has("OSMPSensorDataOut2")
        with pytest.raises(InputError, match="no OSMP variable OSMPSensorDataOut2"):
            fmu.message("OSMPSensorDataOut2")
        if fmu.fmi == 3:
            with pytest.raises(InputError, match="is a binary variable, expected integers"):
                fmu.pointer("OSMPSensorDataOut")
