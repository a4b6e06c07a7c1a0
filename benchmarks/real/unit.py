# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The laser angles of a unit, found in its clouds by `osi-lidar gap calibrate`.

`calibrate` needs neither the scene nor poses: it finds the rings of the lasers and planes itself.
"""

from collections.abc import Sequence
from pathlib import Path

from lidar_gap.calibrate import calibrate
from lidar_gap.calibrate.sensor_file import write_sensor
from lidar_gap.records import ScanCloud
from osi_lidar.sensors.presets import load_preset

LASERS = "calibrated_lasers.yaml"


def write_lasers(clouds: Sequence[ScanCloud], preset: str, folder: Path) -> None:
    """Calibrate the lasers from clouds; write `LASERS` and the files beside it into a folder."""
    found = calibrate(clouds, load_preset(preset))
    write_sensor(found, folder / "calibrated.yaml", [Path(each.name) for each in clouds])
