# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scan patterns that follow a curve, as sections of the configuration."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from osi_lidar.config.section import PatternSection, Section
from osi_lidar.config.values import Azimuth, Count, Elevation, Finite, Step, Switch, problem_at
from raycore.pattern.curves import lissajous, raster, rosette, spiral
from raycore.pattern.optics import Prism, risley, rotating_mirror
from raycore.pattern.scan_pattern import MAX_BEAMS, MAX_ROWS, ScanPattern
from raycore.pattern.source import PatternSource, Windows, pulse_count

MOST_HZ = 1e9
RESTART = "Begin the curve anew with each scan, in place of going on where the last one ended."
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
        """Refuse a pulse rate that gives a scan [s] no beam, or too many."""
        pulse_count(pulse_rate_hz=self.pulse_hz, period_s=period_s)


class EndlessPattern(PulsedPattern):
    """A curve that need not be closed when a scan ends."""

    restart: Switch = Field(default=False, description=RESTART)

    def windows(self, curve: Callable[..., ScanPattern]) -> PatternSource:
        """Return what a curve gives from time 0 on, or its first window again and again."""
        if self.restart:
            return curve(start_s=0.0)
        return Windows(lambda start_s: curve(start_s=start_s))


class LissajousPattern(EndlessPattern):
    """Two mirrors that swing."""

    kind: Literal["lissajous"] = Field(description="A Lissajous curve: two mirrors that swing.")
    azimuth_span_deg: Annotated[Finite, Field(ge=0, le=360)] = Field(
        description="Field of view, from one end to the other."
    )
    elevation_span_deg: Annotated[Finite, Field(ge=0, le=180)] = Field(
        description="Field of view, from one end to the other."
    )
    azimuth_hz: Frequency = Field(description="Swings per second.")
    elevation_hz: Frequency = Field(description="Swings per second.")
    azimuth_phase_deg: Azimuth = Field(default=0.0, description="At time 0.")
    elevation_phase_deg: Azimuth = Field(default=0.0, description="At time 0.")

    def source(self, period_s: float) -> PatternSource:
        """Return the beams of scans of this duration. [s]."""
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
    """A beam that swings through the centre while its plane turns."""

    kind: Literal["rosette"] = Field(
        description="A rosette: a beam that swings through the centre while its plane turns."
    )
    radius_deg: Radius = Field(description="Largest angle from the centre.")
    radial_hz: Frequency = Field(description="Swings per second.")
    rotation_hz: Frequency = Field(
        description="Turns per second; a negative one turns clockwise, seen from the sensor."
    )
    radial_phase_deg: Azimuth = Field(default=0.0, description="At time 0.")
    rotation_phase_deg: Azimuth = Field(default=0.0, description="At time 0.")

    def source(self, period_s: float) -> PatternSource:
        """Return the beams of scans of this duration. [s]."""
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
    """From the centre to the rim, once in each scan."""

    kind: Literal["spiral"] = Field(description="From the centre to the rim, once in each scan.")
    radius_deg: Radius = Field(description="Angle of the rim from the centre.")
    arm_pitch_deg: Step = Field(description="Distance from one arm to the next.")
    law: Literal["density", "rate"] = Field(
        default="density",
        description="What is constant: beams per area, or the rate of turning (dense centre).",
    )

    def source(self, period_s: float) -> PatternSource:
        """Return the beams of scans of this duration. [s]."""
        return spiral(
            radius_rad=math.radians(self.radius_deg),
            arm_pitch_rad=math.radians(self.arm_pitch_deg),
            law=self.law,
            pulse_rate_hz=self.pulse_hz,
            period_s=period_s,
        )


class LinePattern(PatternSection):
    """Emitters that fire at a turning mirror."""

    kind: Literal["line"] = Field(
        description="Still emitters that fire at a turning mirror of 45°, once around in each scan."
    )
    layers_deg: tuple[Elevation, ...] = Field(
        default=(1.2, 0.4, -0.4, -1.2),
        min_length=1,
        description="Elevation of each layer straight ahead. Default: an Ibeo LUX.",
    )
    step_deg: Annotated[Step, Field(le=360)] = Field(
        default=0.25,
        description="Turn of the mirror from column to column, rounded to a whole number of them.",
    )
    window_deg: MirrorWindow = Field(
        default=(-50.0, 35.0), description="Angles of the mirror at which emitters fire."
    )
    layer_windows_deg: tuple[MirrorWindow, ...] | None = Field(
        default=None, description="Or one such window for each layer."
    )

    @model_validator(mode="after")
    def _check_windows(self) -> "LinePattern":
        if len(self._windows()) not in (1, len(self.layers_deg)):
            message = f"{len(self._windows())} windows for {len(self.layers_deg)} layers"
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

    def source(self, period_s: float) -> PatternSource:
        """Return the beams of scans of this duration. [s]."""
        return rotating_mirror(
            layer_rad=np.radians(self.layers_deg),
            n_columns=self._n_columns(),
            mirror_window_rad=[_radians(window) for window in self._windows()],
            period_s=period_s,
        )


class RasterPattern(PatternSection):
    """Lines from top to bottom, beam by beam."""

    kind: Literal["raster"] = Field(description="Lines from top to bottom, beam by beam.")
    azimuth_deg: Interval = Field(description="From the right end of a line to its left end.")
    elevation_deg: tuple[Elevation, Elevation] = Field(
        description="From the lowest line to the highest."
    )
    columns: Count = Field(description="Beams in a line, both ends included.")
    rows: Count = Field(description="Lines.")
    one_way: Switch = Field(
        default=False, description="All lines from left to right, in place of to and fro."
    )

    @model_validator(mode="after")
    def _check_extent(self) -> "RasterPattern":
        _check_order("azimuth_deg", self.azimuth_deg)
        _check_order("elevation_deg", self.elevation_deg)
        if self.rows > MAX_ROWS or self.rows * self.columns > MAX_BEAMS:
            raise ValueError(
                f"{self.rows} rows of {self.columns} columns, at most {MAX_ROWS} rows and "
                f"{MAX_BEAMS} beams are allowed"
            )
        return self

    def source(self, period_s: float) -> PatternSource:
        """Return the beams of scans of this duration. [s]."""
        return raster(
            azimuth_rad=_radians(self.azimuth_deg),
            elevation_rad=_radians(self.elevation_deg),
            n_columns=self.columns,
            n_rows=self.rows,
            one_way=self.one_way,
            period_s=period_s,
        )


class PrismSection(Section):
    """A wedge of glass that turns about the optical axis."""

    wedge_deg: Annotated[Finite, Field(ge=0, lt=90)] = Field(
        description="Angle between its faces, one of which is perpendicular to the axis."
    )
    rate_hz: Frequency = Field(
        description="Turns per second, from left to up; negative: the other way."
    )
    phase_deg: Azimuth = Field(
        default=0.0, description="Where its thick end is at time 0: 0 left, 90 up."
    )
    refractive_index: Annotated[Finite, Field(ge=1, le=5)] = Field(
        default=1.51, description="Of the glass."
    )
    tilted_face: Literal["entry", "exit"] = Field(
        default="entry", description="Which of its faces is not perpendicular to the axis."
    )

    def prism(self) -> Prism:
        """Return the prism."""
        return Prism(
            wedge_rad=math.radians(self.wedge_deg),
            refractive_index=self.refractive_index,
            rotation_rate_hz=self.rate_hz,
            phase_rad=math.radians(self.phase_deg),
            tilted_exit=self.tilted_face == "exit",
        )


class RisleyPattern(EndlessPattern):
    """Wedge prisms that turn one behind the other."""

    kind: Literal["risley"] = Field(
        description="Wedge prisms that turn one behind the other, as in a Livox Mid."
    )
    prisms: tuple[PrismSection, ...] = Field(
        min_length=1, description="In the order in which light passes them; two or three."
    )
    incident_deg: tuple[tuple[Azimuth, Elevation], ...] = Field(
        default=((0.0, 0.0),),
        min_length=1,
        description="Azimuth and elevation of each beam before the first prism. All fire at once, "
        "each `pulse_hz` times per second; the first is ring 0.",
    )

    def check(self, period_s: float) -> None:
        """Refuse a pulse rate that gives a scan [s] no beam, or too many."""
        n_channel = len(self.incident_deg)
        pulse_count(pulse_rate_hz=self.pulse_hz, period_s=period_s, n_channel=n_channel)

    def source(self, period_s: float) -> PatternSource:
        """Return the beams of scans of this duration. [s]."""
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
            raise problem_at(key, message=f"{low:g} to {high:g}, expected the lower one first")


def _radians(pair_deg: tuple[float, float]) -> tuple[float, float]:
    return math.radians(pair_deg[0]), math.radians(pair_deg[1])
