# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of XML into elements with line numbers.

A document type (DOCTYPE) is refused, and with it every entity that it could declare. So entities
cannot expand without bound, and nothing outside the file is read. The parser detects the document
type in the decoded text: a search in the bytes of the file would miss it in another encoding.
"""

from __future__ import annotations

import codecs
import io
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from xml.parsers import expat

from lidar_base.errors import BoundError, ConfigurationError
from lidar_base.files.bounds import (
    BYTES_OF_ELEMENT,
    FREE_ELEMENTS,
    MOST_DEPTH,
    MOST_ELEMENTS,
    MOST_MARKUP_BYTES,
    check_at_most,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
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
"""Encodings that are read as a larger set, as programs write characters that only that set has."""
_CODECS = frozenset(
    {"utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "ascii", "gb18030"}
    | {"big5", "cp932", "cp949", "euc_jp", "koi8-r", "koi8-u", "iso8859-1"}
    | {f"iso8859-{part}" for part in (*range(2, 12), *range(13, 17))}
    | {f"cp{page}" for page in range(1250, 1259)}
)
"""Encodings that are read, by Python's names. Neither UTF-7 nor EBCDIC is one."""
_HEAD_BYTES = 400
_PIECE_BYTES = 2**20


class AskedFor(NamedTuple):
    """Record of the children and attributes that a reader has asked a file's elements for.

    Attributes
    ----------
    children : set of (str, str)
        Tags of parent and child.
    attributes : set of (str, str)
        Tag of an element, and name of an attribute.
    """

    children: set[tuple[str, str]]
    attributes: set[tuple[str, str]]

    @classmethod
    def nothing(cls) -> AskedFor:
        """Return an empty record."""
        return cls(set(), set())


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an XML file, which records what its reader asks for.

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
        The record, which all elements of a file share. The methods of this class write to it;
        reading `attributes` and `children` directly is not recorded.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    asked: AskedFor = field(default_factory=AskedFor.nothing, repr=False, compare=False)

    def get(self, name: str, missing: str = "") -> str:
        """Return the value of an attribute of this element as text.

        Parameters
        ----------
        name : str
            Name of the attribute. It is recorded in ``asked``, even if it does not exist.
        missing : str
            Text to return if the element does not have the attribute.
        """
        self.asked.attributes.add((self.tag, name))
        return self.attributes.get(name, missing)

    def all(self, tag: str) -> list[Element]:
        """Return all children with the tag ``tag`` (str), in order, as a list.

        The tag is recorded in ``asked``, even if no child has it.
        """
        self.asked.children.add((self.tag, tag))
        return [child for child in self.children if child.tag == tag]

    def any_of(self, tags: Iterable[str]) -> list[Element]:
        """Return all children with one of the tags ``tags`` (iterable of str), in order, as a list.

        All these tags are recorded in ``asked``, even those that no child has.
        """
        tags = {*tags}
        self.asked.children.update((self.tag, tag) for tag in tags)
        return [child for child in self.children if child.tag in tags]

    def first(self, tag: str) -> Element | None:
        """Return the first child with the tag ``tag`` (str), or None if there is none.

        The tag is recorded in ``asked``, even if no child has it.
        """
        return next(iter(self.all(tag)), None)


def is_xml(content: bytes) -> bool:
    """Return whether a file looks like XML: its first character, after white space, is "<".

    ``content`` is the file as bytes, whole or only its beginning, in any known encoding, with or
    without a byte order mark. Only the first 400 bytes are examined.
    """
    return start_as_utf8(content[:_HEAD_BYTES]).lstrip().startswith(b"<")


def start_as_utf8(head: bytes) -> bytes:
    """Return the beginning of an XML file as bytes in UTF-8, without a byte order mark.

    ``head`` is the beginning of the file as bytes; it may end within a character. It is returned
    unchanged if its encoding is unknown, or if it is not valid in its encoding.
    """
    try:
        return b"".join(utf8_pieces(io.BytesIO(head), whole=False)).removeprefix(codecs.BOM_UTF8)
    except ValueError:
        return head


def xml_as_utf8(content: bytes) -> bytes:
    """Return the content of an XML file (``content``, bytes) converted to UTF-8, as bytes.

    The text of the XML declaration is kept, so it may still state the former encoding. Content in
    UTF-8 without a byte order mark is returned unchanged, and is not checked.

    Raises
    ------
    ValueError
        The encoding is unknown, or the content is not valid in it.
    """
    if _codec_of(content[:_HEAD_BYTES]) == "utf-8":
        return content
    return b"".join(utf8_pieces(io.BytesIO(content)))


def utf8_pieces(stream: BinaryIO, *, whole: bool = True) -> Iterator[bytes]:
    """Yield the rest of a stream of XML, converted to UTF-8, in pieces (bytes).

    Parameters
    ----------
    stream : binary file
        The stream, open at the beginning of the XML.
    whole : bool
        False if the stream may end within a character, without an error.

    Raises
    ------
    ValueError
        The encoding is unknown, or the content is not valid in it. UTF-8 content without a byte
        order mark is not checked.
    """
    piece = stream.read(_PIECE_BYTES)
    codec = _codec_of(piece[:_HEAD_BYTES])
    decoder = None if codec == "utf-8" else codecs.getincrementaldecoder(codec)()
    while piece:
        yield piece if decoder is None else decoder.decode(piece).encode()
        piece = stream.read(_PIECE_BYTES)
    if decoder is not None and whole:
        decoder.decode(b"", final=True)


def _codec_of(head: bytes) -> str:
    """Return Python's name of the encoding of an XML file, given its beginning."""
    name = next((name for mark, name in _BOMS if head.startswith(mark)), None)
    name = name or _WITHOUT_BOM.get(head[:4])
    if name is None:
        stated = _DECLARATION.match(head)
        name = stated[1].decode("ascii").lower() if stated else "utf-8"
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        codec = ""
    codec = _SUPERSETS.get(codec, codec)
    if codec not in _CODECS:
        raise ValueError(f"unknown encoding {name!r}, expected UTF-8 or another usual one")
    return codec


def read_xml(file: Path, content: bytes, without: Container[str] = ()) -> Element:
    """Return the root element of an XML file.

    Parameters
    ----------
    file : Path
        The file, for messages.
    content : bytes
        The content of the file.
    without : container of str
        Tags of elements whose children are dropped.

    Raises
    ------
    ConfigurationError
        The content is not XML, has a document type, is nested too deeply, or has more elements
        than a file of its size may have, or more than `MOST_ELEMENTS` to keep.
    """
    elements = _Elements(without, of_part=False)
    for _ in elements.read(file, io.BytesIO(content)):
        pass
    root, *children = elements.parts
    root.children.extend(children)
    return root


def xml_parts(file: Path, stream: BinaryIO) -> Iterator[Element]:
    """Yield the root element of an XML file without children, then each child once it is read.

    So the elements of a large file need not be in memory together, where they take several times
    the file's size.

    Parameters
    ----------
    file : Path
        The file, for messages.
    stream : binary file
        The file, open at its beginning.

    Raises
    ------
    ConfigurationError
        As in `read_xml`; but `MOST_ELEMENTS` is the limit of each child of the root.
    """
    elements = _Elements((), of_part=True)
    for n_complete in elements.read(file, stream):
        yield from elements.parts[:n_complete]
        del elements.parts[:n_complete]


class _Elements:
    """Builds elements: ``parts`` has the root without children, then its children, complete."""

    def __init__(self, without: Container[str], *, of_part: bool) -> None:
        self.parts: list[Element] = []
        self._above: list[Element | None] = []
        self._without = without
        self._of_part = of_part
        self._asked = AskedFor.nothing()
        self._n_kept = 0

    def read(self, file: Path, stream: BinaryIO) -> Iterator[int]:
        """Parse a file in pieces; after each piece, yield the number of complete parts."""
        parser = _Parser(self._start, self._above.pop).parser
        with _as_configuration_error(file):
            for _ in _parsed(parser, utf8_pieces(stream)):
                yield len(self.parts) - (len(self._above) > 1)

    def _start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        parent = self._above[-1] if self._above else None
        is_part = len(self._above) <= 1
        if not is_part and (parent is None or parent.tag in self._without):
            self._above.append(None)
            return
        self._n_kept = 1 if is_part and self._of_part else self._n_kept + 1
        check_at_most(self._n_kept, MOST_ELEMENTS, f"line {line}: elements that are kept so far")
        element = Element(tag, attributes, line, asked=self._asked)
        (self.parts if parent is None or is_part else parent.children).append(element)
        self._above.append(element)


def checked_xml(
    file: Path,
    content: bytes,
    start: Callable[[str, dict[str, str], int], object] = lambda *_: None,
    end: Callable[[], object] = lambda: None,
) -> bytes:
    """Return an XML file in UTF-8, after checking that it is safe for another parser to read.

    Parameters
    ----------
    file : Path
        The file, for messages.
    content : bytes
        The content of the file.
    start : callable
        Called with name, attributes and line of each element as it begins.
    end : callable
        Called as each element ends.

    Raises
    ------
    ConfigurationError
        As in `read_xml`, except for the limit `MOST_ELEMENTS`.
    """
    with _as_configuration_error(file):
        for _ in _parsed(_Parser(start, end).parser, utf8_pieces(io.BytesIO(content))):
            pass
        return xml_as_utf8(content)


@contextmanager
def _as_configuration_error(file: Path) -> Iterator[None]:
    """Turn errors of reading within a block into a ConfigurationError of one line."""
    try:
        yield
    except BoundError as error:
        raise ConfigurationError(f"{file}: {error}") from None
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read: {error.strerror or error}") from None
    except (expat.ExpatError, ValueError, LookupError) as error:
        problem = " ".join(str(error).split())
        raise ConfigurationError(f"{file}: is not XML: {problem:.100}") from None


class _Parser:
    """A parser that raises BoundError at a document type, and if elements are too deep or many."""

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
            raise BoundError(f"line {line}: elements are nested more than {MOST_DEPTH} deep")
        most = FREE_ELEMENTS + self.parser.CurrentByteIndex // BYTES_OF_ELEMENT
        check_at_most(self._n_elements, most, "elements so far")
        self._start(tag, attributes, line)

    def _finish(self, _: str) -> None:
        self._depth -= 1
        self._end()

    def _doctype(self, *_: object) -> None:
        line = self.parser.CurrentLineNumber
        raise BoundError(
            f"line {line}: has a document type (DOCTYPE), which is not allowed; remove it"
        )


def _parsed(parser: expat.XMLParserType, pieces: Iterator[bytes]) -> Iterator[None]:
    """Parse a text in pieces, and yield after each; too long a tag or comment is an error."""
    n_bytes = 0
    for piece in pieces:
        parser.Parse(piece)
        n_bytes += len(piece)
        waiting = n_bytes - max(parser.CurrentByteIndex, 0)
        check_at_most(waiting, MOST_MARKUP_BYTES, "bytes of one tag or comment")
        yield
    parser.Parse(b"", True)
    yield
