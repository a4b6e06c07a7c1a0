# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Class maps: the ready ones know all names, and one's own are checked."""

import pytest

from lidar_app.datasets.class_map import READY, read_class_map
from lidar_scenery.classes import CLASSES, NAMES, TYPES
from osi_lidar.errors import InputError
from tests.builders.files import written

MATERIALS = ("asphalt_worn", "grass")


@pytest.mark.parametrize("name", READY)
def test_ready_maps_can_be_read(name):
    classes = read_class_map(name, MATERIALS)
    assert classes.source == name
    assert classes.box_names
    assert classes.index_of(["car"]) > 0


@pytest.mark.parametrize("name", ["nuscenes", "semantickitti"])
def test_maps_with_classes_of_points_have_one_for_every_name(name):
    assert set(read_class_map(name, ()).indices) >= {*CLASSES, "host"}


def test_semantickitti_has_the_numbers_of_the_export():
    classes = read_class_map("semantickitti", ())
    assert dict(zip(classes.numbers, classes.names, strict=True)) == NAMES
    for name, number in CLASSES.items():
        index = classes.indices[name]
        assert classes.numbers[index - 1] == number


@pytest.mark.parametrize("name", ["kitti", "openpcdet"])
def test_maps_of_boxes_know_only_types(name):
    assert set(read_class_map(name, ()).indices) <= set(TYPES)


def test_what_has_no_class_does_not_get_that_of_a_more_general_type():
    classes = read_class_map("nuscenes", ())
    assert classes.index_of(["tram", "vehicle"]) == 0
    assert classes.names[classes.index_of(["van", "vehicle"]) - 1] == "vehicle.car"


def test_a_map_of_ones_own(tmp_path):
    text = """
unlabelled: [bus]
classes:
  car: {box: true, of: [TYPE_CAR, vehicle]}
  ground: {number: 9, of: ["asphalt_*", grass]}
"""
    classes = read_class_map(str(written(tmp_path / "own.yaml", text)), MATERIALS)
    assert classes.names == ("car", "ground")
    assert classes.numbers == (1, 9)
    assert classes.boxed == (True, False)
    assert [classes.index_of([name]) for name in ("car", "asphalt_worn", "tree")] == [1, 2, 0]
    assert classes.index_of(["bus", "vehicle"]) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("classes: {a: {of: [cra]}}", "own.yaml: a: cra: expected an OSI type.*'car'"),
        ("classes: {a: {of: [asfalt_worn]}}", "a: asfalt_worn: expected .*'asphalt_worn'"),
        ("unlabelled: [buss]\nclasses: {a: {}}", "unlabelled: buss: expected .*'bus'"),
        ("classes: {a: {of: [car]}, b: {of: [CAR]}}", "b: CAR: belongs to another class"),
        ("classes: {a: {number: 3}, b: {number: 3}}", "b: got the number 3, which class a has"),
        ("classes: {a: {number: 70000}}", "classes: a: number: Input should be less"),
        ("classes: {a: {boxes: true}}", "classes: a: boxes: Extra inputs"),
        ("classes: {}", "classes: Dictionary should have at least 1"),
        ("car: 1", "own.yaml: classes: Field required"),
        ("classes: {a b: {}}", "got 'a b', expected a name without spaces"),
        ("- car", "own.yaml: expected keys and values, got a list"),
    ],
)
def test_a_map_that_cannot_be_used_is_one_line(text, words, tmp_path):
    own = written(tmp_path / "own.yaml", text)
    with pytest.raises(InputError, match=words) as caught:
        read_class_map(str(own), MATERIALS)
    assert "\n" not in str(caught.value)


def test_a_name_that_is_no_map_tells_near_ones():
    with pytest.raises(InputError, match=r"--classes: got 'nuscene', .*'nuscenes'"):
        read_class_map("nuscene", MATERIALS)
    with pytest.raises(InputError, match=r"gone\.yaml"):
        read_class_map("gone.yaml", MATERIALS)
