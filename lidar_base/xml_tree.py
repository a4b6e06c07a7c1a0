# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of XML into elements with line numbers.

A document type is refused, and with it every entity that it could declare: entities cannot expand
without bound, and nothing outside the file is read. The parser itself tells of it, after the text
was decoded: a search in the bytes of the file would be passed by another encoding.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

from lidar_base.errors import BoundError, ConfigurationError
from lidar_base.files.bounds import (
    BYTES_OF_ELEMENT,
    FREE_ELEMENTS,
    MOST_DEPTH,
    MOST_MARKUP_BYTES,
    check_at_most,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

_BOMS = (  # the longer ones first
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WITHOUT_BOM = {b"<\0?\0": "utf-16-le", b"\0<\0?": "utf-16-be"}
_DECLARATION = re.compile(rb"""^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']""")
_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"}
"""What programs write under these names has characters that only the larger sets have."""
_CODECS = frozenset(
    {"utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "ascii", "gb18030"}
    | {"big5", "cp932", "cp949", "euc_jp", "koi8-r", "koi8-u", "iso8859-1"}
    | {f"iso8859-{part}" for part in (*range(2, 12), *range(13, 17))}
    | {f"cp{page}" for page in range(1250, 1259)}
)
"""Encodings that are read, by Python's names. Neither UTF-7 nor EBCDIC is one."""
_PIECE_BYTES = 2**20
_HEAD_BYTES = 1024


class AskedFor(NamedTuple):
    """What a reader has asked the elements of a file for.

    Attributes
    ----------
    children : set of (str, str)
        Names of a parent and a child.
    attributes : set of (str, str)
        Names of an element and an attribute.
    """

    children: set[tuple[str, str]]
    attributes: set[tuple[str, str]]

    @classmethod
    def nothing(cls) -> AskedFor:
        """Return the record of a file that nobody has asked yet."""
        return cls(set(), set())


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an XML file, which takes note of what it is asked for.

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
    asked : AskedFor
        One for all elements of a file. A reader that goes by `attributes` and `children` leaves
        no note in it.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    asked: AskedFor = field(default_factory=AskedFor.nothing, repr=False, compare=False)

    def get(self, name: str, missing: str = "") -> str:
        """Return the text of an attribute."""
        self.asked.attributes.add((self.tag, name))
        return self.attributes.get(name, missing)

    def all(self, tag: str) -> list[Element]:
        """Return all children with this tag."""
        self.asked.children.add((self.tag, tag))
        return [child for child in self.children if child.tag == tag]

    def any_of(self, tags: Iterable[str]) -> list[Element]:
        """Return all children with one of these tags, in order."""
        tags = {*tags}
        self.asked.children.update((self.tag, tag) for tag in tags)
        return [child for child in self.children if child.tag in tags]

    def first(self, tag: str) -> Element | None:
        """Return the first child with this tag, or None if there is none."""
        return next(iter(self.all(tag)), None)


def is_xml(content: bytes) -> bool:
    """Return whether a file, or what it begins with, begins like XML, in any encoding."""
    return letters_of(content[:_HEAD_BYTES]).lstrip().startswith(b"<")


def letters_of(head: bytes) -> bytes:
    """Return what a file begins with, with its Latin letters as a single byte each.

    So tags are found in it, whatever the encoding of the file is.
    """
    mark = next((mark for mark, _ in _BOMS if head.startswith(mark)), b"")
    is_wide = len(mark) in (2, 4) or head[:4] in _WITHOUT_BOM
    return head[len(mark) :].replace(b"\0", b"") if is_wide else head[len(mark) :]


def xml_as_utf8(content: bytes) -> bytes:
    """Return an XML file in UTF-8, whatever it says of its encoding; its declaration stays.

    Raises
    ------
    ValueError
        The encoding is not known, or the content does not follow it.
    """
    name = next((name for mark, name in _BOMS if content.startswith(mark)), None)
    name = name or _WITHOUT_BOM.get(content[:4])
    if name is None:
        stated = _DECLARATION.match(content[:400])
        name = stated[1].decode("ascii").lower() if stated else "utf-8"
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        codec = ""
    codec = _SUPERSETS.get(codec, codec)
    if codec not in _CODECS:
        raise ValueError(f"unknown encoding {name!r}, expected UTF-8 or another usual one")
    return content if codec == "utf-8" else content.decode(codec).encode()


def read_xml(file: Path, content: bytes) -> Element:
    """Return the root element of an XML file.

    Raises
    ------
    ConfigurationError
        If the content is not XML, has a document type, is nested too deeply, or has more elements
        than a file of its size.
    """
    asked = AskedFor.nothing()
    root = Element("", {}, 0, asked=asked)
    above = [root]

    def start(tag: str, attributes: dict[str, str], line: int) -> None:
        element = Element(tag, attributes, line, asked=asked)
        above[-1].children.append(element)
        above.append(element)

    checked_xml(file, content, start, above.pop)
    return root.children[0]


def checked_xml(
    file: Path,
    content: bytes,
    start: Callable[[str, dict[str, str], int], object] = lambda *_: None,
    end: Callable[[], object] = lambda: None,
) -> bytes:
    """Return an XML file in UTF-8, after a look for what could make another parser run wild.

    Parameters
    ----------
    file : Path
        The file, for messages.
    content : bytes
        What it holds.
    start : callable
        Called with name, attributes and line of each element as it begins.
    end : callable
        Called as each element ends.

    Raises
    ------
    ConfigurationError
        As of `read_xml`.
    """
    try:
        text = xml_as_utf8(content)
        _parse(_Parser(start, end).parser, text)
    except BoundError as error:
        raise ConfigurationError(f"{file}: {error}") from None
    except (expat.ExpatError, ValueError, LookupError) as error:
        problem = " ".join(str(error).split())
        raise ConfigurationError(f"{file}: is not XML: {problem:.100}") from None
    return text


class _Parser:
    """A parser that stops at a document type, and at elements too deep or too many."""

    def __init__(
        self, start: Callable[[str, dict[str, str], int], object], end: Callable[[], object]
    ) -> None:
        self.parser = expat.ParserCreate("utf-8")  # whatever the declaration says
        self._start, self._end = start, end
        self._depth = self._n_elements = 0
        self.parser.StartElementHandler = self._begin
        self.parser.EndElementHandler = self._finish
        self.parser.StartDoctypeDeclHandler = self._doctype

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._n_elements += 1
        line = self.parser.CurrentLineNumber
        if self._depth > MOST_DEPTH:
            raise BoundError(f"line {line}: over {MOST_DEPTH} elements deep")
        most = FREE_ELEMENTS + self.parser.CurrentByteIndex // BYTES_OF_ELEMENT
        check_at_most(self._n_elements, most, "elements so far")
        self._start(tag, attributes, line)

    def _finish(self, _: str) -> None:
        self._depth -= 1
        self._end()

    def _doctype(self, *_: object) -> None:
        line = self.parser.CurrentLineNumber
        raise BoundError(f"line {line}: has a document type (DOCTYPE), expected none")


def _parse(parser: expat.XMLParserType, text: bytes) -> None:
    """Parse a text in pieces, as long as no markup of it is without end."""
    for begin in range(0, len(text), _PIECE_BYTES):
        parser.Parse(text[begin : begin + _PIECE_BYTES])
        waiting = min(begin + _PIECE_BYTES, len(text)) - max(parser.CurrentByteIndex, 0)
        check_at_most(waiting, MOST_MARKUP_BYTES, "bytes of one tag or comment")
    parser.Parse(b"", True)
