# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes, trajectories and plans of small worlds, and their tables."""

import csv
import json
from pathlib import Path

import numpy as np

from lidar_gap.tasks.boxes import Boxes
from lidar_gap.tasks.trajectories import Trajectories


def boxes(centres, *, score=None, size=(4.0, 2.0, 1.5), yaw=0.0, frame=0, category="car", **more):
    """Return boxes at centres (n, 3); the others hold for all, or are one for each."""
    n = len(centres)

    def each(value, kind):
        return np.broadcast_to(np.array(value, kind), n).copy()

    return Boxes(
        frame=each(frame, np.int64),
        centre_m=np.array(centres, np.float64).reshape(n, 3),
        size_m=np.broadcast_to(np.array(size, np.float64), (n, 3)).copy(),
        yaw_rad=each(yaw, np.float64),
        category=each(category, np.str_),
        score=np.linspace(0.9, 0.1, n) if score is None else each(score, np.float64),
        actor=each(more["actor"], np.str_) if "actor" in more else None,
    )


def row_of_cars(n, **more):
    """Return cars that stand 10 m apart, by descending score."""
    return boxes([(10.0 * i, 0.0, 0.0) for i in range(n)], **more)


def trajectories(frame, actor, probability, points):
    """Return trajectories, one for each mode."""
    return Trajectories(
        path=Path("trajectories.csv"),
        frame=np.array(frame, np.int64),
        actor=np.array(actor, np.str_),
        probability=np.array(probability, np.float64),
        points_m=np.array(points, np.float64),
    )


def box_rows(n=4):
    """Return rows of a table of cars in a row, as a detector writes them."""
    place = {"y": 0.0, "z": 0.0, "length": 4.0, "width": 2.0, "height": 1.5, "yaw": 0.1}
    return [
        {
            "frame": 0,
            "actor": f"a{i}",
            "x": 10.0 * i,
            **place,
            "class": "car",
            "score": 0.9 - i / 10,
        }
        for i in range(n)
    ]


def trajectory_rows(aside_m=(0.0,), n_actor=4, n_step=3):
    """Return rows of actors with modes that drive along x, each its distance aside."""
    return [
        {"frame": 0, "actor": f"a{i}", "mode": mode, "probability": 1.0 / (mode + 1)}
        | {"step": step, "x": 10.0 * i + step, "y": aside}
        for i in range(n_actor)
        for mode, aside in enumerate(aside_m)
        for step in range(n_step)
    ]


def plan_rows(aside_m=0.0, n_frame=10, n_waypoint=6):
    """Return rows of plans straight ahead, a distance aside."""
    return [
        {"frame": frame, "waypoint": waypoint, "x": 5.0 * frame + waypoint, "y": aside_m}
        for frame in range(n_frame)
        for waypoint in range(n_waypoint)
    ]


def written(path, rows):
    """Write rows as CSV, or as JSON by the name of the file; return the path."""
    if path.suffix == ".json":
        path.write_text(json.dumps(rows))
        return path
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path
