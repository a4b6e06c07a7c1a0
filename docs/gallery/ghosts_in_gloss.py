# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Ghosts in the gloss of a car
============================

The clear coat of a black door mirrors a traffic sign. The sensor sees the sign a second time,
behind the door. Points whose ``origin`` is a ghost are red.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import osi_lidar
from osi_bridge import empty_frame
from osi_lidar.clouds.origins import ORIGINS

folder = Path(tempfile.mkdtemp())
(folder / "door.obj").write_text("""
usemtl car_paint_black\nv 3 2 0.3\nv 7.5 2 0.3\nv 7.5 2 1.4\nv 3 2 1.4\nf 1 2 3 4
usemtl sign_sheeting\nv 12 -1.2 0.6\nv 12 0 0.6\nv 12 0 1.8\nv 12 -1.2 1.8\nf 5 6 7 8
usemtl asphalt_worn\nv -5 -9 0\nv 20 -9 0\nv 20 9 0\nv -5 9 0\nf 9 10 11 12
""")
names = ("car_paint_black", "sign_sheeting", "asphalt_worn")
rules = ", ".join(f"{name}: {name}" for name in names)
(folder / "materials.yaml").write_text(f"materials: {{{rules}}}")
sensor = {"preset": "OS1-128", "fidelity": "physical", "mounting": {"z_m": 1.2}}
sensor["returns"] = {"mode": "all", "max": 3}
mesh = {"mesh": str(folder / "door.obj"), "up": "z", "forward": "x"}
config = osi_lidar.Config(
    sensors=[sensor],
    scene={"environment": [mesh], "ground": "none"},
    materials={"mapping": str(folder / "materials.yaml")},
)
points = osi_lidar.LidarModel(config).step(empty_frame()).scans[0].cloud.points

figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
for origin, colour, size in (("surface", "tab:blue", 1.5), ("ghost", "tab:red", 4)):
    chosen = points[points["origin"] == ORIGINS.index(origin)]
    axes.plot(chosen["x"], chosen["y"], ".", color=colour, ms=size, label=origin)
axes.plot(0, 0, "k^", label="sensor")
axes.set_title("a sign and its ghost behind a door, from above")
axes.set(xlabel="ahead [m]", ylabel="to the left [m]", xlim=(-1, 14), ylim=(-3, 6.5))
axes.legend(loc="lower left", markerscale=2)
plt.show()
