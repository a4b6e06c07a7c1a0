# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of a calibration: figures with intervals, and figures that could not be found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsFloat, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Found: TypeAlias = "tuple[SupportsFloat, SupportsFloat, SupportsFloat]"
"""A value, and the lower and upper end of its 95 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One estimated parameter of a sensor.

    Attributes
    ----------
    name : str
        Key in the JSON file, with the unit as suffix.
    value, low, high : float
        The estimate, and the ends of its 95 % interval.
    n : int
        Number of samples that the estimate was fitted on.
    fitted_on : str
        Kind of samples, in words.
    """

    name: str
    value: float
    low: float
    high: float
    n: int
    fitted_on: str


def figure(name: str, found: Found, n: int, fitted_on: str) -> Figure:
    """Return an estimated parameter as a `Figure`, with an interval that contains the estimate.

    Parameters
    ----------
    name : str
        Key in the JSON file, with the unit as suffix.
    found : (float, float, float)
        The estimate, and the lower and upper end of its 95 % interval. If the estimate lies outside
        the interval, the interval is widened up to it.
    n : int
        Number of samples that the estimate was fitted on.
    fitted_on : str
        Kind of samples, in words.
    """
    value, low, high = map(float, found)
    low, high = min(low, value), max(high, value)
    return Figure(name=name, value=value, low=low, high=high, n=n, fitted_on=fitted_on)


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One estimate for each laser, or for each bin of a quantity such as range.

    Attributes
    ----------
    name : str
        Key in the JSON file, with the unit as suffix.
    labels : tuple of str
        Numbers of the lasers, or bounds of the bins.
    values, low, high : float64 (n_label,)
        Estimates, NaN where a bin has too few samples, and the ends of their 95 % intervals.
    n : int64 (n_label,)
        Number of samples of each laser or bin.
    fitted_on : str
        Kind of samples, in words.
    """

    name: str
    labels: tuple[str, ...]
    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n: NDArray[np.int64]
    fitted_on: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """Takes the place of a `Figure` or `Series` that could not be found, and states the reason.

    Attributes
    ----------
    name : str
        Name of the missing figure or series.
    reason : str
        Why it could not be found, in words.
    """

    name: str
    reason: str


Finding: TypeAlias = "Figure | Series | Absent"


class Findings(dict[str, Finding]):
    """Dictionary of the findings of a calibration: a `Figure`, `Series` or `Absent` by its name."""

    @classmethod
    def of(cls, found: list[Finding]) -> Findings:
        """Return the findings in the list ``found`` as a dictionary by name, in the list's order.

        If two findings have the same name, the later one is used.
        """
        return cls((each.name, each) for each in found)

    def figure(self, name: str) -> Figure | None:
        """Return the `Figure` of this name; None if there is none, or another kind of finding."""
        found = self.get(name)
        return found if isinstance(found, Figure) else None

    def series(self, name: str) -> Series | None:
        """Return the `Series` of this name; None if there is none, or another kind of finding."""
        found = self.get(name)
        return found if isinstance(found, Series) else None
