# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Small runs on disk: two sensors on a car that drives past a box, the second frame unchanged."""

import itertools
import shutil

from osi_bridge import open_trace, write_trace
from osi_lidar.run.example_scene import street
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.messages import Thing, host, message
from tests.builders.worlds import config

BOX = 7
"""OSI id of the box."""
GRID = {
    "kind": "grid",
    "horizontal": {"min_deg": -30, "max_deg": 30, "step_deg": 1.0},
    "vertical": {"min_deg": -12, "max_deg": 3, "step_deg": 1.0},
}
"""16 rings of 61 columns."""
SENSORS = (
    {"name": "front", "pattern": GRID, "mounting": {"x_m": 1.0, "z_m": 1.5}},
    {"name": "left", "pattern": GRID, "mounting": {"y_m": 0.8, "z_m": 1.2, "yaw_deg": 90.0}},
)


def drive():
    """Return three messages, 0.1 s apart, of which the second repeats the first."""
    box = Thing(BOX, (12.0, 1.0, 0.75))
    begin = [host(), box]
    return [message(begin, 0.0), message(begin, 0.1), message([host(x_m=0.5), box], 0.2)]


def write_worlds(path, worlds, *, start_s=0.0, step_s=0.1):
    """Write a trace of one message for each list of things; return its path."""
    messages = (message(things, start_s + step_s * n) for n, things in enumerate(worlds))
    write_trace(path, messages, message_type="SensorView")
    return path


def make_run(folder, *, output=None, sensors=SENSORS):
    """Replay the drive into ``folder / "run"``, the trace beside it; return the folder of the run.

    Parameters are the section ``output`` and the sensors of the configuration.
    """
    trace = folder / "drive.osi"
    write_trace(trace, drive(), message_type="SensorView")
    chosen = config(sensors=list(sensors), output=output or {})
    replay(FrameSource(trace), chosen, folder / "run")
    return folder / "run"


def sparse_street(folder):
    """Return the bundled scenario with a sensor of a sixteenth of the beams."""
    whole = street()
    shutil.copytree(whole.trace.parent, folder)
    config = folder / whole.config.name
    text = config.read_text().replace("OS1-128", "OS1-16").replace("1024", "512")
    config.write_text(text)
    return whole._replace(config=config, trace=folder / whole.trace.name)


def short_street(folder):
    """Return the bundled scenario with four of its messages, which a demo replays in a moment."""
    whole = street()
    trace = folder / "20260101T000000Z_sv_380_7362_4_street.osi"
    messages = itertools.islice(open_trace(whole.trace), 4)
    write_trace(trace, [raw.data for raw in messages], message_type="SensorView")
    return whole._replace(trace=trace, picture_frame=0)
