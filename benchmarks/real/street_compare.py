# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The street of street.py: ranges and strengths of an HDL-64E on a car, how far it sees a road.

python benchmarks/real/street_compare.py DATA OUT        # after: street.py DATA OUT

DATA is the folder pcd of the repository that street.py names. The twin is built from its data_2;
the road is the motorway of data_1. Frames 50, 55 .. 80 of data_2 and every second cloud of data_1
are reported. The spread of the preset's signal was fitted to the other clouds of data_1.
"""

import argparse
import shutil
from pathlib import Path

import numpy as np
from strength import compared
from unit import LASERS, write_lasers

from lidar_gap.layout import Layout, sensor_layout
from lidar_gap.metrics.ranges import range_errors
from lidar_gap.reading import read_clouds
from lidar_gap.records import ScanCloud
from lidar_gap.rings import range_image
from osi_lidar.config import load_config
from osi_lidar.run.replay import scan

REPORTED = range(50, 81, 5)
FARTHEST_M = 40.0
SAME_M = 0.5  # farther apart, pixels show something else
PERCENT = 100.0
SENSOR = """
version: 1
sensors: [{{name: lidar, preset: HDL-64E, {keys} min_range_m: 2.5, columns: 2144,
            rotation_rate_hz: 9.72}}]
"""
TWIN = """
scene: {environment: [{mesh: street_twin.glb, up: z, forward: x}]}
poses: street_test_poses.csv
materials: {mapping: street_twin.materials.yaml}
"""
UNIT, CALIBRATED = "calibration: hdl64_unit.yaml,", f"calibration: {LASERS},"
TO_CALIBRATE = range(5)
KINDS = {
    "unit's angles": f"{UNIT} range_limit: null,",
    "unit's angles, at an instant": f"{UNIT} range_limit: null, rolling_shutter: false,",
    "angles by calibrate": f"{CALIBRATED} range_limit: null,",
    "preset": "range_limit: null,",
    "unit's angles, physical": f"{UNIT} fidelity: physical,",
    "preset, physical": "fidelity: physical,",
}
ROAD = "v {0} {0} 0\nv -{0} {0} 0\nv -{0} -{0} 0\nv {0} -{0} 0\nusemtl road\nf 1 2 3 4\n"
ON_ROAD = """
scene: {environment: [{mesh: road.obj, up: z, forward: x}]}
materials: {default: asphalt_worn}
"""
LANE_M, HEIGHT_M = 3.0, 1.73  # half width of what is road for sure; height of the sensor's base
DISTANCE_M = np.array([15, 25, 35, 45, 55, 65, 85])
N_ROAD = 20  # roads that are drawn: textures and pulses
NEARER = 0.85  # share of the road's range from which on a return is the road's


def images(config: Path, out: Path, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Scan with a configuration; return ranges [m] and reflectivities (0 to 1, as the maker's).

    Both are (n_frame, n_ring, n_column).
    """
    folder = out / "street_scan"
    scan(load_config(config), folder, overwrite=True)
    clouds = [each.from_origin() for each in read_clouds(folder / "lidar")]
    shutil.rmtree(folder)
    ranges, strengths = both_of(clouds, layout)
    return ranges, strengths / PERCENT


def both_of(clouds: list[ScanCloud], layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Return ranges [m] and intensities of clouds, each (n_cloud, n_ring, n_column)."""
    ranges, strengths = [], []
    for each in clouds:
        image = range_image(each, layout)
        strength = np.full(image.range_m.shape, np.nan)
        strength[image.returned] = each.intensity[image.point[image.returned]]
        ranges.append(image.range_m)
        strengths.append(strength)
    return np.stack(ranges), np.stack(strengths)


def within(image_m: np.ndarray) -> np.ndarray:
    """Return a range image in which ranges beyond the twin's extent are NaN."""
    return np.where(image_m < FARTHEST_M, image_m, np.nan)


def road_shares(image_m: np.ndarray, plane: np.ndarray, layout: Layout) -> np.ndarray:
    """Return the numbers of beams that meet the road ahead, and that return from it.

    The result is (2, n_bin), by distance. Beams are left out if their column has a return that is
    nearer than the road: it may hide the road.
    """
    elevation = np.radians(layout.elevation_deg)[:, None]
    azimuth = np.radians(layout.first_azimuth_deg + layout.step_deg * np.arange(layout.n_column))
    x, y = np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth)
    down = np.sin(elevation) - plane[0] * x - plane[1] * y
    with np.errstate(divide="ignore"):
        road_m = np.where(down < 0, (plane[2] - layout.origin_m[:, 2:]) / down, np.nan)
    ahead_m, aside_m = road_m * x, road_m * y
    nearer = image_m < NEARER * road_m
    hidden_m = np.where(nearer, image_m, np.inf).min(axis=0)
    asked = (np.abs(aside_m) < LANE_M) & (ahead_m > 0) & (road_m < hidden_m)
    back = asked & (np.abs(image_m - road_m) < (1 - NEARER) * road_m)
    return np.stack([np.histogram(ahead_m[each], DISTANCE_M)[0] for each in (asked, back)])


def road_plane(cloud: ScanCloud) -> np.ndarray:
    """Fit the road around the car to z = a x + b y + c; return a, b, c."""
    x, y, z = cloud.points_m.T
    near = (np.abs(y) < 4) & (x > 4) & (x < 25) & (z > -2.4) & (z < -1.2)
    terms, height = np.c_[x, y, np.ones(len(x))][near], z[near]
    kept = np.ones(len(height), dtype=bool)
    for _ in range(8):
        plane = np.linalg.lstsq(terms[kept], height[kept], rcond=None)[0]
        kept = np.abs(height - terms @ plane) < 0.06
    return plane


def ranges(data: Path, out: Path) -> None:
    """Print the errors of simulated ranges, and how reflectivities agree with the recording."""
    path = out / "street_compare.yaml"
    path.write_text(SENSOR.format(keys=UNIT) + TWIN)
    layout = sensor_layout(load_config(path).sensors[0])
    files = sorted((data / "data_2").glob("*.pcd"))
    write_lasers([read_clouds(files[frame])[0] for frame in TO_CALIBRATE], "HDL-64E", out)
    clouds = [read_clouds(files[frame])[0] for frame in REPORTED]
    real_m, real = both_of(clouds, layout)
    for kind, keys in KINDS.items():
        path.write_text(SENSOR.format(keys=keys) + TWIN)
        sim_m, sim = images(path, out, layout)
        errors = range_errors(within(real_m), within(sim_m))
        print(f"{kind:32} median {1e3 * errors.median_m:.1f} mm  MAE {1e3 * errors.mae_m:.0f} mm")
        same = (real_m < FARTHEST_M) & (np.abs(sim_m - real_m) < SAME_M)
        print(f"{kind:32} reflectivity: {compared(real, sim, same)}")


def road(data: Path, out: Path) -> None:
    """Print the share of beams meeting the road ahead that return from it, real and simulated."""
    path = out / "street_road.yaml"
    keys = f"fidelity: physical, mounting: {{z_m: {HEIGHT_M}}},"
    (out / "road.obj").write_text(ROAD.format(400))
    flat, sim = np.array([0.0, 0.0, -HEIGHT_M]), np.zeros((2, len(DISTANCE_M) - 1))
    for seed in range(N_ROAD):
        path.write_text(f"{SENSOR.format(keys=keys)}{ON_ROAD}seed: {seed}\n")
        layout = sensor_layout(load_config(path).sensors[0])
        sim += sum(road_shares(each, flat, layout) for each in images(path, out, layout)[0])
    real = np.zeros_like(sim)
    for file in sorted((data / "data_1").glob("*.pcd"))[1::2]:
        cloud = read_clouds(file)[0]
        real += road_shares(range_image(cloud, layout).range_m, road_plane(cloud), layout)
    for low, high, real_n, sim_n in zip(
        DISTANCE_M[:-1], DISTANCE_M[1:], real.T, sim.T, strict=True
    ):
        print(
            f"road {low} to {high} m: returns real {real_n[1] / real_n[0]:.2f} of {real_n[0]:.0f} "
            f"beams, model {sim_n[1] / sim_n[0]:.2f}"
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    ranges(given.data, given.out)
    road(given.data, given.out)


if __name__ == "__main__":
    main()
