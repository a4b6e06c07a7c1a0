# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory per triangle, per ray and per point.

python benchmarks/sizes.py
"""

import ctypes
import gc
import platform
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
from measure import Row, main
from scenes import hills, scene_of

from osi_bridge import empty_frame
from osi_lidar import LidarModel, default_config
from osi_lidar.config.loading import revised_config

TITLE = "Memory"
ABOUT = """\
Growth of the memory of a new process. Triangle: a scene of 4 million
triangles in one mesh, including Embree's tree. Ray: a sensor of 2 million rays that hit nothing,
minus one of 131 072, in the third step. Point: the additional memory if every ray hits the ground.
A point's record is its size in a PCD file, and a detection its size in SensorData."""
N_TRIANGLE = 4_000_000
N_ROW = 128
COLUMNS = (1024, 16384)
UP_DEG, DOWN_DEG = (20.0, 80.0), (-80.0, -20.0)


def resident_bytes():
    """Return the resident memory of this process [bytes]; its peak on systems without /proc."""
    path = Path("/proc/self/statm")
    if path.is_file():
        return int(path.read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    unit = 1 if platform.system() == "Darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def settled_bytes():
    """Give freed memory back to the system; return the resident memory of this process [bytes]."""
    gc.collect()
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)
    return resident_bytes()


def of_triangles():
    """Return the memory of a scene per triangle. [bytes]"""
    scene_of(*hills(1000))  # loads the library
    before = settled_bytes()
    scene = scene_of(*hills(N_TRIANGLE))
    grown = settled_bytes() - before
    del scene
    return grown / N_TRIANGLE


def of_rays(elevation_deg):
    """Return the memory of a model and its last step per ray. [bytes]"""
    _model_bytes(COLUMNS[0], elevation_deg)  # loads kernels and libraries
    grown = [_model_bytes(n, elevation_deg) for n in COLUMNS]
    return (grown[1] - grown[0]) / (N_ROW * (COLUMNS[1] - COLUMNS[0]))


def of_rays_up():
    """Return the memory per ray, if the rays hit nothing. [bytes]"""
    return of_rays(UP_DEG)


def of_rays_down():
    """Return the memory per ray, if each ray gives a point. [bytes]"""
    return of_rays(DOWN_DEG)


def _model(n_column, elevation_deg):
    sensor = {
        "pattern": {
            "kind": "angles",
            "horizontal_deg": np.linspace(-180.0, 180.0, n_column, endpoint=False).tolist(),
            "vertical_deg": np.linspace(*elevation_deg, N_ROW).tolist(),
        },
        "mounting": {"z_m": 1.9},
    }
    config = revised_config(default_config(), {("sensors",): [sensor], ("scene", "ground"): 0.0})
    return LidarModel(config)


def _model_bytes(n_column, elevation_deg):
    before = settled_bytes()
    model = _model(n_column, elevation_deg)
    for _ in range(3):
        model.restart()
        step = model.step(empty_frame())
    n_point = len(step.scans[0].cloud.points)
    if n_point != (0 if elevation_deg == UP_DEG else n_column * N_ROW):
        raise RuntimeError(
            f"got {n_point} points from {n_column * N_ROW} rays, expected a point for each ray, or "
            "none upwards"
        )
    return settled_bytes() - before


def in_new_process(function):
    """Return the result of a function of this module, called in a new process."""
    code = f"import sizes; print(sizes.{function.__name__}())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


def measure(_runs):
    """Return the rows of this topic's table."""
    up, down = in_new_process(of_rays_up), in_new_process(of_rays_down)
    step = _model(COLUMNS[0], DOWN_DEG).step(empty_frame())
    points = step.scans[0].cloud.points
    sizes = {
        "triangle of a mesh": in_new_process(of_triangles),
        "ray": up,
        "point of a step, without its ray": down - up,
        "point's record": points.dtype.itemsize,
        "detection in SensorData": len(step.sensor_data) / len(points),
    }
    return [Row(name=name, value=value, unit="bytes") for name, value in sizes.items()]


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
