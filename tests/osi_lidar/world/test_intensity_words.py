# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What intensities rest on: statements of materials, or guesses, said by a run and by a check."""

import json

import pytest

from osi_bridge.bench import BoxObject as Thing
from tests.builders.meshes import write_quads
from tests.builders.messages import framed, host, message
from tests.builders.worlds import write_config
from tests.commands import run

STATED = "stated: every material (2)"
HALF = "a guess: 1 of 2 materials are not stated; such places are up to 3 times too bright or"
NONE = "a guess: no material is stated; such places are up to 3 times too bright or too dark"
WALLS = {
    name: [[5.0, y, -1.0], [5.0, y + 1.0, -1.0], [5.0, y + 1.0, 1.0], [5.0, y, 1.0]]
    for name, y in (("Wall_7", -1.0), ("Wall_8", 0.0))
}


def walls(folder, materials):
    """Return a configuration with two walls of two visual materials, and some rules for them."""
    mesh = write_quads(folder / "walls.obj", [(quad, name) for name, quad in WALLS.items()])
    scene = {"environment": [{"mesh": str(mesh), "up": "z"}], "ground": "none"}
    (folder / "materials.yaml").write_text(json.dumps({"materials": materials}))
    keys = {"mapping": str(folder / "materials.yaml")} if materials else {}
    return write_config(folder, scene=scene, materials=keys)


@pytest.mark.parametrize(
    ("materials", "words"),
    [
        ({"Wall_7": "concrete", "Wall_8": "concrete"}, STATED),
        ({"Wall_7": "concrete"}, HALF),
        ({}, NONE),
    ],
)
def test_a_run_and_a_check_say_whether_intensity_is_a_guess(tmp_path, materials, words):
    config = walls(tmp_path, materials)
    scan = run("scan", "--config", config, "--out", tmp_path / "run")
    assert scan.exit_code == 0
    told = json.loads((tmp_path / "run" / "run.json").read_text())["intensity"]
    assert told.startswith(words)
    assert ("Intensity" in scan.output) == (words != STATED)
    checked = run("check", "--config", config)
    assert words in " ".join(checked.output.replace("│", " ").split())


def test_materials_of_built_in_shapes_are_stated(tmp_path):
    trace = tmp_path / "trace.osi"
    trace.write_bytes(framed([message([host(), Thing(2, (15.0, 0.0, 0.75))])]))
    config, out = write_config(tmp_path, scene={"shapes": "auto"}), tmp_path / "run"
    assert run("replay", trace, "--config", config, "--out", out).exit_code == 0
    told = json.loads((tmp_path / "run" / "run.json").read_text())
    assert told["intensity"].startswith("stated: every material")
    assert {each["rule"] for each in told["mapping"]} == {"built-in"}
