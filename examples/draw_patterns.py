# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Draw the beams of every sensor of a configuration, coloured by firing time.

    python examples/draw_patterns.py CONFIG PICTURE

Each panel shows the first scan of one sensor.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from osi_lidar import load_config
from osi_lidar.scan.from_config import scan_pattern

COLUMNS = 3


def main(config_file: Path, picture: Path) -> None:
    """Draw the beams as seen from the sensor: azimuth to the left, elevation up."""
    sensors = load_config(config_file).sensors
    rows = -(-len(sensors) // COLUMNS)
    figure = Figure(figsize=(6.4, 2.2 * rows + 0.5), layout="constrained")
    panels = figure.subplots(rows, COLUMNS, squeeze=False)
    for panel, sensor in zip(panels.flat, sensors, strict=False):
        pattern = scan_pattern(sensor)
        beams = panel.scatter(
            np.degrees(pattern.azimuth_rad),
            np.degrees(pattern.elevation_rad),
            c=pattern.time_s / max(pattern.time_s.max(), 1e-9),
            s=0.7,
            linewidths=0,
            cmap=colormaps["viridis"].resampled(20),  # few colours make a small file
            antialiased=False,
            vmin=0.0,
            vmax=1.0,
        )
        panel.set_title(f"{sensor.name}: {pattern.n_beams} beams", fontsize=9)
        panel.tick_params(labelsize=7)
        panel.set_aspect("equal", adjustable="datalim")
        panel.invert_xaxis()
    figure.supxlabel("azimuth [°], left is positive", fontsize=9)
    figure.supylabel("elevation [°]", fontsize=9)
    scale = figure.colorbar(beams, ax=panels, location="top", aspect=40, ticks=(0, 1))
    scale.ax.set_xticklabels(("first", "last"), fontsize=8)
    scale.set_label("order of firing", fontsize=9, labelpad=-8)
    figure.savefig(picture, dpi=125)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
