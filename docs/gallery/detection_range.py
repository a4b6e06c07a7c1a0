# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Detection range by reflectivity
===============================

Data sheets state detection ranges at a few reflectivities; the model puts a curve through them.
The picture shows the curves of four presets. ``osi-lidar show range`` prints them as a table.
"""

import matplotlib.pyplot as plt
import numpy as np

import osi_lidar
from osi_lidar.scan.from_config import range_limit_of

reflectivity = np.geomspace(0.01, 1.0, 100)
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name in ("VLP-16", "OS1-128", "QT64", "OS0-128"):
    sensor = osi_lidar.default_config(name).sensors[0]
    limit = range_limit_of(sensor)
    range_m = np.minimum(limit.max_range_m(reflectivity), sensor.max_range_m)
    axes.plot(100 * reflectivity, range_m, label=name)
axes.set_title("detection ranges of four sensors")
axes.set(xlabel="reflectivity [%]", ylabel="detection range [m]", xscale="log")
axes.legend()
axes.grid(alpha=0.3)
plt.show()
