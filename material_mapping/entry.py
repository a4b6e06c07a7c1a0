# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""One infrared material: its class, its reflectivity, and the source of its data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from material_mapping import kernels
from material_mapping.by_wavelength import EVERY_WAVELENGTH_NM, ByWavelength
from material_mapping.classes import GENERAL, MIRROR, MaterialClass
from material_mapping.errors import MaterialError
from material_mapping.response import DEGREES, Lookup, Response, Tabulated

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from material_mapping.optics.gloss import Gloss
    from material_mapping.response import Curve
    from material_mapping.texture import Texture

GENERAL_MAXIMUM = 2.0
"""Largest reflectance [1] of class general; polished steel reaches it (SICK remissions)."""
DEFAULT_WAVELENGTH_NM = 905.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterialEntry:
    """An infrared material, with the source of its data.

    Attributes
    ----------
    name : str
        Name used in mapping tables and configurations.
    material_class : MaterialClass
        How the surface treats a ray.
    response : Response or None
        Reflectivity; None for classes without reflectivity.
    refractive_index : callable or None
        Takes a wavelength [nm] and returns n + ik; None for classes without an index. A
        `ByWavelength` also states the range of its data.
    gloss : Gloss or None
        Smooth boundary, such as a clear coat, that mirrors some light besides the reflection by
        `response`; None without gloss or if unknown.
    texture : Texture or None
        How the reflectivity varies over the surface; None if it does not, or if it is not known.
    source, uncertainty : str
        Origin of the data, and their uncertainty.
    note, licence : str
        Remarks for the user, and the licence terms of the source; may be empty.
    database : str
        Folder of the database; empty for built-in materials and materials of mapping tables.

    Raises
    ------
    MaterialError
        The class needs a value that is None, or does not allow a value that is given; or a
        tabulated reflectance or its angles are out of range.
    """

    name: str
    material_class: MaterialClass = GENERAL
    response: Response | None = None
    refractive_index: Callable[[float], complex] | None = None
    gloss: Gloss | None = None
    texture: Texture | None = None
    source: str = "not stated"
    uncertainty: str = "not stated"
    note: str = ""
    licence: str = ""
    database: str = ""

    def __post_init__(self) -> None:
        kind = self.material_class
        whose = f"{self.name}: a material of class {kind.name}"
        if kind.needs_response and self.response is None:
            raise MaterialError(
                f"{self.name}: reflectance is missing, expected a reflectance or a model"
            )
        if not kind.needs_response and self.response is not None:
            raise MaterialError(f"{whose} takes no reflectance, leave it out")
        if kind.needs_index and self.refractive_index is None:
            raise MaterialError(f"{whose} needs a refractive_index, got none")
        if not kind.needs_index and self.refractive_index is not None:
            raise MaterialError(f"{whose} takes no refractive_index, leave it out")
        if self.gloss is not None and not kind.ends_rays:
            raise MaterialError(f"{whose} takes no gloss, leave it out")
        if self.texture is not None and not self.reflects:
            raise MaterialError(f"{whose} takes no texture, leave it out")
        if isinstance(self.response, Tabulated):
            for curve in self.response.curves.values():
                _check_curve(self.name, kind, curve)

    @property
    def reflects(self) -> bool:
        """Whether the material has a reflectance, so that it returns or mirrors light."""
        return self.response is not None

    @property
    def lookup(self) -> Lookup:
        """Interpolation of the reflectivity between whole degrees; LINEAR without a response."""
        return Lookup.LINEAR if self.response is None else self.response.lookup

    @property
    def wavelength_range_nm(self) -> tuple[float, float]:
        """First and last wavelength [nm] with a reflectance; 0 and infinity without reflectance."""
        if self.response is None:
            return EVERY_WAVELENGTH_NM
        return self.response.wavelength_range_nm

    @property
    def at_every_wavelength(self) -> bool:
        """Whether the reflectance of the material, if it has one, holds at all wavelengths."""
        return self.wavelength_range_nm == EVERY_WAVELENGTH_NM

    def known_at_nm(self, wavelength_nm: float) -> float:
        """Return the wavelength [nm] of the data that are used for a sensor's wavelength.

        The data are the reflectance, or else the refractive index. Without either, or if the index
        states no range, it is the sensor's wavelength, ``wavelength_nm`` [nm].

        Raises
        ------
        WavelengthError
            The material has no values that may be used at the sensor's wavelength.
        """
        known = self.refractive_index if self.response is None else self.response
        if isinstance(known, Response | ByWavelength):
            return known.known_at_nm(wavelength_nm)
        return wavelength_nm

    def reflectivity(self, wavelength_nm: float = DEFAULT_WAVELENGTH_NM) -> NDArray[np.float32]:
        """Return the reflectivity [1] at 0, 1, .. 90 deg of incidence, float32 (91,).

        It is the power that returns to the sensor, relative to a perpendicular 100 % Lambertian
        target. ``wavelength_nm`` is the sensor's wavelength. [nm]

        Raises
        ------
        WavelengthError
            The material has no data at this wavelength.
        MaterialError
            A plug-in class raised an exception, or returned invalid values.
        """
        return _answer(self, "reflectivity", wavelength_nm, math.inf)

    def transmittance(self, wavelength_nm: float = DEFAULT_WAVELENGTH_NM) -> NDArray[np.float32]:
        """Return the fraction of light that passes the surface twice, out and back [1].

        It is given at 0, 1, .. 90 deg of incidence, float32 (91,). It is 0 where the one-way
        transmittance is below `MaterialClass.passes_from`: an ideal sensor's ray does not pass.
        ``wavelength_nm`` is the sensor's wavelength. [nm]

        Raises
        ------
        MaterialError
            A plug-in class raised an exception, or returned invalid values.
        """
        passed = self.passed(wavelength_nm)
        return np.where(passed >= self.material_class.passes_from**2, passed, np.float32(0.0))

    def passed(self, wavelength_nm: float = DEFAULT_WAVELENGTH_NM) -> NDArray[np.float32]:
        """Return the fraction of light that passes the surface twice, without a lower limit [1].

        It is given at 0, 1, .. 90 deg of incidence, float32 (91,). Unlike `transmittance`, it does
        not become 0 below `MaterialClass.passes_from`. ``wavelength_nm`` is the sensor's
        wavelength. [nm]

        Raises
        ------
        MaterialError
            A plug-in class raised an exception, or returned invalid values.
        """
        return _answer(self, "transmittance", wavelength_nm, 1.0)

    def mirrored(self, wavelength_nm: float = DEFAULT_WAVELENGTH_NM) -> NDArray[np.float32]:
        """Return the fraction of light that is mirrored twice, out and back [1].

        It is given at 0, 1, .. 90 deg of incidence, float32 (91,). ``wavelength_nm`` is the
        sensor's wavelength. [nm]

        Raises
        ------
        WavelengthError
            The material has no data at this wavelength.
        MaterialError
            A plug-in class raised an exception, or returned invalid values.
        """
        return _answer(self, "mirrored", wavelength_nm, 1.0)

    def behind(self, wavelength_nm: float = DEFAULT_WAVELENGTH_NM) -> NDArray[np.float32]:
        """Return the fraction of light that passes the surface twice, for a physical sensor [1].

        It is given at 0, 1, .. 90 deg of incidence, float32 (91,). It differs from `passed` if the
        class of the material has a function `behind`. ``wavelength_nm`` is the sensor's wavelength.
        [nm]

        Raises
        ------
        MaterialError
            A plug-in class raised an exception, or returned invalid values.
        """
        own = "transmittance" if self.material_class.behind is None else "behind"
        return _answer(self, own, wavelength_nm, 1.0)

    def ghost(self, wavelength_nm: float = DEFAULT_WAVELENGTH_NM) -> NDArray[np.float32]:
        """Return the fraction of light that is mirrored twice, for a physical sensor [1].

        It is given at 0, 1, .. 90 deg of incidence, float32 (91,). It differs from `mirrored` if
        the class of the material has a function `ghost`, as glass has. ``wavelength_nm`` is the
        sensor's wavelength. [nm]

        Raises
        ------
        WavelengthError
            The material has no data at this wavelength.
        MaterialError
            A plug-in class raised an exception, or returned invalid values.
        """
        own = "mirrored" if self.material_class.ghost is None else "ghost"
        return _answer(self, own, wavelength_nm, 1.0)

    def normal_reflectance(self, wavelength_nm: float = DEFAULT_WAVELENGTH_NM) -> float:
        """Return the reflectivity at normal incidence [1]; 0 for glass and mirrors.

        ``wavelength_nm`` is the sensor's wavelength [nm]. The errors of `reflectivity` are raised.
        """
        return float(self.reflectivity(wavelength_nm)[0])


def _answer(
    entry: MaterialEntry, what: str, wavelength_nm: float, most: float
) -> NDArray[np.float32]:
    """Return what a function of the material's class gives at whole degrees, checked.

    The class may come from a plug-in, so any exception or invalid value is a MaterialError.
    """
    where = f"{entry.name}: {what} of class {entry.material_class.name}"
    try:
        with np.errstate(over="ignore"):
            answer = getattr(entry.material_class, what)(entry, DEGREES, wavelength_nm)
            values = np.asarray(answer, np.float32)
    except MaterialError:
        raise
    except Exception as error:  # plug-in code may raise anything
        words = " ".join(str(error).split())
        raise MaterialError(f"{where}: {type(error).__name__}: {words}") from error
    finite = values.shape == DEGREES.shape and bool(np.isfinite(values).all())
    if not finite or not ((values >= 0.0) & (values <= most)).all():
        bound = "0 or more" if math.isinf(most) else f"0 to {most:g}"
        raise MaterialError(f"{where}, expected {len(DEGREES)} numbers of {bound}")
    return values


def _check_curve(name: str, kind: MaterialClass, curve: Curve) -> None:
    """Raise MaterialError if a reflectance is not valid."""
    pairs = curve if isinstance(curve, tuple) else ((0.0, curve),)
    angles_deg = [angle for angle, _ in pairs]
    if not angles_deg or angles_deg != sorted(set(angles_deg)):
        raise MaterialError(f"{name}: reflectance table, expected increasing angles of incidence")
    if not all(0.0 <= angle <= kernels.LAST_DEGREE for angle in angles_deg):
        raise MaterialError(f"{name}: angles {angles_deg} deg, expected 0 to 90")
    for _, value in pairs:
        if not (math.isfinite(value) and value >= 0.0):
            raise MaterialError(f"{name}: reflectance {value:g}, expected 0 or more")
        if kind is GENERAL and value > GENERAL_MAXIMUM:
            raise MaterialError(
                f"{name}: reflectance {value:g}, expected a fraction of at most"
                f" {GENERAL_MAXIMUM:g} (not percent), or class retroreflective"
            )
        if kind is MIRROR and value > 1.0:
            raise MaterialError(f"{name}: reflectance {value:g}, expected at most 1 for a mirror")
