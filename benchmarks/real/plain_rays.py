# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A simulator without a sensor model in the scenes of the reality pack, as a subject to judge.

    python benchmarks/real/plain_rays.py PACK OUT [--only NAME,..]
    osi-lidar gap reality score PACK --subject OUT --out plain

One ray for each beam is cast by Open3D. Ranges have Gaussian noise of 20 mm. Intensities and lost
points follow the documented sensor ``sensor.lidar.ray_cast`` of CARLA with its default values: the
intensity at the distance d is exp(-0.004 d), and 45 % of the points are lost by chance. Points of
an intensity below 0.8 are also lost with a probability that falls from 0.4 at intensity 0 to 0 at
0.8 (carla.readthedocs.io/en/latest/ref_sensors, read in November 2026).
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import open3d as o3d
import trimesh
from pypcd4 import PointCloud

from lidar_gap.reality.boxes import MESH
from lidar_gap.reality.measuring import clouds_of
from lidar_gap.reality.recordings import catalogue
from lidar_gap.reality.simulated import FEWEST_SCANS, MOST_SCANS, write_scene_of
from osi_lidar import LidarModel
from osi_lidar.sensors.presets import load_preset

NOISE_M, ATTENUATION = 0.02, 0.004
LOST, LOST_AT_ZERO, BRIGHT = 0.45, 0.4, 0.8
FIELDS = ("x", "y", "z", "intensity", "ring")


def scan(rays, ring, scene, far_m, random):
    """Return the points of one scan, (n, 5): x, y, z [m], intensity [%], ring."""
    range_m = scene.cast_rays(o3d.core.Tensor(rays))["t_hit"].numpy()
    intensity = np.exp(-ATTENUATION * range_m)
    lost = random.random(len(rays)) < LOST
    share = LOST_AT_ZERO * np.clip(1.0 - intensity / BRIGHT, 0.0, 1.0)
    lost |= random.random(len(rays)) < share
    kept = np.isfinite(range_m) & (range_m < far_m) & ~lost
    noisy_m = range_m[kept] + random.normal(0.0, NOISE_M, int(kept.sum()))
    points = noisy_m[:, None] * rays[kept, 3:]
    return np.column_stack([points, 100.0 * intensity[kept], ring[kept]]).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pack", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    for recording in catalogue(arguments.only):
        if recording.scene == "targets":  # this simulator has no people
            continue
        clouds = clouds_of(recording, arguments.pack)
        with tempfile.TemporaryDirectory() as name:
            config = write_scene_of(recording, clouds, Path(name))
            far_m = load_preset(recording.sensor).max_range_m
            mesh = trimesh.load(Path(name) / MESH, force="mesh")
            pattern = LidarModel(config).lidars[0].pattern
        scene = o3d.t.geometry.RaycastingScene()
        scene.add_triangles(mesh.vertices.astype(np.float32), mesh.faces.astype(np.uint32))
        rays = np.zeros((pattern.n_beams, 6), np.float32)
        rays[:, 3:] = pattern.direction
        folder, random = arguments.out / recording.name, np.random.default_rng(0)
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(min(max(len(clouds), FEWEST_SCANS), MOST_SCANS)):
            points = scan(rays, pattern.ring, scene, far_m, random)
            cloud = PointCloud.from_points(points, FIELDS, (np.float32,) * len(FIELDS))
            cloud.save(folder / f"{number:06d}.pcd")


if __name__ == "__main__":
    main()
