# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Range image of a scan
=====================

The fields ``ring`` and ``column`` of a point name its beam. So a scan of a rotating sensor is an
image: one row for each laser, one column for each firing. Beams without a return stay empty.
"""

import matplotlib.pyplot as plt
import numpy as np

import osi_lidar
from osi_lidar.run.example_scene import street

clouds = osi_lidar.scan_trace(street().trace, config=street().config, frames=range(32, 33))
points = next(clouds).points

image = np.full((128, 1024), np.nan)  # OS1-128 with 1024 columns
image[points["ring"], points["column"]] = points["range"]

figure, axes = plt.subplots(figsize=(11, 2.6), layout="constrained")
drawn = axes.imshow(image, aspect="auto", norm="log", vmin=1, vmax=60, cmap="viridis_r")
axes.set(xlabel="column", ylabel="ring", title="the bundled street, from the roof of a car")
figure.colorbar(drawn, label="range [m]", ticks=(1, 2, 5, 10, 20, 50), format="%g")
plt.show()
