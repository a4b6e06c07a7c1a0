# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Scan the street with a Lissajous pattern
========================================

Two oscillating mirrors draw a Lissajous curve. The sensor replaces the one of the street's
configuration, and scans the road ahead of the car.
"""

import matplotlib.pyplot as plt
import numpy as np

import osi_lidar
from osi_lidar.run.example_scene import street

sensor = {
    "name": "front",
    "pattern": {
        "kind": "lissajous",
        "azimuth_span_deg": 60,
        "elevation_span_deg": 24,
        "azimuth_hz": 430,
        "elevation_hz": 613,
        "pulse_hz": 300000,
    },
    "mounting": {"x_m": 1.0, "z_m": 1.9},
}
config = osi_lidar.load_config(street().config, changes={("sensors",): [sensor]})
cloud = next(osi_lidar.scan_trace(street().trace, config=config, frames=range(32, 33)))
points = cloud.points

figure, axes = plt.subplots(figsize=(9, 4), layout="compressed")
azimuth_deg = np.degrees(np.arctan2(points["y"], points["x"]))
elevation_deg = np.degrees(np.arcsin(points["z"] / points["range"]))
dots = axes.scatter(azimuth_deg, elevation_deg, c=points["range"], s=1, norm="log", cmap="turbo_r")
axes.set_title("the street in a Lissajous pattern")
axes.set(xlabel="azimuth [°]", ylabel="elevation [°]", aspect="equal")
axes.invert_xaxis()  # left is positive
figure.colorbar(dots, label="range [m]", ticks=(10, 20, 40, 60), format="%g").minorticks_off()
plt.show()
