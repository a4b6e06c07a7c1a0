# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reference lines that do not fit their roads: what is drawn, and what is said."""

import numpy as np
import pytest

from tests.lidar_scenery.roads.opendrive.small_maps import LINE, lane, of, read, road, section

TWO = section(lane(1), lane(0, ""), lane(-1))

CURVES = {  # each the same straight line of 40 m
    "line": "<line/>",
    "arc": '<arc curvature="0"/>',
    "spiral": '<spiral curvStart="0" curvEnd="0"/>',
    "poly3": '<poly3 a="0" b="0" c="0" d="0"/>',
    "paramPoly3": (
        '<paramPoly3 pRange="normalized" aU="0" bU="40" cU="0" dU="0" aV="0" bV="0" cV="0" dV="0"/>'
    ),
    "paramPoly3 by arc length": (
        '<paramPoly3 pRange="arcLength" aU="0" bU="1" cU="0" dU="0" aV="0" bV="0" cV="0" dV="0"/>'
    ),
}


def piece(s, length, *, x=None, y=0.0, curve="<line/>"):
    start = s if x is None else x
    return f'<geometry s="{s}" x="{start}" y="{y}" hdg="0" length="{length}">{curve}</geometry>'


def note_of(parts):
    (note,) = parts.notes
    return note


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_a_road_ends_where_its_reference_line_does(tmp_path, curve):
    parts = read(tmp_path, road(TWO, piece(0, 40, curve=curve), length=150))
    # two lanes of 3.5 m along the 40 m that have a line; 150 - 40 = 110 m have none
    assert parts.area_m2("road_") == pytest.approx(7.0 * 40.0)
    assert max(edge[:, 0].max() for edge in parts.edges_m) == pytest.approx(40.0)
    assert note_of(parts) == (
        "road 1",
        "the road without them",
        "110 m of it, from s = 40 to 150 m, have no reference line in its planView",
    )


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_a_gap_between_two_pieces_is_left_open(tmp_path, curve):
    plan = piece(0, 40, curve=curve) + piece(60, 40)
    parts = read(tmp_path, road(TWO, plan))
    # 40 m before the gap of 20 m, and 40 m behind it
    assert parts.area_m2("road_") == pytest.approx(7.0 * 80.0)
    along = np.concatenate([edge[:, 0] for edge in parts.edges_m])
    assert not ((along > 40.0 + 1e-6) & (along < 60.0 - 1e-6)).any()
    assert note_of(parts).reason.startswith("20 m of it, from s = 40 to 60 m, have no reference")


def test_a_road_whose_line_begins_after_it_has_no_beginning(tmp_path):
    parts = read(tmp_path, road(TWO, piece(30, 70)))
    assert parts.area_m2("road_") == pytest.approx(7.0 * 70.0)
    assert note_of(parts).reason.startswith("30 m of it, from s = 0 to 30 m, have no reference")


def test_a_road_without_any_line_within_its_length_is_left_out(tmp_path):
    parts = read(tmp_path, road(TWO), road(TWO, piece(200, 50), name="2"))
    assert dict(parts.counts)["roads"] == 1
    note = note_of(parts)
    assert (note.name, note.used) == ("road 2", "nothing")
    assert "no <geometry> of the road lies within the road's length of 100 m" in note.reason


def test_marks_and_lanes_keep_their_stations_behind_a_gap(tmp_path):
    dashes = (
        '<roadMark sOffset="0" type="broken" width="0.2"><type name="broken" width="0.2">'
        '<line length="3" space="7" tOffset="0" sOffset="0"/></type></roadMark>'
    )
    taper = '<width sOffset="0" a="1" b="0.02" c="0" d="0"/>'
    lanes = section(lane(0, "", inside=dashes), lane(-1, taper))
    parts = read(tmp_path, road(lanes, piece(0, 40) + piece(60, 40)))
    starts = sorted(float(strip.left_m[0, 0]) for strip in of(parts, "marking_white"))
    assert starts == pytest.approx([0, 10, 20, 30, 60, 70, 80, 90])
    # the lane is 1 + 0.02 s wide: 1 to 1.8 m before the gap, 2.2 to 3 m behind it
    assert parts.area_m2("road_") == pytest.approx(40.0 * 1.4 + 40.0 * 2.6)


@pytest.mark.parametrize("missing", [0.002, 0.009])
def test_less_than_a_centimetre_is_rounding(tmp_path, missing):
    for curve in ("<line/>", CURVES["paramPoly3"].replace('"40"', f'"{100 - missing}"')):
        parts = read(tmp_path, road(TWO, piece(0, 100 - missing, curve=curve)))
        assert parts.area_m2("road_") == pytest.approx(700.0, abs=1e-2)
        assert max(edge[:, 0].max() for edge in parts.edges_m) == pytest.approx(100.0, abs=1e-3)
        assert not parts.notes


def test_a_line_that_is_longer_than_its_road_is_cut_and_named(tmp_path):
    parts = read(tmp_path, road(TWO, piece(0, 160)))
    assert parts.area_m2("road_") == pytest.approx(700.0)
    expected = ("road 1 (60 m)", "the length of the road")
    assert note_of(parts) == (*expected, "its reference line is longer than the road")


def test_of_pieces_that_overlap_the_later_one_counts(tmp_path):
    # the first piece would run up to x = 70, the second one goes on at x = 40
    parts = read(tmp_path, road(TWO, piece(0, 70) + piece(40, 60)))
    assert parts.area_m2("road_") == pytest.approx(700.0)
    note = note_of(parts)
    assert note.name == "road 1 (30 m at s = 40 m)"
    assert note.reason == "pieces of its reference line overlap"


def test_a_jump_between_two_pieces_is_named(tmp_path):
    # the first piece ends at (40, 0), the second one begins at (43, 4): 5 m away
    parts = read(tmp_path, road(TWO, piece(0, 40) + piece(40, 60, x=43, y=4)))
    note = note_of(parts)
    assert note.name == "road 1 (5 m at s = 40 m)"
    assert (note.used, note.reason) == (
        "both, joined straight",
        "its reference line jumps between pieces",
    )
    points = np.concatenate([strip.left_m for strip in of(parts, "road_asphalt")])
    assert np.isfinite(points).all()
    assert points[:, 0].max() == pytest.approx(103.0)


def test_a_piece_without_length_does_not_hide_the_one_that_begins_there(tmp_path):
    """Some tools write a piece of length 0; the arc of radius 50 m begins at the same station."""
    arc = piece(0, 100, curve='<arc curvature="0.02"/>')
    parts = read(tmp_path, road(TWO, arc + piece(0, 0)))
    radii = [np.hypot(edge[:, 0], edge[:, 1] - 50.0) for edge in parts.edges_m]
    assert [radius[0] for radius in radii] == pytest.approx([46.5, 53.5])
    assert np.concatenate(radii) == pytest.approx(np.repeat([46.5, 53.5], [*map(len, radii)]))


def test_a_polynomial_of_another_length_than_is_stated_is_named(tmp_path):
    curve = CURVES["paramPoly3"]  # 40 m long, for a piece of 100 m
    note = note_of(read(tmp_path, road(TWO, piece(0, 100, curve=curve))))
    assert note.name == "road 1 (40 m for 100 m)"
    assert "another length" in note.reason


def profile(name, where, a=2.0):
    element = f'<{name} s="20" a="{a}" b="0" c="0" d="0"/>'
    return f"<{where}>{element}</{where}>"


@pytest.mark.parametrize(
    ("more", "offset", "words"),
    [
        (profile("elevation", "elevationProfile"), "", "elevation"),
        (profile("superelevation", "lateralProfile"), "", "superelevation"),
        (profile("crossfall", "lateralProfile"), "", "crossfall"),
        ("", '<laneOffset s="20" a="2" b="0" c="0" d="0"/>', "lane offset"),
    ],
)
def test_a_profile_that_begins_after_its_road_is_named(tmp_path, more, offset, words):
    note = note_of(read(tmp_path, road(TWO, LINE, more=more, lane_offset=offset)))
    assert note == (
        "road 1 (2 at s = 20 m)",
        "0 up to there",
        f"its {words} does not begin with the road",
    )


def test_a_profile_that_begins_late_and_at_0_is_no_fault(tmp_path):
    assert not read(tmp_path, road(TWO, more=profile("elevation", "elevationProfile", 0))).notes


def test_lanes_and_widths_that_begin_late_are_named(tmp_path):
    late = section(lane(1), lane(0, ""), lane(-1), s=30)
    parts = read(tmp_path, road(late))
    assert parts.area_m2("road_") == pytest.approx(7.0 * 70.0)
    assert note_of(parts).name == "road 1 (s = 30 m)"
    wide = '<width sOffset="20" a="3" b="0" c="0" d="0"/>'
    note = note_of(read(tmp_path, road(section(lane(0, ""), lane(-1, wide)))))
    assert note.name == "road 1 (lane -1, s = 20 m)"
    assert note.used == "0 m up to there"


def test_lane_sections_beyond_their_road_are_named(tmp_path):
    beyond = section(lane(0, ""), lane(-1), s=1000)
    note = note_of(read(tmp_path, road(TWO + beyond)))
    assert note == ("road 1 (s = 1000 m)", "nothing", "a lane section lies beyond its road")
