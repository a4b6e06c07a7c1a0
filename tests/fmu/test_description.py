# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""modelDescription.xml: valid after FMI, complete after OSMP 1.6.0, and as documented."""

import re
from collections import defaultdict
from pathlib import Path

import pytest
from fmpy import read_model_description
from fmpy.validation import validate_fmu
from lxml import etree

from fmu_src.exporter.reference import TABLES
from fmu_src.parameters import start_values
from fmu_src.references import references
from fmu_src.variables import MESSAGES, OUTPUTS, PARAMETERS
from osi_lidar.config import default_config
from osi_lidar.run.example_scene import street
from osi_lidar.version import __version__
from tests.builders.worlds import SENSOR
from tests.fmu.kinds import KINDS, OF_FMI2, OF_FMI3, built, contents, description, schema

REPOSITORY = Path(__file__).resolve().parents[2]
OSMP = "{http://xsd.pmsf.net/OSISensorModelPackaging}"
SCENARIOS = ("default", "street", "small")
FMI3_TYPES = {"Real": "Float64", "Integer": "Int32"}


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    """Return FMUs by scenario and kind, each built when it is first asked for."""
    small = tmp_path_factory.mktemp("configuration") / "small.yaml"
    small.write_text(SENSOR)
    configs = {"default": None, "street": street().config, "small": small}
    made = {}

    def fmu(scenario, kind):
        if (scenario, kind) not in made:
            out = tmp_path_factory.mktemp("fmu")
            made[scenario, kind] = built(kind, config=configs[scenario], out=out).path
        return made[scenario, kind]

    return fmu


@pytest.fixture(params=SCENARIOS)
def scenario(request):
    return request.param


@pytest.fixture(params=KINDS)
def fmu(request, scenario, fmus):
    return fmus(scenario, request.param)


@pytest.fixture(params=OF_FMI2)
def fmi2(request, scenario, fmus):
    return fmus(scenario, request.param)


@pytest.fixture(params=OF_FMI3)
def fmi3(request, scenario, fmus):
    return fmus(scenario, request.param)


def mime_type(message):
    return f"application/x-open-simulation-interface; type={message}; version=3.8.0"


# --- both versions of FMI ------------------------------------------------------------------------


def test_fmpy_and_the_schema_of_fmi_find_no_problem(fmu):
    assert validate_fmu(str(fmu)) == []


def test_schema_of_osmp_finds_no_problem(fmu):
    rules = schema("osmp.xsd")
    root = etree.fromstring(contents(fmu)["modelDescription.xml"])
    marks = list(root.iter(f"{OSMP}*"))
    assert len(marks) > len(MESSAGES)
    for each in marks:
        rules.assertValid(each)


@pytest.mark.parametrize("kind", KINDS)
def test_value_references_are_those_of_the_table(fmus, kind):
    read = read_model_description(str(fmus("default", kind)))
    found = {each.valueReference: each.name for each in read.modelVariables}
    expected = references(2 if kind in OF_FMI2 else 3)
    assert found == {number: each.name for number, each in enumerate(expected)}


def test_conventions_of_osmp_are_followed(fmu):
    root = description(fmu)
    assert root.get("variableNamingConvention") == "structured"
    assert float(root.find("DefaultExperiment").get("stepSize")) == pytest.approx(0.1)  # 10 Hz


def test_author_licence_version_and_description_are_set(fmu):
    read = read_model_description(str(fmu))
    assert read.author == "osi-lidar contributors"
    assert read.license == "Apache-2.0"
    assert read.version == __version__
    assert read.description
    assert read.coSimulation.modelIdentifier == "OsiLidar"
    assert [each.name for each in read.logCategories] == ["FMI", "OSMP", "OSI"]


def test_no_tool_is_needed_and_any_step_is_handled(fmu):
    interface = read_model_description(str(fmu)).coSimulation
    assert not interface.needsExecutionTool
    assert interface.canHandleVariableCommunicationStepSize
    assert not interface.canGetAndSetFMUstate
    assert not interface.canBeInstantiatedOnlyOncePerProcess


def test_outputs_depend_on_no_input_of_the_same_time(fmu):
    read = read_model_description(str(fmu))
    assert {each.variable.name for each in read.outputs} >= {each.name for each in OUTPUTS}
    assert [each.dependencies for each in read.outputs] == [[]] * len(read.outputs)


def test_initial_unknowns_are_the_calculated_parameters(fmu):
    read = read_model_description(str(fmu))
    unknowns = {each.variable.name for each in read.initialUnknowns}
    calculated = {
        each.name for each in read.modelVariables if each.causality == "calculatedParameter"
    }
    assert unknowns == calculated
    assert {name.split(".")[0] for name in unknowns} == {"OSMPSensorViewInConfigRequest"}


def test_every_scalar_of_the_table_is_there_with_type_unit_and_range(fmu):
    read = read_model_description(str(fmu))
    of_name = {each.name: each for each in read.modelVariables}
    for each in (*OUTPUTS, *PARAMETERS):
        found = of_name[each.name]
        kind = each.kind if read.fmiVersion == "2.0" else FMI3_TYPES.get(each.kind, each.kind)
        assert found.type == kind
        assert (found.causality, found.variability) == (each.causality, each.variability)
        assert (found.unit or "") == each.unit
        limits = [None if text is None else float(text) for text in (found.min, found.max)]
        assert limits == [each.minimum, each.maximum]


def test_descriptions_of_texts_name_the_allowed_values(fmu):
    of_name = {each.name: each for each in read_model_description(str(fmu)).modelVariables}
    for each in PARAMETERS:
        told = of_name[each.name].description
        assert each.description in told
        assert each.allowed.replace("`", "") in told
    assert "debug, info, warning, error" in of_name["log_level"].description


@pytest.mark.parametrize("kind", KINDS)
def test_start_values_are_those_of_the_configuration(fmus, kind):
    read = read_model_description(str(fmus("street", kind)))
    start = {each.name: each.start for each in read.modelVariables}
    assert start["preset"] == "OS1-128"
    assert start["columns"] == "1024"
    assert float(start["mounting_x_m"]) == 1.0
    assert float(start["max_range_m"]) == 120.0
    assert start["rolling_shutter"] == "true"


def test_defaults_of_the_table_are_those_of_the_default_configuration():
    defaults = {each.name: each.default for each in PARAMETERS}
    assert start_values(default_config()).items() <= defaults.items()


# --- FMI 2.0 -------------------------------------------------------------------------------------


def test_every_binary_variable_of_fmi2_has_three_roles_of_one_mime_type(fmi2):
    found = defaultdict(dict)
    for scalar in description(fmi2).find("ModelVariables"):
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
        expected = (mime_type(each.message), each.causality, each.variability)
        assert set(found[each.name].values()) == {expected}


def test_no_other_variable_of_fmi2_has_the_name_of_a_binary_one(fmi2):
    names = {scalar.get("name") for scalar in description(fmi2).find("ModelVariables")}
    assert not names & {each.name for each in MESSAGES}


def test_pointers_of_fmi2_start_at_zero_where_a_start_is_allowed(fmi2):
    for scalar in description(fmi2).find("ModelVariables"):
        if re.search(r"\.(base\.lo|base\.hi|size)$", scalar.get("name")):
            calculated = scalar.get("causality") == "calculatedParameter"
            assert scalar.find("Integer").get("start") == (None if calculated else "0")


def test_global_tag_of_fmi2_stands_between_experiment_and_variables(fmi2):
    root = description(fmi2)
    tool = root.find("VendorAnnotations/Tool")
    assert tool.get("name") == "net.pmsf.osmp"
    assert tool.find(f"{OSMP}osmp").attrib == {"version": "1.6.0", "osi-version": "3.8.0"}
    tags = [child.tag for child in root]
    assert tags.index("DefaultExperiment") < tags.index("VendorAnnotations")
    assert tags.index("VendorAnnotations") < tags.index("ModelVariables")


# --- FMI 3.0 -------------------------------------------------------------------------------------


def test_every_message_of_fmi3_is_one_binary_of_role_full(fmi3):
    found = {}
    for each in description(fmi3).find("ModelVariables"):
        marks = list(each.iter(f"{OSMP}osmp-binary-variable"))
        assert len(marks) == (each.tag == "Binary")
        for mark in marks:
            assert each.find("Annotations/Annotation").get("type") == "net.pmsf.osmp"
            assert mark.get("role") == "full"
            assert mark.get("name") == each.get("name")
            assert mark.get("mime-type") == each.get("mimeType")
            found[each.get("name")] = tuple(
                each.get(key) for key in ("mimeType", "causality", "variability")
            )
    assert found == {
        each.name: (mime_type(each.message), each.causality, each.variability) for each in MESSAGES
    }


def test_messages_of_fmi3_start_empty_where_a_start_is_allowed(fmi3):
    for each in description(fmi3).find("ModelVariables").iter("Binary"):
        starts = [start.get("value") for start in each.iter("Start")]
        assert starts == ([] if each.get("causality") == "calculatedParameter" else [""])


def test_independent_variable_of_fmi3_is_the_time_in_seconds(fmi3):
    time = description(fmi3).find("ModelVariables")[0]
    assert time.tag == "Float64"
    assert (time.get("name"), time.get("valueReference")) == ("time", "0")
    assert (time.get("causality"), time.get("variability")) == ("independent", "continuous")
    assert (time.get("unit"), time.get("start"), time.get("initial")) == ("s", None, None)


def test_only_numbers_of_fmi3_could_be_continuous_and_nothing_ticks(fmi3):
    root = description(fmi3)
    for each in root.find("ModelVariables"):
        assert each.tag != "Clock"
        assert each.get("clocks") is None
        assert (each.get("variability") == "continuous") == (each.get("name") == "time")
    assert root.find("CoSimulation").get("hasEventMode") == "false"


def test_global_annotation_of_fmi3_stands_at_the_end(fmi3):
    annotations = description(fmi3)[-1]
    assert annotations.tag == "Annotations"
    (each,) = annotations
    assert each.get("type") == "net.pmsf.osmp"
    assert each.find(f"{OSMP}osmp").attrib == {"version": "1.6.0", "osi-version": "3.8.0"}


# --- documentation -------------------------------------------------------------------------------


def test_page_has_the_tables_of_the_code():
    page = (REPOSITORY / "docs" / "reference" / "fmu.md").read_text(encoding="utf-8")
    assert page == TABLES.renewed(page), (
        "python -m fmu_src.exporter.reference docs/reference/fmu.md"
    )
