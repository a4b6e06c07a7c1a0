# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``gap calibrate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.completion import known_sensors
from lidar_app.cli.parts.console import print_json, tell
from lidar_app.cli.parts.options import JsonOption, MetadataOption, SourceOption
from lidar_app.cli.parts.parameters import OUT, SENSOR, argument, option
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from lidar_gap.records import ScanCloud
    from osi_lidar.sensors.presets import SensorPreset


def calibrate(
    recordings: Annotated[
        list[Path],
        argument("RECORDING", "Recordings of one sensor: packets, or clouds with laser numbers."),
    ],
    sensor: str | None = option(
        "NAME",
        "Known sensor whose unit made the recordings. Default: unknown.",
        SENSOR,
        complete=known_sensors,
    ),
    out_file: Path = option(
        "FILE",
        "Configuration to write (YAML); two more files are written beside it.",
        *OUT,
        default=Path("sensor.yaml"),
    ),
    metadata: MetadataOption = None,
    source: SourceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the angles, the noise and the errors of one unit of a sensor in its recordings."""
    from lidar_base.files.own_files import check_claim
    from lidar_gap.calibrate import calibrate as run
    from lidar_gap.calibrate.sensor_file import check_name, figures_dict, write_sensor
    from lidar_gap.calibrate.table import calibration_table

    check_name(out_file, [*recordings, *([] if metadata is None else [metadata])])
    check_claim(out_file)
    preset = _preset(sensor)
    found = run(_clouds(recordings, metadata, source), preset)
    files = write_sensor(found, out_file, recordings)
    if as_json:
        shown = figures_dict(found, [each.name for each in recordings])
        print_json({**shown, "files": [str(file) for file in files]})
        return
    tell(calibration_table(found))
    named = ", ".join(map(str, files))
    tell(f"Written: {named}")


def _clouds(recordings: list[Path], metadata: Path | None, source: str | None) -> list[ScanCloud]:
    from lidar_gap.reading import read_clouds

    read = (read_clouds(path, metadata=metadata, source=source) for path in recordings)
    return [each for recording in read for each in recording]


def _preset(name: str | None) -> SensorPreset | None:
    from osi_lidar.sensors.configured_sensors import ready_sensor
    from osi_lidar.sensors.presets import load_preset

    if name is None:
        return None
    if ready_sensor(name) is not None:
        raise InputError(f"--sensor: {name} has no turning head, expected a sensor with lasers")
    return load_preset(name)
