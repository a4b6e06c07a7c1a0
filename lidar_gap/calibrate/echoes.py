# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Several echoes of a beam: share of beams with a second echo, and distances between echoes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.calibrate.bootstrap import percentiles, share
from lidar_gap.calibrate.findings import Absent, Series, figure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.calibrate.findings import Finding
    from lidar_gap.calibrate.recording import Recording

_SAME_M = 1e-3  # two returns nearer to each other than this are one echo, sent twice
_PERCENTILES = (0, 1, 5, 50)
_LEAST_PAIRS = 50


def find_echoes(recording: Recording) -> list[Finding]:
    """Return findings on beams with a second echo: their share, and the distances of their echoes.

    ``second_return_share`` is the share among beams that return. ``echo_separation_m`` is a
    `Series` of percentiles of the distance between successive echoes, and ``min_separation_m`` is
    their first percentile. All are `Absent` if the recording lacks the firing of each point
    (``column``), or if no beam has two echoes. The distances are also `Absent` with fewer than 50
    pairs of successive echoes.
    """
    names = ("second_return_share", "echo_separation_m", "min_separation_m")
    if recording.column is None:
        return [Absent(name=name, reason="needs the firing of each point") for name in names]
    n_column = int(recording.column.max()) + 1
    beam = (recording.frame * recording.n_ring + recording.ring) * n_column + recording.column
    order = np.lexsort((recording.range_m, beam))
    same = np.diff(beam[order]) == 0
    apart_m = np.diff(recording.range_m[order])
    several = same & (apart_m > _SAME_M)
    if not several.any():
        reason = "no beam has two echoes: a recording of several returns is needed"
        return [Absent(name=name, reason=reason) for name in names]
    first = order[np.concatenate(([True], ~same))]
    has_second = np.isin(beam[first], beam[order[1:][several]])
    shares = share(has_second, recording.block[first], recording.n_block)
    what = f"firings with a return, {recording.what}"
    found: list[Finding] = [figure("second_return_share", shares, len(first), what)]
    if several.sum() < _LEAST_PAIRS:
        reason = f"needs {_LEAST_PAIRS} beams with two echoes"
        return [*found, *(Absent(name=name, reason=reason) for name in names[1:])]
    block = recording.block[order[1:][several]]
    return found + _separations(recording, apart_m[several], block)


def _separations(
    recording: Recording, apart_m: NDArray[np.float64], block: NDArray[np.intp]
) -> list[Finding]:
    values, low, high = percentiles(apart_m, block, recording.n_block, _PERCENTILES)
    what = f"beams with two echoes, {recording.what}"
    series = Series(
        name="echo_separation_m",
        labels=("smallest", "1st percentile", "5th percentile", "median"),
        values=values,
        low=low,
        high=high,
        n=np.full(len(_PERCENTILES), len(apart_m)),
        fitted_on=what,
    )
    what = f"1st percentile of the separation in {what}"
    first = (values[1], low[1], high[1])  # not the smallest, which may be a stray pair
    return [series, figure("min_separation_m", first, len(apart_m), what)]
