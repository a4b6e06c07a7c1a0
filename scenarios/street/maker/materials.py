# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Visual materials of the scenario: the colour and the infrared material of each."""

Colour = tuple[float, float, float]

MATERIALS: dict[str, tuple[Colour, str]] = {
    # the street
    "Road_Asphalt": ((0.24, 0.24, 0.26), "asphalt_worn"),
    "Road_Cobblestone": ((0.42, 0.40, 0.38), "paving_stone"),
    "Lane_Marking_White": ((0.93, 0.93, 0.90), "road_marking_white"),
    "Kerb_Granite": ((0.60, 0.60, 0.60), "kerb_stone"),
    "Sidewalk_Concrete": ((0.66, 0.64, 0.60), "concrete"),
    "Garden_Path_Stone": ((0.62, 0.55, 0.48), "paving_stone"),
    "Grass": ((0.36, 0.55, 0.24), "grass"),
    # houses
    "House_Plaster_White": ((0.93, 0.92, 0.88), "plaster_white"),
    "House_Plaster_Yellow": ((0.90, 0.80, 0.55), "plaster"),
    "House_Plaster_Grey": ((0.70, 0.71, 0.72), "plaster"),
    "House_Plaster_Red": ((0.78, 0.50, 0.42), "plaster"),
    "House_Brick": ((0.62, 0.32, 0.25), "brick"),
    "House_Plinth": ((0.45, 0.44, 0.43), "concrete"),
    "Roof_Tile": ((0.55, 0.24, 0.18), "roof_tile"),
    "Gutter_Zinc": ((0.55, 0.57, 0.60), "steel_galvanised"),
    "Window_Glass": ((0.55, 0.70, 0.80), "glass"),
    "Window_Frame": ((0.95, 0.95, 0.95), "plastic_white"),
    "Window_Sill_Stone": ((0.70, 0.68, 0.65), "stone"),
    "Door_Wood": ((0.45, 0.28, 0.16), "wood_dark"),
    "Door_Handle_Steel": ((0.75, 0.75, 0.75), "steel"),
    "Step_Concrete": ((0.60, 0.60, 0.58), "concrete"),
    "Canopy_Steel": ((0.40, 0.42, 0.45), "metal_painted"),
    "Room_Floor": ((0.40, 0.30, 0.22), "wood_dark"),
    "Room_Wall": ((0.22, 0.20, 0.19), "lambertian_10"),
    # plants
    "Tree_Bark": ((0.36, 0.27, 0.19), "bark"),
    "Tree_Leaves": ((0.25, 0.48, 0.18), "leaves"),
    "Hedge_Leaves": ((0.20, 0.40, 0.16), "leaves"),
    # street furniture
    "Fence_Wood": ((0.70, 0.55, 0.38), "wood_weathered"),
    "Fence_Metal": ((0.20, 0.22, 0.22), "metal_painted"),
    "Fence_Wall_Concrete": ((0.62, 0.60, 0.57), "concrete"),
    "Lamp_Post_Steel": ((0.45, 0.48, 0.48), "steel_galvanised"),
    "Lamp_Head_Plastic": ((0.85, 0.85, 0.85), "plastic_grey"),
    "Bench_Wood": ((0.58, 0.40, 0.24), "wood"),
    "Bench_Steel": ((0.30, 0.30, 0.32), "metal_painted"),
    "Bin_Plastic": ((0.20, 0.35, 0.25), "plastic_grey"),
    "Bollard_Steel": ((0.35, 0.35, 0.36), "metal_painted"),
    "Bollard_Band_Retro": ((0.95, 0.95, 0.95), "sign_sheeting"),
    "Cabinet_Plastic": ((0.62, 0.64, 0.62), "plastic_grey"),
    "Shelter_Steel": ((0.35, 0.38, 0.42), "metal_painted"),
    "Timetable_Paper": ((0.95, 0.95, 0.90), "paper_white"),
    # signs
    "Sign_Retroreflective_White": ((1.00, 1.00, 1.00), "sign_sheeting"),
    "Sign_Retroreflective_Red": ((0.80, 0.08, 0.10), "sign_sheeting"),
    "Sign_Retroreflective_Blue": ((0.08, 0.25, 0.70), "sign_sheeting"),
    "Sign_Back_Aluminium": ((0.65, 0.66, 0.68), "aluminium"),
    "Sign_Post_Steel": ((0.58, 0.60, 0.60), "steel_galvanised"),
    # vehicles
    "Paint_Red": ((0.75, 0.08, 0.08), "car_paint_red"),
    "Paint_Silver": ((0.72, 0.74, 0.77), "car_paint_silver"),
    "Glass_Clear": ((0.45, 0.60, 0.68), "glass"),
    "Glass_Tinted": ((0.20, 0.30, 0.36), "glass_tinted"),
    # not "mirror": every point on an object shall lie within its box, and ghosts do not
    "Mirror_Glass": ((0.80, 0.85, 0.90), "chrome"),
    "Headlight": ((0.95, 0.95, 0.85), "lamp_lens_clear"),
    "Headlight_Reflector": ((0.80, 0.80, 0.82), "aluminium"),
    "Taillight": ((0.65, 0.05, 0.05), "lamp_lens_red"),
    "License_Plate_Retro": ((0.98, 0.98, 0.95), "licence_plate"),
    "Plastic_Black": ((0.10, 0.10, 0.11), "plastic_black"),
    "Rubber_Black": ((0.07, 0.07, 0.07), "rubber_tyre"),
    "Rim_Aluminium": ((0.75, 0.76, 0.78), "aluminium"),
    "Underbody_Steel": ((0.20, 0.20, 0.20), "plastic_black"),
    # people
    "Skin": ((0.85, 0.64, 0.52), "skin"),
    "Hair": ((0.22, 0.14, 0.09), "hair_dark"),
    "Cloth_Jacket": ((0.15, 0.32, 0.55), "cloth_cotton_dark"),
    "Cloth_Jeans": ((0.20, 0.25, 0.40), "cloth_denim"),
    "Cloth_Blue": ((0.20, 0.32, 0.60), "cloth_cotton_light"),
    "Cloth_Black": ((0.10, 0.10, 0.12), "cloth_synthetic_dark"),
    "Shoe_Leather": ((0.25, 0.16, 0.10), "leather_dark"),
}
COLOURS: dict[str, Colour] = {name: colour for name, (colour, _) in MATERIALS.items()}
