# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The step of a sensor's ranges: ranges are rounded to multiples of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_gap.calibrate.beams import along_beams_m
from lidar_gap.calibrate.comb import greatest_step
from lidar_gap.calibrate.findings import Absent, figure

if TYPE_CHECKING:
    from lidar_gap.calibrate.beams import Beams
    from lidar_gap.calibrate.findings import Finding
    from lidar_gap.calibrate.recording import Recording

_MOST_M = 0.1


def find_quantum(recording: Recording, beams: Beams) -> Finding:
    """Return the step to which the sensor rounds ranges, as the figure ``quantisation_m``.

    A step of at most 0.1 m is searched in the reported ranges, and if they have none, in the
    distances along the beams. The result is `Absent` if neither has a step.

    Parameters
    ----------
    recording : Recording
        Points of all frames, with their ranges and laser numbers.
    beams : Beams
        Angles and origins of the lasers of this recording, from `find_beams`.
    """
    for range_m, what in (
        (recording.range_m, "reported ranges"),
        (along_beams_m(recording, beams), "distances along the beams"),
    ):
        step_m = greatest_step(range_m, recording.ring, recording.n_ring, most=_MOST_M)
        if step_m is not None:
            on = f"greatest common step of the {what}"
            return figure("quantisation_m", (step_m, step_m, step_m), len(range_m), on)
    return Absent(name="quantisation_m", reason="ranges have no common step")
