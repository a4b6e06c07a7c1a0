# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Configurations, and models of them: a grid over the front, a wall, panes and mirrors."""

import json

from osi_lidar import LidarModel
from osi_lidar.config import Config
from tests.builders.files import written
from tests.builders.meshes import quad, write_quads
from tests.builders.messages import frames

AT_ORIGIN = {"x_m": 0.0, "y_m": 0.0, "z_m": 0.0}
ONE_BEAM = {"kind": "pairs", "azimuth_elevation_deg": [[0, 0]]}
FRONT = {"pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0, 0], [45, 0], [-45, 0]]}}
MOUNTING = {"mounting": {"z_m": 0.1, "x_m": 0.0}}
SENSOR = (
    "sensors: [{name: s, pattern: {kind: angles, horizontal_deg: [0, 5], vertical_deg: [0, -5]}}]\n"
)
"""A configuration as a file: four beams."""
RASTER = (
    "{kind: raster, azimuth_deg: [-20, 20], elevation_deg: [-4, 1], columns: 12, rows: 4, "
    "one_way: true}"
)
"""A pattern as text: 48 beams."""
WALL_GRID = {
    "kind": "grid",
    "horizontal": {"min_deg": -20, "max_deg": 20, "step_deg": 0.25},
    "vertical": {"min_deg": -10, "max_deg": 10, "step_deg": 0.25},
}
"""81 rings of 161 columns."""
N_WALL_BEAMS = 81 * 161
FAN = {
    "pattern": {
        "kind": "grid",
        "horizontal": {"min_deg": -50, "max_deg": 50, "step_deg": 0.37},
        "vertical": {"min_deg": -20, "max_deg": 20, "step_deg": 1.3},
    }
}
RULES = {"Pane*": "pane", "Mirror*": "looking_glass", "Wall*": "lambertian_80"}
DEFINE = {
    "pane": {"class": "glass", "refractive_index": 1.5},
    "looking_glass": {"class": "mirror", "reflectance": 0.9},
}


def raster(columns, rows, *, azimuth_deg=(-20, 20), elevation_deg=(-14, 2)):
    """Return a pattern of rows that are scanned one after the other, each in the same direction."""
    angles = {"azimuth_deg": [*azimuth_deg], "elevation_deg": [*elevation_deg]}
    return {"kind": "raster", "columns": columns, "rows": rows, **angles, "one_way": True}


def config(**sections):
    """Return a configuration: a small grid over the front, boxes, no range limit, unless told."""
    sensor = {
        "name": "front",
        "pattern": {
            "kind": "grid",
            "horizontal": {"min_deg": -45, "max_deg": 45, "step_deg": 0.5},
            "vertical": {"min_deg": -15, "max_deg": 15, "step_deg": 1.0},
        },
    }
    scene = {"shapes": "box", **sections.pop("scene", {})}
    return Config.model_validate({"sensors": [sensor], "scene": scene, **sections})


def config_file(folder, text):
    """Write the text of a configuration, and return its path."""
    return written(folder / "config.yaml", text)


def instant(a_config):
    """Return a configuration whose sensors see a message as one instant."""
    still = {"rolling_shutter": False, "motion_blur": False}
    sensors = tuple(sensor.model_copy(update=still) for sensor in a_config.sensors)
    return a_config.model_copy(update={"sensors": sensors})


def write_config(folder, *, sensors=None, name="config.yaml", **sections):
    """Write a configuration, by default of three beams and with boxes, and return its path."""
    path = folder / name
    sensors = sensors or [{"name": "front", **FRONT, **MOUNTING}]
    scene = {"shapes": "box", **sections.pop("scene", {})}
    path.write_text(json.dumps({"sensors": sensors, "scene": scene, **sections}))
    return path


def steps(worlds, configuration=None, **options):
    """Run a model over worlds; return it and its steps."""
    model = LidarModel(configuration or config())
    return model, [model.step(frame) for frame in frames(worlds, **options)]


def steps_at_rest(configuration, n=1):
    """Run a model over so many messages without things or host; return it and its steps."""
    return steps([[]] * n, configuration, host_id=None)


def wall_config(folder, *, x_m=10.0, turn_deg=0.0, half_m=100.0, seed=0, percent=50, **sensor):
    """Return a sensor at the origin before a wall around (x, 0, 0) that is turned about z.

    The wall is equally bright at all angles.
    """
    wall = write_quads(folder / "wall.obj", [(quad(x_m, turn_deg, half_m), "Wall")])
    bright = [[angle_deg, percent / 100] for angle_deg in (0, 90)]
    mapping = {"define": {"flat": {"reflectance": bright, "wavelength_nm": 905}}}
    (folder / "materials.yaml").write_text(json.dumps({**mapping, "materials": {"*": "flat"}}))
    one = {"name": "front", "pattern": WALL_GRID, "mounting": AT_ORIGIN, "range_limit": None}
    return config(
        sensors=[{**one, **sensor}],
        scene={"environment": [{"mesh": str(wall), "up": "z"}], "ground": "none"},
        materials={"mapping": str(folder / "materials.yaml")},
        seed=seed,
    )


def model_before(folder, surfaces, *, rules=None, define=None, sensors=None, **sensor):
    """Return a model at the origin that looks along x at surfaces.

    Surfaces are a list of (corners, visual material), of which rules and definitions make walls,
    panes and mirrors.
    """
    mesh = write_quads(folder / "mesh.obj", surfaces)
    mapping = {"materials": rules or RULES, "define": {**DEFINE, **(define or {})}}
    (folder / "materials.yaml").write_text(json.dumps(mapping))
    one = {"name": "front", "pattern": ONE_BEAM, "max_range_m": 1000.0, "mounting": AT_ORIGIN}
    return LidarModel(
        config(
            sensors=sensors or [{**one, **sensor}],
            scene={
                "environment": [{"mesh": str(mesh), "up": "z", "forward": "x"}],
                "ground": "none",
            },
            materials={"mapping": str(folder / "materials.yaml")},
        )
    )
