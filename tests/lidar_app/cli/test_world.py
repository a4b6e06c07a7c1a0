# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands world and shapes: what they write is read again, and carries its materials."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lidar_app.show.check import Replaced, check
from osi_bridge import FrameDecoder
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.config import load_config
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.world.materials import material_resolver
from osi_lidar.world.world import World
from raycore.mesh.loading import load_mesh
from tests.builders.messages import framed
from tests.commands import assert_one_line, run
from tests.lidar_scenery.roads.opendrive.small_maps import lane, road, section, written
from tests.osi_lidar.world.test_road_world import _truth


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "trace.osi"
    path.write_bytes(framed([_truth().SerializeToString()]))
    return path


def _area_m2(mesh, name):
    corners = mesh.vertices_m.astype(np.float64)[
        mesh.faces[mesh.slot == mesh.slot_names.index(name)]
    ]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()


@pytest.mark.parametrize("suffix", ["glb", "obj"])
def test_the_world_of_a_trace_is_a_mesh_that_a_later_run_reads_with_the_same_materials(
    trace, suffix
):
    out = trace.with_name(f"scene.{suffix}")
    result = run("world", trace, "--out", out)
    assert result.exit_code == 0, result.output
    assert "roads from the trace's lanes" in result.output
    mesh = load_mesh(out)
    assert set(mesh.slot_names) == {"road_asphalt", "marking_white", "ground_grass"}
    assert _area_m2(mesh, "road_asphalt") == pytest.approx(175.0, rel=1e-5)
    config = trace.with_name("later.yaml")
    mapping = f"materials: {{mapping: {out.with_suffix('.materials.yaml').name}}}"
    config.write_text(
        "sensors: [{preset: VLP-16}]\n"
        f"scene: {{environment: [{{mesh: {out.name}, up: {'y' if suffix == 'glb' else 'z'}}}]}}\n"
        f"{mapping}\n"
    )
    chosen = load_config(config)
    world = World(chosen.scene, material_resolver(chosen))
    world.update(FrameDecoder("GroundTruth").decode(_truth().SerializeToString(), 0))
    assert world.roads.lines == ()
    (mesh,) = world.environment.bounded
    assert mesh.bounds_m[1, 2] == pytest.approx(0.001, abs=1e-5)  # markings are the highest
    used = {each.visual_name: each.material for each in world.materials.resolved}
    assert used["marking_white"] == "road_marking_white_beads"
    assert used["road_asphalt"] == "asphalt_worn"


def test_a_map_on_the_command_line_takes_the_place_of_lanes(trace, tmp_path):
    city = written(tmp_path, road(section(lane(0), lane(-1, width=4.0))))
    out = tmp_path / "scene.glb"
    assert run("world", trace, "--map", city, "--out", out).exit_code == 0
    assert _area_m2(load_mesh(out), "road_asphalt") == pytest.approx(400.0, rel=1e-5)
    assert run("check", trace, "--map", city).exit_code == 0
    (line,) = check(None, FrameSource(trace), replaced=Replaced(map_file=city)).roads
    assert "400 m2 of road" in line


def test_a_map_needs_no_trace(tmp_path):
    city = written(tmp_path, road(section(lane(0), lane(-1, width=4.0))))
    out = tmp_path / "scene.glb"
    result = run("world", city, "--out", out)
    assert result.exit_code == 0, result.output
    assert "400 m2 of road" in result.output
    assert _area_m2(load_mesh(out), "road_asphalt") == pytest.approx(400.0, rel=1e-5)
    assert_one_line(run("world", city, "--map", city, "--out", out), 2, "one of them")
    assert_one_line(run("world", city, "--frame", 3, "--out", out), 2, "--frame", "no messages")
    assert_one_line(run("world", tmp_path / "no.xodr", "--out", out), 2, "no.xodr", "no such file")


def test_a_map_is_a_place_to_scan(tmp_path):
    city = written(tmp_path, road(section(lane(0), lane(-1, width=4.0))))
    out = tmp_path / "out"
    options = ("--map", city, "--sensor", "VLP-16", "--out", out)
    assert run("scan", *options, "--at", "20,-2,1.5,90").exit_code == 0
    (cloud,) = (out / "VLP-16").glob("*.pcd")
    points = read_pcd(cloud)
    down = points[points["ring"] == 15]  # 15 deg down, all around
    assert_allclose(down["z"][np.abs(down["y"]) < 15.0], -1.5, atol=2e-2)
    asphalt = json.loads((out / "run.json").read_text())["materials"].index("asphalt_worn")
    on_road = down[down["material_id"] == asphalt]  # 4 m wide, and across where the sensor looks
    assert 1.9 < np.abs(on_road["x"]).max() < 2.01
    assert np.abs(on_road["y"]).min() > 4.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), ("--config FILE or --map FILE",)),
        (("--at", "1,2"), ("--at: got '1,2'", "X,Y,Z")),
        (("--at", "a,b,c"), ("--at", "X,Y,Z,YAW")),
        (("--at", "1,2,nan"), ("z_m", "nan")),
        (("--at", "1,2,3", "--poses", "p.csv"), ("both --at and --poses",)),
    ],
)
def test_a_scan_of_a_map_says_what_it_expects(tmp_path, options, words):
    city = written(tmp_path, road(section(lane(0), lane(-1, width=4.0))))
    place = ("--map", city) if options else ()
    assert_one_line(run("scan", *place, *options, "--out", tmp_path / "out"), 2, *words)


def test_what_cannot_be_written_or_read_is_one_line(trace, tmp_path):
    out = tmp_path / "scene.glb"
    assert_one_line(run("world", trace, "--out", tmp_path / "x.stl"), 2, "x.stl", ".glb or .obj")
    assert_one_line(run("world", trace, "--out", tmp_path / "no" / "x.glb"), 2, "no such folder")
    assert_one_line(
        run("world", trace, "--frame", 5, "--out", out), 2, "no message 5", "expected 0 to 0"
    )
    assert_one_line(run("world", trace, "--map", "no.xodr", "--out", out), 2, "no.xodr")
    (tmp_path / "bomb.xodr").write_text('<!DOCTYPE x [<!ENTITY a "a">]><OpenDRIVE>&a;</OpenDRIVE>')
    result = run("world", trace, "--map", tmp_path / "bomb.xodr", "--out", out)
    assert_one_line(result, 2, "bomb.xodr")
    bare = tmp_path / "bare.yaml"
    bare.write_text("sensors: [{preset: VLP-16}]\nscene: {ground: none, roads: false}\n")
    result = run("world", trace, "--config", bare, "--out", out)
    assert_one_line(result, 2, "trace.osi", "no lanes, map, ground or environment")
    assert not out.exists()
    out.mkdir()
    assert_one_line(run("world", trace, "--out", out), 2, "scene.glb", "Is a directory")
    assert not out.with_suffix(".materials.yaml").exists()


def test_shapes_are_listed_and_one_is_written_to_size(tmp_path):
    listed = run("show", "shapes").output
    assert all(name in listed for name in ("medium_car", "tree", "sign_stop"))
    out = tmp_path / "car.glb"
    sides = ("--length", 4.5, "--width", 1.8, "--height", 1.5)
    assert run("show", "shapes", "medium_car", *sides, "--out", out).exit_code == 0
    low, high = load_mesh(out).bounds_m  # glTF: y up
    np.testing.assert_allclose(high - low, (4.5, 1.5, 1.8), atol=1e-5)
    assert low[1] == pytest.approx(0.0, abs=1e-6)
    assert "Paint: car_paint_grey" in out.with_suffix(".materials.yaml").read_text()


def test_pictures_of_one_shape_and_bad_names(tmp_path):
    picture = tmp_path / "pole.png"
    assert run("show", "shapes", "pole", "--out", picture).exit_code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert_one_line(
        run("show", "shapes", "medum_car"), 2, "medum_car", "did you mean 'medium_car'?"
    )
    assert_one_line(
        run("show", "shapes", "pole", "--out", tmp_path / "pole.stl"), 2, ".glb .obj or .png"
    )
    assert_one_line(
        run("show", "shapes", "--length", 3), 2, "--length: needs NAME, the name of a shape"
    )
    assert_one_line(
        run("show", "shapes", "--out", tmp_path / "all.glb"), 2, "a picture (.png) of all shapes"
    )
