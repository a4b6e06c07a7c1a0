# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The street scenario: its files are what its script makes, and fit to one another."""

import struct
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import trimesh
import yaml
from osi3.osi_sensorview_pb2 import SensorView

STREET = Path(__file__).resolve().parents[2] / "scenarios" / "street"
ENDINGS = {".obj", ".mtl", ".yaml", ".osi"}
MESHES = ("car", "van", "pedestrian", "sign_speed_30", "sign_crossing", "sign_give_way")


def _files(folder):
    return {path.name: path for path in folder.iterdir() if path.suffix in ENDINGS}


@cache
def _trace():
    (path,) = STREET.glob("*.osi")
    data, views, at = path.read_bytes(), [], 0
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at)
        views.append(SensorView.FromString(data[at + 4 : at + 4 + size]))
        at += 4 + size
    return views


def _objects(view):
    truth = view.global_ground_truth
    moving = [(m.id.value, m.base, m.model_reference) for m in truth.moving_object]
    signs = [
        (s.id.value, s.main_sign.base, s.main_sign.model_reference) for s in truth.traffic_sign
    ]
    return moving + signs


def _poses(view):
    truth = view.global_ground_truth
    return [m.base.SerializeToString(deterministic=True) for m in truth.moving_object]


def _material_names(path):
    lines = path.read_text().splitlines()
    return {line.split()[1] for line in lines if line.startswith("usemtl ")}


def test_script_makes_the_same_files_byte_for_byte(tmp_path):
    command = [sys.executable, "-B", str(STREET / "make_street.py"), str(tmp_path)]
    subprocess.run(command, check=True, timeout=120)
    made, committed = _files(tmp_path), _files(STREET)
    assert sorted(made) == sorted(committed)
    for name, path in made.items():
        assert path.read_bytes() == committed[name].read_bytes(), name


def test_all_files_together_are_small():
    assert sum(path.stat().st_size for path in _files(STREET).values()) < 3_000_000


def test_trace_name_says_type_version_and_number_of_frames():
    (path,) = STREET.glob("*.osi")
    _, kind, version, _, frames, _ = path.stem.split("_")
    assert (kind, version, int(frames)) == ("sv", "380", len(_trace()))


def test_trace_has_at_least_40_steps_of_100_ms():
    stamps = [v.timestamp.seconds * 10**9 + v.timestamp.nanos for v in _trace()]
    assert len(stamps) >= 40
    assert set(np.diff(stamps)) == {100_000_000}
    for view in _trace():
        assert view.global_ground_truth.timestamp == view.timestamp


def test_trace_names_its_version_and_its_host():
    for view in _trace():
        assert (view.version.version_major, view.version.version_minor) == (3, 8)
        assert view.HasField("sensor_id")
        assert view.HasField("mounting_position")
        host = view.host_vehicle_id.value
        assert host in [m.id.value for m in view.global_ground_truth.moving_object]


def test_nothing_moves_at_the_start_and_at_the_end():
    # 9 + 9 steps repeat the step before them: 42 of 60 steps have something new to trace
    poses = [_poses(view) for view in _trace()]
    same = [before == after for before, after in pairwise(poses)]
    assert same == [True] * 9 + [False] * 41 + [True] * 9


def test_the_two_cars_pass_each_other_in_their_own_lanes():
    ahead = []
    for view in _trace():
        host, other = view.global_ground_truth.moving_object[:2]
        ahead.append(other.base.position.x - host.base.position.x)
        assert other.base.position.y - host.base.position.y == pytest.approx(3.5)
    assert ahead[0] > 20
    assert ahead[-1] < -5
    assert np.all(np.diff(ahead) <= 0)


def test_velocity_is_the_change_of_position():
    views = _trace()
    for before, now, after in zip(views, views[1:], views[2:], strict=False):
        for a, b, c in zip(
            *(v.global_ground_truth.moving_object for v in (before, now, after)), strict=True
        ):
            speed = (c.base.position.x - a.base.position.x) / 0.2
            # a step in acceleration (at most 5 m/s^2) within the 0.2 s: 5 * 0.1 / 4, plus rounding
            assert b.base.velocity.x == pytest.approx(speed, abs=0.13)


def test_signs_come_in_the_first_message_only():
    views = _trace()
    assert len(views[0].global_ground_truth.traffic_sign) >= 4
    assert all(len(v.global_ground_truth.traffic_sign) == 0 for v in views[1:])


def test_rear_axle_lies_at_wheel_height():
    for item in _trace()[0].global_ground_truth.moving_object:
        if item.HasField("vehicle_attributes"):
            axle = item.base.position.z + item.vehicle_attributes.bbcenter_to_rear.z
            assert axle == pytest.approx(item.vehicle_attributes.radius_wheel)


def test_osi_dimension_is_exactly_the_extent_of_the_mesh():
    references = set()
    for _, base, reference in _objects(_trace()[0]):
        size = np.array([base.dimension.length, base.dimension.width, base.dimension.height])
        low, high = trimesh.load_mesh(STREET / reference, process=False).bounds
        assert np.allclose(high - low, size, atol=1e-9), reference
        assert np.allclose(low, [-size[0] / 2, -size[1] / 2, 0], atol=1e-9), reference
        references.add(reference)
    assert references == {f"{name}.obj" for name in MESHES}


def test_every_object_stands_on_road_or_pavement():
    for _, base, _ in _objects(_trace()[0]):
        bottom = base.position.z - base.dimension.height / 2
        on_pavement = abs(base.position.y) > 5.6 or base.dimension.length < 0.1
        assert bottom == pytest.approx(0.12 if on_pavement else 0.0)


def test_car_is_more_than_a_box():
    mesh = trimesh.load_mesh(STREET / "car.obj", process=False)
    assert 2000 <= len(mesh.faces) <= 6000


@pytest.mark.parametrize("name", ["street", *MESHES])
def test_every_material_of_a_mesh_has_a_colour_and_an_infrared_material(name):
    used = _material_names(STREET / f"{name}.obj")
    coloured = {
        line.split()[1]
        for line in (STREET / f"{name}.mtl").read_text().splitlines()
        if line.startswith("newmtl ")
    }
    assert used == coloured
    mapping = yaml.safe_load((STREET / "materials.yaml").read_text())["materials"]
    assert used <= set(mapping)


def test_mapping_names_no_material_that_no_mesh_uses():
    used = set().union(*(_material_names(STREET / f"{n}.obj") for n in ("street", *MESHES)))
    mapping = yaml.safe_load((STREET / "materials.yaml").read_text())["materials"]
    assert used == set(mapping)
