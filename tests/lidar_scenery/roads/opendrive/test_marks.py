# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Road marks of small maps: where they begin, how wide they are, and that they stay in sight."""

import numpy as np
import pytest

from lidar_scenery.roads.parts import MARKING_LIFT_M
from lidar_scenery.roads.rules import MarkingRules
from tests.lidar_scenery.roads.opendrive.small_maps import lane, of, read, road, section


def mark(kind, inside="", **attributes):
    """Return a mark; `inside` holds its lines."""
    more = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<roadMark sOffset="0" type="{kind}"{more}>{inside}</roadMark>'


def line(**attributes):
    more = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<type name="x" width="0.2"><line {more}/></type>'


def centre(inside, **options):
    """Return a road of two lanes with a mark between them."""
    return road(section(lane(1), lane(0, "", inside=inside), lane(-1)), **options)


def stations(strips):
    return [tuple(strip.left_m[[0, -1], 0].round(9)) for strip in strips]


def test_a_line_of_length_0_without_space_is_solid(tmp_path):
    parts = read(tmp_path, centre(mark("solid", line(length=0, space=0, tOffset=0, sOffset=0))))
    (solid,) = of(parts, "marking_white")
    assert solid.left_m.tolist() == [[0.0, 0.1, MARKING_LIFT_M], [100.0, 0.1, MARKING_LIFT_M]]
    assert solid.right_m[:, 1].tolist() == [-0.1, -0.1]


def test_dashes_begin_at_their_offset_and_end_with_the_road(tmp_path):
    dashed = line(length=6, space=12, tOffset=0.5, sOffset=10, width=0.3)
    parts = read(tmp_path, centre(mark("broken", dashed)))
    strips = of(parts, "marking_white")
    assert stations(strips) == [(10, 16), (28, 34), (46, 52), (64, 70), (82, 88)]
    assert strips[0].left_m[0, 1] == pytest.approx(0.65)
    assert strips[0].right_m[0, 1] == pytest.approx(0.35)


def test_a_mark_ends_where_the_next_begins(tmp_path):
    both = mark("solid", width=0.2) + mark("broken", width=0.1).replace('="0"', '="50"', 1)
    strips = of(read(tmp_path, centre(both)), "marking_white")
    assert stations(strips)[:3] == [(0, 50), (50, 53), (59, 62)]


@pytest.mark.parametrize(
    ("kind", "country", "dash", "gap"),
    [
        ("motorway", "", 6, 12),
        ("town", "DE", 3, 6),
        ("rural", "SWE", 3, 9),
        ("motorway", "UK", 2, 7),
    ],
)
def test_dashes_without_a_pattern_follow_the_type_of_the_road(tmp_path, kind, country, dash, gap):
    more = f'<type s="0" type="{kind}" country="{country}"/>'
    parts = read(tmp_path, centre(mark("broken"), more=more))
    strips = of(parts, "marking_white")
    assert stations(strips)[:2] == [(0, dash), (dash + gap, 2 * dash + gap)]
    assert strips[0].left_m[0, 1] == 0.06
    dashed, width = parts.notes
    assert dashed.used.startswith(f"{dash} m dashes, {gap} m gaps, as on ")
    assert width.used == "0.12 m wide"


def test_rules_of_the_configuration_say_how_lines_are_broken(tmp_path):
    parts = read(tmp_path, centre(mark("broken")), rules=MarkingRules(dash_m=1.0, gap_m=4.0))
    assert stations(of(parts, "marking_white"))[:2] == [(0, 1), (5, 6)]


@pytest.mark.parametrize(("number", "solid_t"), [(1, 3.4), (0, 0.1), (-1, -3.4)])
def test_a_pair_is_named_from_the_inside_or_from_the_left(tmp_path, number, solid_t):
    lanes = [lane(1), lane(0, ""), lane(-1)]
    lanes[1 - number] = lane(
        number, "" if number == 0 else 3.5, inside=mark("solid broken", width=0.1)
    )
    strips = of(read(tmp_path, road(section(*lanes))), "marking_white")
    (solid,) = [strip for strip in strips if strip.left_m[-1, 0] - strip.left_m[0, 0] > 50.0]
    assert 0.5 * (solid.left_m + solid.right_m)[0, 1] == pytest.approx(solid_t)
    assert len(strips) == 1 + 12


def test_lines_have_a_colour_of_their_own(tmp_path):
    lines = line(length=0, space=0, tOffset=0.2, sOffset=0, width=0.1, color="yellow")
    lines += line(length=0, space=0, tOffset=-0.2, sOffset=0, width=0.1)
    parts = read(tmp_path, centre(mark("solid solid", lines)))
    assert [strip.left_m[0, 1] for strip in of(parts, "marking_yellow")] == [0.25]
    assert [strip.left_m[0, 1] for strip in of(parts, "marking_white")] == [-0.15000000000000002]


def test_a_type_without_lines_has_a_width(tmp_path):
    parts = read(tmp_path, centre(mark("solid", '<type name="solid" width="0.3"/>')))
    assert parts.area_m2("marking_white") == pytest.approx(30.0)


def test_explicit_lines_are_drawn_once(tmp_path):
    lines = '<line length="2" tOffset="0" sOffset="3" width="0.4"/>'
    parts = read(tmp_path, centre(mark("custom", f"<explicit>{lines}</explicit>")))
    assert stations(of(parts, "marking_white")) == [(3, 5)]


def test_colours_and_dots_and_kerbs(tmp_path):
    lanes = section(
        lane(2, 1.0, inside=mark("curb", width=0.2, height=0.1)),
        lane(1, inside=mark("botts dots", line(space=9.9, tOffset=0, sOffset=0))),
        lane(0, "", inside=mark("solid", color="yellow")),
        lane(-1, inside=mark("solid", color="violet", weight="bold")),
        lane(-2, inside=mark("edge")),
        lane(-3, inside=mark("solid", width=0)),
    )
    parts = read(tmp_path, road(lanes))
    assert parts.area_m2("marking_yellow") == pytest.approx(12.0)
    assert parts.area_m2("kerb_stone") == pytest.approx(100.0 * (0.2 + 2 * 0.1))
    bold = [strip for strip in of(parts, "marking_white") if strip.left_m[-1, 0] == 100.0]
    assert [strip.area_m2 for strip in bold] == pytest.approx([25.0])
    assert {(note.used, note.reason) for note in parts.notes} == {
        ("marking_white", "its colour is 'violet'"),
        ("nothing", "its width is 0"),
        ("0.12 m wide", "its width is not stated"),
        ("0.25 m wide", "its width is not stated"),
    }


def hilly(kind):
    """Return profiles of a hill and a valley, with a roll or a crown."""
    hills = "".join(
        f'<elevation s="{s}" a="{a}" b="0" c="{c}" d="{d}"/>'
        for s, a, c, d in ((0, 0.0, 0.003, -2e-5), (50, 5.0, -0.006, 8e-5))
    )
    side = {
        "roll": '<superelevation s="0" a="0" b="0" c="3e-5" d="0"/>',
        "crown": '<crossfall side="both" s="0" a="0.03" b="0" c="0" d="0"/>',
    }[kind]
    return f"<elevationProfile>{hills}</elevationProfile><lateralProfile>{side}</lateralProfile>"


@pytest.mark.parametrize("kind", ["roll", "crown"])
def test_marks_stay_above_the_triangles_of_the_road(tmp_path, kind):
    """On hills with a roll or a crown, on a curve: each mark is in sight from above."""
    plan = '<geometry s="0" x="0" y="0" hdg="0" length="100"><arc curvature="0.01"/></geometry>'
    marked = mark("broken", width=0.2)
    lanes = section(lane(1, inside=marked), lane(0, "", inside=marked), lane(-1, inside=marked))
    parts = read(tmp_path, road(lanes, plan, more=hilly(kind)))
    triangles = np.concatenate([triangles_of(strip) for strip in of(parts, "road_asphalt")])
    points = np.concatenate([within(strip) for strip in of(parts, "marking_white")])
    above = points[:, 2] - highest(triangles, points)
    above = above[np.isfinite(above)]  # half of the outer marks lies beside the road
    assert len(above) > 0.6 * len(points)
    assert above.min() > 0.0
    assert above.max() < 2.0 * MARKING_LIFT_M


def triangles_of(strip):
    a, b = strip.left_m[:-1], strip.left_m[1:]
    c, d = strip.right_m[:-1], strip.right_m[1:]
    return np.concatenate([np.stack([a, c, b], 1), np.stack([b, c, d], 1)])


def within(strip):
    """Return points inside of the triangles of a strip."""
    shares = np.array([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [1 / 3, 1 / 3, 1 / 3], [0.05, 0.9, 0.05]])
    return np.einsum("kc,tci->tki", shares, triangles_of(strip)).reshape(-1, 3)


def highest(triangles, points):
    """Return z of the highest triangle above or below each point; -inf where there is none."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    p = points[:, None]

    def cross(u, v):
        return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]

    whole = cross(b - a, c - a)
    of_b, of_c = cross(p - a, c - a) / whole, cross(b - a, p - a) / whole
    inside = (of_b >= 0.0) & (of_c >= 0.0) & (of_b + of_c <= 1.0)
    z = a[:, 2] + of_b * (b - a)[:, 2] + of_c * (c - a)[:, 2]
    return np.where(inside, z, -np.inf).max(axis=1)
