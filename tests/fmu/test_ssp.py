# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The SSP examples follow the schemas of SSP, and fit the FMUs that they name."""

import pytest
from fmpy import read_model_description
from fmpy.ssp.ssd import validate_tree
from lxml import etree

from osi_bridge import MESSAGE_PARTS
from tests.fmu.driving import EXAMPLES, MASTERS, ssd_of
from tests.fmu.kinds import built, contents, description, schema

SPACES = {
    "ssd": "http://ssp-standard.org/SSP1/SystemStructureDescription",
    "ssc": "http://ssp-standard.org/SSP1/SystemStructureCommon",
    "ssv": "http://ssp-standard.org/SSP1/SystemStructureParameterValues",
    "mcx": "com.avl.model.connect.ssp.task",
    "oms": "https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd",
}
MESSAGES = (
    ("player", "OSMPSensorViewOut", "lidar", "OSMPSensorViewIn"),
    ("lidar", "OSMPSensorDataOut", "recorder", "OSMPSensorDataIn"),
)
DESCRIPTION, VALUES = "SystemStructureDescription.xsd", "SystemStructureParameterValues.xsd"


@pytest.fixture(params=MASTERS)
def ssd(request):
    return etree.parse(ssd_of(request.param)).getroot()


@pytest.fixture(scope="module")
def lidar2(tmp_path_factory):
    return built("native-2", out=tmp_path_factory.mktemp("lidar")).path


def found(ssd, path):
    return ssd.findall(f".//{path}", SPACES)


def test_example_follows_the_schemas(ssd):
    validate_tree(ssd, DESCRIPTION)
    for each in found(ssd, "ssv:ParameterSet"):
        validate_tree(each, VALUES)


def test_only_a_master_that_knows_strings_is_given_paths():
    n_sets = {each: len(found(etree.parse(ssd_of(each)), "ssv:ParameterSet")) for each in MASTERS}
    assert n_sets == {"openmcx": 2, "omsimulator": 0}


def test_schemas_refuse_what_is_wrong():
    ssd = etree.parse(ssd_of("openmcx")).getroot()
    found(ssd, "ssv:Parameter")[0].attrib.pop("name")
    found(ssd, "ssd:Connector")[0].set("kind", "outlet")
    with pytest.raises(Exception, match="outlet"):
        validate_tree(ssd, DESCRIPTION)
    with pytest.raises(Exception, match="name"):
        validate_tree(found(ssd, "ssv:ParameterSet")[0], VALUES)


def test_connectors_and_values_are_variables_of_the_fmus(ssd, chain_fmus, lidar2):
    fmus = {**chain_fmus, "lidar": lidar2}
    for component in found(ssd, "ssd:Component"):
        fmu = fmus[component.get("name")]
        assert component.get("source") == f"resources/{fmu.name}"
        read = read_model_description(str(fmu))
        variables = {each.name: each for each in read.modelVariables}
        for connector in found(component, "ssd:Connector"):
            variable = variables[connector.get("name")]
            assert connector.get("kind") == variable.causality
            assert etree.QName(connector[0]).localname == variable.type
        named = {each.get("name") for each in found(component, "ssd:Connector")}
        assert {each.get("name") for each in found(component, "ssv:Parameter")} <= named


def test_all_parts_of_both_messages_are_connected(ssd):
    ends = ("startElement", "startConnector", "endElement", "endConnector")
    connections = {tuple(each.get(end) for end in ends) for each in found(ssd, "ssd:Connection")}
    assert connections == {
        (start, f"{output}.{part}", end, f"{target}.{part}")
        for start, output, end, target in MESSAGES
        for part in MESSAGE_PARTS
    }


def test_each_master_is_told_its_step():
    (task,) = found(etree.parse(ssd_of("openmcx")).getroot(), "mcx:Task")
    assert task.attrib == {"stepType": "sequential", "deltaTime": "0.1", "endType": "end_time"}
    oms = etree.parse(ssd_of("omsimulator")).getroot()
    (master,) = found(
        oms,
        "ssc:Annotation[@type='org.openmodelica']/oms:Annotations/oms:SimulationInformation"
        "/oms:FixedStepMaster",
    )
    assert float(master.get("stepSize")) == 0.1


# --- SSP 2.0 -------------------------------------------------------------------------------------


@pytest.fixture
def ssd2():
    return etree.parse(EXAMPLES / "ssp2" / "SystemStructure.ssd").getroot()


@pytest.fixture(scope="module")
def lidar3(tmp_path_factory):
    return built("native-3", out=tmp_path_factory.mktemp("lidar")).path


def binaries(component):
    """Return kind and MIME type of the binary connectors of a component, by name."""
    return {
        each.get("name"): (each.get("kind"), each.find("ssc:Binary", SPACES).get("mime-type"))
        for each in found(component, "ssd:Connector")
        if each.find("ssc:Binary", SPACES) is not None
    }


def component_of(ssd, name):
    (component,) = (each for each in found(ssd, "ssd:Component") if each.get("name") == name)
    return component


def test_example_of_ssp2_follows_the_schemas_of_ssp2(ssd2):
    schema(DESCRIPTION).assertValid(ssd2)
    for each in found(ssd2, "ssv:ParameterSet"):
        schema(VALUES).assertValid(each)


def test_everything_in_the_example_of_ssp2_is_of_version_2(ssd2):
    versions = [each.get("version") for each in (ssd2, *found(ssd2, "ssv:ParameterSet"))]
    assert versions == ["2.0"] * 3


def test_binary_connectors_are_messages_of_the_lidar(ssd2, lidar3):
    component = component_of(ssd2, "lidar")
    assert component.get("source") == f"resources/{lidar3.name}"
    variables = {
        each.get("name"): (each.get("causality"), each.get("mimeType"))
        for each in description(lidar3).iter("Binary")
    }
    connectors = binaries(component)
    assert set(connectors) == {"OSMPSensorViewIn", "OSMPSensorDataOut"}
    assert connectors.items() <= variables.items()


def test_one_connection_carries_each_message_and_both_ends_are_of_one_type(ssd2):
    ends = ("startElement", "startConnector", "endElement", "endConnector")
    connections = [tuple(each.get(end) for end in ends) for each in found(ssd2, "ssd:Connection")]
    assert connections == list(MESSAGES)
    for start, output, end, target in connections:
        kinds = (binaries(component_of(ssd2, start)), binaries(component_of(ssd2, end)))
        assert (kinds[0][output][0], kinds[1][target][0]) == ("output", "input")
        assert kinds[0][output][1] == kinds[1][target][1]


def test_example_of_ssp2_refers_to_the_metadata_inside_the_lidar(ssd2, lidar3):
    (meta_data,) = component_of(ssd2, "lidar").findall("ssc:MetaData", SPACES)
    assert meta_data.get("type") == "application/x-srmd-meta-data"
    assert meta_data.get("sourceBase") == "resource"
    assert meta_data.get("source") in contents(lidar3)
