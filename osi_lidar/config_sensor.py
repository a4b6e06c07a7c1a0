# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The part of the configuration that describes a sensor, and what its models share."""

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Discriminator, Field, model_validator

from osi_lidar.config_range import Limit
from osi_lidar.config_section import Section
from osi_lidar.config_types import (
    Azimuth,
    Count,
    Elevation,
    FolderName,
    NotNegative,
    Position,
    Positive,
    Rate,
    SomePath,
    Step,
    Switch,
    problem_at,
)
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors import load_preset
from raycore.errors import PatternError
from raycore.pattern import MAX_BEAMS, MAX_ROWS, grid_from_angles

DEFAULT_MIN_RANGE_M = 0.5  # of a sensor with a pattern of its own
DEFAULT_MAX_RANGE_M = 200.0
DEFAULT_WAVELENGTH_NM = 905.0


class AngleRange(Section):
    """Evenly spaced angles; ``min_deg`` and ``max_deg`` are both included if the step fits."""

    min_deg: Azimuth = Field(description="First angle.")
    max_deg: Azimuth = Field(description="Last angle, at least `min_deg`.")
    step_deg: Step = Field(description="Distance between two neighbours.")

    @model_validator(mode="after")
    def _check_order(self) -> "AngleRange":
        if self.max_deg < self.min_deg:
            raise ValueError(f"max_deg {self.max_deg:g} is less than min_deg {self.min_deg:g}")
        return self

    @property
    def count(self) -> int:
        """Number of angles; a step that does not fit ends before ``max_deg``."""
        return int((self.max_deg - self.min_deg) / self.step_deg + 1e-6) + 1


class GridPattern(Section):
    """A field of view with resolutions."""

    kind: Literal["grid"] = Field(description="A field of view with resolutions.")
    horizontal: AngleRange = Field(description="Azimuths, counter-clockwise from forward.")
    vertical: AngleRange = Field(description="Elevations, up is positive; within -90 to 90.")

    @model_validator(mode="after")
    def _check_extent(self) -> "GridPattern":
        if self.horizontal.max_deg - self.horizontal.min_deg > 360:
            raise problem_at("horizontal", message="covers more than 360 degrees")
        if not -90 <= self.vertical.min_deg <= self.vertical.max_deg <= 90:
            raise problem_at("vertical", message="leaves -90 to 90 degrees")
        _check_size(self.horizontal.count, self.vertical.count)
        return self


class AnglesPattern(Section):
    """Two lists of angles that form a grid."""

    kind: Literal["angles"] = Field(description="Two lists of angles that form a grid.")
    horizontal_deg: tuple[Azimuth, ...] = Field(min_length=1, description="Azimuths.")
    vertical_deg: tuple[Elevation, ...] = Field(min_length=1, description="Elevations.")

    @model_validator(mode="after")
    def _check_angles(self) -> "AnglesPattern":
        _check_size(len(self.horizontal_deg), len(self.vertical_deg))
        _check_distinct("horizontal_deg", self.horizontal_deg)
        _check_distinct("vertical_deg", self.vertical_deg)
        return self


class PairsPattern(Section):
    """Single beams in the order given, which fire all at once."""

    kind: Literal["pairs"] = Field(
        description="Single beams in the order given, which fire all at once."
    )
    azimuth_elevation_deg: tuple[tuple[Azimuth, Elevation], ...] | None = Field(
        default=None, min_length=1, description="Azimuth and elevation of each beam."
    )
    file: SomePath | None = Field(
        default=None,
        description="CSV file of two columns, azimuth and elevation; a header is skipped.",
    )

    @model_validator(mode="after")
    def _check_source(self) -> "PairsPattern":
        if (self.azimuth_elevation_deg is None) == (self.file is None):
            raise ValueError("needs exactly one of azimuth_elevation_deg and file")
        return self


def _check_size(n_column: int, n_row: int) -> None:
    if n_row > MAX_ROWS:
        raise ValueError(f"{n_row} elevations, at most {MAX_ROWS} are allowed")
    if n_column * n_row > MAX_BEAMS:
        raise ValueError(f"{n_column * n_row} beams, at most {MAX_BEAMS} are allowed")


def _check_distinct(key: str, angles_deg: tuple[float, ...]) -> None:
    """Refuse a direction given twice, by the rule of the grid itself: -180 is 180."""
    try:
        grid_from_angles(horizontal_rad=np.radians(angles_deg), vertical_rad=[0.0])
    except PatternError as error:
        raise problem_at(key, message=str(error).removeprefix("horizontal: ")) from None


Pattern = Annotated[GridPattern | AnglesPattern | PairsPattern, Discriminator("kind")]


class Mounting(Section):
    """Where the sensor is on its vehicle; in ``scan``, where it is in the world."""

    x_m: Position = Field(default=0.0, description="Forward of the rear axle's centre.")
    y_m: Position = Field(default=0.0, description="Left of it.")
    z_m: Position = Field(default=1.9, description="Above it.")
    roll_deg: Azimuth = Field(default=0.0, description="About x, applied first.")
    pitch_deg: Azimuth = Field(default=0.0, description="About y, positive looks down.")
    yaw_deg: Azimuth = Field(default=0.0, description="About z, positive turns left.")


class Sensor(Section):
    """One lidar. Several of them see the same scene."""

    name: FolderName = Field(
        default="", description="Folder of its output. Default: the preset's name, or `lidar`."
    )
    preset: str | None = Field(default=None, description="A sensor of `osi-lidar sensors`.")
    pattern: Pattern | None = Field(default=None, description="Or a scan pattern of your own.")
    columns: Count | None = Field(
        default=None, description="Columns per turn, where the preset lets one choose."
    )
    rotation_rate_hz: Rate | None = Field(
        default=None,
        description="Scans per second (turns of one that rotates), which decide the columns of "
        "some sensors. Default: the preset's, or 10.",
    )
    timing: Literal["per_message", "sensor_rate"] = Field(
        default="per_message",
        description="`per_message`: each message is one scan, over the time since the one before, "
        "whatever the rate. `sensor_rate`: scans follow each other at the sensor's rate, from the "
        "first message on; one that a message ends in the middle of is finished with the next.",
    )
    rolling_shutter: Switch = Field(
        default=True,
        description="Whether each beam starts where the sensor is when it fires; else all start "
        "where it is at the end of the scan.",
    )
    motion_blur: Switch = Field(
        default=True,
        description="Whether each beam meets moving objects where they are when it fires; else "
        "where they are at the end of the scan.",
    )
    deskew: Switch = Field(
        default=False,
        description="Also give the points as they would be seen from where the sensor is at the "
        "end of the scan: files in the folder `deskewed` of the sensor.",
    )
    wavelength_nm: Positive = Field(
        default=DEFAULT_WAVELENGTH_NM,
        description="Wavelength of the laser, at which materials are looked up.",
    )
    mounting: Mounting = Field(
        default=Mounting(), description="Pose in the vehicle frame; in `scan`, in the world."
    )
    min_range_m: NotNegative = Field(
        default=DEFAULT_MIN_RANGE_M, description="Nothing nearer is seen."
    )
    max_range_m: Positive = Field(
        default=DEFAULT_MAX_RANGE_M, description="Nothing farther is seen."
    )
    range_limit: Limit | None = Field(
        default="preset",
        description="`preset` (its own, none for a pattern of your own), null (`max_range_m` for "
        "every target) or a curve.",
    )

    @model_validator(mode="before")
    @classmethod
    def _fill_from_preset(cls, data: object) -> object:
        if not isinstance(data, Mapping) or not isinstance(data.get("preset"), str):
            return data
        try:
            preset = load_preset(data["preset"])
        except ConfigurationError as error:
            raise problem_at("preset", message=str(error)) from None
        filled = ("min_range_m", "max_range_m", "wavelength_nm")
        defaults = {key: getattr(preset, key) for key in filled}
        return {**defaults, **data, "preset": preset.name}

    @model_validator(mode="after")
    def _check_choices(self) -> "Sensor":
        if (self.preset is None) == (self.pattern is None):
            raise ValueError("needs exactly one of preset and pattern")
        if self.min_range_m >= self.max_range_m:
            raise ValueError(
                f"min_range_m {self.min_range_m:g} is not less than "
                f"max_range_m {self.max_range_m:g}"
            )
        if self.preset is not None:
            self._check_sweep(self.preset)
        elif self.columns is not None:
            raise problem_at("columns", message="belongs to a preset; a pattern has its own")
        return self

    def _check_sweep(self, preset: str) -> None:
        try:
            load_preset(preset).sweep(columns=self.columns, rotation_rate_hz=self.rotation_rate_hz)
        except ConfigurationError as error:
            key = "rotation_rate_hz" if self.columns is None else "columns"
            raise problem_at(key, message=str(error)) from None
