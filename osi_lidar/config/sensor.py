# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a sensor and of its mounting."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    Field,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    model_serializer,
    model_validator,
)

from lidar_base.formula import Formula
from lidar_base.sections import Section, problem_at
from lidar_scenery.weather.sunlight import SUNLIGHT_NM
from osi_lidar.config.beam import Beam, Pulse
from osi_lidar.config.calibration import (
    CalibrationFile,
    FireTimeFile,
    Intrinsics,
    check_calibration,
    survey_figures,
    survey_physical,
)
from osi_lidar.config.fidelity import SECTIONS, Fidelity, merged, with_figures
from osi_lidar.config.noise import DetectionThreshold, Noise, formula_values
from osi_lidar.config.patterns.kinds import DEFAULT_RATE_HZ, CameraPattern, Pattern
from osi_lidar.config.range_limit import Limit
from osi_lidar.config.receiver import Efficiency, Reception, ReturnSelection
from osi_lidar.config.values import (
    Azimuth,
    Bounces,
    Count,
    FolderName,
    NotNegative,
    Position,
    Rate,
    Reach,
    Switch,
    Timing,
    Wavelength,
)
from osi_lidar.config.velocity import VelocityOrSwitch
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.configured_sensors import ready_sensor
from osi_lidar.sensors.presets import SensorPreset, load_preset
from osi_lidar.sensors.units import TYPICAL, Unit, draw_unit, known_units, why_not_drawn
from raycore.errors import PatternError

DEFAULT_MIN_RANGE_M = 0.5  # this and the next: without a preset
DEFAULT_MAX_RANGE_M = 200.0
DEFAULT_WAVELENGTH_NM = 905.0
_TRIED_RANGES = 1001

_OF_THE_SIGNAL = {
    "sigma_dark_m": "weak signals",
    "sigma_incidence_m": "the spread of tilted surfaces",
}


class Mounting(Section):
    """Pose of the sensor on its vehicle; in ``scan``, its pose in the world."""

    x_m: Position = Field(default=0.0, description="Distance forward of the rear axle's centre.")
    y_m: Position = Field(
        default=0.0, description="Distance to the left of the rear axle's centre."
    )
    z_m: Position = Field(default=1.9, description="Height above the rear axle's centre.")
    roll_deg: Azimuth = Field(default=0.0, description="Rotation about x, applied first.")
    pitch_deg: Azimuth = Field(default=0.0, description="Rotation about y; positive looks down.")
    yaw_deg: Azimuth = Field(default=0.0, description="Rotation about z; positive turns left.")


class Sensor(Section):
    """One lidar; all lidars of a configuration see the same scene."""

    name: FolderName = Field(
        default="",
        description="Name of the sensor's output folder. Default: the preset's name, or `lidar`.",
    )
    preset: str | None = Field(
        default=None, description="Name of a known sensor, as `osi-lidar sensors` lists them."
    )
    pattern: Pattern | None = Field(
        default=None, description="Scan pattern of your own, instead of a preset."
    )
    calibration: CalibrationFile = None
    firetime: FireTimeFile = None
    intrinsics: Intrinsics = None
    unit: Literal["typical", "drawn"] = Field(
        default="typical",
        description="`typical`: the figures of the preset. `drawn`: one unit, drawn by the seed "
        "and the sensor's name, as far as [differences of units](sensors.md#how-much-units-differ) "
        "are known. The unit has its own factors on range noise and signal, and its own angles if "
        "you set no `calibration` and no `intrinsics` but `nominal`.",
    )
    columns: Count | None = Field(
        default=None,
        description="Columns per turn, for a calibration or a preset that offers a choice.",
    )
    rotation_rate_hz: Rate | None = Field(
        default=None,
        description="Scans per second (turns of a rotating sensor). Some sensors derive their "
        "columns from it, and curves their pulses per scan. Default: the preset's, or 10.",
    )
    timing: Timing = Field(
        default="per_message",
        description="`per_message`: a scan ends with each message, and takes the sensor's own "
        "time (`rotation_rate_hz`), over as many earlier messages as that needs; a `pattern` "
        "without `rotation_rate_hz` takes the time since the previous message. `sensor_rate`: "
        "scans follow each other at the sensor's rate, starting with the first message; a scan "
        "that is incomplete at a message is finished with a later one. `osi-lidar scan` has a "
        "single message, and scans at its time.",
    )
    rolling_shutter: Switch = Field(
        default=True,
        description="Whether each beam starts from the sensor's pose at its firing time; otherwise "
        "all beams start from the pose at the end of the scan.",
    )
    motion_blur: Switch = Field(
        default=True,
        description="Whether each beam sees moving objects in their poses at its firing time; "
        "otherwise in their poses at the end of the scan.",
    )
    deskew: Switch = Field(
        default=False,
        description="Whether motion-compensated points are also written, as seen from the sensor's "
        "pose at the end of the scan, in the folder `deskewed` of the sensor.",
    )
    wavelength_nm: Wavelength = Field(
        default=DEFAULT_WAVELENGTH_NM,
        description="Wavelength of the laser, at which materials are looked up.",
    )
    mounting: Mounting = Field(
        default=Mounting.unstated(),
        description="Pose in the vehicle frame; in `scan`, in the world.",
    )
    min_range_m: NotNegative = Field(
        default=DEFAULT_MIN_RANGE_M,
        description="Minimum range (start of the range gate); nothing nearer is seen.",
    )
    max_range_m: Reach = Field(
        default=DEFAULT_MAX_RANGE_M, description="Maximum range; nothing farther is seen."
    )
    range_limit: Limit | None = Field(
        default="preset",
        description="Detection range by reflectivity: `preset` (the preset's; none for a pattern "
        "of your own), null (`max_range_m` for every target) or a curve.",
    )
    max_bounces: Bounces = Field(
        default=4,
        description="Maximum number of mirror reflections on a beam's path, also at panes; the "
        "path ends at the next mirror.",
    )
    detection: DetectionThreshold | None = Field(
        default=None,
        description="Minimum reflectivity by distance, in addition to `range_limit`.",
    )
    noise: Noise | None = Field(default=None, description="Measurement errors. Default: none.")
    fidelity: Fidelity = Field(
        default="ideal",
        description="`ideal`: only the sections that you set. `physical`: `beam`, `pulse`, "
        "`returns`, `receiver` and `noise` are filled with the figures of the preset or of the "
        "survey scanner in `calibration`, each key that you do not set; `receiver` is on even "
        "without figures. Set a section to null to leave it out.",
    )
    texture: Switch | None = Field(
        default=None,
        description="Whether the sensor sees the texture of materials. Default: with `fidelity: "
        "physical`.",
    )
    beam: Beam | None = Field(default=None, description="Footprint of the beams. Default: lines.")
    pulse: Pulse | None = Field(
        default=None,
        description="Length of the pulses; echoes that are closer merge.",
    )
    returns: ReturnSelection | None = Field(
        default=None, description="Choice of echoes. Default: the strongest."
    )
    receiver: Reception | None = Field(
        default=None,
        description="Detection by signal and noise. Default: the sharp limit of `range_limit`.",
    )
    laser_gains: tuple[Efficiency, ...] = Field(
        default=(),
        description="Factors on the signal of the lasers, one for each ring from the top down, as "
        "`gap twin` finds them for a unit; ideal sensors ignore them. Default: all 1.",
    )
    velocity: VelocityOrSwitch = Field(
        default=False,
        description="Whether points have a radial velocity (field `radial_velocity`): true "
        "(without errors), false, or keys of its errors.",
    )
    near_ir: Switch = Field(
        default=False,
        description="Whether points have a field `near_ir`: the light of sun and sky that their "
        "surface reflects at `wavelength_nm`, without shadows.",
    )
    backfolding: Switch = Field(
        default=False,
        description="Whether ranges from half of `max_range_m` on are reported half of "
        "`max_range_m` too short, as by a time-of-flight camera.",
    )

    _seed: int = PrivateAttr(default=0)

    @model_validator(mode="before")
    @classmethod
    def _fill_from_survey(cls, data: object, info: ValidationInfo) -> object:
        if not isinstance(data, Mapping) or "calibration" not in data:
            return data
        return {**survey_figures(data["calibration"], info), **data}

    @model_validator(mode="before")
    @classmethod
    def _fill_from_preset(cls, data: object, info: ValidationInfo) -> object:
        if not isinstance(data, Mapping):
            return data
        figures: dict[str, dict[str, Any]] = {"receiver": {}}
        if isinstance(data.get("preset"), str):
            data, figures = _with_known_sensor(data)
        if data.get("fidelity") != "physical":
            return data
        return with_figures(data, merged(figures, survey_physical(data.get("calibration"), info)))

    @model_validator(mode="after")
    def _check_choices(self) -> "Sensor":
        alone = self.calibration is not None and self.pattern is None
        if (self.preset is None) == (self.pattern is None) and (self.preset or not alone):
            raise ValueError("needs either a preset or a pattern, or a calibration alone")
        check_calibration(
            has_pattern=self.pattern is not None,
            has_calibration=self.calibration is not None,
            has_firetime=self.firetime is not None,
            intrinsics=self.intrinsics,
        )
        if self.min_range_m >= self.max_range_m:
            raise ValueError(
                f"got min_range_m {self.min_range_m:g}, expected less than max_range_m "
                f"{self.max_range_m:g}"
            )
        preset = None if self.preset is None else load_preset(self.preset)
        if preset is not None:
            _check_preset(self, preset)
        elif self.columns is not None and not alone:
            raise problem_at("columns", message="is for presets; a pattern has its own columns")
        _check_unit(self, preset)
        if self.pattern is not None:
            try:
                self.pattern.check(1.0 / (self.rotation_rate_hz or DEFAULT_RATE_HZ))
            except PatternError as error:
                raise problem_at("pattern", message=str(error)) from None
        return self

    @model_validator(mode="after")
    def _check_contradictions(self) -> "Sensor":
        if self.beam is not None and self.beam.second_bounce and not self.max_bounces:
            raise problem_at("beam", "second_bounce", message="needs max_bounces of 1 or more")
        low, high = SUNLIGHT_NM
        if self.near_ir and not low <= self.wavelength_nm <= high:
            message = f"needs wavelength_nm of {low:g} to {high:g}, got {self.wavelength_nm:g}"
            raise problem_at("near_ir", message=message)
        _check_range_errors(self)
        _try_formulas(self)
        return self

    @model_serializer(mode="wrap")
    def _without_absent_sections(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out sections that are not given: null would keep `physical` from filling them."""
        data: dict[str, Any] = handler(self)
        absent = [name for name in SECTIONS if name not in self.model_fields_set]
        return {key: value for key, value in data.items() if key not in absent}

    def take_seed(self, seed: int) -> None:
        """Store the seed from which ``drawn_unit`` is drawn; no effect unless ``unit`` is drawn."""
        if self.unit == "drawn":
            self._seed = seed

    @property
    def drawn_unit(self) -> Unit:
        """Random differences from the preset; none if ``unit`` is typical, or without a preset."""
        if self.unit == "typical" or self.preset is None:
            return TYPICAL
        return draw_unit(
            load_preset(self.preset),
            seed=self._seed,
            sensor=self.name,
            angles=_draws_angles(self),
        )

    @property
    def is_physical(self) -> bool:
        """Whether ``beam``, ``pulse``, ``returns`` or ``receiver`` is set, by user or fidelity."""
        return any((self.beam, self.pulse, self.returns, self.receiver))

    @property
    def kind(self) -> str:
        """Name of the preset, else kind of the pattern (such as "grid"), else "calibration"."""
        return self.preset or (self.pattern.kind if self.pattern else "calibration")

    @property
    def image_size(self) -> tuple[int, int] | None:
        """Width and height [pixels] of a camera's images; None for other sensors."""
        pattern = self.pattern
        return (pattern.width, pattern.height) if isinstance(pattern, CameraPattern) else None


def _check_preset(sensor: Sensor, preset: SensorPreset) -> None:
    """Raise an error if the preset does not offer the sensor's angles, columns or rate."""
    if sensor.intrinsics == "nominal" and preset.channels.angles != "nominal":
        message = (
            f"sensor {preset.name}: nominal angles are not known, expected calibrated or naive"
        )
        raise problem_at("intrinsics", message=message)
    try:
        preset.sweep(columns=sensor.columns, rotation_rate_hz=sensor.rotation_rate_hz)
    except ConfigurationError as error:
        key = "rotation_rate_hz" if sensor.columns is None else "columns"
        raise problem_at(key, message=str(error)) from None


def _draws_angles(sensor: Sensor) -> bool:
    """Return whether a drawn unit gets angles of its own: only where they are the nominal ones."""
    return sensor.calibration is None and sensor.intrinsics in (None, "nominal")


def _check_unit(sensor: Sensor, preset: SensorPreset | None) -> None:
    """Raise an error if a unit is to be drawn, but it is not known how units differ."""
    if sensor.unit == "typical":
        return
    why_not = f"drawn needs a preset: how units differ is not known, {known_units()}"
    if preset is not None:
        why_not = why_not_drawn(preset, angles=_draws_angles(sensor))
    if why_not:
        raise problem_at("unit", message=why_not)


def _check_range_errors(sensor: Sensor) -> None:
    """Raise an error if the receiver and the noise both model the same range error."""
    if sensor.receiver is None or sensor.noise is None:
        return
    for key, cause in _OF_THE_SIGNAL.items():
        if getattr(sensor.noise, key):
            raise problem_at(
                "noise",
                key,
                message=f"not allowed with receiver, whose range errors already grow with {cause}",
            )
    if sensor.noise.reflectivity_table and sensor.receiver.adds_range_error:
        raise problem_at(
            "noise",
            "reflectivity_table",
            message="adds to the range errors of receiver, expected receiver.precision: []",
        )


def _try_formulas(sensor: Sensor) -> None:
    """Evaluate the formulas over the sensor's ranges; raise an error if one fails."""
    tried_m = np.linspace(sensor.min_range_m, sensor.max_range_m, _TRIED_RANGES)
    for key, formula in (sensor.noise or Noise()).depth_formulas().items():
        _try_formula(key, formula, tried_m)


def _try_formula(key: str, formula: Formula, tried_m: NDArray[np.float64]) -> None:
    try:
        formula_values(key, formula, tried_m)
    except ConfigurationError as error:
        raise problem_at("noise", key, message=str(error)) from None


def _with_known_sensor(
    data: Mapping[str, Any],
) -> tuple[Mapping[str, Any], dict[str, dict[str, Any]]]:
    """Add the keys of the known sensor that the data names; also return its `physical` figures."""
    figures: dict[str, dict[str, Any]] = {"receiver": {}}
    ready = ready_sensor(data["preset"])
    if ready is not None:
        if "pattern" in data:
            raise problem_at("pattern", message=f"sensor {ready.name} has a pattern of its own")
        own = {key: value for key, value in data.items() if key != "preset"}
        data = {"name": ready.name, **ready.sensor, **own}
        figures = merged(ready.physical, figures)
        if "preset" not in data:
            return data, figures
    try:
        preset = load_preset(data["preset"])
    except ConfigurationError as error:
        raise problem_at("preset", message=str(error)) from None
    filled = ("min_range_m", "max_range_m", "wavelength_nm")
    defaults = {key: getattr(preset, key) for key in filled}
    return {**defaults, **data, "preset": preset.name}, merged(figures, preset.physical())
