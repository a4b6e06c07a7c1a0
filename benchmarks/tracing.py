# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tracing beside a bare rtcIntersect loop in C, and beside embreex.

python benchmarks/tracing.py [--runs N]
"""

import numpy as np
from bare import BareScan
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene
from measure import THREADS, WARM_UP, alternate, main, ratio_row
from scenes import AT_AN_INSTANT, FlatScene, field_folder, field_model, street_model

from osi_bridge import FrameDecoder
from osi_lidar.run.example_scene import street
from raycore.trace.embree_tracer import EmbreeTracer

TITLE = "Tracing 131 072 rays"
ABOUT = """\
OS1-128 at 1024 columns, from rays to hits with range, normal, incidence, object and material. The
sensor moves by 1 mm each time, so that no result of the previous run can be reused. embreex's
`run(output=True)` gives range, normal and triangle; it has no instances and gets all triangles at
rest. In each round each of the three is run twice in a row, and the second run is counted: it finds
caches and threads as in a program that uses nothing else."""
FRAME = 12
HOST_ID = 1
MOST_DIFFERENT = 1e-3
"""Fraction of the rays that may hit in one library and not in the other."""


class Scan:
    """One scan of a model, traced repeatedly from positions a little farther along x.

    Parameters
    ----------
    model : LidarModel
        The model. Its first sensor scans, from the pose at the end of the last step.
    runs : int
        Number of rounds, including the warm-up.
    """

    def __init__(self, model, runs):
        self.model = model
        self.lidar = model.lidars[0]
        self._n_traced = 0
        self._tracer = EmbreeTracer()
        pose = model.last_scans[self.lidar.name].end_pose
        self.poses = np.repeat(pose[None], runs, axis=0)
        self.poses[:, 0, 3] += 1e-3 * np.arange(1, runs + 1)
        rays = self.lidar.pattern.direction, self.lidar.max_range_m
        self._bare = [BareScan(model.world.scene, rays[0], each, rays[1]) for each in self.poses]

    def trace(self, _number=0):
        """Trace as the model does, 1 mm farther at each call."""
        self._n_traced += 1
        pose = self.poses[:1].copy()
        pose[0, 0, 3] += 1e-3 * self._n_traced
        return self._tracer.trace(self.model.world.scene, self.lidar.shots, pose)

    def bare(self, number, n_threads=THREADS):
        """Trace with the bare loop; return the time. [ms]"""
        return self._bare[number].milliseconds(n_threads)

    def n_hit(self, number):
        """Return the number of hits of the bare loop."""
        return self._bare[number].trace(THREADS)

    def world_rays(self, number):
        """Return origins and directions in the world frame, float32 (n_ray, 3) each."""
        pose = self.poses[number]
        turned = np.einsum("ij,kj->ki", pose[:3, :3], self.lidar.pattern.direction)
        origin = np.broadcast_to(pose[:3, 3].astype(np.float32), turned.shape)
        return origin.copy(), turned.astype(np.float32)


def at_frame(made, number=FRAME):
    """Step a model up to message ``number``; return the model, and the frame of that message.

    ``made`` is a model and its messages.
    """
    model, messages = made
    decoder = FrameDecoder("SensorView")
    for index, data in enumerate(messages[: number + 1]):
        frame = decoder.decode(data, index)
        model.step(frame)
    return model, frame


def worlds():
    """Yield name, model, last frame and environment mesh file of the street and the field."""
    model, frame = at_frame(street_model(AT_AN_INSTANT))
    yield "street", model, frame, street().config.parent / "street.obj"
    model, frame = at_frame(field_model(AT_AN_INSTANT))
    yield "field", model, frame, field_folder() / "terrain.obj"


def embreex_scene(vertices, faces):
    """Return a scene of embreex with all triangles."""
    scene = EmbreeScene(robust=True)
    TriangleMesh(scene, vertices, faces)
    return scene


def check_same(n_here, n_there, n_ray):
    """Raise RuntimeError if two programs hit clearly different numbers of rays."""
    if abs(n_here - n_there) > MOST_DIFFERENT * n_ray:
        raise RuntimeError(
            f"got {n_here} and {n_there} hits from the same {n_ray} rays, expected equal numbers"
        )


def measure(runs):
    """Return the rows of this topic's table."""
    rows = []
    for name, model, frame, environment in worlds():
        scan = Scan(model, 2 * (runs + WARM_UP))
        flat = FlatScene(environment, frame, HOST_ID)
        other = embreex_scene(flat.vertices(frame), flat.faces)
        origin, direction = scan.world_rays(0)
        hit = other.run(origin, direction, query="INTERSECT") >= 0
        check_same(scan.n_hit(0), int(hit.sum()), len(direction))

        def with_embreex(_number, other=other, rays=(origin, direction)):
            other.run(*rays, query="INTERSECT", output=True)  # ranges, normals and triangles

        times = alternate(
            {"tracing": scan.trace, "bare loop": scan.bare, "embreex": with_embreex},
            runs=runs,
            twice=True,
        )
        n_triangle = f"{len(flat.faces):,}".replace(",", " ")
        rows += [
            ratio_row(
                f"{name} ({n_triangle} triangles): tracing / bare loop",
                times,
                "tracing",
                "bare loop",
                goal=1.15,
            ),
            ratio_row(
                f"{name}: embreex's run(), one thread / tracing",
                times,
                "embreex",
                "tracing",
                goal=3.0,
                at_least=True,
            ),
        ]
    return rows


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
