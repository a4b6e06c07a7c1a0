# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""modelDescription.xml: what both versions of FMI have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, SubElement

from fmu_src.log_emitter import CATEGORIES
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fmu_src.references import Reference
    from fmu_src.variables import Value, Variable

ABOUT = "Lidar sensor model: ASAM OSI ground truth in, OSI SensorData out, after OSMP"
AUTHOR = "osi-lidar contributors"
LICENCE = "Apache-2.0"
_COPYRIGHT = f"2026 {AUTHOR}"
_UNITS = {
    "m": {"m": "1"},
    "deg": {"rad": "1", "factor": "0.017453292519943295"},
    "s": {"s": "1"},
}


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Values of one build for modelDescription.xml.

    Attributes
    ----------
    name : str
        Name of the model; the binaries have the same name.
    guid : str
        GUID; FMI 3.0 calls it instantiation token.
    tool : str
        Program that made the FMU.
    step_s : float
        Recommended step size. [s]
    start : mapping of name to value
        Start values that replace the defaults in the table of variables.
    """

    name: str
    guid: str
    tool: str
    step_s: float
    start: Mapping[str, Value]


def identity(facts: Facts) -> dict[str, str]:
    """Return XML attributes that the root elements of FMI 2.0 and FMI 3.0 share, by name.

    They state the model's name, description, author, version, copyright and licence, the program
    that made the FMU, and the naming convention of its variables. ``facts`` are the values of the
    build; its GUID is not among these attributes.
    """
    return {
        "modelName": facts.name,
        "description": ABOUT,
        "author": AUTHOR,
        "version": __version__,
        "copyright": _COPYRIGHT,
        "license": LICENCE,
        "generationTool": facts.tool,
        "variableNamingConvention": "structured",
    }


def add_surroundings(root: Element, facts: Facts, units: tuple[str, ...]) -> None:
    """Add three elements to the root: unit definitions, log categories, default experiment.

    Parameters
    ----------
    root : Element
        The root element of modelDescription.xml, changed in place.
    facts : Facts
        Values of the build; the recommended step size is used.
    units : tuple of str
        The units to define: any of "m", "deg" and "s".
    """
    definitions = SubElement(root, "UnitDefinitions")
    for unit in units:
        SubElement(SubElement(definitions, "Unit", name=unit), "BaseUnit", _UNITS[unit])
    categories = SubElement(root, "LogCategories")
    for name, description in CATEGORIES.items():
        SubElement(categories, "Category", name=name, description=description)
    SubElement(root, "DefaultExperiment", startTime="0.0", stepSize=repr(facts.step_s))


def description_of(variable: Variable) -> str:
    """Return the description of a variable as text, followed by its allowed values for a String."""
    if not variable.allowed:
        return variable.description
    return f"{variable.description} Value: {variable.allowed.replace('`', '')}."


def type_attributes(variable: Variable) -> dict[str, str]:
    """Return the XML attributes min, max and unit of a variable, if any; it must not be binary."""
    limits = {"min": variable.minimum, "max": variable.maximum}
    given = {key: f"{value:.16g}" for key, value in limits.items() if value is not None}
    return {**given, "unit": variable.unit} if variable.unit else given


def start_of(reference: Reference, start: Mapping[str, Value]) -> str | None:
    """Return the start value of a variable that is not binary; None if it has no start value.

    Parameters
    ----------
    reference : Reference
        The variable.
    start : mapping of name to value
        Start values that replace the defaults in the table of variables.

    Returns
    -------
    str or None
        The value as XML text: "true" or "false" for a bool. "0" for each of the three integers that
        stand for a message in FMI 2.0. None for the independent variable and calculated parameters.
    """
    variable = reference.variable
    if variable is None or variable.causality == "calculatedParameter":
        return None
    if reference.part:
        return "0"
    value = start.get(variable.name, variable.default)
    return str(value).lower() if isinstance(value, bool) else str(value)


def as_bytes(root: Element) -> bytes:
    """Return the content of an XML file with the root element ``root``, in UTF-8.

    Line breaks and indents are added to ``root`` in place.
    """
    ET.indent(root)
    return cast("bytes", ET.tostring(root, encoding="UTF-8", xml_declaration=True)) + b"\n"
