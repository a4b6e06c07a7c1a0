# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The demo's chain in masters that others wrote, each as its page says.

A master is found by its name in PATH or by a variable of the environment; without it, the test is
skipped with the reason, before anything is built.
"""

import pytest

from tests.interop.masters.clone import program, python_with

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("page", "variable", "name"),
    [
        ("fmu-openmcx.md", "OSI_LIDAR_OPENMCX", "openmcx"),
        ("fmu-omsimulator.md", "OSI_LIDAR_OMSIMULATOR", "OMSimulator"),
        ("fmu-ecos.md", "OSI_LIDAR_ECOS", "ecos"),
        ("fmu-fmusim.md", "OSI_LIDAR_FMUSIM", "fmusim"),
    ],
)
def test_program_runs_the_chain_as_its_page_says(page, variable, name, request):
    folder = program(variable, name)
    clone = request.getfixturevalue("clone")
    clone.prepare(page)
    clone.run(page, path=folder)
    clone.check()


@pytest.mark.parametrize(
    ("page", "variable", "package"),
    [
        ("fmu-libcosim.md", "OSI_LIDAR_LIBCOSIM_PYTHON", "libcosimpy"),
        ("fmu-ecos.md", "OSI_LIDAR_ECOS_PYTHON", "ecospy"),
        ("fmu-pyfmi.md", "OSI_LIDAR_PYFMI_PYTHON", "pyfmi"),
    ],
)
def test_package_runs_the_chain_as_its_page_says(page, variable, package, request):
    python = python_with(variable, package)
    clone = request.getfixturevalue("clone")
    clone.prepare(page)
    clone.run(page, python=python)
    clone.check()


def test_chain_of_fmi_3_runs_in_fmusim(request):
    folder = program("OSI_LIDAR_FMUSIM", "fmusim")
    clone = request.getfixturevalue("clone")
    clone.prepare("fmu-fmusim.md", "Prepare FMI 3.0")
    clone.run("fmu-fmusim.md", path=folder)
    clone.check()
