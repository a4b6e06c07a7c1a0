# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A calibration in a configuration: what it decides, and what the points then are."""

import json

import numpy as np
import pytest
from osi3.osi_sensordata_pb2 import SensorData

from lidar_app.show.check_beams import beam_doubts
from osi_lidar import ConfigurationError, load_config
from osi_lidar.config import Sensor, named_paths
from osi_lidar.scan.from_config import scan_pattern
from osi_lidar.sensors.presets import load_preset
from tests.builders.clouds import points_of, xyz
from tests.builders.messages import Thing, host
from tests.builders.refusals import one_line
from tests.builders.worlds import config, steps
from tests.osi_lidar.sensors.calibration.files import ouster, pattern_of, text, velodyne

VLP_16 = [
    {"vert_correction": v, "rot_correction": 0.01}
    for v in np.radians(np.arange(-15.0, 16, 2)).tolist()
]


def test_points_of_a_wall_lie_on_it_though_beams_start_beside_the_origin(tmp_path):
    file = velodyne(
        tmp_path,
        [
            {
                "vert_correction": v,
                "rot_correction": 0.02,
                "vert_offset_correction": 0.2,
                "horiz_offset_correction": 0.026,
            }
            for v in (-0.05, -0.02)
        ],
    )
    wall = Thing(2, (20.0, 0.0, 5.0), dimension_m=(1.0, 60.0, 10.0))
    setting = config(sensors=[{"calibration": str(file), "range_limit": None}])
    model, (step,) = steps([[host(), wall]], setting)
    points = points_of(step, 2)
    assert len(points) > 200
    np.testing.assert_allclose(points["x"], 19.5 + 1.2, atol=1e-5)  # rear axle at -1.2 m
    pattern = model.lidars[0].pattern
    beam = step.scans[0].cloud.beam[step.scans[0].cloud.points["object_id"] == 2]
    ends = pattern.origin_m[beam] + points["range"][:, None] * pattern.direction[beam]
    np.testing.assert_allclose(xyz(points), ends, atol=1e-5)
    # 0.2 m above the origin, seen from 36 m or less: not where the beam alone points
    seen = np.arcsin(points["z"] / np.linalg.norm(xyz(points), axis=1))
    assert (seen - pattern.elevation_rad[beam]).min() > 0.2 / 37


def test_detections_are_where_the_points_are(tmp_path):
    setting = config(sensors=[{"calibration": str(ouster(tmp_path)), "min_range_m": 0.0}])
    _, (step,) = steps([[host(), Thing(2, (4.0, 0.5, 0.75))]], setting)
    points = points_of(step)
    sensor = SensorData.FromString(step.sensor_data).feature_data.lidar_sensor[0]
    assert len(sensor.detection) == len(points) > 100
    for point, detection in zip(points[::7], list(sensor.detection)[::7], strict=True):
        at = detection.position
        across = at.distance * np.cos(at.elevation)
        reached = (
            across * np.cos(at.azimuth),
            across * np.sin(at.azimuth),
            at.distance * np.sin(at.elevation),
        )
        np.testing.assert_allclose(reached, [point[axis] for axis in "xyz"], atol=2e-6)


def test_with_a_preset_the_file_gives_the_angles_and_the_preset_the_rest(tmp_path):
    file = velodyne(tmp_path, VLP_16)
    sensor = Sensor.model_validate({"preset": "VLP-16", "calibration": str(file)})
    assert sensor.max_range_m == load_preset("VLP-16").max_range_m
    pattern, nominal = scan_pattern(sensor), load_preset("VLP-16").pattern()
    assert pattern.n_beams == nominal.n_beams
    np.testing.assert_allclose(np.unique(pattern.elevation_rad), np.radians(np.arange(-15, 16, 2)))
    # laser 1, the second lowest here, fires second: 2.304 us of a cycle of 55.296 us
    second = np.flatnonzero((pattern.ring == 14) & (pattern.column == 0))
    np.testing.assert_allclose(pattern.time_s[second], 0.1 / 1808 / 24)


def test_with_an_ouster_preset_the_mode_is_the_files_unless_told(tmp_path):
    angles = {"beam_altitude_angles": [*range(16)], "beam_azimuth_angles": [1.0] * 16}
    file = ouster(tmp_path, prod_line="OS-1-16", lidar_mode="2048x10", **angles)
    assert pattern_of(file, preset="OS1-16").n_beams == 16 * 2048
    assert pattern_of(file, preset="OS1-16", columns=512).n_beams == 16 * 512
    unknown = ouster(tmp_path, prod_line="OS-1-16", lidar_mode="4096x5", **angles)
    with pytest.raises(ConfigurationError, match="sensor OS1-16: got columns 4096"):
        pattern_of(unknown, preset="OS1-16")


def test_naive_intrinsics_are_even_and_start_at_the_origin(tmp_path):
    pattern = pattern_of(ouster(tmp_path), intrinsics="naive")
    elevation_deg = np.degrees(np.unique(pattern.elevation_rad))
    np.testing.assert_allclose(elevation_deg, np.linspace(-15.0, 10.0, 4))
    ahead = np.degrees(pattern.azimuth_rad[pattern.column == 256])
    np.testing.assert_allclose(ahead, 0.0, atol=1e-12)
    assert pattern.has_one_origin


def test_naive_intrinsics_of_a_preset_keep_its_bounds_windows_and_firing_order():
    naive = scan_pattern(Sensor.model_validate({"preset": "HDL-64E", "intrinsics": "naive"}))
    known = load_preset("HDL-64E").pattern()
    steps_deg = np.diff(np.degrees(np.unique(naive.elevation_rad)))
    np.testing.assert_allclose(steps_deg, steps_deg[0])
    for end in (np.min, np.max):
        assert end(naive.elevation_rad) == pytest.approx(end(known.elevation_rad))
    ibeo = scan_pattern(Sensor.model_validate({"preset": "Ibeo-LUX-4L", "intrinsics": "naive"}))
    np.testing.assert_array_equal(
        ibeo.azimuth_rad, load_preset("Ibeo-LUX-4L").pattern().azimuth_rad
    )
    even = scan_pattern(Sensor.model_validate({"preset": "VLP-16", "intrinsics": "naive"}))
    np.testing.assert_array_equal(even.time_s, load_preset("VLP-16").pattern().time_s)


@pytest.mark.parametrize(
    ("name", "apart_deg"), [("OS1-16", 0.266), ("OS1-64", 0.129), ("OS0-128", 0.45)]
)
def test_calibrated_intrinsics_of_a_preset_are_those_of_its_unit(name, apart_deg):
    def beams(**keys):
        return scan_pattern(Sensor.model_validate({"preset": name, **keys}))

    first, unit = beams(), beams(intrinsics="calibrated")
    preset = load_preset(name)
    known = preset.pattern(lasers=preset.calibrated_example)
    np.testing.assert_array_equal(unit.elevation_rad, known.elevation_rad)
    np.testing.assert_array_equal(unit.azimuth_rad, known.azimuth_rad)
    off_deg = np.degrees(np.abs(unit.elevation_rad - first.elevation_rad)).max()
    assert off_deg == pytest.approx(apart_deg, abs=1e-3)
    assert beams(intrinsics="nominal").direction.tobytes() == first.direction.tobytes()


@pytest.mark.parametrize(
    ("name", "doubts"),
    [
        ("VLP-16", ["no unit of the VLP-16 is known: its angles are nominal"]),
        ("HDL-64E", []),  # its only table is a unit's
    ],
)
def test_a_preset_with_one_table_keeps_it_when_calibrated(name, doubts):
    sensor = Sensor.model_validate({"preset": name, "intrinsics": "calibrated"})
    pattern, known = scan_pattern(sensor), load_preset(name).pattern()
    assert pattern.direction.tobytes() == known.direction.tobytes()
    assert [doubt.split(", but ")[1] for doubt in beam_doubts(sensor, pattern)] == doubts


def test_a_calibration_of_another_sensor_is_refused(tmp_path):
    file = velodyne(tmp_path, VLP_16[:3])
    with pytest.raises(ConfigurationError, match="has 3 lasers, but sensor VLP-16 has 16"):
        pattern_of(file, preset="VLP-16")


PAIRS = "pattern: {kind: angles, horizontal_deg: [0], vertical_deg: [0]}"


@pytest.mark.parametrize(
    ("sensor", "words"),
    [
        (f"{{{PAIRS}, calibration: a.json}}", "[0].calibration: is for presets; a pattern ha"),
        (f"{{{PAIRS}, intrinsics: naive}}", "[0].intrinsics: is for presets; a pattern has"),
        ("{preset: VLP-16, firetime: a.csv}", "[0].firetime: needs a calibration, got n"),
        ("{preset: VLP-16, intrinsics: real}", "[0].intrinsics: got 'real' (allowed: nominal"),
        ("{preset: HDL-64E, intrinsics: nominal}", "[0].intrinsics: sensor HDL-64E: nominal an"),
        (
            "{calibration: a.json, intrinsics: nominal}",
            "[0].intrinsics: got 'nominal', expected calibrated or naive: calibration has",
        ),
        ("{preset: VLP-16, calibration: 5}", "[0].calibration: expected a path, got 5"),
        ("{calibration: none.json}", "[0].calibration: no such file: '"),
        ("{calibration: a.json, firetime: none.csv}", "[0].firetime: no such file: '"),
        ("{name: a}", "[0]: needs either a preset or a pattern, or a calibration alone"),
    ],
)
def test_a_bad_key_is_one_line_with_its_path(tmp_path, sensor, words):
    ouster(tmp_path, name="a.json")
    path = text(tmp_path, f"sensors: [{sensor}]\n", name="config.yaml")
    with one_line(ConfigurationError, f"{path}: sensors{words}"):
        load_config(path)


def test_paths_are_relative_to_the_configuration(tmp_path):
    ouster(tmp_path, name="a.json")
    path = text(tmp_path, json.dumps({"sensors": [{"calibration": "a.json"}]}), name="config.json")
    (sensor,) = load_config(path).sensors
    assert sensor.calibration == tmp_path / "a.json"
    assert sensor.name == "lidar"


def test_the_files_of_a_sensor_are_named_where_all_files_are(tmp_path):
    """An FMU carries what is named there."""
    ouster(tmp_path, name="a.json")
    text(tmp_path, "Channel,fire time(us)\n", name="b.csv")
    sensor = {"calibration": "a.json", "firetime": "b.csv"}
    path = text(tmp_path, json.dumps({"sensors": [{"preset": "VLP-16"}, sensor]}), name="c.yaml")
    assert dict(named_paths(load_config(path))) == {
        "sensors[1].calibration": tmp_path / "a.json",
        "sensors[1].firetime": tmp_path / "b.csv",
    }


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"hello\n", "not a known calibration, expected Ouster metadata"),
        (b"{1: 2}", "not JSON: "),
        (b"{}", "it has no beam_altitude_angles"),
        (b"a,b,c\n1,2,3\n", "not a known calibration"),
        (b"EEFF,1,1\nLaserNum,80,BlockNum,2\n", "not a known calibration"),
        (b"\xff\xfe{\0}\0", "not a text file in UTF-8"),
        (b"a\0b", "not a text file in UTF-8"),
        (b"my lasers", "expected keys and values"),
    ],
)
def test_what_is_no_calibration_is_one_line(tmp_path, content, words):
    file = text(tmp_path, content, name="some.file")
    with one_line(ConfigurationError, words, start=f"{file}: "):
        pattern_of(file)


def test_a_folder_is_no_calibration(tmp_path):
    with pytest.raises(ConfigurationError, match="cannot be read: "):
        pattern_of(tmp_path)
