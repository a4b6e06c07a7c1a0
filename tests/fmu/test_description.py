# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""modelDescription.xml: valid after FMI, complete after OSMP 1.6.0, and as documented."""

import re
import xml.etree.ElementTree as ET
import zipfile
from collections import defaultdict
from pathlib import Path

import pytest
from fmpy import read_model_description
from fmpy.validation import validate_fmu

from fmu_src.exporter import build_fmu
from fmu_src.exporter.reference import with_tables
from fmu_src.parameters import start_values
from fmu_src.variables import MESSAGES, PARAMETERS
from osi_lidar.config import default_config, load_config
from osi_lidar.run.bundled import street

REPOSITORY = Path(__file__).resolve().parents[2]
OSMP = "{http://xsd.pmsf.net/OSISensorModelPackaging}"


def description(path):
    with zipfile.ZipFile(path) as file:
        return ET.fromstring(file.read("modelDescription.xml"))  # noqa: S314  our own


@pytest.fixture(params=["default_fmu", "street_fmu", "small_fmu"])
def fmu(request):
    return request.getfixturevalue(request.param)


def test_fmpy_finds_no_problem(fmu):
    assert validate_fmu(str(fmu)) == []


def test_every_binary_variable_has_three_roles_of_one_mime_type(fmu):
    found = defaultdict(dict)
    for scalar in description(fmu).find("ModelVariables"):
        for mark in scalar.iter(f"{OSMP}osmp-binary-variable"):
            assert scalar.find("Annotations/Tool").get("name") == "net.pmsf.osmp"
            assert scalar.get("name") == f"{mark.get('name')}.{mark.get('role')}"
            assert scalar.find("Integer") is not None
            assert mark.get("role") not in found[mark.get("name")]
            found[mark.get("name")][mark.get("role")] = (
                mark.get("mime-type"),
                scalar.get("causality"),
                scalar.get("variability"),
            )
    assert set(found) == {each.name for each in MESSAGES}
    for each in MESSAGES:
        assert set(found[each.name]) == {"base.lo", "base.hi", "size"}
        mime = f"application/x-open-simulation-interface; type={each.message}; version=3.8.0"
        assert set(found[each.name].values()) == {(mime, each.causality, each.variability)}


def test_no_other_variable_has_the_name_of_a_binary_one(fmu):
    names = {scalar.get("name") for scalar in description(fmu).find("ModelVariables")}
    assert not names & {each.name for each in MESSAGES}


def test_pointers_start_at_zero_where_a_start_is_allowed(fmu):
    for scalar in description(fmu).find("ModelVariables"):
        if re.search(r"\.(base\.lo|base\.hi|size)$", scalar.get("name")):
            calculated = scalar.get("causality") == "calculatedParameter"
            assert scalar.find("Integer").get("start") == (None if calculated else "0")


def test_initial_unknowns_are_the_calculated_parameters(fmu):
    root = description(fmu)
    variables = list(root.find("ModelVariables"))
    unknowns = [int(each.get("index")) for each in root.find("ModelStructure/InitialUnknowns")]
    assert {variables[index - 1].get("name") for index in unknowns} == {
        f"OSMPSensorViewInConfigRequest.{part}" for part in ("base.lo", "base.hi", "size")
    }


def test_global_tag_and_conventions_of_osmp(fmu):
    root = description(fmu)
    tool = root.find("VendorAnnotations/Tool")
    assert tool.get("name") == "net.pmsf.osmp"
    assert tool.find(f"{OSMP}osmp").attrib == {"version": "1.6.0", "osi-version": "3.8.0"}
    assert root.get("variableNamingConvention") == "structured"
    assert float(root.find("DefaultExperiment").get("stepSize")) == pytest.approx(0.1)  # 10 Hz
    tags = [child.tag for child in root]
    assert tags.index("DefaultExperiment") < tags.index("VendorAnnotations")
    assert tags.index("VendorAnnotations") < tags.index("ModelVariables")


def test_author_licence_version_and_description_are_set(fmu):
    read = read_model_description(str(fmu))
    assert read.author == "osi-lidar contributors"
    assert read.license == "Apache-2.0"
    assert read.version == "0.1.0"
    assert read.description
    assert read.coSimulation.modelIdentifier == "OsiLidar"


def test_start_values_are_those_of_the_configuration(street_fmu):
    start = {
        each.name: each.start for each in read_model_description(str(street_fmu)).modelVariables
    }
    assert start["preset"] == "OS1-128"
    assert start["columns"] == "1024"
    assert float(start["mounting_x_m"]) == 1.0
    assert float(start["max_range_m"]) == 120.0


def test_defaults_of_the_table_are_those_of_the_default_configuration():
    defaults = {each.name: each.default for each in PARAMETERS}
    assert start_values(default_config()).items() <= defaults.items()


def test_same_content_has_the_same_guid_and_other_content_another(default_fmu, tmp_path):
    again = build_fmu(out=tmp_path)
    assert read_model_description(str(default_fmu)).guid == again.guid
    config = tmp_path / "config.yaml"
    config.write_text("sensors: [{preset: VLP-16}]\n")
    assert build_fmu(config=config, out=tmp_path).guid != again.guid


def test_packed_configuration_is_the_configuration(street_fmu, tmp_path):
    with zipfile.ZipFile(street_fmu) as file:
        file.extractall(tmp_path)
    folder = tmp_path / "resources" / "scenario"
    packed, own = load_config(folder / "config.yaml"), load_config(street().config)
    assert packed.sensors == own.sensors
    assert packed.scene.search == (folder / "files" / "0",)
    assert (
        packed.scene.environment[0].mesh.read_bytes() == own.scene.environment[0].mesh.read_bytes()
    )
    assert (folder / "files" / "0" / "car.obj").is_file()  # named by the trace


def test_page_has_the_tables_of_the_code():
    page = (REPOSITORY / "docs" / "fmu.md").read_text(encoding="utf-8")
    assert page == with_tables(page), "python -m fmu_src.exporter.reference docs/fmu.md"
