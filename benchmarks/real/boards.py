# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Edges of boards of known shape, recorded and simulated.

There are three recordings of sensors at rest. Each is found by the name of its folder:

- github.com/acfr/cam_lidar_calibration (Apache-2.0) at 2407114: an OS1-64 of generation 2 with the
  photons of all pixels, and a checkerboard of 850 x 610 mm with 8 x 6 squares of 95 mm, at 3.8 m
  (2022-11-09, six clouds, used for tuning) and at 5.2 m (2022-10-20, four clouds, only reported);
- the same at 65c40c7: a VLP-16, eight poses of a board of that size at 2 to 2.5 m, to which the
  preset's ``walk_residual`` was fitted;
- github.com/PJLab-ADG/SensorsCalibration (Apache-2.0): a Pandar64 and a board of 1.2 x 1.2 m with
  four round holes of 240 mm, 600 mm apart (factory_calib/pattern/round_hole_board.pdf).

Each board is found in its cloud by its size. Its pose is fitted to its squares if the sensor shows
them, and else to its edges. The same board then stands as a mesh before a wall at the recorded
distance, and the preset scans it with ``fidelity: physical``. The same figures are computed for
both clouds.

    python benchmarks/real/boards.py [FOLDER] [--only NAME]

FOLDER, with the folders acfr-os1-64, acfr-vlp16 and pjlab-pandar64-board somewhere in it, is
OSI_LIDAR_DATA by default.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from board_figures import Look, figures, looked_at, reflectivities, wall_behind
from board_poses import Board
from board_scans import Scan, ouster_metadata, read_pixels, read_returns, scan_of_pixels
from board_scenes import Scene, pattern_of, simulated

CHECKERBOARD = Board(size_m=(0.85, 0.61), square_m=0.095, n_squares=(8, 6))
HOLES = Board(
    size_m=(1.2, 1.2), holes_m=tuple((x, y, 0.12) for x in (-0.3, 0.3) for y in (-0.3, 0.3))
)
N_SCANS = 1
"""Simulated scans of each pose."""
STEP_DEG = 0.2
"""Azimuth step between the columns of a VLP-16 and of a Pandar64. [deg]"""


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Point clouds of a sensor before a board: the folder, the files, and the sensor's keys.

    ``white`` is the reflectivity of the board's white parts; None if signals are reflectivities.
    If ``photons`` is True, the clouds have all pixels of an Ouster, with photons as signal.
    """

    name: str
    folder: str
    files: str
    board: Board
    sensor: dict
    white: float | None = None
    photons: bool = False


OS1 = {"preset": "OS1-64-Gen2"}
RECORDINGS = (
    Recording(
        name="OS1-64, 3.8 m", folder="acfr-os1-64", files="2022-11-09*/*.pcd.xz",
        board=CHECKERBOARD, sensor=OS1, white=0.8, photons=True,
    ),
    Recording(
        name="OS1-64, 5.2 m", folder="acfr-os1-64", files="2022-10-20*/*.pcd.xz",
        board=CHECKERBOARD, sensor=OS1, white=0.8, photons=True,
    ),
    Recording(
        name="VLP-16", folder="acfr-vlp16", files="*.pcd.xz",
        board=CHECKERBOARD, sensor={"preset": "VLP-16"},
    ),
    Recording(
        name="Pandar64", folder="pjlab-pandar64-board", files="*.pcd.xz",
        board=HOLES, sensor={"preset": "Pandar64"},
    ),
)  # fmt: skip


def recorded(path: Path, recording: Recording) -> tuple[Scan, dict]:
    """Read a cloud; return its scan, and the keys of a simulated sensor with the same beams."""
    keys = {**recording.sensor, "fidelity": "physical"}
    if not recording.photons:
        return read_returns(path, STEP_DEG), keys
    pixels = read_pixels(path)
    keys["calibration"] = ouster_metadata(pixels)
    return scan_of_pixels(pixels, pattern_of(keys)), keys


def compared(paths: list[Path], recording: Recording) -> tuple[list[Look], list[Look]]:
    """Return the board as found in recorded clouds, and in simulated clouds of the same poses."""
    real, sim = [], []
    for path in paths:
        scan, keys = recorded(path, recording)
        look = looked_at(scan, recording.board)
        real.append(look)
        wall = wall_behind(look)
        share = reflectivities(look, wall, recording.white)
        scans = simulated(keys, Scene(recording.board, look.pose, wall, share), N_SCANS)
        sim += [looked_at(each, recording.board) for each in scans]
    return real, sim


def lines(name: str, real: dict[str, float], sim: dict[str, float]) -> Iterator[str]:
    """Yield the lines of a table: figure, recorded, simulated, ratio."""
    yield f"{name:44s} {'recorded':>9s} {'simulated':>9s} {'ratio':>6s}"
    for title, value in real.items():
        ratio = f"{sim[title] / value:6.2f}" if value and "[mm]" not in title else f"{'':6s}"
        yield f"{title:44s} {value:9.3g} {sim[title]:9.3g} {ratio}".rstrip()


def main() -> None:
    """Print the table of each recording that exists in the folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("OSI_LIDAR_DATA")
    parser.add_argument("folder", type=Path, nargs="?", default=data and Path(data))
    parser.add_argument("--only", help="measure only recordings whose name contains this text")
    arguments = parser.parse_args()
    if arguments.folder is None or not arguments.folder.is_dir():
        sys.exit("expected the folder of the recordings, or OSI_LIDAR_DATA; see --help")
    for recording in RECORDINGS:
        if arguments.only and arguments.only not in recording.name:
            continue
        paths = sorted(arguments.folder.rglob(f"{recording.folder}/{recording.files}"))
        if not paths:
            print(f"{recording.name}: not found in {arguments.folder}\n")
            continue
        real, sim = compared(paths, recording)
        title = f"{recording.name}, {len(paths)} clouds"
        print("\n".join(lines(title, figures(real), figures(sim))) + "\n", flush=True)


if __name__ == "__main__":
    main()
