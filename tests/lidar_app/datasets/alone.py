# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Random scenes, and the points that their objects have alone, counted by brute force."""

import itertools
import math
from dataclasses import replace

import numpy as np

from lidar_app.truth.visibility import AloneScans, points_by_object
from osi_lidar import LidarModel
from osi_lidar.config import Config
from tests.builders.messages import Thing, frames, host

NAME = "roof"
NOISY = {"range_sigma_m": 0.02, "azimuth_sigma_deg": 0.05, "drop_probability": 0.1}
RETURNS = {"mode": "all", "max": 4}
SENSORS = (
    {"preset": "VLP-16", "columns": 360},
    {"preset": "VLP-16", "columns": 360, "fidelity": "physical"},
    {"preset": "VLP-16", "columns": 360, "noise": {**NOISY, "line_of_sight": "ray"}},
    {"preset": "VLP-16", "columns": 240, "fidelity": "physical", "beam": {"refine": True}},
    {"preset": "OS1-32", "columns": 512, "fidelity": "physical", "returns": RETURNS},
    {"pattern": {"kind": "camera", "width": 48, "height": 32, "horizontal_fov_deg": 70.0}},
)
WEATHER = ({}, {"rain_mm_h": 30.0}, {"fog": {"visibility_m": 80.0}}, {"road_water_mm": 0.5})
CHOICES = tuple(itertools.product(WEATHER, ("box", "auto"), (False, True), SENSORS))
"""Weather, shapes, whether all moves during a scan, and sensor."""


def random_things(rng):
    """Return cars, walls and poles around the host, some of them in each other's way."""
    things = []
    for number in range(int(rng.integers(2, 12))):
        size_m = rng.uniform([0.3, 0.3, 0.5], [12.0, 4.0, 4.0])
        far_m, azimuth_rad = rng.uniform(4.0, 50.0), rng.uniform(-math.pi, math.pi)
        place_m = far_m * math.cos(azimuth_rad), far_m * math.sin(azimuth_rad), size_m[2] / 2
        kind = str(rng.choice(["moving_object", "stationary_object"]))
        turned = rng.uniform(-math.pi, math.pi)
        things.append(Thing(100 + number, place_m, turned, tuple(size_m), kind))
    return things


def driven(things, rng):
    """Return the things a moment later."""
    return [
        replace(
            each,
            position_m=tuple(np.add(each.position_m, [*rng.uniform(-1.5, 1.5, 2), 0.0])),
            yaw_rad=each.yaw_rad + rng.uniform(-0.1, 0.1),
        )
        if each.kind == "moving_object"
        else each
        for each in things
    ]


class RandomScene:
    """Two messages of a random scene, and the sensor that scans it.

    Parameters
    ----------
    seed : int
        Of all that is drawn.
    """

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        weather, self.shapes, moves, sensor = CHOICES[seed * 7 % len(CHOICES)]
        timing = {"rolling_shutter": moves, "motion_blur": moves}
        mounting = {"x_m": 1.0, "z_m": 1.9, "pitch_deg": float(rng.uniform(-5, 5))}
        self.sensor = {"name": NAME, "mounting": mounting, **sensor}
        if "preset" in sensor:
            self.sensor |= timing
        self.sections = {"weather": weather, "seed": seed}
        first = random_things(rng)
        self.worlds = [[host(), *first], [host(x_m=0.8, yaw_rad=0.02), *driven(first, rng)]]

    @property
    def is_physical(self):
        """Whether beams have a width, so that another object may bring points of this one."""
        return self.sensor.get("fidelity") == "physical"

    def model(self, **scene):
        """Return a model for the scene, by default with a ground plane."""
        scene = {"shapes": self.shapes, **scene}
        return LidarModel(
            Config.model_validate({"sensors": [self.sensor], "scene": scene, **self.sections})
        )

    def counts(self):
        """Return the points that objects have, and those that they have alone."""
        model = self.model()
        alone = AloneScans(model.config.sensors[0], model.config.seed)
        for frame in frames(self.worlds):
            step = model.step(frame)
            found = alone.points(model.world, model.last_scans[NAME])
        return points_by_object(step.scans[0].cloud), found

    def counted(self):
        """Return the points that objects have alone, each in a world of its own."""
        counts = {}
        for row in range(1, len(self.worlds[0])):
            model = self.model(ground="none")
            for frame in frames([[world[0], world[row]] for world in self.worlds]):
                step = model.step(frame)
            counts |= points_by_object(step.scans[0].cloud)
        return counts
