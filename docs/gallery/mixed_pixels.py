# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Mixed pixels behind a post
==========================

Where two surfaces lie nearer to each other than the pulse is long, their echoes merge, and the
range of the point lies between them. Such points hang in the air between post and wall. A sensor
with ``fidelity: ideal`` has none, as its beams are lines.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import osi_lidar
from osi_bridge import empty_frame

mesh = Path(tempfile.mkdtemp()) / "post.obj"
mesh.write_text("""
v 14.6 -0.2 -2\nv 14.6 0.2 -2\nv 14.6 0.25 2\nv 14.6 -0.15 2\nf 1 2 3 4
v 15 -4 -3\nv 15 4 -3\nv 15 4 3\nv 15 -4 3\nf 5 6 7 8
""")
scene = {"environment": [{"mesh": str(mesh), "up": "z", "forward": "x"}], "ground": "none"}

figure, panels = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharey=True)
for axes, fidelity in zip(panels, ("ideal", "physical")):
    sensor = {"preset": "OS1-128", "fidelity": fidelity, "mounting": {"z_m": 0.0}}
    model = osi_lidar.LidarModel(osi_lidar.Config(sensors=[sensor], scene=scene))
    points = model.step(empty_frame()).scans[0].cloud.points
    is_between = (points["x"] > 14.68) & (points["x"] < 14.92)
    axes.plot(-points["y"], points["x"], ".", ms=3)
    axes.plot(-points["y"][is_between], points["x"][is_between], "r.", ms=4)
    axes.set(title=f"{fidelity}: {is_between.sum()} points (red) between the two", xlim=(-0.6, 0.6))
    axes.set(xlabel="to the right [m]", ylim=(14.4, 15.2))
panels[0].set(ylabel="ahead of the sensor [m]")
plt.show()
