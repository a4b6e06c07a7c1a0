# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Patterns of fixed emitters or detectors behind optics: a turning mirror, prisms, a lens."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from raycore.errors import PatternError
from raycore.pattern.scan_pattern import MAX_BEAMS, MAX_ROWS, ScanPattern, inside_window
from raycore.pattern.source import phase_at, pulse_count, pulse_times_s


def rotating_mirror(
    *,
    layer_rad: ArrayLike,
    n_columns: int,
    mirror_window_rad: Sequence[tuple[float, float]],
    period_s: float,
) -> ScanPattern:
    """Return the pattern of fixed emitters that fire at a rotating mirror inclined by 45 degrees.

    At the mirror's angle a, the beam of an emitter of pitch e points to::

        elevation = asin(sin e cos a)
        azimuth   = atan2(sin a (cos e + sin e cos a), cos e cos a - sin e sin^2 a)

    for emitters that look down at a mirror below them. Straight ahead, the elevation of a layer
    equals the emitter's pitch. At the sides, all layers have elevation 0 and differ in azimuth. The
    mirror turns clockwise, from left to right, as in `raycore.pattern.scan_pattern.rotating`.

    Parameters
    ----------
    layer_rad : float (n_row,)
        Pitch of each emitter, in any order; rows are sorted from top to bottom. [rad]
    n_columns : int
        Columns in a full turn of the mirror.
    mirror_window_rad : sequence of (min, max), 1 or n_row
        Angles of the mirror at which each emitter fires, both ends included. The first column
        that any emitter fires becomes column 0, at time 0. [rad]
    period_s : float
        Duration of a full turn. [s]

    Raises
    ------
    PatternError
        If there is no layer or column, or no column in a window.

    References
    ----------
    .. [1] Gschwandtner, Kwitt, Uhl, Pree, BlenSor: Blender Sensor Simulation Toolbox, ISVC 2011
       (the line lidar, modelled after the Ibeo LUX).
    """
    layer = np.atleast_1d(np.asarray(layer_rad, np.float64))
    n_row = layer.size
    if not 1 <= n_row <= MAX_ROWS or n_columns < 1 or n_row * n_columns > MAX_BEAMS:
        raise PatternError(
            f"line: {n_row} layers of {n_columns} columns, expected at least one of each, at most "
            f"{MAX_ROWS} layers and {MAX_BEAMS} beams"
        )
    if not (np.isfinite(layer).all() and (np.abs(layer) < math.pi / 2).all()):
        raise PatternError("line: expected layers between -90 and 90 degrees")
    top_down = np.argsort(-layer, kind="stable")
    windows = list(mirror_window_rad) * (n_row if len(mirror_window_rad) == 1 else 1)
    mirror = math.pi * (1.0 - 2.0 * np.arange(n_columns) / n_columns)
    fires = inside_window(mirror, windows, n_row=n_row)
    ring, turn_column = np.nonzero(fires[top_down])
    column = turn_column - turn_column.min()
    direction = _mirrored(layer[top_down][ring], mirror[turn_column])
    azimuth, elevation = angles_of(direction)
    return ScanPattern(
        azimuth_rad=azimuth,
        elevation_rad=elevation,
        time_s=column * (period_s / n_columns),
        ring=ring.astype(np.uint16),
        column=column.astype(np.uint32),
        period_s=period_s,
        coherent=True,
    )


def _mirrored(pitch: NDArray[np.float64], angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the directions of beams after the mirror, float64 (3, n)."""
    sin_e, cos_e, sin_a, cos_a = np.sin(pitch), np.cos(pitch), np.sin(angle), np.cos(angle)
    x = cos_e * cos_a - sin_e * sin_a**2
    y = sin_a * (cos_e + sin_e * cos_a)
    return np.stack([x, y, sin_e * cos_a])


@dataclass(frozen=True, slots=True, kw_only=True)
class Prism:
    """A wedge of glass that turns about the optical axis.

    Attributes
    ----------
    wedge_rad : float
        Angle between the two faces, one of which is perpendicular to the axis. [rad]
    refractive_index : float
        Refractive index of the glass, relative to air.
    rotation_rate_hz : float
        Turns per second, counter-clockwise from y (left) to z (up); negative: clockwise. [Hz]
    phase_rad : float
        Angle of the thick end at time 0, from y to z; light is bent towards the thick end. [rad]
    tilted_exit : bool
        Whether light leaves through the tilted face; otherwise it enters through it.
    """

    wedge_rad: float
    refractive_index: float
    rotation_rate_hz: float
    phase_rad: float = 0.0
    tilted_exit: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.wedge_rad < math.pi / 2:
            raise PatternError(f"prism: wedge is {self.wedge_rad:.9g} rad, expected 0 to pi/2")
        if not self.refractive_index >= 1.0:
            raise PatternError(
                f"prism: refractive index is {self.refractive_index:g}, expected at least 1"
            )


def risley(
    *,
    prisms: Sequence[Prism],
    pulse_rate_hz: float,
    period_s: float,
    incident_rad: Sequence[tuple[float, float]] = ((0.0, 0.0),),
    start_s: float = 0.0,
) -> ScanPattern:
    """Return a time window of the pattern of Risley prisms: wedges that rotate in series.

    Each face refracts the beam by Snell's law in three dimensions. A unit vector d that meets a
    face of unit normal n (along the beam) between the indices n_1 and n_2 continues along::

        r d + (sqrt(1 - r^2 (1 - c^2)) - r c) n       with r = n_1 / n_2 and c = n d

    Prisms are thin: they change only directions, and all beams start at the sensor's origin.

    Parameters
    ----------
    prisms : sequence of Prism
        Prisms in the order in which light passes them.
    pulse_rate_hz : float
        Pulses per second of each incident beam. [Hz]
    period_s : float
        Duration of one scan. [s]
    incident_rad : sequence of (azimuth, elevation)
        The beams before the first prism; all fire at once. The first is ring 0. [rad]
    start_s : float
        Start time of the scan. [s]

    Raises
    ------
    PatternError
        If there is no prism or beam, there are too many beams, no pulse or too many, or a beam is
        totally reflected.

    References
    ----------
    .. [1] Li, Liu, Sun, Forward and inverse solutions for three-element Risley prism beam
       scanners, Optics Express 25(7), 2017, doi:10.1364/OE.25.007677.
    .. [2] Brazeal, Wilkinson, Hochmair, A Rigorous Observation Model for the Risley Prism-Based
       Livox Mid-40 Lidar Sensor, Sensors 21(14), 2021, doi:10.3390/s21144722.
    """
    if not prisms or not incident_rad:
        raise PatternError(
            f"risley: {len(prisms)} prisms and {len(incident_rad)} beams, expected at least one of "
            "each"
        )
    n_channel = len(incident_rad)
    if n_channel > MAX_ROWS:
        raise PatternError(f"risley: {n_channel} beams, expected at most {MAX_ROWS}")
    n_pulse = pulse_count(pulse_rate_hz=pulse_rate_hz, period_s=period_s, n_channel=n_channel)
    time_s = pulse_times_s(pulse_rate_hz=pulse_rate_hz, period_s=period_s)
    azimuth, elevation = np.asarray(incident_rad, np.float64).T
    beam = through_prisms(prisms, vectors_of(azimuth, elevation), start_s=start_s, time_s=time_s)
    azimuth, elevation = angles_of(beam.reshape(3, -1))
    return ScanPattern(
        azimuth_rad=azimuth,
        elevation_rad=elevation,
        time_s=np.tile(time_s, n_channel),
        ring=np.repeat(np.arange(n_channel, dtype=np.uint16), n_pulse),
        column=np.tile(np.arange(n_pulse, dtype=np.uint32), n_channel),
        period_s=period_s,
        coherent=True,
    )


def through_prisms(
    prisms: Sequence[Prism],
    beam: NDArray[np.float64],
    *,
    start_s: float,
    time_s: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the directions of beams after the prisms, unit vectors float64 (3, n_beam, n_time).

    Parameters
    ----------
    prisms : sequence of Prism
        Prisms in the order in which light passes them.
    beam : float64 (3, n_beam)
        Unit vectors before the first prism.
    start_s : float
        Time from which ``time_s`` counts. [s]
    time_s : float64 (n_time,)
        Times after ``start_s``. [s]

    Raises
    ------
    PatternError
        If a beam is totally reflected.
    """
    behind = np.broadcast_to(beam[:, :, None], (*beam.shape, time_s.size))
    for number, prism in enumerate(prisms, start=1):
        behind = _through(prism, number, behind, start_s, time_s)
    return behind


def _through(
    prism: Prism,
    number: int,
    beam: NDArray[np.float64],
    start_s: float,
    time_s: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the directions (3, n_channel, n_pulse) of beams after a prism."""
    turn = phase_at(
        rate_hz=prism.rotation_rate_hz, start_s=start_s, time_s=time_s, phase_rad=prism.phase_rad
    )
    # with normals along the beam, an entry's leans towards the thick end, an exit's away from it
    lean = math.sin(prism.wedge_rad) * (-1.0 if prism.tilted_exit else 1.0)
    level = np.full(turn.size, math.cos(prism.wedge_rad))
    tilted = np.stack([level, lean * np.cos(turn), lean * np.sin(turn)])[:, None, :]
    flat = np.array([1.0, 0.0, 0.0])[:, None, None]
    entry, leaving = (flat, tilted) if prism.tilted_exit else (tilted, flat)
    inside = _refracted(beam, entry, 1.0 / prism.refractive_index)
    behind = _refracted(inside, leaving, prism.refractive_index)
    lost = np.flatnonzero(~np.isfinite(behind[0]))
    if lost.size:
        raise PatternError(
            f"risley: prism {number} reflects beam {lost[0]} totally, so it never leaves; expected "
            "smaller wedges or a smaller refractive index"
        )
    return behind


def _refracted(
    beam: NDArray[np.float64], normal: NDArray[np.float64], ratio: float
) -> NDArray[np.float64]:
    """Return directions after a face; NaN for total reflection, or light that meets its back."""
    cosine = beam[0] * normal[0] + beam[1] * normal[1] + beam[2] * normal[2]
    inner = 1.0 - ratio**2 * (1.0 - cosine**2)
    inner[(inner < 0.0) | (cosine <= 0.0)] = np.nan
    behind: NDArray[np.float64] = ratio * beam + (np.sqrt(inner) - ratio * cosine) * normal
    return behind


def camera(  # noqa: PLR0913 - keyword-only, one per property of the camera
    *,
    width: int,
    height: int,
    horizontal_fov_rad: float,
    vertical_fov_rad: float | None = None,
    principal_point_px: tuple[float, float] | None = None,
    period_s: float = 0.1,
) -> ScanPattern:
    """Return the beams through the centres of a pinhole camera's pixels, all at time 0.

    Pixel (u, v), counted from the top left, looks along (1, y, z)::

        y = (c_u - u - 1/2) / f_u       z = (c_v - v - 1/2) / f_v

    with the principal point c and the focal lengths f in pixels. A field of view F is that between
    the edges of n pixels, so that with the offset s = 2 c / n - 1 of the principal point::

        n / (2 f) = sin F / (cos F + sqrt(1 - (s sin F)^2))       tan(F / 2) in the centre

    Beams are ordered row by row from the top; ring is v, column is u.

    Parameters
    ----------
    width, height : int
        Size of the image in pixels.
    horizontal_fov_rad : float
        Field of view from the left edge of the image to its right edge. [rad], 0..pi
    vertical_fov_rad : float, optional
        Field of view from the top edge to the bottom edge; by default, pixels are square. [rad],
        0..pi
    principal_point_px : (float, float), optional
        Point at which the optical axis meets the image, from its left and top edge; by default, the
        centre of the image. [pixels]
    period_s : float
        Duration of one image. [s]

    Raises
    ------
    PatternError
        If there are no pixels or too many, or a field of view or the principal point is impossible.
    """
    if not (width >= 1 and 1 <= height <= MAX_ROWS and width * height <= MAX_BEAMS):
        raise PatternError(
            f"camera: {width} x {height} pixels, expected at least 1 x 1, at most {MAX_ROWS} rows "
            f"and {MAX_BEAMS} pixels"
        )
    c_u, c_v = principal_point_px or (0.5 * width, 0.5 * height)
    half, n_pixels = _half_image(width, c_u, horizontal_fov_rad), width
    y = half * (2.0 * c_u / width - (2.0 * np.arange(width) + 1.0) / width)
    if vertical_fov_rad is not None:
        half, n_pixels = _half_image(height, c_v, vertical_fov_rad), height
    z = half * (2.0 * c_v - (2.0 * np.arange(height) + 1.0)) / n_pixels
    azimuth = np.arctan2(y, 1.0)
    elevation = np.arctan2(z[:, None], np.hypot(1.0, y)[None, :])
    return ScanPattern(
        azimuth_rad=np.tile(azimuth, height),
        elevation_rad=elevation.ravel(),
        time_s=np.zeros(width * height),
        ring=np.repeat(np.arange(height, dtype=np.uint16), width),
        column=np.tile(np.arange(width, dtype=np.uint32), height),
        period_s=period_s,
        coherent=True,
    )


def _half_image(n_pixels: int, principal_px: float, fov_rad: float) -> float:
    """Return half of an image's width, or height, at a distance of 1 from the pinhole: n / 2f."""
    if not 0.0 < fov_rad < math.pi:
        raise PatternError(
            f"camera: field of view is {math.degrees(fov_rad):.9g} deg, expected above 0 and below "
            "180"
        )
    if not 0.0 < principal_px < n_pixels:
        raise PatternError(
            f"camera: principal point is at {principal_px:g} of {n_pixels} pixels, expected inside "
            "the image"
        )
    offset = 2.0 * principal_px / n_pixels - 1.0
    if offset == 0.0:
        return math.tan(0.5 * fov_rad)
    sine = math.sin(fov_rad)
    return sine / (math.cos(fov_rad) + math.sqrt(1.0 - (offset * sine) ** 2))


def vectors_of(
    azimuth_rad: NDArray[np.float64], elevation_rad: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the unit vectors of n directions, float64 (3, n): x forward, y left, z up.

    ``azimuth_rad`` (n,) counts from x to y, and ``elevation_rad`` (n,) upwards from the xy plane.
    [rad]
    """
    flat = np.cos(elevation_rad)
    return np.stack([flat * np.cos(azimuth_rad), flat * np.sin(azimuth_rad), np.sin(elevation_rad)])


def angles_of(
    direction: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return azimuths and elevations [rad], float64 (n,) each, of vectors of any length.

    ``direction``, float64 (3, n), has the vectors: x forward, y left, z up.
    """
    x, y, z = direction
    return np.arctan2(y, x), np.arctan2(z, np.hypot(x, y))
