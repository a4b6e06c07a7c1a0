# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Radial velocity of cars
=======================

With ``velocity`` on, each point has the speed at which its surface approaches the sensor. The host
drives, so that houses approach, too. The oncoming car is the fastest; its points are drawn larger.
"""

import matplotlib.pyplot as plt

import osi_lidar
from osi_lidar.run.example_scene import street

config = osi_lidar.load_config(street().config, changes={("sensors", 0, "velocity"): True})
cloud = list(osi_lidar.scan_trace(street().trace, config=config, frames=range(25, 27)))[-1]
points = cloud.points

figure, axes = plt.subplots(figsize=(9, 4), layout="compressed")
for part, size in ((points, 0.5), (points[points["object_id"] == 2], 5)):
    colour = part["radial_velocity"]
    dots = axes.scatter(part["x"], part["y"], c=colour, s=size, cmap="coolwarm_r", vmin=-9, vmax=9)
axes.set_title("the street from above, from a driving car")
axes.set(xlabel="x, forward [m]", ylabel="y, left [m]", aspect="equal")
axes.set(xlim=(-30, 45), ylim=(-12, 12))
figure.colorbar(dots, label="radial velocity, towards the sensor [m/s]")
plt.show()
