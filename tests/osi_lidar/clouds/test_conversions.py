# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds in other libraries and in files: the same numbers, field by field."""

import csv
import sys
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from osi_lidar.clouds.cloud import no_points
from osi_lidar.clouds.npy import read_points
from osi_lidar.clouds.pcd import pose_row
from osi_lidar.errors import OutputError
from tests.builders.clouds import wall_clouds
from tests.builders.worlds import ONE_BEAM


@pytest.fixture(scope="module")
def cloud(tmp_path_factory):
    (found,) = wall_clouds(tmp_path_factory.mktemp("wall"))
    return found


def test_a_cloud_of_a_step_knows_its_scan(cloud):
    assert (cloud.sensor, cloud.time_ns) == ("front", 0)
    assert cloud.world_from_sensor.tolist() == np.eye(4).tolist()
    assert cloud.materials[cloud.points["material_id"][0]] == "flat"


def test_a_table_has_the_fields_and_the_names_of_the_materials(cloud):
    pytest.importorskip("pandas")
    table = cloud.to_pandas()
    assert list(table) == [
        "material" if name == "material_id" else name for name in cloud.points.dtype.names
    ]
    assert table["x"].to_numpy().tolist() == cloud.points["x"].tolist()
    assert set(table["material"]) == {"flat"}
    assert list(table["material"].cat.categories) == list(cloud.materials)
    table.loc[0, "x"] = 0.0
    assert cloud.points["x"][0] != 0.0


def test_a_false_alarm_has_no_material_in_a_table(cloud):
    pytest.importorskip("pandas")
    points = cloud.points.copy()
    points["material_id"][3] = 0xFFFF
    assert replace(cloud, points=points).to_pandas()["material"].isna().to_numpy().nonzero()[0] == 3


def test_a_cloud_that_knows_no_materials_keeps_their_numbers(cloud):
    pytest.importorskip("pandas")
    table = replace(cloud, materials=None).to_pandas()
    assert list(table) == list(cloud.points.dtype.names)


@pytest.mark.slow  # open3d takes seconds to import
def test_open3d_gets_places_normals_and_brightness(cloud):
    pytest.importorskip("open3d")
    found = cloud.to_open3d()
    points = cloud.points
    assert np.asarray(found.points)[:, 1].tolist() == points["y"].tolist()
    assert np.asarray(found.normals)[:, 0].tolist() == points["normal_x"].tolist()
    # the wall is matt and reflects half of the light: grey
    assert np.asarray(found.colors) == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("ending", [".pcd", ".npy", ".NPY"])
def test_a_saved_cloud_reads_back_as_it_was(cloud, tmp_path, ending):
    cloud.save(tmp_path / f"cloud{ending}")
    assert read_points(tmp_path / f"cloud{ending}").tolist() == cloud.points.tolist()


def test_a_pcd_file_has_the_pose_of_the_sensor(cloud, tmp_path):
    pose = np.eye(4)
    pose[:3, 3] = (1.0, 2.0, 3.0)
    replace(cloud, world_from_sensor=pose).save(tmp_path / "cloud.pcd")
    line = f"VIEWPOINT {' '.join(map(str, pose_row(pose)))}"
    assert line.encode() in (tmp_path / "cloud.pcd").read_bytes()


def test_text_has_a_line_of_names_and_exact_numbers(cloud, tmp_path):
    cloud.save(str(tmp_path / "cloud.csv"))
    with (tmp_path / "cloud.csv").open(newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(cloud)
    for name in cloud.points.dtype.names:
        kind = cloud.points.dtype[name].type
        assert [kind(row[name]) for row in rows[:50]] == cloud.points[name][:50].tolist()


def test_another_ending_is_refused_in_one_line(cloud, tmp_path):
    with pytest.raises(OutputError, match=r"cloud\.xyz: got the ending '\.xyz', expected \.pcd"):
        cloud.save(tmp_path / "cloud.xyz")
    with pytest.raises(OutputError, match="cannot be written: No such file or directory"):
        cloud.save(tmp_path / "absent" / "cloud.csv")


@pytest.mark.parametrize(
    ("library", "method", "extra"),
    [("pandas", "to_pandas", "pandas"), ("open3d", "to_open3d", "twin")],
)
def test_a_missing_library_is_named_with_its_extra(cloud, monkeypatch, library, method, extra):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(OutputError, match=rf"pip install 'osi-lidar\[{extra}\]'"):
        getattr(cloud, method)()


def test_a_notebook_shows_the_page_of_the_cloud(cloud):
    from lidar_app.show.page import cloud_page

    shown = cloud._repr_html_()
    _, page = shown.split(' srcdoc="')
    page = page.removesuffix('"></iframe>')
    assert '"' not in page  # else it would end there
    assert unescape(page) == cloud_page(cloud.points, cloud.materials, title="front")


def test_a_cloud_without_points_is_a_line(tmp_path):
    assert no_points()._repr_html_() == f"<p>{no_points()!r}</p>"
    (nothing,) = wall_clouds(tmp_path, x_m=-10.0, pattern=ONE_BEAM)
    assert not len(nothing)
    assert nothing.sensor == "front"
    pytest.importorskip("pandas")
    assert nothing.to_pandas().empty
