# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Facts about a model, read from modelDescription.xml of FMI 1.0, 2.0 or 3.0."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path

from lidar_base.errors import ConfigurationError
from lidar_base.xml_tree import checked_xml

_OSMP = "{http://xsd.pmsf.net/OSISensorModelPackaging}"


def parsed(text: bytes) -> ET.Element:
    """Return the root element of a model description.

    ``text`` is the content of modelDescription.xml.

    Raises
    ------
    ValueError
        The text is not a model description.
    """
    try:
        checked = checked_xml(Path("it"), text)
        root = ET.fromstring(checked, ET.XMLParser(encoding="utf-8"))  # noqa: S314  it is checked
    except ConfigurationError as error:
        raise ValueError(str(error).removeprefix("it: ")) from None
    except ET.ParseError as error:
        raise ValueError(str(error)) from error
    if root.tag != "fmiModelDescription" or not root.get("fmiVersion"):
        raise ValueError(
            "is not an FMI model description, expected a root <fmiModelDescription> with fmiVersion"
        )
    return root


def token(root: ET.Element) -> str:
    """Return the GUID of a model, which FMI 3.0 calls instantiation token; "" if there is none.

    ``root`` is the root element of its modelDescription.xml.
    """
    return root.get("instantiationToken", "") or root.get("guid", "")


def step_s(root: ET.Element) -> float | None:
    """Return the preferred step size of a model in seconds; None if there is no finite number.

    ``root`` is the root element of its modelDescription.xml.
    """
    experiment = root.find("DefaultExperiment")
    given = None if experiment is None else experiment.get("stepSize")
    try:
        found = math.nan if given is None else float(given)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def osmp_version(root: ET.Element) -> str:
    """Return the version of OSMP that a model follows; "" if it does not follow OSMP.

    ``root`` is the root element of its modelDescription.xml.
    """
    return next((each.get("version", "") for each in root.iter(f"{_OSMP}osmp")), "")


def messages(root: ET.Element) -> list[str]:
    """Return the names of OSMP's binary variables, each once, in the order of the variables.

    ``root`` is the root element of modelDescription.xml.
    """
    marks = root.iter(f"{_OSMP}osmp-binary-variable")
    return list(dict.fromkeys(each.get("name", "") for each in marks))


def parameters(root: ET.Element) -> dict[str, str]:
    """Return the start values of all parameters except OSMP's binary variables, by name.

    ``root`` is the root element of modelDescription.xml. Each value is the text in this file; it is
    "" for a parameter without a start value.
    """
    found = {}
    for variable in root.iterfind("ModelVariables/*"):
        is_message = next(variable.iter(f"{_OSMP}osmp-binary-variable"), None) is not None
        if variable.get("causality") == "parameter" and not is_message:
            found[variable.get("name", "")] = _start(variable)
    return found


def _start(variable: ET.Element) -> str:
    """Return a start value: an attribute of the variable or of its type, or a Start element."""
    for element in (variable, *variable):
        given: str | None = element.get("start")
        if given is not None:
            return given
    return " ".join(each.get("value", "") for each in variable.iterfind("Start"))
