# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A run of which hardly any ray returns a point says so once, and why."""

import pytest

from osi_lidar import load_config
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay, scan
from tests.builders.messages import host
from tests.builders.runs import write_worlds
from tests.builders.worlds import config as config_of
from tests.commands import run

POLE = "v 10 0 0\nv 10 0.05 0\nv 10 0.05 1\nv 10 0 1\nf 1 2 3 4\n"
"""A strip of 5 cm by 1 m, 10 m ahead: 0.3 degrees of 360."""
WALL = "v 10 -9 -9\nv 10 9 -9\nv 10 9 9\nv 10 -9 9\nf 1 2 3 4\n"
NONE = "none: with `ground: auto` an environment mesh brings its own"


def _config(folder, mesh, ground="auto"):
    (folder / "mesh.obj").write_text(mesh)
    config = folder / "config.yaml"
    config.write_text(
        "sensors: [{preset: VLP-16}]\n"
        f"scene: {{environment: [{{mesh: mesh.obj, up: z}}], ground: {ground}}}\n"
    )
    return config


def test_a_mesh_without_a_ground_is_told_with_the_numbers_and_the_key(tmp_path, caplog):
    report = scan(load_config(_config(tmp_path, POLE)), tmp_path / "run")
    (line,) = [each for each in caplog.messages if " rays" in each]
    assert line.startswith(f"{report.record.points} points of 28,928 rays; ground: {NONE}")
    assert "scene.ground takes a height in metres" in line
    assert report.content["ground"].startswith(NONE)


def test_the_warning_of_a_replay_names_its_trace(tmp_path, caplog):
    """A batch or a data set has many."""
    trace = write_worlds(tmp_path / "drive_7.osi", [[host()]])
    replay(FrameSource(trace), config_of(scene={"ground": "none"}), tmp_path / "run")
    (line,) = [each for each in caplog.messages if " rays" in each]
    assert line.startswith("drive_7.osi: 0 points of ")


@pytest.mark.parametrize(("mesh", "ground"), [(WALL, "auto"), (POLE, -1.5)])
def test_nothing_is_said_where_enough_rays_return(tmp_path, caplog, mesh, ground):
    scan(load_config(_config(tmp_path, mesh, ground)), tmp_path / "run")
    assert not [each for each in caplog.messages if " rays" in each]


def test_check_and_summary_tell_what_the_ground_is(tmp_path):
    config = _config(tmp_path, WALL)
    assert NONE[:20] in run("check", "--config", config).output
    assert NONE[:20] in run("scan", "--config", config, "--out", tmp_path / "run").output
    config = _config(tmp_path, WALL, "none")
    assert "none, as scene.ground says" in run("check", "--config", config).output
