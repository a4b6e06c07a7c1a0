# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects that are repeated with gaps: places, sizes and outlines of the copies."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.lidar_scenery.roads.opendrive.small_maps import ARC, attributes, made, of, outline

BOX = [(50, 5), (52, 5), (52, 6), (50, 6)]


def repeat(**values):
    values = {"s": 50, "length": 40, "distance": 10} | values
    return f"<repeat{attributes(values)}/>"


def on_road(corners=BOX, height=1, dz=0):
    return outline(*((s, t, dz, height) for s, t in corners), tag="cornerRoad")


def corners_of(shape):
    """Return the corners of the base of an extruded outline in the plane, sorted."""
    base = np.array(shape.details.outline_m)
    pose = shape.world_from_object
    return sorted(np.round(base @ pose[:2, :2].T + pose[:2, 3], 9).tolist())


def test_an_outline_on_the_road_moves_with_its_copies(tmp_path):
    # by s and t of each copy minus 50 and 5: a metre outwards for each 10 m along
    inside = repeat(tStart=5, tEnd=9) + on_road()
    parts = made(tmp_path, "obstacle", inside)
    assert len(parts.standing) == 5
    for k, shape in enumerate(parts.standing):
        expected = sorted([s + 10.0 * k, t + 1.0 * k] for s, t in BOX)
        assert corners_of(shape) == pytest.approx(np.array(expected))
        assert shape.dimension_m == pytest.approx((2.0, 1.0, 1.0))
    assert not parts.notes


def test_an_outline_on_the_road_follows_the_curve_of_the_road(tmp_path):
    # on the arc of radius 50 m about (0, 50), s and t are the angle s / 50 and the radius 50 - t
    parts = made(tmp_path, "obstacle", repeat(s=10, length=20) + on_road(), plan=ARC, s=50)
    for k, shape in enumerate(parts.standing):
        turns = [(10.0 + 10.0 * k + s - 50.0) / 50.0 for s, _ in BOX]
        radii = [50.0 - t for _, t in BOX]
        expected = sorted(
            [r * np.sin(a), 50.0 - r * np.cos(a)] for a, r in zip(turns, radii, strict=True)
        )
        assert np.array(corners_of(shape)) == pytest.approx(np.array(expected), abs=1e-8)


@pytest.mark.parametrize("tag", ["cornerRoad", "cornerLocal"])
def test_heights_of_copies_start_where_their_row_says(tmp_path, tag):
    corners = BOX if tag == "cornerRoad" else [(s - 50, t - 5) for s, t in BOX]
    inside = outline(*((a, b, 0.5 if tag == "cornerRoad" else 0, 1) for a, b in corners), tag=tag)
    row = repeat(length=20, zOffsetStart=0.5, zOffsetEnd=2.5)
    shapes = made(tmp_path, "obstacle", row + inside, zOffset=0.5).standing
    # lower edges at 0.5, 1.5 and 2.5 m; each middle is half a metre higher
    assert [shape.world_from_object[2, 3] for shape in shapes] == pytest.approx([1.0, 2.0, 3.0])


@pytest.mark.parametrize("tag", ["cornerRoad", "cornerLocal"])
def test_sizes_of_a_row_scale_the_outlines_of_its_copies(tmp_path, tag):
    corners = BOX if tag == "cornerRoad" else [(s - 50, t - 5) for s, t in BOX]
    inside = outline(*((a, b, 0, 1) for a, b in corners), tag=tag)
    row = repeat(
        length=20,
        lengthStart=2,
        lengthEnd=4,
        widthStart=1,
        widthEnd=3,
        heightStart=1,
        heightEnd=5,
    )
    shapes = made(tmp_path, "obstacle", row + inside, length=2, width=1, height=1).standing
    sizes = [shape.dimension_m for shape in shapes]
    assert np.array(sizes) == pytest.approx(np.array([(2, 1, 1), (3, 2, 3), (4, 3, 5)]))
    # the corner at the origin of the object stays at the origin of each copy
    assert np.array([corners_of(shape)[0] for shape in shapes]) == pytest.approx(
        np.array([(50.0, 5.0), (60.0, 5.0), (70.0, 5.0)])
    )


def test_an_outline_larger_than_the_box_of_its_object_is_scaled_by_its_own_size(tmp_path):
    row = repeat(length=10, heightStart=1, heightEnd=2)
    shapes = made(tmp_path, "obstacle", row + on_road(), height=0.1).standing
    assert [shape.dimension_m[2] for shape in shapes] == pytest.approx([1.0, 2.0])


def test_paint_on_the_road_moves_with_its_copies(tmp_path):
    marking = (
        '<markings><marking color="white" width="0.1" lineLength="1" spaceLength="0" '
        'startOffset="0" stopOffset="0"><cornerReference id="0"/><cornerReference id="1"/>'
        "</marking></markings>"
    )
    row = repeat(s=10, length=30, tStart=1)
    inside = row + on_road([(50, 1), (52, 1), (52, 2)], height=0) + marking
    strips = of(made(tmp_path, "parkingSpace", inside, t=1), "marking_white")
    starts = sorted({round(float(strip.left_m[:, 0].min()), 6) for strip in strips})
    assert starts == [10.0, 20.0, 30.0, 40.0]
    points = np.concatenate([strip.left_m for strip in strips])
    assert (points[:, 1].min(), points[:, 1].max()) == pytest.approx((1.0, 1.05))


def test_filled_paint_moves_with_its_copies(tmp_path):
    inside = repeat(s=10, length=20, tStart=1) + on_road([(50, 1), (52, 1), (52, 2)], height=0)
    parts = made(tmp_path, "roadMark", inside, t=1)
    assert parts.area_m2("marking_white") == pytest.approx(3 * 1.0)  # triangles of 2 by 1 m
    reach = np.concatenate([strip.left_m[:, 0] for strip in of(parts, "marking_white")])
    assert (reach.min(), reach.max()) == pytest.approx((10.0, 32.0))


def test_what_a_row_does_not_state_is_as_the_object_has_it(tmp_path):
    shapes = made(
        tmp_path, "tree", repeat(length=10), length=2, width=2, height=3, zOffset=1
    ).standing
    places = [shape.world_from_object[:3, 3].tolist() for shape in shapes]
    assert places == [[50.0, 5.0, 2.5], [60.0, 5.0, 2.5]]  # 1 m up, and half of 3 m


def test_one_end_that_is_stated_alone_holds_for_both(tmp_path):
    parts = made(tmp_path, "tree", repeat(length=10, heightStart=3, tEnd=8), length=2, width=2)
    assert [shape.dimension_m[2] for shape in parts.standing] == [3.0, 3.0]
    assert [shape.world_from_object[1, 3] for shape in parts.standing] == [8.0, 8.0]
    assert [note.reason for note in parts.notes] == [
        "its <repeat> states no tStart",
        "its <repeat> states no heightEnd",
    ]


def test_a_row_that_tapers_off_ends_without_the_copies_of_no_size(tmp_path):
    row = repeat(length=20, heightStart=2, heightEnd=0)
    parts = made(tmp_path, "tree", row, length=1, width=1, height=4)
    assert [shape.dimension_m[2] for shape in parts.standing] == [2.0, 1.0]
    assert [note.used for note in parts.notes] == ["nothing"]
    assert "tapers off" in parts.notes[0].reason


def test_two_sizes_of_0_are_none(tmp_path):
    row = repeat(length=10, heightStart=0, heightEnd=0)
    parts = made(tmp_path, "tree", row, length=1, width=1, height=4)
    assert [shape.dimension_m[2] for shape in parts.standing] == [4.0, 4.0]


def test_radii_of_a_row_are_followed(tmp_path):
    row = repeat(length=20, radiusStart=0.1, radiusEnd=0.3)
    shapes = made(tmp_path, "pole", row, radius=1, height=4).standing
    assert np.array([shape.dimension_m[:2] for shape in shapes]) == pytest.approx(
        np.array([(0.2, 0.2), (0.4, 0.4), (0.6, 0.6)])
    )


def test_several_rows_of_an_object_are_each_drawn(tmp_path):
    rows = repeat(s=0, length=20, tStart=5) + repeat(s=40, length=10, distance=5, tStart=-5)
    shapes = made(tmp_path, "tree", rows, length=1, width=1, height=4).standing
    places = [tuple(shape.world_from_object[:2, 3]) for shape in shapes]
    assert places == [(0, 5), (10, 5), (20, 5), (40, -5), (45, -5), (50, -5)]


@pytest.mark.parametrize(("start", "missing"), [(80, "2 of 5"), (150, "5 of 5"), (-15, "2 of 5")])
def test_copies_beyond_the_road_are_counted(tmp_path, start, missing):
    # at 80, 90, 100, 110, 120; at 150 to 190; at -15, -5, 5, 15, 25
    parts = made(tmp_path, "tree", repeat(s=start), length=1, width=1, height=4)
    assert len(parts.standing) == 5 - int(missing[0])
    (note,) = parts.notes
    assert note.name == f"road 1, object 7 ({missing} copies)"
    assert (note.used, "beyond the reference line" in note.reason) == ("nothing", True)


@pytest.mark.parametrize(
    ("end", "expected"), [(60.0, [40.0, 50.0, 60.0, 80.0]), (59.5, [40.0, 50.0, 80.0])]
)
def test_copies_in_a_gap_of_the_reference_line_are_left_out(tmp_path, end, expected):
    # at 40, 50, 60, 70 and 80 m; the one at 70 m stands 0.5 m before the line goes on
    first = f'<geometry s="0" x="0" y="0" hdg="0" length="{end}"><line/></geometry>'
    second = '<geometry s="70.5" x="70.5" y="0" hdg="0" length="29.5"><line/></geometry>'
    plan = first + second
    parts = made(tmp_path, "tree", repeat(s=40), plan=plan, length=1, width=1, height=4)
    assert [shape.world_from_object[0, 3] for shape in parts.standing] == expected
    (note,) = [note for note in parts.notes if "copies" in note.name]
    assert note.name == f"road 1, object 7 ({5 - len(expected)} of 5 copies)"


def test_a_row_of_no_length_is_one_copy(tmp_path):
    parts = made(tmp_path, "tree", repeat(length=0, distance=0), length=1, width=1, height=4)
    assert [shape.world_from_object[0, 3] for shape in parts.standing] == [50.0]
    assert [note.used for note in parts.notes] == ["one copy"]
    parts = made(tmp_path, "tree", repeat(length=0), length=1, width=1, height=4)
    assert (len(parts.standing), parts.notes) == (1, ())


@pytest.mark.parametrize("name", ["length", "distance"])
def test_a_row_backwards_is_left_out_and_named(tmp_path, name):
    parts = made(tmp_path, "tree", repeat(**{name: -5}), length=1, width=1, height=4)
    assert not parts.standing
    assert f"{name} of <repeat> is -5 m, expected 0 or more" in parts.notes[0].reason


def test_a_detached_row_runs_straight(tmp_path):
    # from s = 0, t = 0 at (0, 0) to the end of a quarter circle of radius 50 m, s = 25 pi, at
    # (50, 50): the middle copy stands at (25, 25), and all look along the diagonal
    length = 25.0 * np.pi
    row = repeat(
        s=0, length=length, distance=0.5 * length, tStart=0, detachFromReferenceLine="true"
    )
    shapes = made(tmp_path, "wall", row, plan=ARC, length=2, width=0.2, height=1).standing
    places = np.array([shape.world_from_object[:2, 3] for shape in shapes])
    assert places == pytest.approx(np.array([(0, 0), (25, 25), (50, 50)]), abs=1e-9)
    diagonal = np.sqrt(0.5)
    for shape in shapes:
        assert shape.world_from_object[:2, 0] == pytest.approx([diagonal, diagonal])


@pytest.mark.parametrize(
    "angles_rad", [{"hdg": 0.5}, {"hdg": -2.0}, {"hdg": 3.0, "pitch": 0.2, "roll": -0.1}]
)
@pytest.mark.parametrize("end_t", [0, 40, -40])
def test_copies_of_a_detached_row_are_turned_against_it_as_the_object_is(
    tmp_path, angles_rad, end_t
):
    # the row goes 40 m along the road and `end_t` aside; `hdg` counts from this direction
    row = repeat(tStart=0, tEnd=end_t, detachFromReferenceLine="true")
    shapes = made(tmp_path, "wall", row, length=2, width=0.2, height=1, **angles_rad).standing
    hdg, pitch, roll = (angles_rad.get(name, 0.0) for name in ("hdg", "pitch", "roll"))
    turn = [hdg + np.arctan2(end_t, 40), pitch, roll]
    expected = Rotation.from_euler("ZYX", turn).as_matrix()
    assert len(shapes) == 5
    for shape in shapes:
        assert shape.world_from_object[:3, :3] == pytest.approx(expected)


def test_outlines_of_a_detached_row_keep_their_shape(tmp_path):
    # on the arc the box of 2 by 1 m beside s = 0 is bent; its copy is the same, at (50, 50) and
    # turned by the 45 degrees of the diagonal
    length = 25.0 * np.pi
    row = repeat(s=0, length=length, distance=length, tStart=0, detachFromReferenceLine="true")
    inside = row + on_road([(0, 0), (2, 0), (2, 1), (0, 1)])
    shapes = made(tmp_path, "obstacle", inside, plan=ARC, s=0, t=0).standing
    own = [(49.0 if t else 50.0, s / 50.0) for s, t in [(0, 0), (2, 0), (2, 1), (0, 1)]]
    bent = np.array([(r * np.sin(a), 50.0 - r * np.cos(a)) for r, a in own])
    diagonal = np.sqrt(0.5) * np.array([(1.0, 1.0), (-1.0, 1.0)])
    for shape, start in zip(shapes, [(0, 0), (50, 50)], strict=True):
        expected = sorted((start + bent @ diagonal).tolist())
        assert np.array(corners_of(shape)) == pytest.approx(np.array(expected), abs=1e-8)


def test_a_cubic_course_of_a_row_is_named(tmp_path):
    parts = made(tmp_path, "tree", repeat(bT=0.1), length=1, width=1, height=4)
    assert [note.reason for note in parts.notes] == ["bT, cT and dT of <repeat> are not read"]
