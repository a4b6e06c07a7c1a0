# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lanes of small maps: areas and edges in closed form."""

import numpy as np
import pytest

from tests.lidar_scenery.roads.opendrive.small_maps import LINE, lane, of, read, road, section

TWO = section(lane(1), lane(0, ""), lane(-1))


def profile(name, *, s=0.0, a=0.0, b=0.0, c=0.0, d=0.0, **more):
    extra = "".join(f' {key}="{value}"' for key, value in more.items())
    return f'<{name} s="{s}" a="{a}" b="{b}" c="{c}" d="{d}"{extra}/>'


def elevation(**values):
    return f"<elevationProfile>{profile('elevation', **values)}</elevationProfile>"


def lateral(*inside):
    return f"<lateralProfile>{''.join(inside)}</lateralProfile>"


def test_a_straight_flat_road_takes_two_stations(tmp_path):
    parts = read(tmp_path, road(TWO))
    left, right = of(parts, "road_asphalt")
    assert left.left_m.tolist() == [[0.0, 3.5, 0.0], [100.0, 3.5, 0.0]]
    assert right.right_m.tolist() == [[0.0, -3.5, 0.0], [100.0, -3.5, 0.0]]
    assert left.right_m.tolist() == right.left_m.tolist()
    assert dict(parts.counts)["lanes"] == 2
    assert [edge[0, 1] for edge in parts.edges_m] == [3.5, -3.5]


def test_left_hand_traffic_changes_no_surface(tmp_path):
    right = read(tmp_path, road(TWO))
    left = read(tmp_path, road(TWO, rule="LHT"))
    for a, b in zip(right.strips, left.strips, strict=True):
        assert a.left_m.tolist() == b.left_m.tolist()


def test_an_arc_stays_within_the_tolerance(tmp_path):
    plan = '<geometry s="0" x="0" y="0" hdg="0" length="100"><arc curvature="0.02"/></geometry>'
    parts = read(tmp_path, road(TWO, plan))
    expected = 7.0 * 100.0  # an annulus: width times length of its middle
    assert parts.area_m2("road_") == pytest.approx(expected, rel=1e-4)
    outer = parts.edges_m[1]
    middles = 0.5 * (outer[1:] + outer[:-1])
    radii = np.hypot(middles[:, 0], middles[:, 1] - 50.0)
    assert np.abs(radii - 53.5).max() < 0.005
    assert len(outer) < 150


def test_a_lane_that_widens_is_a_triangle(tmp_path):
    wedge = lane(-1, '<width sOffset="20" a="0" b="0.05" c="0" d="0"/>')
    parts = read(tmp_path, road(section(lane(0, ""), wedge)))
    (strip,) = of(parts, "road_asphalt")
    assert strip.left_m[0].tolist() == [20.0, 0.0, 0.0]
    assert strip.area_m2 == pytest.approx(0.5 * 80.0 * 4.0)


def test_borders_stand_in_for_widths(tmp_path):
    border = '<border sOffset="0" a="-4" b="0" c="0" d="0"/>'
    parts = read(tmp_path, road(section(lane(0, ""), lane(-1, border), lane(-2, 2.0))))
    assert parts.area_m2("road_") == pytest.approx(600.0)


def test_a_lane_offset_may_jump_where_a_section_begins(tmp_path):
    offset = (
        '<laneOffset s="0" a="1" b="0" c="0" d="0"/><laneOffset s="50" a="-1" b="0" c="0" d="0"/>'
    )
    sections = section(lane(0, ""), lane(-1)) + section(lane(0, ""), lane(-1), s=50.0)
    first, second = of(read(tmp_path, road(sections, lane_offset=offset)), "road_asphalt")
    assert first.left_m[:, 1].tolist() == [1.0, 1.0]
    assert second.left_m[:, 1].tolist() == [-1.0, -1.0]


def test_a_section_of_one_side_keeps_the_lanes_of_the_other(tmp_path):
    sections = TWO + section(lane(0, ""), lane(-1, 2.0), s=50.0, attributes='singleSide="true"')
    parts = read(tmp_path, road(sections))
    assert parts.area_m2("road_") == pytest.approx(100.0 * 3.5 + 50.0 * (3.5 + 2.0))


def test_a_slope_lengthens_the_surface(tmp_path):
    parts = read(tmp_path, road(TWO, more=elevation(b=0.75)))
    assert parts.area_m2("road_") == pytest.approx(700.0 * 1.25)
    assert parts.edges_m[0][-1].tolist() == pytest.approx([100.0, 3.5, 75.0])


def test_a_roll_turns_the_cross_section_and_keeps_its_width(tmp_path):
    parts = read(tmp_path, road(TWO, more=lateral(profile("superelevation", a=0.1))))
    expected = [0.0, 3.5 * np.cos(0.1), 3.5 * np.sin(0.1)]
    assert parts.edges_m[0][0].tolist() == pytest.approx(expected)
    assert parts.area_m2("road_") == pytest.approx(700.0)


def test_a_level_lane_stays_horizontal(tmp_path):
    lanes = section(lane(0, ""), lane(-1), lane(-2, 2.0, "sidewalk", level="true"))
    parts = read(tmp_path, road(lanes, more=lateral(profile("superelevation", a=0.1))))
    (walk,) = of(parts, "road_sidewalk")
    assert walk.left_m[:, 2] == pytest.approx(-3.5 * np.sin(0.1))
    assert walk.right_m[:, 2] == pytest.approx(walk.left_m[:, 2])
    assert walk.left_m[0, 1] - walk.right_m[0, 1] == pytest.approx(2.0)


def test_a_crossfall_drops_to_both_sides(tmp_path):
    parts = read(tmp_path, road(TWO, more=lateral(profile("crossfall", a=0.02, side="both"))))
    drop = -3.5 * np.sin(0.02)
    assert [edge[0, 2] for edge in parts.edges_m] == pytest.approx([drop, drop])


def test_a_shape_lifts_the_middle_of_the_road(tmp_path):
    """A parabola across the road, 10 cm higher in its middle, in facets."""
    shape = profile("shape", a=0.0, b=0.1 * 2 / 3.5, c=-0.1 / 3.5**2, t=-3.5)
    parts = read(tmp_path, road(TWO, more=lateral(shape)))
    points = np.concatenate([strip.left_m for strip in of(parts, "road_asphalt")])
    expected = 0.1 * (1.0 - (points[:, 1] / 3.5) ** 2)
    assert len(of(parts, "road_asphalt")) == 14
    assert points[:, 2] == pytest.approx(expected, abs=1e-9)


def test_a_shape_stands_upright_on_a_road_that_rolls_and_climbs(tmp_path):
    """Points are t across and h away from the plane of the road: its roll, turned by its slope."""
    shape = profile("shape", a=0.0, b=0.1 * 2 / 3.5, c=-0.1 / 3.5**2, t=-3.5)
    roll, slope = 0.3, 0.5
    profiles = elevation(b=slope) + lateral(profile("superelevation", a=roll), shape)
    parts = read(tmp_path, road(TWO, more=profiles))
    points = np.concatenate([strip.left_m for strip in of(parts, "road_asphalt")])
    pitch = np.arctan(slope)
    along = np.array([np.cos(pitch), 0.0, np.sin(pitch)])
    level, above = np.array([0.0, 1.0, 0.0]), np.array([-np.sin(pitch), 0.0, np.cos(pitch)])
    across = np.cos(roll) * level + np.sin(roll) * above
    upwards = np.cos(roll) * above - np.sin(roll) * level
    assert len(points) > 20
    station_m = points @ along * np.cos(pitch)
    assert np.minimum(station_m, 100.0 - station_m) == pytest.approx(0.0, abs=1e-9)
    expected = 0.1 * (1.0 - (points @ across / 3.5) ** 2)
    assert points @ upwards == pytest.approx(expected, abs=1e-9)


def test_a_raised_walk_has_a_kerb_that_faces_the_road(tmp_path):
    height = '<height sOffset="0" inner="0.12" outer="0.15"/>'
    lanes = section(lane(0, ""), lane(-1), lane(-2, 2.0, "sidewalk", height))
    parts = read(tmp_path, road(lanes))
    (kerb,), (walk,) = of(parts, "kerb_stone"), of(parts, "road_sidewalk")
    assert kerb.area_m2 == pytest.approx(100.0 * 0.12)
    assert walk.right_m[:, 2] == pytest.approx(0.15)
    along, across = kerb.left_m[1] - kerb.left_m[0], kerb.left_m[0] - kerb.right_m[0]
    assert np.cross(along, across)[1] > 0.0  # to the left, where the road is


def test_heights_of_lanes_are_linear_between_their_records(tmp_path):
    heights = (
        '<height sOffset="0" inner="0" outer="0"/><height sOffset="50" inner="0.1" outer="0.1"/>'
    )
    parts = read(tmp_path, road(section(lane(0, ""), lane(-1, 3.0, "sidewalk", heights))))
    (walk,) = of(parts, "road_sidewalk")
    assert np.interp(25.0, walk.left_m[:, 0], walk.left_m[:, 2]) == pytest.approx(0.05)


def test_types_and_surfaces_of_lanes_choose_materials(tmp_path):
    cobbles = '<material sOffset="40" surface="Cobblestone" friction="0.6"/>'
    lanes = section(
        lane(0, ""),
        lane(-1, inside=cobbles),
        lane(-2, 2.0, "median"),
        lane(-3, 2.0, "curb"),
        lane(-4, 2.0, "none"),
        lane(-5, 2.0, "hoverway"),
    )
    parts = read(tmp_path, road(lanes))
    area = {name: parts.area_m2(name) for name in ("road_paving", "ground_grass", "kerb_stone")}
    assert area == pytest.approx({"road_paving": 210.0, "ground_grass": 200.0, "kerb_stone": 200.0})
    assert parts.area_m2("road_asphalt") == pytest.approx(140.0 + 200.0)
    (note,) = parts.notes
    assert note == ("road 1, lane -5", "road_asphalt", "its type is 'hoverway'")
    assert len(parts.edges_m) == 4  # what is no road divides them


@pytest.mark.parametrize("start_m", [0, 20, 50])
@pytest.mark.parametrize("offset_m", [0, 10])
def test_surfaces_begin_at_their_offset_from_the_start_of_their_lane_section(
    tmp_path, start_m, offset_m
):
    plain, paved = lane(-1), lane(-1, inside=f'<material sOffset="{offset_m}" surface="brick"/>')
    sections = section(lane(0, ""), plain) if start_m else ""
    sections += section(lane(0, ""), paved, s=start_m)
    parts = read(tmp_path, road(sections))
    strips_m = [strip.left_m[:, 0] for strip in of(parts, "road_paving")]
    assert min(each[0] for each in strips_m) == start_m + offset_m
    assert parts.area_m2("road_paving") == pytest.approx(3.5 * (100 - start_m - offset_m))


def test_an_offset_moves_everything(tmp_path):
    parts = read(tmp_path, road(TWO, LINE), offset_m=(10.0, 20.0, 30.0))
    assert parts.strips[0].left_m[0].tolist() == [10.0, 23.5, 30.0]
    assert parts.edges_m[0][0].tolist() == [10.0, 23.5, 30.0]
