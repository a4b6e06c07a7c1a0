# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of an XML file that its reader never asked for, as a list for the user.

Elements record each child and attribute that the reader asks for (`lidar_base.xml_tree.AskedFor`).
The list has all others in the file, except those that the reader's table calls meaningless.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from lidar_base.unfollowed import NotFollowed, Unfollowed
    from lidar_base.xml_tree import AskedFor, Element

_MOST_LETTERS = 40  # longer names are shortened in the list
_OF_XML = frozenset({"xml", "xmlns", "xsi"})
"""Prefixes (before the colon) of attributes that concern the XML file itself."""


@dataclass(frozen=True, slots=True)
class Meaningless:
    """Contents that `list_unasked` leaves out: they mean nothing, or are reported elsewhere.

    Attributes
    ----------
    names : frozenset of str
        Elements as "parent/child", attributes as "element@attribute"; "*" stands for any parent or
        element. The content of a named element is left out, too.
    values : mapping of str to frozenset of str
        Meaningless values, such as a default, by attribute as "element@attribute". Numbers are
        written as Python's "g" writes them, words in lower case.
    """

    names: frozenset[str] = frozenset()
    values: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))

    def has(self, above: str, name: str, sign: str) -> bool:
        """Return whether a child element or an attribute is in `names`, so that it is not listed.

        Parameters
        ----------
        above : str
            Tag of the element that has the child or attribute.
        name : str
            Tag of the child, or name of the attribute.
        sign : {"/", "@"}
            "/" for a child, "@" for an attribute.
        """
        return f"{above}{sign}{name}" in self.names or f"*{sign}{name}" in self.names

    def has_value(self, tag: str, name: str, value: str) -> bool:
        """Return whether the value of an attribute is in `values`, so that it is not listed.

        ``tag`` is the tag of the element, ``name`` the name of the attribute, and ``value`` its
        value as in the file.
        """
        silent = self.values.get(f"{tag}@{name}", frozenset())
        return bool(silent) and _plain(value) in silent


def list_unasked(
    root: Element,
    meaningless: Meaningless,
    unfollowed: Unfollowed,
    *,
    asked: AskedFor | None = None,
    left_out: Collection[int] = (),
) -> None:
    """Add the elements and attributes that the reader did not ask for to a list, kind by kind.

    Parameters
    ----------
    root : Element
        The element whose content is searched. The element itself counts as asked for.
    meaningless : Meaningless
        Contents that are not listed.
    unfollowed : Unfollowed
        The list to which kinds are added, with their counts.
    asked : AskedFor, optional
        What the reader asks for. Default: what the elements have recorded.
    left_out : collection of int
        ``id`` of elements that are not searched, as the reader reports them itself.
    """
    kinds = _Kinds(asked or root.asked, meaningless)
    waiting = [root]
    while waiting:
        element = waiting.pop()
        for name in kinds.unasked_attributes(element):
            unfollowed.add(_attribute(element.tag, name), f"line {element.line}")
        inner = []
        for child in element.children:
            is_asked = kinds.is_asked(element.tag, child.tag)
            if is_asked and id(child) not in left_out:
                inner.append(child)
            elif is_asked is False:
                unfollowed.add(_child(element.tag, child.tag), f"line {child.line}")
        waiting += reversed(inner)  # the order of the file


def still_unasked(unfollowed: Unfollowed, asked: AskedFor) -> tuple[NotFollowed, ...]:
    """Return the listed kinds of contents that the reader has not asked for until the end.

    A file that is read in parts is listed part by part. The reader may ask for a kind only in a
    later part; such a kind is dropped here.

    Parameters
    ----------
    unfollowed : Unfollowed
        The list, as `list_unasked` has made it.
    asked : AskedFor
        What the reader has asked for in the whole file.
    """
    known = {_child(*pair) for pair in asked.children}
    known |= {_attribute(*pair) for pair in asked.attributes}
    return tuple(kind for kind in unfollowed.kinds if kind.what not in known)


def _child(above: str, tag: str) -> str:
    return f"<{tag:.{_MOST_LETTERS}}> of <{above:.{_MOST_LETTERS}}>"


def _attribute(tag: str, name: str) -> str:
    return f"attribute {name:.{_MOST_LETTERS}} of <{tag:.{_MOST_LETTERS}}>"


class _Kinds:
    """Looks up what was asked for, and caches the answers by kind of element."""

    def __init__(self, asked: AskedFor, meaningless: Meaningless) -> None:
        self._asked = asked
        self._meaningless = meaningless
        self._attributes: dict[tuple[str, ...], list[str]] = {}
        self._children: dict[tuple[str, str], bool | None] = {}

    def is_asked(self, above: str, tag: str) -> bool | None:
        """Return whether a child was asked for; None if it is meaningless."""
        pair = (above, tag)
        if pair not in self._children:
            silent = self._meaningless.has(above, tag, "/")
            self._children[pair] = None if silent else pair in self._asked.children
        return self._children[pair]

    def unasked_attributes(self, element: Element) -> list[str]:
        """Return the attributes of an element that were neither asked for nor are meaningless."""
        kind = (element.tag, *element.attributes)
        if kind not in self._attributes:
            self._attributes[kind] = [*self._unasked(*kind)]
        return [
            name
            for name in self._attributes[kind]
            if not self._meaningless.has_value(element.tag, name, element.attributes[name])
        ]

    def _unasked(self, tag: str, *names: str) -> Iterator[str]:
        for name in names:
            is_asked = (tag, name) in self._asked.attributes
            is_of_xml = name.partition(":")[0] in _OF_XML
            if not (is_asked or is_of_xml or self._meaningless.has(tag, name, "@")):
                yield name


def _plain(value: str) -> str:
    """Return a value in the form of `Meaningless.values`."""
    try:
        return f"{float(value):g}"
    except ValueError:
        return " ".join(value.lower().split())
