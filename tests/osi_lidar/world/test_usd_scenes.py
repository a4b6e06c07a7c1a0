# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenUSD files in a scene: scanned like the same shapes in another format, and upright."""

import numpy as np
import pytest

from lidar_app.show.info.mesh import mesh_info
from osi_lidar import LidarModel
from osi_lidar.config import SceneSection, load_config
from osi_lidar.errors import ConfigurationError
from osi_lidar.run.inputs_read import files_read
from osi_lidar.world.assets.resolver import AssetResolver
from raycore.mesh.copies import MeshCopies
from raycore.mesh.loading import load_mesh
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


@pytest.mark.long
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
    with one_line(
        ConfigurationError, f"{place}: up is ", "expected auto: an OpenUSD file states its upAxis"
    ):
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


PUCK = {"name": "s", "preset": "VLP-16", "fidelity": "physical", "columns": 360}


def many_balls(path, n=320):
    """Write balls of two materials around the sensor, turned and stretched: 1.3e6 triangles."""
    rng = np.random.default_rng(3)
    turns = rng.normal(size=(n, 4))
    columns = {
        "positions": rng.uniform((-40, -40, 0), (40, 40, 6), (n, 3)),
        "orientations": turns / np.linalg.norm(turns, axis=1, keepdims=True),
        "scales": rng.uniform(0.5, 3.0, (n, 3)) * rng.choice([-1, 1], (n, 1)),
    }
    kinds = {"positions": "point3f", "orientations": "quath", "scales": "float3"}
    rows = "\n".join(
        f"{kinds[name]}[] {name} = [{', '.join(map(str, map(tuple, each.tolist())))}]"
        for name, each in columns.items()
    )
    balls = "".join(
        f'def Sphere "{name}" {{\nrel material:binding = </Looks/{name}>\n}}\n' for name in "AB"
    )
    looks = "".join(f'def Material "{name}" {{\n}}\n' for name in "AB")
    body = f"""def Scope "Looks" {{
{looks}}}
def PointInstancer "Trees" {{
    rel prototypes = [</Trees/A>, </Trees/B>]
    int[] protoIndices = {rng.integers(0, 2, n).tolist()}
    {rows}
    {balls}
}}
"""
    return written(path, stage(body))


def balls_model(tmp_path, path, sensor):
    mapping = written(tmp_path / "map.yaml", "materials: {A: lambertian_10, B: lambertian_80}\n")
    scene = {"ground": "none", "environment": [{"mesh": str(path)}]}
    sections = {"scene": scene, "materials": {"mapping": str(mapping)}}
    return LidarModel(config(**sections, **({"sensors": [sensor]} if sensor else {})))


@pytest.mark.long
@needs("pxr")
@pytest.mark.parametrize("sensor", [{}, PUCK], ids=["ideal", "physical"])
def test_instances_are_scanned_like_their_triangles_written_out(tmp_path, monkeypatch, sensor):
    path = many_balls(tmp_path / "a.usda")
    message = frames([[host(), ahead(x_m=30.0)]])[0]
    copied = balls_model(tmp_path, path, sensor)
    assert copied.world.library.copies
    got = copied.step(message).scans[0].cloud.points
    monkeypatch.setattr(
        "osi_lidar.world.mesh_library.load_copies",
        lambda path, **more: (MeshCopies(load_mesh(path, **more), np.eye(4)[None]),),
    )
    whole = balls_model(tmp_path, path, sensor)
    assert not whole.world.library.copies
    expected = whole.step(message).scans[0].cloud.points
    assert len(expected) > 1000
    assert files_read(copied) == files_read(whole) == (path,)
    assert len(copied.world.environment.instances) == 320
    surfaces = copied.world.surfaces
    assert len(set(surfaces.whole_of_instance[copied.world.environment.instances].tolist())) == 1
    (one,), (other,) = copied.world.environment.bounded, whole.world.environment.bounded
    assert (one.name, one.n_triangles) == (other.name, other.n_triangles)
    beams = [each["column"].astype(np.int64) * 1000 + each["ring"] for each in (got, expected)]
    both, rows, rows_whole = np.intersect1d(*beams, return_indices=True)
    assert len(both) > 0.999 * max(map(len, beams))
    for axis in "xyz":
        off_m = np.abs(got[axis][rows] - expected[axis][rows_whole])
        assert (off_m < 1e-3).mean() > 0.998
    for name in ("material_id", "object_id"):
        assert (got[name][rows] == expected[name][rows_whole]).mean() > 0.998


@pytest.mark.long
@needs("pxr")
def test_info_counts_the_triangles_that_are_drawn_and_kept(tmp_path):
    info = mesh_info(many_balls(tmp_path / "a.usda"))
    n_of_ball = 3968  # of each of two materials, one is kept
    assert info.facts["triangles"] == 320 * n_of_ball
    assert info.facts["triangles_kept_once"] == 2 * n_of_ball
    assert sum(row["triangles"] for row in info.lists["materials"]) == 320 * n_of_ball
    assert mesh_info(as_usd(tmp_path / "b.usda")).facts["triangles_kept_once"] is None
