# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A sensor at the origin that looks along x at one surface."""

import json
import math

from osi_lidar import LidarModel
from osi_lidar.config import Config
from tests.osi_lidar.worlds import frames

GRID = {
    "kind": "grid",
    "horizontal": {"min_deg": -20, "max_deg": 20, "step_deg": 0.25},
    "vertical": {"min_deg": -10, "max_deg": 10, "step_deg": 0.25},
}
"""81 rings of 161 columns."""
N_BEAMS = 81 * 161
ONE_BEAM = {"kind": "pairs", "azimuth_elevation_deg": [[0, 0]]}


def configuration(folder, *, x_m=10.0, turn_deg=0.0, half_m=100.0, seed=0, percent=50, **sensor):
    """Return a sensor before a square around (x, 0, 0) that is turned about the vertical.

    The square is equally bright at all angles.
    """
    turn = math.radians(turn_deg)
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    lines = [
        f"v {x_m - s * half_m * math.sin(turn)!r} {s * half_m * math.cos(turn)!r} {u * half_m!r}"
        for s, u in corners
    ]
    wall = folder / "wall.obj"
    wall.write_text("\n".join([*lines, "f 1 2 3 4"]) + "\n")
    bright = [[angle_deg, percent / 100] for angle_deg in (0, 90)]
    mapping = {"define": {"flat": {"reflectance": bright, "wavelength_nm": 905}}}
    (folder / "materials.yaml").write_text(json.dumps({**mapping, "materials": {"*": "flat"}}))
    here = {"x_m": 0.0, "y_m": 0.0, "z_m": 0.0}
    one = {"name": "front", "pattern": GRID, "mounting": here, "range_limit": None, **sensor}
    return Config.model_validate(
        {
            "sensors": [one],
            "scene": {"environment": [{"mesh": str(wall), "up": "z"}], "ground": "none"},
            "materials": {"mapping": str(folder / "materials.yaml")},
            "seed": seed,
        }
    )


def steps_of(config, n=1):
    """Run a model over a world at rest, ten messages a second; return it and its steps."""
    model = LidarModel(config)
    return model, [model.step(frame) for frame in frames([[]] * n, host_id=None)]


def clouds(folder, n=1, **options):
    """Return the clouds of so many scans."""
    _, steps = steps_of(configuration(folder, **options), n)
    return [step.scans[0].cloud for step in steps]
