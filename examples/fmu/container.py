# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pack a system of FMUs into one FMU, for masters that take only one, by FMPy's container.

    python examples/fmu/container.py SYSTEM.ssd CONTAINER.fmu

The container steps its FMUs, then passes values on: each connection adds a delay of one step. The
only variable of the container is a parameter of the lidar.
"""

import sys
import tempfile
from pathlib import Path

import attrs
from fmpy import read_model_description
from fmpy.container_fmu.cli import create_container_fmu
from fmpy.container_fmu.config import Component, Configuration, Connection
from fmpy.model_description import (
    CoSimulation,
    DefaultExperiment,
    ModelDescription,
    ModelVariable,
)
from lxml import etree

SPACES = {"ssd": "http://ssp-standard.org/SSP1/SystemStructureDescription"}
STEP_S = 0.1
PARAMETER = "max_range_m"


def variable(component: Component, name: str) -> ModelVariable:
    """Return a variable of a component."""
    return next(v for v in component.modelDescription.modelVariables if v.name == name)


def read_components(root: etree._Element, folder: Path) -> dict[str, Component]:
    """Return the components of a system by name, in the order of the system."""
    files = {
        each.get("name"): folder / each.get("source")
        for each in root.iterfind(".//ssd:Component", SPACES)
    }
    return {
        name: Component(name, file, read_model_description(file)) for name, file in files.items()
    }


def read_connections(root: etree._Element, components: dict[str, Component]) -> list[Connection]:
    """Return the connections of a system."""
    connections = []
    for each in root.iterfind(".//ssd:Connection", SPACES):
        start, end = components[each.get("startElement")], components[each.get("endElement")]
        output = variable(start, each.get("startConnector"))
        target = variable(end, each.get("endConnector"))
        if output.type == "Integer":
            output.type = "Int32"  # FMPy 0.3.32 expects types of FMI 3.0 in connections
        connections.append(Connection(start, [output], end, [target]))
    return connections


def main(system: Path, container: Path) -> None:
    """Write the container FMU of a system."""
    root = etree.parse(system).getroot()
    components = read_components(root, system.parent)
    lidar = components["lidar"]
    inner = variable(lidar, PARAMETER)
    outer = attrs.evolve(inner, declaredType=None, unit=None)
    configuration = Configuration(
        parallelDoStep=False,
        modelDescription=ModelDescription(
            fmiVersion=lidar.modelDescription.fmiVersion,
            modelName="chain",
            instantiationToken="osi-lidar chain",
            coSimulation=CoSimulation(modelIdentifier="chain", fixedInternalStepSize=STEP_S),
            defaultExperiment=DefaultExperiment(stepSize=STEP_S),
            modelVariables=[outer],
        ),
        components=list(components.values()),
        connections=read_connections(root, components),
        variableMappings={outer: [(lidar, inner)]},
    )
    with tempfile.TemporaryDirectory() as work:
        create_container_fmu(configuration, Path(work), container)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
