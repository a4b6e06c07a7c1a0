# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Switches of small scenes: a host that drives past a spinning car towards a wall."""

import json
import math
from typing import NamedTuple

from tests.builders.meshes import quad, write_quads
from tests.builders.messages import Thing, host, message

N_FRAMES = 4
WALL_M = 25.0
SHIFT_M = 0.8
"""Way of the host from message to message."""


class Level(NamedTuple):
    """What a level of a switch changes.

    Attributes
    ----------
    sensor : dict
        Keys of the first sensor.
    weather : dict
        Keys of the weather.
    surfaces : tuple
        Further surfaces, as corners and visual material.
    turn_rad : float
        By which the host turns from message to message. [rad]
    others : tuple
        Further sensors.
    """

    sensor: dict = {}  # noqa: RUF012  nobody changes it
    weather: dict = {}  # noqa: RUF012
    surfaces: tuple = ()
    turn_rad: float = 0.0
    others: tuple = ()


def raster(columns, rows):
    """Return a pattern whose beams are fired one after the other, from right to left."""
    angles = {"azimuth_deg": [-30, 30], "elevation_deg": [-8, 4], "one_way": True}
    return {"pattern": {"kind": "raster", "columns": columns, "rows": rows, **angles}}


OTHER = {"name": "other", "wavelength_nm": 1550, "max_range_m": 90.0, **raster(9, 3)}
SWITCHES = {
    "rays": {
        "lines": Level({"beam": None}),
        "cones": Level(),
        "physical": Level({"fidelity": "physical", "texture": False}),
    },
    "shutter": {"rolling": Level(), "global": Level({"rolling_shutter": False})},
    "blur": {"blurred": Level(), "sharp": Level({"motion_blur": False})},
    "turn": {"straight": Level(), "turning": Level(turn_rad=0.15)},
    "sensors": {"one": Level(), "two": Level(others=(OTHER,))},
    "look": {"once": Level(), "again": Level({"beam": {"refine": True}})},
    "drops": {"none": Level(), "some": Level({"noise": {"drop_probability": 0.2}})},
    "errors": {"exact": Level(), "noisy": Level({"noise": {"range_sigma_m": 0.02}})},
    "pane": {"none": Level(), "pane": Level(surfaces=((quad(6.0, 5.0, 1.0), "Pane"),))},
    "mirror": {"none": Level(), "mirror": Level(surfaces=((quad(9.0, 40.0, 0.7), "Mirror"),))},
    "paint": {
        "matt": Level(),
        "gloss": Level({"beam": {"second_bounce": True}}, surfaces=((quad(8.0, 60.0), "Gloss"),)),
    },
    "air": {
        "clear": Level(),
        "rain": Level(weather={"rain_mm_h": 30.0}),
        "fog": Level(weather={"fog": {"visibility_m": 120.0}}),
        "wet": Level(weather={"road_water_mm": 0.3}),
    },
    "window": {"clean": Level(), "dirty": Level(weather={"window": {"transmission": 0.7}})},
    "speed": {"untold": Level(), "told": Level({"velocity": True})},
    "light": {"untold": Level(), "told": Level({"near_ir": True})},
    "returns": {
        "strongest": Level(),
        "last": Level({"returns": {"mode": "last"}}),
        "all": Level({"returns": {"mode": "all", "max": 3}}),
    },
    "beams": {
        "many": Level(raster(31, 5)),
        "column": Level(raster(1, 5)),
        "one": Level(raster(1, 1)),
    },
}
MAPPING = {
    "materials": {
        "Pane": "pane",
        "Mirror": "looking_glass",
        "Gloss": "lacquer",
        "*": "lambertian_80",
    },
    "define": {
        "pane": {"class": "glass", "refractive_index": 1.5},
        "looking_glass": {"class": "mirror", "reflectance": 0.9},
        "lacquer": {"reflectance": 0.3, "gloss": {"roughness": 0.005, "n": 1.5}},
    },
}
BASE = {
    "name": "first",
    "beam": {"divergence_deg": 0.3},
    "range_limit": {"pairs": [[10, 60], [80, 110]]},
    "mounting": {"x_m": 1.0, "z_m": 1.2},
}


def merged(one, other):
    """Return two mappings as one, sections of both key by key; None takes a section away."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return other
    return one | {key: merged(one.get(key), value) for key, value in other.items()}


class Scene(NamedTuple):
    """Configuration file and messages of a row."""

    config: object
    messages: list


def scene(folder, row, *, narrow=False, turned_rad=0.0):
    """Return the scene of a row of switches; narrow: with hardly a footprint."""
    folder.mkdir(parents=True)
    levels = [SWITCHES[name][row[name]] for name in SWITCHES]
    sensor, weather = BASE, {}
    for each in sorted(levels, key=lambda level: level.sensor.get("beam", {}) is None):
        sensor, weather = merged(sensor, each.sensor), merged(weather, each.weather)
    if sensor["beam"] is None or sensor["beam"] == {"refine": True}:
        sensor = merged(sensor, {"beam": None})
    if narrow:
        sensor = merged(sensor, {"beam": {"divergence_deg": 1e-4}})
    surfaces = [(quad(WALL_M), "Wall"), *(each for level in levels for each in level.surfaces)]
    turned = [([_turned(at, turned_rad) for at in corners], name) for corners, name in surfaces]
    write_quads(folder / "world.obj", turned)
    (folder / "materials.yaml").write_text(json.dumps(MAPPING))
    content = {
        "sensors": [sensor, *(each for level in levels for each in level.others)],
        "scene": {"environment": [{"mesh": "world.obj", "up": "z"}], "ground": "auto"},
        "materials": {"mapping": "materials.yaml"},
        "weather": weather,
        "seed": 3,
    }
    (folder / "config.yaml").write_text(json.dumps(content))
    turn_rad = sum(level.turn_rad for level in levels)
    messages = [_message(k, turn_rad, turned_rad) for k in range(N_FRAMES)]
    return Scene(folder / "config.yaml", messages)


def _message(k, turn_rad, turned_rad):
    x_m, y_m, _ = _turned((SHIFT_M * k, 0.0, 0.0), turned_rad)
    carrier = host(x_m=x_m, y_m=y_m, yaw_rad=turned_rad + turn_rad * k)
    place_m = _turned((14.0 + 1.5 * k, -2.0 + 0.4 * k, 0.75), turned_rad)
    return message([carrier, Thing(2, place_m, yaw_rad=turned_rad + 0.9 * k)], time_s=0.1 * k)


def _turned(place_m, by_rad):
    x_m, y_m, z_m = place_m
    cosine, sine = math.cos(by_rad), math.sin(by_rad)
    return cosine * x_m - sine * y_m, sine * x_m + cosine * y_m, z_m
