# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Intensity by material
=====================

Each point has the infrared material of its surface: ``material_id`` is an index in
``cloud.materials``. Intensity also depends on the angle of incidence, so it varies within a
material. A white matt target that is hit perpendicularly has an intensity of 100 %.
"""

import matplotlib.pyplot as plt
import numpy as np

import osi_lidar
from osi_lidar.run.example_scene import street

clouds = osi_lidar.scan_trace(street().trace, config=street().config, frames=range(32, 33))
cloud = next(clouds)
points = cloud.points

numbers, counts = np.unique(points["material_id"], return_counts=True)
often = numbers[np.argsort(-counts)][:14]
values = [points["intensity"][points["material_id"] == each] for each in often]
order = np.argsort([np.median(each) for each in values])

figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
axes.boxplot([values[k] for k in order], orientation="horizontal", whis=(5, 95), showfliers=False)
axes.set_yticks(range(1, len(order) + 1), [cloud.materials[often[k]] for k in order])
axes.set_title("intensities of the materials of the street")
axes.set(xlabel="intensity [%], 5 to 95 % of the points", xscale="log")
axes.grid(axis="x", alpha=0.3)
plt.show()
