# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""List the kernels that runs compile, and the types of their arguments: osi_lidar/kernels.json.

    python tools/list_kernels.py            # write the list anew
    python tools/list_kernels.py --check    # exit 1 if a run needs a kernel that the list lacks

Each run is a separate process, and runs twice. The first time compiles and caches kernels, so that
the second time needs only the kernels that Python calls, and not the kernels that these call.
"""

from __future__ import annotations

import argparse
import json
import struct
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from osi3.osi_sensorview_pb2 import SensorView
from PIL import Image
from trimesh import Trimesh
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial

from lidar_base.caches.kernel_list import ListedKernel, list_text, read_list
from osi_bridge import open_trace
from osi_lidar.precompiled import LIST

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).resolve().parents[1]
STREET = REPOSITORY / "scenarios" / "street"
FRAMES = slice(20, 23)
TURN_RAD = 0.2
"""Angle by which all moving objects turn from message to message, so that they move on curves."""
FASTER = 5.0
"""Factor of the objects' stated velocities along x, so that cars throw up spray."""

ABSENT = "absent"
STILL = {"rolling_shutter": False, "motion_blur": False}
CAMERA = {
    "pattern": {"kind": "camera", "width": 48, "height": 32, "horizontal_fov_deg": 43.6},
    "rotation_rate_hz": 25,
    "max_range_m": 20,
    "backfolding": True,
    "preset": ABSENT,
    "columns": ABSENT,
}
NOISE = {
    "range_sigma_m": 0.02,
    "sigma_per_range": 0.0005,
    "sigma_incidence_m": 0.01,
    "reflectivity_table": [[0.05, 0.04], [0.5, 0.01], [2.0, 0.002]],
    "range_bias_sigma_m": 0.01,
    "depth_table": [[0, 0.01, 0.001], [80, 0.05, 0.02]],
    "quantisation_m": 0.004,
    "azimuth_sigma_deg": 0.02,
    "elevation_sigma_deg": 0.01,
    "drop_probability": 0.03,
}
OF_RECEIVER = {"range_sigma_m": 0.01, "azimuth_sigma_deg": 0.01, "quantisation_m": 0.002}
FORMULAS = {"depth_error_m": "0.02*sin(d/3)", "depth_sigma_m": "0.001*d + 0.002"}
BEAM = {"divergence_deg": 0.25, "sub_rays": 32, "refine": True}
RECEIVER = {"false_alarm_probability": 0.01, "signal_spread": 0.2, "saturation": 30}
FILES = {"motion": "both", "ground_truth": True}
WEATHER = {
    "rain_mm_h": 10,
    "snow_mm_h": 1,
    "fog": {"visibility_m": 100},
    "spray": "auto",
    "road_water_mm": 1,
    "dust": [{"center_m": [10, 0, 1], "size_m": [4, 4, 2], "visibility_m": 15}],
}
RUNS = {  # name: changes of the sensor, changes of the output
    "ideal": ({}, {}),
    "ideal at rest": (STILL, {"pcd": "binary_compressed"}),
    "ideal with errors": ({"noise": NOISE}, {"pcd": "ascii", **FILES}),
    "ideal with laplace": ({"noise": {**NOISE, "distribution": "laplace"}}, {"npy": True}),
    "ideal with formulas": ({"noise": FORMULAS, "deskew": True}, {"sensor_data": "mcap"}),
    "ideal with errors as read": ({"noise": {**NOISE, "line_of_sight": "readout"}}, {}),
    "ideal with drops": ({"noise": {"drop_probability": 0.1}}, {"clean": True}),
    "ideal with limits": ({"detection": {"min_reflectivity": "corrected"}}, {}),
    "ideal of a camera": (CAMERA, {"depth": "pfm"}),
    "ideal without a limit": ({"range_limit": None}, {}),
    "ideal with velocity": ({"velocity": True}, {}),
    "physical": ({"fidelity": "physical"}, {}),
    "physical at rest": ({"fidelity": "physical", **STILL}, {"pcd": "binary_compressed"}),
    "physical with errors": (
        {"fidelity": "physical", "noise": OF_RECEIVER},
        {"classification": "truth", **FILES},
    ),
    "physical without a receiver": ({"fidelity": "physical", "receiver": None}, {}),
    "physical with refinement": ({"fidelity": "physical", "beam": BEAM, "receiver": RECEIVER}, {}),
    "physical in the sun": ({"fidelity": "physical", "receiver": {"sun_glare": True}}, {}),
    "physical with velocity": ({"fidelity": "physical", "velocity": True}, {}),
    "physical beams": ({"beam": BEAM, "returns": {"mode": "all", "max": 3}}, {}),
    "physical lines": ({"fidelity": "physical", "beam": {"divergence_deg": 0, "window_m": 0}}, {}),
}
CHILD = """
import json, sys, time
from numba.core.event import Listener, register
from lidar_app.cli.main import main
from lidar_base.caches.kernel_cache import KernelCache
from lidar_base.caches.kernel_list import type_text
from raycore.trace.packet_kernels import packet_lanes

asked, compiling, load, lanes = {}, [], KernelCache.load_overload, len(packet_lanes())

def heard(cache, kinds, context):
    asked.setdefault((cache.name, kinds), 0.0)
    return load(cache, kinds, context)

class Clock(Listener):
    def on_start(self, event):
        compiling.append(time.process_time())

    def on_end(self, event):
        seconds, dispatcher = time.process_time() - compiling.pop(), event.data["dispatcher"]
        if not compiling and isinstance(dispatcher._cache, KernelCache):
            asked[dispatcher._cache.name, event.data["args"]] = seconds

KernelCache.load_overload = heard
register("numba:compile", Clock())
sys.argv[1:], out = sys.argv[2:], sys.argv[1]
try:
    main()
finally:
    rows = [(of[0], [type_text(kind, lanes) for kind in of[1]], s) for of, s in asked.items()]
    with open(out, "w") as file:
        json.dump(rows, file)
"""


def configurations(folder: Path) -> Iterator[tuple[str, Path]]:
    """Write the configuration of each run; yield the name of the run, and the file."""
    usual = yaml.safe_load((STREET / "config.yaml").read_text(encoding="utf-8"))
    mapping = (STREET / "materials.yaml").read_text(encoding="utf-8")
    panes = mapping.replace("Window_Glass: glass\n", "Window_Glass: glass_pane\n")
    (folder / "plain.yaml").write_text(mapping, encoding="utf-8")
    (folder / "panes.yaml").write_text(panes, encoding="utf-8")
    usual["scene"]["search"] = [str(STREET)]
    usual["scene"]["environment"][0]["mesh"] = str(STREET / "street.obj")
    for name, (sensor, output) in RUNS.items():
        merged = {**usual["sensors"][0], "columns": 512, **sensor}
        sensors = [{key: value for key, value in merged.items() if value != ABSENT}]
        for glass in ("plain", "panes"):
            text = {**usual, "sensors": sensors, "output": output}
            text["materials"] = {**usual["materials"], "mapping": f"{glass}.yaml"}
            file = folder / f"{name} {glass}.yaml"
            file.write_text(yaml.safe_dump(text), encoding="utf-8")
            yield name, file
    seen = {**usual["sensors"][0], "columns": 512, "fidelity": "physical"}
    weather = {**text, "sensors": [seen], "weather": WEATHER}
    file = folder / "weather.yaml"
    file.write_text(yaml.safe_dump(weather), encoding="utf-8")
    yield "physical in weather", file
    text["scene"] |= {"images": "base_color", "environment": [{"mesh": str(wall(folder))}]}
    file = folder / "images.yaml"
    file.write_text(yaml.safe_dump(text), encoding="utf-8")
    yield "images", file


def wall(folder: Path) -> Path:
    """Write a mesh of a wall with a base colour image; return the file."""
    image = Image.new("RGB", (2, 2), "white")
    look = TextureVisuals(
        uv=[[0, 0], [1, 0], [1, 1]], material=PBRMaterial(name="Wall", baseColorTexture=image)
    )
    corners = [[-9, 9, 0], [9, 9, 0], [9, 9, 9]]
    path = folder / "wall.glb"
    Trimesh(corners, [[0, 1, 2]], visual=look, process=False).export(path)
    return path


def turning_trace(folder: Path, trace: Path) -> Path:
    """Write some messages of a trace, changed so that all moving objects turn; return the file."""
    turning = folder / "20260101T000000Z_sv_370_3200_3_turning.osi"
    with turning.open("wb") as file:
        messages = islice(open_trace(trace), FRAMES.start, FRAMES.stop)
        for number, message in enumerate(messages):
            view = SensorView.FromString(message.data)
            for each in view.global_ground_truth.moving_object:
                each.base.orientation.yaw += number * TURN_RAD
                each.base.velocity.x *= FASTER
            data = view.SerializeToString()
            file.write(struct.pack("<I", len(data)) + data)
    return turning


def runs(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the command of each run."""
    (trace,) = STREET.glob("*_sv_*.osi")
    out = ["--out", str(folder / "out"), "--overwrite"]
    frames = ["--frames", f"{FRAMES.start}:{FRAMES.stop}"]
    turning = str(turning_trace(folder, trace))
    for name, config in configurations(folder):
        yield name, ["replay", str(trace), "-c", str(config), *out, *frames]
        if name in {"ideal", "physical", "physical in weather"}:
            yield name, ["replay", turning, "-c", str(config), *out]


def asked_by(run: list[str], folder: Path) -> list[tuple[str, list[Any], float]]:
    """Return kernel, argument types and compile time [s] of each kernel that a command needs."""
    found = folder / "asked.json"
    command = [sys.executable, "-c", CHILD, str(found), *run]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(run)}: {done.stderr[-2000:]}")
    return json.loads(found.read_text(encoding="utf-8"))


def listed(folder: Path) -> list[ListedKernel]:
    """Return the kernels that the runs need, those that take longest to compile first."""
    kinds: dict[str, set[str]] = {}
    seconds: dict[str, float] = {}
    for name, run in runs(folder):
        for kernel, arguments, took in asked_by(run, folder):
            seconds[json.dumps([kernel, arguments])] = took
        for kernel, arguments, _ in asked_by(run, folder):
            kinds.setdefault(json.dumps([kernel, arguments]), set()).add(name.split()[0])
    rows = sorted(kinds, key=lambda row: (-round(seconds.get(row, 0.0)), row))
    return [ListedKernel(*json.loads(row), runs=tuple(sorted(kinds[row]))) for row in rows]


def main() -> None:
    """Write the list of kernels, or compare it with the kernels that the runs need."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = listed(Path(folder))
    if not asked.check:
        LIST.write_text(list_text(found), encoding="utf-8")
        return
    known = {each.line() for each in read_list(LIST)}
    absent = [each.line() for each in found if each.line() not in known]
    for line in absent:
        print(f"{LIST.name} lacks {line}")
    sys.exit(1 if absent else 0)


if __name__ == "__main__":
    main()
