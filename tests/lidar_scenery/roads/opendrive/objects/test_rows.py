# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects without gaps: rails and walls along curves, over hills, and beyond their roads."""

import numpy as np
import pytest

from tests.lidar_scenery.roads.opendrive.small_maps import (
    ARC,
    BARE,
    LINE,
    TWO,
    attributes,
    made,
    of,
    outline,
)


def row(**values):
    values = {
        "s": 0,
        "length": 100,
        "distance": 0,
        "tStart": 5,
        "tEnd": 5,
        "widthStart": 0.3,
        "widthEnd": 0.3,
        "heightStart": 0.8,
        "heightEnd": 0.8,
        "zOffsetStart": 0,
        "zOffsetEnd": 0,
    } | values
    return f"<repeat{attributes(values)}/>"


def rail(folder, inside, *, kind="barrier", lanes=BARE, plan=ARC, **values):
    return made(folder, kind, inside, lanes=lanes, plan=plan, **values)


def lines_of(parts, material="barrier_concrete"):
    """Return the lower left, upper left and upper right edge (n, 3) of a body."""
    left, top, right, *_ = of(parts, material)
    return left.left_m, top.left_m, right.left_m


@pytest.mark.parametrize("lanes", [BARE, TWO], ids=["without lanes", "beside lanes"])
def test_a_rail_follows_an_arc(tmp_path, lanes):
    parts = rail(tmp_path, row(), lanes=lanes)
    lower, upper, other = lines_of(parts)
    # about (0, 50), at t = 5 +- 0.15 on the inside of the arc of radius 50 m
    for line, radius in ((lower, 44.85), (upper, 44.85), (other, 45.15)):
        from_middle = np.hypot(line[:, 0], line[:, 1] - 50.0)
        assert from_middle == pytest.approx(radius)
        chords = 0.5 * (line[1:] + line[:-1])
        assert (radius - np.hypot(chords[:, 0], chords[:, 1] - 50.0)).max() <= 0.005
        assert len(line) < 150
    # at s = 50 it has turned by 1 rad: (45 sin 1, 50 - 45 cos 1)
    middle = 0.5 * (upper + other)
    away = np.hypot(middle[:, 0] - 37.866, middle[:, 1] - 25.686)
    assert away.min() < 0.5 * np.linalg.norm(np.diff(middle, axis=0), axis=1).max()
    assert not parts.notes


def test_a_rail_follows_a_hill_without_lanes(tmp_path):
    # z = 0.2 s - 0.002 s^2 over a straight line: a parabola of 5 m
    hill = '<elevationProfile><elevation s="0" a="0" b="0.2" c="-0.002" d="0"/></elevationProfile>'
    _, upper, _ = lines_of(rail(tmp_path, row(), plan=LINE, profile=hill))
    x, z = upper[:, 0], upper[:, 2]
    assert z == pytest.approx(0.2 * x - 0.002 * x**2 + 0.8)
    # a chord of a parabola c s^2 of length l is off by c l^2 / 4
    assert (0.002 * np.diff(x) ** 2 / 4.0).max() <= 0.005


def test_a_rail_follows_a_spiral_and_a_polynomial(tmp_path):
    spiral = ARC.replace('<arc curvature="0.02"/>', '<spiral curvStart="-0.05" curvEnd="0.05"/>')
    curve = (
        '<paramPoly3 pRange="normalized" aU="0" bU="100" cU="0" dU="0" aV="0" bV="0" cV="60" '
        'dV="-40"/>'
    )
    polynomial = ARC.replace('<arc curvature="0.02"/>', curve)
    for plan in (spiral, polynomial):
        bare, beside = (rail(tmp_path, row(), plan=plan, lanes=x) for x in (BARE, TWO))
        ends = [lines_of(parts)[0][-1] for parts in (bare, beside)]
        assert ends[0] == pytest.approx(ends[1])
        lengths = [
            np.linalg.norm(np.diff(lines_of(parts)[0], axis=0), axis=1).sum()
            for parts in (bare, beside)
        ]
        assert lengths[0] == pytest.approx(lengths[1], rel=1e-4)


@pytest.mark.parametrize("lanes", [BARE, TWO])
def test_what_reaches_beyond_the_road_is_cut_and_named(tmp_path, lanes):
    parts = rail(tmp_path, row(s=90, length=40), lanes=lanes, plan=LINE)
    lower, *_ = lines_of(parts)
    assert lower[:, 0].tolist() == [90.0, 100.0]
    assert parts.notes[0].name == "road 1, object 7 (30 m)"  # 90 + 40 - 100
    parts = rail(tmp_path, row(s=200, length=40), lanes=lanes, plan=LINE)
    assert not of(parts, "barrier_concrete")
    assert parts.notes[0].name == "road 1, object 7 (40 m)"


def test_a_rail_stops_at_a_gap_of_the_reference_line(tmp_path):
    plan = LINE.replace('"100"', '"40"') + (
        '<geometry s="60" x="60" y="0" hdg="0" length="40"><line/></geometry>'
    )
    faces = of(rail(tmp_path, row(), plan=plan), "barrier_concrete")
    reach = {(face.left_m[0, 0], face.left_m[-1, 0]) for face in faces if len(face.left_m) > 1}
    assert {(0.0, 40.0), (60.0, 100.0)} <= reach
    assert not any(start < 50.0 < end for start, end in reach)


def test_sizes_and_courses_of_a_row_run_from_start_to_end(tmp_path):
    inside = row(tEnd=9, widthEnd=0.7, heightEnd=1.8, zOffsetEnd=2)
    lower, upper, other = lines_of(rail(tmp_path, inside, plan=LINE))
    assert lower[0].tolist() == pytest.approx([0.0, 5.15, 0.0])
    assert upper[0].tolist() == pytest.approx([0.0, 5.15, 0.8])
    assert other[-1].tolist() == pytest.approx([100.0, 9.0 - 0.35, 2.0 + 1.8])


def test_a_width_that_is_stated_at_one_end_holds_for_both(tmp_path):
    parts = rail(tmp_path, row(widthEnd=None), plan=LINE)
    _, upper, other = lines_of(parts)
    assert (upper - other)[:, 1] == pytest.approx(0.3)
    assert [note.reason for note in parts.notes] == ["its <repeat> states no widthEnd"]


def test_a_rail_that_is_detached_is_one_straight_bar(tmp_path):
    # from (0, 0) to the end of the quarter circle of radius 50 m at (50, 50)
    inside = row(length=25.0 * np.pi, tStart=0, tEnd=0, detachFromReferenceLine="true")
    parts = rail(tmp_path, inside)
    _, upper, other = lines_of(parts)
    middle = 0.5 * (upper + other)
    assert middle[:, :2] == pytest.approx(np.array([(0, 0), (50, 50)]), abs=1e-9)
    assert np.linalg.norm(upper - other, axis=1) == pytest.approx(0.3)
    assert not parts.notes


def test_a_rail_perpendicular_to_the_road_leans_with_it(tmp_path):
    roll = '<lateralProfile><superelevation s="0" a="0.1" b="0" c="0" d="0"/></lateralProfile>'
    for square, lean in (("true", (-np.sin(0.1), np.cos(0.1))), ("false", (0.0, 1.0))):
        inside = row()
        parts = rail(tmp_path, inside, plan=LINE, profile=roll, perpToRoad=square)
        lower, upper, _ = lines_of(parts)
        assert (upper - lower)[0, 1:] == pytest.approx(0.8 * np.array(lean))


def test_a_row_without_gaps_of_an_outline_is_a_bar_of_its_size(tmp_path):
    inside = row(widthStart=None, widthEnd=None, heightStart=0, heightEnd=0) + outline(
        (0, -1, 0, 2), (3, -1, 0, 2), (3, 1, 0, 2), (0, 1, 0, 2)
    )
    parts = rail(tmp_path, inside, plan=LINE)
    lower, upper, other = lines_of(parts)
    assert (upper - other)[:, 1] == pytest.approx(2.0)  # v from -1 to 1
    assert (upper - lower)[:, 2] == pytest.approx(2.0)
    assert "outlines of rows without gaps are not read" in [note.reason for note in parts.notes]


def test_a_turned_row_without_gaps_is_named(tmp_path):
    parts = rail(tmp_path, row(), hdg=0.2)
    assert [note.used for note in parts.notes] == ["a bar along the row"]


def test_paint_without_gaps_is_a_ribbon_on_the_road(tmp_path):
    inside = row(tStart=1, tEnd=1, heightStart=0, heightEnd=0)
    parts = rail(tmp_path, inside, kind="roadMark", lanes=TWO)
    # 0.3 m wide, along 100 m of the reference line of radius 50 m at t = 1
    assert parts.area_m2("marking_white") == pytest.approx(0.3 * 100.0 * 49.0 / 50.0, rel=1e-3)
    points = np.concatenate([strip.left_m for strip in of(parts, "marking_white")])
    assert points[:, 2] == pytest.approx(0.002)
    assert not parts.notes


def test_other_paint_without_gaps_is_named(tmp_path):
    for kind in ("crosswalk", "parkingSpace"):
        parts = rail(tmp_path, row(), kind=kind, lanes=TWO)
        assert not of(parts, "marking_white")
        assert [note.used for note in parts.notes] == ["nothing"]
        assert "rows without gaps are not painted" in parts.notes[0].reason
