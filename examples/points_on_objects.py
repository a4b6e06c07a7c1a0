# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""List the points on every object of a trace: their number, nearest range and mean reflectivity.

    python examples/points_on_objects.py TRACE [CONFIG]

Prints one line (CSV) for each frame and each object with points.
"""

import sys
from pathlib import Path

import numpy as np

from osi_lidar import FrameSource, LidarModel, default_config, load_config


def main(trace: Path, config_file: Path | None = None) -> None:
    """Print the points on each object, frame by frame."""
    config = default_config() if config_file is None else load_config(config_file)
    model = LidarModel(config, trace_folder=trace.parent)
    print("time_s,sensor,object_id,points,nearest_m,mean_reflectivity")
    for frame in FrameSource(trace):
        for scan in model.step(frame).scans:
            cloud = scan.cloud
            for object_id in np.intersect1d(cloud.object_id, frame.objects.object_id):
                points = cloud.points[cloud.object_id == object_id]
                nearest_m, mean = points["range"].min(), points["reflectivity"].mean()
                print(
                    f"{1e-9 * frame.time_ns:.3f},{scan.sensor},{object_id},"
                    f"{len(points)},{nearest_m:.3f},{mean:.3f}"
                )


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*map(Path, sys.argv[1:]))
