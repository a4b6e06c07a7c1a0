# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of simulated clouds with real ones, and of real clouds with each other.

pairs of clouds with their images
  > each pair, and all together: returns, ranges, gap budget, clouds, edges   (pair_measures)
  > the same of real against real, and of the method's null test
  > P(return) over range and incidence                                        (return_curves)
  > noise and echoes of each side                                             (side_measures)
  > points on labelled objects                                                (labels)
  > tables, JSON, pictures                                      (quantities, report, pictures)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.compare.labels import points_on_objects
from lidar_gap.compare.pair_measures import PairSeries, series
from lidar_gap.compare.return_curves import Curves, curves
from lidar_gap.compare.side_measures import Side, side
from lidar_gap.metrics.distributions import DoubleValidation, double_validation
from lidar_gap.records import ALL_READ
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_gap.metrics.objects import ObjectCounts
    from lidar_gap.records import CloudReading, Pair, PairGroups, RangeImage, ScanCloud
    from lidar_gap.tasks.boxes import Boxes

SIM, AGAIN, NULL = "simulated against real", "real against real", "null test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Result of a comparison of simulated clouds with real ones.

    Attributes
    ----------
    kept : bool (n_ring, n_column)
        True for the pixels of the range images that were compared.
    sim : PairSeries
        Measures of simulated against real clouds.
    again : PairSeries or None
        The same measures for real clouds against other real clouds of the same place; None without
        these.
    null : PairSeries or None
        The same measures for the null test (see `PairGroups`); None without one.
    curves : Curves
        Probability of a return, over range and angle of incidence.
    real_side, sim_side : Side
        Noise and echoes of the real clouds, and of the simulated clouds.
    noise_dvm : DoubleValidation
        Bias and scatter of the distribution of the simulated range noise against the distribution
        of the real noise. [m]
    ranges : str
        Point from which ranges are counted, in words.
    rings : str
        Numbers of the rings, and the source of these numbers, in words; empty if not known.
    objects : tuple of ObjectCounts, or None
        Points on labelled objects by class and range; None without labels.
    reading : CloudReading
        Columns in the files of the clouds that were not read, and facts that the files do not state
        and that were inferred from their numbers.
    """

    kept: NDArray[np.bool_]
    sim: PairSeries
    again: PairSeries | None
    null: PairSeries | None
    curves: Curves
    real_side: Side
    sim_side: Side
    noise_dvm: DoubleValidation
    ranges: str
    rings: str = ""
    objects: tuple[ObjectCounts, ...] | None = None
    reading: CloudReading = ALL_READ

    @property
    def all_series(self) -> tuple[PairSeries, ...]:
        """Up to three series of measures: `sim`, then `again` and `null` unless they are None."""
        return tuple(each for each in (self.sim, self.again, self.null) if each is not None)


def compare(
    groups: PairGroups,
    kept: NDArray[np.bool_] | None = None,
    *,
    with_neighbours: bool = True,
    labels: Boxes | None = None,
) -> Comparison:
    """Compare simulated clouds with real ones.

    Parameters
    ----------
    groups : PairGroups
        Pairs of clouds with their range images.
    kept : bool (n_ring, n_column), optional
        True for the pixels to compare; all by default.
    with_neighbours : bool
        Whether to compute the measures by nearest neighbours, which take most of the time.
    labels : Boxes, optional
        Labelled boxes; real and simulated points in them are counted by class and range.

    Raises
    ------
    InputError
        If there is no pair, a cloud is empty, two clouds share no pixel, images differ in size, no
        pixel is kept, or no label belongs to one of the frames.
    """
    kept = _checked(groups, kept)
    again, null = (
        series(name, pairs, kept, with_neighbours=with_neighbours) if pairs else None
        for name, pairs in ((AGAIN, groups.again), (NULL, groups.null))
    )
    objects = None if labels is None else tuple(points_on_objects(groups.sim, labels, kept))
    real_side, sim_side = side(*_real(groups.sim), kept), side(*_sim(groups.sim), kept)
    return Comparison(
        kept=kept,
        sim=series(SIM, groups.sim, kept, with_neighbours=with_neighbours),
        again=again,
        null=null,
        curves=curves(groups.sim, kept),
        real_side=real_side,
        sim_side=sim_side,
        noise_dvm=double_validation(real_side.residuals_m, sim_side.residuals_m),
        ranges=groups.ranges,
        rings=groups.rings,
        reading=groups.reading,
        objects=objects,
    )


def _checked(groups: PairGroups, kept: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Return the pixels to compare, or raise the first problem of the pairs."""
    if not groups.sim:
        raise InputError("no clouds to compare, expected a real and a simulated one")
    shape = groups.sim[0].real_image.point.shape
    chosen = np.ones(shape, np.bool_) if kept is None else kept
    for pair in (*groups.sim, *groups.again, *groups.null):
        _check_pair(pair, shape, chosen)
    if chosen.shape != shape:
        raise InputError(
            f"mask: got {chosen.shape[0]} x {chosen.shape[1]} pixels, "
            f"expected {shape[0]} x {shape[1]}"
        )
    return chosen


def _check_pair(pair: Pair, shape: tuple[int, ...], kept: NDArray[np.bool_]) -> None:
    """Raise the first problem of one pair."""
    own = pair.real_image.point.shape
    if own != shape:
        raise InputError(
            f"{pair.real.name}: its range image has {own[0]} x {own[1]} pixels, "
            f"expected {shape[0]} x {shape[1]}, as in the first frame"
        )
    for cloud in (pair.real, pair.sim):
        if not len(cloud):
            raise InputError(f"{cloud.name}: has no points, expected the returns of a scan")
    shared = pair.real_image.returned & pair.sim_image.returned
    if kept.shape == shape and not (shared & kept).any():
        raise InputError(
            f"{pair.sim.name}: shares no pixel with {pair.real.name}, expected clouds of the same "
            "sensor and frame, and a mask that keeps some pixels"
        )


def _real(pairs: Sequence[Pair]) -> tuple[list[ScanCloud], list[RangeImage]]:
    """Return the real clouds and their images."""
    return [pair.real for pair in pairs], [pair.real_image for pair in pairs]


def _sim(pairs: Sequence[Pair]) -> tuple[list[ScanCloud], list[RangeImage]]:
    """Return the simulated clouds and their images."""
    return [pair.sim for pair in pairs], [pair.sim_image for pair in pairs]
