# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A pedestrian made of rounded limbs, in mid-stride."""

from .shapes import Model, capsule, ellipsoid

DIMENSION_M = (0.72, 0.58, 1.75)


def pedestrian() -> Model:
    """Build a walking person who faces x, with the origin on the ground below the box's centre."""
    model = Model()
    for side, swing in ((1, 1), (-1, -1)):  # left leg and right arm are in front
        hip, knee = (0, side * 0.1, 0.9), (swing * 0.17 + 0.03, side * 0.1, 0.5)
        ankle = (swing * 0.24 - 0.03, side * 0.1, 0.1)
        model.group = "legs"
        model.add("Cloth_Jeans", capsule(hip, knee, (0.1, 0.068)))
        model.add("Cloth_Jeans", capsule(knee, ankle, (0.068, 0.048)))
        toe = (ankle[0] + 0.16, ankle[1], 0.045)
        model.add("Shoe_Leather", capsule((ankle[0] - 0.04, ankle[1], 0.05), toe, (0.05, 0.042)))
        model.group = "arms"
        shoulder, elbow = (0, side * 0.21, 1.4), (-swing * 0.12, side * 0.25, 1.13)
        wrist = (-swing * 0.12 + 0.12, side * 0.24, 0.92)
        model.add("Cloth_Jacket", capsule(shoulder, elbow, (0.062, 0.05)))
        model.add("Cloth_Jacket", capsule(elbow, wrist, (0.05, 0.038)))
        model.add("Skin", ellipsoid((wrist[0] + 0.03, wrist[1], 0.86), (0.045, 0.03, 0.07), 8))
    model.group = "body"
    model.add("Cloth_Jeans", ellipsoid((0, 0, 0.93), (0.12, 0.17, 0.13)))
    model.add(
        "Cloth_Jacket",
        [p * (0.72, 1, 1) for p in capsule((0, 0, 1.02), (0, 0, 1.3), (0.17, 0.21), 14)],
    )
    model.add("Skin", capsule((0, 0, 1.44), (0.01, 0, 1.54), (0.055, 0.055), 8))
    model.add("Skin", ellipsoid((0.02, 0, 1.63), (0.095, 0.075, 0.12)))
    model.add("Hair", ellipsoid((-0.015, 0, 1.66), (0.095, 0.083, 0.115)))
    return model.on_ground(DIMENSION_M)
