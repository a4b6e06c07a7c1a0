# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reference of the benchmarks: a bare loop in C (bare_loop.c) that traces the model's scene."""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import numpy as np

from raycore.embree import device, function_address

SOURCE = Path(__file__).with_name("bare_loop.c")


def compiler():
    """Return the command of the C compiler: the environment variable CC, or else cc."""
    found = shutil.which(os.environ.get("CC", "cc"))
    if found is None:
        sys.exit("the benchmarks need a C compiler: no cc found; set CC to the compiler's name")
    return found


@cache
def bare_loop():
    """Compile the loop for the packets that this processor traces natively; return its function."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "bare_loop.so"
        flags = ["-O3", "-march=native", "-shared", "-fPIC", "-fopenmp"]
        flags.append(f"-DWIDTH={device().native_packet_width()}")
        subprocess.run([compiler(), *flags, "-o", library, SOURCE], check=True)
        function = ctypes.CDLL(str(library)).bare_trace
    function.restype = ctypes.c_long
    function.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_float, ctypes.c_long, ctypes.c_int]
    function.argtypes += [ctypes.c_void_p]
    return function


class BareScan:
    """The rays of a scan, prepared for repeated tracing.

    Parameters
    ----------
    scene : raycore.scene.graph.SceneGraph
        A committed scene.
    direction : float32 (n_ray, 3)
        Unit vectors in the sensor frame.
    world_from_sensor : float64 (4, 4)
        Pose of the sensor. [m]
    max_range_m : float
        Length of the rays. [m]
    """

    def __init__(self, scene, direction, world_from_sensor, max_range_m):
        pose = scene.anchor_from_world(world_from_sensor)
        self._scene = scene
        self.origin = pose[:3, 3].astype(np.float32)
        # einsum, not @: the threads of a BLAS library would still be spinning when the clock starts
        self.direction = np.einsum("ij,kj->ik", direction, pose[:3, :3]).astype(np.float32)
        self.range_m = np.empty(len(direction), np.float32)
        self._max_range_m = max_range_m
        self._function = bare_loop()
        self._intersect = function_address(f"rtcIntersect{device().native_packet_width()}")

    def trace(self, n_threads):
        """Trace the rays; return the number of hits."""
        return self._function(
            self._intersect,
            self._scene.handle,
            self.origin.ctypes.data,
            self.direction.ctypes.data,
            self._max_range_m,
            len(self.direction),
            n_threads,
            self.range_m.ctypes.data,
        )

    def milliseconds(self, n_threads):
        """Trace the rays; return the time taken [ms]."""
        began = time.perf_counter()
        self.trace(n_threads)
        return 1e3 * (time.perf_counter() - began)
