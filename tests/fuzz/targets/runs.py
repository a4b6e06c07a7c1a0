# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Folders of runs that are read back."""

from osi_lidar.output.stored import open_run
from tests.builders.runs import make_run
from tests.fuzz.target import Target, command


def _runs(folder):
    run = make_run(folder)
    paths = [each for each in run.rglob("*") if each.is_file()]
    return {"run": {f"run/{p.relative_to(run).as_posix()}": p.read_bytes() for p in paths}}


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


_KINDS = {"seeds": _runs, "changed": ("*.json", "*.csv", "*.pcd")}
TARGETS = [
    Target(name="run", call=_stored, **_KINDS),
    Target(name="run-info", call=_with("info", "--json"), **_KINDS),
    Target(name="run-hits", call=_with("materials", "hits"), **_KINDS),
    Target(name="run-view", call=_view, **_KINDS),
]
