# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A hall, recorded by an Ouster OS0-64: its twin, and the unit's beam table.

python benchmarks/real/hall.py DATA OUT twin [--depth 11]
python benchmarks/real/hall.py DATA OUT null                # the null test; after twin

DATA holds full0.pcd .. full176.pcd and alidarPose.csv of datas/benchmark_realworld in the
repository github.com/hku-mars/BALM (GPL-2.0; recorded for the Hilti SLAM Challenge 2021, whose own
terms were not read). Neither data nor twin may be committed here.

The sensor stands still in frames 0 to 21. The mesh is made from the moving frames from 24 on, but
not from every fifth from 30 on. So frames 0 to 11 can be reported, and 12 to 21 used for tuning.
"""

import argparse
import json
import logging
from pathlib import Path

import numpy as np
import yaml
from pypcd4 import PointCloud

from lidar_gap.layout import sensor_layout
from lidar_gap.records import ScanCloud
from lidar_gap.twin.building import TwinSettings, build
from lidar_gap.twin.files import Product, write_product
from lidar_gap.twin.null_test import make_folders, null_test
from lidar_gap.twin.reflectivity.albedo import ROUGH
from lidar_gap.twin.reflectivity.known_law import law_of
from osi_lidar import load_config
from osi_lidar.config import Sensor
from osi_lidar.run.pose_files import read_poses

N_FRAME, N_RING, N_COLUMN = 177, 64, 2048
REPORTED = slice(0, 12)
METADATA = "os0_64.json"
NULL = "null"  # folder of the clouds of the null test
BEAM_RADIUS_M, OPTICS_HEIGHT_M = 0.02767, 0.03618  # Ouster's figures of the OS0; fit best
WHITE = 12500.0  # photons of a white target at 1 m: light walls of the hall then reflect 0.8
THRESHOLD = 8.0  # photons at which half of the returns are missing
NEAR_FIELD = ((2.25, 0.22), (3.25, 0.77), (4.0, 1.0))  # signal over i r^2, of these clouds
_STEP_DEG = 360 / N_COLUMN
_LEAST_PAIRS = 15


def in_map() -> np.ndarray:
    """Return the mask of the frames from which the mesh is made, bool (n_frame,)."""
    frame = np.arange(N_FRAME)
    return (frame >= 24) & ~((frame >= 30) & (frame % 5 == 0))


def cloud(data: Path, frame: int) -> ScanCloud:
    """Read a frame; its ``signal`` is the number of photons."""
    points = PointCloud.from_path(data / f"full{frame}.pcd").pc_data
    points_m = np.stack([points[axis] for axis in "xyz"], axis=1).astype(np.float64)
    return ScanCloud(
        name=f"full{frame}",
        points_m=points_m,
        range_m=np.linalg.norm(points_m, axis=1),
        signal=points["intensity"].astype(np.float32),
    )


def beam_table(points_m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return elevation and azimuth offset of each laser, top first, from a cloud at rest [deg].

    Elevations, seen from where the beams leave the head, form 64 clusters. Points are in the order
    of firing, so neighbours in the file differ in azimuth as their lasers do. Least squares
    combines all pairs of lasers. The grid of columns gives the fraction of a step.
    """
    seen = points_m - [0.0, 0.0, OPTICS_HEIGHT_M]
    elevation = np.degrees(np.arctan2(seen[:, 2], np.hypot(seen[:, 0], seen[:, 1]) - BEAM_RADIUS_M))
    azimuth = np.degrees(np.arctan2(seen[:, 1], seen[:, 0]))
    ring = _heaps(elevation)
    offset = _offsets(ring, azimuth)
    phase = np.array([_mean_angle(azimuth[ring == row], _STEP_DEG) for row in range(N_RING)])
    offset += _mean_angle(phase - offset, _STEP_DEG)  # all together, then each by itself
    offset += (phase - offset + _STEP_DEG / 2) % _STEP_DEG - _STEP_DEG / 2
    return np.array([np.median(elevation[ring == row]) for row in range(N_RING)]), offset


def _heaps(elevation_deg: np.ndarray) -> np.ndarray:
    """Return the ring of each point, from the clusters of elevations; 0: top, -1: no cluster."""
    order = np.argsort(elevation_deg)
    heap = np.empty(len(order), dtype=np.int64)
    heap[order] = np.r_[0, np.cumsum(np.diff(elevation_deg[order]) > 0.08)]
    count = np.bincount(heap)
    rings = np.full(len(count), -1)
    kept = np.flatnonzero(count > 20)
    if len(kept) != N_RING:
        raise SystemExit(f"found {len(kept)} rings, expected {N_RING}")
    rings[kept[::-1]] = np.arange(N_RING)
    return rings[heap]


def _offsets(ring: np.ndarray, azimuth_deg: np.ndarray) -> np.ndarray:
    """Return the azimuth of each laser relative to the mean of all lasers [deg]."""
    step = (np.diff(azimuth_deg) + 180) % 360 - 180
    pair = ring[:-1] * N_RING + ring[1:]
    pair[(ring[:-1] < 0) | (ring[1:] < 0) | (ring[:-1] == ring[1:])] = -1
    rows, values, weights = [], [], []
    for number in np.flatnonzero(np.bincount(pair[pair >= 0]) > _LEAST_PAIRS):
        chosen = step[pair == number]
        row = np.zeros(N_RING)
        row[number % N_RING], row[number // N_RING] = 1.0, -1.0
        rows.append(row)
        values.append(np.median(chosen))
        weights.append(np.sqrt(len(chosen)))
    weight = np.array([*weights, 1.0])
    equations = np.array([*rows, np.ones(N_RING)]) * weight[:, None]
    return np.linalg.lstsq(equations, np.array([*values, 0.0]) * weight, rcond=None)[0]


def _mean_angle(angle_deg: np.ndarray, period_deg: float) -> float:
    turn = np.exp(2j * np.pi * angle_deg / period_deg).mean()
    return float(np.angle(turn) / (2 * np.pi) * period_deg)


def write_metadata(path: Path, elevation_deg: np.ndarray, offset_deg: np.ndarray) -> None:
    """Write the beam table as the metadata that an Ouster sensor reports."""
    metadata = {
        "sensor_info": {"prod_line": "OS-0-64"},
        "beam_intrinsics": {
            "beam_altitude_angles": np.round(elevation_deg, 4).tolist(),
            "beam_azimuth_angles": np.round(-offset_deg, 4).tolist(),
            "lidar_origin_to_beam_origin_mm": 1e3 * BEAM_RADIUS_M,
        },
        "config_params": {"lidar_mode": f"{N_COLUMN}x10"},
    }
    path.write_text(json.dumps(metadata, indent=1))


def settings(depth: int, out: Path) -> TwinSettings:
    """Return the settings for building the twin, which the null test uses, too."""
    unit = {"preset": "OS0-64", "columns": N_COLUMN, "calibration": str(out / METADATA)}
    layout = sensor_layout(Sensor.model_validate(unit))
    return TwinSettings(depth=depth, law=law_of("OS0-64"), beams=layout)


def product() -> Product:
    """Return the twin's signal law, sensor keys and sources, for its files."""
    return Product(
        white=WHITE,
        law=ROUGH,
        sensor={
            "calibration": METADATA,
            "wavelength_nm": 865,
            "min_range_m": 0.3,
            "max_range_m": 60,
            "range_limit": None,
        },
        wavelength_nm=865.0,
        source="photons of the OS0-64's own returns, in other frames",
    )


def write_limited(config: Path) -> None:
    """Write a copy of a configuration, with a range limit at which ``THRESHOLD`` photons return."""
    content = yaml.safe_load(config.read_text())
    pairs = [[r, float(np.sqrt(0.01 * r * WHITE / THRESHOLD))] for r in (10, 80)]
    content["sensors"][0]["range_limit"] = {"pairs": pairs, "fit": "root2"}
    config.with_name("hall_twin_limit8.yaml").write_text(yaml.safe_dump(content, sort_keys=False))


def rebuilt(out: Path, depth: int) -> None:
    """Run the null test of the twin at the reported frames; print it, and write its clouds."""
    poses = read_poses(out / "hall_twin.poses.csv").world_from_sensor
    make_folders(out / NULL)
    found = null_test(
        load_config(out / "hall_twin.yaml"),
        poses[in_map()],
        poses[REPORTED],
        settings(depth, out),
        out / NULL,
    )
    print(
        f"median {1e3 * found.median_m:.1f} mm, MAE {1e3 * found.mae_m:.0f} mm, IoU {found.iou:.3f}"
    )


def main() -> None:
    """Build the twin, or run its null test: the error of rebuilding a twin from its own clouds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("stage", choices=("twin", "null"))
    parser.add_argument("--depth", type=int, default=11)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    if given.stage == "null":
        rebuilt(given.out, given.depth)
        return
    clouds = [cloud(given.data, frame) for frame in range(N_FRAME)]
    write_metadata(given.out / METADATA, *beam_table(clouds[0].points_m))
    poses = read_poses(given.data / "alidarPose.csv").world_from_sensor
    twin = build(clouds, poses, settings(given.depth, given.out), in_map=in_map())
    write_limited(write_product(given.out / "hall_twin.glb", twin, product()))
    print(twin.counts)


if __name__ == "__main__":
    main()
