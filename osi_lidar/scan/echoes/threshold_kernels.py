# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Thresholds of pulses: lognormal from pulse to pulse, about the threshold of the laser."""

from __future__ import annotations

import numpy as np

from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential
from lidar_base.random.random_kernels import SIGNAL_SPREAD, gaussian_pairs


@njit(cache=True, nogil=True, error_model="numpy")
def draw_thresholds(
    # Sensor:
    receiver,  # see receiver_kernels.ReceiverSettings
    laser,  # float64 (n_beam | 1,) thresholds of the lasers, relative to the sensor's
    # In:
    stream,  # random numbers of this scan, see draws.Draws
    found,  # rows of maxima_kernels.FOUND
    n_found,  # number of rows in found
    beam,  # uint32 (n_beam,) indices of the beams in the pattern
    # Work:
    pair,  # uint32 (n_beam | more,)
    redraw,  # see random_kernels.Redraw
    drawn,  # float64 (2, n_beam | more)
    # Out:
    least_out,  # float64 (n_beam | more,) of beams with an echo [rms of the noise]
):
    """Draw the threshold of the pulse of each beam with an echo, lognormal about the laser's.

    Two beams share a pair of random numbers.

    Parameters
    ----------
    receiver : ReceiverSettings
        Its ``threshold`` k [rms of the noise] and ``signal_spread`` s are used: k times the laser's
        value times exp(s u), with u standard normal.
    laser : float64 (n_beam_of_scan | 1,)
        Threshold of each beam's laser, relative to the sensor's. [1]
    stream : tuple
        `Draws.stream` of the scan: the source of random numbers.
    found, n_found : structured, int
        Maxima of the beams' waveforms, rows of `FOUND`, and how many there are.
    beam : uint32 (n_beam,)
        Index of each beam of the block in the scan pattern.
    pair, redraw, drawn : uint32 (n_beam | more,), Redraw, float64 (2, n_beam | more)
        Working memory.
    least_out : float64 (n_beam | more,)
        Output: threshold of each beam that has a row in ``found``; other rows are left as they are.
        [rms of the noise]
    """
    threshold, spread, one_for_all = receiver.threshold, receiver.signal_spread, len(laser) == 1
    if spread > 0.0:
        n_pair = 0
        for row in range(n_found):
            of = beam[found[row].beam] >> np.uint32(1)
            if n_pair == 0 or pair[n_pair - 1] != of:
                pair[n_pair] = of
                n_pair += 1
        gaussian_pairs(stream, SIGNAL_SPREAD, pair, n_pair, redraw, drawn[0], drawn[1])
    at = 0
    for row in range(n_found):
        b = found[row].beam
        if row > 0 and found[row - 1].beam == b:
            continue
        own = beam[b]
        of_pulse = 1.0
        if spread > 0.0:
            at += pair[at] != own >> np.uint32(1)
            of_pulse = exponential(spread * drawn[own & np.uint32(1), at])
        least_out[b] = threshold * laser[0 if one_for_all else own] * of_pulse
