# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Look-up tables of ASAM OpenMATERIAL 3D (.xompt): their rows, and the index of refraction."""

from __future__ import annotations

from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from lidar_base.unfollowed import ALL_FOLLOWED, NotFollowed
from material_mapping.databases.openmaterial.json_files import JsonFile, Metadata, read_json, shown
from material_mapping.databases.openmaterial.keys import keys_not_read
from material_mapping.errors import DatabaseError, WavelengthError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

WAVELENGTH_TOLERANCE_NM = 0.5
"""A table is valid this far beyond its first and last wavelength. [nm]"""
ROOM_TEMPERATURE_K = 293.15


class Column(NamedTuple):
    """One column of a look-up table: name and unit for messages, and the allowed values.

    Attributes
    ----------
    name, unit : str
        Name of the quantity, and its unit.
    low, high : float
        Least and greatest allowed value, in ``unit``.
    """

    name: str
    unit: str
    low: float  # least value
    high: float  # greatest value
    slack: float = 0.0
    """How far a value may exceed ``high``, to allow for rounding in the file; in ``unit``."""


WAVELENGTH = Column("wavelength", "m", 1e-9, 17.16e-3)
OPTICAL_COLUMNS = (
    WAVELENGTH,
    Column("temperature", "K", 0.0, 1e5),
    Column("refractive index n", "[1]", 1e-6, 1e6),  # Fresnel's equations exclude 0
    Column("extinction coefficient k", "[1]", 0.0, 1e6),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RefractiveIndex:
    """Complex index of refraction n - jk by wavelength.

    Attributes
    ----------
    file : Path
        The file that was read.
    metadata : Metadata
        Origin and licence of the file.
    wavelengths_nm, n, k : float64 (m,)
        Wavelengths [nm], increasing; real part and extinction coefficient [1].
    temperature_k : float64 (m,)
        Temperature of each row. If the file has several rows at one wavelength, only the row
        nearest to 293.15 K is kept. NaN where the file has null. [K]
    remarks : tuple of str
        Messages to the user, one line each.
    not_followed : tuple of NotFollowed
        Contents of the file that are ignored.
    """

    file: Path
    metadata: Metadata
    wavelengths_nm: npt.NDArray[np.float64]
    n: npt.NDArray[np.float64]
    k: npt.NDArray[np.float64]
    temperature_k: npt.NDArray[np.float64]
    remarks: tuple[str, ...]
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED


def read_refractive_index(path: Path) -> RefractiveIndex:
    """Return the index of refraction in the optical look-up table ``path`` (``*_optical.xompt``).

    Rows are [wavelength m, temperature K, n, k], in any order; the temperature may be null.
    Source: schemas/material_optical_schema.json of OpenMATERIAL 3D 1.1.0, where the index of
    refraction is n - jk.

    Raises
    ------
    DatabaseError
        The file is not JSON, a key is missing, or a row is not as above or is given twice. The
        error names the line.
    """
    document = read_json(path)
    metadata, remarks = document.metadata(), document.version_remarks()
    rows, left_out = number_rows(
        document, ("opticalProperties",), OPTICAL_COLUMNS, key_width=2, nullable=(1,)
    )
    distance_k = np.abs(np.nan_to_num(rows[:, 1], nan=ROOM_TEMPERATURE_K) - ROOM_TEMPERATURE_K)
    rows = rows[np.lexsort((distance_k, in_nm(rows[:, 0])))]
    wavelengths_nm, nearest = np.unique(in_nm(rows[:, 0]), return_index=True)
    if len(nearest) < len(rows):
        remarks.append(f"{path}: several temperatures, those nearest to 293.15 K are used")
    rows = rows[nearest]
    rows.flags.writeable = wavelengths_nm.flags.writeable = False
    return RefractiveIndex(
        file=path,
        metadata=metadata,
        wavelengths_nm=wavelengths_nm,
        n=rows[:, 2],
        k=rows[:, 3],
        temperature_k=rows[:, 1],
        remarks=tuple(remarks + left_out),
        not_followed=keys_not_read(document),
    )


def in_nm(wavelength_m: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return wavelengths in nm, float64 (n,), rounded to 1e-6 nm against float errors.

    ``wavelength_m`` has the wavelengths in m, float64 (n,).
    """
    return np.round(wavelength_m * 1e9, 6)


def bracket(
    name: str, wavelengths_nm: Sequence[float], wavelength_nm: float
) -> tuple[int, int, float]:
    """Return the indices of a wavelength's two neighbours, and its fraction between them, 0..1.

    The fraction is 0 at the lower neighbour. At a tabulated wavelength, and beyond the ends, both
    indices are the same, and the fraction is 0.

    Parameters
    ----------
    name : str
        Name of the table, for the error.
    wavelengths_nm : sequence of float
        Increasing. [nm]
    wavelength_nm : float
        [nm]

    Raises
    ------
    WavelengthError
        The wavelength is more than 0.5 nm beyond the ends.
    """
    first, last = wavelengths_nm[0], wavelengths_nm[-1]
    if not first - WAVELENGTH_TOLERANCE_NM <= wavelength_nm <= last + WAVELENGTH_TOLERANCE_NM:
        raise WavelengthError(name, wavelength_nm, (first, last))
    held = min(max(wavelength_nm, first), last)
    upper = int(np.searchsorted(wavelengths_nm, held))
    if wavelengths_nm[upper] == held:
        return upper, upper, 0.0
    width = wavelengths_nm[upper] - wavelengths_nm[upper - 1]
    return upper - 1, upper, (held - wavelengths_nm[upper - 1]) / width


def number_rows(
    document: JsonFile,
    keys: tuple[str, ...],
    columns: Sequence[Column],
    *,
    key_width: int,
    nullable: tuple[int, ...] = (),
) -> tuple[npt.NDArray[np.float64], list[str]]:
    """Return the rows of a look-up table, sorted, and remarks on what was left out.

    Parameters
    ----------
    document : JsonFile
        The file of the table.
    keys : tuple of str
        Path to the list of rows in the file.
    columns : sequence of Column, (m,)
        Name, unit and limits of each column.
    key_width : int
        Number of columns, from the left, that identify a row: no two rows may be equal in all of
        them.
    nullable : tuple of int
        Columns where null means "not stated"; it becomes NaN. The standard allows null in every
        column; a row with null in any other column has no information and is left out.

    Returns
    -------
    float64 (n, m), list of str
        Rows in increasing order of their columns, from the left; one remark if any was left out.

    Raises
    ------
    DatabaseError
        There is no list, or it has no row without null in columns that are not nullable. A row has
        another length, a value is not a number or is outside its column's limits, or two rows have
        the same key; the error then names the line.
    """
    rows = document.rows(*keys)
    table = _as_array(rows, columns)
    if table is None:
        raise _row_error(document, keys, columns, rows)
    said = np.all(np.isfinite(np.delete(table, nullable, axis=1)), axis=1)
    if not said.any():
        raise document.error(
            f"{'.'.join(keys)} has no complete row, expected rows of numbers", *keys
        )
    _refuse_twins(document, keys, np.nan_to_num(table[:, :key_width], nan=-1.0), said)
    missing = len(said) - int(said.sum())
    remarks = [f"{document.path}: {missing} rows with null are left out"] if missing else []
    table = table[said]
    return table[np.lexsort(table.T[::-1])], remarks


def _as_array(rows: list[object], columns: Sequence[Column]) -> npt.NDArray[np.float64] | None:
    """Return rows as float64 (n, m), null as NaN; None if a row does not fit the columns."""
    if not all(isinstance(row, list) and len(row) == len(columns) for row in rows):
        return None
    values = cast("list[list[object]]", rows)
    if not {type(value) for row in values for value in row} <= {float, NoneType}:
        return None
    table = np.array(values, np.float64).reshape(len(rows), len(columns))
    highest = [column.high + column.slack for column in columns]
    outside = (table < [column.low for column in columns]) | (table > highest)
    return None if outside.any() else table


def _row_error(
    document: JsonFile, keys: tuple[str, ...], columns: Sequence[Column], rows: list[object]
) -> DatabaseError:
    """Return an error on the first row that does not fit the columns."""
    for index, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != len(columns):
            names = ", ".join(column.name for column in columns)
            problem = f"got {shown(row)}, expected {len(columns)} numbers: {names}"
            return document.error(problem, *keys, index)
        for column, value in zip(columns, row, strict=True):
            if _as_array([[value]], [column]) is None:
                expected = f"expected {column.low:g} to {column.high:.6g} {column.unit}"
                problem = f"{column.name}: got {shown(value)}, {expected}"
                return document.error(problem, *keys, index)
    raise AssertionError(keys)  # called without a bad row


def _refuse_twins(
    document: JsonFile,
    keys: tuple[str, ...],
    table: npt.NDArray[np.float64],
    said: npt.NDArray[np.bool_],
) -> None:
    """Raise DatabaseError if two rows with values have the same key columns.

    ``table`` holds the key columns; ``said`` tells for each row whether it has a value.
    """
    _, first, count = np.unique(table[said], axis=0, return_index=True, return_counts=True)
    if (count == 1).all():
        return
    original = np.flatnonzero(said)[np.setdiff1d(np.arange(int(said.sum())), first)[0]]
    numbers = ", ".join(f"{value:g}" for value in table[original] if value >= 0.0)
    problem = f"a second row for {numbers}, expected each combination once"
    raise document.error(problem, *keys, int(original))
