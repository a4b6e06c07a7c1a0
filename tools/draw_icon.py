# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Draws the icon that an FMU shows in a master: ``python tools/draw_icon.py [FILE]``."""

import math
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.patches import Circle, FancyBboxPatch

ICON = Path(__file__).resolve().parents[1] / "fmu_src" / "exporter" / "icon.png"
PIXELS = 128
NIGHT, BEAM, SENSOR = "#10243a", "#ffffff", "#f4f8fb"
ORIGIN = (0.5, 0.2)
RINGS = (0.26, 0.43, 0.60)
"""Distances of the rings of points from the sensor, as parts of the icon's width."""
HALF_ANGLE_DEG = 58.0


def main() -> None:
    """Draw a sensor with three rings of points in front of it."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ICON
    figure = plt.figure(figsize=(1, 1), dpi=PIXELS)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.axis("off")
    rounding = "round,pad=0,rounding_size=0.2"
    axes.add_patch(FancyBboxPatch((0, 0), 1, 1, boxstyle=rounding, color=NIGHT, linewidth=0))
    colours = mpl.colormaps["viridis"]
    for ring, radius in enumerate(RINGS):
        n_points = 7 + 4 * ring
        for index in range(n_points):
            angle = math.radians(HALF_ANGLE_DEG * (2 * index / (n_points - 1) - 1))
            end = (ORIGIN[0] + radius * math.sin(angle), ORIGIN[1] + radius * math.cos(angle))
            if ring == len(RINGS) - 1 and index % 2 == 0:
                xs, ys = zip(ORIGIN, end, strict=True)
                axes.plot(xs, ys, color=BEAM, linewidth=0.35, alpha=0.28)
            colour = colours(0.95 - 0.27 * ring)
            axes.add_patch(Circle(end, 0.021, color=colour, linewidth=0))
    axes.add_patch(Circle(ORIGIN, 0.075, color=SENSOR, linewidth=0))
    axes.add_patch(Circle(ORIGIN, 0.034, color=NIGHT, linewidth=0))
    figure.savefig(target, transparent=True, metadata={"Software": None})


if __name__ == "__main__":
    main()
