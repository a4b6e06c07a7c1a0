# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pairs of effects that a recording cannot separate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_gap.calibrate.findings import Absent
from lidar_gap.calibrate.noise import SIGMAS_TOGETHER

if TYPE_CHECKING:
    from lidar_gap.calibrate.findings import Findings

LEAST_CORRELATION = 0.9
"""Two figures with at least this correlation, over resampled recordings, cannot be separated."""


def confused(findings: Findings) -> tuple[str, ...]:
    """Return a phrase for each pair of effects that the recording cannot separate, as a tuple.

    Points on planes can never separate some pairs. Other pairs stay together because the recording
    lacks something, such as headings, or dark surfaces without which both estimates vary together.

    Parameters
    ----------
    findings : Findings
        All findings of the calibration of the recording, by name. Three of them decide:
        ``laser_bias_m``, `SIGMAS_TOGETHER` and ``azimuth_offset_deg``.
    """
    pairs = []
    if findings.series("laser_bias_m") is not None:
        pairs += [
            "a range error that all lasers share, and the distance of the planes (the mean is 0)",
            "laser biases that grow evenly with the elevation, and the tilt of the planes",
        ]
    together = findings.figure(SIGMAS_TOGETHER)
    if together is not None and abs(together.value) >= LEAST_CORRELATION:
        pairs.append(f"range_sigma_m and sigma_dark_m (correlation {together.value:.2f})")
    if isinstance(findings.get("azimuth_offset_deg"), Absent):
        pairs.append("the azimuth offsets of the lasers, and the heading of the head")
    return tuple(pairs)
