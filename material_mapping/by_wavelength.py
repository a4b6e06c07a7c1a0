# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A number that depends on the wavelength, such as a refractive index."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

EVERY_WAVELENGTH_NM = (0.0, math.inf)
"""Range (shortest, longest wavelength) of a value that holds at all wavelengths. [nm]"""


MOST_SHOWN = 6
"""Largest number of values that `ByWavelength` writes in full as text; of more, first and last."""


@dataclass(frozen=True, slots=True)
class ByWavelength:
    """A number by wavelength: linear between known values, the nearest known value outside them.

    Attributes
    ----------
    wavelengths_nm : tuple of float
        Increasing; empty for one number that holds at all wavelengths. [nm]
    values : tuple of complex
        One value for each wavelength; n + ik for a refractive index.
    """

    wavelengths_nm: tuple[float, ...]
    values: tuple[complex, ...]

    @classmethod
    def of(cls, values: Mapping[float | None, complex]) -> ByWavelength:
        """Return the number whose known values a mapping holds.

        `values` maps each wavelength [nm] to the value there; the keys must be increasing. A
        mapping with None as its only key gives a number that holds at all wavelengths.
        """
        return cls(tuple(nm for nm in values if nm is not None), tuple(values.values()))

    @property
    def range_nm(self) -> tuple[float, float]:
        """Shortest and longest known wavelength [nm]; (0, inf) if one value holds everywhere."""
        known = self.wavelengths_nm
        return (known[0], known[-1]) if known else EVERY_WAVELENGTH_NM

    def known_at_nm(self, wavelength_nm: float) -> float:
        """Return `wavelength_nm` [nm], clipped to the shortest and the longest known wavelength."""
        low, high = self.range_nm
        return min(max(wavelength_nm, low), high)

    def __call__(self, wavelength_nm: float) -> complex:
        """Return the value at a wavelength [nm]."""
        if not self.wavelengths_nm:
            return complex(self.values[0])
        return complex(np.interp(wavelength_nm, self.wavelengths_nm, np.array(self.values)))

    def __str__(self) -> str:
        """Return the values as text, such as ``1.5 at 905 nm, 1.45 at 1550 nm``."""
        shown = [f"{each:g}" if complex(each).imag else f"{each.real:g}" for each in self.values]
        if not self.wavelengths_nm:
            return shown[0]
        pairs = zip(shown, self.wavelengths_nm, strict=True)
        words = [f"{text} at {nm:g} nm" for text, nm in pairs]
        if len(words) > MOST_SHOWN:
            words = [f"{words[0]} .. {words[-1]} ({len(words)} values)"]
        return ", ".join(words)
