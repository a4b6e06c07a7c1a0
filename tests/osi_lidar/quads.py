# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of upright rectangles: walls, panes and mirrors, and beams that look at them."""

import json
import math

from osi_lidar import LidarModel
from tests.osi_lidar.worlds import config, frames

RULES = {"Pane*": "pane", "Mirror*": "looking_glass", "Wall*": "lambertian_80"}
DEFINE = {
    "pane": {"class": "glass", "refractive_index": 1.5},
    "looking_glass": {"class": "mirror", "reflectance": 0.9},
}
FAN = {
    "pattern": {
        "kind": "grid",
        "horizontal": {"min_deg": -50, "max_deg": 50, "step_deg": 0.37},
        "vertical": {"min_deg": -20, "max_deg": 20, "step_deg": 1.3},
    }
}


def quad(x_m, turn_deg=0.0, half_m=30.0):
    """Return the corners of an upright rectangle around (x, 0, 0), turned about z."""
    turn = math.radians(turn_deg)
    return [
        (x_m - side * math.sin(turn), side * math.cos(turn), up)
        for side, up in ((-half_m, -half_m), (half_m, -half_m), (half_m, half_m), (-half_m, half_m))
    ]


def model_of(folder, surfaces, *, rules=None, define=None, sensors=None, **sensor):
    """Return a model that looks along x at surfaces, a list of (corners, visual name)."""
    lines = []
    for number, (corners, name) in enumerate(surfaces):
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in corners]
        lines += [f"usemtl {name}", "f " + " ".join(str(4 * number + i) for i in (1, 2, 3, 4))]
    (folder / "mesh.obj").write_text("\n".join(lines) + "\n")
    mapping = {
        "materials": rules or RULES,
        "define": {**DEFINE, **(define or {})},
    }
    (folder / "materials.yaml").write_text(json.dumps(mapping))
    beam = {"kind": "pairs", "azimuth_elevation_deg": [[0, 0]]}
    here = {"x_m": 0.0, "y_m": 0.0, "z_m": 0.0}
    one = {"name": "front", "pattern": beam, "max_range_m": 1000.0, "mounting": here, **sensor}
    return LidarModel(
        config(
            sensors=sensors or [one],
            scene={
                "environment": [{"mesh": str(folder / "mesh.obj"), "up": "z", "forward": "x"}],
                "ground": "none",
            },
            materials={"mapping": str(folder / "materials.yaml")},
        )
    )


def clouds(model, things=()):
    """Return the points of each sensor, among further things."""
    (step,) = [model.step(frame) for frame in frames([list(things)], host_id=None)]
    return [scan.cloud.points for scan in step.scans]


def points_of(*arguments, **options):
    """Return the points of the only sensor of a model."""
    (points,) = clouds(model_of(*arguments, **options))
    return points
