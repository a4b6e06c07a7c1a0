# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bicycles, motorbikes, scooters and wheelchairs, with riders where the box is high enough."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.shapes.builder import PAINT
from lidar_scenery.shapes.figure import figure, seated
from lidar_scenery.shapes.solids import SolidModel, box, capsule, ellipsoid, extruded, tube
from lidar_scenery.shapes.vehicles import wheels
from lidar_scenery.shapes.vehicles.parts import add_plate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_scenery.shapes.builder import Size
    from lidar_scenery.shapes.figure import Pair, Point
    from lidar_scenery.shapes.vehicles.wheels import Axle
    from osi_bridge.description.details import ObjectDetails

RIDDEN = {"bicycle": 0.75, "motorbike": 0.68, "standup_scooter": 1.25, "wheelchair": 1.1}
"""Least height of a box with a rider, as a share of its length."""
_BIKE_M, _MOTORBIKE_M, _SCOOTER_M = (1.8, 0.6, 1.75), (2.15, 0.8, 1.6), (1.15, 0.55, 1.85)
_WHEELCHAIR_M = (1.05, 0.65, 1.4)
# heights without a rider
_ALONE = {"bicycle": 1.06, "motorbike": 1.12, "standup_scooter": 1.15, "wheelchair": 0.93}


@dataclass(frozen=True, slots=True)
class _Ride:
    """A ridden vehicle: its shape, its size, and its usual size, which give the scale of parts."""

    name: str
    size: Size
    usual_m: Size

    @property
    def has_rider(self) -> bool:
        """Whether the box is high enough for a rider."""
        return self.size[2] >= RIDDEN[self.name] * self.size[0]

    @property
    def up(self) -> float:
        """Scale of heights, this vehicle's over the usual vehicle's."""
        return self.size[2] / (self.usual_m[2] if self.has_rider else _ALONE[self.name])

    def at(self, x: float, z: float, y: float = 0.0) -> Point:
        """Return the position in this vehicle of a point of the usual vehicle [m]."""
        return x * self.size[0] / self.usual_m[0], y * self.size[1] / self.usual_m[1], z * self.up

    def axles(
        self, details: ObjectDetails, places_m: tuple[float, float], radius_m: float
    ) -> tuple[Axle, Axle]:
        """Return the rear and the front axle; stated axles in between are left out."""
        along = self.size[0] / self.usual_m[0]
        radius = radius_m * min(along, self.up)
        usual = wheels.axles([x * along for x in places_m], radius, self.size, width_m=0.05)
        rear, *_, front = wheels.placed(usual, details, self.size, most_m=1.25 * radius)
        return rear, front

    def add_rider(
        self,
        model: SolidModel,
        hips: Point,
        limbs: tuple[Pair, Pair],
        *,
        lean_rad: float,
        legs: bool = True,
    ) -> None:
        """Add a rider, if there is one, with hips, feet and hands at these positions [m]."""
        if not self.has_rider:
            return
        scale = self.up
        feet, hands = ((_scaled(a, scale), _scaled(b, scale)) for a, b in limbs)
        pose = seated(_scaled(hips, scale), feet, hands, lean_rad=lean_rad, knees_out=0.15)
        model.group = "rider"
        has_helmet = self.name in {"bicycle", "motorbike"}
        model.merge(figure(pose, helmet=has_helmet, legs=legs), lambda points: points * scale)


def _scaled(point: Point, scale: float) -> Point:
    return point[0] / scale, point[1] / scale, point[2] / scale


def _add_spoked_wheel(model: SolidModel, axle: Axle, y: float = 0.0) -> None:
    """Add the wheel of a bicycle or a wheelchair."""
    with wheels.one_wheel(model, axle, y):
        _add_rim_and_spokes(model, axle, y)


def _add_rim_and_spokes(model: SolidModel, axle: Axle, y: float) -> None:
    x, r, half = axle.x_m, axle.radius_m, 0.02
    across = np.array([-half, -0.6 * half, 0.6 * half, half])
    path = np.stack([0 * across + x, across + y, 0 * across + r], axis=1)
    rim = r - 0.035
    model.add("Rubber_Black", tube(path, [rim, r - 0.004, r - 0.004, rim], 24, capped=False))
    inner = tube(path[[0, 3]], rim, 24, capped=False)
    model.add("Rim_Aluminium", [face[::-1] for face in inner])
    model.add("Rim_Aluminium", tube([(x, y - 0.05, r), (x, y + 0.05, r)], 0.03, 8))
    for turn in 2 * np.pi * np.arange(12) / 12:
        end = (x + rim * np.cos(turn), y, r + rim * np.sin(turn))
        model.add("Rim_Aluminium", tube([(x, y, r), end], 0.0015, 3, capped=False))


def _add_solid_wheel(model: SolidModel, axle: Axle, width: float) -> None:
    """Add the wheel of a motorbike or a scooter."""
    wheel = replace(axle, width_m=width, outer_m=width / 2)
    disc = [(axle.x_m, side * 0.35 * width, axle.radius_m) for side in (-1, 1)]
    with wheels.one_wheel(model, axle, 0.0):
        wheels.add_tyre(model, wheel, 1)
        model.add("Rim_Aluminium", tube(disc, 0.74 * axle.radius_m, 16))


def _add_disc(model: SolidModel, material: str, centre: Point, radius: float, facing: int) -> None:
    """Add a lamp or a reflector that faces the front (1) or the rear (-1), with a black back."""
    turn = facing * 2 * np.pi * np.arange(12) / 12
    ring = np.stack([0 * turn, radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    front, *rest = extruded(np.asarray(centre) + ring, (-0.012 * facing, 0, 0))
    model.add(material, [front])
    model.add("Plastic_Black", rest)


def _bars(model: SolidModel, material: str, radius: float, *paths: Sequence[Point]) -> None:
    """Add tubes along several paths."""
    for path in paths:
        model.add(material, tube(path, radius, 6))


def _left_right(x: float, y: float, z: float) -> Pair:
    return (x, y, z), (x, -y, z)


class Pedals(NamedTuple):
    """Positions of cranks, pedals and rider on a bicycle, in the frame of `make_bicycle`.

    Attributes
    ----------
    crank_m : (float, float, float)
        Middle of the cranks' axle. [m]
    pedals_m : (left, right)
        Positions of the pedals at rest. [m]
    ankle_m : float
        Height of an ankle above its pedal. [m]
    hips_m : (float, float, float)
        Middle between the hip joints of the rider. [m]
    up : float
        Scale of the rider relative to a person of 1.75 m. [1]
    """

    crank_m: Point
    pedals_m: Pair
    ankle_m: float
    hips_m: Point
    up: float


def pedals_of(size: Size) -> Pedals | None:
    """Return cranks, pedals and rider of a bicycle of a size (length, width, height) [m].

    Return None if the box is too low for a rider.
    """
    ride = _Ride("bicycle", size, _BIKE_M)
    return _pedals(ride) if ride.has_rider else None


def _pedals(ride: _Ride) -> Pedals:
    pedals = ride.at(0.04, 0.16, 0.12), ride.at(-0.2, 0.4, -0.12)
    hips = ride.at(-0.24, 1.0)
    return Pedals(ride.at(-0.08, 0.28), pedals, 0.09 * ride.up, hips, ride.up)


def make_bicycle(size: Size, details: ObjectDetails, *, at_rest: bool = True) -> SolidModel:
    """Return a bicycle, with a rider if its box is high enough; z = 0 is its bottom.

    Parameters
    ----------
    size : (float, float, float)
        Length, width and height of the box, which the model nearly fills. There is a rider if the
        height is at least 0.75 of the length. [m]
    details : ObjectDetails
        Properties of the object; it may state wheels and axles.
    at_rest : bool
        Whether to include the cranks, pedals and the rider's legs, at rest. False leaves them out,
        because another part of the scene moves them.
    """
    ride = _Ride("bicycle", size, _BIKE_M)
    rear, front = ride.axles(details, (-0.55, 0.55), 0.34)
    model = SolidModel()
    model.group = "wheels"
    for axle in (rear, front):
        _add_spoked_wheel(model, axle)
    model.group = "frame"
    pedals = _pedals(ride)
    crank, saddle, head = pedals.crank_m, ride.at(-0.24, 0.9), ride.at(0.36, 0.86)
    hub, fork = (rear.x_m, 0.0, rear.radius_m), (front.x_m, 0.0, front.radius_m)
    bar = ride.at(0.36, 1.02)
    tubes = ((crank, saddle), (crank, head), (saddle, head), (hub, crank), (hub, saddle))
    _bars(model, PAINT, 0.018, *tubes, (fork, head, bar))
    grips = _left_right(bar[0], 0.46 * size[1], bar[2])
    _bars(model, "Plastic_Black", 0.015, grips)
    model.add("Plastic_Black", ellipsoid(ride.at(-0.24, 0.94), (0.13, 0.07, 0.03), 8))
    if at_rest:
        for pedal in pedals.pedals_m:
            add_crank(model, crank, pedal)
        for pedal in pedals.pedals_m:
            add_pedal(model, pedal)
    behind = (rear.x_m - rear.radius_m, 0.0, 1.5 * rear.radius_m)
    _add_disc(model, "Reflector_Red", behind, 0.035, -1)
    _add_disc(model, "Reflector_White", (bar[0] + 0.05, 0.0, bar[2] - 0.1), 0.03, 1)
    left, right = ((x, y, z + pedals.ankle_m) for x, y, z in pedals.pedals_m)
    hands = _left_right(bar[0] - 0.05, 0.37 * size[1], bar[2] + 0.07)
    limbs = (left, right), hands
    ride.add_rider(model, pedals.hips_m, limbs, lean_rad=0.55, legs=at_rest)
    return model


def add_crank(model: SolidModel, crank: Point, pedal: Point) -> None:
    """Add a crank arm of a bicycle from the axle at `crank` to `pedal`, both (x, y, z) [m].

    The tube is added to the current group of `model`, in place.
    """
    _bars(model, "Rim_Aluminium", 0.012, (crank, pedal))


def add_pedal(model: SolidModel, pedal: Point) -> None:
    """Add a pedal that reaches 10 cm forwards from the position `pedal` (x, y, z) [m].

    It is added to the current group of `model`, in place.
    """
    _bars(model, "Plastic_Black", 0.02, (pedal, (pedal[0] + 0.1, *pedal[1:])))


def make_motorbike(size: Size, details: ObjectDetails) -> SolidModel:
    """Return a motorbike, nearly as large as `size`; z = 0 is its bottom.

    `size` is the length, width and height of its box [m]. It has a rider if the height is at least
    0.68 of the length. `details`, an `ObjectDetails`, may state its wheels and axles.
    """
    ride = _Ride("motorbike", size, _MOTORBIKE_M)
    rear, front = ride.axles(details, (-0.74, 0.74), 0.32)
    model = SolidModel()
    model.group = "wheels"
    _add_solid_wheel(model, rear, 0.16)
    _add_solid_wheel(model, front, 0.12)
    model.group = "body"
    model.add("Underbody_Steel", ellipsoid(ride.at(0.02, 0.46), (0.26, 0.17, 0.23), 10))
    model.add(PAINT, ellipsoid(ride.at(0.14, 0.82), (0.3, 0.15, 0.13), 12))
    model.add(PAINT, ellipsoid(ride.at(0.56, 0.86), (0.14, 0.17, 0.2), 12))
    tail = ride.at(-0.9, 0.86)
    model.add("Plastic_Black", capsule(ride.at(0.0, 0.76), tail, (0.13, 0.07), 10))
    head, pivot = ride.at(0.5, 0.95), ride.at(0.0, 0.42)
    for side in (1, -1):
        y = side * 0.09
        fork = (front.x_m, y, front.radius_m), (head[0], y, head[2])
        _bars(model, "Rim_Aluminium", 0.028, fork)
        swing = (rear.x_m, y, rear.radius_m), (pivot[0], y, pivot[2])
        _bars(model, "Underbody_Steel", 0.03, swing)
        pipe = ride.at(0.1, 0.27, side * 0.16), ride.at(-0.75, 0.38, side * 0.19)
        model.add("Rim_Aluminium", tube(pipe, 0.05, 8))
        mirror = ride.at(0.48, 1.16, side * 0.34)
        model.add("Plastic_Black", ellipsoid(mirror, (0.02, 0.07, 0.045), 8))
        _bars(model, "Plastic_Black", 0.008, (ride.at(0.48, 1.02, side * 0.2), mirror))
    bar = ride.at(0.42, 1.04)
    _bars(model, "Plastic_Black", 0.02, _left_right(bar[0], 0.44 * size[1], bar[2]))
    x, y, z = ride.at(0.56, 0.86)
    _add_disc(model, "Headlight_Reflector", (x + 0.142, y, z), 0.09, 1)
    _add_disc(model, "Taillight", (tail[0] - 0.075, 0.0, tail[2]), 0.045, -1)
    x, z = rear.x_m - rear.radius_m, 1.3 * rear.radius_m
    add_plate(model, x - 0.01, z=z, size_m=(0.2, 0.2))
    model.add("Plastic_Black", box((x - 0.009, -0.1, z), (x, 0.1, z + 0.2)))
    feet = _left_right(*ride.at(-0.05, 0.42, 0.17))
    hands = _left_right(bar[0] - 0.05, 0.33 * size[1], bar[2] + 0.07)
    ride.add_rider(model, ride.at(-0.25, 0.93), (feet, hands), lean_rad=0.4)
    return model


def make_scooter(size: Size, details: ObjectDetails) -> SolidModel:
    """Return a stand-up scooter, nearly as large as `size`; z = 0 is its bottom.

    `size` is the length, width and height of its box [m]. It has a rider if the height is at least
    1.25 of the length. `details`, an `ObjectDetails`, may state its wheels and axles.
    """
    ride = _Ride("standup_scooter", size, _SCOOTER_M)
    rear, front = ride.axles(details, (-0.46, 0.46), 0.11)
    model = SolidModel()
    model.group = "wheels"
    for axle in (rear, front):
        _add_solid_wheel(model, axle, 0.05)
    model.group = "frame"
    top = 1.3 * rear.radius_m
    low, high = (rear.x_m, -0.075, 0.7 * top), (front.x_m - 0.12, 0.075, top)
    model.add("Plastic_Black", box(low, high))
    head, neck = ride.at(0.3, 1.05), (front.x_m - 0.06, 0.0, 2.6 * front.radius_m)
    hub, deck = (front.x_m, 0.0, front.radius_m), (front.x_m - 0.14, 0.0, 0.85 * top)
    _bars(model, PAINT, 0.022, (hub, neck), (neck, head), (deck, neck))
    _bars(model, "Plastic_Black", 0.017, _left_right(head[0], 0.46 * size[1], head[2]))
    _add_disc(model, "Headlight_Reflector", (head[0] + 0.03, 0.0, head[2] - 0.1), 0.025, 1)
    _add_disc(model, "Reflector_Red", (rear.x_m - rear.radius_m, 0.0, 1.6 * top), 0.03, -1)
    _bars(model, "Plastic_Black", 0.012, ((rear.x_m - rear.radius_m, 0.0, 1.6 * top), low))
    ankle = top + 0.1 * ride.up
    feet = (-0.2, 0.05, ankle), (0.08, -0.05, ankle)
    hands = _left_right(head[0] - 0.04, 0.38 * size[1], head[2] + 0.06)
    hips = (-0.12, 0.0, top + 0.87 * ride.up)
    ride.add_rider(model, hips, (feet, hands), lean_rad=0.05)
    return model


def make_wheelchair(size: Size, details: ObjectDetails) -> SolidModel:
    """Return a wheelchair, nearly as large as `size`; z = 0 is its bottom.

    `size` is the length, width and height of its box [m]. A person sits in it if the height is at
    least 1.1 of the length. `details`, an `ObjectDetails`, may state its wheels and axles.
    """
    ride = _Ride("wheelchair", size, _WHEELCHAIR_M)
    rear, front = ride.axles(details, (-0.2, 0.33), 0.3)
    half, caster = 0.5 * size[1] - 0.05, 0.3 * front.radius_m
    model = SolidModel()
    for side in (1, -1):
        model.group = "wheels"
        _add_spoked_wheel(model, rear, side * half)
        pivot = (front.x_m, side * 0.75 * half, caster)
        wheel = [(pivot[0], pivot[1] + each, caster) for each in (-0.015, 0.015)]
        with wheels.one_wheel(model, front, pivot[1]):
            model.add("Rubber_Black", tube(wheel, caster, 12))
        model.group = "frame"
        y = side * 0.8 * half
        seat, knee = (*ride.at(-0.22, 0.48)[:1], y, 0.48 * ride.up), ride.at(0.25, 0.5)
        edge, grip = (knee[0], y, knee[2]), ride.at(-0.34, 0.9)
        foot = ride.at(0.44, 0.12)
        back = (grip[0], y, grip[2])
        handle = (-0.49 * size[0], y, grip[2])
        _bars(model, "Rim_Aluminium", 0.014, (seat, edge), (seat, back), (back, handle))
        rest = (foot[0], 0.5 * y, foot[2])
        _bars(model, "Rim_Aluminium", 0.014, (edge, rest), (edge, pivot))
        plate = (rest[0] - 0.08, rest[1] - 0.07, rest[2]), (rest[0] + 0.08, rest[1] + 0.07, rest[2])
        model.add("Plastic_Black", box(plate[0], (*plate[1][:2], plate[1][2] + 0.015)))
    width = 0.8 * half
    x, z = ride.at(-0.24, 0.48)[::2]
    model.add("Cloth_Black", box((x, -width, z - 0.03), (ride.at(0.24, 0.0)[0], width, z + 0.02)))
    slope = ride.at(-0.33, 0.86)
    low, high = (
        ((x, width, z), (x, -width, z)),
        ((slope[0], -width, slope[2]), (slope[0], width, slope[2])),
    )
    model.add("Cloth_Black", extruded((*low, *high)[::-1], (-0.02, 0, 0)))
    feet = _left_right(*ride.at(0.38, 0.23, 0.1))
    hands = _left_right(*ride.at(0.1, 0.7, 0.2))
    ride.add_rider(model, ride.at(-0.14, 0.58), (feet, hands), lean_rad=-0.15)
    return model
