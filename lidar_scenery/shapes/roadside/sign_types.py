# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Built-in shapes for the types of OSI's main signs.

The types follow the German catalogue of signs (VzKat), and so do shapes and colours.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_TYPES: Mapping[str, str] = {
    "sign_warning": """
        DANGER_SPOT FLIGHT CATTLE HORSE_RIDERS AMPHIBIANS FALLING_ROCKS SNOW_OR_ICE LOOSE_GRAVEL
        WATERSIDE CLEARANCE MOVABLE_BRIDGE RIGHT_BEFORE_LEFT_NEXT_INTERSECTION TURN_LEFT TURN_RIGHT
        DOUBLE_TURN_LEFT DOUBLE_TURN_RIGHT HILL_DOWNWARDS HILL_UPWARDS UNEVEN_ROAD
        ROAD_SLIPPERY_WET_OR_DIRTY SIDE_WINDS ROAD_NARROWING ROAD_NARROWING_RIGHT
        ROAD_NARROWING_LEFT ROAD_WORKS TRAFFIC_QUEUES TWO_WAY_TRAFFIC ATTENTION_TRAFFIC_LIGHT
        PEDESTRIANS CHILDREN_CROSSING CYCLE_ROUTE DEER_CROSSING UNGATED_LEVEL_CROSSING
        RIGHT_OF_WAY_NEXT_INTERSECTION""",
    "sign_crossbuck": "RAILWAY_TRAFFIC_PRIORITY",
    "sign_give_way": "GIVE_WAY",
    "sign_stop": "STOP",
    "sign_priority_road": "RIGHT_OF_WAY_BEGIN",
    "sign_priority_road_end": "RIGHT_OF_WAY_END",
    "sign_no_entry": "DO_NOT_ENTER",
    "sign_no_stopping": "NO_STOPPING",
    "sign_no_parking": "NO_PARKING",
    "sign_speed_limit": "SPEED_LIMIT_BEGIN",
    "sign_prohibition": """
        PRIORITY_TO_OPPOSITE_DIRECTION PRIORITY_TO_OPPOSITE_DIRECTION_UPSIDE_DOWN ALL_PROHIBITED
        MOTORIZED_MULTITRACK_PROHIBITED TRUCKS_PROHIBITED BICYCLES_PROHIBITED
        MOTORCYCLES_PROHIBITED MOPEDS_PROHIBITED HORSE_RIDERS_PROHIBITED HORSE_CARRIAGES_PROHIBITED
        CATTLE_PROHIBITED BUSES_PROHIBITED CARS_PROHIBITED CARS_TRAILERS_PROHIBITED
        TRUCKS_TRAILERS_PROHIBITED TRACTORS_PROHIBITED PEDESTRIANS_PROHIBITED
        MOTOR_VEHICLES_PROHIBITED HAZARDOUS_GOODS_VEHICLES_PROHIBITED
        OVER_WEIGHT_VEHICLES_PROHIBITED VEHICLES_AXLE_OVER_WEIGHT_PROHIBITED
        VEHICLES_EXCESS_WIDTH_PROHIBITED VEHICLES_EXCESS_HEIGHT_PROHIBITED
        VEHICLES_EXCESS_LENGTH_PROHIBITED WATER_POLLUTANT_VEHICLES_PROHIBITED NO_U_TURN_LEFT
        NO_U_TURN_RIGHT MINIMUM_DISTANCE_FOR_TRUCKS OVERTAKING_BAN_BEGIN
        OVERTAKING_BAN_FOR_TRUCKS_BEGIN CUSTOMS""",
    "sign_prohibition_end": """
        SPEED_LIMIT_END OVERTAKING_BAN_END OVERTAKING_BAN_FOR_TRUCKS_END ALL_RESTRICTIONS_END""",
    "sign_mandatory": """
        PRESCRIBED_LEFT_TURN PRESCRIBED_RIGHT_TURN PRESCRIBED_STRAIGHT PRESCRIBED_RIGHT_WAY
        PRESCRIBED_LEFT_WAY PRESCRIBED_RIGHT_TURN_AND_STRAIGHT PRESCRIBED_LEFT_TURN_AND_STRAIGHT
        PRESCRIBED_LEFT_TURN_AND_RIGHT_TURN PRESCRIBED_LEFT_TURN_RIGHT_TURN_AND_STRAIGHT
        PRESCRIBED_U_TURN_LEFT PRESCRIBED_U_TURN_RIGHT ROUNDABOUT PASS_LEFT PASS_RIGHT
        BICYCLES_ONLY HORSE_RIDERS_ONLY PEDESTRIANS_ONLY BICYCLES_PEDESTRIANS_SHARED_ONLY
        BICYCLES_PEDESTRIANS_SEPARATED_LEFT_ONLY BICYCLES_PEDESTRIANS_SEPARATED_RIGHT_ONLY BUS_LANE
        BUS_LANE_BEGIN MINIMUM_SPEED_BEGIN SNOW_CHAINS_REQUIRED""",
    "sign_mandatory_end": "BUS_LANE_END MINIMUM_SPEED_END",
    "sign_bus_stop": "BUS_STOP",
    "sign_zone": """
        SPEED_LIMIT_ZONE_BEGIN ENVIRONMENTAL_ZONE_BEGIN NO_PARKING_ZONE_BEGIN TAXI_STAND""",
    "sign_zone_blue": """
        PEDESTRIAN_ZONE_BEGIN BICYCLE_ROAD_BEGIN CAR_PARKING_ZONE_BEGIN""",
    "sign_zone_end": """
        SPEED_LIMIT_ZONE_END ENVIRONMENTAL_ZONE_END NO_PARKING_ZONE_END PEDESTRIAN_ZONE_END
        BICYCLE_ROAD_END CAR_PARKING_ZONE_END ADVISORY_SPEED_LIMIT_END""",
    "sign_information": """
        ZEBRA_CROSSING PRIORITY_OVER_OPPOSITE_DIRECTION PRIORITY_OVER_OPPOSITE_DIRECTION_UPSIDE_DOWN
        CAR_PARKING SIDEWALK_HALF_PARKING_LEFT SIDEWALK_HALF_PARKING_RIGHT SIDEWALK_PARKING_LEFT
        SIDEWALK_PARKING_RIGHT SIDEWALK_PERPENDICULAR_HALF_PARKING_LEFT
        SIDEWALK_PERPENDICULAR_HALF_PARKING_RIGHT SIDEWALK_PERPENDICULAR_PARKING_LEFT
        SIDEWALK_PERPENDICULAR_PARKING_RIGHT TUNNEL EMERGENCY_STOPPING_LEFT EMERGENCY_STOPPING_RIGHT
        HIGHWAY_BEGIN EXPRESSWAY_BEGIN ONEWAY_STREET CROSSING_GUARDS DEADEND
        DEADEND_EXCLUDING_DESIGNATED_ACTORS FIRST_AID_STATION POLICE_STATION TELEPHONE
        FILLING_STATION HOTEL INN KIOSK TOILET CHAPEL TOURIST_INFO REPAIR_SERVICE
        PEDESTRIAN_UNDERPASS PEDESTRIAN_BRIDGE CAMPER_PLACE ADVISORY_SPEED_LIMIT_BEGIN
        HIGHWAY_INTERCHANGE_NUMBER HIGHWAY_ROUTE_NUMBER""",
    "sign_information_end": "HIGHWAY_END EXPRESSWAY_END",
    "sign_living_street": "LIVING_STREET_BEGIN",
    "sign_living_street_end": "LIVING_STREET_END",
    "sign_one_way": "ONEWAY_LEFT ONEWAY_RIGHT",
    "sign_town": "TOWN_BEGIN",
    "sign_town_end": "TOWN_END",
    "sign_direction_left_yellow": """
        FEDERAL_HIGHWAY_DIRECTION_LEFT PRIMARY_ROAD_DIRECTION_LEFT DETOUR_LEFT""",
    "sign_direction_right_yellow": """
        FEDERAL_HIGHWAY_DIRECTION_RIGHT PRIMARY_ROAD_DIRECTION_RIGHT DETOUR_RIGHT POLE_EXIT
        NAMED_ROAD_EXIT NAMED_EXPRESSWAY_EXIT EXPRESSWAY_EXIT""",
    "sign_direction_left_white": """
        SECONDARY_ROAD_DIRECTION_LEFT DIRECTION_DESIGNATED_ACTORS_LEFT
        DIRECTION_TO_LOCAL_DESTINATION_LEFT""",
    "sign_direction_right_white": """
        SECONDARY_ROAD_DIRECTION_RIGHT DIRECTION_DESIGNATED_ACTORS_RIGHT
        DIRECTION_TO_LOCAL_DESTINATION_RIGHT""",
    "sign_direction_left_blue": "DIRECTION_TO_HIGHWAY_LEFT",
    "sign_direction_right_blue": "DIRECTION_TO_HIGHWAY_RIGHT NAMED_HIGHWAY_EXIT HIGHWAY_EXIT",
    "sign_board_yellow": """
        FEDERAL_HIGHWAY_ROUTE_NUMBER CONSOLIDATED_DIRECTIONS DIRECTION_PREANNOUNCEMENT
        DIRECTION_PREANNOUNCEMENT_LANE_CONFIG DIRECTION_PREANNOUNCEMENT_HIGHWAY_ENTRIES
        OTHER_ROAD_ANNOUNCEMENT NUMBERED_DETOUR DETOUR_BEGIN DETOUR_END DETOUR_ROUTING_BOARD
        PLACE_NAME""",
    "sign_board_blue": """
        HIGHWAY_ANNOUNCEMENT HIGHWAY_ANNOUNCEMENT_TRUCK_STOP HIGHWAY_PREANNOUNCEMENT_DIRECTIONS
        OPTIONAL_DETOUR OPTIONAL_DETOUR_ROUTING SIDE_LANE_OPEN_FOR_TRAFFIC
        SIDE_LANE_CLOSED_FOR_TRAFFIC SIDE_LANE_CLOSING_FOR_TRAFFIC ANNOUNCE_LANE_TRANSITION_LEFT
        ANNOUNCE_LANE_TRANSITION_RIGHT ANNOUNCE_RIGHT_LANE_END ANNOUNCE_LEFT_LANE_END
        ANNOUNCE_RIGHT_LANE_BEGIN ANNOUNCE_LEFT_LANE_BEGIN ANNOUNCE_LANE_CONSOLIDATION
        INTERNATIONAL_BORDER_INFO""",
    "sign_board_green": "EUROPEAN_ROUTE_NUMBER",
    "sign_board_brown": "TOURIST_ATTRACTION TOURIST_ROUTE TOURIST_AREA",
    "sign_board_orange": "ROUTE_RECOMMENDATION ROUTE_RECOMMENDATION_END DETOUR_CITY_BLOCK",
    "sign_beacon": "LEVEL_CROSSING_MARKER GUIDING_PLATE GUIDING_PLATE_WEDGES POLE_WARNING",
    "sign_beacon_blue": "HIGHWAY_DISTANCE_BOARD",
    "sign_striped_board": """
        PARKING_HAZARD DIRECTIONAL_BOARD_WARNING GATE MOBILE_LANE_CLOSURE STREETLIGHT_RED_BAND""",
    "sign_green_arrow": "TRAFFIC_LIGHT_GREEN_ARROW",
    "delineator": "REFLECTOR_POST",
    "traffic_cone": "TRAFFIC_CONE",
}
BY_TYPE: Mapping[str, str] = MappingProxyType(
    {name: shape for shape, names in _TYPES.items() for name in names.split()}
)
"""Shape by name of the type, without TYPE_; all other types show `PLAIN`."""
PLAIN = "sign_plate"
_NUMBERS: Mapping[str, str] = {  # by number in the catalogue; other numbers: by their hundreds
    "sign_beacon": "157 159 162 605",
    "sign_crossbuck": "201",
    "sign_give_way": "205",
    "sign_stop": "206",
    "sign_prohibition": "208 269 273 276 277 277.1",
    "sign_mandatory": "209 211 214 215 222 237 238 239 240 241 245 268 275",
    "sign_one_way": "220",
    "sign_bus_stop": "224",
    "sign_zone": "229 270.1 274.1 290.1",
    "sign_zone_blue": "242.1 244.1 244.3 314.1",
    "sign_zone_end": "242.2 244.2 244.4 270.2 274.2 290.2 314.2",
    "sign_no_entry": "267",
    "sign_speed_limit": "274",
    "sign_prohibition_end": "278 280 281 281.1 282",
    "sign_mandatory_end": "279",
    "sign_no_stopping": "283",
    "sign_no_parking": "286",
    "sign_warning": "301",
    "sign_priority_road": "306",
    "sign_priority_road_end": "307",
    "sign_town": "310",
    "sign_town_end": "311",
    "sign_living_street": "325 325.1",
    "sign_living_street_end": "326 325.2",
    "sign_information_end": "330.2 331.2",
    "sign_direction_right_yellow": "333 415",
    "sign_direction_right_white": "418 432",
    "sign_direction_right_blue": "430",
    "sign_board_brown": "386 386.1 386.2 386.3",
    "sign_board_blue": "448 448.1 449 453",
    "sign_beacon_blue": "450",
    "sign_board_green": "410",
    "sign_striped_board": "600 625 626",
    "traffic_cone": "610",
    "delineator": "620",
    "sign_green_arrow": "720",
}
_BY_NUMBER = {number: shape for shape, numbers in _NUMBERS.items() for number in numbers.split()}
_BY_HUNDREDS = {
    "1": "sign_warning",
    "2": "sign_prohibition",
    "3": "sign_information",
    "4": "sign_board_yellow",
}


def sign_shape(type_name: str) -> str:
    """Return the name of a traffic sign's shape, in `SIGNS` or in `STREET`; by default `PLAIN`.

    Parameters
    ----------
    type_name : str
        Name in OSI's TrafficSign.MainSign.Classification.Type, such as "TYPE_STOP".
    """
    return BY_TYPE.get(type_name.removeprefix("TYPE_"), PLAIN)


def catalogue_sign_shape(number: str) -> str:
    """Return the name of the shape of a German traffic sign, in `SIGNS` or in `STREET`.

    A number without a shape of its own gets the general shape of its hundred, such as a warning
    sign for 100 to 199. Any text that is no number gets `PLAIN`.

    Parameters
    ----------
    number : str
        Number in the German catalogue (VzKat), as written in OpenDRIVE maps: "206", "274.1-20".
    """
    base = number.partition("-")[0].strip()
    if base in _BY_NUMBER:
        return _BY_NUMBER[base]
    known = re.fullmatch(r"([1-4])\d\d(\.\d+)?", base)
    return _BY_HUNDREDS[known[1]] if known else PLAIN
