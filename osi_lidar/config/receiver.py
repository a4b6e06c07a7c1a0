# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a sensor's returns and of its receiver."""

import itertools
from typing import Annotated, Literal

from pydantic import Field, model_validator

from lidar_base.sections import Section, problem_at
from osi_lidar.config.noise import Share
from osi_lidar.config.values import Finite, NotNegative, Positive, Reach, Switch

MAX_ECHOES = 8
MAX_ALARMS = 0.5
MAX_SPREAD = 2.0
MIN_EFFICIENCY, MAX_EFFICIENCY, MAX_NEAR_M = 1e-6, 10.0, 1e3
MAX_SHOT_NOISE, MAX_OFFSET_M = 100.0, 1.0
MAX_STRAY_SHARE, MAX_STRAY_DEG = 0.01, 5.0  # a larger one is not a halo
MAX_LUX = 1e6  # the sun gives some 130 000 lx

Mode = Literal[
    "strongest", "last", "first", "last_strongest", "last_first", "first_strongest", "all"
]
Echoes = Annotated[int, Field(strict=True, ge=1, le=MAX_ECHOES)]
Separation = Annotated[Finite, Field(ge=0, le=1000)]
AlarmProbability = Annotated[Finite, Field(ge=0, le=MAX_ALARMS)]
LimitProbability = Annotated[Finite, Field(ge=0.01, le=0.99)]
Lux = Annotated[Finite, Field(ge=0, le=MAX_LUX)]
ShotNoise = Annotated[Finite, Field(ge=0, le=MAX_SHOT_NOISE)]
Spread = Annotated[Finite, Field(ge=0, le=MAX_SPREAD)]
Efficiency = Annotated[Finite, Field(ge=MIN_EFFICIENCY, le=MAX_EFFICIENCY)]
Offset = Annotated[Finite, Field(ge=-MAX_OFFSET_M, le=MAX_OFFSET_M)]
NearRange = Annotated[Finite, Field(ge=0, le=MAX_NEAR_M)]
StrayShare = Annotated[Finite, Field(gt=0, le=MAX_STRAY_SHARE)]
StrayWidth = Annotated[Finite, Field(gt=0, le=MAX_STRAY_DEG)]
PrecisionRow = tuple[Positive, Reach]
EfficiencyRow = tuple[NotNegative, Efficiency]


class ReturnSelection(Section):
    """Which echoes of a beam the sensor reports, and at which range."""

    mode: Mode = Field(
        default="strongest",
        description="Echoes reported for each beam: one, a pair, or all. If the last or first echo "
        "of a pair is also the strongest, the second strongest completes the pair.",
    )
    max: Echoes = Field(default=3, description="Maximum number of echoes per beam, for `all`.")
    min_separation_m: Separation = Field(
        default=0.0,
        description="An echo nearer than this to a stronger one of its beam is dropped.",
    )
    reset: Literal["none", "threshold"] = Field(
        default="none",
        description="`threshold`: the signal must fall below the threshold between two echoes; "
        "maxima without such a valley are one echo, from rise to fall.",
    )
    method: Literal["peak", "centroid", "leading_edge", "fraction"] = Field(
        default="peak",
        description="Range of an echo: its maximum, the centre of its part above the threshold, "
        "its rise through the threshold, or its rise through half of the maximum (calibrated).",
    )
    strongest_by: Literal["signal", "reflectivity"] = Field(
        default="signal",
        description="Value by which an echo is the strongest: its signal, or the reflectivity that "
        "the sensor reports for it.",
    )
    order: Literal["range", "farthest", "strength"] = Field(
        default="range",
        description="Order of a beam's points: the nearest, the farthest or the strongest first.",
    )
    duplicates: Switch = Field(
        default=False,
        description="Whether a single echo fills both places of a pair and so gives two equal "
        "points, as real sensors send it.",
    )

    @property
    def n_most(self) -> int:
        """Maximum number of echoes of one beam."""
        if self.mode == "all":
            return self.max
        return 2 if "_" in self.mode else 1


class StrayLight(Section):
    """Halo around each beam, in which retroreflectors bloom."""

    share: StrayShare = Field(
        description="Signal of a retroreflector in a beam that passes beside it, relative to its "
        "signal in the beam that hits it; extrapolated to an angle of 0 between the two beams.",
    )
    width_deg: StrayWidth = Field(
        description="Angle between the two beams at which `share` has fallen to 1/e.",
    )


class Reception(Section):
    """Receiver: noise, threshold, false alarms, precision and saturation."""

    false_alarm_probability: AlarmProbability = Field(
        default=1e-4,
        description="Probability that noise alone gives an echo, per beam; it sets the threshold.",
    )
    probability_at_limit: LimitProbability = Field(
        default=0.5,
        description="Probability of detection at the detection range (`range_limit`).",
    )
    signal_spread: Spread = Field(
        default=0.0,
        description="Standard deviation of the logarithm of the threshold, drawn for each pulse. "
        "It makes echoes of the same reported signal return at times and be missing at others.",
    )
    laser_spread: Spread = Field(
        default=0.0,
        description="Standard deviation of the logarithm of the threshold, drawn once for each "
        "laser and kept in all scans.",
    )
    shot_noise: ShotNoise = Field(
        default=0.0,
        description="Shot noise: variance that the signal adds to the noise, per unit of its "
        "signal-to-noise ratio, relative to the variance without a signal.",
    )
    near_range_m: NearRange = Field(
        default=8.0,
        description="Range below which echoes grow no stronger, as near targets are blurred "
        "beyond the detector.",
    )
    near_field: tuple[EfficiencyRow, ...] = Field(
        default=(),
        description="Rows of range [m] and factor on the signal of a target there, relative to the "
        "law of far signals; interpolated linearly, constant beyond the ends. The rows replace "
        "`near_range_m`.",
    )
    offset_m: tuple[Offset, Offset] = Field(
        default=(0.0, 0.0),
        description="Position of the receiver relative to the start of its beam: to the left and "
        "up [m]. A point that a surface hides from the receiver gives no echo.",
    )
    sunlight_share: Share = Field(
        default=0.5,
        description="Share of sunlight in the variance of the noise at 100 000 lx, the illuminance "
        "that data sheets assume.",
    )
    ambient_lux: Lux | None = Field(
        default=None,
        description="Illuminance of the scene [lx]. Default: as the messages state it (sun or "
        "ambient illumination), or 100 000.",
    )
    reported: Literal["sum", "peak"] = Field(
        default="sum",
        description="Reflectivity of an echo. `sum`: from all of its light. `peak`: from its "
        "maximum, which is also compared with the threshold.",
    )
    precision: tuple[PrecisionRow, ...] | None = Field(
        default=None,
        description="Rows of signal-to-noise ratio and standard deviation of the range [m], "
        "interpolated in logarithms, and constant beyond the ends. Empty: the signal adds no range "
        "error. Default: the precision of the pulse.",
    )
    recovery_m: NotNegative = Field(
        default=0.0,
        description="Distance over which the receiver regains 63 % of its sensitivity after an "
        "echo; it begins `min_separation_m` behind the echo. 0: at once.",
    )
    saturation: Positive | None = Field(
        default=None,
        description="Signal at which echoes saturate, as a multiple of the threshold. Default: "
        "never.",
    )
    walk_residual: Share = Field(
        default=0.0,
        description="Fraction of the leading edge's range walk that the sensor does not correct.",
    )
    sun_glare: Switch = Field(
        default=False,
        description="Whether the sun of the messages makes spurious points in beams at 1.8 to 4.3° "
        "of it, by a fit to the VLP-16.",
    )
    stray_light: StrayLight | None = Field(
        default=None,
        description="Halo around each beam, in which retroreflectors bloom. Default: none.",
    )
    amplitude_noise: Switch = Field(
        default=True,
        description="Whether noise is added to the signal of echoes. false: no false alarms, no "
        "range errors by weak signals, and a sharp `range_limit`.",
    )

    @property
    def adds_range_error(self) -> bool:
        """Whether ranges scatter, by an amount that depends on the strength of the signal."""
        return self.amplitude_noise and self.precision != ()

    @model_validator(mode="after")
    def _check_alarms(self) -> "Reception":
        if self.amplitude_noise and not self.false_alarm_probability:
            raise problem_at(
                "false_alarm_probability",
                message="must be greater than 0 with amplitude_noise: true, because noise crosses "
                "every threshold at times",
            )
        return self

    @model_validator(mode="after")
    def _check_glare(self) -> "Reception":
        if self.sun_glare and not self.amplitude_noise:
            raise problem_at("sun_glare", message="needs amplitude_noise: true")
        return self

    @model_validator(mode="after")
    def _check_near_field(self) -> "Reception":
        for number, ((low_m, _), (high_m, _)) in enumerate(itertools.pairwise(self.near_field), 1):
            if high_m <= low_m:
                message = f"got range {high_m:g} m after {low_m:g} m, expected increasing ranges"
                raise problem_at("near_field", number, message=message)
        return self

    @model_validator(mode="after")
    def _check_precision(self) -> "Reception":
        rows = enumerate(itertools.pairwise(self.precision or ()), start=1)
        for number, ((low, wide_m), (high, sigma_m)) in rows:
            if high <= low:
                message = (
                    f"got signal-to-noise ratio {high:g} after {low:g}, expected increasing ones"
                )
            elif sigma_m > wide_m:
                message = (
                    f"got sigma {sigma_m:g} m after {wide_m:g} m, expected one that does not grow "
                    "with the signal"
                )
            else:
                continue
            raise problem_at("precision", number, message=message)
        return self
