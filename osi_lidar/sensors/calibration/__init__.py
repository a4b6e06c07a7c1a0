# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of calibrations in the makers' own file formats.

``record`` holds the content of a file, ``reading`` finds the reader of a file.

Names are imported on first use, as few sensors have such a file.
"""

from typing import TYPE_CHECKING

from lidar_base.lazy_names import imported_on_use

if TYPE_CHECKING:
    from osi_lidar.sensors.calibration.helios import SurveyScanner as SurveyScanner
    from osi_lidar.sensors.calibration.reading import firetime_not_followed as firetime_not_followed
    from osi_lidar.sensors.calibration.reading import read_calibration as read_calibration
    from osi_lidar.sensors.calibration.reading import read_fire_times as read_fire_times
    from osi_lidar.sensors.calibration.reading import read_frame_fire_times as read_frame_fire_times
    from osi_lidar.sensors.calibration.record import BeamTable as BeamTable
    from osi_lidar.sensors.calibration.record import Calibration as Calibration

__getattr__ = imported_on_use(
    __name__,
    {
        "BeamTable": "record",
        "Calibration": "record",
        "SurveyScanner": "helios",
        "firetime_not_followed": "reading",
        "read_calibration": "reading",
        "read_fire_times": "reading",
        "read_frame_fire_times": "reading",
    },
)
