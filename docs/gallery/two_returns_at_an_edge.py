# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Two returns at an edge
======================

A beam has a width. At the edge of a panel it meets the panel and the wall behind it, and a sensor
with several returns reports both. The panel stands 2.5 m before the wall.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import osi_lidar
from osi_bridge import empty_frame

mesh = Path(tempfile.mkdtemp()) / "panel.obj"
mesh.write_text("""
v 20 -1 -1\nv 20 1 -1.1\nv 20 1.1 1\nv 20 -0.9 1.1\nf 1 2 3 4
v 22.5 -4 -3\nv 22.5 4 -3\nv 22.5 4 3\nv 22.5 -4 3\nf 5 6 7 8
""")
sensor = {"preset": "OS1-128", "fidelity": "physical", "mounting": {"z_m": 0.0}}
sensor["returns"] = {"mode": "all", "max": 2}
scene = {"environment": [{"mesh": str(mesh), "up": "z", "forward": "x"}], "ground": "none"}
model = osi_lidar.LidarModel(osi_lidar.Config(sensors=[sensor], scene=scene))
points = model.step(empty_frame()).scans[0].cloud.points

figure, axes = plt.subplots(figsize=(6, 4.5), layout="constrained")
one = points["n_echoes"] == 1
axes.plot(-points["y"][one], points["z"][one], ".", color="darkgrey", ms=2, label="one return")
for echo, colour in ((0, "tab:green"), (1, "tab:red")):
    chosen = points[~one & (points["echo"] == echo)]
    label = f"return {echo + 1} of 2"
    axes.plot(-chosen["y"], chosen["z"], ".", color=colour, ms=5 - 2 * echo, label=label)
axes.set_title("a panel before a wall, as the sensor sees it")
axes.set(xlabel="to the right [m]", ylabel="up [m]", aspect="equal", ylim=(-2.2, 2.2), xlim=(-3, 3))
axes.legend(loc="upper right", markerscale=2)
plt.show()
