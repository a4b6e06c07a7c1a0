# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments that several laws of weather share."""

from __future__ import annotations

import math


def check_wavelength(wavelength_nm: float) -> None:
    """Raise ValueError unless the wavelength ``wavelength_nm`` [nm] is finite and above 0."""
    if not (math.isfinite(wavelength_nm) and wavelength_nm > 0.0):
        raise ValueError(f"wavelength_nm is {wavelength_nm:g}, expected above 0")
