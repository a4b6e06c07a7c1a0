# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Folders of measured materials: entries by name, each read on its first use."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from lidar_base.files.small_files import is_folder
from material_mapping.databases.ecostress import read_spectrum
from material_mapping.databases.openmaterial.entries import OpenMaterials
from material_mapping.databases.text_rows import material_name
from material_mapping.databases.tof945 import WAVELENGTH_NM, check_coverage, read_measurement
from material_mapping.entry import MaterialEntry
from material_mapping.errors import DatabaseError
from material_mapping.optics.reflection import angle_table
from material_mapping.response import Lookup, Modelled, Spectral

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_base.unfollowed import NotFollowed
    from material_mapping.databases.tof945 import AngleMeasurement
    from material_mapping.mapping.resolver import Source
    from material_mapping.mapping.rules import Rule
    from material_mapping.mapping.visual import Visual

logger = logging.getLogger(__name__)

Kind: TypeAlias = Literal["auto", "ecostress", "tof945", "openmaterial"]
AngleLookup: TypeAlias = Literal["floor", "nearest", "linear"]
Cosine: TypeAlias = Literal["included", "excluded"]

ECOSTRESS_LICENCE = (
    "reproduced through the courtesy of the Jet Propulsion Laboratory, California Institute of "
    "Technology, Pasadena, California; all rights reserved"
)
ECOSTRESS_UNCERTAINTY = "one sample, near-normal incidence; taken as Lambertian"
TOF945_SOURCE = "Ritter et al., Data in Brief 48, 109031, 2023, 945 nm time-of-flight camera"
_AUXILIARY = ".ancillary.txt"


class FileDatabase:
    """A folder with one material per text file (.txt), sub-folders included.

    Readme, licence and ``.ancillary.txt`` files do not count. If several files give the same name
    of a material, the first of them is used, with a warning. A file is read once, by `get`.

    Parameters
    ----------
    folder : Path
        The folder.
    read : callable
        Takes a file and returns its material, or raises DatabaseError.
    """

    def __init__(self, folder: Path, read: Callable[[Path], MaterialEntry]) -> None:
        self._folder = folder
        self._read = read
        self._files: dict[str, Path] = {}
        self._entries: dict[str, MaterialEntry] = {}
        for file in _text_files(folder):
            name = material_name(file)
            if name in self._files:
                logger.warning("%s: a second material %r, the first one is used", file, name)
                continue
            self._files[name] = file

    @property
    def problems(self) -> tuple[str, ...]:
        """Always empty: a problem in a file is reported when the file is read."""
        return ()

    @property
    def not_followed(self) -> Mapping[Path, tuple[NotFollowed, ...]]:
        """Contents that the reader ignores, by file read so far: always an empty tuple.

        Other kinds of database list ignored keys here; these text files have none.
        """
        return {self._files[name]: () for name in self._entries}

    @property
    def names(self) -> Iterable[str]:
        """Names of all materials in the folder."""
        return self._files.keys()

    @property
    def files(self) -> Mapping[str, Path]:
        """Files of all materials in the folder, by name of the material."""
        return self._files

    def get(self, name: str) -> MaterialEntry | None:
        """Return a material, or None if no material has this name.

        Raises
        ------
        DatabaseError
            The file of the material cannot be used.
        """
        if name in self._files and name not in self._entries:
            entry = self._read(self._files[name])
            self._entries[name] = replace(entry, database=str(self._folder))
        return self._entries.get(name)

    def rule_for(self, visual: Visual) -> Rule | None:  # noqa: ARG002  it has no mapping
        """Return None: text files do not map visual materials (of meshes) to infrared ones."""
        return None


def spectrum_entry(file: Path) -> MaterialEntry:
    """Return the material of an ECOSTRESS or ASTER file: Lambertian, with its whole spectrum.

    Raises
    ------
    DatabaseError
        See `read_spectrum`.
    """
    spectrum = read_spectrum(file)
    return MaterialEntry(
        name=spectrum.name,
        response=Spectral(
            name=spectrum.name,
            at=spectrum.at,
            wavelength_range_nm=spectrum.range_nm,
            unit=spectrum.unit,
        ),
        source=f"ECOSTRESS: {spectrum.header['Name']}, {file.name}",
        uncertainty=ECOSTRESS_UNCERTAINTY,
        note=spectrum.header.get("Measurement", ""),
        licence=ECOSTRESS_LICENCE,
    )


def measured_entry(file: Path, *, lookup: AngleLookup, cosine: Cosine) -> MaterialEntry:
    """Return the material in a file of the 945 nm dataset, reflectivity by measured angle.

    Parameters
    ----------
    file : Path
        Text file with rows of angle of incidence and reflectance.
    lookup : str
        Which value holds at an angle of incidence. ``floor``: the value at the largest measured
        angle not above it (bins of 10 degrees); ``nearest``: the value at the nearest measured
        angle; ``linear``: the value interpolated between the measured angles.
    cosine : str
        "included": the values are used as published. "excluded": the publication has divided out
        the cosine of the angle of incidence, so this function multiplies by it. See `tof945`.

    Returns
    -------
    MaterialEntry
        Named after the file. Its values at 945 nm are also used at every other wavelength.

    Raises
    ------
    DatabaseError
        The file cannot be used, see `read_measurement` and `check_coverage`.
    """
    measured = read_measurement(file)
    check_coverage(measured)
    steps = Lookup.STEP if cosine == "included" else Lookup.STEP_COSINE
    return MaterialEntry(
        name=measured.name,
        response=Modelled(
            name=measured.name,
            function=partial(_measured, measured, lookup, cosine),
            wavelength_range_nm=(WAVELENGTH_NM, WAVELENGTH_NM),
            lookup=Lookup.LINEAR if lookup == "linear" else steps,
            last_angle_deg=float(measured.angle_deg[-1]),
            unit="percent",
        ),
        source=f"{TOF945_SOURCE}, {file.name}",
        uncertainty=f"one sample; cosine of the angle taken as {cosine}",
        licence="as the dataset's, https://zenodo.org/records/7467552",
    )


def _measured(
    measured: AngleMeasurement,
    lookup: AngleLookup,
    cosine: Cosine,
    angle_deg: NDArray[np.float64],
    _wavelength_nm: float,
) -> NDArray[np.float64]:
    found = angle_table(
        angle_deg,
        table_deg=measured.angle_deg,
        table_reflectivity=measured.reflectance,
        lookup=lookup,
    )
    if cosine == "included":
        return found
    return found * np.where(angle_deg < 90.0, np.cos(np.radians(angle_deg)), 0.0)


def open_database(
    folder: Path,
    *,
    kind: Kind = "auto",
    lookup: AngleLookup = "floor",
    cosine: Cosine = "included",
) -> Source:
    """Open a folder of infrared materials; the file of each is read on first use.

    Mapping tables of OpenMATERIAL 3D (.xomm) are read at once.

    Parameters
    ----------
    folder : Path
        The folder, including its sub-folders.
    kind : str
        ``ecostress``, ``tof945``, ``openmaterial``; ``auto`` decides by the files in the folder.
    lookup, cosine : str
        How files of a ``tof945`` database are interpreted, see `measured_entry`.

    Returns
    -------
    FileDatabase or OpenMaterials
        Source of `MaterialEntry` objects by name, see its method `get`.

    Raises
    ------
    DatabaseError
        The folder does not exist or cannot be read, or `kind` is ``auto`` and the folder contains
        no known kind of file.
    """
    _check_folder(folder)
    found = kind_of(folder) if kind == "auto" else kind
    if found == "openmaterial":
        return OpenMaterials.of_folder(folder)
    if found == "tof945":
        return FileDatabase(folder, partial(measured_entry, lookup=lookup, cosine=cosine))
    return FileDatabase(folder, spectrum_entry)


def _check_folder(folder: Path) -> None:
    """Raise DatabaseError if the folder does not exist or cannot be read."""
    if not is_folder(folder):
        raise DatabaseError(folder, "no such folder, expected a folder of infrared materials")
    try:
        with os.scandir(folder):  # rglob treats an unreadable folder as empty
            pass
    except OSError as error:
        raise DatabaseError(folder, f"cannot be read: {error.strerror}") from None


def kind_of(folder: Path) -> Kind:
    """Return the kind of database in a folder, by the files in it and in its sub-folders.

    Any .xomp file means OpenMATERIAL 3D. Otherwise a ``.spectrum.txt``, or a .txt that begins with
    ``Name:``, means ECOSTRESS, and any other .txt the 945 nm dataset.

    Raises
    ------
    DatabaseError
        The folder has no known files.
    """
    if any(folder.rglob("*.xomp")):
        return "openmaterial"
    files = _text_files(folder)
    if any(file.name.lower().endswith(".spectrum.txt") for file in files):
        return "ecostress"
    for file in files:
        try:
            with file.open("rb") as stream:
                start = stream.read(200).lstrip().lower()
        except OSError:  # reported when the file is read
            continue
        if start.startswith(b"name:"):
            return "ecostress"
    if files:
        return "tof945"
    expected = "expected spectra of ECOSTRESS or 945 nm files (.txt), or .xomp materials"
    raise DatabaseError(folder, f"contains no infrared material, {expected}")


def _text_files(folder: Path) -> list[Path]:
    return sorted(
        file
        for file in folder.rglob("*")
        if file.suffix.lower() == ".txt"
        and not file.name.lower().endswith(_AUXILIARY)
        and not file.name.lower().startswith(("readme", "license", "licence"))
        and file.is_file()
    )
