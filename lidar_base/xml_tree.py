# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of XML into elements with line numbers.

A document type is refused, and with it every entity that it could declare: entities cannot expand
without bound, and nothing outside the file is read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat

from lidar_base.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

_MOST_DEPTH = 64


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an XML file.

    Attributes
    ----------
    tag : str
        Name of the element.
    attributes : dict
        Attribute values by name.
    line : int
        Line on which the element begins, from 1.
    children : list of Element
        Child elements in order; text between them is left out.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> list[Element]:
        """Return all children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """Return the first child with this tag, or None if there is none."""
        return next(iter(self.all(tag)), None)


def is_xml(content: bytes) -> bool:
    """Return whether a file begins like XML."""
    return content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def read_xml(file: Path, content: bytes) -> Element:
    """Return the root element of an XML file.

    Raises
    ------
    ConfigurationError
        If the content is not XML, has a document type, or is nested too deeply.
    """
    parser = expat.ParserCreate()
    above = [Element("", {}, 0)]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(above) > _MOST_DEPTH:
            raise ConfigurationError(
                f"{file}: line {parser.CurrentLineNumber}: over {_MOST_DEPTH} elements deep"
            )
        element = Element(tag, attributes, parser.CurrentLineNumber)
        above[-1].children.append(element)
        above.append(element)

    def end(_: str) -> None:
        above.pop()

    def doctype(*_: object) -> None:
        raise ConfigurationError(
            f"{file}: line {parser.CurrentLineNumber}: has a document type (DOCTYPE), expected none"
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        problem = " ".join(str(error).split())
        raise ConfigurationError(f"{file}: is not XML: {problem:.100}") from None
    return above[0].children[0]
