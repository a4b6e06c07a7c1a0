# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Noise of a receiver on a wall
=============================

How large is the range noise of a physical sensor on a matt wall of 10 %, at three distances? Far
echoes are weak, so that their ranges are less certain, and some are missing.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import osi_lidar
from osi_bridge import empty_frame

mesh = Path(tempfile.mkdtemp()) / "wall.obj"
bins_mm = np.linspace(-150, 150, 76)
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for wall_m in (5.0, 20.0, 40.0):
    side = 0.1 * wall_m
    corners = ((-side, -side), (side, -side), (side, side), (-side, side))
    mesh.write_text("".join(f"v {wall_m} {y} {z}\n" for y, z in corners) + "f 1 2 3 4")
    config = osi_lidar.Config(
        sensors=[{"preset": "OS1-128", "fidelity": "physical", "mounting": {"z_m": 0.0}}],
        scene={"environment": [{"mesh": str(mesh), "up": "z", "forward": "x"}], "ground": "none"},
        materials={"default": "lambertian_10"},
    )
    points = osi_lidar.LidarModel(config).step(empty_frame()).scans[0].cloud.points
    points = points[abs(points["x"] - wall_m) < 1.0]  # no false alarms
    error_mm = 1e3 * points["range"] * (1.0 - wall_m / points["x"])
    label = f"{wall_m:g} m: {np.std(error_mm):.0f} mm, {len(points)} points"
    axes.hist(error_mm, bins_mm, histtype="step", density=True, label=label)
axes.set_title("range noise on a wall of 10 %")
axes.set(xlabel="error of the range [mm]", ylabel="density [1/mm]")
axes.legend()
plt.show()
