# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
A scan pattern by formula
=========================

Azimuth and elevation are formulas of the time ``t`` [s] after the start of a scan. Here they draw a
figure of eight that grows during the scan. ``scan_pattern`` returns the beams of one scan.
"""

import matplotlib.pyplot as plt
import numpy as np

import osi_lidar
from osi_lidar.scan.from_config import scan_pattern

sensor = {
    "name": "eight",
    "pattern": {
        "kind": "formula",
        "azimuth_deg": "width * t / 0.1 * sin(2 * pi * f * t)",
        "elevation_deg": "10 * t / 0.1 * sin(4 * pi * f * t)",
        "parameters": {"width": 30, "f": 120},
        "pulse_hz": 40000,
    },
}
beams = scan_pattern(osi_lidar.Config(sensors=[sensor]).sensors[0])

figure, axes = plt.subplots(figsize=(8, 3.6), layout="compressed")
azimuth_deg, elevation_deg = np.degrees(beams.azimuth_rad), np.degrees(beams.elevation_rad)
dots = axes.scatter(azimuth_deg, elevation_deg, c=1e3 * beams.time_s, s=1)
axes.set(xlabel="azimuth [°]", ylabel="elevation [°]", title=f"{beams.n_beams} beams")
axes.invert_xaxis()  # left is positive
figure.colorbar(dots, label="time of firing [ms]")
plt.show()
