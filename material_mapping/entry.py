# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""One infrared material: its class, its reflectance, and where the numbers come from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from material_mapping import kernels
from material_mapping.errors import MaterialError

if TYPE_CHECKING:
    import numpy.typing as npt

GENERAL_MAXIMUM = 2.0
"""Largest reflectance [1] of a general material; polished steel reaches it (SICK remissions)."""


class MaterialClass(IntEnum):
    """What a surface does with a ray."""

    GENERAL = 0
    """Sends back what its reflectance and the angle of incidence say."""
    TRANSPARENT = 1
    """Lets the ray pass as if the surface were not there."""
    ABSORBENT = 2
    """Ends the ray; no point."""
    RETROREFLECTIVE = 3
    """Sends the light back to where it came from; may exceed a white target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterialEntry:
    """One infrared material, with where its numbers come from.

    Attributes
    ----------
    name : str
        Name by which mapping tables and configurations call it.
    material_class : MaterialClass
    wavelength_nm : float
        Wavelength that the reflectance holds for. [nm]
    reflectance : float or tuple of (angle, reflectance)
        Towards the light's source, relative to a 100 % Lambertian target that is hit
        perpendicularly. [1] A number is the value at normal incidence and falls with the cosine
        of the incidence angle; pairs of incidence angle [deg] and reflectance [1], angles
        increasing, are joined by straight lines, held below the first angle, and fall to 0 at
        90 deg after the last. 0 for transparent and absorbent materials.
    source, uncertainty : str
        Where the reflectance comes from, and how far it may be off.
    note, licence : str
        What else a user should know, and the terms of the source; may be empty.
    """

    name: str
    material_class: MaterialClass = MaterialClass.GENERAL
    wavelength_nm: float = 905.0
    reflectance: float | tuple[tuple[float, float], ...] = 0.0
    source: str = "not stated"
    uncertainty: str = "not stated"
    note: str = ""
    licence: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.wavelength_nm) and self.wavelength_nm > 0.0):
            raise MaterialError(f"{self.name}: wavelength {self.wavelength_nm:g} nm, expected > 0")
        if self.reflects:
            _check_reflectance(self)
        elif self.reflectance != 0.0:
            kind = self.material_class.name.lower()
            raise MaterialError(f"{self.name}: a {kind} material has no reflectance, leave it out")

    @property
    def reflects(self) -> bool:
        """Whether hits on this material can become points."""
        return self.material_class in {MaterialClass.GENERAL, MaterialClass.RETROREFLECTIVE}

    @property
    def lambertian(self) -> bool:
        """Whether the reflectance falls exactly with the cosine of the angle of incidence."""
        return isinstance(self.reflectance, float | int)

    def normal_reflectance(self) -> float:
        """Return the reflectance at normal incidence [1]."""
        if isinstance(self.reflectance, tuple):
            return self.reflectance[0][1]
        return float(self.reflectance)

    def tabulate(self) -> npt.NDArray[np.float32]:
        """Return the reflectance [1] at 0, 1, .. 90 deg of incidence, float32 (91,)."""
        angle_deg = np.arange(kernels.LAST_DEGREE + 1, dtype=np.float64)
        if not isinstance(self.reflectance, tuple):
            cosine = np.cos(np.radians(angle_deg))
            cosine[-1] = 0.0
            return (self.reflectance * cosine).astype(np.float32)
        pairs = np.array(self.reflectance, np.float64)
        if pairs[-1, 0] < kernels.LAST_DEGREE:
            pairs = np.vstack([pairs, (kernels.LAST_DEGREE, 0.0)])
        return np.interp(angle_deg, pairs[:, 0], pairs[:, 1]).astype(np.float32)


def _check_reflectance(entry: MaterialEntry) -> None:
    """Raise MaterialError if the reflectance of a reflecting material cannot be one."""
    name, reflectance = entry.name, entry.reflectance
    pairs = reflectance if isinstance(reflectance, tuple) else ((0.0, reflectance),)
    angles_deg = [angle for angle, _ in pairs]
    if not angles_deg or angles_deg != sorted(set(angles_deg)):
        raise MaterialError(f"{name}: reflectance table, expected increasing angles of incidence")
    if not all(0.0 <= angle <= kernels.LAST_DEGREE for angle in angles_deg):
        raise MaterialError(f"{name}: angles {angles_deg} deg, expected 0 to 90")
    for _, value in pairs:
        if not (math.isfinite(value) and value >= 0.0):
            raise MaterialError(f"{name}: reflectance {value:g}, expected 0 or more")
        if entry.material_class is MaterialClass.GENERAL and value > GENERAL_MAXIMUM:
            raise MaterialError(
                f"{name}: reflectance {value:g}, expected a fraction of at most"
                f" {GENERAL_MAXIMUM:g} (percent is not meant), or class retroreflective"
            )
