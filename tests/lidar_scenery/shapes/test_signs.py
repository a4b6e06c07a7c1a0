# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Traffic signs: every type of OSI's has its face, turned to x, in retroreflective sheeting."""

import numpy as np
import pytest
from osi3.osi_trafficsign_pb2 import TrafficSign

from lidar_scenery.shapes.looks import LOOKS
from lidar_scenery.shapes.meshes import mesh_of
from lidar_scenery.shapes.roadside.sign_types import _NUMBERS, BY_TYPE, PLAIN
from lidar_scenery.shapes.signs import SIGNS, catalogue_sign_shape, sign_shape
from lidar_scenery.shapes.street import STREET
from osi_bridge.description.details import ObjectDetails

TYPES = TrafficSign.MainSign.Classification.Type.keys()
NOTHING = ObjectDetails()


def _areas(name, size, details=NOTHING):
    """Return the area of each visual material as seen from +x, and the mesh."""
    mesh = mesh_of(SIGNS[name].build(size, details), name)
    a, b, c = (mesh.vertices_m[mesh.faces[:, i]].astype(float) for i in range(3))
    towards = np.maximum(0.5 * np.cross(b - a, c - a)[:, 0], 0)
    names = np.array(mesh.slot_names)[mesh.slot]
    return {each: towards[names == each].sum() for each in mesh.slot_names}, mesh


def test_every_type_of_the_table_is_one_of_osi():
    assert {f"TYPE_{name}" for name in BY_TYPE} <= set(TYPES)


def test_every_type_but_those_without_a_face_of_their_own_is_in_the_table():
    plain = {name for name in TYPES if sign_shape(name) == PLAIN}
    few = {"UNKNOWN", "OTHER", "TOLL_BEGIN", "TOLL_END", "TOLL_ROAD", "STREET_NAME"}
    few |= {
        "SHOULDER_NOT_PASSABLE_MOTOR_VEHICLES",
        "SHOULDER_UNSAFE_TRUCKS_TRACTORS",
        "ROUTING_DESIGNATED_ACTORS",
    }
    assert plain == {f"TYPE_{name}" for name in few}
    assert {sign_shape(name) for name in TYPES} <= set(SIGNS) | set(STREET)


@pytest.mark.parametrize("name", SIGNS)
def test_a_sign_reflects_to_its_front_only(name):
    areas, _ = _areas(name, (0.08, 0.6, 0.6))
    retro = sum(area for each, area in areas.items() if LOOKS[each].infrared == "sign_sheeting")
    assert retro > (0.02 if name == "sign_green_arrow" else 0.09)
    mesh = mesh_of(SIGNS[name].build((0.08, 0.6, 0.6), NOTHING), name)
    back = mesh.faces[:, [0, 2, 1]]
    a, b, c = (mesh.vertices_m[back[:, i]].astype(float) for i in range(3))
    away = np.cross(b - a, c - a)[:, 0] > 1e-9
    behind = np.array([LOOKS[each].infrared for each in mesh.slot_names])[mesh.slot][away]
    assert "sign_sheeting" not in behind


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("sign_prohibition", np.pi / 4),
        ("sign_warning", 1 / 2),
        ("sign_give_way", 1 / 2),
        ("sign_stop", 0.828),
        ("sign_priority_road", 1 / 2),
        ("sign_information", 1.0),
    ],
)
def test_outline_is_that_of_the_sign(name, share):
    areas, mesh = _areas(name, (0.05, 0.8, 0.8))
    sheets = sum(area for each, area in areas.items() if each.startswith("Sign_Retro"))
    assert sheets == pytest.approx(share * 0.64, rel=0.02)
    front = mesh.vertices_m[mesh.vertices_m[:, 0] > 0.0249]
    wide = front[np.abs(front[:, 2] - front[:, 2].max()) < 1e-3, 1]
    if name == "sign_give_way":
        assert np.ptp(wide) == pytest.approx(0.8)
    if name == "sign_warning":
        assert np.ptp(wide) == 0


def test_prohibition_is_white_with_a_red_rim_and_warning_too():
    for name in ("sign_prohibition", "sign_warning", "sign_give_way"):
        areas, _ = _areas(name, (0.05, 0.8, 0.8))
        white, red = areas["Sign_Retroreflective_White"], areas["Sign_Retroreflective_Red"]
        assert 0.25 * white < red < white


@pytest.mark.parametrize(("height", "has_post"), [(0.6, False), (0.9, False), (2.4, True)])
def test_a_high_box_has_a_post_below_the_plate(height, has_post):
    _, mesh = _areas("sign_stop", (0.05, 0.6, height))
    assert ("Sign_Post_Steel" in mesh.slot_names) == has_post
    if has_post:
        sheet = mesh.faces_of([mesh.slot_names.index("Sign_Retroreflective_Red")])
        assert mesh.vertices_m[mesh.faces[sheet]][..., 2].min() > 0.59


def test_a_speed_limit_shows_its_number():
    def black(value):
        areas, _ = _areas("sign_speed_limit", (0.05, 0.6, 0.6), ObjectDetails(sign_value=value))
        return areas.get("Sign_Black", 0.0)

    assert 0.005 < black(30.0) < 0.06
    assert black(88.0) > black(11.0) > 0
    assert black(120.0) > 0
    assert black(None) == black(float("nan")) == black(-5.0) == black(1e9) == 0


def test_direction_signs_point_to_the_readers_side():
    for side, sign in (("right", 1), ("left", -1)):
        _, mesh = _areas(f"sign_direction_{side}_blue", (0.05, 1.5, 0.4))
        tip = mesh.vertices_m[np.argmax(sign * mesh.vertices_m[:, 1])]
        assert abs(tip[2]) < 1e-3


@pytest.mark.parametrize(
    ("number", "shape"),
    [
        ("206", "sign_stop"),
        ("274-50", "sign_speed_limit"),
        ("274.1-20", "sign_zone"),
        ("123", "sign_warning"),
        ("250", "sign_prohibition"),
        ("1000001", PLAIN),
        ("c", PLAIN),
        ("", PLAIN),
    ],
)
def test_numbers_of_the_german_catalogue_have_shapes(number, shape):
    assert catalogue_sign_shape(number) == shape
    assert set(_NUMBERS) <= set(SIGNS) | set(STREET)
