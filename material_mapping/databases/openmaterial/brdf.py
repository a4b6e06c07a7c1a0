# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""BRDF look-up tables of ASAM OpenMATERIAL 3D, in the direction back to the source.

A lidar sees the BRDF back towards its own emitter only. The standard describes directions by the
zenith angles of incidence and exit from the normal, and by the azimuth of the exit: "The value is
relative to the incident azimuth angle. The incident azimuth angle is set to 0, because the incident
ray is used as the reference" (schemas/material_brdf_schema.json of 1.1.0). This does not say
whether the azimuth of the incident ray points to its source or along its travel. The ideal
tables published by an editor of the standard use the source, as is common for BRDFs
(https://github.com/Persival-GmbH/asam-openx-assets: the mirror's peak is at exit azimuth pi, the
retroreflector's at 0). So **back to the source is: exit zenith = incident zenith, exit azimuth =
0.**
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.unfollowed import ALL_FOLLOWED, NotFollowed
from material_mapping.databases.openmaterial.json_files import Metadata, read_json
from material_mapping.databases.openmaterial.keys import keys_not_read
from material_mapping.databases.openmaterial.tables import (
    WAVELENGTH,
    Column,
    bracket,
    in_nm,
    number_rows,
)
from material_mapping.errors import DatabaseError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

RETRO_TOLERANCE_DEG = 3.0
"""Largest angle between a row's exit direction and the direction to the source. [deg]

Rows beyond it are ignored. Measured tables lack the exact direction to the source, because the
receiver of a goniometer cannot be in the path of its lamp.
"""
RETRO_OFFSET_DEG = 0.5
"""Largest angle between exit direction and source that gives no remark to the user. [deg]"""
NORMAL_DEG = 10.0
"""A table whose first angle of incidence is at most this covers the perpendicular. [deg]

Its first value then holds down to 0 deg.
"""
EARLY_END_DEG = 60.0
"""If a table ends before this angle of incidence, a remark states what is assumed beyond."""
MIRROR_RATIO = 10.0
"""Ratio of the BRDF at 0 deg to the BRDF at the next angle, above which it may be a mirror. [1]"""
ANGLE_DECIMALS = 4  # of degrees; tables write radians with six decimals, that is 0.00003 degrees

_SLACK_RAD = 1e-4  # pi / 2 written with four decimals
BRDF_COLUMNS = (
    WAVELENGTH,
    Column("incident zenith angle", "rad", 0.0, math.pi / 2, _SLACK_RAD),
    Column("exit zenith angle", "rad", 0.0, math.pi / 2, _SLACK_RAD),
    Column("exit azimuth angle", "rad", 0.0, 2 * math.pi, _SLACK_RAD),
    Column("BRDF", "1/sr", 0.0, 1e12),  # at 1 um, diffraction at 1 m allows no narrower lobe
)


class RetroCurve(NamedTuple):
    """BRDF of a surface back towards the light source, at one wavelength.

    Attributes
    ----------
    angle_deg : float64 (n,)
        Angles of incidence against the normal, increasing; read-only. [deg]
    brdf : float64 (n,)
        BRDF at each angle; read-only. [1/sr]
    """

    angle_deg: npt.NDArray[np.float64]
    brdf: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BrdfTable:
    """A BRDF look-up table, reduced to the light that returns to its source.

    Attributes
    ----------
    file : Path
        The file that was read.
    metadata : Metadata
        Origin and licence of the file.
    sensor : str
        ``typicalSensorTechnology``, such as ``lidar``; may be empty.
    wavelengths_nm : tuple of float
        Increasing. [nm]
    curves : tuple of RetroCurve
        One curve for each wavelength.
    remarks : tuple of str
        Messages to the user, one line each: what was left out, what is not covered.
    not_followed : tuple of NotFollowed
        Contents of the file that are ignored.
    """

    file: Path
    metadata: Metadata
    sensor: str
    wavelengths_nm: tuple[float, ...]
    curves: tuple[RetroCurve, ...]
    remarks: tuple[str, ...]
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED

    @property
    def wavelength_range_nm(self) -> tuple[float, float]:
        """First and last wavelength [nm]."""
        return self.wavelengths_nm[0], self.wavelengths_nm[-1]

    @property
    def angle_range_deg(self) -> tuple[float, float]:
        """First and last angle of incidence [deg] that the table covers at all wavelengths."""
        return _angle_range(self.curves)

    @property
    def covers_normal(self) -> bool:
        """Whether the table begins within 10 deg of the perpendicular; if not, a remark says so."""
        return self.angle_range_deg[0] <= NORMAL_DEG

    def retro(
        self, angle_deg: npt.NDArray[np.float64], wavelength_nm: float
    ) -> npt.NDArray[np.float64]:
        """Return the BRDF back towards the source.

        Parameters
        ----------
        angle_deg : float64 (n,)
            Angles of incidence against the normal. [deg], 0..90
        wavelength_nm : float
            [nm]; linear between the table's wavelengths, and valid 0.5 nm beyond the ends.

        Returns
        -------
        float64 (n,)
            BRDF at each angle, linear between the tabulated angles. Beyond the last angle, the last
            value holds, as on a Lambertian surface. Below the first angle at a wavelength, its
            value holds if this angle is at most 10 deg; otherwise the result is NaN. The peak of a
            mirror at 0 deg is not interpolated up to the next tabulated angle: it ends at a
            smaller angle, which follows from the conservation of energy. [1/sr]

        Raises
        ------
        WavelengthError
            The table does not cover this wavelength.
        """
        lower, upper, fraction = bracket(self.file.stem, self.wavelengths_nm, wavelength_nm)
        value = _at(self.curves[lower], angle_deg)
        if upper == lower:
            return value
        return (1.0 - fraction) * value + fraction * _at(self.curves[upper], angle_deg)

    def reflectivity(
        self, angle_deg: npt.NDArray[np.float64], wavelength_nm: float
    ) -> npt.NDArray[np.float64]:
        """Return the reflectivity that a lidar sees, R = pi f cos(angle), float64 (n,) [1].

        R is the returned power, relative to a perpendicular 100 % Lambertian target; f is the BRDF
        by `retro`. A Lambertian surface has f = rho / pi, so R = rho cos(angle).

        Parameters
        ----------
        angle_deg : float64 (n,)
            Angles of incidence against the normal, 0 to 90. [deg]
        wavelength_nm : float
            Wavelength, at most 0.5 nm beyond the table's wavelengths. [nm]

        Returns
        -------
        float64 (n,)
            Reflectivity at each angle. NaN where `retro` is NaN: below the first angle at this
            wavelength, if that angle is above 10 deg. [1]

        Raises
        ------
        WavelengthError
            The table does not cover this wavelength.
        """
        cosine = np.cos(np.radians(angle_deg))
        return np.pi * self.retro(angle_deg, wavelength_nm) * np.maximum(cosine, 0.0)


def read_brdf(path: Path) -> BrdfTable:
    """Read the BRDF look-up table ``path`` (``*_brdf.xompt``), keeping light back to its source.

    Rows are [wavelength m, incident zenith rad, exit zenith rad, exit azimuth rad, BRDF 1/sr], in
    any order. For each incident angle, the reader uses the row whose exit direction is nearest to
    the direction back to the source, if it is within 3 deg. A wavelength without any such row is
    left out, with a remark. Format: schemas/material_brdf_schema.json of OpenMATERIAL 3D 1.1.0.

    Raises
    ------
    DatabaseError
        The file is not JSON, a key is missing, a row is not as above or is given twice (with its
        line), or no row at any wavelength looks back to the source.
    """
    document = read_json(path)
    metadata, remarks = document.metadata(), document.version_remarks()
    rows, left_out = number_rows(document, ("brdf", "lookupTable"), BRDF_COLUMNS, key_width=4)
    remarks += left_out
    curves: dict[float, RetroCurve] = {}
    farthest_deg = 0.0
    row_nm = in_nm(rows[:, 0])
    for wavelength_nm in np.unique(row_nm).tolist():
        block = rows[row_nm == wavelength_nm]
        curve, offset_deg = _towards(block, 0.0)
        if not len(curve.angle_deg):
            remarks.append(
                f"{path}: no row at {wavelength_nm:g} nm looks back to the source; this wavelength"
                " is left out"
            )
            continue
        end_deg = _end_of_mirror_peak(curve, _towards(block, math.pi)[0])
        if end_deg is not None:
            curve = RetroCurve(
                np.insert(curve.angle_deg, 1, end_deg), np.insert(curve.brdf, 1, curve.brdf[1])
            )
            remarks.append(
                f"{path}: the peak at the perpendicular at {wavelength_nm:g} nm is a"
                f" mirror's; it is taken to end at {end_deg:.2g} deg"
            )
        for column in curve:
            column.flags.writeable = False
        curves[wavelength_nm] = curve
        farthest_deg = max(farthest_deg, offset_deg)
    if not curves:
        limit = f"{RETRO_TOLERANCE_DEG:g} deg"
        raise DatabaseError(
            path,
            f"no row has its viewing direction towards the source, expected one within {limit} of "
            "it",
        )
    return BrdfTable(
        file=path,
        metadata=metadata,
        sensor=document.word("metadata", "typicalSensorTechnology"),
        wavelengths_nm=tuple(curves),
        curves=tuple(curves.values()),
        remarks=(*remarks, *_coverage_remarks(path, tuple(curves.values()), farthest_deg)),
        not_followed=keys_not_read(document),
    )


def _coverage_remarks(path: Path, curves: tuple[RetroCurve, ...], farthest_deg: float) -> list[str]:
    remarks = []
    if farthest_deg > RETRO_OFFSET_DEG:
        remarks.append(
            f"{path}: its exit directions miss the source by up to {farthest_deg:.1f} deg"
        )
    first, last = _angle_range(curves)
    if first > NORMAL_DEG:
        remarks.append(
            f"{path}: covers angles of incidence from {first:g} to {last:g} deg only, nothing near"
            f" the perpendicular; no value is known below {first:g} deg"
        )
    if last < EARLY_END_DEG:
        remarks.append(
            f"{path}: covers angles of incidence up to {last:g} deg; beyond, its last value falls"
            " with the cosine"
        )
    return remarks


def _angle_range(curves: tuple[RetroCurve, ...]) -> tuple[float, float]:
    first = max(float(curve.angle_deg[0]) for curve in curves)
    return first, min(float(curve.angle_deg[-1]) for curve in curves)


def _at(curve: RetroCurve, angle_deg: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    below = curve.brdf[0] if curve.angle_deg[0] <= NORMAL_DEG else math.nan
    return np.interp(angle_deg, curve.angle_deg, curve.brdf, left=below)


def _towards(block: npt.NDArray[np.float64], azimuth_rad: float) -> tuple[RetroCurve, float]:
    """Return the values at exit zenith = incident zenith and this exit azimuth.

    Parameters
    ----------
    block : float64 (n, 5)
        Rows of one wavelength.
    azimuth_rad : float
        0 for back to the source, pi for a mirror's direction. [rad]

    Returns
    -------
    RetroCurve, float
        For each incident angle with a row within 3 deg of that direction, the mean of the rows
        nearest to it (at exit zenith 0 all azimuths are one direction); and the largest distance
        of these rows from it. [deg]
    """
    incident, leaving, azimuth, brdf = block[:, 1:].T
    half_chord = np.sin((leaving - incident) / 2) ** 2  # haversine, exact for small distances
    half_chord += np.sin(incident) * np.sin(leaving) * np.sin((azimuth - azimuth_rad) / 2) ** 2
    distance_deg = np.degrees(2 * np.arcsin(np.sqrt(np.clip(half_chord, 0.0, 1.0))))
    angles_deg, group = np.unique(
        np.round(np.degrees(incident), ANGLE_DECIMALS), return_inverse=True
    )
    nearest_deg = np.full(len(angles_deg), math.inf)
    np.minimum.at(nearest_deg, group, distance_deg)
    chosen = distance_deg <= nearest_deg[group] + 10.0**-ANGLE_DECIMALS
    count = np.bincount(group[chosen], minlength=len(angles_deg))
    mean = np.bincount(group[chosen], brdf[chosen], minlength=len(angles_deg)) / count
    near = nearest_deg <= RETRO_TOLERANCE_DEG
    farthest_deg = float(nearest_deg[near].max(initial=0.0))
    return RetroCurve(angles_deg[near], mean[near]), farthest_deg


def _end_of_mirror_peak(retro: RetroCurve, mirror: RetroCurve) -> float | None:
    """Return the angle of incidence [deg] from which a mirror's peak misses the source, or None.

    None if the table has no such peak at the perpendicular. There the source and the mirror
    direction coincide, so the value may be the peak of a mirror. Linear interpolation would smear
    this peak over all angles up to the next angle in the table. At an angle of incidence, the
    mirror direction is twice this angle away from the source. A lobe of value f contains all of the
    energy within a cone of half-angle a where f pi a^2 = 1, so at the angle of incidence a / 2 the
    source is outside the lobe. The value is taken for a mirror's peak if three conditions hold: it
    is 10 times the next value, it would contain more than all of the energy if it extended to the
    next angle, and at the next angle no more is reflected towards the source than in the mirror
    direction.
    """
    if len(retro.angle_deg) == 1 or retro.angle_deg[0] > 0.0:
        return None
    peak, following = retro.brdf[:2]
    if peak <= MIRROR_RATIO * following:
        return None
    end_deg = math.degrees(1.0 / math.sqrt(math.pi * peak)) / 2
    reflected = mirror.brdf[mirror.angle_deg == retro.angle_deg[1]]
    if end_deg >= retro.angle_deg[1] or (len(reflected) and reflected[0] < following):
        return None
    return end_deg
