# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The part of the configuration that takes a sensor from its maker's files."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Discriminator, Field, Tag

from osi_lidar.config.section import Section
from osi_lidar.config.values import Finite, NotNegative, Positive, SomePath, problem_at

if TYPE_CHECKING:
    from osi_lidar.config.sensor import Sensor


class ScannerFile(Section):
    """A file of several scanners, and what is chosen of it."""

    file: SomePath = Field(description="HELIOS++ scanners (XML), or any other maker's file.")
    scanner: str | None = Field(
        default=None, description="Id of one of its scanners. Default: the only one."
    )
    pulse_hz: Positive | None = Field(
        default=None,
        description="Pulses per second of each channel, within the file's. Default: its most.",
    )
    scan_hz: NotNegative | None = Field(
        default=None,
        description="Lines per second of the mirror (swings, turns of a cone), within the file's. "
        "Default: its most.",
    )
    head_hz: Finite | None = Field(
        default=None,
        description="Turns of the head per second, counter-clockwise, within the file's. Default: "
        "its most.",
    )

    def choices(self) -> dict[str, float]:
        """Return what is chosen of the scanner's rates."""
        rates = ("pulse_hz", "scan_hz", "head_hz")
        return {key: getattr(self, key) for key in rates if getattr(self, key) is not None}


def _tag(value: object) -> str:
    return "section" if isinstance(value, Mapping | ScannerFile) else "path"


CalibrationFile = Annotated[
    Annotated[
        Annotated[SomePath, Tag("path")] | Annotated[ScannerFile, Tag("section")],
        Discriminator(_tag),
    ]
    | None,
    Field(
        description="The maker's file of this unit, with a preset (for ranges, rates and firing "
        "times) or alone: Ouster metadata (JSON), Velodyne calibration (YAML), Hesai angle "
        "correction (CSV, .dat), Livox scan pattern (CSV, NPY), HELIOS++ scanners (XML)."
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


def calibration_file(given: Path | ScannerFile) -> tuple[Path, str | None]:
    """Return the file of a calibration, and the id of a scanner in it."""
    return (given.file, given.scanner) if isinstance(given, ScannerFile) else (given, None)


def check_calibration(sensor: "Sensor") -> None:
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
