# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures from single scans: mixed pixels at range steps, elevations, signal of a white target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.calibrate.beams import find_beams
from lidar_gap.calibrate.bootstrap import draws, interval, percentiles
from lidar_gap.calibrate.findings import Absent, Series, figure
from lidar_gap.metrics.edges import edges
from lidar_gap.reality.at_rest import N_SECTORS, by_class

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.calibrate.findings import Finding
    from lidar_gap.calibrate.recording import Recording
    from lidar_gap.reality.at_rest import Ends, Stack

RANGES_M = (1.0, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0)
"""Bounds of the classes of the range of a white target's signal [m]."""
LEAST_CODE, MOST_CODE = 5.0, 100.0
"""Range of reflectivities in which the signal is assumed to be proportional to them [%]."""
_FEWEST = 50


def find_mixed(stack: Stack) -> list[Finding]:
    """Return one finding in a list: the share of mixed pixels among the pixels at range steps.

    ``stack`` (`Stack`) has the scans as images. A mixed pixel has a range between two surfaces. The
    finding is `Absent` for fewer than 50 range steps.
    """
    range_m = stack.range_m.reshape(-1, stack.range_m.shape[2])
    sector = np.tile(stack.sector, (len(stack.range_m), 1))
    parts = [edges(range_m, sector == number) for number in range(N_SECTORS)]
    n = np.array([each.n_steps for each in parts], np.float64)
    if n.sum() < _FEWEST:
        return [Absent(name="mixed_share", reason=f"needs {_FEWEST} steps of the range")]
    mixed = np.array([each.n_steps * each.mixed if each.n_steps else 0.0 for each in parts])
    drawn = draws(N_SECTORS)
    low, high = interval((drawn @ mixed) / np.maximum(drawn @ n, 1.0))
    what = f"steps of {len(stack.range_m)} scans"
    found = float(mixed.sum() / n.sum()), float(low), float(high)
    return [figure("mixed_share", found, int(n.sum()), what)]


def find_elevations(recording: Recording, n_ring: int) -> Finding:
    """Return the elevations of all lasers as a series, from the highest laser down [deg].

    Parameters
    ----------
    recording : Recording
        All points of all frames of a recording, with laser numbers.
    n_ring : int
        Number of lasers of the sensor. The finding is `Absent` unless the elevations of exactly so
        many lasers were found; a laser needs enough points, and a narrow interval.
    """
    beams, _ = find_beams(recording)
    rings = np.flatnonzero(beams.known)
    rings = rings[np.argsort(-beams.elevation_deg[rings], kind="stable")]
    values = beams.elevation_deg[rings]
    if len(values) != n_ring:
        reason = f"{len(values)} of {n_ring} lasers have enough points"
        return Absent(name="elevation_deg", reason=reason)
    return Series(
        name="elevation_deg",
        labels=tuple(str(number) for number in range(1, len(values) + 1)),
        values=values,
        low=values,
        high=values,
        n=beams.n[rings],
        fitted_on=recording.what,
    )


def find_signal(recording: Recording) -> list[Finding]:
    """Return one finding in a list: S r^2 of a white target, with signal S and range r.

    It is a series of medians over classes of range (`RANGES_M`). It should be constant over range,
    except in the near field. Each return with a reported reflectivity of 5 to 100 % gives an
    estimate: its photons times its squared range, divided by its reflectivity. The finding is
    `Absent` unless the sensor reports photons and reflectivities.

    Parameters
    ----------
    recording : Recording
        All points of all frames of a recording: photons as ``signal``, reflectivities in percent as
        ``intensity``.
    """
    name = "signal_by_range"
    if recording.signal is None or recording.intensity is None:
        return [Absent(name=name, reason="needs photons and a reflectivity of each return")]
    code, range_m = recording.intensity, recording.range_m
    linear = (code >= LEAST_CODE) & (code <= MOST_CODE) & (recording.signal > 0.0)
    white = np.zeros(len(code))
    white[linear] = 100.0 * recording.signal[linear] * range_m[linear] ** 2 / code[linear]

    def of_class(chosen: NDArray[np.bool_]) -> Ends:
        rows = np.flatnonzero(linear)[chosen]
        found = percentiles(white[rows], recording.block[rows], recording.n_block, (50.0,))
        value, low, high = (float(each[0]) for each in found)
        return value, low, high

    what = f"reflectivities of {LEAST_CODE:g} to {MOST_CODE:g} %, {recording.what}"
    return [by_class(name, RANGES_M, range_m[linear], of_class, what)]
