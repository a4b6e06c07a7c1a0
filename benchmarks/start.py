# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Time to the first result: imports, meshes, kernels, the command line.

python benchmarks/start.py [--runs N]
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import Row, main, time_row
from scenes import FOLDER, hills, write_obj

from osi_lidar.run.example_scene import street

TITLE = "Start"
ABOUT = """\
Each line is the time of a new process. The mesh is an OBJ file of a million triangles; its time
runs from creating the model to its first scan with a VLP-16, with kernels loaded before. The first
point cloud comes from `osi-lidar replay` with the demo's trace; its time runs from the start of the
process until the file exists. Kernels are compiled once per machine, at their first use: the last
line is the time of a process that finds no compiled kernels and an empty mesh cache."""
N_TRIANGLE = 1_000_000
POLL_S = 0.002
TOO_LONG_S = 600.0

IMPORT = "import time; began = time.perf_counter(); {}; print(time.perf_counter() - began)"
MESH = """
import sys, time
from osi_bridge import empty_frame
from osi_lidar import LidarModel, load_config
warm, config = (load_config(path) for path in sys.argv[1:])
LidarModel(warm).step(empty_frame())
began = time.perf_counter()
LidarModel(config).step(empty_frame())
print(time.perf_counter() - began)
"""


def seconds_printed(code, *arguments, **environment):
    """Run Python code in a new process; return the number that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    return float(done.stdout)


def hills_file(n_triangle):
    """Return the path of an OBJ file of rolling ground, which is written if it does not exist."""
    path = FOLDER / f"hills_{n_triangle}.obj"
    write_obj(path, *hills(n_triangle))
    return path


def mesh_config(folder, mesh):
    """Write a configuration of a VLP-16 over a mesh; return its path."""
    path = folder / f"{mesh.stem}.yaml"
    path.write_text(
        "sensors: [{preset: VLP-16, mounting: {z_m: 1.9}}]\n"
        f"scene: {{environment: [{{mesh: '{mesh}', up: z}}]}}\n",
        encoding="utf-8",
    )
    return path


def first_cloud_s(folder, **environment):
    """Replay the demo in a new process; return the time until the first point cloud exists. [s]"""
    scenario, out = street(), folder / "run"
    command = [sys.executable, "-m", "osi_lidar", "replay", scenario.trace]
    command += ["--config", scenario.config, "--out", out]
    began = time.perf_counter()
    with subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            while not any(out.glob("*/*.pcd")):
                time.sleep(POLL_S)
                waited = time.perf_counter() - began
                if process.poll() is not None or waited > TOO_LONG_S:
                    raise RuntimeError(f"osi-lidar replay has written no cloud in {waited:.0f} s")
            taken = time.perf_counter() - began
        finally:
            process.kill()
    shutil.rmtree(out)
    return taken


def meshes(runs, folder):
    """Return the rows about a mesh that comes from the mesh cache, or is parsed."""
    small, large = (mesh_config(folder, hills_file(n)) for n in (200, N_TRIANGLE))
    caches = {"OSI_LIDAR_CACHE": str(folder / "cache")}
    times = [1e3 * seconds_printed(MESH, small, large, **caches) for _ in range(runs + 1)]
    name = "OBJ of 1 000 000 triangles"
    return [
        time_row(f"{name}, from the cache", times[1:], unit="s", goal=0.5),
        Row(name=f"{name}, read for the first time", value=1e-3 * times[0], unit="s"),
    ]


def measure(runs):
    """Return the rows of this topic's table."""
    imports = {
        "import osi_lidar": ("import osi_lidar", 0.5),
        "from osi_lidar import LidarModel, load_config": (
            "from osi_lidar import LidarModel, load_config",
            None,
        ),
    }
    rows = []
    for name, (code, goal) in imports.items():
        times = [1e3 * seconds_printed(IMPORT.format(code)) for _ in range(runs + 1)][1:]
        rows.append(time_row(f"`{name}`", times, unit="s", goal=goal))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows += meshes(runs, folder)
        times = [1e3 * first_cloud_s(folder) for _ in range(runs + 1)][1:]
        rows.append(
            time_row("`osi-lidar replay` of the demo: first cloud", times, unit="s", goal=2.5)
        )
        empty = {
            "NUMBA_CACHE_DIR": str(folder / "kernels"),
            "OSI_LIDAR_CACHE": str(folder / "none"),
        }
        compiling_s = first_cloud_s(folder, **empty)
    rows.append(Row(name="  the same, compiling the kernels", value=compiling_s, unit="s"))
    return rows


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
