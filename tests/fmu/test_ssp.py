# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The SSP examples follow the schemas of SSP 1.0, and fit the FMUs that they name."""

import pytest
from fmpy import read_model_description
from fmpy.ssp.ssd import validate_tree
from lxml import etree

from osi_bridge import MESSAGE_PARTS
from tests.fmu.driving import MASTERS, ssd_of

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


def found(ssd, path):
    return ssd.findall(f".//{path}", SPACES)


def test_example_follows_the_schemas(ssd):
    validate_tree(ssd, DESCRIPTION)
    sets = found(ssd, "ssv:ParameterSet")
    assert len(sets) == 2
    for each in sets:
        validate_tree(each, VALUES)


def test_schemas_refuse_what_is_wrong(ssd):
    found(ssd, "ssv:Parameter")[0].attrib.pop("name")
    found(ssd, "ssd:Connector")[0].set("kind", "outlet")
    with pytest.raises(Exception, match="outlet"):
        validate_tree(ssd, DESCRIPTION)
    with pytest.raises(Exception, match="name"):
        validate_tree(found(ssd, "ssv:ParameterSet")[0], VALUES)


def test_connectors_and_values_are_variables_of_the_fmus(ssd, chain_fmus):
    for component in found(ssd, "ssd:Component"):
        assert component.get("source") == f"resources/{chain_fmus[component.get('name')].name}"
        description = read_model_description(str(chain_fmus[component.get("name")]))
        variables = {each.name: each for each in description.modelVariables}
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
