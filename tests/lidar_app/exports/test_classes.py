# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Each format that has a class for a point has that of one table."""

import laspy
import numpy as np
import pytest
from pyarrow import parquet

import material_mapping
from lidar_app.exports import labels
from lidar_app.exports.labels import LAS, LAS_NAMES, Labelling
from lidar_scenery.classes import MATERIALS, NAMES, TYPES, class_of
from osi_lidar.errors import InputError
from tests.commands import run
from tests.lidar_app.exports.test_laz import about
from tests.lidar_app.exports.test_ros2 import clouds, table


@pytest.fixture(scope="module")
def labelling(full):
    return Labelling(full)


def test_the_points_of_a_run_have_classes(full, labelling):
    classes = np.concatenate([labelling.classes(scan.points()) for scan in full.scans])
    assert (classes == 0).mean() < 0.02
    assert len(np.unique(classes)) > 2


def test_classes_need_no_numbers_of_objects(full, labelling, monkeypatch):
    """Of which there may be more than the 16 bits of an instance have room for."""
    monkeypatch.setattr(labels, "_LARGEST", 0)
    points = next(full.scans).points()
    assert (labelling.classes(points) > 0).any()
    with pytest.raises(InputError, match="instances have 16 bits"):
        Labelling(full).of(points)


def test_every_built_in_material_and_every_class_has_a_name_and_a_number():
    names = material_mapping.builtin_materials()
    assert [name for name in names if not class_of(name)] == []
    assert {*TYPES.values(), *MATERIALS.values()} <= NAMES.keys()
    assert LAS.keys() == NAMES.keys() - {0}
    assert set(LAS.values()) <= LAS_NAMES.keys()


def test_a_map_of_ones_own_may_name_what_no_surface_sent(tmp_path):
    own = tmp_path / "classes.yaml"
    own.write_text("false_alarm: 3\nweather: 4\n", encoding="utf-8")
    assert labels.read_classes(own, ["asphalt_worn"]) == {"false_alarm": 3, "weather": 4}


def test_las_has_the_classes_of_asprs_where_there_are_any(full_folder, full, labelling, tmp_path):
    assert run("export", "laz", full_folder, "--out", tmp_path / "clouds").exit_code == 0
    for scan in full.scans:
        if scan.row.frame == 1:  # repeats the one before
            continue
        path = tmp_path / "clouds" / scan.row.sensor / f"{scan.path.stem}.laz"
        file, points = laspy.read(path), scan.points()
        stated = [LAS.get(each, 1) for each in labelling.classes(points).tolist()]
        assert np.asarray(file.classification).tolist() == stated
        assert about(file)["classes"] == {str(number): name for number, name in LAS_NAMES.items()}


def test_parquet_has_their_names(full_folder, full, labelling, tmp_path):
    assert run("export", "parquet", full_folder, "--out", tmp_path / "p.parquet").exit_code == 0
    found = parquet.read_table(tmp_path / "p.parquet", columns=["class"])["class"].to_pylist()
    stated = [
        NAMES[each] for scan in full.scans for each in labelling.classes(scan.points()).tolist()
    ]
    assert found == stated


@pytest.mark.parametrize(
    ("layout", "topic"),
    [("xyzirt", "/front/points"), ("autoware", "/sensing/lidar/front/pointcloud_raw_ex")],
)
def test_a_bag_has_them_behind_the_drivers_fields_where_asked_for(full, tmp_path, layout, topic):
    labelling, full_folder = Labelling(full), full.folder
    bag = tmp_path / "bag"
    done = run("export", "ros2", full_folder, "--out", bag, "--layout", layout, "--truth")
    assert done.exit_code == 0, done.output
    for _, points, message in clouds(bag, full, topic):
        rows, stated = table(message), labelling.of(points)
        assert rows.dtype.names[-2:] == ("label", "instance")
        assert (rows["label"] == stated & 0xFFFF).all()
        assert (rows["instance"] == stated >> 16).all()
        assert (rows["x"] == points["x"]).all()
