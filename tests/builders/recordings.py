# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of a sensor whose truth is known: a room of six faces, scanned at rest."""

import itertools
import json
import math

import numpy as np

from lidar_gap.records import ScanCloud
from osi_lidar import LidarModel
from tests.builders.meshes import write_quads
from tests.builders.messages import frames
from tests.builders.worlds import AT_ORIGIN, config

N_LASER, N_COLUMN = 16, 600
PERCENT = {"back": 4, "front": 90, "right": 10, "left": 30, "floor": 20, "ceiling": 60}
_ROOM_M = ((-6.0, 9.0), (-5.0, 4.0), (-1.7, 2.4))


def lasers():
    """Return the lasers of a Velodyne-like unit: angles [rad] and offsets [m] at random."""
    random = np.random.default_rng(3)
    even_deg = np.linspace(15, -25, N_LASER)
    return [
        {
            "laser_id": number,
            "vert_correction": math.radians(even_deg[number] + random.normal() * 0.3),
            "rot_correction": math.radians(random.normal() * 3),
            "vert_offset_correction": 0.15 + random.normal() * 0.01,
            "horiz_offset_correction": random.normal() * 0.02,
            "dist_correction": 0.0,
        }
        for number in range(N_LASER)
    ]


def faces():
    """Return the corners of the faces of the room, each with its name."""
    corners = np.array(list(itertools.product(*_ROOM_M)))
    sides = {
        "back": (0, _ROOM_M[0][0]),
        "front": (0, _ROOM_M[0][1]),
        "right": (1, _ROOM_M[1][0]),
        "left": (1, _ROOM_M[1][1]),
        "floor": (2, _ROOM_M[2][0]),
        "ceiling": (2, _ROOM_M[2][1]),
    }
    return [
        (corners[corners[:, axis] == at][[0, 1, 3, 2]].tolist(), name)
        for name, (axis, at) in sides.items()
    ]


def poles(n=24):
    """Return narrow upright plates around the sensor, before the walls."""
    plates = []
    for number in range(n):
        turn, far_m = 2 * math.pi * number / n, 1.5 + 2.0 * (number % 5) / 4
        centre = np.array([far_m * math.cos(turn), far_m * math.sin(turn)])
        side = 0.06 * np.array([-math.sin(turn), math.cos(turn)])
        plates.append(
            (
                [
                    [*(centre + a * side).tolist(), up]
                    for a, up in ((-1, -1.6), (1, -1.6), (1, 2.3), (-1, 2.3))
                ],
                "front",
            )
        )
    return plates


def room_model(folder, *, surfaces=None, seed=5, **sensor):
    """Return a model of that unit in the room, whose faces are equally bright at all angles."""
    mesh = write_quads(folder / "room.obj", surfaces or faces())
    define = {
        name: {
            "reflectance": [[0, percent / 100], [90, percent / 100]],
            "wavelength_nm": 905,
        }
        for name, percent in PERCENT.items()
    }
    (folder / "materials.yaml").write_text(
        json.dumps({"define": define, "materials": {name: name for name in PERCENT}})
    )
    (folder / "unit.yaml").write_text("lasers: " + json.dumps(lasers()))
    one = {
        "name": "unit",
        "calibration": str(folder / "unit.yaml"),
        "columns": N_COLUMN,
        "rotation_rate_hz": 10,
        "mounting": AT_ORIGIN,
        "range_limit": None,
    }
    return LidarModel(
        config(
            sensors=[{**one, **sensor}],
            scene={
                "environment": [{"mesh": str(mesh), "up": "z", "forward": "x"}],
                "ground": "none",
            },
            materials={"mapping": str(folder / "materials.yaml")},
            seed=seed,
        )
    )


def recorded(model, n_frame):
    """Return the frames of a model at rest as clouds, and the model's own clouds."""
    (lidar,) = model.lidars
    elevation = np.array([laser["vert_correction"] for laser in lasers()])
    offset = np.array([laser["rot_correction"] for laser in lasers()])
    by_ring = np.argsort(-elevation, kind="stable")
    clouds, truths = [], []
    for number, frame in enumerate(frames([[]] * n_frame, host_id=None)):
        truth = model.step(frame).scans[0].cloud
        points, beam = truth.points, truth.beam
        ring = by_ring[points["ring"]]
        heading = lidar.pattern.azimuth_rad[beam] - offset[ring]
        names = points.dtype.names
        clouds.append(
            ScanCloud(
                name=f"{number}",
                points_m=np.stack([points[axis] for axis in "xyz"], axis=1).astype(np.float64),
                range_m=points["range"].astype(np.float64),
                intensity=points["intensity"],
                ring=ring.astype(np.int32),
                column=points["column"].astype(np.int32),
                azimuth_deg=np.degrees(heading),
                time_s=lidar.pattern.time_s[beam],
                echo=points["echo"] if "echo" in names else None,
                n_echoes=points["n_echoes"] if "n_echoes" in names else None,
            )
        )
        truths.append(truth)
    return clouds, truths
