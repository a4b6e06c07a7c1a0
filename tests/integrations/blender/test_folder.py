# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The folder of a scene: what is ours is replaced, what is not is refused."""

import json

import numpy as np
import pytest

from osi_lidar.config import load_config
from tests.builders.blender_extension import part

folder, errors, glb = part("folder"), part("errors"), part("glb")
SETTINGS = {"preset": "VLP-16", "columns": 0, "fidelity": "ideal", "patterns": False, "mapping": ""}


def triangle():
    points = np.eye(3, dtype=np.float32)
    return glb.Surface(points, np.arange(3, dtype=np.uint32)[None], np.zeros(1, np.int32),
                       (glb.Look("Paint"),))  # fmt: skip


def test_equal_meshes_are_one_file(tmp_path):
    scene = folder.SceneFolder(tmp_path / "scene")
    references = {scene.store_mesh("Räder/1", triangle()) for _ in range(3)}
    (reference,) = references
    assert reference.startswith("meshes/R_der_1-")
    assert [file.name for file in (tmp_path / "scene" / "meshes").iterdir()] == [reference[7:]]


def test_an_earlier_export_is_replaced(tmp_path):
    scene = folder.SceneFolder(tmp_path)
    scene.store_mesh("old", triangle())
    scene.describe({})
    (tmp_path / "meshes" / "notes.txt").write_text("mine")
    folder.SceneFolder(tmp_path)
    assert [file.name for file in (tmp_path / "meshes").iterdir()] == ["notes.txt"]


def test_the_names_of_a_description_do_not_lead_out_of_the_folder(tmp_path):
    (tmp_path / "scene").mkdir()
    (tmp_path / "diary.txt").write_text("mine")
    named = {"format": folder.FORMAT, "meshes": ["../../diary.txt", 3, "../scene.json"]}
    (tmp_path / "scene" / "scene.json").write_text(json.dumps(named))
    folder.SceneFolder(tmp_path / "scene")
    assert (tmp_path / "diary.txt").read_text() == "mine"


@pytest.mark.parametrize("content", ["", "[]", '{"format": "other"}'])
def test_a_folder_of_others_is_refused_in_one_line(tmp_path, content):
    (tmp_path / "scene.json").write_text(content)
    with pytest.raises(errors.SceneError) as caught:
        folder.SceneFolder(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: contains other files, expected an empty folder or an earlier export"
    )


def test_a_folder_below_a_file_is_refused_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(errors.SceneError, match="cannot be written"):
        folder.SceneFolder(tmp_path / "file" / "scene")


@pytest.mark.parametrize(
    "other",
    [{}, {"preset": "OS1-64", "columns": 512}, {"fidelity": "physical", "patterns": True}],
)
def test_the_configuration_is_one_of_osi_lidar(tmp_path, other):
    file = tmp_path / "lidar.yaml"
    file.write_text(json.dumps(folder.configuration(**SETTINGS | other)))
    (sensor,) = load_config(file).sensors
    assert sensor.preset == (SETTINGS | other)["preset"]
    mounting = sensor.mounting
    assert (mounting.x_m, mounting.y_m, mounting.z_m) == (0.0, 0.0, 0.0)
