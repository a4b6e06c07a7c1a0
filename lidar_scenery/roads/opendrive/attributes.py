# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of XML attributes, checked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lidar_base.errors import OsiLidarError

if TYPE_CHECKING:
    from lidar_base.xml_tree import Element

LARGEST = 1e8
"""Largest number in a map; a larger one is an error."""


class PartError(OsiLidarError):
    """A part of a map cannot be used; the caller leaves the part out and notes it."""


def number(element: Element, name: str, missing: float | None = None) -> float:
    """Return an attribute as a finite number.

    Parameters
    ----------
    element : Element
        The element.
    name : str
        Name of the attribute.
    missing : float, optional
        Value if the attribute is absent or empty. If this is None, the attribute is required.

    Raises
    ------
    PartError
        If the attribute is required but absent or empty; or if it is not a number, not finite, or
        its magnitude is above `LARGEST`.
    """
    text = element.get(name).strip()
    if not text and missing is not None:
        return missing
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= LARGEST:
        raise PartError(
            f"line {element.line}: {name} of <{element.tag}> is {text[:40]!r}, "
            f"expected a number up to {LARGEST:g}"
        )
    return value


def optional(element: Element, name: str) -> float | None:
    """Return an attribute of an XML element as a finite number; None if it is absent or empty.

    ``element`` is the element, and ``name`` the name of the attribute.

    Raises
    ------
    PartError
        If it is not a number, not finite, or its magnitude is above `LARGEST`.
    """
    return number(element, name) if word(element, name) else None


def word(element: Element, name: str, missing: str = "") -> str:
    """Return an attribute of an XML element as text in one line with single blanks.

    ``element`` is the element, and ``name`` the name of the attribute. If it is absent, the text
    ``missing`` is returned.
    """
    return " ".join(element.get(name, missing).split())
