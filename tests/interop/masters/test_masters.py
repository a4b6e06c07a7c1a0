# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The demo's chain in masters that others wrote, as the page of masters says.

A master is found by its name in PATH or by a variable of the environment; without it, the test is
skipped with the reason, before anything is built.
"""

import pytest

from tests.interop.masters.clone import program, python_with, steps

pytestmark = pytest.mark.slow


PROGRAMS = [
    ("OpenMCx", "OSI_LIDAR_OPENMCX", "openmcx"),
    ("OMSimulator", "OSI_LIDAR_OMSIMULATOR", "OMSimulator"),
    ("ecos", "OSI_LIDAR_ECOS", "ecos"),
    ("fmusim", "OSI_LIDAR_FMUSIM", "fmusim"),
]
PACKAGES = [
    ("libcosim", "OSI_LIDAR_LIBCOSIM_PYTHON", "libcosimpy"),
    ("ecos", "OSI_LIDAR_ECOS_PYTHON", "ecospy"),
    ("PyFMI", "OSI_LIDAR_PYFMI_PYTHON", "pyfmi"),
]


@pytest.mark.parametrize(("master", "variable", "name"), PROGRAMS)
def test_program_runs_the_chain_as_its_section_says(master, variable, name, request):
    folder = program(variable, name)
    clone = request.getfixturevalue("clone")
    clone.prepare(steps(master).get("Prepare", []))
    clone.run(master, path=folder)
    clone.check()


@pytest.mark.parametrize(("master", "variable", "package"), PACKAGES)
def test_package_runs_the_chain_as_its_section_says(master, variable, package, request):
    python = python_with(variable, package)
    clone = request.getfixturevalue("clone")
    clone.prepare(steps(master).get("Prepare", []))
    clone.run(master, python=python)
    clone.check()


def test_chain_of_fmi_3_runs_in_fmusim(request):
    folder = program("OSI_LIDAR_FMUSIM", "fmusim")
    clone = request.getfixturevalue("clone")
    clone.prepare(steps("fmusim")["Prepare FMI 3.0"])
    clone.run("fmusim", path=folder)
    clone.check()
