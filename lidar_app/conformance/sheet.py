# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The data sheet of a subject (the tested sensor model), as YAML."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, model_validator

from lidar_base.errors import YamlFileError
from lidar_base.files.yaml_files import read_yaml
from lidar_base.sections import Section, first_problem, problem_at
from osi_bridge import MountingPosition
from osi_lidar.errors import ConfigurationError

Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Pair = tuple[Finite, Finite]
Claim = Literal[
    "detections",
    "object_ids",
    "intensity",
    "velocity",
    "weather",
    "skew",
    "repeatable",
    "fields",
    "retroreflectors",
    "targets",
]
Material = Literal["wood", "plastic", "concrete", "metal", "stone", "glass", "mud"]
"""Materials of a stationary object in OSI."""


class SheetBeams(Section):
    """Directions of the beams: a row for each elevation, with a beam in each azimuth step.

    Attributes
    ----------
    elevation_deg : tuple of float
        Elevation of each row. [deg]
    azimuth_step_deg : float
        Azimuth step from beam to beam in a row. [deg]
    azimuth_offset_deg : tuple of float, optional
        Azimuth that is added to all beams of a row, for each row; None: no offsets. [deg]
    """

    elevation_deg: tuple[Finite, ...] = Field(min_length=1)
    azimuth_step_deg: Positive
    azimuth_offset_deg: tuple[Finite, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> "SheetBeams":
        offsets, n = self.azimuth_offset_deg, len(self.elevation_deg)
        if offsets is not None and len(offsets) != n:
            message = f"got {len(offsets)} offsets, expected {n}, one for each row"
            raise problem_at("azimuth_offset_deg", message=message)
        return self


class SheetView(Section):
    """Field of view in the sensor frame: (least, greatest) azimuth and elevation [deg]."""

    azimuth_deg: Pair = (-180.0, 180.0)
    elevation_deg: Pair


class SheetErrors(Section):
    """Errors that the subject claims.

    `range_sigma_m` is the standard deviation of ranges [m], `range_trueness_m` the limit of their
    mean error [m]. `angle_deg` is the standard deviation of directions [deg], `divergence_deg` the
    full width of a beam [deg].
    """

    range_sigma_m: NotNegative = 0.0
    range_trueness_m: NotNegative = 0.005
    angle_deg: NotNegative = 0.0
    divergence_deg: NotNegative = 0.0


class SheetMargins(Section):
    """Margins that judgements allow in addition to `SheetErrors`.

    Attributes
    ----------
    range_m : float
        Error of a range, in scenes that do not test the accuracy of ranges. [m]
    share : float
        Share of the detections that may be off.
    number : float
        Share by which the number of detections may differ.
    edges : float
        Number of beams by which the number of detections may differ at each edge of an object, in
        each row of beams.
    intensity : float
        Error of a ratio of intensities. [1]
    velocity_m_s : float
        Error of a radial velocity. [m/s]
    """

    range_m: Annotated[float, Field(ge=0.0, le=0.05)] = 0.05
    share: Annotated[float, Field(ge=0.0, le=0.002)] = 0.002
    number: Annotated[float, Field(ge=0.0, le=0.02)] = 0.02
    edges: Annotated[float, Field(ge=0.0, le=1.0)] = 1.0
    intensity: Annotated[float, Field(ge=0.0, le=0.05)] = 0.05
    velocity_m_s: Annotated[float, Field(ge=0.0, le=0.1)] = 0.1


class SheetMounting(Section):
    """Pose of the sensor in the vehicle frame: x, y, z [m], and roll, pitch, yaw [deg].

    The origin of the vehicle frame is the centre of the rear axle.
    """

    x_m: Finite = 0.0
    y_m: Finite = 0.0
    z_m: Finite = 0.0
    roll_deg: Finite = 0.0
    pitch_deg: Finite = 0.0
    yaw_deg: Finite = 0.0


class SheetScan(Section):
    """Timing of a scan: all beams fire at one instant, or one after the other by azimuth.

    In a scan of the kind "instant", all beams fire at the end of the scan. A scan of the kind
    "rotating" starts at the azimuth `start_deg` [deg] in the sensor frame. It turns by 360 degrees
    in one period, in the direction `turn` as seen from above.
    """

    kind: Literal["instant", "rotating"] = "instant"
    start_deg: Finite = 180.0
    turn: Literal["clockwise", "counterclockwise"] = "clockwise"


class SheetIntensity(Section):
    """Law by which intensity falls with the range and with the angle of incidence.

    It is proportional to range ** -`range_exponent`. If `incidence` is "lambertian", it is also
    proportional to the cosine of the angle of incidence; if "none", it does not depend on it.
    """

    range_exponent: NotNegative = 2.0
    incidence: Literal["lambertian", "none"] = "lambertian"


class SheetTarget(Section):
    """A target: name of its OSI material, reflectivity (0 to 1), and detection range [m]."""

    material: Material
    reflectivity: Annotated[float, Field(gt=0.0, le=1.0)]
    range_m: Positive


class DataSheet(Section):
    """Properties that the tested model (subject) claims to have, and settings of its test.

    The sections have classes of their own, such as `SheetBeams`. `range_m` are the least and
    greatest range [m], `rate_hz` is the number of scans in a second, and `echoes` the greatest
    number of echoes of a beam. `ground` says whether the subject shows a ground plane below the
    lowest box. `parameters` are parameters of an FMU. `not_claimed` lists properties that the
    subject does not claim. `timeout_s` is the longest time for the answers to a scene, over TCP for
    one answer [s]; the process of an FMU or a configuration has 120 s more to start.
    """

    name: str = Field(min_length=1, max_length=80)
    beams: SheetBeams | None = None
    field_of_view: SheetView
    range_m: Pair
    errors: SheetErrors = SheetErrors()
    margins: SheetMargins = SheetMargins()
    mounting: SheetMounting = SheetMounting()
    rate_hz: Positive = 10.0
    scan: SheetScan = SheetScan()
    echoes: int = Field(default=1, ge=1, le=16)
    intensity: SheetIntensity = SheetIntensity()
    targets: tuple[SheetTarget, ...] = Field(default=(), max_length=4)
    ground: bool = False
    timeout_s: Positive = 60.0
    parameters: Mapping[str, bool | int | float | str] = {}
    not_claimed: tuple[Claim, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> "DataSheet":
        for name, (low, high) in (
            ("range_m", self.range_m),
            ("field_of_view", self.field_of_view.azimuth_deg),
            ("field_of_view", self.field_of_view.elevation_deg),
        ):
            if low >= high:
                raise problem_at(
                    name, message=f"got {low:g} to {high:g}, expected the lower one first"
                )
        if self.range_m[0] < 0.0:
            raise problem_at("range_m", message=f"got {self.range_m[0]:g}, expected 0 or more")
        for index, target in enumerate(self.targets):
            if target.range_m > self.range_m[1]:
                message = f"got {target.range_m:g}, expected at most range_m, {self.range_m[1]:g}"
                raise problem_at("targets", index, "range_m", message=message)
        return self

    def claims(self, *names: str) -> bool:
        """Return whether the tested model (the subject) claims all properties in `names`.

        `names` are values of `not_claimed`, such as "intensity". All are claimed unless
        `not_claimed` has them; "targets" also needs targets in the sheet.
        """
        missing = set(self.not_claimed) | (set() if self.targets else {"targets"})
        return not set(names) & missing

    @property
    def period_ns(self) -> int:
        """Time from one scan to the next [ns]."""
        return round(1e9 / self.rate_hz)

    @property
    def position_m(self) -> tuple[float, float, float]:
        """Position (x, y, z) of the sensor in the vehicle frame, from `mounting` [m]."""
        return self.mounting.x_m, self.mounting.y_m, self.mounting.z_m

    @property
    def orientation_rad(self) -> tuple[float, float, float]:
        """Roll, pitch and yaw of the sensor in the vehicle frame, from `mounting` [rad]."""
        of = self.mounting
        return math.radians(of.roll_deg), math.radians(of.pitch_deg), math.radians(of.yaw_deg)

    @property
    def pose(self) -> MountingPosition:
        """Pose of the sensor in the vehicle frame, in the form that messages state."""
        return MountingPosition(position_m=self.position_m, orientation_rad=self.orientation_rad)

    @property
    def guard_rad(self) -> float:
        """Allowed error of a direction [rad]: half the divergence and four standard deviations."""
        return math.radians(0.5 * self.errors.divergence_deg + 4.0 * self.errors.angle_deg) + 1e-6

    @property
    def tolerance_m(self) -> float:
        """Allowed error of a single range [m]: the trueness and six standard deviations."""
        return self.errors.range_trueness_m + 6.0 * self.errors.range_sigma_m

    @property
    def coarse_m(self) -> float:
        """Allowed error of a range in scenes that do not test the accuracy of ranges [m]."""
        return self.tolerance_m + self.margins.range_m


def read_sheet(file: Path) -> DataSheet:
    """Read the data sheet of a tested model from a YAML file.

    Parameters
    ----------
    file : Path
        The file.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, or the sheet is invalid. The message is a line with the file and
        the problem; for a wrong value, it also has the key.
    """
    try:
        data = read_yaml(file)
    except YamlFileError as error:
        raise ConfigurationError(str(error)) from None
    try:
        return DataSheet.model_validate(data)
    except ValidationError as error:
        raise ConfigurationError(f"{file}: {first_problem(error, data)}") from None
