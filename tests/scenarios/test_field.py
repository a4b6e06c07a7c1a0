# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The field scenario: 237 000 vertices, four cars that nearly collide, four kinds of sensor."""

from pathlib import Path

import numpy as np
import pytest

from lidar_app.show.check import check
from osi_lidar import FrameSource, LidarModel, load_config, replay
from osi_lidar.config.loading import revised_config
from tests.scenarios.scripts import script

FIELD = Path(__file__).resolve().parents[2] / "scenarios" / "field"
SMALL = 60
"""Pixels of the depth camera here, in place of 2000."""


@pytest.fixture(scope="module")
def make():
    return script(FIELD / "make_field.py")


@pytest.fixture(scope="module")
def run(make):  # noqa: ARG001  imports it
    return script(FIELD / "run_field.py")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, make):
    made = tmp_path_factory.mktemp("field")
    make.main(made)
    return made


@pytest.fixture(scope="module")
def small(folder):
    config = load_config(folder / "config.yaml")
    (depth,) = (n for n, sensor in enumerate(config.sensors) if sensor.name == "depth")
    path = ("sensors", depth, "pattern")
    return revised_config(config, {(*path, "width"): SMALL, (*path, "height"): SMALL})


@pytest.fixture(scope="module")
def frames(folder, make):
    return list(FrameSource(folder / make.TRACE_NAME))


@pytest.fixture(scope="module")
def steps(folder, small, frames):
    """Return the answers to the first message and one in the middle."""
    model = LidarModel(small, trace_folder=folder)
    return [model.step(frame) for frame in (frames[0], *frames[20:22])]


def test_terrain_and_four_cars_have_237_000_vertices(folder):
    counts = {
        name: (folder / f"{name}.obj").read_text().count("\nv ") for name in ("terrain", "car")
    }
    assert counts["terrain"] + 4 * counts["car"] == pytest.approx(237_000, abs=500)


def test_script_makes_the_same_files_byte_for_byte(folder, tmp_path, make):
    make.main(tmp_path)
    for path in folder.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_nothing_falls_back(folder, make):
    findings = check(folder / "config.yaml", FrameSource(folder / make.TRACE_NAME))
    assert not findings.missing
    assert not findings.fallbacks


def test_all_four_kinds_see_the_ground_or_a_car_in_every_scan(steps):
    assert [scan.sensor for scan in steps[0].scans] == ["rotating", "line", "tof", "depth"]
    for step in steps:
        for scan in step.scans:
            assert len(scan.cloud.points) > 100, scan.sensor
            assert scan.cloud.points["range"].max() <= (10.1 if scan.sensor == "tof" else 200.1)


def test_the_rotating_sensor_sees_all_cars_but_its_own(steps):
    rotating = steps[1].scans[0]
    assert {2, 3, 4} <= set(rotating.cloud.object_id.tolist())
    assert 1 not in rotating.cloud.object_id


def test_an_interval_is_40_ms_and_a_scan_takes_the_sensors_own_time(steps):
    assert steps[2].time_ns - steps[1].time_ns == 40_000_000
    took_ns = {scan.sensor: scan.end_ns - scan.begin_ns for scan in steps[2].scans}
    assert set(took_ns.values()) == {40_000_000, 80_000_000, 100_000_000}


def test_cars_nearly_collide_but_do_not(make):
    """Centres come nearer than two lengths of a car; boxes of no two cars overlap."""
    views = [make.sensor_view(number) for number in range(make.N_FRAMES)]
    places = np.array(
        [
            [(o.base.position.x, o.base.position.y) for o in v.global_ground_truth.moving_object]
            for v in views
        ]
    )
    gap = np.linalg.norm(places[:, :, None] - places[:, None], axis=3)
    gap[:, range(4), range(4)] = np.inf
    reach = np.hypot(*make.CAR.size_m[:2])
    assert reach < gap.min() < 2 * make.CAR.size_m[0]


def test_cars_stand_on_the_ground(make, folder, frames):
    """The ground in the middle below a car's box, furrows smoothed, is at the box's bottom."""
    lines = (folder / "terrain.obj").read_text().splitlines()
    vertices = np.array([line.split()[1:] for line in lines if line.startswith("v ")], float)
    for x, y, z in frames[12].objects.position_m:
        near = np.hypot(vertices[:, 0] - x, vertices[:, 1] - y) < 0.9
        bottom = z - make.CAR.size_m[2] / 2
        assert np.abs(vertices[near, 2].mean() - bottom) < 0.1


def test_depth_images_have_one_value_for_each_pixel(folder, small, make, tmp_path):
    replay(FrameSource(folder / make.TRACE_NAME, frames=slice(1)), small, tmp_path / "run")
    for name, width, height in (("tof", 176, 144), ("depth", SMALL, SMALL)):
        image = (tmp_path / "run" / name / "000000.pfm").read_bytes()
        assert image.startswith(f"Pf\n{width} {height}\n".encode())
        assert len(image.split(b"\n", 3)[3]) == 4 * width * height
    assert not (tmp_path / "run" / "line" / "000000.pfm").exists()


def test_a_sensor_alone_sees_what_it_sees_among_others(folder, small, frames, steps, run):
    model = LidarModel(run.alone(small, 2), trace_folder=folder)
    (scan,) = model.step(frames[0]).scans
    assert scan.sensor == "tof"
    among = steps[0].scans[2].cloud  # in single precision about the first sensor
    np.testing.assert_array_equal(scan.cloud.beam, among.beam)
    np.testing.assert_allclose(scan.cloud.points["range"], among.points["range"], atol=1e-4)


def test_times_are_printed_beside_the_papers(folder, small, run, make):
    one = run.timed(run.alone(small, 0), folder / make.TRACE_NAME, n_warm=1, n_timed=1)
    assert (one.sensor, one.n_beams) == ("rotating", 64 * 2083)
    assert one.n_cars == 3
    assert 0.0 < one.scan_s <= one.step_s
    assert set(run.PAPER_S) == {sensor.name for sensor in small.sensors}
