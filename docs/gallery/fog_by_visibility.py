# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Fog by visibility
=================

How many points are left in fog, and how far away are they? The visibility is the distance after
which 5 % of the light is left. In dense fog, points of the fog itself take the place of surfaces.
"""

import matplotlib.pyplot as plt
import numpy as np

import osi_lidar
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.run.example_scene import street

edges_m = np.arange(0, 62, 4)
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
for visibility_m in (None, 100, 50, 25):
    fog = {} if visibility_m is None else {"fog": {"visibility_m": visibility_m}}
    config = osi_lidar.load_config(
        street().config, sensor="VLP-16", fidelity="physical", changes={("weather",): fog}
    )
    cloud = next(osi_lidar.scan_trace(street().trace, config=config, frames=range(32, 33)))
    is_surface = cloud.points["origin"] == ORIGINS.index("surface")
    share = (cloud.points["origin"] == ORIGINS.index("fog")).mean()
    count, _ = np.histogram(cloud.points["range"][is_surface], edges_m)
    name = "clear air" if visibility_m is None else f"visibility {visibility_m} m"
    axes.stairs(count, edges_m, label=f"{name}, {100 * share:.0f} % of the points are fog")
axes.set_title("points of the street in fog")
axes.set(xlabel="range [m]", ylabel="points on surfaces in 4 m", yscale="log")
axes.legend()
plt.show()
