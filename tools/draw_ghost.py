# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Draw the ghost of a traffic sign in the door of a parked car, from above.

    python tools/draw_ghost.py PICTURE

The sensor is an OS1-128 beside the car, with and without a second bounce of the light. The sign
stands before the sensor and faces it. The clear coat of the door mirrors the sign, so that the
sensor reports it behind the car, too.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from osi_bridge import empty_frame
from osi_lidar import LidarModel, load_config

DOOR_M = 2.0
SURFACES = (
    (
        "car_paint_black",
        ((3.0, DOOR_M, 0.3), (7.5, DOOR_M, 0.3), (7.5, DOOR_M, 1.4), (3.0, DOOR_M, 1.4)),
    ),
    ("sign_sheeting", ((12.0, -1.2, 0.6), (12.0, 0.0, 0.6), (12.0, 0.0, 1.8), (12.0, -1.2, 1.8))),
    ("asphalt_worn", ((-5, -9, 0), (20, -9, 0), (20, 9, 0), (-5, 9, 0))),
)
KINDS = (("surface", 0, "tab:blue", 2), ("ghost", 1, "tab:red", 8))


def points_of(*, second_bounce: bool) -> NDArray[Any]:
    """Return the points of one scan, taken beside the car."""
    lines = []
    for number, (material, corners) in enumerate(SURFACES):
        lines += [f"v {x} {y} {z}" for x, y, z in corners]
        face = " ".join(str(4 * number + i) for i in (1, 2, 3, 4))
        lines += [f"usemtl {material}", f"f {face}"]
    sensor = {
        "preset": "OS1-128",
        "fidelity": "physical",
        "beam": {"second_bounce": second_bounce},
        "returns": {"mode": "all", "max": 3},
        "mounting": {"z_m": 1.2},
    }
    mesh = {"mesh": "scene.obj", "up": "z", "forward": "x"}
    config = {
        "sensors": [sensor],
        "scene": {"environment": [mesh], "ground": "none"},
        "materials": {"mapping": "map.yaml"},
    }
    rules = {material: material for material, _ in SURFACES}
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "scene.obj").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / "map.yaml").write_text(json.dumps({"materials": rules}), encoding="utf-8")
        (folder / "ghost.yaml").write_text(json.dumps(config), encoding="utf-8")
        model = LidarModel(load_config(folder / "ghost.yaml"))
        points: NDArray[Any] = model.step(empty_frame()).scans[0].cloud.points
    return points


def draw(axes: Axes, points: NDArray[Any], title: str) -> None:
    """Draw points from above, coloured by their origin."""
    for label, origin, colour, size in KINDS:
        chosen = points[points["origin"] == origin]
        axes.scatter(chosen["x"], chosen["y"], s=size, c=colour, lw=0, label=label)
    axes.plot([0.0], [0.0], "k^", ms=6, label="sensor")
    axes.set_title(title, size=10)
    axes.set_xlim(-1.0, 14.0)
    axes.set_ylim(-3.0, 6.5)
    axes.set_aspect("equal")
    axes.set_xlabel("ahead of the sensor [m]", size=9)
    axes.tick_params(labelsize=8)


def main(picture: Path) -> None:
    """Draw the scan without and with a second bounce of the light."""
    figure = Figure(figsize=(9.0, 3.4), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, bounces in zip(panels, (False, True), strict=True):
        draw(axes, points_of(second_bounce=bounces), f"second_bounce: {str(bounces).lower()}")
    panels[0].set_ylabel("to the left [m]", size=9)
    panels[1].legend(fontsize=8, loc="lower left", markerscale=2)
    figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
