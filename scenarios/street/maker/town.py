# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The street itself: road, markings, pavements, gardens and everything on them."""

from collections.abc import Sequence

import numpy as np

from lidar_scenery.shapes.roadside.plants import hedge, tree
from lidar_scenery.shapes.solids import SolidModel, box, flat, rng, turned

from .furniture import (
    bench,
    bin_,
    bollard,
    bus_shelter,
    cabinet,
    lamp_post,
    metal_fence,
    picket_fence,
)
from .houses import House

# All places are given in the frame of the left side of the street (y > 0); the frame of the right
# side is rotated by half a turn, so its x points the other way.
STREET_END_M = 60.0
ROAD_HALF_WIDTH_M = 3.5
KERB_M, PAVED_FROM_M, GARDEN_FROM_M, PLOT_END_M = 3.65, 5.6, 7.9, 45.0
PAVEMENT_M = 0.12  # above the road
CROSSING_M = (2.0, 6.0)  # x of the pedestrian crossing
BAY_M = (-30.0, -9.0)  # x of the parking bays, in the right side's frame

Plot = tuple[float, float, str, float, House]  # x from, x to, fence, front wall's y, house
LEFT_PLOTS: Sequence[Plot] = (
    (-59, -43, "wood", 11.5, House(width_m=9, depth_m=9, storeys=2, wall="House_Plaster_White")),
    (
        -43,
        -28,
        "hedge",
        11.0,
        House(width_m=8, depth_m=10, storeys=2, wall="House_Brick", gable_to_street=True),
    ),
    (
        -28,
        -11,
        "metal",
        12.5,
        House(width_m=11.5, depth_m=9, storeys=2, wall="House_Plaster_Yellow", door_at=2),
    ),
    (
        -11,
        2,
        "wood",
        10.5,
        House(width_m=8.2, depth_m=9, storeys=3, wall="House_Plaster_Grey", gable_to_street=True),
    ),
    (2, 19, "none", 12.0, House(width_m=11, depth_m=10, storeys=2, wall="House_Brick", door_at=0)),
    (
        19,
        33,
        "wood",
        10.8,
        House(width_m=9, depth_m=8, storeys=1, wall="House_Plaster_White", roof_pitch_rad=0.85),
    ),
    (
        33,
        46,
        "hedge",
        11.5,
        House(width_m=8.5, depth_m=10, storeys=2, wall="House_Plaster_Red", gable_to_street=True),
    ),
    (46, 59, "metal", 11.0, House(width_m=9, depth_m=9, storeys=2, wall="House_Plaster_Yellow")),
)
RIGHT_PLOTS: Sequence[Plot] = (
    (-59, -45, "metal", 11.0, House(width_m=9, depth_m=9, storeys=2, wall="House_Plaster_Grey")),
    (
        -45,
        -30,
        "wood",
        12.5,
        House(width_m=10.5, depth_m=9, storeys=2, wall="House_Plaster_White", door_at=0),
    ),
    (
        -30,
        -17,
        "none",
        10.5,
        House(width_m=8.2, depth_m=10, storeys=3, wall="House_Brick", gable_to_street=True),
    ),
    (-17, -2, "hedge", 11.5, House(width_m=9.5, depth_m=9, storeys=2, wall="House_Plaster_Red")),
    (
        -2,
        14,
        "wood",
        11.0,
        House(width_m=10, depth_m=9, storeys=1, wall="House_Plaster_Yellow", roof_pitch_rad=0.9),
    ),
    (
        14,
        29,
        "metal",
        10.8,
        House(width_m=9, depth_m=10, storeys=2, wall="House_Plaster_White", gable_to_street=True),
    ),
    (
        29,
        44,
        "hedge",
        12.0,
        House(width_m=9.5, depth_m=9, storeys=2, wall="House_Brick", door_at=0),
    ),
    (
        44,
        59,
        "wood",
        11.0,
        House(width_m=9, depth_m=9, storeys=2, wall="House_Plaster_Grey", gable_to_street=True),
    ),
)
LEFT_TREES_M = (-52, -36, -7, 12, 27, 43, 55)
RIGHT_TREES_M = (-54, -38, -1, 18, 33, 50)
LAMPS_M = (-45, -25, 9, 36)


def street() -> SolidModel:
    """Build the whole static environment."""
    model = SolidModel()
    model.group = "road"
    _road(model)
    half_turn = turned(yaw_rad=np.pi)
    for side, plots, trees in ((0, LEFT_PLOTS, LEFT_TREES_M), (1, RIGHT_PLOTS, RIGHT_TREES_M)):
        for name, part in _side(side, plots, trees).items():
            model.group = f"{name}_{'right' if side else 'left'}"
            model.merge(part, half_turn if side else turned(yaw_rad=0))
    for end in (0, 1):
        model.group = f"end_{end}"
        model.merge(_street_end(end), half_turn if end else turned(yaw_rad=0))
    return model


def _road(model: SolidModel) -> None:
    """Tile the carriageway: one plane, cut where the markings are."""
    low, high = CROSSING_M
    edge, line = ROAD_HALF_WIDTH_M, 0.06
    for start, stop in ((-STREET_END_M, low), (high, STREET_END_M)):
        for side in (-1, 1):
            lane = sorted((side * line, side * (edge - 0.3)))
            stripe = sorted((side * (edge - 0.3), side * (edge - 0.18)))
            gully = sorted((side * (edge - 0.18), side * edge))
            model.add("Road_Asphalt", flat((start, stop), (lane[0], lane[1]), 0))
            model.add("Lane_Marking_White", flat((start, stop), (stripe[0], stripe[1]), 0))
            model.add("Road_Asphalt", flat((start, stop), (gully[0], gully[1]), 0))
        for i, x in enumerate(np.arange(start, stop, 3.0)):
            material = "Lane_Marking_White" if i % 2 else "Road_Asphalt"
            model.add(material, flat((x, min(x + 3.0, stop)), (-line, line), 0))
    for i, y in enumerate(np.arange(-edge, edge, 0.5)):
        material = "Lane_Marking_White" if i % 2 else "Road_Asphalt"
        model.add(material, flat((low, high), (y, y + 0.5), 0))


def _side(side: int, plots: Sequence[Plot], trees: Sequence[float]) -> dict[str, SolidModel]:
    """Build one side of the street as models by name, as if it were the left side."""
    parts = {name: SolidModel() for name in ("pavement", "houses", "gardens", "trees", "furniture")}
    _pavement(parts["pavement"], side)
    for number, (start, stop, fence, front, house) in enumerate(plots):
        x = (start + stop - house.width_m) / 2
        parts["houses"].merge(house.model(), turned(yaw_rad=0, to=(x, front, PAVEMENT_M)))
        door = x + house.door_x()
        _garden(parts["gardens"], (start, stop), front, door)
        _fence(parts["gardens"], fence, (start, stop), door, seed=(side, number))
        random = rng(1, side, number)
        if number % 3 == 1:
            low_tree = tree(random, height_m=3.6, n_leaves=170, leaf_m=0.24)
            parts["trees"].merge(
                low_tree, turned(yaw_rad=0, to=(start + 1.6, front - 1.4, PAVEMENT_M))
            )
        back_tree = tree(random, height_m=8 + 2 * random.random(), n_leaves=150, leaf_m=0.6)
        parts["trees"].merge(
            back_tree, turned(yaw_rad=0, to=(start + 0.5, 24 + 8 * random.random(), PAVEMENT_M))
        )
    for number, x in enumerate(trees):
        random = rng(2, side, number)
        street_tree = tree(random, height_m=6.0 + 1.5 * random.random())
        parts["trees"].merge(street_tree, turned(yaw_rad=0, to=(x, 4.7, PAVEMENT_M)))
    _furniture(parts["furniture"], side)
    return parts


def _pavement(model: SolidModel, side: int) -> None:
    """Lay kerb, verge and paving; the right side has parking bays in its verge."""
    end = STREET_END_M
    crossing = CROSSING_M if side == 0 else (-CROSSING_M[1], -CROSSING_M[0])
    cuts = [(*crossing, "paved")] + ([(*BAY_M, "bay")] if side else [])
    x = -end
    for start, stop, kind in [*sorted(cuts), (end, end, "")]:
        _verge(model, x, start, "Grass")
        if kind == "paved":
            _verge(model, start, stop, "Sidewalk_Concrete")
        elif kind == "bay":
            model.add("Road_Cobblestone", flat((start, stop), (ROAD_HALF_WIDTH_M, PAVED_FROM_M), 0))
            model.add(
                "Kerb_Granite",
                box((start, PAVED_FROM_M, 0), (stop, PAVED_FROM_M, PAVEMENT_M), sides="y"),
            )
            for edge, name in ((start, "X"), (stop, "x")):
                low, high = (edge, ROAD_HALF_WIDTH_M, 0), (edge, PAVED_FROM_M, PAVEMENT_M)
                model.add("Kerb_Granite", box(low, high, sides=name))
        x = stop
    model.add("Sidewalk_Concrete", flat((-end, end), (PAVED_FROM_M, GARDEN_FROM_M), PAVEMENT_M))


def _verge(model: SolidModel, start: float, stop: float, material: str) -> None:
    low, high = (start, ROAD_HALF_WIDTH_M, 0), (stop, KERB_M, PAVEMENT_M)
    model.add("Kerb_Granite", box(low, high, sides="yZ"))
    model.add(material, flat((start, stop), (KERB_M, PAVED_FROM_M), PAVEMENT_M))


def _garden(model: SolidModel, plot: tuple[float, float], front: float, door: float) -> None:
    """Lay grass with a paved path to the door."""
    y = (GARDEN_FROM_M, front)
    model.add("Grass", flat((plot[0], door - 0.7), y, PAVEMENT_M))
    model.add("Garden_Path_Stone", flat((door - 0.7, door + 0.7), y, PAVEMENT_M))
    model.add("Grass", flat((door + 0.7, plot[1]), y, PAVEMENT_M))
    model.add("Grass", flat(plot, (front, PLOT_END_M), PAVEMENT_M))


def _fence(
    model: SolidModel, kind: str, plot: tuple[float, float], door: float, *, seed: tuple[int, int]
) -> None:
    """Fence the garden off, with a gap for the path; a hedge separates it from the next plot."""
    y = GARDEN_FROM_M + 0.25
    for number, (start, stop) in enumerate(
        ((plot[0] + 0.4, door - 0.75), (door + 0.75, plot[1] - 0.4))
    ):
        length = stop - start
        if kind == "wood":
            part = picket_fence(length)
        elif kind == "metal":
            part = metal_fence(length)
        elif kind == "hedge":
            part = hedge(rng(3, *seed, number), length_m=length, height_m=1.3)
        else:
            continue
        model.merge(part, turned(yaw_rad=0, to=(start, y, PAVEMENT_M)))
    border = hedge(rng(4, *seed), length_m=14, height_m=1.5, width_m=0.5)
    model.merge(border, turned(yaw_rad=np.pi / 2, to=(plot[0], y + 0.4, PAVEMENT_M)))


def _furniture(model: SolidModel, side: int) -> None:
    """Add lamps, bollards at the crossing, and a few single objects such as a bench."""
    things: list[tuple[SolidModel, float, float]]
    things = [(lamp_post(), x + 5 * side, 4.2) for x in LAMPS_M]
    crossing = -np.array(CROSSING_M) if side else np.array(CROSSING_M)
    things += [(bollard(), x, 3.9) for x in (crossing[0] - 0.25, crossing[1] + 0.25)]
    if side == 0:
        things += [(bus_shelter(), -19.0, 6.2), (cabinet(), -30.0, 7.6), (bin_(), -14.4, 6.2)]
    else:
        things += [(bench(), 6.0, 7.2), (bin_(), 7.4, 7.2), (cabinet(), 30.0, 7.6)]
    for thing, x, y in things:
        model.merge(thing, turned(yaw_rad=0, to=(float(x), y, PAVEMENT_M)))


def _street_end(end: int) -> SolidModel:
    """Build the cross street at one end, and houses behind it, as if it were the end at x > 0."""
    model = SolidModel()
    near, far, wide = STREET_END_M, STREET_END_M + 7.0, PLOT_END_M
    model.add("Road_Asphalt", flat((near, far), (-wide, wide), 0))
    for kerb in ((-wide, -ROAD_HALF_WIDTH_M), (ROAD_HALF_WIDTH_M, wide)):
        low, high = (near, kerb[0], 0), (near, kerb[1], PAVEMENT_M)
        model.add("Kerb_Granite", box(low, high, sides="X"))
    for garden in ((-wide, -GARDEN_FROM_M), (GARDEN_FROM_M, wide)):
        model.add("Grass", flat((59, near), garden, PAVEMENT_M))
    model.add("Kerb_Granite", box((far, -wide, 0), (far + 0.15, wide, PAVEMENT_M), sides="xZ"))
    model.add("Sidewalk_Concrete", flat((far + 0.15, far + 2.5), (-wide, wide), PAVEMENT_M))
    model.add("Grass", flat((far + 2.5, far + 25), (-wide, wide), PAVEMENT_M))
    walls = ("House_Plaster_White", "House_Brick", "House_Plaster_Yellow", "House_Plaster_Grey")
    for number, middle in enumerate((-26.0, -13.0, 1.0, 14.0, 27.0)):
        wall = walls[(number + 2 * end) % len(walls)]
        house = House(
            width_m=9.5,
            depth_m=9,
            storeys=2 + (number + end) % 2,
            wall=wall,
            gable_to_street=number % 2 == 0,
        )
        model.merge(
            house.model(), turned(yaw_rad=-np.pi / 2, to=(far + 5.5, middle + 4.0, PAVEMENT_M))
        )
        shade = tree(rng(5, end, number), height_m=7, n_leaves=150, leaf_m=0.45)
        model.merge(shade, turned(yaw_rad=0, to=(far + 3.6, middle + 6.0, PAVEMENT_M)))
    return model
