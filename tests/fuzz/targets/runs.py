# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Folders of runs that are read back, exported, and gone on with."""

from importlib.util import find_spec

from osi_lidar import load_config
from osi_lidar.output.stored import open_run
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.messages import framed
from tests.builders.runs import drive, make_run
from tests.builders.worlds import RASTER
from tests.fuzz.target import Target, command

EXPORTS = ["mcap", "ros2", "laz", "semantickitti", "kitti", "parquet", "npy"]
if find_spec("pye57"):
    EXPORTS.append("e57")
CONFIG = f"sensors: [{{name: front, pattern: {RASTER}}}]\n"


def _files(folder):
    paths = [each for each in folder.rglob("*") if each.is_file()]
    return {each.relative_to(folder.parent).as_posix(): each.read_bytes() for each in paths}


def _runs(folder):
    return {"run": _files(make_run(folder))}


def _stopped(folder):
    """Return a run that was stopped before its last message, with what it is made of."""
    inputs = {"drive.osi": framed(drive()), "c.yaml": CONFIG.encode()}
    for name, content in inputs.items():
        (folder / name).write_bytes(content)
    replay(
        FrameSource(folder / "drive.osi"),
        load_config(folder / "c.yaml"),
        folder / "run",
        on_step=lambda progress: progress.frames_read < 2,
    )
    return {"stopped": {**inputs, **_files(folder / "run")}}


def _stored(folder):
    run = open_run(folder / "run")
    return [[each.points() for each in run.scans], list(run.rows)]


def _with(*words):
    def call(folder):
        more = [word for word in words if word.startswith("--")]
        return command(*(word for word in words if word not in more), folder / "run", *more)

    return call


def _view(folder):
    return command("view", folder / "run", "--no-open", "--out", folder / "page.html")


def _export(kind):
    out = "exported.mcap" if kind == "mcap" else "exported"
    one = ("--sensor", "front") if "kitti" in kind else ()

    def call(folder):
        return command("export", kind, folder / "run", "--out", folder / out, *one)

    return call


def _go_on(folder):
    inputs = folder / "drive.osi", "--config", folder / "c.yaml"
    return command("replay", *inputs, "--out", folder / "run", "--resume")


_CHANGED = ("*.json", "*.csv", "*.pcd")
_KINDS = {"seeds": _runs, "changed": _CHANGED}
TARGETS = [
    Target(name="run", call=_stored, **_KINDS),
    Target(name="run-info", call=_with("info", "--json"), **_KINDS),
    Target(name="run-hits", call=_with("materials", "hits"), **_KINDS),
    Target(name="run-view", call=_view, **_KINDS),
    *(Target(name=f"run-export-{kind}", call=_export(kind), **_KINDS) for kind in EXPORTS),
    Target(name="run-resume", seeds=_stopped, call=_go_on, changed=(*_CHANGED, ".osi-lidar.files")),
]
