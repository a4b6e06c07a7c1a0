# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A street, recorded by a Velodyne HDL-64E on a car: its twin, and the unit's angles.

python benchmarks/real/street.py DATA OUT [--depth 11]      # needs kiss-icp

DATA holds the clouds of src/sensors/data/pcd/data_2 in the repository
github.com/udacity/SFND_Lidar_Obstacle_Detection (no licence file; KITTI raw, CC BY-NC-SA 3.0).
Neither data nor twin may be committed here.

Frames are raw. They hold 64 rings one after the other, each counter-clockwise from straight ahead.
But the head turns clockwise, and a turn begins at the back. The mesh is made from frames 0 to 99
without 50, 55 .. 80, which are reported.
"""

import argparse
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import yaml
from pypcd4 import PointCloud
from scipy.spatial.transform import Rotation

from lidar_gap.records import ScanCloud
from lidar_gap.twin.building import TwinSettings, build, usable
from lidar_gap.twin.carving import Carving
from lidar_gap.twin.files import Product, write_product
from lidar_gap.twin.reflectivity.albedo import ROUGH, SignalLaw
from lidar_gap.twin.registration import Rounds, refined
from osi_lidar.run.pose_files import Poses, write_poses

N_FRAME, N_RING, N_COLUMN, RATE_HZ = 100, 64, 2144, 9.72
REPORTED = range(50, 81, 5)
ROUNDS = Rounds(reach_m=(0.5, 0.3, 0.2), voxel_m=0.08, sample_m=0.25)
_APART_S = 10.0  # between frames in the file of poses: each is a sweep by itself
_ENCODER_DEG = 0.09  # azimuths of this unit are rounded to that
_FITTED_M = (2.0, 60.0)


def raw(data: Path, frame: int) -> np.ndarray:
    """Return x, y, z [m] and intensity of a frame's points, float64 (n, 4), without empty ones."""
    points = PointCloud.from_path(data / f"{frame:010d}.pcd").numpy().astype(np.float64)
    return points[np.abs(points[:, :3]).sum(axis=1) > 0]


def azimuth_and_ring(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return azimuth (0 to 360) [deg] and ring of points; a ring ends where the azimuth wraps."""
    azimuth = np.degrees(np.arctan2(points[:, 1], points[:, 0])) % 360
    ring = np.r_[0, np.cumsum(np.diff(azimuth) < -180)]
    return azimuth, np.minimum(ring, N_RING - 1)


def unit(frames: list[np.ndarray]) -> list[dict[str, float]]:
    """Estimate the angles of the unit's lasers; return them as in Velodyne's calibration files.

    A laser with elevation v and vertical offset V has points on the line
    z = rho tan(v) + V / cos(v), where rho is the horizontal distance. Azimuth offsets can be found
    only modulo the encoder's step.
    """
    lines = np.array([[_line(points, ring) for ring in range(N_RING)] for points in frames])
    slope, height = np.median(lines[:, :, 0], axis=0), np.median(lines[:, :, 1], axis=0)
    phase = np.nanmean(lines[:, :, 2] + 1j * lines[:, :, 3], axis=0)
    elevation = np.arctan(slope)
    return [
        {
            "laser_id": ring,
            "rot_correction": float(np.radians(np.angle(turn) / (2 * np.pi) * _ENCODER_DEG)),
            "vert_correction": float(v),
            "vert_offset_correction": float(np.round(z * np.cos(v), 5)),
            "horiz_offset_correction": 0.0,
            "dist_correction": 0.0,
        }
        for ring, (v, z, turn) in enumerate(zip(elevation, height, phase, strict=True))
    ]


def _line(points: np.ndarray, number: int) -> tuple[float, float, float, float]:
    """Fit z over horizontal distance of a ring; return slope, height [m] and azimuth phase.

    The phase of the azimuths within the encoder's step is a unit vector (two numbers).
    """
    azimuth, ring = azimuth_and_ring(points)
    rho = np.hypot(points[:, 0], points[:, 1])
    chosen = (ring == number) & (rho > _FITTED_M[0]) & (rho < _FITTED_M[1])
    rho, z = rho[chosen], points[chosen, 2]
    weight, line = np.ones(len(rho)), np.zeros(2)
    for _ in range(5):
        equations = np.stack((rho, np.ones(len(rho))), axis=1) * weight[:, None]
        line = np.linalg.lstsq(equations, z * weight, rcond=None)[0]
        weight = 1.0 / (1.0 + ((line[0] * rho + line[1] - z) / 0.003) ** 2)
    far = azimuth[chosen][rho > 3.0]
    turn = np.exp(2j * np.pi * far / _ENCODER_DEG).mean() if len(far) else complex(np.nan)
    return float(line[0]), float(line[1]), float(turn.real), float(turn.imag)


def odometry(frames: list[np.ndarray]) -> np.ndarray:
    """Return poses of the frames from KISS-ICP, float64 (n, 4, 4)."""
    from kiss_icp.config import KISSConfig  # noqa: PLC0415  not a dependency of the project
    from kiss_icp.kiss_icp import KissICP  # noqa: PLC0415

    config = KISSConfig()
    config.data.deskew, config.data.max_range, config.data.min_range = True, 60.0, 3.0
    config.mapping.voxel_size = 0.5
    tracker, poses = KissICP(config), []
    for points in frames:
        tracker.register_frame(points[:, :3], share_of_turn(points))
        poses.append(np.array(tracker.last_pose))
    return np.array(poses)


def share_of_turn(points: np.ndarray) -> np.ndarray:
    """Return the time of each point within the turn: 0 at the beginning, 1 at the end."""
    return 0.5 * (1.0 - np.arctan2(points[:, 1], points[:, 0]) / np.pi)


def motion(poses: np.ndarray, frame: int) -> np.ndarray:
    """Return the motion during a frame, (6,): a rotation vector [rad] and a shift [m]."""
    first, last = max(frame - 1, 0), min(frame + 1, len(poses) - 1)
    between = np.linalg.inv(poses[first]) @ poses[last]
    turn = Rotation.from_matrix(between[:3, :3]).as_rotvec()
    return np.r_[turn, between[:3, 3]] / (last - first)


def at_half_time(points: np.ndarray, moved: np.ndarray) -> ScanCloud:
    """Return a frame with motion compensation: all points seen from the pose at half time."""
    share = (share_of_turn(points) - 0.5)[:, None]
    points_m = Rotation.from_rotvec(share * moved[:3]).apply(points[:, :3]) + share * moved[3:]
    return ScanCloud(
        name="",
        points_m=points_m,
        range_m=np.linalg.norm(points_m, axis=1),
        intensity=points[:, 3].astype(np.float32),
    )


def sweeps(poses: np.ndarray) -> Poses:
    """Return the poses at the beginning and end of each frame, for ``osi-lidar scan --poses``."""
    rows, times = [], []
    for frame, pose in enumerate(poses):
        moved = motion(poses, frame)
        for share in (-0.5, 0.5):
            step = np.eye(4)
            step[:3, :3] = Rotation.from_rotvec(share * moved[:3]).as_matrix()
            step[:3, 3] = share * moved[3:]
            rows.append(pose @ step)
            times.append(_APART_S * frame + (share + 0.5) / RATE_HZ)
    return Poses(
        world_from_sensor=np.array(rows),
        time_s=np.array(times),
        scans=np.tile([False, True], len(poses)),
    )


def of_frames(poses: Poses, frames: Sequence[int]) -> Poses:
    """Return the poses at the beginning and end of only some frames."""
    rows = np.isin(np.arange(len(poses.world_from_sensor)) // 2, frames)
    columns = {
        name: getattr(poses, name)[rows] for name in ("world_from_sensor", "time_s", "scans")
    }
    return Poses(**columns)


def settings(depth: int) -> TwinSettings:
    """Return the settings for building the twin, which the null test uses, too."""
    return TwinSettings(
        min_range_m=3.0,
        max_range_m=40.0,
        voxel_m=0.03,
        albedo_voxel_m=0.12,
        depth=depth,
        rounds=ROUNDS,
        carving=Carving(voxel_m=0.2),
        law=SignalLaw(incidence=ROUGH, range_exponent=0.0, at_most_deg=85.0),
    )


def product() -> Product:
    """Return the twin's signal law, sensor keys and sources, for its files."""
    sensor: dict[str, object] = {
        "preset": "HDL-64E",
        "calibration": "hdl64_unit.yaml",
        "columns": N_COLUMN,
        "rotation_rate_hz": RATE_HZ,
        "min_range_m": 2.5,
        "max_range_m": 80,
        "range_limit": None,
    }
    return Product(white=1.0, law=ROUGH, sensor=sensor, source="intensities of the HDL-64E itself")


def main() -> None:
    """Build the twin."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--depth", type=int, default=11)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    frames = [raw(given.data, frame) for frame in range(N_FRAME)]
    lasers = unit(frames[:50:7])
    (given.out / "hdl64_unit.yaml").write_text(
        yaml.safe_dump({"lasers": lasers, "num_lasers": N_RING}, sort_keys=False)
    )
    poses, chosen = odometry(frames), settings(given.depth)
    in_map = ~np.isin(np.arange(N_FRAME), REPORTED)
    for _ in range(2):  # the second time with sweeps unbent by better poses
        clouds = [at_half_time(each, motion(poses, n)) for n, each in enumerate(frames)]
        points = [each.points_m[usable(each, chosen)] for each in clouds]
        poses = refined(points, poses, in_map, ROUNDS)
    clouds = [at_half_time(each, motion(poses, n)) for n, each in enumerate(frames)]
    twin = build(clouds, poses, replace(chosen, rounds=None), in_map=in_map)
    write_product(given.out / "street_twin.glb", twin, product())
    drive = sweeps(twin.world_from_sensor)
    write_poses(given.out / "street_poses.csv", drive)
    write_poses(given.out / "street_test_poses.csv", of_frames(drive, REPORTED))
    print(twin.counts)


if __name__ == "__main__":
    main()
