# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Draw the points at the edges of three panels before a wall, ideal beside physical.

    python examples/draw_edge.py PICTURE

The sensor is an OS1-128 that reports its two strongest echoes. The panels stand 0.4, 1 and 2.5 m
before the wall. Their edges are inclined, so that beams are cut at all positions.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from osi_bridge import empty_frame
from osi_lidar import LidarModel, load_config
from osi_lidar.config.fidelity import FIDELITIES, Fidelity

WALL_M, HEIGHT_M, LEAN_M = 22.5, 1.0, 0.1
PANELS = ((WALL_M - 0.4, 1.0, 2.0), (WALL_M - 1.0, -0.5, 0.5), (WALL_M - 2.5, -2.0, -1.0))
"""Range, right end and left end of each panel. [m]"""
ECHOES = (("only echo", "tab:blue"), ("first of two", "tab:green"), ("second of two", "tab:red"))


def upright(x_m: float, right_m: float, left_m: float, first: int) -> str:
    """Return a rectangle across x as lines of an OBJ file; `first` is the index of its corner 1."""
    ends = ((right_m, -1), (left_m, -1), (left_m, 1), (right_m, 1))
    corners = [f"v {x_m} {y_m + side * LEAN_M} {side * HEIGHT_M}" for y_m, side in ends]
    return "\n".join([*corners, "f " + " ".join(str(first + k) for k in range(4)), ""])


def points_of(fidelity: Fidelity) -> NDArray[Any]:
    """Return the points of one scan of the panels and the wall."""
    surfaces = [*PANELS, (WALL_M, -4.0, 4.0)]
    lines = [upright(*surface, 1 + 4 * k) for k, surface in enumerate(surfaces)]
    sensor: dict[str, Any] = {"preset": "OS1-128", "columns": 1024, "fidelity": fidelity}
    if fidelity == "physical":
        sensor["returns"] = {"mode": "all", "max": 2}
    scene = {"environment": [{"mesh": "panels.obj", "up": "z", "forward": "x"}], "ground": "none"}
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "panels.obj").write_text("".join(lines), encoding="utf-8")
        config = {"sensors": [{**sensor, "mounting": {"z_m": 0.0}}], "scene": scene}
        (folder / "edge.yaml").write_text(json.dumps(config), encoding="utf-8")
        model = LidarModel(load_config(folder / "edge.yaml"))
        points: NDArray[Any] = model.step(empty_frame()).scans[0].cloud.points
    return points


def draw(axes: Axes, points: NDArray[Any], fidelity: Fidelity) -> None:
    """Draw points from above, coloured by their echo if beams may have several."""
    echo = np.zeros(len(points), np.int64)
    if fidelity == "physical":
        echo = np.where(points["n_echoes"] == 2, 1 + points["echo"], 0)
    for number, (label, colour) in enumerate(ECHOES):
        chosen = points[echo == number]
        axes.scatter(-chosen["y"], chosen["x"], s=4, c=colour, lw=0, label=label)
    axes.set_title(fidelity, size=10)
    axes.set_xlim(-2.6, 2.6)
    axes.set_ylim(WALL_M - 3.0, WALL_M + 0.5)
    axes.set_aspect("equal")
    axes.set_xlabel("to the right [m]", size=9)
    axes.tick_params(labelsize=8)


def main(picture: Path) -> None:
    """Draw the scan of the same scene with both fidelities."""
    figure = Figure(figsize=(9.0, 3.5), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, fidelity in zip(panels, FIDELITIES, strict=True):
        draw(axes, points_of(fidelity), fidelity)
    panels[0].set_ylabel("ahead of the sensor [m]", size=9)
    panels[1].legend(fontsize=8, loc="lower left", markerscale=2.0)
    figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
