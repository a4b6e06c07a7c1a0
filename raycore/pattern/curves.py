# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Curves of a single beam: Lissajous, rosette, spiral, formulas, and the lines of a raster.

Azimuth and elevation are treated as coordinates of a plane, as in VEROSIM's laser scanner with
adaptable scan patterns; the formulas are its formulas in standard form. The pulses of a scan are
fired at 0, 1, 2 .. pulse intervals after its start.
"""

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lidar_base.formula import Formula
from raycore.errors import PatternError
from raycore.pattern.scan_pattern import MAX_BEAMS, MAX_ROWS, ScanPattern, wrapped
from raycore.pattern.source import from_curve, phase_at, pulse_times_s

FORMULA_VARIABLES = ("t", "start_s", "period_s")
"""What a formula of a curve may contain besides its parameters, see `by_formula`."""


def lissajous(  # noqa: PLR0913 - keyword-only, one per property of the scanner
    *,
    azimuth_span_rad: float,
    elevation_span_rad: float,
    azimuth_rate_hz: float,
    elevation_rate_hz: float,
    pulse_rate_hz: float,
    period_s: float,
    azimuth_phase_rad: float = 0.0,
    elevation_phase_rad: float = 0.0,
    start_s: float = 0.0,
) -> ScanPattern:
    """Return a time window of a Lissajous curve, as drawn by two swinging mirrors.

    With the spans A, the rates f and the phases p::

        azimuth = A_az / 2 sin(2 pi f_az t + p_az)     elevation = A_el / 2 sin(2 pi f_el t + p_el)

    The curve is densest in the corners. It closes after 1 / gcd(f_az, f_el) seconds, if the rates
    have a common divisor.

    Parameters
    ----------
    azimuth_span_rad, elevation_span_rad : float
        Full extent of the field of view. [rad], 0..2 pi and 0..pi
    azimuth_rate_hz, elevation_rate_hz : float
        Swings per second. [Hz]
    pulse_rate_hz : float
        Pulses per second. [Hz]
    period_s : float
        Duration of one scan. [s]
    azimuth_phase_rad, elevation_phase_rad : float
        Phases at time 0. [rad]
    start_s : float
        Time at which the scan begins. [s]

    Raises
    ------
    PatternError
        If a span is too wide, or the scan has no pulse or too many.
    """
    _check_between("azimuth_span_rad", azimuth_span_rad, most=2.0 * math.pi)
    _check_between("elevation_span_rad", elevation_span_rad, most=math.pi)
    time_s = pulse_times_s(pulse_rate_hz=pulse_rate_hz, period_s=period_s)
    azimuth = phase_at(
        rate_hz=azimuth_rate_hz, start_s=start_s, time_s=time_s, phase_rad=azimuth_phase_rad
    )
    elevation = phase_at(
        rate_hz=elevation_rate_hz, start_s=start_s, time_s=time_s, phase_rad=elevation_phase_rad
    )
    return from_curve(
        time_s=time_s,
        azimuth_rad=0.5 * azimuth_span_rad * np.sin(azimuth),
        elevation_rad=0.5 * elevation_span_rad * np.sin(elevation),
        period_s=period_s,
    )


def rosette(  # noqa: PLR0913 - keyword-only, one per property of the scanner
    *,
    radius_rad: float,
    radial_rate_hz: float,
    rotation_rate_hz: float,
    pulse_rate_hz: float,
    period_s: float,
    radial_phase_rad: float = 0.0,
    rotation_phase_rad: float = 0.0,
    start_s: float = 0.0,
) -> ScanPattern:
    """Return a time window of a rosette: a beam swings through the centre as its plane turns.

    With the radius A, the radial rate f_r and the rotation rate f_rot::

        rho = A sin(2 pi f_r t + p_r)          azimuth   = rho cos(2 pi f_rot t + p_rot)
                                               elevation = rho sin(2 pi f_rot t + p_rot)

    Two thin wedges that turn at f_1 and f_2 and deflect by A / 2 each draw the same curve, with
    p_r = pi / 2, f_r = (f_1 - f_2) / 2 and f_rot = (f_1 + f_2) / 2. The beams per area are
    proportional to 1 / (rho sqrt(A^2 - rho^2)).

    Parameters
    ----------
    radius_rad : float
        Largest angle from the centre. [rad], 0..pi/2
    radial_rate_hz, rotation_rate_hz : float
        Swings and turns per second; a negative one turns clockwise, seen from the sensor. [Hz]
    pulse_rate_hz : float
        Pulses per second. [Hz]
    period_s : float
        Duration of one scan. [s]
    radial_phase_rad, rotation_phase_rad : float
        Phases at time 0. [rad]
    start_s : float
        Time at which the scan begins. [s]

    Raises
    ------
    PatternError
        If the radius is too large, or the scan has no pulse or too many.
    """
    _check_between("radius_rad", radius_rad, most=math.pi / 2)
    time_s = pulse_times_s(pulse_rate_hz=pulse_rate_hz, period_s=period_s)
    radial = phase_at(
        rate_hz=radial_rate_hz, start_s=start_s, time_s=time_s, phase_rad=radial_phase_rad
    )
    turn = phase_at(
        rate_hz=rotation_rate_hz, start_s=start_s, time_s=time_s, phase_rad=rotation_phase_rad
    )
    rho = radius_rad * np.sin(radial)
    return from_curve(
        time_s=time_s,
        azimuth_rad=rho * np.cos(turn),
        elevation_rad=rho * np.sin(turn),
        period_s=period_s,
    )


def spiral(
    *,
    radius_rad: float,
    arm_pitch_rad: float,
    pulse_rate_hz: float,
    period_s: float,
    law: Literal["density", "rate"] = "density",
) -> ScanPattern:
    """Return an Archimedean spiral from the centre to the rim, drawn once per scan of duration T.

    With a = pitch / (2 pi)::

        rho = a phi       azimuth = rho cos(phi)       elevation = rho sin(phi)

    and phi = (A / a) sqrt(t / T) for constant density, where equal areas get as many beams, or
    phi = (A / a) t / T for a constant angular rate, which is dense in the centre.

    Parameters
    ----------
    radius_rad : float
        Angle A of the rim from the centre. [rad], 0..pi/2
    arm_pitch_rad : float
        Angle from one arm to the next. [rad]
    pulse_rate_hz : float
        Pulses per second. [Hz]
    period_s : float
        Duration of one scan. [s]
    law : {"density", "rate"}
        The quantity that is constant: beams per area, or the angular rate.

    Raises
    ------
    PatternError
        If the radius is too large, the pitch is not above 0, or the scan has no pulse or too many.
    """
    _check_between("radius_rad", radius_rad, most=math.pi / 2)
    if not arm_pitch_rad > 0.0:
        raise PatternError(f"arm_pitch_rad is {arm_pitch_rad:.9g}, expected above 0")
    time_s = pulse_times_s(pulse_rate_hz=pulse_rate_hz, period_s=period_s)
    share = time_s / period_s
    rho = radius_rad * (np.sqrt(share) if law == "density" else share)
    phi = rho * (2.0 * math.pi / arm_pitch_rad)
    return from_curve(
        time_s=time_s,
        azimuth_rad=rho * np.cos(phi),
        elevation_rad=rho * np.sin(phi),
        period_s=period_s,
    )


def by_formula(  # noqa: PLR0913 - keyword-only, one per property of the scanner
    *,
    azimuth_deg: Formula,
    elevation_deg: Formula,
    parameters: Mapping[str, float],
    pulse_rate_hz: float,
    period_s: float,
    start_s: float = 0.0,
) -> ScanPattern:
    """Return a scan along a curve that two formulas define.

    Parameters
    ----------
    azimuth_deg, elevation_deg : Formula
        Formulas of the angles. Their variables are ``t``, the time after the start of the scan [s],
        ``start_s``, ``period_s`` and the parameters. [deg]
    parameters : mapping of str to float
        Further variables of the formulas.
    pulse_rate_hz : float
        Pulses per second. [Hz]
    period_s : float
        Duration of one scan. [s]
    start_s : float
        Time at which the scan begins. [s]

    Raises
    ------
    PatternError
        A formula gives NaN or infinity, or an elevation beyond -90 to 90; or the scan has no pulse,
        or too many.
    """
    time_s = pulse_times_s(pulse_rate_hz=pulse_rate_hz, period_s=period_s)
    values: dict[str, float | NDArray[np.float64]] = {"t": time_s, **parameters}
    values.update(start_s=start_s, period_s=period_s)
    return from_curve(
        time_s=time_s,
        azimuth_rad=_angles_rad("azimuth_deg", azimuth_deg, values),
        elevation_rad=_angles_rad("elevation_deg", elevation_deg, values, most_deg=90.0),
        period_s=period_s,
    )


def raster(  # noqa: PLR0913 - keyword-only, one per property of the scanner
    *,
    azimuth_rad: tuple[float, float],
    elevation_rad: tuple[float, float],
    n_columns: int,
    n_rows: int,
    period_s: float,
    one_way: bool = False,
) -> ScanPattern:
    """Return a raster of lines from top to bottom, drawn to and fro or all from left to right.

    Beams are evenly spaced, the ends included, and fire at equal intervals that fill the scan. A
    one-way scanner returns to the left end in no time. Columns count from left to right in every
    row.

    Parameters
    ----------
    azimuth_rad, elevation_rad : (min, max)
        Field of view. [rad]
    n_columns, n_rows : int
        Number of beams in a row, and of rows.
    period_s : float
        Duration of one scan. [s]
    one_way : bool
        Whether all rows are drawn from left to right.

    Raises
    ------
    PatternError
        If there are no beams or too many, or an interval is not in order.
    """
    if not (1 <= n_rows <= MAX_ROWS and n_columns >= 1 and n_rows * n_columns <= MAX_BEAMS):
        raise PatternError(
            f"raster: {n_rows} rows of {n_columns} columns, expected at least one of each, at most "
            f"{MAX_ROWS} rows and {MAX_BEAMS} beams"
        )
    for name, (low, high) in (("azimuth_rad", azimuth_rad), ("elevation_rad", elevation_rad)):
        if not low <= high:
            raise PatternError(f"raster: {name} is {low:.9g} to {high:.9g}, expected min <= max")
    ring = np.repeat(np.arange(n_rows), n_columns)
    column = np.tile(np.arange(n_columns), n_rows)
    backwards = (ring % 2 == 1) & (not one_way)
    place = ring * n_columns + np.where(backwards, n_columns - 1 - column, column)
    azimuth = np.linspace(azimuth_rad[1], azimuth_rad[0], n_columns)
    elevation = np.linspace(elevation_rad[1], elevation_rad[0], n_rows)
    return ScanPattern(
        azimuth_rad=wrapped(azimuth[column]),
        elevation_rad=elevation[ring],
        time_s=place.astype(np.float64) * (period_s / (n_rows * n_columns)),
        ring=ring.astype(np.uint16),
        column=column.astype(np.uint32),
        period_s=period_s,
        coherent=True,
    )


def _check_between(name: str, value: float, *, most: float) -> None:
    if not 0.0 <= value <= most + 1e-12:
        raise PatternError(f"{name} is {value:.9g}, expected 0 to {most:.9g}")


def _angles_rad(
    name: str,
    formula: Formula,
    values: Mapping[str, float | NDArray[np.float64]],
    *,
    most_deg: float = math.inf,
) -> NDArray[np.float64]:
    """Return the angles that a formula gives at each time [rad]."""
    angle_deg = formula(**values)
    wrong = np.flatnonzero(~(np.isfinite(angle_deg) & (np.abs(angle_deg) <= most_deg)))
    if wrong.size:
        wanted = "a finite number" if math.isinf(most_deg) else f"{-most_deg:g} to {most_deg:g}"
        time_s = np.asarray(values["t"])[wrong[0]]
        raise PatternError(
            f"{name}: {formula.text!r:.80} is {angle_deg[wrong[0]]:.9g} at t = {time_s:.9g} s, "
            f"expected {wanted}"
        )
    return np.radians(angle_deg)
