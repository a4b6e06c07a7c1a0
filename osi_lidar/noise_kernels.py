# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled errors of a sensor: what it reports for one point, and for all points of a scan."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import prange

from osi_lidar.random_kernels import (
    DROP_OUT,
    LINE_OF_SIGHT,
    RANGE_NOISE,
    gaussian_pair,
    laplace,
    uniform_pair,
)
from raycore.compiled import njit

DARK_REFLECTIVITY = 0.1
"""Reflectivity at which `sigma_dark_m` is what it says. [1]"""
SMALL_RAD = 0.1
"""Up to this angle the series of cosine and sine are exact to 1e-16."""
MOST_TIMES = 10.0
"""Neither incidence nor darkness makes its standard deviation larger than so many times."""


class ErrorSettings(NamedTuple):
    """The errors of a sensor, as its configuration has them, for kernels."""

    range_sigma_m: float
    sigma_per_range: float
    sigma_incidence_m: float
    sigma_dark_m: float
    is_laplace: bool
    depth_offset_m: float
    depth_scale: float
    quantisation_m: float
    folds_at_m: float  # infinite where ranges are not folded back
    drop_probability: float
    azimuth_sigma_rad: float
    elevation_sigma_rad: float
    is_shot_wrong: bool  # whether beams are shot with the angles that are reported


@njit(cache=True, nogil=True)
def table_value(table, column, range_m):
    """Return a column of the rows of (range, mean, sigma) at a range; 0 without rows.

    Linear between two rows, the first and the last one held outside.
    """
    last = len(table) - 1
    if last < 0:
        return 0.0
    if range_m <= table[0, 0]:
        return table[0, column]
    if range_m >= table[last, 0]:
        return table[last, column]
    row = 1
    while table[row, 0] < range_m:
        row += 1
    share = (range_m - table[row - 1, 0]) / (table[row, 0] - table[row - 1, 0])
    return table[row - 1, column] + share * (table[row, column] - table[row - 1, column])


@njit(cache=True, nogil=True)
def range_sigma(settings, table, range_m, reflectivity, cos_incidence):
    """Return the standard deviation [m] of a range; its terms are independent, so squares add.

        sigma^2 = range_sigma^2 + table(d)^2 + (per_range d)^2
                  + (incidence tan(theta))^2 + (dark sqrt(0.1 / R))^2

    A tilted surface spreads the echo over the depth of the beam's footprint, its width times
    tan(theta). The echo of what is dark is weak: the time of an echo is known to one over the
    square root of the signal to noise ratio.
    """
    variance = settings.range_sigma_m**2 + table_value(table, 2, range_m) ** 2
    variance += (settings.sigma_per_range * range_m) ** 2
    if settings.sigma_incidence_m > 0.0:
        cosine = max(cos_incidence, 1.0 / math.hypot(1.0, MOST_TIMES))
        tangent_squared = max(1.0 / (cosine * cosine) - 1.0, 0.0)
        variance += settings.sigma_incidence_m**2 * tangent_squared
    if settings.sigma_dark_m > 0.0:
        brightest = max(reflectivity, DARK_REFLECTIVITY / MOST_TIMES**2)
        variance += settings.sigma_dark_m**2 * DARK_REFLECTIVITY / brightest
    return math.sqrt(variance)


@njit(cache=True, nogil=True)
def systematic_range(settings, table, range_m):
    """Return a range [m] with the errors that are no chance: d (1 + scale) + offset + table(d)."""
    wrong_m = range_m * (1.0 + settings.depth_scale) + settings.depth_offset_m
    return wrong_m + table_value(table, 1, range_m)


@njit(cache=True, nogil=True)
def folded_range(range_m, folds_at_m):
    """Return a range [m] as a time-of-flight camera folds it back: d - max / 2 from max / 2 on.

    Gschwandtner et al., BlenSor, 2011, equation 3 (see `detection.min_reflectivity`).
    """
    half_m = folds_at_m / 2.0
    return range_m if range_m < half_m else range_m - half_m


@njit(cache=True, nogil=True)
def quantised_range(range_m, step_m):
    """Return a range [m] rounded to the nearest multiple of a step, halves up; step 0: as it is."""
    return range_m if step_m == 0.0 else math.floor(range_m / step_m + 0.5) * step_m


@njit(cache=True, nogil=True)
def cosine_and_sine(angle):
    """Return cosine and sine of an angle [rad]: of a small one, as errors are, by their series."""
    if abs(angle) > SMALL_RAD:
        return math.cos(angle), math.sin(angle)
    square = angle * angle
    cosine = 1.0 - square / 2 * (1.0 - square / 12 * (1.0 - square / 30 * (1.0 - square / 56)))
    sine = 1.0 - square / 6 * (1.0 - square / 20 * (1.0 - square / 42 * (1.0 - square / 72)))
    return cosine, angle * sine


@njit(cache=True, nogil=True)
def wrong_direction(settings, stream, angles, beam):
    """Return the unit vector of a beam with the errors of its azimuth and elevation.

    ``angles``, float64 (n_beam, 4), are cosine and sine of its azimuth and of its elevation.
    """
    to_azimuth, to_elevation = gaussian_pair(stream, LINE_OF_SIGHT, np.uint64(beam))
    turn_cos, turn_sin = cosine_and_sine(settings.azimuth_sigma_rad * to_azimuth)
    rise_cos, rise_sin = cosine_and_sine(settings.elevation_sigma_rad * to_elevation)
    azimuth_cos, azimuth_sin = angles[beam, 0], angles[beam, 1]
    elevation_cos, elevation_sin = angles[beam, 2], angles[beam, 3]
    across = elevation_cos * rise_cos - elevation_sin * rise_sin
    x = across * (azimuth_cos * turn_cos - azimuth_sin * turn_sin)
    y = across * (azimuth_sin * turn_cos + azimuth_cos * turn_sin)
    return x, y, elevation_sin * rise_cos + elevation_cos * rise_sin


@njit(cache=True, nogil=True, parallel=True)
def aim(
    # Sensor:
    settings,
    angles,  # float64 (n_beam, 4), see wrong_direction
    # In:
    stream,  # see random_kernels.uniform_pair
    # Out:
    direction_out,  # float32 (n_beam, 3)
):
    """Turn all beams by the errors of their angles."""
    for beam in prange(len(direction_out)):
        x, y, z = wrong_direction(settings, stream, angles, beam)
        direction_out[beam, 0] = x
        direction_out[beam, 1] = y
        direction_out[beam, 2] = z


@njit(cache=True, nogil=True, parallel=True)
def report_points(
    # Sensor:
    settings,
    table,  # float64 (n_row, 3) range, mean, sigma [m]
    bias_m,  # float64 (n_ring,)
    angles,  # float64 (n_beam, 4), see wrong_direction
    shot,  # float32 (n_beam, 3) directions in which the beams were shot
    origin_m,  # float32 (n_beam | 1, 3)
    # In:
    stream,
    beam,  # uint32 (n_point,)
    cos_incidence,  # float32 (n_point | 1,)
    # In and out:
    points,  # rows of response.point_type; x y z and range are replaced
    # Out:
    true_range_out,  # float32 (n_point,)
    true_xyz_out,  # float32 (n_point, 3)
    is_reported_out,  # bool (n_point,)
):
    """Put what the sensor reports in place of what it met, and what it met beside it."""
    is_aimed_wrong = settings.azimuth_sigma_rad > 0.0 or settings.elevation_sigma_rad > 0.0
    is_read_wrong = is_aimed_wrong and not settings.is_shot_wrong
    for i in prange(len(points)):
        b, point = beam[i], points[i]
        at, met_m = np.uint64(b), float(point.range)
        range_m = systematic_range(settings, table, met_m) + bias_m[point.ring]
        cosine = cos_incidence[i] if len(cos_incidence) > 1 else cos_incidence[0]
        sigma_m = range_sigma(settings, table, met_m, float(point.reflectivity), float(cosine))
        if sigma_m > 0.0 and settings.is_laplace:
            range_m += sigma_m * laplace(stream, RANGE_NOISE, at)
        elif sigma_m > 0.0:
            range_m += sigma_m * gaussian_pair(stream, RANGE_NOISE, at)[0]
        range_m = folded_range(range_m, settings.folds_at_m)
        range_m = quantised_range(range_m, settings.quantisation_m)
        met = (shot[b, 0], shot[b, 1], shot[b, 2])
        reported = met
        if is_read_wrong:
            x, y, z = wrong_direction(settings, stream, angles, b)
            reported = (np.float32(x), np.float32(y), np.float32(z))
        start = origin_m[b if len(origin_m) > 1 else 0]
        for axis in range(3):
            true_xyz_out[i, axis] = start[axis] + point.range * met[axis]
        true_range_out[i] = point.range
        point.range = range_m
        point.x = start[0] + point.range * reported[0]
        point.y = start[1] + point.range * reported[1]
        point.z = start[2] + point.range * reported[2]
        drops = settings.drop_probability
        drops_out = drops > 0.0 and uniform_pair(stream, DROP_OUT, at)[0] < drops
        is_reported_out[i] = range_m >= 0.0 and not drops_out
