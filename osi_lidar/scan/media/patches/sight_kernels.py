# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of a beam's way through fog of changing density.

Fog of the mean extinction alpha has the extinction alpha m(x) at a place x; m is 1 on average. The
scale of a sensor's signal already includes even fog. So the light of a beam is corrected here for
the difference to even fog, out and back over the range r::

    exp(-2 alpha (M - r))    M = integral of m from 0 to r

M is computed by the midpoint rule with 4 to 32 steps, of a third of the size of patches if that
many suffice, and corrected by the slopes at both ends (Euler and Maclaurin).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential

FEWEST_STEPS, MOST_STEPS = 4, 32
"""Steps along a beam."""
_MOST_MORE = 60.0  # exponent of the correction: the scale of the signal goes to twice as much


class PatchArrays(NamedTuple):
    """Fog of changing density, as the beams of one scan see it.

    Attributes
    ----------
    extinction : float
        Mean extinction alpha; 0: there are no patches. [1/m]
    relative : float32 (n, n, n_up)
        Extinction divided by its mean, m, in the cells of a grid that repeats. The numbers of cells
        are powers of 2. [1]
    cells_from_sensor : float64 (n_pose, 3, 4)
        Matrix from the sensor frame [m] to grid coordinates in cells, at each pose.
    moment : uint32 (n_beam | 1,)
        Row of ``cells_from_sensor`` for each beam; a single row for all beams.
    step_m : float
        Step of integrals along a beam, while there are no more than `MOST_STEPS`. [m]
    echo_m, echo : float64 (n,)
        Ranges at which the fog's echo is looked for, ascending [m], and the SNR of even fog there.
    """

    extinction: float  # alpha, 0: there are no patches [1/m]
    relative: object  # float32 (n, n, n_up), powers of 2: m in the cells of a periodic grid
    cells_from_sensor: object  # float64 (n_pose, 3, 4) from sensor frame to coordinates in cells
    moment: object  # uint32 (n_beam | 1,) pose of each beam
    step_m: float  # of integrals, while there are no more than `MOST_STEPS`
    echo_m: object  # float64 (n,) ranges at which the fog's echo is looked for, ascending
    echo: object  # float64 (n,) signal of even fog there, as the receiver sees it


class Line(NamedTuple):
    """A beam as a straight line in grid coordinates of patchy fog: one unit is one cell.

    ``start`` is the place (x, y, z) where the beam starts, and ``along`` the step (x, y, z) in
    cells for each metre of range.
    """

    start: tuple[float, float, float]  # where the beam starts
    along: tuple[float, float, float]  # step per metre of range


NOWHERE = Line((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
"""Placeholder `Line` for beams of a scan without patches of fog."""


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def line_of(patches, beam, axis, origin_m):
    """Return a beam as a `Line` in the coordinates of the fog's grid, in cells.

    Parameters
    ----------
    patches : PatchArrays
        Fog of changing density, with the grid's coordinates at each pose of the sensor.
    beam : int
        Index of the beam in the scan pattern, from which its pose follows.
    axis, origin_m : (x, y, z)
        Unit vector of the beam, and its start [m], in the sensor frame.
    """
    fired = patches.moment[beam if len(patches.moment) > 1 else np.uint64(0)]
    matrix = patches.cells_from_sensor[fired]
    x, y, z = float(origin_m[0]), float(origin_m[1]), float(origin_m[2])
    u, v, w = float(axis[0]), float(axis[1]), float(axis[2])
    start = (
        matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2] * z + matrix[0, 3],
        matrix[1, 0] * x + matrix[1, 1] * y + matrix[1, 2] * z + matrix[1, 3],
        matrix[2, 0] * x + matrix[2, 1] * y + matrix[2, 2] * z + matrix[2, 3],
    )
    along = (
        matrix[0, 0] * u + matrix[0, 1] * v + matrix[0, 2] * w,
        matrix[1, 0] * u + matrix[1, 1] * v + matrix[1, 2] * w,
        matrix[2, 0] * u + matrix[2, 1] * v + matrix[2, 2] * w,
    )
    return Line(start, along)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _cell(place, n):
    """Return the cells before and after a place on a periodic axis, and the fraction between."""
    floor = np.floor(place)
    cell, last = np.int64(floor), np.int64(n - 1)
    # unsigned ones do not count from the end
    return np.uint64(cell & last), np.uint64((cell + 1) & last), np.float32(place - floor)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def relative_at(relative, line, range_m):
    """Return the relative extinction of patchy fog, local over mean, at a range of a beam.

    Parameters
    ----------
    relative : float32 (n, n, n_up)
        Relative extinction m in the cells of a grid that repeats; it is interpolated linearly
        between the cells' centres. [1]
    line : Line
        The beam in grid coordinates.
    range_m : float
        The range. [m]
    """
    (x, y, z), (u, v, w) = line
    x0, x1, fx = _cell(x + u * range_m, relative.shape[0])
    y0, y1, fy = _cell(y + v * range_m, relative.shape[1])
    z0, z1, fz = _cell(z + w * range_m, relative.shape[2])
    near = relative[x0, y0, z0] + fz * (relative[x0, y0, z1] - relative[x0, y0, z0])
    left = relative[x0, y1, z0] + fz * (relative[x0, y1, z1] - relative[x0, y1, z0])
    near += fy * (left - near)
    far = relative[x1, y0, z0] + fz * (relative[x1, y0, z1] - relative[x1, y0, z0])
    left = relative[x1, y1, z0] + fz * (relative[x1, y1, z1] - relative[x1, y1, z0])
    far += fy * (left - far)
    return near + fx * (far - near)


@njit(cache=True, nogil=True, error_model="numpy")
def integral(relative, line, range_m, step_m):
    """Return M, the integral of the relative extinction m of patchy fog along a beam [m].

    Parameters
    ----------
    relative : float32 (n, n, n_up)
        m in the cells of a grid that repeats. [1]
    line : Line
        The beam in grid coordinates.
    range_m : float
        Range at which the integral ends; it begins at the beam's start. [m]
    step_m : float
        Wished step of the sum; there are `FEWEST_STEPS` to `MOST_STEPS` steps. [m]
    """
    n = min(max(int(np.ceil(range_m / step_m)), FEWEST_STEPS), MOST_STEPS)
    width_m, total, ends = range_m / n, 0.0, 0.0
    for i in range(n):
        here = relative_at(relative, line, (i + 0.5) * width_m)
        total += here
        if i == 0 or i == n - 1:
            ends += here
        if i == 1 or i == n - 2:
            ends -= here
    return (total + ends / 24.0) * width_m  # h^2 / 24 times the slopes at both ends


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def past_patches(patches, line, range_m):
    """Return the factor by which patchy fog changes light, out to a range and back, over even fog.

    It is above 1 if the fog on the way is thinner than the mean. ``patches`` is `PatchArrays`,
    ``line`` the beam as a `Line`, and ``range_m`` the range [m].
    """
    more_m = integral(patches.relative, line, range_m, patches.step_m) - range_m
    return exponential(min(-2.0 * patches.extinction * more_m, _MOST_MORE))


@njit(cache=True, nogil=True, error_model="numpy")
def brightest(patches, line, from_m, to_m):
    """Return (SNR, range [m]) of the brightest fog of a beam between two ranges; (0, 0) if none.

    The SNR of patchy fog at the range x is the SNR of even fog times m exp(-2 alpha (M - x)): alpha
    is the mean extinction, m the extinction at x relative to it, and M the integral of m up to x,
    summed by trapezoids. The maximum is refined by a parabola through three ranges.

    Parameters
    ----------
    patches : PatchArrays
        The fog; only ranges in its ``echo_m`` are looked at.
    line : Line
        The beam in grid coordinates.
    from_m, to_m : float
        The two ranges; ``to_m`` may be infinite. [m]
    """
    height = place_m = more_m = before_m = last_m = before = last = 0.0
    m_last, at_last_m = relative_at(patches.relative, line, 0.0), 0.0
    is_top = False
    for i in range(len(patches.echo)):
        at_m = patches.echo_m[i]
        if at_m > to_m:
            break
        m = relative_at(patches.relative, line, at_m)
        more_m += (at_m - at_last_m) * (0.5 * (m + m_last) - 1.0)
        m_last, at_last_m = m, at_m
        if at_m < from_m:
            continue
        here = exponential(min(-2.0 * patches.extinction * more_m, _MOST_MORE))
        here *= patches.echo[i] * m
        if here > height:
            height, place_m, is_top = here, at_m, last > 0.0
        elif is_top:
            height, place_m = _top((before_m, before), (last_m, last), (at_m, here))
            is_top = False
        before_m, before, last_m, last = last_m, last, at_m, here
    return height, place_m


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _top(left, middle, right):
    """Return height and place of the top of a parabola through points; the middle is highest."""
    (x0, y0), (x1, y1), (x2, y2) = left, middle, right
    rise, fall = (y1 - y0) / (x1 - x0), (y2 - y1) / (x2 - x1)
    bend = (fall - rise) / (x2 - x0)
    if not bend < 0.0:
        return y1, x1
    slope = rise + bend * (x1 - x0)  # at the middle
    off = -0.5 * slope / bend
    return y1 + 0.5 * slope * off, x1 + off
