# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
A wet road
==========

Water makes a road darker, and mirrors houses and trees beyond it: points of these appear below the
road. Such points have the ``origin`` ghost. The water here is 0.8 mm deep.
"""

import matplotlib.pyplot as plt

import osi_lidar
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.run.example_scene import street

figure, panels = plt.subplots(2, 1, figsize=(9, 5.5), layout="constrained", sharex=True)
for axes, water_mm in zip(panels, (0.0, 0.8)):
    config = osi_lidar.load_config(
        street().config,
        sensor="OS1-128-Rev7",
        fidelity="physical",
        changes={("weather",): {"road_water_mm": water_mm, "spray": "none"}},
    )
    cloud = next(osi_lidar.scan_trace(street().trace, config=config, frames=range(32, 33)))
    points = cloud.points
    is_ghost = (points["origin"] == ORIGINS.index("ghost")) & (points["z"] < -2.5)
    shown = ~is_ghost & (points["z"] < 8)
    colour = 100 * points["reflectivity"][shown]
    dots = axes.scatter(points["x"][shown], points["z"][shown], c=colour, s=0.3, vmax=40)
    axes.plot(points["x"][is_ghost], points["z"][is_ghost], "r.", ms=2)
    on_road = (points["z"] < -2.15) & ~is_ghost & (abs(points["y"]) < 3)
    axes.set(title=f"{water_mm} mm: {on_road.sum()} points on the road, {is_ghost.sum()} red below")
    axes.set(ylabel="z, up [m]", xlim=(-40, 60), ylim=(-9, 8))
panels[1].set(xlabel="x, forward [m]")
figure.colorbar(dots, ax=panels, label="reflectivity [%]")
plt.show()
