# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Roads in the world: from a map or from lanes, built once, replaced where they change."""

import numpy as np
import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_lane_pb2 import Lane, LaneBoundary

from osi_bridge import FrameDecoder
from osi_lidar.errors import ConfigurationError
from osi_lidar.world.materials import material_resolver
from osi_lidar.world.world import World
from tests.builders.meshes import quad, write_quads
from tests.builders.worlds import config
from tests.lidar_scenery.roads.opendrive.small_maps import lane, road, section, written

KIND = LaneBoundary.Classification
WIDTH_M = 3.5


def _truth(*, length_m=50.0, z_m=(0.0, 0.0), second=0, **fields):
    """Return a message with one lane along x, its left line dashed."""
    truth = GroundTruth(**fields)
    truth.timestamp.seconds = second
    for own_id, y_m, kind in (
        (1, WIDTH_M, KIND.TYPE_DASHED_LINE),
        (2, 0.0, KIND.TYPE_SOLID_LINE),
    ):
        line = truth.lane_boundary.add()
        line.id.value = own_id
        line.classification.type = kind
        line.classification.color = KIND.COLOR_WHITE
        for x_m, height_m in ((0.0, z_m[0]), (length_m, z_m[1])):
            point = line.boundary_line.add()
            point.position.x, point.position.y, point.position.z = x_m, y_m, height_m
            point.width = 0.12
    one = truth.lane.add()
    one.id.value = 10
    one.classification.type = Lane.Classification.TYPE_DRIVING
    one.classification.left_lane_boundary_id.add().value = 1
    one.classification.right_lane_boundary_id.add().value = 2
    return truth


def _world(folder=None, **scene):
    chosen = config(scene=scene)
    return World(chosen.scene, material_resolver(chosen), trace_folder=folder)


def _follow(world, *truths):
    decoder = FrameDecoder("GroundTruth")
    for number, truth in enumerate(truths):
        world.update(decoder.decode(truth.SerializeToString(), number))
    return world


def _area_m2(world, word="road_"):
    return world.roads.parts.area_m2(word)


def _static(world):
    return world.static_meshes(objects=False)


def _map(folder, name="town.xodr", **options):
    lanes = section(lane(0), lane(-1, width=4.0))
    path = written(folder, road(lanes), **options)
    return path.rename(path.with_name(name))


def test_a_trace_with_lanes_has_a_road_with_markings_above_grass():
    world = _follow(_world(), _truth())
    assert _area_m2(world) == pytest.approx(50.0 * WIDTH_M)
    dashed = 3 * 6.0  # at 0, 18 and 36 m, by the rule of motorways
    assert _area_m2(world, "marking_") == pytest.approx(0.12 * (50.0 + dashed), rel=1e-6)
    assert world.ground.z_m == pytest.approx(-0.01)
    (line,) = world.roads.lines
    assert line.startswith("roads from the trace's lanes: 1 lane,")
    names = {each.visual_name for each in world.materials.resolved}
    assert names == {"road_asphalt", "marking_white", "ground_grass"}


def test_lanes_that_do_not_change_are_built_once_whether_sent_again_or_not():
    later = GroundTruth()
    later.timestamp.seconds = 2
    once = _follow(_world(), _truth()).scene.counts
    assert _follow(_world(), _truth(), _truth(second=1)).scene.counts == once
    assert _follow(_world(), _truth(), later).scene.counts == once


def test_lanes_that_change_replace_the_road():
    world = _follow(_world(), _truth(), _truth(second=1, length_m=60.0))
    assert _area_m2(world) == pytest.approx(60.0 * WIDTH_M)
    assert len(_static(world)) == len(_follow(_world(), _truth()).static_meshes(objects=False))


def test_roads_that_are_gone_leave_no_triangles_behind():
    world = _follow(_world(), *(_truth(second=k, length_m=50.0 + k) for k in range(5)))
    kept = [world.scene.mesh(k).name for k in range(world.scene.counts.meshes_built)]
    assert kept.count("released") == len(kept) - len(_static(world))


def test_where_lanes_are_gone_there_is_a_plane_again():
    nothing = GroundTruth()
    nothing.timestamp.seconds = 2
    hills = (_truth(z_m=(0.0, 3.0)), _truth(z_m=(0.0, 3.0), second=1))
    world = _follow(_world(), *hills, nothing)
    assert world.roads.lines == ()
    assert world.ground.z_m == 0.0


def test_a_road_that_climbs_has_a_ground_of_its_own_below_it():
    world = _follow(_world(), _truth(z_m=(0.0, 3.0)))
    assert world.ground.z_m is None
    grounds = [m for m, _ in _static(world) if m.name.startswith("ground")]
    near = np.concatenate([mesh.vertices_m + mesh.origin_m for mesh in grounds])
    near = near[(np.abs(near[:, 0] - 25) < 20) & (np.abs(near[:, 1] - 1.75) < 1.5)]
    below_m = 0.06 * near[:, 0] - near[:, 2]
    assert (below_m > 0.005).all()
    assert (below_m < 0.2).all()


def test_configured_ground_stays_where_it_is():
    assert _follow(_world(ground=-2.0), _truth()).ground.z_m == -2.0
    bare = _follow(_world(ground="none"), _truth(z_m=(0.0, 3.0)))
    assert not [mesh for mesh, _ in _static(bare) if mesh.name.startswith("ground")]


@pytest.mark.parametrize(("roads", "drawn"), [("auto", False), (True, True), (False, False)])
def test_an_environment_mesh_switches_roads_off_unless_they_are_asked_for(tmp_path, roads, drawn):
    wall = write_quads(tmp_path / "wall.obj", [(quad(30.0), "Wall")])
    world = _follow(_world(environment=[{"mesh": str(wall)}], roads=roads), _truth())
    assert bool(world.roads.lines) is drawn


def test_a_map_takes_the_place_of_lanes(tmp_path):
    world = _follow(_world(map=str(_map(tmp_path))), _truth())
    assert _area_m2(world) == pytest.approx(100.0 * 4.0)
    assert str(tmp_path / "town.xodr") in world.roads.lines[0]


def test_the_map_that_a_trace_names_is_found_beside_it_by_its_name(tmp_path):
    _map(tmp_path)
    world = _follow(_world(tmp_path), _truth(map_reference="/elsewhere/maps/town.xodr"))
    assert _area_m2(world) == pytest.approx(100.0 * 4.0)
    assert list(world.fallbacks) == []


def test_the_map_that_a_trace_names_is_found_below_a_search_folder(tmp_path):
    (tmp_path / "assets" / "maps").mkdir(parents=True)
    _map(tmp_path / "assets" / "maps")
    world = _world(search=[str(tmp_path / "assets")])
    _follow(world, _truth(map_reference="C:\\maps\\town.xodr"))
    assert _area_m2(world) == pytest.approx(100.0 * 4.0)


def test_of_two_maps_of_a_name_below_a_search_folder_the_first_by_name_is_taken(tmp_path):
    for name, width_m in (("b", 3.0), ("a", 4.0)):
        (tmp_path / name).mkdir()
        lanes = section(lane(0), lane(-1, width=width_m))
        path = written(tmp_path / name, road(lanes))
        path.rename(path.with_name("town.xodr"))
    world = _follow(_world(search=[str(tmp_path)]), _truth(map_reference="town.xodr"))
    assert _area_m2(world) == pytest.approx(400.0)


def test_a_link_out_of_the_folders_is_not_followed(tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace" / "town.xodr").symlink_to(_map(tmp_path / "secret"))
    world = _follow(_world(tmp_path / "trace"), _truth(map_reference="town.xodr"))
    assert _area_m2(world) == pytest.approx(50.0 * WIDTH_M)


def test_without_the_named_map_the_lanes_are_drawn_and_that_is_listed(tmp_path):
    world = _follow(_world(tmp_path), _truth(map_reference="town.xodr"))
    assert _area_m2(world) == pytest.approx(50.0 * WIDTH_M)
    (told,) = [each for each in world.fallbacks if each.kind == "map"]
    assert (told.name, told.used) == ("town.xodr", "the lanes of the trace")


def test_a_projection_in_place_of_a_map_is_no_fallback(tmp_path):
    world = _follow(_world(tmp_path), _truth(map_reference="+proj=utm +zone=32"))
    assert [each for each in world.fallbacks if each.kind == "map"] == []


def test_an_unusable_map_is_an_error_if_configured_and_a_fallback_if_named_by_a_trace(tmp_path):
    (tmp_path / "town.xodr").write_text("<html/>")
    with pytest.raises(ConfigurationError, match=r"town\.xodr"):
        _world(map=str(tmp_path / "town.xodr"))
    world = _follow(_world(tmp_path), _truth(map_reference="town.xodr"))
    assert _area_m2(world) == pytest.approx(50.0 * WIDTH_M)
    assert "town.xodr" in next(str(each) for each in world.fallbacks if each.kind == "map")


def test_a_map_is_laid_into_the_coordinates_of_a_trace_that_states_its_offset(tmp_path):
    header = '<header revMajor="1" revMinor="7"><offset x="1000" y="2000" z="5" hdg="0"/></header>'
    truth = _truth()
    offset = truth.proj_frame_offset.position
    offset.x, offset.y, offset.z = 990.0, 2000.0, 5.0
    world = _follow(_world(map=str(_map(tmp_path, header=header))), truth)
    lowest = min(strip.left_m[:, 0].min() for strip in world.roads.parts.strips)
    assert lowest == pytest.approx(10.0)


@pytest.mark.parametrize(("states_offset", "hdg"), [(True, 0.3), (True, 0.0), (False, 0.3)])
def test_a_rotation_of_a_header_is_noted_where_it_would_matter(tmp_path, states_offset, hdg):
    header = f'<header revMajor="1" revMinor="7"><offset x="0" y="0" z="0" hdg="{hdg}"/></header>'
    truth = _truth()
    if states_offset:
        truth.proj_frame_offset.position.x = 10.0
    world = _follow(_world(map=str(_map(tmp_path, header=header))), truth)
    noted = [each for each in world.fallbacks if "not applied" in each.reason]
    assert len(noted) == (states_offset and hdg != 0.0)
    assert all("by 0.3 rad (hdg)" in each.reason for each in noted)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e12])
def test_an_impossible_offset_counts_as_not_stated(tmp_path, bad):
    truth = _truth()
    truth.proj_frame_offset.position.x = bad
    world = _follow(_world(map=str(_map(tmp_path))), truth)
    assert min(strip.left_m[:, 0].min() for strip in world.roads.parts.strips) == 0.0


def test_a_configured_map_whose_offset_is_no_number_is_an_error_not_the_lanes(tmp_path):
    header = '<header revMajor="1" revMinor="7"><offset x="nan" y="0" z="0" hdg="0"/></header>'
    truth = _truth()
    truth.proj_frame_offset.position.x = 1.0
    world = _world(map=str(_map(tmp_path, header=header)))
    with pytest.raises(ConfigurationError, match=r"town\.xodr"):
        _follow(world, truth)


def test_where_an_object_would_be_buried_the_ground_is_a_plane_below_it():
    truth = _truth(z_m=(2.0, 8.0))
    car = truth.moving_object.add()
    car.id.value = 3
    car.base.position.x, car.base.position.y, car.base.position.z = 25.0, 60.0, 0.75
    car.base.dimension.length, car.base.dimension.width, car.base.dimension.height = 4, 2, 1.5
    world = _follow(_world(), truth)
    assert world.ground.z_m == 0.0
    assert any("below what follows the roads" in each.reason for each in world.fallbacks)


@pytest.mark.parametrize(
    ("shown", "signal"),
    [
        ("sign", '<signal id="1" s="20" t="5" type="206" country="DE" dynamic="no" height="0.9"/>'),
        ("light", '<signal id="1" s="20" t="5" type="1000001" dynamic="yes" height="0.9"/>'),
    ],
)
def test_signs_and_lights_of_a_map_give_way_to_those_of_the_trace(tmp_path, shown, signal):
    lanes = section(lane(0), lane(-1, width=4.0))
    text = (
        f'<signals>{signal.replace("/>", "")} orientation="+" zOffset="2" width="0.9"/></signals>'
    )
    path = written(tmp_path, road(lanes + "</lanes>" + text + "<lanes>"))
    path.write_text(path.read_text().replace("<lanes></lanes>", ""))
    bare, listed = _truth(), _truth()
    if shown == "sign":
        one = listed.traffic_sign.add()
        base = one.main_sign.base
    else:
        one = listed.traffic_light.add()
        base = one.base
    one.id.value = 5
    base.position.x = 90.0
    base.dimension.length, base.dimension.width, base.dimension.height = 0.1, 0.6, 0.6
    alone, beside = _follow(_world(map=str(path)), bare), _follow(_world(map=str(path)), listed)
    assert len(alone.roads.parts.standing) >= 1
    assert len(alone.roads.instances) > len(beside.roads.instances)
