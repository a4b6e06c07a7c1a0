# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of an XML file that its reader has not asked for.

Elements take note of what they are asked for (`lidar_base.xml_tree.AskedFor`). What occurs in the
file, was not asked for and is not named as meaningless by the reader's table goes on the list.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from lidar_base.unfollowed import NotFollowed, Unfollowed
    from lidar_base.xml_tree import AskedFor, Element

_MOST_LETTERS = 40  # of a name on the list
_OF_XML = frozenset({"xml", "xmlns", "xsi"})
"""Names before the colon of attributes that speak of the file as such."""


@dataclass(frozen=True, slots=True)
class Meaningless:
    """Contents that say nothing to a reader or that it tells of elsewhere: they are off the list.

    Attributes
    ----------
    names : frozenset of str
        Elements as "parent/child", attributes as "element@attribute"; "*" stands for any parent or
        element. What lies inside of such an element is meaningless, too.
    values : mapping of str to frozenset of str
        For attributes, the values that say nothing, such as a default. Numbers are written as
        Python's "g" writes them, words in lower case.
    """

    names: frozenset[str] = frozenset()
    values: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))

    def has(self, above: str, name: str, sign: str) -> bool:
        """Return whether a name is in the table: of a child ("/") or an attribute ("@")."""
        return f"{above}{sign}{name}" in self.names or f"*{sign}{name}" in self.names

    def has_value(self, tag: str, name: str, value: str) -> bool:
        """Return whether the value of an attribute says nothing."""
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
    """Add each kind of element and attribute that was not asked for, once, to a list.

    Parameters
    ----------
    root : Element
        The element that is looked through; itself it counts as asked for.
    meaningless : Meaningless
        What is left off the list.
    unfollowed : Unfollowed
        The list.
    asked : AskedFor, optional
        What the reader asks for. Default: what the elements have taken note of.
    left_out : collection of int
        ``id`` of elements that the reader has left out as a whole, and says so.
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
    """Return the kinds of a list, made part by part, that no later part was asked for either."""
    known = {_child(*pair) for pair in asked.children}
    known |= {_attribute(*pair) for pair in asked.attributes}
    return tuple(kind for kind in unfollowed.kinds if kind.what not in known)


def _child(above: str, tag: str) -> str:
    return f"<{tag:.{_MOST_LETTERS}}> of <{above:.{_MOST_LETTERS}}>"


def _attribute(tag: str, name: str) -> str:
    return f"attribute {name:.{_MOST_LETTERS}} of <{tag:.{_MOST_LETTERS}}>"


class _Kinds:
    """What is known of each kind of element: elements are many, kinds are few."""

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
        """Return the attributes of an element that were not asked for and say something."""
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
    """Return a value in the words of a table of meaningless values."""
    try:
        return f"{float(value):g}"
    except ValueError:
        return " ".join(value.lower().split())
