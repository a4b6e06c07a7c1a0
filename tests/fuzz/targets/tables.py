# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables: jobs of batches, boxes, trajectories, plans, poses."""

import json

import pyarrow as pa
from pyarrow import parquet

from lidar_app.batch.rows import INDEX_MARK
from lidar_app.batch.table import read_jobs
from osi_lidar.run.pose_files import read_poses
from tests.builders.task_tables import box_rows, plan_rows, trajectory_rows, written
from tests.fuzz.target import Target, command

SUMS = ("frames", "points", "rays", "fallbacks", "seconds")
JOBS = """\
trace,sensor,seed,out,weather.rain_mm_h,scene.ground
a.osi,VLP-16,1,first,4.5,none
b.osi,,2,second,,auto
"""
NAMED = """\
time_s,x_m,y_m,z_m,roll_deg,pitch_deg,yaw_deg,scan
0,0,0,2,0,0,0,1
0.1,1,0,2,0,1,90,0
"""
POSES = {
    "named": NAMED,
    "tum": "0 0 0 2 0 0 0 1\n0.1 1 0 2 0 0 0.7071068 0.7071068\n",
    "kitti": "1 0 0 0 0 1 0 0 0 0 1 2\n",
    "kitti-timed": "0.5 1 0 0 0 0 1 0 0 0 0 1 2\n",
    "matrix": "1 0 0 0\n0 1 0 0\n0 0 1 2\n0 0 0 1\n",
    "quaternion": "x y z qx qy qz qw\n0 0 2 0 0 0 1\n1 0 2 0 0 0.6 0.8\n",
}


def _jobs(folder):
    columns = {"trace": ["a.osi", "b.osi"], "seed": [1, None], "weather.rain_mm_h": [2.0, None]}
    parquet.write_table(pa.table(columns), folder / "jobs.parquet")
    return {
        "csv": {"jobs.csv": JOBS.encode()},
        "parquet": {"jobs.parquet": (folder / "jobs.parquet").read_bytes()},
    }


def _read_jobs(folder):
    (path,) = folder.iterdir()
    return [[each.key, *each[:5]] for each in read_jobs(str(path), str(folder / "out"))]


def _status(folder):
    (path,) = folder.glob("jobs.*")
    return command("batch", path, "--out", folder / "out", "--status")


def _index(folder):
    """Return a table with the mark and the columns of the index of a batch."""
    row = {"number": 1, "trace": "a.osi", "status": "done", "error": "", **dict.fromkeys(SUMS, 2)}
    table = pa.table({name: [each] for name, each in row.items()})
    marked = table.replace_schema_metadata({INDEX_MARK: b"1.0"})
    parquet.write_table(marked, folder / "index.parquet")
    return {"index": {"index.parquet": (folder / "index.parquet").read_bytes()}}


def _look_at_index(folder):
    return command("info", folder / "index.parquet", "--json")


def _tasks(folder):
    boxes = written(folder / "boxes.csv", box_rows()).read_bytes()
    paths = written(folder / "paths.csv", trajectory_rows(aside_m=(3.0, 1.0))).read_bytes()
    plans = written(folder / "plans.csv", plan_rows()).read_bytes()
    rows = {"boxes": box_rows(), "paths": trajectory_rows(aside_m=(3.0, 1.0)), "plans": plan_rows()}
    return {
        "csv": {"boxes.csv": boxes, "paths.csv": paths, "plans.csv": plans},
        "json": {f"{name}.json": json.dumps(each).encode() for name, each in rows.items()},
    }


def _metrics(folder):
    boxes, paths, plans = sorted(folder.iterdir())
    return command(
        *("gap", "metrics", "--json", "--boxes-real", boxes, "--boxes-sim", boxes),
        *("--labels", boxes, "--trajectories-real", paths, "--trajectories-sim", paths),
        *("--plans-real", plans, "--plans-sim", plans),
    )


def _poses(_):
    return {name: {"poses.txt": text.encode()} for name, text in POSES.items()}


def _scan(folder):
    (folder / "c.yaml").write_text(
        "sensors: [{name: s, pattern: {kind: angles, horizontal_deg: [0, 5], vertical_deg: [0]}}]\n"
        "scene: {environment: [{mesh: cube.obj}]}\n"
    )
    from tests.builders.meshes import CUBE

    (folder / "cube.obj").write_text(CUBE)
    poses = ["--poses", folder / "poses.txt", "--out", folder / "out"]
    return command("scan", "--config", folder / "c.yaml", *poses)


TARGETS = [
    Target(name="jobs", seeds=_jobs, call=_read_jobs),
    Target(name="jobs-status", seeds=_jobs, call=_status),
    Target(name="jobs-index", seeds=_index, call=_look_at_index),
    Target(name="tasks", seeds=_tasks, call=_metrics),
    Target(name="poses", seeds=_poses, call=lambda folder: read_poses(folder / "poses.txt")),
    Target(name="poses-scan", seeds=_poses, call=_scan),
]
