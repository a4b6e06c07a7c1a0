# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a surface sends back: reflectivity by angle of incidence and wavelength.

The sensor's light comes from where the sensor is, so one angle says all. Reflectivity is what comes
back, divided by what a perpendicular 100 % Lambertian target would send back [1]; of a BRDF f, in
1/sr, it is pi f cos(theta), with f in the direction back to the source.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from material_mapping.errors import WavelengthError
from material_mapping.kernels import LAST_DEGREE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

Curve: TypeAlias = "float | tuple[tuple[float, float], ...]"
"""Reflectivity at normal incidence, which falls with the cosine; or pairs of angle [deg] and it."""

DEGREES = np.arange(LAST_DEGREE + 1, dtype=np.float64)
"""The angles of incidence that a material table holds. [deg]"""


class Lookup(IntEnum):
    """How a hit's reflectivity is taken from a table of whole degrees."""

    COSINE = 0
    """That at the normal, times the cosine: exact for Lambertian surfaces."""
    LINEAR = 1
    """Between the degrees below and above."""
    STEP = 2
    """That of the degree below: bins that begin at whole degrees keep their value."""
    STEP_COSINE = 3
    """The same, of values that fall with the cosine within a bin."""


class Response(ABC):
    """Reflectivity by angle and wavelength.

    Attributes
    ----------
    wavelength_range_nm : tuple of (float, float)
        Where it is known. [nm]
    last_angle_deg : float
        Largest angle of incidence that was measured, or that the model is made for. [deg]
    lookup : Lookup
        How it is taken from a table.
    unit : str
        As published: "percent", "fraction", "1/sr", "n, k".
    model : str
        The reflection model with its parameters, in words; empty for what was measured.
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
        """Return the reflectivity [1] at angles of incidence [deg].

        Raises
        ------
        WavelengthError
            It is not known at this wavelength, and nothing can stand in.
        """

    def known_at_nm(self, wavelength_nm: float) -> float:
        """Return the wavelength whose values are taken for this one: the nearest known, in nm."""
        low, high = self.wavelength_range_nm
        return min(max(wavelength_nm, low), high)


@dataclass(frozen=True, kw_only=True)
class Tabulated(Response):
    """Curves at one or more wavelengths: straight lines between them, the nearest one beyond.

    Attributes
    ----------
    curves : mapping of float to Curve
        By wavelength, increasing. [nm]
    """

    curves: Mapping[float, Curve]

    def __post_init__(self) -> None:
        wavelengths = tuple(self.curves)
        cosine = all(isinstance(curve, float | int) for curve in self.curves.values())
        object.__setattr__(self, "wavelength_range_nm", (wavelengths[0], wavelengths[-1]))
        object.__setattr__(self, "lookup", Lookup.COSINE if cosine else Lookup.LINEAR)
        object.__setattr__(self, "last_angle_deg", min(map(_last_angle_deg, self.curves.values())))

    def reflectivity(
        self, angle_deg: NDArray[np.float64], wavelength_nm: float
    ) -> NDArray[np.float64]:
        """Return the reflectivity [1] at angles of incidence [deg]."""
        known = tuple(self.curves)
        wanted = self.known_at_nm(wavelength_nm)
        if wanted in self.curves:
            return curve_at(self.curves[wanted], angle_deg)
        low, high = next(pair for pair in pairwise(known) if pair[0] < wanted < pair[1])
        share = (wanted - low) / (high - low)
        below, above = (curve_at(self.curves[nm], angle_deg) for nm in (low, high))
        return below + share * (above - below)


@dataclass(frozen=True, kw_only=True)
class Spectral(Response):
    """A Lambertian surface of a known spectrum; nothing stands in outside of it.

    Attributes
    ----------
    name : str
        For messages.
    at : callable
        Takes a wavelength [nm] within the range, gives the reflectance at the normal [1].
    """

    name: str
    at: Callable[[float], float]
    wavelength_range_nm: tuple[float, float]
    unit: str = "percent"
    lookup: Lookup = Lookup.COSINE

    def reflectivity(
        self, angle_deg: NDArray[np.float64], wavelength_nm: float
    ) -> NDArray[np.float64]:
        """Return the reflectivity [1] at angles of incidence [deg]."""
        return curve_at(self.at(self.known_at_nm(wavelength_nm)), angle_deg)

    def known_at_nm(self, wavelength_nm: float) -> float:
        """Return the wavelength, which must be one of the spectrum's, in nm."""
        low, high = self.wavelength_range_nm
        if not low <= wavelength_nm <= high:
            raise WavelengthError(self.name, wavelength_nm, self.wavelength_range_nm)
        return wavelength_nm


@dataclass(frozen=True, kw_only=True)
class Modelled(Response):
    """A function of angle and wavelength, within a range of wavelengths.

    Attributes
    ----------
    function : callable
        Takes angles of incidence [deg] and a wavelength [nm], gives reflectivities [1].
    nearest : bool
        Whether the nearest wavelength stands in outside the range; else that is an error.
    name : str
        For messages.
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
        """Return the reflectivity [1] at angles of incidence [deg]."""
        return self.function(angle_deg, self.known_at_nm(wavelength_nm))

    def known_at_nm(self, wavelength_nm: float) -> float:
        """Return the wavelength whose values are taken for this one, in nm."""
        wanted = super().known_at_nm(wavelength_nm)
        if wanted != wavelength_nm and not self.nearest:
            raise WavelengthError(self.name, wavelength_nm, self.wavelength_range_nm)
        return wanted


def curve_at(curve: Curve, angle_deg: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the reflectivity [1] of a curve at angles of incidence [deg].

    A number falls with the cosine (Lambert's law); pairs are joined by straight lines, held below
    the first angle, and fall to 0 at 90 deg after the last.
    """
    if isinstance(curve, tuple):
        pairs = np.array(curve, np.float64)
        if pairs[-1, 0] < LAST_DEGREE:
            pairs = np.vstack([pairs, (LAST_DEGREE, 0.0)])
        return np.interp(angle_deg, pairs[:, 0], pairs[:, 1])
    return curve * np.where(angle_deg < LAST_DEGREE, np.cos(np.radians(angle_deg)), 0.0)


def _last_angle_deg(curve: Curve) -> float:
    return curve[-1][0] if isinstance(curve, tuple) and curve else float(LAST_DEGREE)
