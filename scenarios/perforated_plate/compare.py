# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scan the perforated plate, and compare each range with the true range from a formula.

    python compare.py [CONFIG]        (default: config.yaml beside this script)

Prints the mean absolute difference of ranges for every sensor, and for VEROSIM's experiment.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from make_plate import HERE, HOLES, PITCH_MM, RADIUS_MM, THICKNESS_MM, WALL_MM, hole_centres_mm
from numpy.typing import NDArray

from osi_bridge import empty_frame
from osi_lidar import LidarModel, load_config

PLATE_M = 1.75  # distance of the plate's front, along x
PAPER_M, PAPER_SHARE = 0.0007, 0.0004  # mean of |simulated - real|, and as a fraction of the range
RIM_M = 0.02  # a difference above this is another surface, not noise

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """Differences between the ranges of a scan and the true ranges.

    Attributes
    ----------
    sensor : str
        Name of the sensor.
    n_beams, n_points : int
        Number of beams, and number of points.
    n_through : int
        Number of beams that truly hit the wall, through a hole or past the plate.
    n_rim : int
        Number of points on a wrong surface, because the holes of the mesh are not quite round.
    mean_m : float
        Mean absolute difference of range, over the points on the true surface. [m]
    mean_with_rim_m : float
        Mean absolute difference of range, over all points. [m]
    """

    sensor: str
    n_beams: int
    n_points: int
    n_through: int
    n_rim: int
    mean_m: float
    mean_with_rim_m: float


def true_range_m(direction: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return the true range of each beam [m], and whether the beam hits the wall behind the plate.

    A beam passes the plate, hits its front, or enters a hole. In a hole, the beam hits the side of
    the hole if it is outside the hole's circle at the plate's back; otherwise it hits the wall.
    ``direction`` has a unit vector for each beam, (n, 3).
    """
    beam = direction / direction[:, :1]  # one metre along x
    front, back = PLATE_M, PLATE_M + THICKNESS_MM / 1000
    half = np.array(HOLES) * PITCH_MM / 2000
    centre = hole_centres_mm()[_nearest_hole(front * beam[:, 1:])] / 1000
    radius = RADIUS_MM / 1000
    beside = (np.abs(front * beam[:, 1:]) > half).any(axis=1)
    in_mouth = np.linalg.norm(front * beam[:, 1:] - centre, axis=1) < radius
    leaves = np.linalg.norm(back * beam[:, 1:] - centre, axis=1) < radius
    depth = np.where(in_mouth, _bore_depth_m(beam, centre, radius), front)
    on_wall = beside | (in_mouth & leaves)
    depth[on_wall] = PLATE_M + WALL_MM / 1000
    range_m: Array = depth * np.linalg.norm(beam, axis=1)
    return range_m, on_wall


def _nearest_hole(place_m: Array) -> NDArray[np.int64]:
    """Return the index of the hole nearest to each place (n, 2)."""
    along_y, along_z = (
        np.clip(np.rint(place_m[:, axis] * 1000 / PITCH_MM + (n - 1) / 2), 0, n - 1).astype(int)
        for axis, n in enumerate(HOLES)
    )
    cell: NDArray[np.int64] = along_z * HOLES[0] + along_y
    return cell


def _bore_depth_m(beam: Array, centre: Array, radius: float) -> Array:
    """Return the x at which beams (1, y, z) hit cylinders along x from inside [m].

    At this x, the distance of x (y, z) from the cylinder's centre equals its radius.
    """
    a = (beam[:, 1:] ** 2).sum(axis=1)
    b = (beam[:, 1:] * centre).sum(axis=1)
    c = (centre**2).sum(axis=1) - radius**2
    with np.errstate(invalid="ignore", divide="ignore"):
        depth: Array = (b + np.sqrt(b * b - a * c)) / a
    return depth


def compare(config_file: Path) -> list[Comparison]:
    """Scan the plate once with every sensor of a configuration."""
    model = LidarModel(load_config(config_file))
    scans = model.step(empty_frame()).scans
    return [
        _compared(scan.sensor, lidar.pattern.direction, scan.cloud.beam, scan.cloud.points["range"])
        for lidar, scan in zip(model.lidars, scans, strict=True)
    ]


def _compared(
    sensor: str,
    direction: NDArray[np.float32],
    beam: NDArray[np.uint32],
    range_m: NDArray[np.float32],
) -> Comparison:
    truth_m, on_wall = true_range_m(direction.astype(np.float64))
    difference = np.abs(range_m - truth_m[beam])
    same = difference < RIM_M
    return Comparison(
        sensor=sensor,
        n_beams=len(direction),
        n_points=len(range_m),
        n_through=int(on_wall.sum()),
        n_rim=int((~same).sum()),
        mean_m=float(difference[same].mean()),
        mean_with_rim_m=float(difference.mean()),
    )


def main(config_file: Path) -> None:
    """Print one line for each sensor, and one for the paper."""
    print("mean absolute difference of range")
    for one in compare(config_file):
        name = one.sensor + ", scanned - true:"
        print(
            f"  {name:26} {one.mean_m:.2e} m ({one.mean_m / PLATE_M:.1e} of {PLATE_M} m); "
            f"{one.n_points} points of {one.n_beams} beams, {one.n_through} past the plate; "
            f"with {one.n_rim} points at rims of holes {one.mean_with_rim_m:.2e} m"
        )
    print(f"  {'paper, simulated - real:':26} {PAPER_M:.2e} m ({PAPER_SHARE:.1e})")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "config.yaml")
