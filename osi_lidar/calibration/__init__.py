# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensors from the makers' own files: one reader for each maker, and the beams that follow.

``record`` holds what a file says, ``reading`` finds the reader of a file, ``beams`` makes the beams
of a configured sensor.
"""

from osi_lidar.calibration.beams import sensor_source
from osi_lidar.calibration.reading import read_calibration, read_fire_times
from osi_lidar.calibration.record import BeamTable, Calibration

__all__ = ["BeamTable", "Calibration", "read_calibration", "read_fire_times", "sensor_source"]
