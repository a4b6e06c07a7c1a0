# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Many beams along x from the origin, with a footprint, before plates of known reflectivity."""

import json
import math

import numpy as np

from osi_lidar import LidarModel
from tests.builders.meshes import quad, write_quads
from tests.builders.messages import frames
from tests.builders.worlds import AT_ORIGIN, config

SIGMA_RAD = 1e-3
SIGMA_R_M = 299_792_458.0 * 5e-9 / 2.3548200450309493 / 2.0
"""rms width of a pulse of 5 ns in range. [m]"""
BEAM = {"divergence_deg": float(np.degrees(4.0 * SIGMA_RAD)), "width": "e2"}
SEES = {"amplitude_noise": False, "near_range_m": 0.0}
"""A receiver without noise."""
FAR = {"equation": {"pairs": [[10, 600]]}}
"""A range limit that no plate of a test reaches."""
LIMIT = {"equation": {"pairs": [[10, 60]]}}
"""60 m at 10 %, as 1/r^2 says for others."""


def toward(azimuth_deg, elevation_deg):
    """Return a unit vector, its azimuth counter-clockwise from x, its elevation positive up."""
    azimuth, elevation = math.radians(azimuth_deg), math.radians(elevation_deg)
    flat = math.cos(elevation)
    return flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(elevation)


def plate(x_m, left_m=-30.0, right_m=30.0):
    """Return the corners of an upright rectangle at x, between two places along y."""
    return [(x_m, left_m, -30.0), (x_m, right_m, -30.0), (x_m, right_m, 30.0), (x_m, left_m, 30.0)]


def tilted(x_m, turn_deg):
    """Return the corners of a wall around (x, 0, 0), turned about z."""
    return quad(x_m, turn_deg, 500.0)


def beams_at(folder, surfaces, *, n=400, seed=0, weather="auto", materials=None, **sensor):
    """Return a model of n beams along x, each of which turns its footprint by itself.

    Surfaces are a list of (corners, percent) that are equally bright at all angles, or of
    (corners, infrared material), of which `materials` defines more.
    """
    percents = sorted({of for _, of in surfaces if not isinstance(of, str)})
    names = {percent: f"flat{percent:g}".replace(".", "_") for percent in percents}
    define = {
        names[percent]: {
            "reflectance": [[angle, percent / 100] for angle in (0, 90)],
            "wavelength_nm": 905,
            "class": "retroreflective" if percent > 100 else "general",
        }
        for percent in percents
    } | (materials or {})
    quads = [(corners, names.get(of, of).capitalize()) for corners, of in surfaces]
    mesh = write_quads(folder / "mesh.obj", quads)
    rules = {names.get(of, of).capitalize(): names.get(of, of) for _, of in surfaces}
    (folder / "map.yaml").write_text(json.dumps({"define": define, "materials": rules}))
    one = {
        "name": "front",
        "pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0, 0]] * n},
        "mounting": AT_ORIGIN,
        "max_range_m": 200.0,
        "min_range_m": 0.5,
        "range_limit": FAR,
        "beam": BEAM,
        "returns": {"mode": "all", "max": 8},
        "receiver": SEES,
    }
    scene = {
        "environment": [{"mesh": str(mesh), "up": "z", "forward": "x"}],
        "ground": "none",
    }
    chosen = {key: value for key, value in {**one, **sensor}.items() if value is not None}
    mapping = {"mapping": str(folder / "map.yaml")}
    sections = {"scene": scene, "materials": mapping, "seed": seed, "weather": weather}
    return LidarModel(config(sensors=[chosen], **sections))


def clouds_of(model, n):
    """Yield the clouds of n scans of a world at rest; each is valid until the next one."""
    for frame in frames([[]] * n, host_id=None):
        yield model.step(frame).scans[0].cloud


def cloud_of(model, n=1):
    """Return the cloud of the last of n scans of a world at rest."""
    *_, last = clouds_of(model, n)
    return last


def points_at(folder, surfaces, **sensor):
    """Return the points of one scan, see `beams_at`."""
    return cloud_of(beams_at(folder, surfaces, **sensor)).points
