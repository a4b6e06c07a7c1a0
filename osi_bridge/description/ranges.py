# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Accepted ranges of numbers in messages; a number outside its range counts as not stated.

Some numbers are not listed here, because a bad value excludes a whole object, line or message,
which is reported separately. Paths are as in `fields_read`.
"""

from __future__ import annotations

from typing import NamedTuple

from osi_bridge.description import conditions
from osi_bridge.description.bones import FARTHEST_M
from osi_bridge.description.fields_read import alternatives
from osi_bridge.description.lanes import MAX_SIZE_M
from osi_bridge.description.limits import (
    MAX_ANGLE_RAD,
    MAX_DIMENSION_M,
    MAX_LUX,
    MAX_POSITION_M,
    MAX_SPEED_M_S,
)
from osi_bridge.description.read_details import MOST_ON_SIGN
from osi_bridge.description.wheel_motion import FASTEST_RAD_S

__all__ = ["RANGES", "Range"]


class Range(NamedTuple):
    """The accepted range of a number, low to high, both included, and its unit ("" for none)."""

    low: float
    high: float
    unit: str

    def __str__(self) -> str:
        return f"{self.low:g} to {self.high:g}{' ' if self.unit else ''}{self.unit}"


def _about(most: float, unit: str) -> Range:
    return Range(-most, most, unit)


_COLORS = "rgb.{red,green,blue},rgbir.{red,green,blue},grey.grey,hsv.{saturation,value}"
_WHEEL = "moving_object.vehicle_attributes.wheel_data."
_BONE = "moving_object.pedestrian_attributes.skeleton_bone."
_WEATHER = "environmental_conditions."

_ROWS = {
    "moving_object.base.velocity.{x,y,z}": _about(MAX_SPEED_M_S, "m/s"),
    "{moving_object,stationary_object}.base.base_polygon.{x,y}": _about(MAX_DIMENSION_M, "m"),
    f"{{moving_object,stationary_object}}.color_description.{{{_COLORS}}}": Range(0.0, 1.0, ""),
    "{moving_object,stationary_object}.color_description.cmyk.{cyan,magenta,yellow,key}": Range(
        0.0, 1.0, ""
    ),
    "moving_object.vehicle_attributes.bbcenter_to_{rear,front}.{x,y,z}": _about(
        MAX_DIMENSION_M, "m"
    ),
    "moving_object.vehicle_attributes.{radius_wheel,ground_clearance}": Range(
        0.0, MAX_DIMENSION_M, "m"
    ),
    f"{_WHEEL}position.{{x,y,z}}": _about(MAX_DIMENSION_M, "m"),
    f"{_WHEEL}{{wheel_radius,width}}": Range(0.0, MAX_DIMENSION_M, "m"),
    f"{_WHEEL}orientation.{{roll,pitch,yaw}}": _about(MAX_ANGLE_RAD, "rad"),
    f"{_WHEEL}rotation_rate": _about(FASTEST_RAD_S, "rad/s"),
    f"{_BONE}position.{{x,y,z}}": _about(FARTHEST_M, "m"),
    f"{_BONE}orientation.{{roll,pitch,yaw}}": _about(MAX_ANGLE_RAD, "rad"),
    "traffic_sign.main_sign.classification.value.value": _about(MOST_ON_SIGN, ""),
    "lane.classification.road_condition.surface_water_film": Range(
        *conditions.WATER_FILMS_MM, "mm"
    ),
    "lane_boundary.boundary_line.{width,height}": Range(0.0, MAX_SIZE_M, "m"),
    f"{_WEATHER}temperature": Range(*conditions.TEMPERATURES_K, "K"),
    f"{_WEATHER}relative_humidity": Range(*conditions.HUMIDITIES_PERCENT, "%"),
    f"{_WEATHER}atmospheric_pressure": Range(*conditions.PRESSURES_PA, "Pa"),
    f"{_WEATHER}wind.speed": Range(*conditions.WIND_SPEEDS_M_S, "m/s"),
    f"{_WEATHER}wind.origin_direction": Range(*conditions.DIRECTIONS_RAD, "rad"),
    f"{_WEATHER}sun.{{azimuth,elevation}}": _about(MAX_ANGLE_RAD, "rad"),
    f"{_WEATHER}sun.intensity": Range(0.0, MAX_LUX, "lx"),
    "proj_frame_offset.position.{x,y,z}": _about(MAX_POSITION_M, "m"),
    "SensorView.mounting_position.position.{x,y,z}": _about(MAX_POSITION_M, "m"),
    "SensorView.mounting_position.orientation.{roll,pitch,yaw}": _about(MAX_ANGLE_RAD, "rad"),
}
RANGES = {path: each for row, each in _ROWS.items() for path in alternatives(row)}
"""Accepted range of each number, by the path of its field, as in `fields_read`."""
