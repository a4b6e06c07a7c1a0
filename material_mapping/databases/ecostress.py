# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflectance spectra of NASA's ECOSTRESS library and of its predecessor, the ASTER library.

One file is one sample: a header of `Key: value` lines, then rows of wavelength [um] and reflectance
[%], measured near normal incidence. All 3 447 files of ECOSTRESS 1.0 follow the rules below, and so
does the older layout that HELIOS++ ships:

- A header line that does not begin with a known key continues the value above it, and may be empty.
  The header ends with the first empty line after the number of values, or with the first row.
- Rows are in increasing or in decreasing order of wavelength. The header states their number.
- The library also spells `Reflectence`. Files of transmittance (128 files) are rejected.
- Noise around 0 reaches -3.2 % in 33 files, all of it beyond 2.9 um. Values down to -5 % are set to
  0, with one warning per file. One file has more than 100 %, up to 116 %: used as it is, with a
  warning. Values above 200 % are rejected.

The package `spectral` reads the values of all these files correctly, but it needs one reader for
ECOSTRESS and another for ASTER. Both accept fractions, nanometres, transmittance, incomplete files
and rows of one column without a warning, so this module has a reader of its own.

References
----------
.. [1] S. K. Meerdink, S. J. Hook, D. A. Roberts, E. A. Abbott, The ECOSTRESS spectral library
   version 1.0, Remote Sensing of Environment 230, 2019, doi:10.1016/j.rse.2019.05.015
.. [2] A. M. Baldridge, S. J. Hook, C. I. Grove, G. Rivera, The ASTER spectral library version 2.0,
   Remote Sensing of Environment 113, 2009, doi:10.1016/j.rse.2008.11.007
"""

from __future__ import annotations

import logging
import re
import reprlib
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from material_mapping.databases.text_rows import (
    HIGHEST_OF_FRACTIONS,
    cause_of,
    counted,
    frozen,
    material_name,
    number,
    pair_in,
    read_lines,
)
from material_mapping.errors import DatabaseError, WavelengthError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy.typing as npt

_log = logging.getLogger(__name__)

LOWEST_NOISE_PERCENT = -5.0
HIGHEST_PERCENT = 200.0
LONGEST_UM = 100.0  # nanometres under a header of micrometres exceed it

X_UNITS, Y_UNITS, COUNT = "X Units", "Y Units", "Number of X Values"
NEEDED_KEYS = ("Name", X_UNITS, Y_UNITS, COUNT)
KEYS = (
    *("Name", "Type", "Class", "Subclass", "Particle Size", "Genus", "Species", "Sample No."),
    *("Owner", "Wavelength Range", "Origin", "Collected by", "Collection Date", "Description"),
    *("Measurement", "First Column", "Second Column", X_UNITS, Y_UNITS),
    *("First X Value", "Last X Value", COUNT, "Additional Information"),
)
_SPELLING = MappingProxyType({key.casefold(): key for key in KEYS})
_UNITS = MappingProxyType(
    {
        X_UNITS: ("Wavelength (micrometers)", re.compile(r"wavelength \(micrometers?\)")),
        Y_UNITS: ("Reflectance (percent)", re.compile(r"reflect[ae]nce \(percent(age)?\)")),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spectrum:
    """Reflectance of one sample by wavelength, measured near normal incidence.

    Attributes
    ----------
    name : str
        Name of the file without ``.spectrum.txt`` or ``.txt``.
    wavelength_nm : float64 (n,)
        Increasing. [nm]
    reflectance : float64 (n,)
        Fraction of the incoming light at each wavelength. [1], not negative
    unit : str
        Unit of the reflectance in the file.
    header : mapping of str to str
        Header of the file, by the library's keys; the lines of a value are joined by blanks.
    file : Path
        File that the spectrum was read from.
    """

    name: str
    wavelength_nm: npt.NDArray[np.float64]
    reflectance: npt.NDArray[np.float64]
    unit: str = "percent"
    header: Mapping[str, str]
    file: Path

    @property
    def range_nm(self) -> tuple[float, float]:
        """Shortest and longest wavelength, in nm."""
        return float(self.wavelength_nm[0]), float(self.wavelength_nm[-1])

    def at(self, wavelength_nm: float) -> float:
        """Return the reflectance [1] at a wavelength, linear between the measured ones.

        `wavelength_nm` is the wavelength. [nm]

        Raises
        ------
        WavelengthError
            The wavelength is outside the spectrum.
        """
        shortest, longest = self.range_nm
        if not shortest <= wavelength_nm <= longest:
            raise WavelengthError(self.name, wavelength_nm, self.range_nm)
        return float(np.interp(wavelength_nm, self.wavelength_nm, self.reflectance))


def read_spectrum(path: Path) -> Spectrum:
    """Return the spectrum in the file `path` of the ECOSTRESS or ASTER library.

    Its rows come in the order of increasing wavelength. Reflectances from -5 to 0 % become 0, with
    a warning. A warning is also logged for values above 100 %, and for a file without any value
    above 2 %, because it may state fractions.

    Raises
    ------
    DatabaseError
        The file cannot be read, see `read_lines`; or it is not as expected, and the error names the
        line.
    """
    lines = read_lines(path)
    header, line_of, first_row = _parse_header(path, lines)
    _check_header(path, header, line_of, first_row)
    table, row_lines = _parse_rows(path, lines, first_row)
    _check_count(path, header[COUNT], line_of[COUNT], len(table))
    _check_range(path, table[:, 0], row_lines)
    wavelength_nm = np.round(table[:, 0] * 1000.0, 6)  # 1.001 um * 1000 is not 1001 nm in binary
    percent = table[:, 1]
    if wavelength_nm[0] > wavelength_nm[-1]:
        wavelength_nm, percent, row_lines = wavelength_nm[::-1], percent[::-1], row_lines[::-1]
    _check_order(path, wavelength_nm, row_lines)
    reflectance = _noise_as_zero(path, percent, row_lines) / 100.0
    return Spectrum(
        name=material_name(path),
        wavelength_nm=frozen(wavelength_nm),
        reflectance=frozen(reflectance),
        header=MappingProxyType(header),
        file=path,
    )


def _parse_header(path: Path, lines: list[str]) -> tuple[dict[str, str], dict[str, int], int]:
    """Return the header's values by key, their line numbers by key, and the line after it."""
    header: dict[str, str] = {}
    line_of: dict[str, int] = {}
    current = ""
    for line_number, line in enumerate(lines, start=1):
        text = line.strip()
        if (not text and COUNT in header) or _is_row(text):
            return header, line_of, line_number
        name, colon, value = text.partition(":")
        key = _SPELLING.get(" ".join(name.split()).casefold(), "") if colon else ""
        if key in header:
            problem = f"{key!r} is given twice, first on line {line_of[key]}"
            raise DatabaseError(path, problem, line_number)
        if key:
            current = key
            header[key], line_of[key] = value.strip(), line_number
        elif current:
            header[current] = f"{header[current]} {text}".strip()
        elif text:
            problem = f"got {reprlib.repr(text)}, expected a header that begins with 'Name: ...'"
            raise DatabaseError(path, problem, line_number)
    return header, line_of, len(lines)


def _is_row(text: str) -> bool:
    """Return whether a line consists of two or more numbers."""
    fields = text.split()
    return len(fields) > 1 and all(number(field) is not None for field in fields)


def _check_header(
    path: Path, header: Mapping[str, str], line_of: Mapping[str, int], first_row: int
) -> None:
    """Raise DatabaseError if a needed key is missing, or a unit differs from the library's."""
    if not header:
        problem = "the file has no header, which begins with 'Name: ...' and states the units"
        raise DatabaseError(path, problem, first_row)
    for key in NEEDED_KEYS:
        if key not in header:
            raise DatabaseError(path, f"the header has no line {key!r}", first_row)
    for key, (expected, pattern) in _UNITS.items():
        unit = " ".join(header[key].split())
        if not pattern.fullmatch(unit.casefold()):
            problem = f"{key}: got {reprlib.repr(unit)}, expected {expected!r}"
            raise DatabaseError(path, problem, line_of[key])


def _parse_rows(
    path: Path, lines: list[str], first_row: int
) -> tuple[npt.NDArray[np.float64], list[int]]:
    """Return wavelength [um] and reflectance [%], (n, 2), and the line of every row."""
    pairs, row_lines = [], []
    for line_number, line in enumerate(lines[first_row - 1 :], start=first_row):
        if line and not line.isspace():
            pairs.append(pair_in(path, line, line_number, names="wavelength and reflectance"))
            row_lines.append(line_number)
    if not pairs:
        raise DatabaseError(
            path,
            "the file has no row of values, expected rows of wavelength and reflectance",
            first_row,
        )
    return np.array(pairs, np.float64), row_lines


def _check_count(path: Path, stated: str, line_number: int, n_rows: int) -> None:
    """Raise DatabaseError if the number of rows differs from the number stated in the header."""
    if not re.fullmatch("[0-9]{1,9}", stated):
        problem = f"{COUNT}: got {reprlib.repr(stated)}, expected a whole number"
        raise DatabaseError(path, problem, line_number)
    if int(stated) != n_rows:
        problem = f"{COUNT}: got {stated}, but the file has {counted(n_rows, 'row')}"
        raise DatabaseError(path, f"{problem}; is the file complete?", line_number)


def _check_range(path: Path, wavelength_um: npt.NDArray[np.float64], row_lines: list[int]) -> None:
    """Raise DatabaseError if a wavelength is not plausible for a reflectance spectrum."""
    wrong = np.flatnonzero((wavelength_um <= 0.0) | (wavelength_um > LONGEST_UM))
    if len(wrong):
        found_um = wavelength_um[wrong[0]]
        problem = f"wavelength {found_um:g} um, expected 0 to {LONGEST_UM:g} um"
        hint = "; is it in nanometres?" if found_um > LONGEST_UM else ""
        raise DatabaseError(path, problem + hint, row_lines[wrong[0]])


def _check_order(path: Path, wavelength_nm: npt.NDArray[np.float64], row_lines: list[int]) -> None:
    """Raise DatabaseError if wavelengths do not increase."""
    wrong = np.flatnonzero(np.diff(wavelength_nm) <= 0.0)
    if len(wrong) == 0:
        return
    first, second = wrong[0], wrong[0] + 1
    earlier, later = sorted((row_lines[first], row_lines[second]))
    if wavelength_nm[first] == wavelength_nm[second]:
        problem = f"wavelength {wavelength_nm[first] / 1000.0:g} um is given twice"
        raise DatabaseError(path, f"{problem}, first on line {earlier}", later)
    problem = "wavelengths change direction, expected all increasing or all decreasing"
    raise DatabaseError(path, problem, later)


def _noise_as_zero(
    path: Path, percent: npt.NDArray[np.float64], row_lines: list[int]
) -> npt.NDArray[np.float64]:
    """Return reflectances [%] with noise below 0 set to 0; DatabaseError if it is too large."""
    lowest, highest = int(np.argmin(percent)), int(np.argmax(percent))
    for row in (lowest, highest):
        if not LOWEST_NOISE_PERCENT <= percent[row] <= HIGHEST_PERCENT:
            problem = f"reflectance {percent[row]:g} %, expected 0 to {HIGHEST_PERCENT:g} %"
            raise DatabaseError(path, f"{problem}; {cause_of(percent[row])}", row_lines[row])
    if percent[highest] > 100.0:
        _log.warning(
            "%s: line %d: got a reflectance of %g %%, above 100 %%; it is used as it is, as "
            "calibrated measurements may exceed 100 %%",
            *(path, row_lines[highest], percent[highest]),
        )
    if percent[highest] <= HIGHEST_OF_FRACTIONS:
        _log.warning(
            "%s: no reflectance is above %g %%; values are read as percent, but may be fractions",
            *(path, percent[highest]),
        )
    n_below = int(np.count_nonzero(percent < 0.0))
    if n_below:
        _log.warning(
            "%s: line %d: got %s below 0, the lowest %g %%; they are noise, and are read as 0",
            *(path, row_lines[lowest], counted(n_below, "reflectance"), percent[lowest]),
        )
    return np.maximum(percent, 0.0)
