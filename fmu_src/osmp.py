# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Elements of modelDescription.xml for OSMP 1.6.0: annotations, global tag, initial unknowns.

pythonfmu supports none of these, and neither units nor ranges; its classes are extended here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement

from pythonfmu import Boolean, Fmi2Causality, Fmi2Initial, Fmi2Variability, Integer, Real, String

from osi_bridge import MESSAGE_PARTS, OSI_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pythonfmu.variables import ScalarVariable

    from .variables import Variable

OSMP_VERSION = "1.6.0"
NAMESPACE = "http://xsd.pmsf.net/OSISensorModelPackaging"
TOOL = "net.pmsf.osmp"
_OSI = ".".join(map(str, OSI_VERSION))
_UNITS = {"m": {"m": "1"}, "deg": {"rad": "1", "factor": "0.017453292519943295"}}
_SCALARS = {"Real": Real, "Integer": Integer, "Boolean": Boolean, "String": String}
_AFTER_UNITS = ("TypeDefinitions", "LogCategories", "DefaultExperiment", "ModelVariables")


def mime_type(message: str) -> str:
    """Return the MIME type of a top-level OSI message."""
    return f"application/x-open-simulation-interface; type={message}; version={_OSI}"


class BinaryPart(Integer):  # type: ignore[misc]  # pythonfmu has no types
    """One of the three integers of an OSMP binary variable."""

    def __init__(self, name: str, *, prefix: str, role: str, message: str, **options: Any) -> None:  # noqa: ANN401
        super().__init__(name, **options)
        self._annotation = {"name": prefix, "role": role, "mime-type": mime_type(message)}

    def to_xml(self) -> Element:
        """Return the variable with its annotation."""
        element: Element = super().to_xml()
        tool = _tool(SubElement(element, "Annotations"))
        SubElement(tool, "osmp:osmp-binary-variable", self._annotation)
        return element


class _Described:
    """Mixin that adds unit and range to a scalar variable's XML."""

    variable: Variable

    def to_xml(self) -> Element:
        """Return the variable with its unit and range."""
        element: Element = super().to_xml()  # type: ignore[misc]  # of the other base class
        variable = self.variable
        limits = {"min": variable.minimum, "max": variable.maximum}
        given = {key: f"{value:.16g}" for key, value in limits.items() if value is not None}
        element[0].attrib.update(given)
        if variable.unit:
            element[0].set("unit", variable.unit)
        return element


_DESCRIBED = {kind: type(f"_{kind}", (_Described, base), {}) for kind, base in _SCALARS.items()}


def scalar_variables(
    variable: Variable,
    getter: Callable[[str], Callable[[], Any]],
    setter: Callable[[str], Callable[[Any], None]],
) -> list[ScalarVariable]:
    """Return the FMI variables of a variable: three integers for a binary one, else one.

    Parameters
    ----------
    variable : Variable
        Entry of the table of variables.
    getter, setter : callable
        Return the function that reads or writes the FMI variable of a given name.
    """
    options = {
        "causality": Fmi2Causality[variable.causality],
        "variability": Fmi2Variability[variable.variability],
        "description": variable.description,
    }
    if variable.causality == "calculatedParameter":
        options["initial"] = Fmi2Initial.calculated
    elif variable.causality != "input":
        options["initial"] = Fmi2Initial.exact
    if variable.kind == "Binary":
        return [
            BinaryPart(
                name,
                prefix=variable.name,
                role=role,
                message=variable.message,
                getter=getter(name),
                setter=setter(name),
                **options,
            )
            for role in MESSAGE_PARTS
            for name in [f"{variable.name}.{role}"]
        ]
    scalar = _DESCRIBED[variable.kind](
        variable.name, getter=getter(variable.name), setter=setter(variable.name), **options
    )
    scalar.variable = variable
    return [scalar]


def complete_description(root: Element) -> None:
    """Add the elements that pythonfmu leaves out, in the order required by FMI's schema."""
    names = [child.tag for child in root]
    units = Element("UnitDefinitions")
    for name, base in _UNITS.items():
        SubElement(SubElement(units, "Unit", name=name), "BaseUnit", base)
    root.insert(min(names.index(tag) for tag in _AFTER_UNITS if tag in names), units)
    variables = root.find("ModelVariables")
    structure = root.find("ModelStructure")
    assert variables is not None  # noqa: S101  pythonfmu writes both
    assert structure is not None  # noqa: S101
    annotations = Element("VendorAnnotations")
    SubElement(_tool(annotations), "osmp:osmp", {"version": OSMP_VERSION, "osi-version": _OSI})
    root.insert(list(root).index(variables), annotations)
    unknowns = SubElement(structure, "InitialUnknowns")
    for index, variable in enumerate(variables, start=1):
        if variable.get("causality") == "calculatedParameter":
            SubElement(unknowns, "Unknown", index=str(index))


def _tool(parent: Element) -> Element:
    return SubElement(parent, "Tool", {"name": TOOL, "xmlns:osmp": NAMESPACE})
