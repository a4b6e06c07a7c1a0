# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The FMU of the street scene before checkers and schemas that others wrote.

They are found by variables of the environment; without them, a test is skipped with the reason.
"""

import os
import subprocess
import zipfile
from pathlib import Path

import fmpy
import pytest
from fmpy.validation import validate_fmu
from lxml import etree

from fmu_src.exporter import build_fmu
from osi_lidar.run.example_scene import street
from tests.interop.masters.clone import program

pytestmark = pytest.mark.slow
OSMP = "{http://xsd.pmsf.net/OSISensorModelPackaging}"
SCHEMAS = Path(fmpy.__file__).parent / "schema"


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    built = build_fmu(config=street().config, out=tmp_path_factory.mktemp("fmus"), fmi="both")
    return {each.fmi: each.path for each in built}


def description(fmu):
    with zipfile.ZipFile(fmu) as archive:
        return etree.fromstring(archive.read("modelDescription.xml"))


def schema(path):
    return etree.XMLSchema(etree.parse(path))


def named(variable, what):
    """Return the file that a variable names; skip where it is not set."""
    if variable not in os.environ:
        pytest.skip(f"{variable} does not name {what}")
    return os.environ[variable]


@pytest.mark.parametrize("fmi", [2, 3])
def test_fmpy_finds_nothing(fmus, fmi):
    assert validate_fmu(fmus[fmi]) == []


@pytest.mark.parametrize("fmi", [2, 3])
def test_schema_in_fmpy_finds_nothing(fmus, fmi):
    schema(SCHEMAS / f"fmi{fmi}" / f"fmi{fmi}ModelDescription.xsd").assertValid(
        description(fmus[fmi])
    )


@pytest.mark.parametrize("fmi", [2, 3])
def test_schema_of_the_standard_finds_nothing(fmus, fmi):
    path = named(f"OSI_LIDAR_FMI{fmi}_XSD", f"fmi{fmi}ModelDescription.xsd of the standard")
    schema(path).assertValid(description(fmus[fmi]))


@pytest.mark.parametrize(("fmi", "roles"), [(2, {"base.lo", "base.hi", "size"}), (3, {"full"})])
def test_schema_of_osmp_finds_nothing(fmus, fmi, roles):
    osmp = schema(named("OSI_LIDAR_OSMP_XSD", "osmp.xsd"))
    marks = list(description(fmus[fmi]).iter(f"{OSMP}*"))
    for mark in marks:
        osmp.assertValid(etree.fromstring(etree.tostring(mark)))
    assert [each.tag for each in marks].count(f"{OSMP}osmp") == 1
    assert {each.get("role") for each in marks} - {None} == roles


def test_compliance_checker_finds_nothing(fmus, tmp_path):
    folder = program("OSI_LIDAR_FMUCHECK", "fmuCheck.linux64")
    done = subprocess.run(
        [f"{folder}/fmuCheck.linux64", "-k", "cs", "-h", "0.1", "-s", "1", str(fmus[2])],
        cwd=tmp_path,
        env={"PATH": os.defpath, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    text = done.stdout + done.stderr
    assert done.returncode == 0, text
    assert "\n\t0 warning(s) and error(s)" in text  # of the FMU
    assert "\n\t0 Warning(s)\n\t0 Error(s)" in text  # of the checker
