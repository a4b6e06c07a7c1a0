# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rain beside clear air
=====================

The same frame of the street in clear air and in rain of 50 mm/h. Points whose ``origin`` is rain
are drops. Weather needs a sensor with ``fidelity: physical``.
"""

import matplotlib.pyplot as plt

import osi_lidar
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.run.example_scene import street

figure, panels = plt.subplots(2, 1, figsize=(8, 6), layout="constrained", sharex=True)
for axes, rain_mm_h in zip(panels, (0.0, 50.0)):
    config = osi_lidar.load_config(
        street().config,
        sensor="VLP-16",
        fidelity="physical",
        changes={("weather",): {"rain_mm_h": rain_mm_h}},
    )
    cloud = next(osi_lidar.scan_trace(street().trace, config=config, frames=range(32, 33)))
    points = cloud.points
    is_drop = points["origin"] == ORIGINS.index("rain")
    axes.plot(points["x"][~is_drop], points["y"][~is_drop], ".", ms=1, color="grey")
    axes.plot(points["x"][is_drop], points["y"][is_drop], ".", ms=4, color="tab:blue")
    axes.set(title=f"rain {rain_mm_h:g} mm/h: {is_drop.sum()} blue drops in {len(points)} points")
    axes.set(ylabel="y, left [m]", xlim=(-40, 40), ylim=(-13, 13))
panels[1].set(xlabel="x, forward [m]")
plt.show()
