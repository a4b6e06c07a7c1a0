# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The fields of OSI messages that are read, and the fields that are left out on purpose.

Paths start at GroundTruth, or at "SensorView". The path of a message field includes all fields in
it. Braces hold alternatives, as in a shell. docs/reference/osi-fields.md has the same tables.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["READ", "UNNEEDED", "Unneeded", "alternatives", "in_braces"]

_POSE = "{position,orientation,dimension}"
_COLORS = "{rgb,rgbir.{red,green,blue},grey,hsv,cmyk}"

READ = (
    "SensorView.{version,timestamp,host_vehicle_id,sensor_id,global_ground_truth}",
    "SensorView.mounting_position",
    "{version,timestamp,host_vehicle_id,country_code,model_reference,map_reference}",
    "proj_frame_offset.position",
    "{moving_object,stationary_object,traffic_sign,traffic_light}.id",
    f"{{moving_object,stationary_object,traffic_sign.main_sign,traffic_light}}.base.{_POSE}",
    "{moving_object,stationary_object,traffic_sign.main_sign,traffic_light}.model_reference",
    "{moving_object,stationary_object}.base.base_polygon",
    f"{{moving_object,stationary_object}}.color_description.{_COLORS}",
    "moving_object.{type,base.velocity}",
    "moving_object.vehicle_classification.{type,has_trailer,role}",
    "moving_object.vehicle_attributes.{bbcenter_to_rear,bbcenter_to_front}",
    "moving_object.vehicle_attributes.{radius_wheel,ground_clearance}",
    "moving_object.vehicle_attributes.wheel_data.{position,wheel_radius,width}",
    "moving_object.vehicle_attributes.wheel_data.{orientation,rotation_rate}",
    "moving_object.pedestrian_attributes.bbcenter_to_root",
    "moving_object.pedestrian_attributes.skeleton_bone.{type,position,orientation,missing}",
    "stationary_object.classification.{type,color,material}",
    "traffic_sign.main_sign.classification.{type,value.value}",
    "traffic_light.classification.{icon,color}",
    "lane.{id,classification.{type,subtype,centerline}}",
    "lane.classification.{left,right,free}_lane_boundary_id",
    "lane.classification.road_condition.surface_water_film",
    "lane_boundary.{id,boundary_line,classification.{type,color}}",
    "lane_boundary.color_description.rgb",
    "road_marking.{id,base.{base_polygon,position,orientation,dimension}}",
    "road_marking.classification.{type,monochrome_color}",
    "logical_lane.{id,type,road_type,left_boundary_id,right_boundary_id}",
    "logical_lane_boundary.{id,boundary_line.position}",
    "environmental_conditions.{ambient_illumination,sun,precipitation,fog,temperature}",
    "environmental_conditions.{wind,relative_humidity,atmospheric_pressure,clouds}",
)
"""Paths of the fields that are read, from GroundTruth or "SensorView"; braces hold alternatives."""


class Unneeded(NamedTuple):
    """Fields of OSI messages that are deliberately not read: a lidar model does not need them.

    Attributes
    ----------
    what : str
        Subject of the fields.
    reason : str
        Why the fields are left out.
    fields : tuple of str
        Paths of the fields, with braces as in `alternatives`.
    """

    what: str
    reason: str
    fields: tuple[str, ...]


UNNEEDED = (
    Unneeded(
        "rates and accelerations",
        "poses of successive messages tell of motion",
        (
            "moving_object.base.{acceleration,orientation_rate,orientation_acceleration}",
            "moving_object.vehicle_attributes.steering_wheel_angle",
            "moving_object.pedestrian_attributes.skeleton_bone.{velocity,orientation_rate}",
            "moving_object.future_trajectory",
        ),
    ),
    Unneeded(
        "numbers and grip of wheels",
        "no light meets them",
        ("moving_object.vehicle_attributes.wheel_data.{axle,index,friction_coefficient}",),
    ),
    Unneeded(
        "lamps",
        "a lidar does not see their light",
        (
            "moving_object.vehicle_classification.light_state",
            "traffic_light.classification.{mode,counter,is_out_of_service}",
        ),
    ),
    Unneeded(
        "rules of traffic, and what belongs together",
        "they have no shape",
        (
            "moving_object.{assigned_lane_id,moving_object_classification}",
            "moving_object.vehicle_classification.trailer_id",
            "moving_object.vehicle_attributes.driver_id",
            "occupant",
            "{stationary_object,traffic_light}.classification.assigned_lane_id",
            "{road_marking,traffic_sign.main_sign}.classification.assigned_lane_id",
            "{stationary_object,traffic_light}.classification.logical_lane_assignment",
            "{road_marking,traffic_sign.main_sign}.classification.logical_lane_assignment",
            "stationary_object.classification.assigned_lane_percentage",
            "traffic_sign.main_sign.classification.{variability,direction_scope}",
            "{traffic_sign.main_sign,road_marking}.classification.is_out_of_service",
            "lane.classification.{is_host_vehicle_lane,centerline_is_driving_direction}",
            "lane.classification.{left_adjacent_lane_id,right_adjacent_lane_id,lane_pairing}",
            "lane_boundary.classification.limiting_structure_id",
            "logical_lane.{physical_lane_reference,reference_line_id,start_s,end_s}",
            "logical_lane.{move_direction,street_name,traffic_rule,overlapping_lane}",
            "logical_lane.{left,right}_adjacent_lane",
            "logical_lane.{predecessor,successor}_lane",
            "logical_lane_boundary.{reference_line_id,physical_boundary_id,passing_rule}",
            "logical_lane_boundary.boundary_line.{s_position,t_position}",
            "reference_line",
        ),
    ),
    Unneeded(
        "origin of the data",
        "it changes no scan",
        (
            "{moving_object,stationary_object,traffic_sign,traffic_light}.source_reference",
            "{lane,lane_boundary,logical_lane,logical_lane_boundary}.source_reference",
            "{road_marking,environmental_conditions}.source_reference",
        ),
    ),
    Unneeded(
        "what the host vehicle knows of itself",
        "it is one of the moving objects",
        ("SensorView.host_vehicle_data",),
    ),
    Unneeded(
        "sensors of other kinds, and errors of mounting",
        "the virtual sensor is a lidar in its true place",
        (
            "SensorView.{generic,radar,camera,ultrasonic}_sensor_view",
            "SensorView.mounting_position_rmse",
        ),
    ),
)
"""The fields that are left out on purpose, in groups with a reason each."""

_MARKS = re.compile(r"[{},]")


def alternatives(path: str) -> Iterator[str]:
    """Yield all paths that a path with braces stands for; braces may be nested.

    For example, "lane.{id,type}" stands for "lane.id" and "lane.type".
    """
    start = path.find("{")
    if start < 0:
        yield path
        return
    depth, words, at = 0, [], start + 1
    for mark in _MARKS.finditer(path, start):
        depth += {"{": 1, "}": -1, ",": 0}[mark[0]]
        if depth == 0 or (depth == 1 and mark[0] == ","):
            words.append(path[at : mark.start()].strip())
            at = mark.end()
        if depth == 0:
            break
    for word in words:
        yield from alternatives(path[:start] + word + path[at:])


def in_braces(paths: Iterable[str]) -> str:
    """Return a text that lists paths; it combines paths of the same message by braces.

    For example, "lane.id" and "lane.type" become "lane.{id, type}".
    """
    of_message: dict[str, list[str]] = {}
    for path in paths:
        before, _, name = path.rpartition(".")
        of_message.setdefault(before, []).append(name)
    return ", ".join(
        f"{before}{'.' if before else ''}{names[0] if len(names) == 1 else _braces(names)}"
        for before, names in of_message.items()
    )


def _braces(names: Iterable[str]) -> str:
    return "{" + ", ".join(names) + "}"
