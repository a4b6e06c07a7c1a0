# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The angles of a unit from its own clouds, as `osi-lidar gap calibrate` finds them.

No place and no pose is known to it: it looks for lines of lasers and for planes by itself.
"""

from collections.abc import Sequence
from pathlib import Path

from lidar_gap.calibrate import calibrate
from lidar_gap.calibrate.sensor_file import write_sensor
from lidar_gap.records import ScanCloud
from osi_lidar.sensors.presets import load_preset

LASERS = "calibrated_lasers.yaml"


def write_lasers(clouds: Sequence[ScanCloud], preset: str, folder: Path) -> None:
    """Write `LASERS` into a folder, and the files beside it."""
    found = calibrate(clouds, load_preset(preset))
    write_sensor(found, folder / "calibrated.yaml", [Path(each.name) for each in clouds])
