# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures from successive scans from one place: pixels that return again, similarity of scans."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lidar_gap.calibrate.bootstrap import draws, interval
from lidar_gap.calibrate.bootstrap import share as share_of
from lidar_gap.calibrate.findings import Absent, Series, figure
from lidar_gap.rings import range_image

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from lidar_gap.calibrate.findings import Finding
    from lidar_gap.layout import Layout
    from lidar_gap.records import ScanCloud

N_SECTORS = 36
"""Number of sectors of a turn; the bootstrap of intervals draws whole sectors."""
SHARES_AT = (3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 30, 60)
"""Bounds of the classes in `find_returns`: mean signal of the returns of a pixel [photons]."""
STRENGTHS_AT = (2, 5, 10, 20, 40, 80, 160, 320, 1000)
"""Bounds of the classes of the mean strength of two returns, in the unit of the sensor."""
SIGNAL_SCATTER, STRENGTH_SCATTER = "signal_scatter_by_signal", "strength_scatter_by_strength"
FEWEST_OF_CLASS = 50
"""Fewest samples of a class that is reported."""
_FEWEST_SCANS = 4
Ends: TypeAlias = "tuple[float, float, float]"
"""A value, and the lower and upper end of its 95 % interval."""
_SAME_M = 0.15  # pixels whose range changes by more show another surface


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Scans from one place as images; a pixel (ring, column) without a return is NaN.

    Attributes
    ----------
    range_m, strength : float64 (n_scan, n_ring, n_column)
        Range [m], and strength: the signal, or the intensity if a cloud has no signal, in the unit
        of the sensor.
    counts_photons : bool
        Whether the strength is the signal in photons.
    """

    range_m: NDArray[np.float64]
    strength: NDArray[np.float64]
    counts_photons: bool

    @property
    def sector(self) -> NDArray[np.intp]:
        """Sector of the turn in which each pixel lies, 0 to `N_SECTORS` - 1, (n_ring, n_column)."""
        n_column = self.range_m.shape[2]
        of_column = np.arange(n_column) * N_SECTORS // n_column
        return np.broadcast_to(of_column, self.range_m.shape[1:])


def stacked(clouds: Sequence[ScanCloud], layout: Layout) -> Stack:
    """Return scans from one place as images that share one layout of rings and columns.

    Strengths are signals if all clouds have them. Otherwise they are intensities, and NaN for a
    cloud without intensities.

    Parameters
    ----------
    clouds : sequence of ScanCloud
        The scans, at least one, in the order of time.
    layout : Layout
        Rings and columns of the sensor, which are the pixels of the images.
    """
    counts_photons = all(cloud.signal is not None for cloud in clouds)
    ranges, strengths = [], []
    for cloud in clouds:
        image = range_image(cloud, layout)
        strength = cloud.signal if counts_photons else cloud.intensity
        ranges.append(image.range_m)
        strengths.append(
            np.full(image.range_m.shape, np.nan) if strength is None else image.of_points(strength)
        )
    return Stack(
        range_m=np.stack(ranges), strength=np.stack(strengths), counts_photons=counts_photons
    )


def find_returns(stack: Stack) -> list[Finding]:
    """Return one finding in a list: the share of scans in which a pixel returns.

    ``stack`` (`Stack`) has the scans as images. The finding is a series over classes of the pixel's
    mean signal (`SHARES_AT`). Pixels that never return do not count. The finding is `Absent` if
    strengths are not photons, or for fewer than four scans.
    """
    name = "return_share_by_signal"
    if not stack.counts_photons or len(stack.range_m) < _FEWEST_SCANS:
        reason = f"needs photons of {_FEWEST_SCANS} scans at rest"
        return [Absent(name=name, reason=reason)]
    returned = np.isfinite(stack.range_m)
    n = returned.sum(axis=0)
    seen = n > 0
    mean = np.nansum(stack.strength, axis=0)[seen] / n[seen]
    share, sector = returned.mean(axis=0)[seen], stack.sector[seen]

    def of_class(chosen: NDArray[np.bool_]) -> Ends:
        return share_of(share[chosen], sector[chosen], N_SECTORS)

    return [by_class(name, SHARES_AT, mean, of_class, f"{len(stack.range_m)} scans")]


def find_repeats(stack: Stack) -> list[Finding]:
    """Return three findings on the similarity of successive scans of a sensor at rest.

    ``stack`` (`Stack`) has the scans as images. Each finding is a single figure over all pairs of a
    scan and the next scan, in this order:

    1. The number of pixels that return in both scans, over the number that return in either.
    2. The mean absolute change of the range of a pixel [m].
    3. The correlation of a pixel's two strengths; `Absent` if they are not known or do not differ.

    The last two use pixels whose range changes by less than 0.15 m, and are `Absent` if there are
    none. For fewer than two scans, or if no pixel returns at all, all three are `Absent`.
    """
    names = ("repeat_iou", "repeat_change_m", "repeat_strength_correlation")
    if len(stack.range_m) < 2:
        return [Absent(name=name, reason="needs two scans at rest") for name in names]
    now, after = stack.range_m[:-1], stack.range_m[1:]
    sector = np.broadcast_to(stack.sector, now.shape)
    both, either = np.isfinite(now) & np.isfinite(after), np.isfinite(now) | np.isfinite(after)
    if not either.any():
        return [Absent(name=name, reason="no pixel returns") for name in names]
    what = f"{len(stack.range_m)} scans, each with the next"
    found: list[Finding] = [
        figure(names[0], share_of(both[either], sector[either], N_SECTORS), int(either.sum()), what)
    ]
    same = both & (np.abs(after - now) < _SAME_M)
    if not same.any():
        reason = f"no pixel returns twice within {_SAME_M:g} m"
        return [*found, *(Absent(name=name, reason=reason) for name in names[1:])]
    change_m = np.abs(after - now)[same]
    found.append(figure(names[1], share_of(change_m, sector[same], N_SECTORS), len(change_m), what))
    pair = stack.strength[:-1][same], stack.strength[1:][same]
    if not np.isfinite(pair).all() or not min(np.ptp(each) for each in pair):
        found.append(Absent(name=names[2], reason="needs strengths that differ"))
    else:
        found.append(figure(names[2], _correlation(*pair, sector[same]), len(pair[0]), what))
    return found


def find_scatter(stack: Stack) -> list[Finding]:
    """Return one finding in a list: the relative scatter of a pixel's strength from scan to scan.

    ``stack`` (`Stack`) has the scans as images. The scatter is the standard deviation over the
    mean, as a series over classes of the mean strength of two successive returns (`STRENGTHS_AT`).
    The finding is `Absent` for fewer than two scans, or without strengths.
    """
    name = SIGNAL_SCATTER if stack.counts_photons else STRENGTH_SCATTER
    if len(stack.range_m) < 2 or not np.isfinite(stack.strength).any():
        return [Absent(name=name, reason="needs strengths of two scans at rest")]
    same = np.abs(np.diff(stack.range_m, axis=0)) < _SAME_M
    one, other = stack.strength[:-1][same], stack.strength[1:][same]
    mean = 0.5 * (one + other)
    with np.errstate(invalid="ignore", divide="ignore"):
        square = 0.5 * ((one - other) / mean) ** 2
    sector = np.broadcast_to(stack.sector, same.shape)[same]

    def of_class(chosen: NDArray[np.bool_]) -> Ends:
        value, low, high = np.sqrt(share_of(square[chosen], sector[chosen], N_SECTORS)).tolist()
        return value, low, high

    what = f"{len(stack.range_m)} scans, each with the next"
    return [by_class(name, STRENGTHS_AT, mean, of_class, what)]


def _correlation(
    one: NDArray[np.float64], other: NDArray[np.float64], sector: NDArray[np.intp]
) -> Ends:
    """Return the correlation of two strengths; its interval is from resampled sectors."""
    x, y = one - one.mean(), other - other.mean()
    sums = np.stack(
        [
            np.bincount(sector, weights=each, minlength=N_SECTORS)
            for each in (np.ones(len(x)), x, y, x * x, y * y, x * y)
        ]
    )
    n, sx, sy, sxx, syy, sxy = sums @ np.vstack((np.ones(N_SECTORS), draws(N_SECTORS))).T
    with np.errstate(invalid="ignore", divide="ignore"):
        all_of = (n * sxy - sx * sy) / np.sqrt((n * sxx - sx**2) * (n * syy - sy**2))
    low, high = interval(all_of[1:])
    return float(all_of[0]), float(low), float(high)


def by_class(
    name: str,
    edges: Sequence[float],
    quantity: NDArray[np.float64],
    of_class: Callable[[NDArray[np.bool_]], Ends],
    what: str,
) -> Series:
    """Sort samples into classes (bins) of a quantity; return a figure of each class as a series.

    The figure is NaN in a class with fewer samples than `FEWEST_OF_CLASS`.

    Parameters
    ----------
    name, what : str
        Name of the series; description of its samples, in words.
    edges : sequence of float
        Ascending bounds of the classes; the lower bound belongs to a class, the upper does not.
    quantity : float64 (n,)
        The quantity of each sample.
    of_class : callable
        Takes a mask of the samples in a class, bool (n,). Returns the figure of this class, and the
        lower and upper end of its interval.
    """
    bounds = list(itertools.pairwise(edges))
    values, low, high = np.full((3, len(bounds)), np.nan)
    n = np.zeros(len(bounds), np.int64)
    for number, (least, most) in enumerate(bounds):
        chosen = (quantity >= least) & (quantity < most)
        n[number] = chosen.sum()
        if n[number] >= FEWEST_OF_CLASS:
            values[number], low[number], high[number] = of_class(chosen)
    labels = tuple(f"{least:g}-{most:g}" for least, most in bounds)
    return Series(name=name, labels=labels, values=values, low=low, high=high, n=n, fitted_on=what)
