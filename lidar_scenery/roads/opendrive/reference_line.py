# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reference lines of roads: lines, arcs, spirals and polynomials in the plane."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.roads.opendrive.cubics import Stations

Row = tuple[float, float, float, float]
"""Coefficients (a, b, c, d) of a cubic polynomial a + b p + c p^2 + d p^3."""

_STRAIGHT = 1e-12
"""Curvature below which a line is straight. [1/m]"""
_ARC_M = 1e-6
"""A spiral that deviates from the arc of its mean curvature by less counts as that arc. [m]"""
_CELLS = 256
"""Cells of the table from arc length to the parameter of a polynomial."""


class Plan(NamedTuple):
    """n points of a line in the horizontal plane, and the heading of the line at each point.

    `x_m` and `y_m` are the coordinates of the points, float64 (n,) each [m]. `heading_rad` is the
    heading, counter-clockwise from x, float64 (n,) [rad].
    """

    x_m: NDArray[np.float64]
    y_m: NDArray[np.float64]
    heading_rad: NDArray[np.float64]


class Clothoid(NamedTuple):
    """A curve in the plane whose curvature changes linearly along its length, between two values.

    It is a line if both are 0, an arc if they are equal, and otherwise a spiral. Its length and
    its start are not stored here, but in its `LinePiece`.
    """

    first: float = 0.0
    """Curvature at the start of the curve; to the left is positive. [1/m]"""
    last: float = 0.0
    """Curvature at the end of the curve. [1/m]"""


class Polynomial(NamedTuple):
    """A curve (u(p), v(p)) in the plane, where u and v are cubic polynomials of a parameter p.

    u is the distance forward along the heading at the start of the piece, v the distance to its
    left. [m]
    """

    u: Row  # coefficients a, b, c, d
    v: Row  # coefficients a, b, c, d
    last: float
    """p at the end of the curve; at the start p is 0."""

    @classmethod
    def of_height(cls, v: Row, length_m: float) -> Polynomial:
        """Return the curve whose distance to the left is v(u), with u as the parameter p.

        `v` has the coefficients of the polynomial. The curve ends where its arc length is
        `length_m`. [m]
        """
        whole = cls((0.0, 1.0, 0.0, 0.0), v, length_m)
        p, arc = whole.arc_lengths()
        return whole._replace(last=float(np.interp(length_m, arc, p)))

    def arc_lengths(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return (parameters, arc lengths [m] from the start up to each parameter).

        The parameters are evenly spaced from 0 to `last`; lengths follow by Simpson's rule.
        """
        p = np.linspace(0.0, self.last, 2 * _CELLS + 1)
        speed = np.hypot(_cubic(self.u, p)[1], _cubic(self.v, p)[1])
        cells = (speed[:-2:2] + 4.0 * speed[1::2] + speed[2::2]) * (p[1] / 3.0)
        return p[::2], np.append(0.0, np.cumsum(cells))


class LinePiece(NamedTuple):
    """A piece of a road's reference line: OpenDRIVE's <geometry>.

    Attributes
    ----------
    start_m, length_m : float
        Station at which the piece starts, and its length. [m]
    x_m, y_m : float
        Point at which it starts, in the coordinates of the map. [m]
    heading_rad : float
        Heading at its start, counter-clockwise from x. [rad]
    curve : Clothoid or Polynomial
        Its form, relative to its start; by default a straight line.
    """

    start_m: float  # station at which it starts
    length_m: float
    x_m: float  # of its start
    y_m: float  # of its start
    heading_rad: float  # of its start
    curve: Clothoid | Polynomial = Clothoid()  # relative to its start

    def plan(self, ds_m: NDArray[np.float64]) -> Plan:
        """Return the points and headings at distances from the start of the piece, as a `Plan`.

        `ds_m` has n distances along the piece [m]. Points are in the coordinates of the map; beyond
        its ends a piece goes on.
        """
        if isinstance(self.curve, Polynomial):
            local = _polynomial(self.curve, self.length_m, ds_m)
        else:
            local = _clothoid(self.curve, self.length_m, ds_m)
        c, s = math.cos(self.heading_rad), math.sin(self.heading_rad)
        return Plan(
            self.x_m + c * local.x_m - s * local.y_m,
            self.y_m + s * local.x_m + c * local.y_m,
            self.heading_rad + local.heading_rad,
        )

    def step_m(self, tolerance_m: float) -> float:
        """Return a distance along the piece within which the curve is nearly straight [m].

        Between two points at this distance, the curve deviates from the chord by at most
        `tolerance_m`. The result is infinite for a straight line. For a polynomial it is a quarter
        of the piece, whatever the tolerance.
        """
        if isinstance(self.curve, Polynomial):
            return self.length_m / 4.0
        curvature = max(map(abs, self.curve))
        return math.sqrt(8.0 * tolerance_m / curvature) if curvature > _STRAIGHT else math.inf


def _clothoid(curve: Clothoid, length_m: float, ds_m: NDArray[np.float64]) -> Plan:
    rate = (curve.last - curve.first) / length_m
    if abs(rate) * length_m**3 < _ARC_M:
        return _arc(0.5 * (curve.first + curve.last), ds_m)
    return _spiral(curve.first, rate, ds_m)


def _polynomial(curve: Polynomial, length_m: float, ds_m: NDArray[np.float64]) -> Plan:
    """Return points at distances from the start; beyond its ends the curve continues straight.

    The curve is stretched to the length that the map states, which may differ slightly from the
    length of the curve because maps round numbers.
    """
    p, arc = curve.arc_lengths()
    at = np.interp(ds_m / length_m * arc[-1], arc, p)
    (u, du), (v, dv) = _cubic(curve.u, at), _cubic(curve.v, at)
    heading = np.arctan2(dv, du)
    beyond = ds_m - np.clip(ds_m, 0.0, length_m)
    return Plan(u + beyond * np.cos(heading), v + beyond * np.sin(heading), heading)


def _cubic(row: Row, p: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the values and the derivatives of a polynomial."""
    a, b, c, d = row
    return a + p * (b + p * (c + p * d)), b + p * (2.0 * c + p * 3.0 * d)


def _arc(curvature: float, ds_m: NDArray[np.float64]) -> Plan:
    """Return points of an arc, or of a straight line, that starts at the origin along x."""
    turn = curvature * ds_m
    chord = ds_m * np.sinc(turn / (2.0 * np.pi))  # 2 sin(turn / 2) / curvature
    return Plan(chord * np.cos(0.5 * turn), chord * np.sin(0.5 * turn), turn)


def _spiral(first: float, rate: float, ds_m: NDArray[np.float64]) -> Plan:
    """Return points of a clothoid with a first curvature k that rises by the rate c per metre.

    The heading k s + c s^2 / 2 is a perfect square in s + k / c, up to a constant. So the points
    are differences of Fresnel integrals (Abramowitz and Stegun, 7.3.1 and 7.3.2).
    """
    from scipy.special import fresnel  # noqa: PLC0415  most runs read no spirals

    scale = math.sqrt(math.pi / abs(rate))
    offset = first / rate
    sine, cosine = fresnel((ds_m + offset) / scale)
    sine_0, cosine_0 = fresnel(offset / scale)
    x, y = scale * (cosine - cosine_0), math.copysign(scale, rate) * (sine - sine_0)
    turn = -0.5 * first * offset
    c, s = math.cos(turn), math.sin(turn)
    return Plan(c * x - s * y, s * x + c * y, ds_m * (first + 0.5 * rate * ds_m))


def plan_of(geometries: tuple[LinePiece, ...], stations: Stations) -> Plan:
    """Return the points and headings of a road's reference line at n stations, as a `Plan`.

    Each station belongs to the piece of the line that its ``inside_m`` selects. A station slightly
    beyond the end of its piece gets a point on the continued curve.

    Parameters
    ----------
    geometries : tuple of LinePiece
        Pieces of the reference line, by rising station.
    stations : Stations
        The n stations.
    """
    starts = np.array([geometry.start_m for geometry in geometries])
    piece = np.maximum(np.searchsorted(starts, stations.inside_m, side="right") - 1, 0)
    plan = Plan(*(np.empty_like(stations.s_m) for _ in Plan._fields))
    for index in np.unique(piece):
        chosen = piece == index
        part = geometries[index].plan(stations.s_m[chosen] - starts[index])
        for whole, values in zip(plan, part, strict=True):
            whole[chosen] = values
    return plan
