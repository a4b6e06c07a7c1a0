# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
First point cloud from above
============================

Scan one frame of the bundled street with a VLP-16, and draw the points from above. Put the path of
your own trace in place of ``street().trace``.
"""

import matplotlib.pyplot as plt

import osi_lidar
from osi_lidar.run.example_scene import street

clouds = osi_lidar.scan_trace(
    street().trace, config=street().config, sensor="VLP-16", frames=range(32, 33)
)
points = next(clouds).points

figure, axes = plt.subplots(figsize=(9, 4), layout="compressed")
dots = axes.scatter(points["x"], points["y"], c=points["z"], s=1, cmap="turbo", vmax=4)
axes.set(xlabel="x, forward [m]", ylabel="y, left [m]", aspect="equal")
axes.set(xlim=(-40, 40), ylim=(-15, 15), title=f"{len(points)} points of a VLP-16")
figure.colorbar(dots, label="height over the sensor [m]")
plt.show()
