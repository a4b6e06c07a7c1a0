# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Licences of the packages in an FMU, and a machine-readable list of these packages (SBOM).

The list is JSON of CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/. It has neither a time nor a
serial number, so that the same packages give the same FMU.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from fmu_src.exporter.pages import source_of
from fmu_src.exporter.tree import DOCUMENTATION, put

if TYPE_CHECKING:
    from collections.abc import Sequence
    from email.message import Message

SBOM = f"{DOCUMENTATION}/sbom.cdx.json"
LICENCES = f"{DOCUMENTATION}/licenses"
_IS_LICENCE = re.compile(r"licen[cs]e|copying|notice|authors", re.IGNORECASE)
_STANDARD = {"MIT": r"\bMIT\b", "MPL-2.0": r"MPL|Mozilla", "Apache-2.0": "Apache"}
"""Licences with a known text, and the words by which a package states them."""
_TEXTS = Path(__file__).parent
_EMBREE = {"libembree": "Intel Embree", "libtbb": "Intel oneAPI Threading Building Blocks"}
"""Third-party libraries in the wheel of embreex, whose licence file covers only embreex itself."""


@dataclass(frozen=True, slots=True)
class _Package:
    """A wheel: its metadata, its licence files, and the third-party libraries in it."""

    stated: Message
    digest: str
    texts: dict[str, bytes]
    libraries: tuple[str, ...]

    @property
    def name(self) -> str:
        return str(self.stated["Name"])

    @property
    def version(self) -> str:
        return str(self.stated["Version"])

    @property
    def folder(self) -> str:
        """Name of the folder for the package's licences."""
        return f"{self.name}-{self.version}"

    @property
    def licence(self) -> str:
        """The licence that the package's metadata states, in one line."""
        stated = self.stated["License-Expression"] or self.stated["License"] or ""
        classified = [
            each.rpartition(" :: ")[2]
            for each in self.stated.get_all("Classifier", [])
            if each.startswith("License")
        ]
        first = str(stated).strip().splitlines()[:1]
        return (first or classified or ["not stated"])[0]


def add_inventory(root: Path, wheels: Sequence[Path]) -> None:
    """Add to an FMU the licences of the packages in it, and a list of these packages.

    Parameters
    ----------
    root : Path
        Folder of the FMU's files.
    wheels : sequence of Path
        The wheels in the FMU.

    Raises
    ------
    OSError
        A wheel cannot be read, or a file cannot be written.
    """
    packages = [_package(each) for each in wheels]
    for each in packages:
        for name, text in (each.texts or _standard_text(each)).items():
            put(root, f"{LICENCES}/{each.folder}/{name}", text)
        for library in each.libraries:
            put(root, f"{LICENCES}/{each.folder}/{library}.txt", _of_embree(library))
    put(root, SBOM, _list_of(packages))


def _package(wheel: Path) -> _Package:
    """Return the metadata, licence files, hash and third-party libraries of a wheel."""
    texts: dict[str, bytes] = {}
    libraries = []
    with zipfile.ZipFile(wheel) as file:
        metadata = ""
        for name in (each for each in file.namelist() if not each.endswith("/")):
            path = PurePosixPath(name)
            of_metadata = path.parts[0].endswith(".dist-info")
            if of_metadata and path.parts[1:] == ("METADATA",):
                metadata = file.read(name).decode()
            elif of_metadata and _IS_LICENCE.search("/".join(path.parts[1:])):
                texts["-".join(path.parts[1:]).removeprefix("licenses-")] = file.read(name)
            elif path.name.startswith(tuple(_EMBREE)):
                libraries.append(path.name)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return _Package(HeaderParser().parsestr(metadata), digest, texts, tuple(sorted(libraries)))


def _standard_text(package: _Package) -> dict[str, bytes]:
    """Return a standard licence text, by the metadata of a wheel that has no licence file."""
    about = [f"{package.name} {package.version}"]
    for key in ("Author", "Author-email", "Home-page", "Project-URL"):
        about += [f"{key}: {each}" for each in package.stated.get_all(key, [])]
    about += [f"License: {package.licence}", ""]
    text = "The wheel holds no text of it.\n"
    for name, words in _STANDARD.items():
        if re.search(words, package.licence):
            file = source_of("LICENSE") if name == "Apache-2.0" else _TEXTS / f"{name}.txt"
            text = file.read_text(encoding="utf-8")
    return {"LICENSE.txt": "\n".join([*about, text]).encode()}


def _of_embree(library: str) -> str:
    """Return the licence of a third-party library in the wheel of embreex."""
    (name,) = (of for start, of in _EMBREE.items() if library.startswith(start))
    text = source_of("LICENSE").read_text(encoding="utf-8")
    return f"{library} is {name}, under the Apache License 2.0:\n\n{text}"


def _list_of(packages: Sequence[_Package]) -> str:
    """Return the packages as JSON of CycloneDX."""
    content = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "components": [_component(each) for each in packages],
    }
    return json.dumps(content, indent=1) + "\n"


def _component(package: _Package) -> dict[str, object]:
    expression = package.stated["License-Expression"]
    licence = {"expression": expression} if expression else {"license": {"name": package.licence}}
    purl = f"pkg:pypi/{re.sub(r'[-_.]+', '-', package.name).lower()}@{package.version}"
    inside = [
        {
            "type": "library",
            "name": library,
            "description": _EMBREE[next(each for each in _EMBREE if library.startswith(each))],
            "licenses": [{"license": {"id": "Apache-2.0"}}],
        }
        for library in package.libraries
    ]
    return {
        "type": "library",
        "bom-ref": purl,
        "name": package.name,
        "version": package.version,
        "hashes": [{"alg": "SHA-256", "content": package.digest}],
        "licenses": [licence],
        "purl": purl,
        **({"components": inside} if inside else {}),
    }
