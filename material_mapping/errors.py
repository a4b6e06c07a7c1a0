# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of material_mapping.

MaterialError
|-- UnknownMaterialError   there is no material of the given name
|-- UnmappedMaterialError  a visual material has no infrared one, and there is no default
|-- MappingError           a mapping table or material file cannot be used (carries file and key)
|   `-- UnreadableYamlError  a mapping table or material file is not YAML with keys at its top
|-- DatabaseError          a file of a measured database cannot be used (carries file and line)
|-- WavelengthError        a material has no value at a wavelength (carries its range)
`-- RangeLimitError        the given values do not define a range limit
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from lidar_base.errors import OneLineError, YamlFileError
from lidar_base.near_match import near_match


class MaterialError(OneLineError):
    """Base class of all errors of material_mapping that a caller can fix."""


class UnknownMaterialError(MaterialError):
    """There is no infrared material of the given name.

    Parameters
    ----------
    name : str
        The requested name.
    known : iterable of str
        The known names; the message suggests the closest one.
    """

    def __init__(self, name: str, known: Iterable[str]) -> None:
        hint = near_match(name, known) or "; see `osi-lidar materials`"
        super().__init__(f"unknown infrared material {name!r}{hint}")
        self.name = name


class UnmappedMaterialError(MaterialError):
    """A visual material has no infrared one, and there is no default.

    Parameters
    ----------
    visual_name, mesh : str
        The visual material, and its mesh file.
    problems : sequence of str
        Why the rules that match it cannot be used; empty if none matches.
    """

    def __init__(self, visual_name: str, mesh: str, problems: Sequence[str] = ()) -> None:
        reason = "; ".join(problems) or "no rule matches it"
        super().__init__(
            f"{mesh}: visual material {visual_name!r} has no infrared material ({reason}), and"
            " there is no default; add a rule, `osi-lidar materials suggest` proposes one"
        )
        self.visual_name = visual_name
        self.mesh = mesh


class MappingError(MaterialError):
    """A mapping table or material file cannot be used.

    Parameters
    ----------
    message : str
        One line: the value found and the value expected.
    file : str
        The faulty file.
    key : str
        Path of the key within the file, such as ``materials.Paint_*``; empty for the whole file.
    """

    def __init__(self, message: str, *, file: str, key: str = "") -> None:
        super().__init__(f"{file}: {key}: {message}" if key else f"{file}: {message}")
        self.file = file
        self.key = key


class UnreadableYamlError(MappingError):
    """A mapping table or material file is not YAML with keys at its top level.

    Parameters
    ----------
    error : YamlFileError
        The problem, with its place.
    """

    def __init__(self, error: YamlFileError) -> None:
        MaterialError.__init__(self, str(error))
        self.file = error.file
        self.key = ""


class DatabaseError(MaterialError):
    """A file of a measured database cannot be used.

    Parameters
    ----------
    file : Path
        The file.
    problem : str
        The value found and the value expected.
    line : int, optional
        Line of the file, counted from 1; None for the whole file.
    """

    def __init__(self, file: Path, problem: str, line: int | None = None) -> None:
        place = f"{file}: " if line is None else f"{file}: line {line}: "
        super().__init__(place + problem)
        self.file = file
        self.line = line


class WavelengthError(MaterialError):
    """A material has no value at a wavelength.

    Parameters
    ----------
    name : str
        Name of the material.
    wavelength_nm : float
        The requested wavelength. [nm]
    range_nm : (float, float)
        Shortest and longest wavelength of the material's data. [nm]
    """

    def __init__(self, name: str, wavelength_nm: float, range_nm: tuple[float, float]) -> None:
        shortest, longest = range_nm
        super().__init__(
            f"{name}: no value at {wavelength_nm:g} nm,"
            f" its data cover {shortest:g} to {longest:g} nm"
        )
        self.name = name
        self.wavelength_nm = wavelength_nm
        self.range_nm = range_nm


class RangeLimitError(MaterialError):
    """Values of a range limit, a range equation or a receiver that cannot be used.

    A range limit is the largest range at which a reflectivity is detected. An example of such
    values: a range that does not grow with the reflectivity.
    """
