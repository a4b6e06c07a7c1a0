# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Static scenes with answers known by hand, from a configuration file to PCD files."""

import json
import math

import numpy as np
import pytest
from pypcd4 import PointCloud

from lidar_app.conformance.oracle import unit_vectors
from osi_lidar import load_config
from osi_lidar.run.replay import scan
from raycore.closed_forms import range_to_plane

UTM = (500_000.0, 5_600_000.0, 300.0)


def write_scene(folder, vertices, faces, sensor, *, material="Wall", offset_m=(0, 0, 0), **other):
    """Write a mesh and a configuration around it; return the configuration's path."""
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"usemtl {material}"]
    lines += ["f " + " ".join(str(i + 1) for i in face) for face in faces]
    (folder / "mesh.obj").write_text("\n".join(lines) + "\n")
    mounting = dict(zip(("x_m", "y_m", "z_m"), offset_m, strict=True))
    config = {
        "sensors": [{**sensor, "mounting": {**mounting, **sensor.get("mounting", {})}}],
        "scene": {
            "environment": [{"mesh": "mesh.obj", "up": "z", "position_m": list(offset_m)}],
            "ground": "none",
        },
        **other,
    }
    path = folder / "config.yaml"
    path.write_text(json.dumps(config))  # JSON is YAML
    return path


def rectangle(x, half_width, half_height):
    return [(x, y, z) for y in (-half_width, half_width) for z in (-half_height, half_height)]


def scanned(config_path, out):
    """Scan and return the points of the only cloud."""
    report = scan(load_config(config_path), out)
    name = report.model.config.sensors[0].name
    return PointCloud.from_path(out / name / "000000.pcd").pc_data


@pytest.mark.parametrize("offset_m", [(0.0, 0.0, 0.0), UTM])
def test_every_range_to_a_wall_is_that_of_the_closed_form(tmp_path, offset_m):
    """Wall at x = 20 m, to 1 mm."""
    sensor = {"preset": "OS1-128", "range_limit": None}
    path = write_scene(
        tmp_path, rectangle(20.0, 60.0, 30.0), [(0, 2, 3, 1)], sensor, offset_m=offset_m
    )
    points = scanned(path, tmp_path / "out")
    direction = np.stack([points[axis] for axis in "xyz"], axis=1) / points["range"][:, None]
    assert len(points) > 30_000
    expected_m = range_to_plane(np.zeros(3), direction, point_m=(20, 0, 0), normal=(1, 0, 0))
    np.testing.assert_allclose(points["range"], expected_m, rtol=0, atol=1e-3)
    np.testing.assert_allclose(points["x"], 20.0, atol=1e-3)
    np.testing.assert_allclose(points["normal_x"], -1.0, atol=1e-6)


def test_a_sensor_between_whole_metres_far_from_the_origin_is_as_exact(tmp_path):
    """float32 tells UTM's northings apart by half a metre only: the anchor is at the sensor."""
    sensor = {
        "preset": "VLP-16",
        "range_limit": None,
        "mounting": {"x_m": UTM[0] + 0.013, "y_m": UTM[1] + 0.2},
    }
    wall = rectangle(20.0, 60.0, 30.0)
    path = write_scene(tmp_path, wall, [(0, 2, 3, 1)], sensor, offset_m=UTM)
    points = scanned(path, tmp_path / "out")
    assert len(points) > 1000
    np.testing.assert_allclose(points["x"], 20.0 - 0.013, rtol=0, atol=1e-4)


@pytest.mark.parametrize(("columns", "expected"), [(512, 7), (1024, 14), (2048, 28)])
def test_a_car_wide_plate_shows_as_many_columns_as_published(tmp_path, columns, expected):
    """1.72 m at 20 m is 4.926 deg, of 360 deg / columns each (LiMOX, Fig. 6)."""
    sensor = {"preset": "OS1-128", "columns": columns, "range_limit": None}
    path = write_scene(tmp_path, rectangle(20.0, 0.86, 6.0), [(0, 2, 3, 1)], sensor)
    points = scanned(path, tmp_path / "out")
    per_ring = np.bincount(points["ring"])
    per_ring = per_ring[per_ring > 0]
    assert abs(per_ring.min() - expected) <= 1
    assert abs(per_ring.max() - expected) <= 1
    width_deg = math.degrees(2 * math.atan(0.86 / 20))
    assert expected == int(width_deg * columns / 360)


@pytest.mark.parametrize(
    ("fit", "limit_m"),
    # L r = a + b f(R) through (10 %, 60 m) and (80 %, 120 m), at R = 50 %
    [
        ("linear", 94.2857),
        ("root2", 100.5620),
        ("root3", 102.5993),
        ("root4", 103.5923),
        ("log", 106.4393),
    ],
)
def test_a_wall_is_seen_up_to_the_range_limit_of_its_reflectivity(tmp_path, fit, limit_m):
    sensor = {
        "pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0, 0]]},
        "name": "beam",
        "range_limit": {"pairs": [[10, 60], [80, 120]], "fit": fit},
    }
    seen = []
    for shift_m in (-0.001, 0.001):
        folder = tmp_path / f"{shift_m}"
        folder.mkdir()
        wall = rectangle(limit_m + shift_m, 1.0, 1.0)
        half = {"default": "lambertian_50"}
        path = write_scene(folder, wall, [(0, 2, 3, 1)], sensor, materials=half)
        seen.append(len(scanned(path, folder / "out")))
    assert seen == [1, 0]


def test_points_of_a_darker_target_are_a_subset_of_those_of_a_brighter_one(tmp_path):
    """A long plate seen at falling incidence: what 10 % still shows, 50 % shows too."""
    floor = [(x, y, -1.5) for x in (-90.0, 90.0) for y in (-90.0, 90.0)]
    sensor = {"preset": "HDL-64E", "range_limit": {"pairs": [[10, 60], [80, 120]], "fit": "log"}}
    clouds = {}
    for percent in (10, 50):
        folder = tmp_path / str(percent)
        folder.mkdir()
        materials = {"default": f"lambertian_{percent}"}
        path = write_scene(folder, floor, [(0, 2, 3, 1)], sensor, materials=materials)
        points = scanned(path, folder / "out")
        clouds[percent] = {tuple(p) for p in points[["ring", "column", "range"]].tolist()}
    assert clouds[10] < clouds[50]
    assert len(clouds[10]) > 1000


def test_material_classes_pass_end_and_return_beams(tmp_path):
    """Three planes one behind the other, of all classes: glass, absorber, sheeting, wall."""
    quad = [(0, 2, 3, 1)]
    sensor = {"pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0, 0]]}, "name": "beam"}
    expected = {"glass": 10.0, "absorber": None, "sign_sheeting": 5.0, "concrete": 5.0}
    for material, range_m in expected.items():
        folder = tmp_path / material
        folder.mkdir()
        front, back = rectangle(5.0, 1.0, 1.0), rectangle(10.0, 1.0, 1.0)
        path = write_scene(folder, front + back, quad, sensor, material="Front")
        text = (folder / "mesh.obj").read_text() + "usemtl Back\nf 5 7 8 6\n"
        (folder / "mesh.obj").write_text(text)
        mapping = {"materials": {"front": material, "back": "lambertian_80"}}
        (folder / "materials.yaml").write_text(json.dumps(mapping))
        config = json.loads(path.read_text())
        config["materials"] = {"mapping": "materials.yaml"}
        path.write_text(json.dumps(config))
        points = scanned(path, folder / "out")
        assert points["range"].tolist() == ([] if range_m is None else [pytest.approx(range_m)])
        if material == "sign_sheeting":
            assert points["reflectivity"][0] > 1.0
            assert points["intensity"][0] == 100.0


def test_a_beam_ends_at_a_surface_nearer_than_the_minimum_range(tmp_path):
    sensor = {
        "pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0, 0], [20, 0]]},
        "name": "beams",
        "min_range_m": 2.0,
    }
    near, far = rectangle(1.0, 0.1, 0.1), rectangle(10.0, 9.0, 9.0)
    path = write_scene(tmp_path, near + far, [(0, 2, 3, 1), (4, 6, 7, 5)], sensor)
    points = scanned(path, tmp_path / "out")
    assert points["column"].tolist() == [1]


def test_pairs_come_from_a_file_with_a_header(tmp_path):
    (tmp_path / "pairs.csv").write_text("azimuth,elevation\n0,0\n\n10.5,-2\n")
    sensor = {"pattern": {"kind": "pairs", "file": "pairs.csv"}, "name": "pairs"}
    path = write_scene(tmp_path, rectangle(10.0, 9.0, 9.0), [(0, 2, 3, 1)], sensor)
    points = scanned(path, tmp_path / "out")
    direction = unit_vectors(*np.radians([[0.0, 10.5], [0.0, -2.0]]))
    expected_m = range_to_plane(np.zeros(3), direction, point_m=(10, 0, 0), normal=(1, 0, 0))
    np.testing.assert_allclose(points["range"], expected_m, rtol=1e-6)


def test_a_scan_writes_one_frame_and_its_report(tmp_path):
    sensor = {"preset": "VLP-16", "name": "top"}
    path = write_scene(tmp_path, rectangle(10.0, 9.0, 9.0), [(0, 2, 3, 1)], sensor)
    out = tmp_path / "out"
    points = scanned(path, out)
    report = json.loads((out / "run.json").read_text())
    assert report["status"] == "complete"
    assert (report["frames_read"], report["frames_traced"], report["input"]) == (1, 1, None)
    assert report["points"] == len(points)
    assert (out / report["sensor_data"]).is_file()
    rows = (out / "frames.csv").read_text().splitlines()
    pose = "x_m,y_m,z_m,qw,qx,qy,qz"
    begin = ",".join(f"begin_{name}" for name in pose.split(","))
    at_origin = ",0.0,0.0,0.0,1.0,0.0,0.0,0.0"
    assert rows == [
        f"frame,time_ns,sensor,traced,points,file,scan_begin_ns,scan_end_ns,{pose},{begin}",
        f"0,0,top,1,{len(points)},top/000000.pcd,0,0{at_origin}{at_origin}",
    ]
