# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Compare two sensors at one place
================================

Two known sensors scan the same frame from the same mounting. ``osi-lidar sensors`` lists all names.
"""

import matplotlib.pyplot as plt

import osi_lidar
from osi_lidar.run.example_scene import street

figure, panels = plt.subplots(2, 1, figsize=(8, 6), layout="constrained", sharex=True)
for axes, name in zip(panels, ("VLP-16", "Pandar64")):
    cloud = next(
        osi_lidar.scan_trace(
            street().trace, config=street().config, sensor=name, frames=range(32, 33)
        )
    )
    points = cloud.points
    on_person = points[points["object_id"] == 4]
    axes.plot(points["x"], points["y"], ".", ms=0.6, color="tab:grey")
    axes.plot(on_person["x"], on_person["y"], "r.", ms=3)
    axes.set(title=f"{name}: {len(points)} points, {len(on_person)} (red) on the pedestrian")
    axes.set(ylabel="y, left [m]", xlim=(-30, 40), ylim=(-12, 12))
panels[1].set(xlabel="x, forward [m]")
plt.show()
