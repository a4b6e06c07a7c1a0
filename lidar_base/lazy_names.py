# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Packages whose names are imported on first use, so that a run imports only what it needs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType


def imported_on_use(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package that imports its names on first use.

    Parameters
    ----------
    package : str
        Name of the package.
    homes : mapping of str to str
        The module of each name, below the package.
    """
    imported: dict[str, ModuleType] = {}  # each name's module; import_module would look it up anew

    def attribute(name: str) -> object:
        if name not in imported:
            if name not in homes:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            imported[name] = import_module(f"{package}.{homes[name]}")
        return getattr(imported[name], name)

    return attribute
