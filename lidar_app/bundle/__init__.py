# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bundles: a configuration, a trace, and everything that their run reads, in one file.

`manifest` is the list of what a bundle holds, `packing` writes a bundle, `opening` unpacks one for
as long as a command runs, `trust` checks what its configuration names, and `author` has the clouds
that its author's run gave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_base.files.small_files import is_folder

if TYPE_CHECKING:
    from pathlib import Path

SUFFIX = ".osib"
"""Ending of the name of a bundle."""


def names_bundle(name: str) -> bool:
    """Return whether a name, a path or an address is a bundle's, in capitals or not."""
    return name.lower().endswith(SUFFIX)


def is_bundle(path: Path) -> bool:
    """Return whether a path is meant to be a bundle, by its name; a folder is none."""
    return names_bundle(path.name) and not is_folder(path)


def bundle_above(path: Path) -> Path | None:
    """Return the bundle that a path leads into, as run.json has it; None if it leads into none."""
    return next((each for each in path.parents if is_bundle(each)), None)
