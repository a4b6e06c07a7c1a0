# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A log of Argoverse 2 through `gap twin --actors` and `replay`: points per actor of a new frame.

python benchmarks/real/actors_chain.py DATA OUT [--leave-out 1]

DATA is as in actors.py, and has ``city_SE3_egovehicle.feather``, too. Clouds, poses and boxes of
the upper lidar are written to OUT, in this lidar's frame, as `gap twin` needs them. The lower lidar
is not used: it hangs upside down, but boxes must be upright. Neither these files nor the twin may
be committed here.
"""

import argparse
import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import yaml
from actors import COLUMNS, LEAST_REAL, LIDARS, Log, mountings, pose_of_row, read_log
from pyarrow import feather

from osi_lidar.clouds.pcd import read_pcd, write_pcd
from osi_lidar.run.pose_files import Poses, write_poses

UPPER = 0  # row of the upper lidar
KINDS = [*((axis, "f4") for axis in "xyz"), ("intensity", "f4"), ("ring", "u2")]
HEADER = ("frame", "id", "class", "x", "y", "z", "length", "width", "height", "yaw")


def vehicle_poses(data: Path, names: list[str]) -> list[np.ndarray]:
    """Return the pose (4, 4) of the vehicle at each sweep, whose name is its time."""
    table = feather.read_table(data / "city_SE3_egovehicle.feather").to_pydict()
    times, found = np.array(table["timestamp_ns"]), []
    for name in names:
        row = int(np.abs(times - int(name)).argmin())
        found.append(pose_of_row(table, row))
    return found


def write_recording(data: Path, log: Log, out: Path) -> None:
    """Write the upper lidar's clouds, poses and boxes, in the frame of this lidar."""
    mounting, rows = mountings(data)[UPPER], [HEADER]
    (out / "clouds").mkdir(parents=True)
    clouds = log.clouds[UPPER :: len(LIDARS)]
    for sweep, cloud in enumerate(clouds):
        points = np.zeros(len(cloud), KINDS)
        points["x"], points["y"], points["z"] = (cloud.points_m @ mounting[:3, :3]).T
        points["intensity"], points["ring"] = cloud.intensity, cloud.ring
        write_pcd(out / "clouds" / f"{cloud.name}.pcd", points)
        for track in log.tracks:
            box = track.boxes.get(len(LIDARS) * sweep + UPPER)
            if box is not None:
                pose = np.linalg.inv(log.turns[UPPER]) @ box.sensor_from_box
                yaw = np.arctan2(pose[1, 0], pose[0, 0])
                named = (cloud.name, track.name, track.category)
                rows.append((*named, *pose[:3, 3].tolist(), *box.size_m.tolist(), float(yaw)))
    poses = vehicle_poses(data, [cloud.name for cloud in clouds])
    write_poses(out / "poses.csv", Poses(world_from_sensor=np.stack(poses) @ mounting))
    with (out / "boxes.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def run(out: Path, *words: object) -> None:
    """Run a command of osi-lidar in a folder."""
    subprocess.run([sys.executable, "-m", "osi_lidar", *map(str, words)], cwd=out, check=True)


def ratios(log: Log, row: int, out: Path) -> np.ndarray:
    """Return, for each actor with a body in a cloud, the ratio of simulated to real points."""
    with (out / "place_actors" / "actors.csv").open() as file:
        made = {each["id"]: each["body"] for each in csv.DictReader(file)}
    cloud = read_pcd(sorted((out / "run" / "lidar").glob("*.pcd"))[row // len(LIDARS)])
    sim = np.stack([cloud[axis] for axis in "xyz"], axis=1) @ log.turns[UPPER][:3, :3].T
    real, found = log.clouds[row].points_m, []
    for track in log.tracks:
        box = track.boxes.get(row)
        if box is not None and made.get(track.name) == "surfels":
            n_real, n_sim = (int(box.inside(each, 0.0).sum()) for each in (real, sim))
            found += [n_sim / n_real] if n_real >= LEAST_REAL else []
    return np.array(found)


def main() -> None:
    """Run the chain and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--leave-out", type=int, choices=(0, 1), default=1)
    chosen = parser.parse_args()
    out, log = chosen.out, read_log(chosen.data)
    write_recording(chosen.data, log, out)
    sensor = ("--sensor", "VLP-32C", "--columns", COLUMNS, "--white", 100, "--max-range", 80)
    build = ("--no-refine", "--no-carve", "--voxel", 0.1, "--leave-out", chosen.leave_out)
    files = ("clouds", "poses.csv", "--actors", "boxes.csv", "--out", "place.glb")
    run(out, "gap", "twin", *files, *sensor, *build)
    config = yaml.safe_load((out / "place.yaml").read_text())
    config["sensors"][0]["range_limit"] = None
    (out / "all.yaml").write_text(yaml.safe_dump(config))
    run(out, "replay", "place_actors.osi", "--config", "all.yaml", "--out", "run")
    ratio = ratios(log, len(LIDARS) * chosen.leave_out + UPPER, out)
    off = 100 * np.abs(ratio - 1)
    print(
        f"actors: {len(ratio)}, median sim/real {np.median(ratio):.3f}, "
        f"median error {np.median(off):.1f} %, MAPE {np.mean(off):.1f} %"
    )


if __name__ == "__main__":
    main()
