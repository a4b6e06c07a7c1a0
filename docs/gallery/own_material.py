# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""
Your own material and its range
===============================

Define infrared materials in a mapping table, and see up to which range a sensor detects them, by
angle of incidence. A wall has one of three materials: two of your own, and a built-in one.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import osi_lidar
from osi_lidar import Scene
from osi_lidar.scan.from_config import range_limit_of

folder = Path(tempfile.mkdtemp())
(folder / "wall.obj").write_text("usemtl Wall\nv 0 -5 -5\nv 0 5 -5\nv 0 5 5\nv 0 -5 5\nf 1 2 3 4")
define = "define: {soot: {reflectance: 0.04}, chalk: {reflectance: 0.85, roughness_deg: 20}}"
limit = range_limit_of(osi_lidar.default_config("OS1-128").sensors[0])
turn_deg = np.arange(0, 86, 5)
rays = [[np.cos(a), np.sin(a), 0] for a in np.radians(turn_deg)]

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name in ("soot", "brick", "chalk"):
    table = folder / f"{name}.yaml"
    table.write_text(f"materials: {{Wall: {name}}}\n{define}")
    config = osi_lidar.Config(
        sensors=[{"preset": "OS1-128"}], scene={"ground": "none"}, materials={"mapping": str(table)}
    )
    scene = Scene(config)
    scene.add(folder / "wall.obj", up="z", forward="x")
    hits = scene.cast([-3.0 * np.array(ray) for ray in rays], rays, wavelength_nm=850)
    axes.plot(turn_deg, limit.max_range_m(hits.reflectivity), ".-", label=name)
axes.set_title("detection ranges of three materials")
axes.set(xlabel="angle of incidence [°]", ylabel="detection range of an OS1-128 [m]")
axes.legend()
plt.show()
