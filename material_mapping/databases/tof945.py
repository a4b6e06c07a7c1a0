# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Measured angle dependence at 945 nm: the time-of-flight material dataset, Zenodo 7467552.

One file is one measurement: a header line, then two columns separated by blanks, angle of
incidence [deg] and reflectance in percent of a 100 % Lambertian target, which may exceed 100. The
article states 0 to 80 deg in steps of 10 deg, and reflectance before angle; the plotter by Persival
reads the angle first. So the words of the header decide. If they do not name the columns,
the column that consists of tens is the angle. If they contradict the values, because only the other
column is 0, 10, 20 .., the values decide, with a warning.

Neither the article's abstract nor the plotter states whether the values include the cosine of the
angle of incidence. The camera was calibrated with Lambertian targets of 10, 50 and 95 %; the
plotter labels the values "Backreflection in % of a 100 % Lambert reflector" and shows three
road markings. From 0 to 80 deg one falls from 107.7 to 63.9 %, while cos 80 deg would leave 18.7 %;
the other two fall to 0.24 and 0.31 of their first value, and cos 80 deg is 0.17. Three curves
cannot settle the question, so this module returns the values as published, and its user states
whether they include the cosine.

References
----------
.. [1] Angle-dependent spectral reflectance material dataset based on 945 nm time-of-flight camera
   measurements, Data in Brief, 2023, 109031; data: doi:10.5281/zenodo.7467552
"""

from __future__ import annotations

import logging
import math
import re
import reprlib
from dataclasses import dataclass
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
from material_mapping.errors import DatabaseError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

_log = logging.getLogger(__name__)

WAVELENGTH_NM = 945.0
STEP_DEG = 10.0
LAST_DEGREE = 90.0
LEAST_STEPS = 3  # fewer may be reflectances by chance
HIGHEST_PERCENT = 1e6  # ten times the brightest sheeting; a 32-bit float holds far more
NORMAL_DEG = 10.0
"""A measurement that begins at or below this angle covers the perpendicular: its first value holds
down to 0. [deg]"""
TENS_DEG = tuple(range(0, 90, 10))
"""The angles of the dataset; a complete file has all of them. [deg]"""

_ANGLE_WORD = re.compile(r"angle|theta|θ|inciden|\bdeg|°|winkel")
_WAVELENGTH_WORD = re.compile(r"wavelength|lambda|\u03bb|wellenl")
_REFLECTANCE_WORD = re.compile(r"refle|rho\b|\u03c1|percent|%")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AngleMeasurement:
    """Reflectance of one sample by angle of incidence, back towards the source.

    Attributes
    ----------
    name : str
        Name of the file without ``.txt``.
    angle_deg : float64 (n,)
        Angle of incidence, increasing. [deg], 0 to 90
    reflectance : float64 (n,)
        Relative to a 100 % Lambertian target, as published. [1], may exceed 1
    file : Path
        The file that was read.
    """

    name: str
    angle_deg: npt.NDArray[np.float64]
    reflectance: npt.NDArray[np.float64]
    file: Path


def read_measurement(path: Path) -> AngleMeasurement:
    """Return the measurement in the file ``path`` of the 945 nm dataset, by increasing angle.

    The header says which of the two columns is the angle. If it does not, the column with the
    values 0, 10, 20 .. is the angle. If the header contradicts such values, the values decide, with
    a warning. A warning is also logged if no reflectance is above 2 %.

    Raises
    ------
    DatabaseError
        The file cannot be read, see `read_lines`; or it is not as expected, and the error names the
        line.
    """
    (header_line, header), table, row_lines = _parse(path, read_lines(path))
    named = _named_angle_column(header)
    angle_column = _angle_column(table, named)
    if angle_column is None:
        problem = f"the header {reprlib.repr(header)} does not say which column is the angle"
        raise DatabaseError(
            path, f"{problem}, and neither contains the angles 0, 10 .. 80", header_line
        )
    if named is not None and named != angle_column:
        _log.warning(
            "%s: line %d: the header names column %d the angle, but 0, 10, 20 .. are in column %d;"
            " that one is read as the angle",
            *(path, header_line, named + 1, angle_column + 1),
        )
    order = np.argsort(table[:, angle_column], kind="stable")
    angle_deg, percent = table[order, angle_column], table[order, 1 - angle_column]
    row_lines = [row_lines[row] for row in order]
    _check_angles(path, angle_deg, row_lines)
    _check_percent(path, percent, row_lines)
    return AngleMeasurement(
        name=material_name(path),
        angle_deg=frozen(angle_deg),
        reflectance=frozen(percent / 100.0),
        file=path,
    )


def check_coverage(measured: AngleMeasurement) -> None:
    """Log a warning if a measurement lacks one of the angles 0, 10 .. 80 deg of the dataset.

    ``measured`` is the measurement.

    Raises
    ------
    DatabaseError
        The measurement has no angle within 10 deg of the perpendicular, or its angles look like
        radians.
    """
    first, last = float(measured.angle_deg[0]), float(measured.angle_deg[-1])
    if first > NORMAL_DEG:
        problem = f"covers angles from {first:g} to {last:g} deg only, nothing near the"
        raise DatabaseError(measured.file, f"{problem} perpendicular; expected 0 to 80 deg")
    if 0.0 < last <= math.radians(LAST_DEGREE) and len(measured.angle_deg) >= LEAST_STEPS:
        problem = f"all angles are at most {last:g} and look like radians, expected degrees"
        raise DatabaseError(measured.file, problem)
    missing = [f"{angle}" for angle in TENS_DEG if angle not in measured.angle_deg]
    if missing:
        _log.warning(
            "%s: no value at %s deg, expected 0, 10 .. 80 deg; is the file complete?",
            *(measured.file, ", ".join(missing)),
        )


def _parse(
    path: Path, lines: list[str]
) -> tuple[tuple[int, str], npt.NDArray[np.float64], list[int]]:
    """Return the header, its line number, the columns (n, 2), and the line number of each row."""
    filled = [(place, line) for place, line in enumerate(lines, start=1) if line.strip()]
    (header_line, header), rows = filled[0], filled[1:]
    _check_header(path, header.strip(), header_line)
    if not rows:
        raise DatabaseError(
            path,
            "the file has no row of values, expected rows of angle and reflectance",
            header_line,
        )
    pairs = [pair_in(path, line, place, names="angle and reflectance") for place, line in rows]
    return (header_line, header.strip()), np.array(pairs, np.float64), [place for place, _ in rows]


def _check_header(path: Path, header: str, header_line: int) -> None:
    """Raise DatabaseError if the first line is a row of numbers, or the header of a spectrum."""
    got, words = f"got {reprlib.repr(header)}", header.casefold()
    if all(number(field) is not None for field in re.split(r"[\s,;]+", header)):
        problem = f"the file has no header, {got}; expected a line that names the columns, such as"
        raise DatabaseError(path, f"{problem} 'angle_deg reflectance_percent'", header_line)
    if words.startswith("name:"):
        problem = f"{got}, the header of an ECOSTRESS spectrum; use kind: ecostress"
        raise DatabaseError(path, problem, header_line)
    if _WAVELENGTH_WORD.search(words) and not _ANGLE_WORD.search(words):
        problem = f"the header {reprlib.repr(header)} belongs to a spectrum, expected angles"
        raise DatabaseError(path, f"{problem} at {WAVELENGTH_NM:g} nm", header_line)


def _named_angle_column(header: str) -> int | None:
    """Return the column, 0 or 1, that the header names as the angle, or None."""
    words = header.casefold()
    angle, reflectance = _ANGLE_WORD.search(words), _REFLECTANCE_WORD.search(words)
    if angle is None or reflectance is None:
        return None
    return 0 if angle.start() < reflectance.start() else 1


def _angle_column(table: npt.NDArray[np.float64], named: int | None) -> int | None:
    """Return the column of the angle, 0 or 1, or None if it cannot be determined."""
    if named is None:
        in_tens = [column for column in (0, 1) if _is_in_tens(table[:, column])]
        return in_tens[0] if len(in_tens) == 1 else None
    other = 1 - named
    contradicted = _counts_from_0(table[:, other]) and not _is_in_tens(table[:, named])
    return other if contradicted else named


def _is_in_tens(values: npt.NDArray[np.float64]) -> bool:
    """Return whether all values are multiples of 10 from 0 to 90."""
    tens = (values % STEP_DEG == 0.0) & (values >= 0.0) & (values <= LAST_DEGREE)
    return bool(tens.all())


def _counts_from_0(values: npt.NDArray[np.float64]) -> bool:
    """Return whether the values are 0, 10, 20 .. without gaps, in any order."""
    steps = STEP_DEG * np.arange(len(values))
    return len(values) >= LEAST_STEPS and np.array_equal(np.sort(values), steps)


def _check_angles(path: Path, angle_deg: npt.NDArray[np.float64], row_lines: list[int]) -> None:
    """Raise DatabaseError if an angle is outside 0 to 90 deg, or is given twice."""
    for row in (0, -1):
        if not 0.0 <= angle_deg[row] <= LAST_DEGREE:
            problem = f"angle {angle_deg[row]:g} deg, expected 0 to 90"
            raise DatabaseError(path, problem, row_lines[row])
    twice = np.flatnonzero(np.diff(angle_deg) == 0.0)
    if len(twice):
        row = int(twice[0])
        problem = f"angle {angle_deg[row]:g} deg is given twice, first on line {row_lines[row]}"
        raise DatabaseError(path, problem, row_lines[row + 1])


def _check_percent(path: Path, percent: npt.NDArray[np.float64], row_lines: list[int]) -> None:
    """Raise DatabaseError for impossible reflectances; warn if values look like fractions."""
    lowest, highest = int(np.argmin(percent)), int(np.argmax(percent))
    if percent[lowest] < 0.0:
        problem = f"reflectance {percent[lowest]:g} %, expected 0 or more"
        problem = f"{problem}; {cause_of(percent[lowest])}"
        raise DatabaseError(path, problem, row_lines[lowest])
    if percent[highest] > HIGHEST_PERCENT:
        problem = f"reflectance {percent[highest]:g} %, expected at most {HIGHEST_PERCENT:g} %"
        problem = f"{problem}; {cause_of(percent[highest])}"
        raise DatabaseError(path, problem, row_lines[highest])
    if percent.max() <= HIGHEST_OF_FRACTIONS:
        _log.warning(
            "%s: all %s are at most %g and look like fractions; they are read as percent, the unit "
            "of this dataset",
            *(path, counted(len(percent), "reflectance"), HIGHEST_OF_FRACTIONS),
        )
