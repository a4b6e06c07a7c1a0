# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Street furniture: fences, lamp posts, benches, bins, a bus shelter."""

import numpy as np

from lidar_scenery.shapes.solids import SolidModel, box, extruded, tube


def picket_fence(length_m: float, *, height_m: float = 1.05, pitch_m: float = 0.15) -> SolidModel:
    """Build a fence of pointed wooden pickets along x, seen from -y."""
    model = SolidModel()
    for x in np.arange(0.06, length_m - 0.06, pitch_m):
        a, b, top = x - 0.045, x + 0.045, height_m
        outline = [(a, 0, 0.06), (b, 0, 0.06), (b, 0, top - 0.06), (x, 0, top), (a, 0, top - 0.06)]
        front, back, _, *sides = extruded(outline, (0, 0.02, 0))
        model.add("Fence_Wood", [front, back, *sides])
    for z in (0.25, 0.78):
        model.add("Fence_Wood", box((0, 0.02, z), (length_m, 0.06, z + 0.08), sides="yYzZ"))
    for x in np.linspace(0, length_m, max(2, round(length_m / 2.2) + 1)):
        model.add("Fence_Wood", box((x - 0.05, 0.06, 0), (x + 0.05, 0.16, height_m), sides="xXyYZ"))
    return model


def metal_fence(length_m: float, *, height_m: float = 1.2) -> SolidModel:
    """Build a fence of thin upright steel bars on a low wall, along x."""
    model = SolidModel()
    model.add("Fence_Wall_Concrete", box((0, -0.1, 0), (length_m, 0.1, 0.35), sides="xXyYZ"))
    for x in np.arange(0.08, length_m, 0.13):
        model.add(
            "Fence_Metal",
            box((x - 0.012, -0.012, 0.35), (x + 0.012, 0.012, height_m), sides="xXyY"),
        )
    for z in (0.45, height_m - 0.12):
        model.add("Fence_Metal", box((0, -0.02, z), (length_m, 0.02, z + 0.05), sides="yYzZ"))
    return model


def lamp_post() -> SolidModel:
    """Build a street lamp whose arm reaches along -y."""
    model = SolidModel()
    model.add(
        "Lamp_Post_Steel",
        tube([(0, 0, 0), (0, 0, 0.9), (0, 0, 0.9), (0, 0, 5.6)], [0.09, 0.09, 0.065, 0.04]),
    )
    model.add("Lamp_Post_Steel", tube([(0, 0.05, 5.5), (0, -1.1, 5.85)], 0.035, 6))
    model.add("Lamp_Head_Plastic", box((-0.14, -1.7, 5.8), (0.14, -1.0, 5.92)))
    return model


def bench() -> SolidModel:
    """Build a bench that faces -y."""
    model = SolidModel()
    for y in (-0.22, -0.08, 0.06):
        model.add("Bench_Wood", box((-0.8, y, 0.43), (0.8, y + 0.11, 0.46)))
    for z in (0.55, 0.7):
        model.add("Bench_Wood", box((-0.8, 0.2, z), (0.8, 0.23, z + 0.11)))
    for x in (-0.65, 0.65):
        model.add("Bench_Steel", box((x - 0.03, -0.2, 0), (x + 0.03, 0.18, 0.43), sides="xXyY"))
        model.add("Bench_Steel", box((x - 0.03, 0.18, 0), (x + 0.03, 0.2, 0.85), sides="xXyYZ"))
    return model


def bin_() -> SolidModel:
    """Build a litter bin on a post."""
    model = SolidModel()
    model.add("Bin_Plastic", tube([(0, 0, 0.35), (0, 0, 0.9)], [0.2, 0.24], 12))
    model.add("Bench_Steel", tube([(0, 0.27, 0), (0, 0.27, 1.1)], 0.03, 6))
    return model


def bollard() -> SolidModel:
    """Build a bollard with a white reflective band."""
    model = SolidModel()
    model.add(
        "Bollard_Steel",
        tube(
            [(0, 0, 0), (0, 0, 0.75), (0, 0, 0.75), (0, 0, 0.87), (0, 0, 0.95)],
            [0.06, 0.06, 0.058, 0.058, 0.04],
        ),
    )
    model.add("Bollard_Band_Retro", tube([(0, 0, 0.75), (0, 0, 0.87)], 0.063, capped=False))
    return model


def cabinet() -> SolidModel:
    """Build a telephone cabinet."""
    model = SolidModel()
    model.add("Cabinet_Plastic", box((-0.55, -0.18, 0), (0.55, 0.18, 1.25), sides="xXyYZ"))
    return model


def bus_shelter() -> SolidModel:
    """Build a shelter with glass walls, open towards -y, with a bench inside."""
    model = SolidModel()
    wide, deep, high = 3.6, 1.4, 2.4
    for x in (0, wide / 2, wide):
        model.add("Shelter_Steel", box((x - 0.04, deep - 0.08, 0), (x + 0.04, deep, high)))
    for x in (0, wide):
        model.add("Shelter_Steel", box((x - 0.04, 0, 0), (x + 0.04, 0.08, high)))
        model.add("Window_Glass", box((x, 0.08, 0.25), (x, deep - 0.08, 2.2), sides="x"))
    model.add(
        "Window_Glass", box((0.04, deep - 0.04, 0.25), (wide - 0.04, deep - 0.04, 2.2), sides="y")
    )
    model.add("Shelter_Steel", box((-0.2, -0.25, high), (wide + 0.2, deep + 0.1, high + 0.12)))
    model.add("Bench_Wood", box((0.3, deep - 0.55, 0.43), (wide - 0.3, deep - 0.15, 0.48)))
    model.add(
        "Timetable_Paper",
        box((wide - 0.9, deep - 0.07, 1.0), (wide - 0.3, deep - 0.06, 1.9), sides="xXyYzZ"),
    )
    return model
