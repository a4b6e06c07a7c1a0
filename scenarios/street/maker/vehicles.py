# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A car and a van: a body swept along a profile, with wheels, windows, seats, lights and plates."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .shapes import Array, Model, box, capsule, curve, ellipsoid, extruded, grid_faces, tube

Knots = Sequence[tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The shape of a vehicle; lengths in metres, knots over x."""

    dimension_m: tuple[float, float, float]
    paint: str
    top: Knots  # height of the centre line: bonnet, windscreen, roof, rear
    belt: Knots  # height of the shoulder, the lower edge of the side windows
    half_width: Knots  # of the body at its widest, seen from above
    roof_half_width: float
    windscreen: tuple[float, float]  # x of its lower and upper edge
    rear_window: tuple[float, float] | None
    side_windows: tuple[tuple[float, float], ...]
    seat_rows: tuple[float, ...]  # x of the backrests
    axle_x_m: float  # half the wheelbase
    wheel_radius_m: float
    sill_m: float


CAR = Shape(
    dimension_m=(4.4, 1.8, 1.45),
    paint="Paint_Red",
    top=[
        (-2.2, 0.86),
        (-2.1, 0.99),
        (-1.75, 1.03),
        (-1.05, 1.39),
        (-0.55, 1.44),
        (-0.1, 1.45),
        (0.25, 1.40),
        (1.0, 1.0),
        (1.2, 0.97),
        (1.75, 0.86),
        (2.05, 0.74),
        (2.2, 0.6),
    ],
    belt=[
        (-2.2, 0.80),
        (-2.0, 0.93),
        (-0.8, 0.93),
        (0.95, 0.88),
        (1.6, 0.79),
        (2.0, 0.68),
        (2.2, 0.55),
    ],
    half_width=[
        (-2.2, 0.66),
        (-2.1, 0.79),
        (-1.7, 0.87),
        (-1.0, 0.89),
        (1.0, 0.89),
        (1.6, 0.87),
        (2.0, 0.78),
        (2.12, 0.70),
        (2.2, 0.56),
    ],
    roof_half_width=0.57,
    windscreen=(1.0, 0.25),
    rear_window=(-1.7, -1.05),
    side_windows=((-1.05, -0.5), (-0.42, 0.3), (0.36, 0.72)),
    seat_rows=(-0.25, -1.05),
    axle_x_m=1.3,
    wheel_radius_m=0.315,
    sill_m=0.2,
)
VAN = Shape(
    dimension_m=(5.3, 2.0, 2.3),
    paint="Paint_Silver",
    top=[
        (-2.65, 2.1),
        (-2.6, 2.25),
        (-2.0, 2.3),
        (0.4, 2.3),
        (0.95, 2.18),
        (1.85, 1.3),
        (2.05, 1.2),
        (2.4, 1.07),
        (2.65, 0.8),
    ],
    belt=[(-2.65, 1.2), (1.0, 1.2), (1.85, 1.15), (2.3, 1.0), (2.65, 0.7)],
    half_width=[
        (-2.65, 0.92),
        (-2.55, 0.97),
        (-1.5, 0.985),
        (1.6, 0.985),
        (2.2, 0.95),
        (2.5, 0.86),
        (2.65, 0.72),
    ],
    roof_half_width=0.84,
    windscreen=(1.85, 0.95),
    rear_window=None,
    side_windows=((0.55, 1.4),),
    seat_rows=(0.45,),
    axle_x_m=1.7,
    wheel_radius_m=0.34,
    sill_m=0.26,
)


def vehicle(shape: Shape) -> Model:
    """Build a vehicle with exactly the dimension of its shape, with the origin below its centre."""
    model = Model()
    model.group = "body"
    _body(model, shape)
    _inside(model, shape)
    model.group = "wheels"
    for x in (-shape.axle_x_m, shape.axle_x_m):
        for side in (-1, 1):
            _wheel(model, shape, x, side)
    model.group = "parts"
    _mirrors_and_plates(model, shape)
    return model.on_ground(shape.dimension_m)


def _body(model: Model, shape: Shape) -> None:
    """Sweep the cross-section along x; each cell of the grid has its material."""
    x = _stations(shape)
    section = _sections(shape, x)
    middle_x = (x[:-1] + x[1:]) / 2
    for i, x_cell in enumerate(middle_x):
        quads = grid_faces(section[i : i + 2])
        for level, quad in enumerate(quads):
            material = _body_material(shape, x_cell, level, quad)
            model.add(material, [quad, (quad * (1, -1, 1))[::-1]])
            if material == "Headlight":  # the laser hits it behind the clear lens
                bowl = quad * (0.97, 0.94, 1)
                model.add("Headlight_Reflector", [bowl, (bowl * (1, -1, 1))[::-1]])
    for end, flip in ((section[0], 1), (section[-1], -1)):  # close front and rear
        ladder = np.stack([end, end * (1, -1, 1)])[::flip]
        model.add(shape.paint, grid_faces(ladder)[2:])
        model.add("Plastic_Black", grid_faces(ladder)[:2])
    half = np.array(curve(x, shape.half_width)) - 0.03
    floor = np.stack(
        [np.stack([x, s * half, 0 * x + shape.sill_m + 0.02], axis=1) for s in (-1, 1)]
    )
    model.add("Underbody_Steel", grid_faces(floor[::-1]))


def _stations(shape: Shape) -> Array:
    """Return cuts along x: even, but finer at the ends, at every knot and around the wheels."""
    half = shape.dimension_m[0] / 2
    turn = np.linspace(0, np.pi, 13)
    arches = [a - _arch_m(shape) * np.cos(turn) for a in (-shape.axle_x_m, shape.axle_x_m)]
    windows = [edge for window in shape.side_windows for edge in window]
    ends = half - np.array([0, 0.02, 0.05, 0.1, 0.16, 0.24])
    glass = [*shape.windscreen, *(shape.rear_window or ())]
    x = np.unique(
        np.round(
            np.concatenate([*arches, windows, glass, ends, -ends, np.arange(-half, half, 0.15)]), 3
        )
    )
    keep = np.diff(x, prepend=-np.inf) > 0.012
    inside: Array = x[keep & (np.abs(x) <= half)]
    return inside


def _arch_m(shape: Shape) -> float:
    return shape.wheel_radius_m + 0.055


def _sections(shape: Shape, x: Array) -> Array:
    """Return the left half of each cross-section from the sill to the roof, (n_x, 11, 3)."""
    width, belt, top = (np.array(curve(x, k)) for k in (shape.half_width, shape.belt, shape.top))
    belt = np.minimum(belt, top - 0.03)
    sill = np.full_like(x, shape.sill_m)
    for axle in (-shape.axle_x_m, shape.axle_x_m):
        inside = np.clip(_arch_m(shape) ** 2 - (x - axle) ** 2, 0, None)
        sill = np.maximum(sill, np.where(inside > 0, shape.wheel_radius_m + np.sqrt(inside), 0))
    rise = np.clip(
        (top - belt) / (max(h for _, h in shape.top) - max(h for _, h in shape.belt)), 0, 1
    )
    shoulder = width - 0.05
    roof = shoulder + (shape.roof_half_width - shoulder) * rise**0.8
    edge = top - 0.05 * np.clip((top - belt) / 0.1, 0.3, 1)
    low = [sill + (belt - sill) * s for s in (0, 0.2, 0.45, 0.75, 1)]
    bulge = [-0.03, 0.0, 0.005, -0.012, -0.05]
    points = [(width + b, z) for b, z in zip(bulge, low, strict=True)]
    points += [
        (shoulder + (roof - shoulder) * s, belt + (edge - belt) * s) for s in (0.33, 0.67, 1)
    ]
    points += [(roof * s, edge + (top - edge) * h) for s, h in ((0.85, 0.6), (0.5, 0.9), (0.0, 1))]
    return np.stack([np.stack([x, y, z], axis=1) for y, z in points], axis=1)


def _body_material(shape: Shape, x: float, level: int, quad: Array) -> str:
    """Return the material of one cell of the body's grid, by its position."""
    half, height = shape.dimension_m[0] / 2, float(np.ptp(quad[:, 2]))
    tall = float(curve(x, shape.top)) - float(curve(x, shape.belt)) > 0.16
    glass = "Glass_Clear" if x > shape.seat_rows[0] - 0.2 else "Glass_Tinted"
    if level in (4, 5, 6):  # between shoulder and roof edge
        glazed = any(a < x < b for a, b in shape.side_windows)
        return glass if tall and glazed and height > 0.05 else shape.paint
    if level > 6:  # the top: glass between the edges of the windscreens
        panes = [sorted(w) for w in (shape.windscreen, shape.rear_window) if w]
        in_pane = any(a < x < b for a, b in panes)
        return glass if in_pane and level > 7 else shape.paint
    if level == 3 and x > half - 0.3:
        return "Headlight"
    if level in (2, 3) and x < -half + 0.14:
        return "Taillight"
    return "Plastic_Black" if level == 0 else shape.paint


def _inside(model: Model, shape: Shape) -> None:
    """Add the interior seen through the windows: seats, dashboard and a driver."""
    floor = shape.sill_m + 0.1
    lift = max(h for _, h in shape.belt) - 0.93
    for row, x in enumerate(shape.seat_rows):
        for y in (-0.36, 0.36):
            low, high = (x, y - 0.25, floor), (x + 0.5, y + 0.25, 0.5 + lift)
            model.add("Cloth_Black", box(low, high, sides="xXyYZ"))
            outline = [
                (x, y - 0.24, 0.5 + lift),
                (x, y + 0.24, 0.5 + lift),
                (x - 0.18, y + 0.2, 1.06 + lift),
                (x - 0.18, y - 0.2, 1.06 + lift),
            ]
            model.add("Cloth_Black", extruded(outline, (-0.1, 0, 0)))
            if row == 0:
                model.add(
                    "Cloth_Black",
                    box((x - 0.28, y - 0.12, 1.08 + lift), (x - 0.19, y + 0.12, 1.24 + lift)),
                )
    x, y = shape.seat_rows[0], 0.36  # left-hand drive
    model.add(
        "Cloth_Blue", capsule((x + 0.08, y, 0.6 + lift), (x - 0.04, y, 0.98 + lift), (0.16, 0.18))
    )
    model.add("Skin", ellipsoid((x + 0.01, y, 1.24 + lift), (0.09, 0.075, 0.12)))
    dash = shape.windscreen[0] - 0.3
    model.add(
        "Plastic_Black", box((dash, -0.7, 0.6 + lift), (dash + 0.3, 0.7, 0.86 + lift), sides="xZ")
    )


def _wheel(model: Model, shape: Shape, x: float, side: int) -> None:
    """Add a tyre, a rim and the liner of the wheel arch."""
    radius, outer = shape.wheel_radius_m, shape.dimension_m[1] / 2 - 0.035
    y = np.array([outer - 0.2, outer - 0.19, outer - 0.16, outer - 0.04, outer - 0.01, outer])
    profile = radius * np.array([0.72, 0.93, 1, 1, 0.93, 0.72])
    path = np.stack([0 * y + x, side * y, 0 * y + radius], axis=1)
    model.add("Rubber_Black", tube(path, profile, 20, capped=False))
    rim = np.stack(
        [0 * y[:3] + x, side * (outer - np.array([0.0, 0.03, 0.015])), 0 * y[:3] + radius], axis=1
    )
    tilt = np.array([0.72, 0.6, 0.15]) * radius
    model.add("Rim_Aluminium", tube(rim, tilt, 20))
    inner = np.array([[x, side * (outer - 0.28), radius], [x, side * (outer - 0.205), radius]])
    model.add("Plastic_Black", tube(inner, _arch_m(shape), 16)[:-1])


def _mirrors_and_plates(model: Model, shape: Shape) -> None:
    """Add mirrors within the body's width, number plates at both ends, and the exact extents."""
    half_length, half_width, _ = np.array(shape.dimension_m) / 2
    x = shape.side_windows[-1][1] - 0.02
    z = float(curve(x, shape.belt)) + 0.02
    for side in (-1, 1):
        y = sorted((side * (half_width - 0.13), side * half_width))
        shell = box((x, y[0], z), (x + 0.1, y[1], z + 0.15), sides="XyYzZ")
        model.add(shape.paint, shell)
        model.add("Mirror_Glass", box((x, y[0], z), (x, y[1], z + 0.15), sides="x"))
    for end in (-1, 1):
        plate = [
            (end * (half_length + 0.006), end * s * 0.26, z)
            for s, z in ((-1, 0.42), (1, 0.42), (1, 0.53), (-1, 0.53))
        ]
        model.add("License_Plate_Retro", extruded(plate, (-end * 0.03, 0, 0))[:1])
