# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The echo of fog itself: its place and its height, by the range at which a beam ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PER_SIGMA = 16.0
"""Steps per rms width of the pulse, in the integral over the fog."""
REACH_SIGMA = 4.0
"""A surface this far behind the echo's maximum, in pulse widths, does not change the echo."""
N_ENDS = 128


class SoftEcho(NamedTuple):
    """The echo of the air itself, by the range at which a surface ends the beam.

    Attributes
    ----------
    begin_m, step_m : float
        First of n ranges at which a beam may end, and the step between them; beyond the last one
        nothing changes. [m]
    rows : float64 (2 + n, n)
        Rows 0 and 1: height [rms of the noise] and range [m] of the maximum, a column for each
        range at which the beam may end. Row 2 + i: the signal that a beam ending at the i-th
        range receives, a column for each of the n ranges [rms of the noise].
    range_m, signal : float64 (n_range,)
        The received signal s(x) by range, if no surface ends the beam. [m], [rms of the noise]
    """

    begin_m: float
    step_m: float
    rows: NDArray[np.float64]
    range_m: NDArray[np.float64]
    signal: NDArray[np.float64]


def soft_echo(
    *, step_m: float, root: NDArray[np.float64], sigma_m: float, backscatter: float, begin_m: float
) -> SoftEcho:
    """Return the echo of evenly scattering air, for all ranges at which a surface may end a beam.

    Parameters
    ----------
    step_m, root : float, float64 (n,)
        Range step [m], and q(r) at each step: a target of reflectivity R has the signal R / q^2.
    sigma_m : float
        Rms width of the pulse in range. [m]
    backscatter : float
        Backscatter coefficient beta of the air. [1/(m sr)]
    begin_m : float
        Range from which on the receiver listens. [m]

    Notes
    -----
    A metre of air sends back as much as a target of reflectivity pi beta that fills the beam. The
    receiver sees its integral over the pulse, up to the surface at the range r_1::

        s(x) = integral of pi beta / q(r)^2 exp(-(x - r)^2 / 2 sigma^2) dr,  begin < r < r_1

    The maximum is reported. Behind it the echo falls more slowly than a pulse; this is ignored.
    """
    edges_m = _edges(begin_m, step_m * (len(root) - 1), sigma_m)
    middle_m, width_m = 0.5 * (edges_m[1:] + edges_m[:-1]), float(edges_m[1] - edges_m[0])
    q = np.interp(middle_m, step_m * np.arange(len(root)), root)
    sent, pulse = math.pi * backscatter * width_m / np.square(q), _pulse(width_m, sigma_m)
    signal = _received(sent, pulse)
    last_m = _maximum(signal, middle_m)[1] + REACH_SIGMA * sigma_m
    ends_m = np.linspace(begin_m, max(last_m, begin_m), N_ENDS + 1)
    near, rows = middle_m < last_m, np.zeros((2 + len(ends_m), len(ends_m)))
    begins_m, places_m, sent = edges_m[:-1][near], middle_m[near], sent[near]
    for column, open_part in enumerate(np.clip((ends_m[:, None] - begins_m) / width_m, 0.0, 1.0)):
        received = _received(sent * open_part, pulse)
        rows[:2, column] = _maximum(received, places_m)
        rows[2 + column] = np.interp(ends_m, places_m, received)
    rows[1] = np.minimum(rows[1], ends_m)
    return SoftEcho(begin_m, (last_m - begin_m) / N_ENDS, rows, middle_m, signal)


def _edges(begin_m: float, far_m: float, sigma_m: float) -> NDArray[np.float64]:
    """Return the edges of the steps of the integral [m]."""
    n = max(math.ceil((far_m - begin_m) / sigma_m * PER_SIGMA), 1)
    return np.asarray(np.linspace(begin_m, far_m, n + 1), np.float64)


def _pulse(width_m: float, sigma_m: float) -> NDArray[np.float64]:
    """Return the pulse, sampled in steps of the integral; it is 1 in the middle."""
    reach = math.ceil(6.0 * sigma_m / width_m)
    off = np.arange(-reach, reach + 1) * width_m / sigma_m
    return np.asarray(np.exp(-0.5 * np.square(off)), np.float64)


def _received(sent: NDArray[np.float64], pulse: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the received signal of the light that each step sends back."""
    return np.asarray(np.convolve(sent, pulse)[len(pulse) // 2 :][: len(sent)], np.float64)


def _maximum(signal: NDArray[np.float64], place_m: NDArray[np.float64]) -> tuple[float, float]:
    """Return height and range of the maximum of the received signal."""
    at = int(signal.argmax())
    if not 0 < at < len(signal) - 1:
        return float(signal[at]), float(place_m[at])
    left, top, right = signal[at - 1 : at + 2]
    bend = left - 2.0 * top + right
    off = 0.5 * (left - right) / bend if bend < 0.0 else 0.0  # of the parabola through the three
    return (
        float(top - 0.25 * (left - right) * off),
        float(place_m[at] + off * (place_m[1] - place_m[0])),
    )
