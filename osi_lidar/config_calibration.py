# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The part of the configuration that takes a sensor from its maker's files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from osi_lidar.config_types import SomePath, problem_at

if TYPE_CHECKING:
    from osi_lidar.config_sensor import Sensor

CalibrationFile = Annotated[
    SomePath | None,
    Field(
        description="The maker's file of this unit, with a preset (for ranges, rates and firing "
        "times) or alone: Ouster metadata (JSON), Velodyne calibration (YAML), Hesai angle "
        "correction (CSV; .dat of an AT128), Livox scan pattern (CSV, NPY)."
    ),
]
FireTimeFile = Annotated[
    SomePath | None,
    Field(description="Hesai firetime correction (CSV), beside `calibration`."),
]
Intrinsics = Annotated[
    Literal["calibrated", "naive"],
    Field(
        description="`naive`: elevations evenly spaced between the lowest and the highest, no "
        "azimuth offsets, all beams from the origin."
    ),
]


def check_calibration(sensor: Sensor) -> None:
    """Refuse a pattern together with what only a sensor with lasers has.

    Raises
    ------
    ValidationError
        With the key.
    """
    if sensor.pattern is not None and sensor.calibration is not None:
        raise problem_at("calibration", message="belongs to a sensor; a pattern has its own angles")
    if sensor.pattern is not None and sensor.intrinsics == "naive":
        raise problem_at("intrinsics", message="belongs to a sensor; a pattern has its own angles")
    if sensor.calibration is None and sensor.firetime is not None:
        raise problem_at("firetime", message="belongs to a calibration, which is not given")
