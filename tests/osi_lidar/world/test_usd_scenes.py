# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenUSD files in a scene: scanned like the same shapes in another format, and upright."""

import numpy as np
import pytest

from osi_lidar import LidarModel
from osi_lidar.config import SceneSection, load_config
from osi_lidar.errors import ConfigurationError
from osi_lidar.world.assets.resolver import AssetResolver
from tests.builders.extras import needs
from tests.builders.files import written
from tests.builders.messages import ahead, frames, host
from tests.builders.refusals import one_line
from tests.builders.usd import stage
from tests.builders.worlds import config
from tests.commands import assert_one_line, run

SENSOR = "sensors: [{name: s, pattern: {kind: pairs, azimuth_elevation_deg: [[0, 0]]}}]\n"
# A slanted wall and a slab above the ground, in metres with z up.
WALL_M = [[12, -6, 0], [14, 6, 0], [14, 6, 4], [12, -6, 4]]
SLAB_M = [[4, -2, 2], [9, -2, 2], [9, 2, 2], [4, 2, 2]]
CORNERS_M = np.array([*WALL_M, *SLAB_M], np.float64)
QUADS = [[0, 1, 2, 3], [4, 5, 6, 7]]


def as_obj(path):
    rows = [f"v {x} {y} {z}" for x, y, z in CORNERS_M.tolist()]
    rows += ["f " + " ".join(str(each + 1) for each in quad) for quad in QUADS]
    return written(path, "\n".join(rows))


def as_usd(path):
    """Write the same in centimetres with y up, half of it moved by a transform: z is -y there."""
    points = 100.0 * CORNERS_M[:, [0, 2, 1]] * (1, 1, -1) - (300, 0, 0)
    body = f"""def Xform "A" {{
        double3 xformOp:translate = (300, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Mesh "M" {{
            int[] faceVertexCounts = [4, 4]
            int[] faceVertexIndices = {[*QUADS[0], *QUADS[1]]}
            point3f[] points = {[tuple(each) for each in points.tolist()]}
        }}
    }}"""
    return written(path, stage(body, up="Y", unit=0.01))


def points_of(**scene):
    model = LidarModel(
        config(scene={"ground": "none", **scene}, materials={"default": "lambertian_50"})
    )
    (scan,) = model.step(frames([[host(), ahead(x_m=30.0)]])[0]).scans
    cloud = scan.cloud.points
    return np.stack([cloud[axis] for axis in "xyz"], axis=1)


@needs("pxr")
@pytest.mark.parametrize("role", ["environment", "objects"])
def test_a_stage_in_centimetres_is_scanned_like_an_obj_file_in_metres(tmp_path, role):
    clouds = []
    for path in (as_obj(tmp_path / "a.obj"), as_usd(tmp_path / "a.usda")):
        scenes = {
            "environment": [{"mesh": str(path)}],
            "objects": [{"match": {"id": 2}, "mesh": str(path)}],
        }
        clouds.append(points_of(**{role: scenes[role]}))
    assert len(clouds[0]) > 100
    np.testing.assert_allclose(clouds[0], clouds[1], atol=1e-5)


@pytest.mark.parametrize(
    ("scene", "place"),
    [
        ("environment: [{mesh: a.usda, up: y}]", "scene.environment[0]"),
        ("objects: [{match: {id: 1}, mesh: a.usda, up: x, forward: z}]", "scene.objects[0]"),
    ],
)
def test_another_axis_for_a_stage_is_refused(tmp_path, monkeypatch, scene, place):
    monkeypatch.chdir(tmp_path)
    as_usd(tmp_path / "a.usda")
    written(tmp_path / "c.yaml", f"{SENSOR}scene: {{{scene}}}\n")
    with one_line(ConfigurationError, f"{place}: up is ", ", but OpenUSD files state", "auto"):
        load_config("c.yaml")


@needs("pxr")
def test_a_broken_stage_ends_a_command_with_one_line_and_exit_code_2(tmp_path):
    path = written(tmp_path / "a.usda", stage("def Mesh"))
    assert_one_line(run("info", path), 2, f"mesh file {path}: cannot be read as OpenUSD: ")


def test_a_rule_for_several_files_turns_no_stage(tmp_path):
    for name in ("a.obj", "b.usd"):
        (tmp_path / name).touch()
    rule = {"match": {"type": "VEHICLE"}, "up": "y", "forward": "-x"}
    scene = SceneSection.model_validate({"objects": [rule]})
    resolver = AssetResolver(scene, tmp_path)
    found = [
        resolver.resolve(name, "TYPE_VEHICLE", "TYPE_CAR", number)
        for number, name in enumerate(("a.obj", "b.usd"))
    ]
    assert [(each.up, each.forward) for each in found] == [("y", "-x"), ("z", "-x")]
