# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Range errors that formulas of the true range give (docs/explanation/errors.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.config.noise import formula_values
from osi_lidar.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from lidar_base.formula import Formula

_KEYS = ("depth_error_m", "depth_sigma_m")
_NO_FORMULA = np.empty((2, 0))


def errors_by_formula(
    sensor: str, formulas: Mapping[str, Formula], range_m: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Return error and standard deviation by formula, (2, n) [m]; (2, 0) without formulas.

    Parameters
    ----------
    sensor : str
        Name of the sensor.
    formulas : mapping of str to Formula
        The configured formulas, by key in the section ``noise``.
    range_m : float (n,)
        True ranges. [m]

    Raises
    ------
    ConfigurationError
        If a formula gives no number somewhere, or a negative standard deviation.
    """
    if not formulas:
        return _NO_FORMULA
    found = np.zeros((2, len(range_m)))
    for row, key in enumerate(_KEYS):
        if key not in formulas:
            continue
        try:
            found[row] = formula_values(key, formulas[key], range_m)
        except ConfigurationError as error:
            raise ConfigurationError(f"sensor {sensor}: noise.{key}: {error}") from None
    return found
