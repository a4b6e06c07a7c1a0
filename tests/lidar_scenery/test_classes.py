# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Classes by OSI type or material."""

import material_mapping
from lidar_scenery.classes import LOOKS_LIKE, NAMES, UNLABELED, class_of
from lidar_scenery.palette import material_colour


def test_the_first_name_that_has_a_class_decides():
    assert class_of("no_such_type", "Car") == 10
    assert class_of("asphalt_dry") == 40
    assert class_of("no_such_type") == UNLABELED


def test_classes_look_like_materials_that_there_are_and_no_two_alike():
    assert LOOKS_LIKE.keys() <= NAMES.keys()
    assert set(LOOKS_LIKE.values()) <= {*material_mapping.builtin_materials()}
    colours = {material_colour(each) for each in LOOKS_LIKE.values()}
    assert len(colours) == len(set(LOOKS_LIKE.values()))
