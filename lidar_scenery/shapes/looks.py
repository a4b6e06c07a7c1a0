# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Looks of generated surfaces: the colour of each in pictures, and its infrared material."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Look(NamedTuple):
    """Colour and infrared material of a visual material of built-in surfaces."""

    color: tuple[float, float, float]
    """Red, green and blue, 0 to 1, for pictures."""
    infrared: str
    """Name of the built-in infrared material."""


_ROADS = {
    "road_asphalt": Look((0.24, 0.24, 0.26), "asphalt_worn"),
    "road_concrete": Look((0.62, 0.61, 0.58), "concrete"),
    "road_sidewalk": Look((0.66, 0.64, 0.6), "concrete"),
    "road_paving": Look((0.42, 0.4, 0.38), "paving_stone"),
    "road_gravel": Look((0.5, 0.46, 0.4), "gravel"),
    "marking_white": Look((0.93, 0.93, 0.9), "road_marking_white_beads"),
    "marking_yellow": Look((0.9, 0.75, 0.1), "road_marking_yellow_beads"),
    "kerb_stone": Look((0.6, 0.6, 0.6), "kerb_stone"),
    "rail_steel": Look((0.58, 0.6, 0.6), "steel_galvanised"),
    "barrier_concrete": Look((0.66, 0.65, 0.62), "concrete"),
    "wall_concrete": Look((0.62, 0.6, 0.57), "concrete"),
    "ground_grass": Look((0.36, 0.55, 0.24), "grass"),
    "ground_gravel": Look((0.5, 0.46, 0.4), "gravel"),
    "ground_soil": Look((0.42, 0.33, 0.25), "soil"),
    "ground_snow": Look((0.95, 0.96, 0.98), "snow"),
    "ground_asphalt": Look((0.28, 0.28, 0.29), "asphalt_worn"),
}
_VEHICLES_AND_PEOPLE = {
    "Paint": Look((0.5, 0.51, 0.52), "car_paint_grey"),
    "Paint_White": Look((0.94, 0.94, 0.93), "car_paint_white"),
    "Paint_Silver": Look((0.72, 0.74, 0.77), "car_paint_silver"),
    "Paint_Grey": Look((0.4, 0.41, 0.42), "car_paint_grey"),
    "Paint_Black": Look((0.05, 0.05, 0.06), "car_paint_black"),
    "Paint_Red": Look((0.75, 0.08, 0.08), "car_paint_red"),
    "Paint_Blue": Look((0.1, 0.22, 0.6), "car_paint_blue"),
    "Paint_Green": Look((0.12, 0.4, 0.2), "car_paint_green"),
    "Paint_Yellow": Look((0.95, 0.8, 0.1), "car_paint_yellow"),
    "Paint_Orange": Look((0.93, 0.45, 0.08), "car_paint_orange"),
    "Paint_Brown": Look((0.36, 0.24, 0.16), "car_paint_brown"),
    "Truck_Box": Look((0.85, 0.85, 0.83), "car_paint_white"),
    "Contour_Tape": Look((0.95, 0.9, 0.6), "sign_sheeting_high"),
    "Glass_Clear": Look((0.45, 0.6, 0.68), "glass"),
    "Glass_Tinted": Look((0.2, 0.3, 0.36), "glass_tinted"),
    "Mirror_Glass": Look((0.8, 0.85, 0.9), "chrome"),
    "Headlight": Look((0.95, 0.95, 0.85), "lamp_lens_clear"),
    "Headlight_Reflector": Look((0.8, 0.8, 0.82), "aluminium"),
    "Taillight": Look((0.65, 0.05, 0.05), "lamp_lens_red"),
    "Light_Bar": Look((0.3, 0.45, 0.9), "lamp_lens_clear"),
    "Reflector_Red": Look((0.75, 0.05, 0.05), "retro_reflector"),
    "Reflector_White": Look((0.95, 0.95, 0.95), "retro_reflector"),
    "License_Plate_Retro": Look((0.98, 0.98, 0.95), "licence_plate"),
    "Plastic_Black": Look((0.1, 0.1, 0.11), "plastic_black"),
    "Rubber_Black": Look((0.07, 0.07, 0.07), "rubber_tyre"),
    "Rim_Aluminium": Look((0.75, 0.76, 0.78), "aluminium"),
    "Underbody_Steel": Look((0.2, 0.2, 0.2), "plastic_black"),
    "Rail_Wheel": Look((0.45, 0.42, 0.4), "steel_rusty"),
    "Skin": Look((0.85, 0.64, 0.52), "skin"),
    "Hair": Look((0.22, 0.14, 0.09), "hair_dark"),
    "Fur": Look((0.45, 0.33, 0.22), "hair_dark"),
    "Helmet": Look((0.9, 0.9, 0.88), "plastic_white"),
    "Cloth_Jacket": Look((0.15, 0.32, 0.55), "cloth_cotton_dark"),
    "Cloth_Jeans": Look((0.2, 0.25, 0.4), "cloth_denim"),
    "Cloth_Blue": Look((0.2, 0.32, 0.6), "cloth_cotton_light"),
    "Cloth_Black": Look((0.1, 0.1, 0.12), "cloth_synthetic_dark"),
    "Shoe_Leather": Look((0.25, 0.16, 0.1), "leather_dark"),
}
_STREET = {
    "Tree_Bark": Look((0.36, 0.27, 0.19), "bark"),
    "Tree_Leaves": Look((0.25, 0.48, 0.18), "leaves"),
    "Lamp_Post_Steel": Look((0.45, 0.48, 0.48), "steel_galvanised"),
    "Lamp_Head_Plastic": Look((0.85, 0.85, 0.85), "plastic_grey"),
    "Bollard_Steel": Look((0.35, 0.35, 0.36), "metal_painted"),
    "Bollard_Band_Retro": Look((0.95, 0.95, 0.95), "sign_sheeting"),
    "Sign_Retroreflective_White": Look((1.0, 1.0, 1.0), "sign_sheeting"),
    "Sign_Retroreflective_Red": Look((0.8, 0.08, 0.1), "sign_sheeting"),
    "Sign_Retroreflective_Blue": Look((0.08, 0.25, 0.7), "sign_sheeting"),
    "Sign_Retroreflective_Yellow": Look((0.98, 0.8, 0.05), "sign_sheeting"),
    "Sign_Retroreflective_Green": Look((0.05, 0.45, 0.2), "sign_sheeting"),
    "Sign_Retroreflective_Orange": Look((0.95, 0.5, 0.1), "sign_sheeting"),
    "Sign_Retroreflective_Brown": Look((0.4, 0.25, 0.13), "sign_sheeting"),
    "Sign_Black": Look((0.06, 0.06, 0.06), "plastic_black"),
    "Sign_Back_Aluminium": Look((0.65, 0.66, 0.68), "aluminium"),
    "Sign_Post_Steel": Look((0.58, 0.6, 0.6), "steel_galvanised"),
    "Signal_Housing": Look((0.12, 0.13, 0.13), "plastic_black"),
    "Signal_Lens_Clear": Look((0.85, 0.88, 0.85), "lamp_lens_clear"),
    "Signal_Lens_Red": Look((0.75, 0.08, 0.08), "lamp_lens_clear"),
    "Signal_Lens_Yellow": Look((0.95, 0.75, 0.1), "lamp_lens_clear"),
    "Signal_Lens_Green": Look((0.1, 0.65, 0.3), "lamp_lens_clear"),
    "Signal_Reflector": Look((0.8, 0.8, 0.82), "aluminium"),
    "Pole_Steel": Look((0.6, 0.62, 0.62), "steel_galvanised"),
    "Delineator_Reflector": Look((0.98, 0.95, 0.85), "retro_reflector"),
    "Reflective_Sheeting": Look((0.95, 0.95, 0.9), "sign_sheeting"),
    "Cone_Orange": Look((0.95, 0.38, 0.1), "plastic_grey"),
    "Cone_Band_Retro": Look((0.96, 0.96, 0.96), "sign_sheeting"),
    "Speed_Bump_Asphalt": Look((0.3, 0.29, 0.28), "asphalt_worn"),
    "Building_Plaster": Look((0.85, 0.82, 0.75), "plaster"),
    "Building_Roof_Felt": Look((0.35, 0.34, 0.33), "roofing_felt"),
    "Building_Roof_Tile": Look((0.55, 0.24, 0.18), "roof_tile"),
    "Object_Unknown": Look((0.6, 0.6, 0.62), "lambertian_50"),
    "Object_Wood": Look((0.6, 0.45, 0.28), "wood_weathered"),
    "Object_Concrete": Look((0.64, 0.63, 0.6), "concrete"),
    "Object_Metal": Look((0.58, 0.6, 0.6), "steel_galvanised"),
    "Object_Stone": Look((0.55, 0.52, 0.48), "stone"),
    "Object_Glass": Look((0.55, 0.7, 0.8), "glass_pane"),
    "Object_Mud": Look((0.4, 0.31, 0.22), "soil"),
    "Object_Plastic_White": Look((0.92, 0.92, 0.92), "plastic_white"),
    "Object_Plastic_Grey": Look((0.6, 0.6, 0.6), "plastic_grey"),
    "Object_Plastic_Black": Look((0.1, 0.1, 0.1), "plastic_black"),
    "Object_Paint_White": Look((0.93, 0.93, 0.93), "car_paint_white"),
    "Object_Paint_Grey": Look((0.5, 0.5, 0.5), "car_paint_grey"),
    "Object_Paint_Black": Look((0.07, 0.07, 0.07), "car_paint_black"),
    "Object_Paint_Red": Look((0.75, 0.08, 0.08), "car_paint_red"),
    "Object_Paint_Orange": Look((0.95, 0.5, 0.1), "car_paint_orange"),
    "Object_Paint_Yellow": Look((0.95, 0.85, 0.1), "car_paint_yellow"),
    "Object_Paint_Green": Look((0.1, 0.5, 0.15), "car_paint_green"),
    "Object_Paint_Blue": Look((0.1, 0.2, 0.65), "car_paint_blue"),
}
LOOKS: Mapping[str, Look] = MappingProxyType({**_ROADS, **_VEHICLES_AND_PEOPLE, **_STREET})
"""All looks, by the name of the visual material."""
