# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Read the folder of a run
========================

``replay`` writes a run: point clouds, SensorData, and a report. ``open_run`` reads the run, here to
count the points of each scan. ``accumulate`` merges all clouds in the frame of the world.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import osi_lidar
from osi_lidar.run.example_scene import street

folder = Path(tempfile.mkdtemp()) / "run"
config = osi_lidar.load_config(street().config, sensor="VLP-16")
source = osi_lidar.FrameSource(street().trace, frames=slice(20, 40, 4))
osi_lidar.replay(source, config, folder)

run = osi_lidar.open_run(folder)
for scan in run.scans:
    print(scan.row.frame, len(scan.points()), "points")
points = osi_lidar.accumulate(folder, voxel_m=0.1)

figure, axes = plt.subplots(figsize=(9, 3.6), layout="compressed")
dots = axes.scatter(points["x"], points["y"], c=points["frame"], s=0.5, cmap="plasma")
axes.set(xlabel="x, world [m]", ylabel="y, world [m]", aspect="equal")
axes.set(xlim=(-45, 45), ylim=(-14, 14), title=f"{len(points)} points of 5 scans")
figure.colorbar(dots, label="frame")
plt.show()
