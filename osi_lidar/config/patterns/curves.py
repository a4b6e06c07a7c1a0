# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scan patterns that follow a curve, as sections of the configuration."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from lidar_base.formula import Formula
from lidar_base.sections import Section, problem_at
from osi_lidar.config.patterns.section import PatternSection
from osi_lidar.config.values import (
    Azimuth,
    Count,
    Elevation,
    Finite,
    FormulaText,
    Step,
    Switch,
    check_parameters,
    formula_at,
)
from raycore.pattern.curves import (
    FORMULA_VARIABLES,
    by_formula,
    lissajous,
    raster,
    rosette,
    spiral,
)
from raycore.pattern.optics import Prism, risley, rotating_mirror
from raycore.pattern.scan_pattern import MAX_BEAMS, MAX_ROWS, ScanPattern
from raycore.pattern.source import PatternSource, Windows, pulse_count

MOST_HZ = 1e9
RESTART = "Restart the curve with each scan, instead of continuing where the last one ended."
PULSES = "Pulses per second."

Interval = tuple[Azimuth, Azimuth]
MirrorAngle = Annotated[Finite, Field(ge=-180, le=180)]
MirrorWindow = tuple[MirrorAngle, MirrorAngle]
Frequency = Annotated[Finite, Field(ge=-MOST_HZ, le=MOST_HZ)]
PulseRate = Annotated[Finite, Field(gt=0, le=MOST_HZ)]
Radius = Annotated[Finite, Field(gt=0, le=90)]


class PulsedPattern(PatternSection):
    """A curve along which a laser fires at a steady rate."""

    pulse_hz: PulseRate = Field(description=PULSES)

    def check(self, period_s: float) -> None:
        """Raise PatternError if a scan of ``period_s`` seconds would have no pulse, or too many."""
        pulse_count(pulse_rate_hz=self.pulse_hz, period_s=period_s)

    def most_beams(self, period_s: float, /) -> int:
        """Return the number of pulses in a scan of ``period_s`` seconds, rounded up."""
        return math.ceil(self.pulse_hz * period_s)


class EndlessPattern(PulsedPattern):
    """A curve that need not close at the end of a scan, and can continue in the next scan."""

    restart: Switch = Field(default=False, description=RESTART)

    def windows(self, curve: Callable[..., ScanPattern]) -> PatternSource:
        """Return a source in which each scan gets the part of a curve from its start time on.

        ``curve(start_s=t)`` returns the `ScanPattern` of one scan that begins at time t of the
        curve [s]. If the key ``restart`` is true, all scans get the part from t = 0.
        """
        if self.restart:
            return curve(start_s=0.0)
        return Windows(lambda start_s: curve(start_s=start_s))


class LissajousPattern(EndlessPattern):
    """A Lissajous curve, drawn by two oscillating mirrors."""

    kind: Literal["lissajous"] = Field(
        description="A Lissajous curve, drawn by two oscillating mirrors."
    )
    azimuth_span_deg: Annotated[Finite, Field(ge=0, le=360)] = Field(
        description="Horizontal field of view, from end to end."
    )
    elevation_span_deg: Annotated[Finite, Field(ge=0, le=180)] = Field(
        description="Vertical field of view, from end to end."
    )
    azimuth_hz: Frequency = Field(description="Oscillations of the azimuth per second.")
    elevation_hz: Frequency = Field(description="Oscillations of the elevation per second.")
    azimuth_phase_deg: Azimuth = Field(default=0.0, description="Phase at time 0.")
    elevation_phase_deg: Azimuth = Field(default=0.0, description="Phase at time 0.")

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        return self.windows(
            functools.partial(
                lissajous,
                azimuth_span_rad=math.radians(self.azimuth_span_deg),
                elevation_span_rad=math.radians(self.elevation_span_deg),
                azimuth_rate_hz=self.azimuth_hz,
                elevation_rate_hz=self.elevation_hz,
                azimuth_phase_rad=math.radians(self.azimuth_phase_deg),
                elevation_phase_rad=math.radians(self.elevation_phase_deg),
                pulse_rate_hz=self.pulse_hz,
                period_s=period_s,
            )
        )


class RosettePattern(EndlessPattern):
    """A rosette: the beam oscillates through the centre while the plane of oscillation rotates."""

    kind: Literal["rosette"] = Field(
        description="A rosette: the beam oscillates through the centre while the plane of "
        "oscillation rotates."
    )
    radius_deg: Radius = Field(description="Largest angle from the centre.")
    radial_hz: Frequency = Field(description="Oscillations per second.")
    rotation_hz: Frequency = Field(
        description="Rotations per second; negative is clockwise, seen from the sensor."
    )
    radial_phase_deg: Azimuth = Field(default=0.0, description="Phase at time 0.")
    rotation_phase_deg: Azimuth = Field(default=0.0, description="Phase at time 0.")

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        return self.windows(
            functools.partial(
                rosette,
                radius_rad=math.radians(self.radius_deg),
                radial_rate_hz=self.radial_hz,
                rotation_rate_hz=self.rotation_hz,
                radial_phase_rad=math.radians(self.radial_phase_deg),
                rotation_phase_rad=math.radians(self.rotation_phase_deg),
                pulse_rate_hz=self.pulse_hz,
                period_s=period_s,
            )
        )


class SpiralPattern(PulsedPattern):
    """A spiral from the centre to the rim, once per scan."""

    kind: Literal["spiral"] = Field(
        description="A spiral from the centre to the rim, once per scan."
    )
    radius_deg: Radius = Field(description="Angle of the rim from the centre.")
    arm_pitch_deg: Step = Field(description="Angle from one arm to the next.")
    law: Literal["density", "rate"] = Field(
        default="density",
        description="What stays constant: the beams per area, or the rate of rotation (dense "
        "centre).",
    )

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        return spiral(
            radius_rad=math.radians(self.radius_deg),
            arm_pitch_rad=math.radians(self.arm_pitch_deg),
            law=self.law,
            pulse_rate_hz=self.pulse_hz,
            period_s=period_s,
        )


class FormulaPattern(PulsedPattern):
    """A beam whose azimuth and elevation are formulas of the time."""

    kind: Literal["formula"] = Field(
        description="A beam whose azimuth and elevation are "
        "[formulas](../explanation/patterns.md#formulas) of "
        "the time."
    )
    azimuth_deg: FormulaText = Field(
        description="Azimuth at the time `t` after the start of the scan [s]; it may exceed a turn."
    )
    elevation_deg: FormulaText = Field(
        description="Elevation at the time `t` [s], within -90 to 90."
    )
    parameters: dict[str, Finite] = Field(
        default={}, description="Further names in the formulas, and their values."
    )

    @model_validator(mode="after")
    def _check_formulas(self) -> "FormulaPattern":
        check_parameters("parameters", self.parameters, FORMULA_VARIABLES)
        self._formulas()
        return self

    def _formulas(self) -> tuple[Formula, Formula]:
        """Return the formulas of azimuth and elevation."""
        names = (*FORMULA_VARIABLES, *self.parameters)
        return (
            formula_at("azimuth_deg", self.azimuth_deg, names),
            formula_at("elevation_deg", self.elevation_deg, names),
        )

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        azimuth, elevation = self._formulas()
        curve = functools.partial(
            by_formula,
            azimuth_deg=azimuth,
            elevation_deg=elevation,
            parameters=self.parameters,
            pulse_rate_hz=self.pulse_hz,
            period_s=period_s,
        )
        if "start_s" not in azimuth.used | elevation.used:
            return curve()
        return Windows(lambda start_s: curve(start_s=start_s))


class LinePattern(PatternSection):
    """Fixed emitters that fire at a rotating mirror."""

    kind: Literal["line"] = Field(
        description="Fixed emitters that fire at a rotating mirror of 45°, one turn per scan."
    )
    layers_deg: tuple[Elevation, ...] = Field(
        default=(1.2, 0.4, -0.4, -1.2),
        min_length=1,
        description="Elevation of each layer straight ahead. Default: as in an Ibeo LUX.",
    )
    step_deg: Annotated[Step, Field(le=360)] = Field(
        default=0.25,
        description="Rotation of the mirror from column to column, rounded so that a turn has a "
        "whole number of columns.",
    )
    window_deg: MirrorWindow = Field(
        default=(-50.0, 35.0), description="Mirror angles between which the emitters fire."
    )
    layer_windows_deg: tuple[MirrorWindow, ...] | None = Field(
        default=None,
        description="Mirror angles between which each layer fires, one pair for each layer, "
        "instead of `window_deg`.",
    )

    @model_validator(mode="after")
    def _check_windows(self) -> "LinePattern":
        if len(self._windows()) not in (1, len(self.layers_deg)):
            message = (
                f"got {len(self._windows())} windows, expected {len(self.layers_deg)}: one for "
                "each layer"
            )
            raise problem_at("layer_windows_deg", message=message)
        key = "window_deg" if self.layer_windows_deg is None else "layer_windows_deg"
        _check_order(key, *self._windows())
        if len(self.layers_deg) * self._n_columns() > MAX_BEAMS:
            raise problem_at("step_deg", message=f"gives over {MAX_BEAMS} beams in a turn")
        return self

    def _windows(self) -> Sequence[MirrorWindow]:
        return (self.window_deg,) if self.layer_windows_deg is None else self.layer_windows_deg

    def _n_columns(self) -> int:
        return round(360.0 / self.step_deg)

    def most_beams(self, _period_s: float, /) -> int:
        """Return the number of beams of a full turn, including beams outside of the windows.

        It does not depend on ``_period_s``, the duration of a scan [s].
        """
        return len(self.layers_deg) * self._n_columns()

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        return rotating_mirror(
            layer_rad=np.radians(self.layers_deg),
            n_columns=self._n_columns(),
            mirror_window_rad=[_radians(window) for window in self._windows()],
            period_s=period_s,
        )


class RasterPattern(PatternSection):
    """A raster of lines from top to bottom, fired beam by beam."""

    kind: Literal["raster"] = Field(
        description="A raster of lines from top to bottom, fired beam by beam."
    )
    azimuth_deg: Interval = Field(description="Right end and left end of the lines.")
    elevation_deg: tuple[Elevation, Elevation] = Field(description="Lowest line and highest line.")
    columns: Count = Field(description="Beams per line, both ends included.")
    rows: Count = Field(description="Number of lines.")
    one_way: Switch = Field(
        default=False, description="Scan all lines from left to right, instead of back and forth."
    )

    @model_validator(mode="after")
    def _check_extent(self) -> "RasterPattern":
        _check_order("azimuth_deg", self.azimuth_deg)
        _check_order("elevation_deg", self.elevation_deg)
        if self.rows > MAX_ROWS or self.rows * self.columns > MAX_BEAMS:
            raise ValueError(
                f"got {self.rows} rows of {self.columns} columns "
                f"({self.rows * self.columns} beams), "
                f"expected at most {MAX_ROWS} rows and {MAX_BEAMS} beams"
            )
        return self

    def most_beams(self, _period_s: float, /) -> int:
        """Return rows times columns, the beams of a scan of any duration ``_period_s`` [s]."""
        return self.rows * self.columns

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        return raster(
            azimuth_rad=_radians(self.azimuth_deg),
            elevation_rad=_radians(self.elevation_deg),
            n_columns=self.columns,
            n_rows=self.rows,
            one_way=self.one_way,
            period_s=period_s,
        )


class PrismSection(Section):
    """A glass wedge that rotates about the optical axis."""

    wedge_deg: Annotated[Finite, Field(ge=0, lt=90)] = Field(
        description="Angle between its faces; one face is perpendicular to the axis."
    )
    rate_hz: Frequency = Field(
        description="Rotations per second, from left to up; negative is the other way."
    )
    phase_deg: Azimuth = Field(
        default=0.0, description="Direction of its thick end at time 0: 0 is left, 90 is up."
    )
    refractive_index: Annotated[Finite, Field(ge=1, le=5)] = Field(
        default=1.51, description="Refractive index of the glass."
    )
    tilted_face: Literal["entry", "exit"] = Field(
        default="entry", description="The face that is not perpendicular to the axis."
    )

    def prism(self) -> Prism:
        """Return the wedge as a `Prism`, which refracts beams, with its angles in radians."""
        return Prism(
            wedge_rad=math.radians(self.wedge_deg),
            refractive_index=self.refractive_index,
            rotation_rate_hz=self.rate_hz,
            phase_rad=math.radians(self.phase_deg),
            tilted_exit=self.tilted_face == "exit",
        )


class RisleyPattern(EndlessPattern):
    """Rotating wedge prisms, one behind the other."""

    kind: Literal["risley"] = Field(
        description="Rotating wedge prisms, one behind the other, as in a Livox Mid."
    )
    prisms: tuple[PrismSection, ...] = Field(
        min_length=1, description="Two or three prisms, in the order in which light passes them."
    )
    incident_deg: tuple[tuple[Azimuth, Elevation], ...] = Field(
        default=((0.0, 0.0),),
        min_length=1,
        max_length=MAX_ROWS,
        description="Azimuth and elevation of each beam before the first prism. All beams fire at "
        "once, `pulse_hz` times per second; the first is ring 0.",
    )

    def check(self, period_s: float) -> None:
        """Raise PatternError if a scan of ``period_s`` seconds would have no beam, or too many."""
        n_channel = len(self.incident_deg)
        pulse_count(pulse_rate_hz=self.pulse_hz, period_s=period_s, n_channel=n_channel)

    def most_beams(self, period_s: float, /) -> int:
        """Return the number of beams in a scan of ``period_s`` seconds; pulses are rounded up."""
        return len(self.incident_deg) * super().most_beams(period_s)

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        return self.windows(
            functools.partial(
                risley,
                prisms=[each.prism() for each in self.prisms],
                incident_rad=[_radians(beam) for beam in self.incident_deg],
                pulse_rate_hz=self.pulse_hz,
                period_s=period_s,
            )
        )


def _check_order(key: str, *intervals: tuple[float, float]) -> None:
    for low, high in intervals:
        if low > high:
            raise problem_at(key, message=f"got {low:g} to {high:g}, expected the lower one first")


def _radians(pair_deg: tuple[float, float]) -> tuple[float, float]:
    return math.radians(pair_deg[0]), math.radians(pair_deg[1])
