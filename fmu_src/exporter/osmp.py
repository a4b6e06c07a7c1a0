# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Annotations of OSMP 1.6.0 in modelDescription.xml, for both versions of FMI."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement

from osi_bridge import OSI_VERSION

if TYPE_CHECKING:
    from fmu_src.variables import Variable

OSMP_VERSION = "1.6.0"
OSI = ".".join(map(str, OSI_VERSION))
_NAMESPACE = {"xmlns:osmp": "http://xsd.pmsf.net/OSISensorModelPackaging"}
_NAME = "net.pmsf.osmp"
_HOLDERS = {2: ("Tool", "name"), 3: ("Annotation", "type")}
"""By FMI version: the element that holds an annotation, and its attribute for the tool's name."""


def mime_type(message: str) -> str:
    """Return the MIME type of an OSI message, which states its type and the version of OSI.

    ``message`` is the name of the message type, such as "SensorView".
    """
    return f"application/x-open-simulation-interface; type={message}; version={OSI}"


def mark_model(annotations: Element, fmi: int) -> None:
    """Add OSMP's annotation of the whole model: the versions of OSMP and of OSI.

    ``annotations`` is the element that receives it, changed in place. ``fmi`` is the major version
    of FMI, 2 or 3.
    """
    attributes = {"version": OSMP_VERSION, "osi-version": OSI}
    SubElement(_holder(annotations, fmi), "osmp:osmp", attributes)


def mark_binary(element: Element, variable: Variable, role: str, fmi: int) -> None:
    """Add OSMP's annotation to a binary variable, or to one of the three integers of a message.

    Parameters
    ----------
    element : Element
        The variable's element.
    variable : Variable
        The binary variable.
    role : str
        "full" for a binary variable; for an integer its role in OSMP: "base.lo", "base.hi" or
        "size".
    fmi : int
        Major version of FMI.
    """
    attributes = {"name": variable.name, "role": role, "mime-type": mime_type(variable.message)}
    holder = _holder(SubElement(element, "Annotations"), fmi)
    SubElement(holder, "osmp:osmp-binary-variable", attributes)


def _holder(annotations: Element, fmi: int) -> Element:
    tag, attribute = _HOLDERS[fmi]
    return SubElement(annotations, tag, {attribute: _NAME, **_NAMESPACE})
