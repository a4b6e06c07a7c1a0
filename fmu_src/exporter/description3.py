# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""modelDescription.xml of FMI 3.0: each message is one binary variable."""

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
from fmu_src.exporter.osmp import mark_binary, mark_model, mime_type
from fmu_src.references import references

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fmu_src.references import Reference
    from fmu_src.variables import Value, Variable

_FMI = 3
_TYPES = {"Real": "Float64", "Integer": "Int32"}
"""Types with a different name in FMI 3.0 than in FMI 2.0."""


def model_description(facts: Facts) -> bytes:
    """Return the content of modelDescription.xml for an FMU of FMI 3.0, in UTF-8.

    ``facts`` are the values of the build, such as its GUID and start values.
    """
    attributes = {"fmiVersion": "3.0", "instantiationToken": facts.guid, **identity(facts)}
    root = Element("fmiModelDescription", attributes)
    SubElement(
        root,
        "CoSimulation",
        modelIdentifier=facts.name,
        needsExecutionTool="false",
        canBeInstantiatedOnlyOncePerProcess="false",
        canGetAndSetFMUState="false",
        canSerializeFMUState="false",
        canHandleVariableCommunicationStepSize="true",
        canReturnEarlyAfterIntermediateUpdate="false",
        mightReturnEarlyFromDoStep="false",
        hasEventMode="false",
    )
    add_surroundings(root, facts, ("s", "m", "deg"))
    variables = SubElement(root, "ModelVariables")
    for value_reference, reference in enumerate(references(_FMI)):
        variables.append(_variable(reference, value_reference, facts.start))
    root.append(_structure())
    mark_model(SubElement(root, "Annotations"), _FMI)
    return as_bytes(root)


def _variable(reference: Reference, value_reference: int, values: Mapping[str, Value]) -> Element:
    named = {"name": reference.name, "valueReference": str(value_reference)}
    variable = reference.variable
    if variable is None:
        return _time(named)
    attributes = {
        **named,
        "description": description_of(variable),
        "causality": variable.causality,
        "variability": variable.variability,
    }
    if variable.causality != "input":
        calculated = variable.causality == "calculatedParameter"
        attributes["initial"] = "calculated" if calculated else "exact"
    start = start_of(reference, values)
    if variable.kind == "Binary":
        return _binary(variable, attributes, has_start=start is not None)
    element = Element(_TYPES.get(variable.kind, variable.kind), attributes)
    element.attrib.update(type_attributes(variable))
    if variable.kind == "String":
        SubElement(element, "Start", value=start or "")
    elif start is not None:
        element.set("start", start)
    return element


def _time(named: dict[str, str]) -> Element:
    """Return the independent variable, which FMI 3.0 demands."""
    attributes = {"causality": "independent", "variability": "continuous", "unit": "s"}
    return Element("Float64", {**named, "description": "Simulation time.", **attributes})


def _binary(variable: Variable, attributes: dict[str, str], *, has_start: bool) -> Element:
    element = Element("Binary", {**attributes, "mimeType": mime_type(variable.message)})
    mark_binary(element, variable, "full", _FMI)
    if has_start:
        SubElement(element, "Start", value="")
    return element


def _structure() -> Element:
    """Return the model structure: outputs (without direct feedthrough), calculated parameters."""
    structure = Element("ModelStructure")
    found: dict[str, list[int]] = {"output": [], "calculatedParameter": []}
    for value_reference, reference in enumerate(references(_FMI)):
        causality = reference.variable.causality if reference.variable else ""
        if causality in found:
            found[causality].append(value_reference)
    for each in found["output"]:
        SubElement(structure, "Output", valueReference=str(each), dependencies="")
    for each in found["calculatedParameter"]:
        SubElement(structure, "InitialUnknown", valueReference=str(each))
    return structure
