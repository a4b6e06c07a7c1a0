# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Draw what `osi-lidar gap compare` shows of a frame: the bundled street, ideal beside physical.

    python examples/draw_compare.py PICTURE

No recording of a street may be part of the product, so the scan with divergence, noise and weak
echoes (``fidelity: physical``) is taken for the real one.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from lidar_gap.compare import compare
from lidar_gap.compare.frame_picture import frame_picture
from lidar_gap.pairing import Sources, read_pairs
from osi_lidar import FrameSource, LidarModel, load_config
from osi_lidar.clouds.pcd import write_pcd
from osi_lidar.config.fidelity import Fidelity
from osi_lidar.run.example_scene import street

SENSOR, COLUMNS = "OS1-128", 1024


def write_scan(path: Path, fidelity: Fidelity) -> Path:
    """Write the point cloud of the street's frame for pictures, in a fidelity, as PCD."""
    scenario = street()
    config = load_config(scenario.config, fidelity=fidelity)
    model = LidarModel(config, trace_folder=scenario.trace.parent)
    for frame in FrameSource(scenario.trace):
        if frame.index == scenario.picture_frame:
            write_pcd(path, model.step(frame).scans[0].cloud.points)
            break
    return path


def main(picture: Path) -> None:
    """Scan the street with both fidelities, compare the two clouds, and draw the comparison."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        sources = Sources(
            real=write_scan(folder / "stand-in (a physical scan).pcd", "physical"),
            sim=write_scan(folder / "ideal.pcd", "ideal"),
            sensor=SENSOR,
            columns=COLUMNS,
        )
        groups, _ = read_pairs(sources)
    found = compare(groups, with_neighbours=False)
    frame_picture(groups.sim[0], found.kept, found.sim.frames[0], picture)
    with Image.open(picture) as drawn:
        small = drawn.convert("RGB").quantize(method=Image.Quantize.FASTOCTREE)
    small.save(picture, optimize=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
