# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Cost of many materials: a step in a scene with 1000 of them, compared with a single one.

Both models see the same mesh, whose faces have 1000 visual materials. In one model all of them are
the same infrared material; in the other each is a different one, with a table over the angle. The
host moves a little at every step, so that every step is traced. The two alternate in one process,
and the one that goes first changes from pair to pair.

    python benchmarks/materials.py [--pairs N] [--materials N]
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from statistics import median

import numba
import numpy as np
from osi3.osi_sensorview_pb2 import SensorView

from lidar_base.process.threads import set_up_process
from osi_bridge import FrameDecoder
from osi_lidar import LidarModel, load_config

WARM_UP = 5
"""Number of first pairs of steps that are not counted."""
SIDE_M = 60.0
HILLS_M = 1.5


def write_mesh(folder, n_materials):
    """Write a hilly square of about 20 000 triangles, whose materials change from face to face."""
    n = 101
    x, y = np.meshgrid(*[np.linspace(-SIDE_M, SIDE_M, n)] * 2)
    z = HILLS_M * np.sin(0.3 * x) * np.cos(0.23 * y) - 3.0
    lines = [f"v {a:.6f} {b:.6f} {c:.6f}" for a, b, c in zip(x.flat, y.flat, z.flat, strict=True)]
    by_material = [[] for _ in range(n_materials)]
    for row in range(n - 1):
        for column in range(n - 1):
            first = row * n + column + 1
            corners = (first, first + 1, first + n + 1, first + n)
            by_material[(row * (n - 1) + column) % n_materials].append(corners)
    for number, faces in enumerate(by_material):
        lines.append(f"usemtl visual_{number}")
        lines += ["f " + " ".join(map(str, corners)) for corners in faces]
    path = folder / "hills.obj"
    path.write_text("\n".join(lines) + "\n")
    return path


def model_of(folder, mesh, n_materials, *, own):
    """Return a model of a mesh with many visual materials.

    If ``own`` is true, each visual material has its own infrared material; otherwise all share one.
    """
    angles_deg = range(0, 90, 10)
    define = {
        f"infrared_{number}": {
            "reflectance": [
                [angle, round((0.1 + 0.8 * number / n_materials) * (1 - angle / 100), 6)]
                for angle in angles_deg
            ]
        }
        for number in range(n_materials if own else 1)
    }
    names = [f"infrared_{number if own else 0}" for number in range(n_materials)]
    rules = {f"visual_{number}": name for number, name in enumerate(names)}
    mapping = folder / f"map_{own}.yaml"
    mapping.write_text(json.dumps({"materials": rules, "define": define}))
    config = folder / f"config_{own}.yaml"
    sections = {
        "sensors": [{"preset": "OS1-128", "columns": 1024, "range_limit": None}],
        "scene": {"environment": [{"mesh": str(mesh), "up": "z"}], "ground": "none"},
        "materials": {"mapping": str(mapping)},
        "output": {"pcd": "none", "sensor_data": "none"},
    }
    config.write_text(json.dumps(sections))
    return LidarModel(load_config(config))


def message(index):
    """Return a SensorView with only a host, which moves a little from message to message."""
    view = SensorView()
    truth = view.global_ground_truth
    for part in (view, truth):
        part.timestamp.seconds, part.timestamp.nanos = divmod(index * 10**8, 10**9)
    view.host_vehicle_id.value = 1
    host = truth.moving_object.add()
    host.id.value = 1
    host.type, host.vehicle_classification.type = 2, 4
    host.base.position.x = 0.01 * index
    host.base.dimension.length = host.base.dimension.width = host.base.dimension.height = 2.0
    return view.SerializeToString()


def time_step(model, frame):
    """Run a step; return its time [ms] and the number of points."""
    began = time.perf_counter()
    step = model.step(frame)
    seconds = time.perf_counter() - began
    if not step.traced:
        raise RuntimeError("a step reused an old cloud, expected each step to be traced")
    return 1e3 * seconds, len(step.scans[0].cloud.points)


def run(pairs, n_materials):
    """Return the times of each pair of steps [ms], and the number of points of a scan.

    A pair has the model with one infrared material first, then the model with many.
    """
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mesh = write_mesh(folder, n_materials)
        models = [model_of(folder, mesh, n_materials, own=own) for own in (False, True)]
        decoder = FrameDecoder("SensorView")
        for number in range(pairs + WARM_UP):
            frame = decoder.decode(message(number), number)
            order = (0, 1) if number % 2 else (1, 0)
            found = {which: time_step(models[which], frame) for which in order}
            if found[0][1] != found[1][1]:
                raise RuntimeError(
                    f"got {found[0][1]} and {found[1][1]} points from the same geometry, expected "
                    "equal numbers"
                )
            rows.append((found[0][0], found[1][0]))
        n_points = found[0][1]
    return rows[WARM_UP:], n_points


def main():
    set_up_process()  # as the command line does
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=300, help="number of steps of each model")
    parser.add_argument("--materials", type=int, default=1000)
    arguments = parser.parse_args()
    rows, n_points = run(arguments.pairs, arguments.materials)
    print(f"{len(rows)} pairs of steps, {n_points} points, {numba.get_num_threads()} threads")
    for name, column in (("1 material", 0), (f"{arguments.materials} materials", 1)):
        print(f"  {name:16s} {median(row[column] for row in rows):8.2f} ms")
    ratio = median(row[1] for row in rows) / median(row[0] for row in rows)
    print(f"  ratio of medians {ratio:8.3f}")
    print(f"  median of ratios {median(many / one for one, many in rows):8.3f}")


if __name__ == "__main__":
    main()
