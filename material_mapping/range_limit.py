# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How far a sensor sees a surface of given reflectivity.

Data sheets state the range of a sensor for Lambertian targets, at best for a dark and a bright
one. A curve through these pairs gives the limit for every reflectivity (docs/materials.md).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from material_mapping import kernels
from material_mapping.errors import RangeLimitError, near_match

if TYPE_CHECKING:
    from collections.abc import Sequence

FITS = {
    "linear": kernels.LINEAR,
    "root2": kernels.ROOT2,
    "root3": kernels.ROOT3,
    "root4": kernels.ROOT4,
    "log": kernels.LOG,
    "table": kernels.TABLE,
}
"""The fits that `RangeLimit.from_pairs` knows, and their code in the kernels."""


def _frozen(values: Sequence[float] = ()) -> npt.NDArray[np.float64]:
    """Return an array that nobody can write to."""
    array = np.array(values, np.float64)
    array.flags.writeable = False
    return array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RangeLimit:
    """The largest range at which a reflectivity is detected, r(R) = a + b f(R), R in percent.

    Attributes
    ----------
    kind : int
        Code of f in `material_mapping.kernels`: CONSTANT LINEAR ROOT2 ROOT3 ROOT4 LOG TABLE.
    a, b : float
        Offset and factor of the fit. [m]
    table_percent, table_range_m : float64 (n_pair,)
        Reflectivities, increasing [%], and ranges [m] of a table; empty for the other kinds.
    cap_m : float
        No surface is seen beyond this range. [m], may be infinite
    """

    kind: int
    a: float = 0.0
    b: float = 0.0
    table_percent: npt.NDArray[np.float64] = field(default_factory=_frozen)
    table_range_m: npt.NDArray[np.float64] = field(default_factory=_frozen)
    cap_m: float = math.inf

    @classmethod
    def constant(cls, range_m: float = math.inf) -> RangeLimit:
        """Return the limit that is the same for every reflectivity above 0.

        Parameters
        ----------
        range_m : float
            The limit; infinite by default. [m]
        """
        return cls(kind=kernels.CONSTANT, cap_m=_cap(range_m))

    @classmethod
    def from_pairs(
        cls,
        pairs: Sequence[tuple[float, float]],
        *,
        fit: str = "log",
        max_range_m: float = math.inf,
    ) -> RangeLimit:
        """Return the curve through the pairs of a data sheet.

        Parameters
        ----------
        pairs : sequence of (percent, metres)
            Reflectivity of a Lambertian target [%] and the range at which it is just seen [m],
            in any order: two for a fit, two or more for a table.
        fit : {"linear", "root2", "root3", "root4", "log", "table"}
            f(R) = R, R^(1/2), R^(1/3), R^(1/4), ln R, or straight lines between the pairs,
            held constant outside them.
        max_range_m : float
            No surface is seen beyond this range. [m]

        Returns
        -------
        RangeLimit

        Raises
        ------
        RangeLimitError
            Unknown fit, too few or too many pairs, equal percentages, percentages not above 0
            for "log" or below 0, ranges that are negative or fall with reflectivity.

        Notes
        -----
        The received power of a target that fills the beam falls with 1/r^2, of a wire with 1/r^3,
        of a point with 1/r^4; hence the roots [1]_. The offset a makes the curve meet both pairs.

        References
        ----------
        .. [1] Rott et al., LiMOX - a point cloud lidar model toolbox based on NVIDIA OptiX ray
           tracing engine, Sensors 24(6), 1846, 2024, section 4.2, doi:10.3390/s24061846
        """
        if fit not in FITS:
            expected = f"expected one of {', '.join(FITS)}{near_match(fit, FITS)}"
            raise RangeLimitError(f"range limit: unknown fit {fit!r}, {expected}")
        percent, range_m = _checked(pairs, fit)
        kind, cap_m = FITS[fit], _cap(max_range_m)
        if fit == "table":
            return cls(
                kind=kind,
                table_percent=_frozen(percent),
                table_range_m=_frozen(range_m),
                cap_m=cap_m,
            )
        low, high = (kernels.fit_basis(kind, value) for value in percent)
        b = (range_m[1] - range_m[0]) / (high - low)
        return cls(kind=kind, a=range_m[0] - b * low, b=b, cap_m=cap_m)

    def max_range_m(self, reflectivity: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the largest range at which each reflectivity is seen.

        Parameters
        ----------
        reflectivity : array_like
            After the angle of incidence. [1], a fraction; above 1 for retroreflectors

        Returns
        -------
        float64, shape of `reflectivity`
            Between 0 and `cap_m`; 0 where nothing comes back (reflectivity <= 0 or not a
            number), whatever the fit says there. [m]
        """
        values = np.asarray(reflectivity)
        if values.dtype != np.float32:
            values = values.astype(np.float64)
        limit_m = np.zeros(values.size, np.float64)
        kernels.range_limit_of(*self.kernel_arguments(), values.ravel(), limit_m)
        return limit_m.reshape(values.shape)

    def kernel_arguments(
        self,
    ) -> tuple[int, float, float, npt.NDArray[np.float64], npt.NDArray[np.float64], float]:
        """Return what `kernels.range_limit_at` takes before the reflectivity, in its order."""
        return self.kind, self.a, self.b, self.table_percent, self.table_range_m, self.cap_m


def _cap(range_m: float) -> float:
    """Return a maximum range, checked."""
    if not range_m > 0.0:
        raise RangeLimitError(f"range limit: maximum range {range_m:g} m, expected above 0 m")
    return float(range_m)


def _checked(
    pairs: Sequence[tuple[float, float]], fit: str
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return percentages and ranges in increasing order, or say in one line what is wrong."""
    if len(pairs) < 2 or (len(pairs) > 2 and fit != "table"):
        expected = "2 or more" if fit == "table" else "2"
        raise RangeLimitError(
            f"range limit: {len(pairs)} pair(s) for fit {fit!r}, expected {expected}"
        )
    if any(len(pair) != 2 for pair in pairs):
        raise RangeLimitError("range limit: expected pairs of [percent, metres]")
    ordered = sorted((float(percent), float(range_m)) for percent, range_m in pairs)
    for percent, range_m in ordered:
        if not (math.isfinite(percent) and percent >= 0.0 and (percent > 0.0 or fit != "log")):
            least = "a percentage above 0" if fit == "log" else "a percentage of 0 or more"
            raise RangeLimitError(f"range limit: {percent:g} % for fit {fit!r}, expected {least}")
        if not (math.isfinite(range_m) and range_m >= 0.0):
            raise RangeLimitError(
                f"range limit: {range_m:g} m at {percent:g} %, expected 0 m or more"
            )
    for (percent, range_m), (next_percent, next_m) in itertools.pairwise(ordered):
        if percent == next_percent:
            raise RangeLimitError(f"range limit: two pairs for {percent:g} %, expected one")
        if next_m < range_m:
            raise RangeLimitError(
                f"range limit: {next_m:g} m at {next_percent:g} % is less than {range_m:g} m at"
                f" {percent:g} %, expected ranges that grow with reflectivity"
            )
    return tuple(p for p, _ in ordered), tuple(r for _, r in ordered)
