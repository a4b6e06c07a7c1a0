# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bundles: a configuration, a trace, and everything that their run reads, in one file.

`manifest` lists the content of a bundle. `packing` writes a bundle, `opening` unpacks one for as
long as a command runs. `trust` checks the files and the code that the configuration names. `author`
compares point clouds with the run of the bundle's author.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_base.files.small_files import is_folder

if TYPE_CHECKING:
    from pathlib import Path

SUFFIX = ".osib"
"""Ending of the name of a bundle."""


def names_bundle(name: str) -> bool:
    """Return whether a file name, path or URL has the suffix of a bundle, in any case."""
    return name.lower().endswith(SUFFIX)


def is_bundle(path: Path) -> bool:
    """Return whether a path has the suffix of a bundle and is not a folder."""
    return names_bundle(path.name) and not is_folder(path)


def bundle_above(path: Path) -> Path | None:
    """Return the path up to its bundle: "x.osib" of "x.osib/trace.osi"; None if it has no bundle.

    ``run.json`` states the trace of a run in this form if the trace came from a bundle.
    """
    return next((each for each in path.parents if is_bundle(each)), None)
