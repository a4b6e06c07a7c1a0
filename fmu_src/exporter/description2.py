# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""modelDescription.xml of FMI 2.0: each message is three integers."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement

from fmu_src.exporter.description import (
    Facts,
    add_surroundings,
    as_bytes,
    description_of,
    identity,
    start_of,
    type_attributes,
)
from fmu_src.exporter.osmp import mark_binary, mark_model
from fmu_src.references import references
from lidar_base.given import given

if TYPE_CHECKING:
    from fmu_src.references import Reference

_FMI = 2


def model_description(facts: Facts) -> bytes:
    """Return the content of modelDescription.xml for an FMU of FMI 2.0, in UTF-8.

    ``facts`` are the values of the build, such as its GUID and start values.
    """
    attributes = {"fmiVersion": "2.0", "guid": facts.guid, **identity(facts)}
    root = Element("fmiModelDescription", attributes)
    SubElement(
        root,
        "CoSimulation",
        modelIdentifier=facts.name,
        needsExecutionTool="false",
        canHandleVariableCommunicationStepSize="true",
        canInterpolateInputs="false",
        canBeInstantiatedOnlyOncePerProcess="false",
        canNotUseMemoryManagementFunctions="true",
        canGetAndSetFMUstate="false",
        canSerializeFMUstate="false",
    )
    add_surroundings(root, facts, ("m", "deg"))
    mark_model(SubElement(root, "VendorAnnotations"), _FMI)
    variables = SubElement(root, "ModelVariables")
    for value_reference, reference in enumerate(references(_FMI)):
        variables.append(_variable(reference, value_reference, facts))
    root.append(_structure())
    return as_bytes(root)


def _variable(reference: Reference, value_reference: int, facts: Facts) -> Element:
    variable = given(reference.variable)  # only FMI 3.0 has a variable outside the table
    attributes = {
        "name": reference.name,
        "valueReference": str(value_reference),
        "description": description_of(variable),
        "causality": variable.causality,
        "variability": variable.variability,
    }
    if variable.causality != "input":
        calculated = variable.causality == "calculatedParameter"
        attributes["initial"] = "calculated" if calculated else "exact"
    element = Element("ScalarVariable", attributes)
    of_type = {} if reference.part else type_attributes(variable)
    start = start_of(reference, facts.start)
    SubElement(element, reference.kind, of_type if start is None else {**of_type, "start": start})
    if reference.part:
        mark_binary(element, variable, reference.part, _FMI)
    return element


def _structure() -> Element:
    """Return the model structure: outputs (without direct feedthrough), calculated parameters."""
    structure = Element("ModelStructure")
    outputs = SubElement(structure, "Outputs")
    unknowns = SubElement(structure, "InitialUnknowns")
    for index, reference in enumerate(references(_FMI), start=1):
        causality = reference.variable.causality if reference.variable else ""
        if causality == "output":
            SubElement(outputs, "Unknown", index=str(index), dependencies="")
        elif causality == "calculatedParameter":
            SubElement(unknowns, "Unknown", index=str(index))
    return structure
