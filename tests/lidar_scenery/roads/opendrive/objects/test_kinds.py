# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Shapes that types and words of a map's objects choose, and their usual sizes."""

import numpy as np
import pytest

from lidar_scenery.roads.opendrive.objects.kinds import OTHER, kind_of
from lidar_scenery.roads.opendrive.records import MapObject
from lidar_scenery.shapes.catalogue import SHAPES


def kind(type_, words=""):
    """Return how an object of a type, with a subtype and name, is drawn."""
    thing = MapObject(
        name="7",
        kind=type_,
        words=words,
        s_m=50.0,
        t_m=5.0,
        z_offset_m=0.0,
        angles_rad=(0.0, 0.0, 0.0),
        length_m=None,
        width_m=None,
        height_m=None,
        is_round=False,
        square=False,
        paint_color="",
        outlines=(),
        repeats=(),
        markings=(),
    )
    return kind_of(thing)


@pytest.mark.parametrize(
    ("type_", "words", "shape"),
    [
        ("railing", "", "guard_rail"),
        ("barrier", "", "barrier"),
        ("barrier", "guard-rail 3", "guard_rail"),  # letters only
        ("obstacle", "jerseyBarrier", "barrier"),
        ("obstacle", "fence post", "wall"),  # the first word of the list, not of the name
        ("obstacle", "Fence-Pole", "pole"),
        ("none", "a house in the street", "building"),
        ("none", "street", "object"),  # no tree
        ("something new", "", "object"),
    ],
)
def test_words_choose_a_shape_and_without_them_the_type_does(type_, words, shape):
    assert kind(type_, words).shape == shape


@pytest.mark.parametrize(
    ("type_", "shape"), [("tree", "tree"), ("building", "building"), ("streetLamp", "lamp")]
)
def test_names_of_trees_buildings_and_lamps_choose_nothing(type_, shape):
    assert kind(type_, "the wall at the pole").shape == shape


@pytest.mark.parametrize(
    "type_",
    [
        *("pole", "streetLamp", "tree", "vegetation", "barrier", "railing", "soundBarrier"),
        *("building", "gantry", "cone", "delineator", "wall", "none"),
    ],
)
def test_usual_objects_are_about_as_wide_and_high_as_their_shapes_usually_are(type_):
    """Within a factor of two; lengths are free: that of a wall in a map is a guess."""
    own = kind(type_)
    share = np.divide(own.usual_m[1:], SHAPES[own.shape].usual_m[1:])
    assert (share >= 0.5).all()
    assert (share <= 2.0).all()


def test_outlines_are_drawn_unless_the_shape_is_more_than_a_body():
    assert [kind(each).has_outline for each in ("pole", "streetLamp", "tree", "gantry")] == [0] * 4
    bodies = ("vegetation", "barrier", "railing", "wall", "building", "trafficIsland", "none")
    assert [kind(each).has_outline for each in bodies] == [1] * 7
    assert kind("none") == OTHER
