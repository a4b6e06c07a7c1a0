# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Open3D, embreex and trimesh with the same rays in the same scenes: `make bench-peers`.

python benchmarks/peers.py [--runs N]
"""

import ctypes
import sys
import time
from functools import partial
from importlib.metadata import version

import numpy as np
import trimesh
from measure import THREADS, WARM_UP, alternate, main, ratio_row
from scenes import AT_AN_INSTANT, FlatScene, crowd_frames, crowd_model, field_folder
from tracing import HOST_ID, Scan, check_same, embreex_scene, worlds

if sys.platform == "linux":
    import libusb_package

    ctypes.CDLL(str(libusb_package.get_library_path()), mode=ctypes.RTLD_GLOBAL)  # wants it
import open3d

TITLE = "Beside Open3D, embreex and trimesh"
ABOUT = f"""\
Open3D {open3d.__version__}, embreex {version("embreex")}, trimesh {version("trimesh")}; rays of an
OS1-128 at 1024 columns. None of these libraries has instances: they get all triangles at rest, and
a new scene when objects move, which are 20 spheres of 20 480 triangles on the field. The new
positions of their vertices are computed before the clock starts. The time of osi-lidar is that of
the step from decoded message to hits, with a sensor that moves too. In each round each program is
run twice in a row, and the second run is counted, so that none of them pays for the state in which
another one left caches and threads. embreex and trimesh use one thread."""
N_MOVING = 20


class Open3D:
    """A scene of Open3D."""

    def __init__(self, vertices, faces):
        self._scene = open3d.t.geometry.RaycastingScene(nthreads=THREADS)
        self._scene.add_triangles(vertices, faces)

    def cast(self, rays, n_threads=THREADS):
        """Cast rays (n, 6); return for each ray whether it hits."""
        found = self._scene.cast_rays(rays, nthreads=n_threads)
        return found["t_hit"].isfinite()


def tensor(array):
    """Return an array as a tensor of Open3D."""
    return open3d.core.Tensor(np.ascontiguousarray(array))


def at_rest(name, model, frame, environment, runs):
    """Return the rows about a scene that does not change."""
    scan, flat = Scan(model, 2 * (runs + WARM_UP)), FlatScene(environment, frame, HOST_ID)
    vertices = flat.vertices(frame)
    origin, direction = scan.world_rays(0)
    rays = tensor(np.concatenate([origin, direction], axis=1))
    scene = Open3D(tensor(vertices), tensor(flat.faces))
    check_same(scan.n_hit(0), int(scene.cast(rays).numpy().sum()), len(direction))
    mesh = trimesh.Trimesh(vertices, flat.faces, process=False)
    calls = {
        "tracing": scan.trace,
        "Open3D": lambda _number: scene.cast(rays),
        "Open3D on one thread": lambda _number: scene.cast(rays, 1),
        "trimesh": lambda _number: mesh.ray.intersects_first(origin, direction),
    }
    times = alternate(calls, runs=runs, twice=True)
    row = partial(ratio_row, times=times, to="tracing")
    return [
        row(f"{name}: Open3D's cast_rays / tracing", of="Open3D", goal=1.5, at_least=True),
        row(f"{name}: Open3D's cast_rays, one thread / tracing", of="Open3D on one thread"),
        row(f"{name}: trimesh's intersects_first / tracing", of="trimesh"),
    ]


class Moving:
    """The field with 20 moving spheres, for the model and for the other libraries.

    Parameters
    ----------
    n : int
        Number of steps.
    shift_m : float
        Distance that the sensor moves in each step; with 0, the model keeps the hits of rays that
        see none of the spheres. [m]
    """

    def __init__(self, n, shift_m):
        self._model = crowd_model(AT_AN_INSTANT)
        self._frames = [
            frame
            for number in range(n)
            for frame in crowd_frames(
                [number], N_MOVING, host_shift_m=shift_m * number, spheres=True
            )
        ]
        flat = FlatScene(field_folder() / "terrain.obj", self._frames[0], HOST_ID)
        self._faces = flat.faces
        self._vertices = [flat.vertices(frame) for frame in self._frames]
        self._model.step(self._frames[0])
        scan = Scan(self._model, 1)
        self._origin, self._direction = scan.world_rays(0)
        self._rays = tensor(np.concatenate([self._origin, self._direction], axis=1))
        check_same(scan.n_hit(0), self.by_open3d(0), len(self._direction))

    def ours(self, number):
        """Run a step of the model: move the spheres and trace; return the time to the hits. [ms]"""
        before = self._model.clock.seconds()
        began = time.perf_counter()
        self._model.step(self._frames[number])
        taken = time.perf_counter() - began
        after = self._model.clock.seconds()
        return 1e3 * (taken - sum(after[each] - before[each] for each in ("respond", "encode")))

    def by_open3d(self, number):
        """Build a scene of Open3D and cast the rays; return the number of hits."""
        scene = Open3D(tensor(self._vertices[number]), tensor(self._faces))
        return int(scene.cast(self._rays).numpy().sum())

    def by_embreex(self, number):
        """Build a scene of embreex and trace the rays."""
        scene = embreex_scene(self._vertices[number], self._faces)
        scene.run(self._origin, self._direction, query="INTERSECT", output=True)

    def by_trimesh(self, number):
        """Build a mesh of trimesh and intersect the rays with it."""
        mesh = trimesh.Trimesh(self._vertices[number], self._faces, process=False)
        mesh.ray.intersects_first(self._origin, self._direction)


def moving(runs):
    """Return the rows about a scene in which 20 objects move."""
    n = 2 * (runs + WARM_UP)
    each, resting = Moving(n, 1e-3), Moving(n, 0.0)
    calls = {
        "osi-lidar": each.ours,
        "osi-lidar, sensor at rest": resting.ours,
        "Open3D": each.by_open3d,
        "embreex": each.by_embreex,
        "trimesh": each.by_trimesh,
    }
    times = alternate(calls, runs=runs, twice=True)
    row = partial(ratio_row, times=times, to="osi-lidar")
    return [
        row(
            "20 objects move: Open3D, new scene and cast / osi-lidar",
            of="Open3D",
            goal=50.0,
            at_least=True,
        ),
        ratio_row(
            "  the same, the sensor at rest",
            times,
            "Open3D",
            "osi-lidar, sensor at rest",
            goal=50.0,
            at_least=True,
        ),
        row("20 objects move: embreex, new scene and run / osi-lidar", of="embreex"),
        row("20 objects move: trimesh, new mesh and intersect / osi-lidar", of="trimesh"),
    ]


def measure(runs):
    """Return the rows of this topic's table."""
    return [row for world in worlds() for row in at_rest(*world, runs)] + moving(runs)


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
