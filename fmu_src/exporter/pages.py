# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Documentation inside an FMU: page, reports, licences, list of external dependencies, picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fmu_src.exporter.page import page
from fmu_src.exporter.tree import DOCUMENTATION, copy, put

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fmu_src.exporter.page import Subject

_IN_REPOSITORY = {
    "accuracy.md": "docs/evidence/accuracy.md",
    "validation.md": "docs/evidence/validation.md",
    "reality.json": "docs/reality.json",
    "LICENSE": "LICENSE",
}
REPORTS = tuple(name for name in _IN_REPOSITORY if name != "LICENSE")
"""File names of the reports that the metadata of an FMU links to. The last one, reality.json, holds
verdicts in a form for programs."""
_INSTALLED = Path(__file__).resolve().parent / "pages"
"""Folder of the licence and the reports in an installed osi-lidar."""
_REPOSITORY = Path(__file__).resolve().parents[2]
_ICON = Path(__file__).with_name("icon.png")
_ICONS = {2: "model.png", 3: "terminalsAndIcons/icon.png"}
_PACKAGES = (
    "The packages of osi-lidar {version}, in the Python that runs the FMU:\n"
    "  pip install osi-lidar=={version}\n"
)
_NEEDS = """\
osi-lidar {version}: what this FMU needs from outside

Python {python}: in the master, or as a shared library that can be loaded.
{packages}"""


def source_of(name: str) -> Path:
    """Return the path of the licence or of a report of osi-lidar.

    ``name`` is "LICENSE", "accuracy.md", "validation.md" or "reality.json". The file is in the
    installed osi-lidar if that has a folder of such files, or else in the repository.
    """
    if _INSTALLED.is_dir():
        return _INSTALLED / name
    return _REPOSITORY / _IN_REPOSITORY[name]


def add_documentation(root: Path, subject: Subject, licences: Mapping[str, str]) -> None:
    """Add the documentation of an FMU to its files.

    Parameters
    ----------
    root : Path
        Folder of the FMU's files.
    subject : Subject
        Facts about the build.
    licences : mapping of name to text
        Texts of the licences of third-party work in the FMU, by file name.

    Raises
    ------
    OSError
        A page cannot be read, or a file cannot be written.
    """
    for name in REPORTS:
        copy(source_of(name), root, f"{DOCUMENTATION}/{name}")
    put(root, f"{DOCUMENTATION}/index.html", page(subject))
    put(root, f"{DOCUMENTATION}/externalDependencies.txt", _needs(subject))
    copy(source_of("LICENSE"), root, f"{DOCUMENTATION}/licenses/license.txt")
    for name, text in licences.items():
        put(root, f"{DOCUMENTATION}/licenses/{name}", text)
    copy(_ICON, root, _ICONS[subject.fmi])


def _needs(subject: Subject) -> str:
    packages = "" if subject.vendored else _PACKAGES.format(version=subject.version)
    return _NEEDS.format(version=subject.version, python=subject.python, packages=packages)
