# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A run whose parts depend on what came before, and how two runs are compared."""

import json
import os
import signal

from mcap.reader import make_reader

from lidar_base.compiled import LAYERS
from lidar_base.files.own_files import LIST
from osi_bridge import write_trace
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.messages import Thing, host, message
from tests.builders.worlds import config

TRACE = "20260102T030405Z_sv_380_7362_30_two_cars.osi"
PRESET = {
    "preset": "VLP-16",
    "columns": 72,
    "range_limit": None,
    "mounting": {"x_m": 1.2, "z_m": 0.45},
}
GRID = {
    "kind": "grid",
    "horizontal": {"min_deg": -45.0, "max_deg": 45.0, "step_deg": 1.0},
    "vertical": {"min_deg": -15.0, "max_deg": 15.0, "step_deg": 5.0},
}
ROSETTE = {
    "kind": "rosette", "radius_deg": 25.0, "radial_hz": 13.3, "rotation_hz": 1.7, "pulse_hz": 4000.0
}  # fmt: skip
CAMERA = {"kind": "camera", "width": 8, "height": 6, "horizontal_fov_deg": 40.0}
OUTPUT = {
    "depth": "npy", "npy": True, "evd": True, "clean": True, "ground_truth": True, "motion": "both"
}  # fmt: skip
NOISE = {"range_sigma_m": 0.02, "drop_probability": 0.1, "azimuth_sigma_deg": 0.1}
SENSORS = [
    {"name": "front", "pattern": GRID},
    {"name": "noisy", "pattern": GRID, "noise": NOISE},
    {"name": "rosette", "pattern": ROSETTE, "noise": NOISE, "timing": "sensor_rate"},
    {"name": "camera", "pattern": CAMERA},
    {"name": "turning", **PRESET, "deskew": True},
    {"name": "slow", **PRESET, "timing": "sensor_rate", "rotation_rate_hz": 5},
    {"name": "fast", **PRESET, "timing": "sensor_rate", "rotation_rate_hz": 20},
]
FEW = [SENSORS[1], *SENSORS[3:6]]
"""Noise, images, a second folder of clouds, and scans that take two messages."""


def worlds(n=30):
    """Return worlds with motion, rest, an object that comes and goes, and one that jumps."""
    found = []
    for i in range(n):
        drives = 3.0 * min(max(i - 4, 0), 6)  # at rest before frame 4 and after frame 10
        things = [host(x_m=drives), Thing(2, (20.0 + drives + 0.4 * min(i, 20), 1.0, 0.75))]
        if 12 <= i < 23:
            things.append(Thing(3, (15.0 + drives, -4.0, 0.75)))
        if i == 17:
            things.append(Thing(8, (40.0, 6.0, 0.75)))
        found.append(things)
    return found


def write_run(folder, suffix=".osi"):
    """Write a trace with a repeated time, a late message, a pause of two seconds, uneven steps."""
    time_s, messages = 10.0, []
    for i, things in enumerate(worlds()):
        if i == 14:
            time_s += 2.0
        elif i:
            time_s += (0.1, 0.07, 0.13, 0.1)[i % 4] * (i != 19)
        wall = Thing(9, (30.0, 0.0, 1.0), kind="stationary_object")
        seen = things if i else [*things, wall]  # what never moves comes in the first one only
        messages.append(message(seen, time_s=time_s))
        if i == 20:
            messages.append(message([*things, wall], time_s=time_s - 0.03))
    path = folder / TRACE.replace(".osi", suffix)
    write_trace(path, messages, message_type="SensorView")
    return path


def run_config(**sections):
    """Return the configuration of the run: sensors of each timing, kind and error."""
    return config(
        **{
            "sensors": SENSORS,
            "scene": {"ground": "none", "shapes": "box"},
            "seed": 7,
            "output": OUTPUT,
            **sections,
        }
    )


def few_config(**sections):
    """Return that configuration with few of its sensors, where a test is of something else."""
    return run_config(sensors=FEW, **sections)


def replay_until_killed(trace, out, n_frames, kinds):
    """Replay with a kind of trace, and others of their own within it, until all end at once."""
    kind, *others = kinds

    def look(progress):
        if progress.frames_read == n_frames:
            if not others:
                os.kill(os.getpid(), signal.SIGKILL)
            replay_until_killed(trace, out, n_frames, others)
        return True

    chosen = few_config(output={**OUTPUT, "sensor_data": kind})
    replay(FrameSource(trace), chosen, out / kind, go_on=True, on_step=look)


def everything(out):
    """Return all files of a run's folder by name, run.json without what this process did for it."""
    files = {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != LIST
    }
    content = json.loads(files["run.json"])
    assert content.pop("seconds")
    assert content.pop("rays_kept") >= 0
    assert content.pop("threading_layer") in LAYERS
    return {**files, "run.json": content}


def messages_of(path):
    """Return topic, time and bytes of all messages of an MCAP file."""
    with path.open("rb") as stream:
        found = make_reader(stream).iter_messages()
        return [(channel.topic, one.log_time, one.data) for _, channel, one in found]


def assert_alike(out, whole):
    """Assert that two folders hold the same files, byte for byte."""
    got, expected = everything(out), everything(whole)
    assert sorted(got) == sorted(expected)
    differing = [name for name in got if got[name] != expected[name]]
    assert differing == []
