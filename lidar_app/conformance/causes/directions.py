# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Assumed errors (readings) in detections: units, signs, axes, and the frame of positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.causes.evidence import BenchReading, directions_of
from osi_bridge import rotation_from_orientation

if TYPE_CHECKING:
    from collections.abc import Callable

    from lidar_app.conformance.causes.evidence import Directions, Evidence, Values


def _angles(text: str, undone: Callable[[Values, Values], tuple[Values, Values]]) -> BenchReading:
    """Return a reading in which azimuth and elevation are wrong; `undone` corrects them."""

    def whole(of: Evidence) -> Directions:
        azimuth, elevation = undone(of.azimuth_rad, of.elevation_rad)
        return azimuth, elevation, of.range_m

    return BenchReading(text=text, undone=whole)


def _ranges(text: str, factor: Callable[[Values, Values], Values]) -> BenchReading:
    """Return a reading in which ranges were divided by a factor that depends on both angles."""

    def whole(of: Evidence) -> Directions:
        azimuth, elevation = of.azimuth_rad, of.elevation_rad
        return azimuth, elevation, of.range_m * factor(azimuth, elevation)

    return BenchReading(text=text, undone=whole)


def _points(text: str, undone: Callable[[Values, Evidence], Values]) -> BenchReading:
    """Return a reading in which positions are wrong; `undone` corrects them."""
    return BenchReading(text=text, undone=lambda of: directions_of(undone(of.points_m(), of)))


def _from_vehicle(points_m: Values, of: Evidence) -> Values:
    turn = rotation_from_orientation(of.sheet.orientation_rad)
    return np.asarray((points_m - np.asarray(of.sheet.position_m)) @ turn)


def _from_box(points_m: Values, of: Evidence) -> Values:
    return _from_vehicle(points_m - np.asarray(of.moments[-1].rear_axle_m), of)


def _from_world(points_m: Values, of: Evidence) -> Values:
    host = of.moments[-1].host
    turn = rotation_from_orientation(host.orientation_rad)
    return _from_vehicle((points_m - np.asarray(host.position_m)) @ turn, of)


def _unturned(points_m: Values, of: Evidence) -> Values:
    return np.asarray(points_m @ rotation_from_orientation(of.sheet.orientation_rad))


def _upright(azimuth: Values, elevation: Values) -> tuple[Values, Values]:
    return azimuth, 0.5 * np.pi - elevation


def _in_degrees(of: Evidence) -> Directions:
    return np.radians(of.azimuth_rad), np.radians(of.elevation_rad), of.range_m


UNITS_AND_AXES = (
    BenchReading(text="angles are in degrees, where OSI has radians", undone=_in_degrees),
    _angles(
        "the y axis is mirrored: azimuths have the other sign, left and right are swapped",
        lambda azimuth, elevation: (-azimuth, elevation),
    ),
    _angles(
        "the z axis is mirrored: elevations are positive down",
        lambda azimuth, elevation: (azimuth, -elevation),
    ),
    _angles(
        "the y and the z axis are mirrored: azimuths and elevations have the other sign",
        lambda azimuth, elevation: (-azimuth, -elevation),
    ),
    _angles(
        "the x axis is mirrored: ahead and behind are swapped",
        lambda azimuth, elevation: (np.pi - azimuth, elevation),
    ),
    _angles("elevations are counted from the vertical, not from the horizon", _upright),
    _angles(
        "the x and the y axis are swapped: azimuths are counted clockwise from the y axis",
        lambda azimuth, elevation: (0.5 * np.pi - azimuth, elevation),
    ),
    _angles(
        "all detections are turned by +90 deg about the vertical: azimuths are counted from -y",
        lambda azimuth, elevation: (azimuth - 0.5 * np.pi, elevation),
    ),
    _angles(
        "all detections are turned by -90 deg about the vertical: azimuths are counted from +y",
        lambda azimuth, elevation: (azimuth + 0.5 * np.pi, elevation),
    ),
    _angles(
        "all detections are turned by 180 deg about the vertical",
        lambda azimuth, elevation: (azimuth - np.pi, elevation),
    ),
    _angles(
        "azimuth and elevation are swapped",
        lambda azimuth, elevation: (elevation, azimuth),
    ),
    _points("the y and the z axis are swapped", lambda points, _: points[:, (0, 2, 1)]),
    _points("the x and the z axis are swapped", lambda points, _: points[:, (2, 1, 0)]),
    _ranges(
        "ranges are distances in the horizontal plane, not along the beam",
        lambda _, elevation: 1.0 / np.cos(elevation),
    ),
    _ranges(
        "ranges are depths along the x axis, not along the beam",
        lambda azimuth, elevation: 1.0 / (np.cos(azimuth) * np.cos(elevation)),
    ),
)
FRAMES = (
    _points(
        "positions are in the frame of the vehicle (origin: rear axle), not of the sensor",
        _from_vehicle,
    ),
    _points(
        "positions are in the frame of the host's box (origin: its centre), not of the sensor",
        _from_box,
    ),
    _points("positions are in the frame of the world, not of the sensor", _from_world),
    _points(
        "positions are from the sensor, but along the axes of the vehicle, not of the sensor",
        _unturned,
    ),
)
