# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflectivity of a surface by angle of incidence and wavelength.

Emitter and receiver are at the same place, so one angle is enough. Reflectivity is the returned
power relative to a perpendicular 100 % Lambertian target [1]. For a BRDF f, in 1/sr, it is
pi f cos(theta), with f taken in the direction back to the source.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from material_mapping.bands import band_between
from material_mapping.errors import WavelengthError
from material_mapping.kernels import LAST_DEGREE
from material_mapping.optics.reflection import facet_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

Curve: TypeAlias = "float | tuple[tuple[float, float], ...]"
"""Reflectivity by angle of incidence: one number or a table of (angle [deg], reflectivity [1]).

One number is the reflectivity at normal incidence. It then falls with the cosine of the angle, or
by `rough_fall`; for mirrors it holds at every angle.
"""

DEGREES = np.arange(LAST_DEGREE + 1, dtype=np.float64)
"""Angles of incidence of the columns of a material table: 0, 1, .. 90, float64 (91,). [deg]"""


class Lookup(IntEnum):
    """How the reflectivity R at an angle of incidence is read from a table of whole degrees."""

    MATT = 0
    """R(0) cos(angle) + R(90) sin^2(angle): exact for matt surfaces, also for rough ones.

    R(90) is 0 for a Lambertian surface.
    """
    LINEAR = 1
    """Linear between the degrees below and above."""
    STEP = 2
    """The value at the whole degree below or at the angle, constant up to the next degree."""
    STEP_COSINE = 3
    """The value at the whole degree below or at the angle, falling with the cosine to the next."""
    SMOOTH = 4
    """As CUBIC, except for the sub-rays of a beam that all hit one triangle.

    Their reflectivity is interpolated linearly over the cosine, which is faster.
    """
    CUBIC = 5
    """By the cubic through the values at the four nearest whole degrees.

    It is meant for formulas. Near 90 deg some fall with the cube of the cosine, where linear
    interpolation is a tenth too high.
    """


class Response(ABC):
    """Reflectivity by angle and wavelength.

    Attributes
    ----------
    wavelength_range_nm : tuple of (float, float)
        Shortest and longest wavelength of the data. [nm]
    last_angle_deg : float
        Largest angle of incidence that was measured, or that the model covers. [deg]
    lookup : Lookup
        How the reflectivity is read from a material table.
    unit : str
        Unit as published: "percent", "fraction", "1/sr", "n, k".
    model : str
        Description of the reflection model and its parameters; empty for measured data.
    """

    wavelength_range_nm: tuple[float, float]
    last_angle_deg: float = float(LAST_DEGREE)
    lookup: Lookup = Lookup.LINEAR
    unit: str = "fraction"
    model: str = ""

    @abstractmethod
    def reflectivity(
        self, angle_deg: NDArray[np.float64], wavelength_nm: float
    ) -> NDArray[np.float64]:
        """Return the reflectivity [1] at angles of incidence, float64 (n,).

        Parameters
        ----------
        angle_deg : float64 (n,)
            Angles of incidence, 0 to 90. [deg]
        wavelength_nm : float
            Wavelength of the sensor. [nm]

        Raises
        ------
        WavelengthError
            There are no data at this wavelength, and data of another wavelength may not be used.
        """

    def known_at_nm(self, wavelength_nm: float) -> float:
        """Return the wavelength [nm] of the data that are used for a sensor's wavelength.

        It is `wavelength_nm` itself [nm], clipped to the range of the data.
        """
        low, high = self.wavelength_range_nm
        return min(max(wavelength_nm, low), high)


@dataclass(frozen=True, kw_only=True)
class Tabulated(Response):
    """Reflectivity from tabulated curves over the angle of incidence, at one or more wavelengths.

    Between two wavelengths, the curves are interpolated linearly if no absorption band lies between
    them (`bands.band_between`). Across a band, and outside all wavelengths, the nearest is used.

    Attributes
    ----------
    curves : mapping of float to Curve
        Reflectivity over the angle of incidence, by increasing wavelength [nm].
    bands_resolved : bool
        Whether the wavelengths sample absorption bands so densely that all neighbours may be
        interpolated.
    roughness_rad : float
        Standard deviation of the slope angles of a rough surface's facets. It sets how fast a curve
        that is one number, the reflectivity at normal incidence, falls with the angle, see
        `rough_fall`. With 0 the curve follows Lambert's law. [rad]
    """

    curves: Mapping[float, Curve]
    bands_resolved: bool = False
    roughness_rad: float = 0.0

    def __post_init__(self) -> None:
        wavelengths = tuple(self.curves)
        matt = all(isinstance(curve, float | int) for curve in self.curves.values())
        object.__setattr__(self, "wavelength_range_nm", (wavelengths[0], wavelengths[-1]))
        object.__setattr__(self, "lookup", Lookup.MATT if matt else Lookup.LINEAR)
        object.__setattr__(self, "last_angle_deg", min(map(_last_angle_deg, self.curves.values())))
        if self.roughness_rad:
            words = f"rough, {math.degrees(self.roughness_rad):g} deg"
            object.__setattr__(self, "model", words)

    def reflectivity(
        self, angle_deg: NDArray[np.float64], wavelength_nm: float
    ) -> NDArray[np.float64]:
        """Return the reflectivity [1] at angles of incidence `angle_deg` [deg], both float64 (n,).

        `wavelength_nm` is the wavelength of the sensor. [nm]
        """
        wanted = self.known_at_nm(wavelength_nm)
        if wanted in self.curves:
            return self._at(wanted, angle_deg)
        low, high = self._around(wanted)
        share = (wanted - low) / (high - low)
        below, above = (self._at(nm, angle_deg) for nm in (low, high))
        return below + share * (above - below)

    def known_at_nm(self, wavelength_nm: float) -> float:
        """Return the wavelength [nm] of the data used for a sensor's wavelength; it never raises.

        It is `wavelength_nm` itself [nm], clipped to the range of the curves. If an absorption band
        lies between the neighbours, and `bands_resolved` is False, it is the wavelength of the
        nearest curve.
        """
        wanted = super().known_at_nm(wavelength_nm)
        if wanted in self.curves or self.bands_resolved:
            return wanted
        low, high = self._around(wanted)
        if band_between(low, high) is None:
            return wanted
        return low if wanted - low <= high - wanted else high

    def _around(self, wanted_nm: float) -> tuple[float, float]:
        """Return the wavelengths [nm] of the curves just below and just above a wavelength."""
        return next(pair for pair in pairwise(self.curves) if pair[0] < wanted_nm < pair[1])

    def _at(self, known_nm: float, angle_deg: NDArray[np.float64]) -> NDArray[np.float64]:
        curve = self.curves[known_nm]
        if self.roughness_rad and not isinstance(curve, tuple):
            return curve * rough_fall(angle_deg, self.roughness_rad)
        return curve_at(curve, angle_deg)


@dataclass(frozen=True, kw_only=True)
class Spectral(Response):
    """Lambertian surface with a measured spectrum, undefined outside its range.

    Attributes
    ----------
    name : str
        Name used in messages.
    at : callable
        Takes a wavelength [nm] within the range, returns the reflectance at the normal [1].
    wavelength_range_nm : (float, float)
        Shortest and longest wavelength of the spectrum. [nm]
    unit : str
        Unit of the reflectance as published.
    lookup : Lookup
        How the reflectivity is read from a material table.
    """

    name: str
    at: Callable[[float], float]
    wavelength_range_nm: tuple[float, float]
    unit: str = "percent"
    lookup: Lookup = Lookup.MATT

    def reflectivity(
        self, angle_deg: NDArray[np.float64], wavelength_nm: float
    ) -> NDArray[np.float64]:
        """Return the reflectivity [1] at angles of incidence `angle_deg` [deg], both float64 (n,).

        `wavelength_nm` is the wavelength of the sensor [nm]. Raises WavelengthError outside the
        spectrum.
        """
        return curve_at(self.at(self.known_at_nm(wavelength_nm)), angle_deg)

    def known_at_nm(self, wavelength_nm: float) -> float:
        """Return `wavelength_nm` itself [nm]; raise WavelengthError outside the spectrum."""
        low, high = self.wavelength_range_nm
        if not low <= wavelength_nm <= high:
            raise WavelengthError(self.name, wavelength_nm, self.wavelength_range_nm)
        return wavelength_nm


@dataclass(frozen=True, kw_only=True)
class Modelled(Response):
    """Reflectivity as a function of angle and wavelength, within a range of wavelengths.

    Attributes
    ----------
    function : callable
        Takes angles of incidence, float64 (n,) [deg], and a wavelength [nm]; returns the
        reflectivities, float64 (n,) [1].
    wavelength_range_nm : (float, float)
        Shortest and longest wavelength for which the function holds. [nm]
    name : str
        Name used in messages.
    nearest : bool
        True: beyond its range, the nearest wavelength of the range is used. False: a wavelength
        beyond the range raises WavelengthError.
    lookup : Lookup
        How the reflectivity is read from a material table.
    last_angle_deg : float
        Largest angle of incidence that the function covers. [deg]
    unit : str
        Unit as published, such as "fraction" or "n, k".
    model : str
        Description of the reflection model and its parameters; may be empty.
    """

    function: Callable[[NDArray[np.float64], float], NDArray[np.float64]]
    wavelength_range_nm: tuple[float, float]
    name: str = ""
    nearest: bool = True
    lookup: Lookup = Lookup.LINEAR
    last_angle_deg: float = float(LAST_DEGREE)
    unit: str = "fraction"
    model: str = ""

    def reflectivity(
        self, angle_deg: NDArray[np.float64], wavelength_nm: float
    ) -> NDArray[np.float64]:
        """Return the reflectivity [1] at angles of incidence `angle_deg` [deg], both float64 (n,).

        `wavelength_nm` is the wavelength of the sensor [nm]. Raises WavelengthError if it is
        outside the range and `nearest` is False.
        """
        return self.function(angle_deg, self.known_at_nm(wavelength_nm))

    def known_at_nm(self, wavelength_nm: float) -> float:
        """Return the wavelength [nm] of the data used: `wavelength_nm` [nm], clipped to the range.

        Raises
        ------
        WavelengthError
            `wavelength_nm` is outside the range, and `nearest` is False.
        """
        wanted = super().known_at_nm(wavelength_nm)
        if wanted != wavelength_nm and not self.nearest:
            raise WavelengthError(self.name, wavelength_nm, self.wavelength_range_nm)
        return wanted


def curve_at(curve: Curve, angle_deg: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the reflectivity of a curve over the angle of incidence, at n angles.

    Parameters
    ----------
    curve : float or tuple of (float, float)
        One number, the reflectivity at normal incidence [1], which falls with the cosine (Lambert's
        law) to 0 at 90 deg. Or pairs of increasing angle [deg] and reflectivity [1], which are
        interpolated linearly, stay constant below the first angle, and fall to 0 at 90 deg beyond
        the last one.
    angle_deg : float64 (n,)
        Angles of incidence, 0 to 90. [deg]

    Returns
    -------
    float64 (n,)
        Reflectivity at each angle. [1]
    """
    if isinstance(curve, tuple):
        pairs = np.array(curve, np.float64)
        if pairs[-1, 0] < LAST_DEGREE:
            pairs = np.vstack([pairs, (LAST_DEGREE, 0.0)])
        return np.interp(angle_deg, pairs[:, 0], pairs[:, 1])
    return curve * np.where(angle_deg < LAST_DEGREE, np.cos(np.radians(angle_deg)), 0.0)


def rough_fall(angle_deg: NDArray[np.float64], roughness_rad: float) -> NDArray[np.float64]:
    """Return R(theta) / R(0) of a rough matt surface by the model of Oren and Nayar [1].

    It is cos(theta) + B / A sin^2(theta), see `material_mapping.optics.reflection.oren_nayar`. At
    90 deg it is B / A, not 0, because some facets of a rough surface still face the sensor.

    Parameters
    ----------
    angle_deg : float64 (n,)
        Angles of incidence theta, 0 to 90; the result has their shape. [deg]
    roughness_rad : float
        Standard deviation of the slope angles of the surface's facets. [rad]
    """
    theta = np.radians(angle_deg)
    a, b = facet_terms(roughness_rad)
    return np.asarray(np.cos(theta) + b / a * np.sin(theta) ** 2, np.float64)


def _last_angle_deg(curve: Curve) -> float:
    return curve[-1][0] if isinstance(curve, tuple) and curve else float(LAST_DEGREE)
