# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Survey scanners of HELIOS++ files: every kind of optics, what is chosen, and bad files."""

import numpy as np
import pytest

from osi_lidar import ConfigurationError, load_config
from osi_lidar.config import Sensor
from osi_lidar.scan.from_config import scan_pattern
from osi_lidar.scan.lidar import Lidar
from tests.builders.clouds import points_of, xyz
from tests.builders.files import written
from tests.builders.messages import Thing, host
from tests.builders.refusals import one_line
from tests.builders.worlds import config, steps
from tests.osi_lidar.sensors.calibration.files import text
from tests.osi_lidar.sensors.calibration.helios_files import (
    CHANNELS,
    RISLEY,
    expected_beam,
    helios,
    helios_vectors,
    scanner,
    sensor,
    vectors,
)

# --- optics


def test_a_rotating_mirror_draws_lines_while_the_head_turns(tmp_path):
    pattern = scan_pattern(sensor(helios(tmp_path, scanner())))
    # 200 pulses a line of 120 deg, of which +-45 deg are shot; the head turns 9 deg in 0.1 s
    pulse = np.arange(2000)
    angle = 120 * ((pulse / 200 + 0.5) % 1.0) - 60
    shown = np.abs(angle) <= 45 + 1e-9
    np.testing.assert_array_equal(pattern.column, pulse[shown])
    np.testing.assert_allclose(np.degrees(pattern.elevation_rad), angle[shown], atol=1e-9)
    turned_deg = np.degrees(pattern.azimuth_rad)
    np.testing.assert_allclose(turned_deg, 90 * pulse[shown] / 20_000, atol=1e-9)


def test_lines_go_on_from_scan_to_scan(tmp_path):
    lidar = Lidar(sensor(helios(tmp_path, scanner()), scan_hz=15))
    lidar.aim(50_000_000)
    first = np.degrees(lidar.pattern.elevation_rad[0])
    assert first == pytest.approx(120 * ((15 * 0.05 + 0.5) % 1.0) - 60)
    assert np.degrees(lidar.pattern.azimuth_rad[0]) == pytest.approx(90 * 0.05)


def test_an_oscillating_mirror_swings_no_faster_than_its_product_allows(tmp_path):
    swinging = scanner(optics="oscillating", scanProduct="3000")  # 3000 / 60 deg = 50 Hz
    pattern = scan_pattern(sensor(helios(tmp_path, swinging), head_hz=0))
    elevation_deg = np.degrees(pattern.elevation_rad)
    # 400 pulses a swing, up in 200
    np.testing.assert_allclose(np.diff(elevation_deg)[:199], 0.6)
    np.testing.assert_allclose(elevation_deg[[0, 200, 400]], [-60, 60, -60], atol=1e-9)


def test_a_conic_scanner_stays_on_its_cone(tmp_path):
    pattern = scan_pattern(sensor(helios(tmp_path, scanner(optics="conic", scanAngleMax_deg="20"))))
    head = np.degrees(np.arctan2(*vectors(pattern)[0, 1::-1]))
    assert head == pytest.approx(0)
    still = scan_pattern(
        sensor(helios(tmp_path, scanner(optics="conic", scanAngleMax_deg="20")), head_hz=0)
    )
    np.testing.assert_allclose(vectors(still)[:, 0], np.cos(np.radians(20)))
    # 200 pulses a turn, which begins above and goes to the right
    np.testing.assert_allclose(helios_vectors(still)[50, 0], np.sin(np.radians(20)))


def test_a_line_of_fibres_is_lit_one_by_one(tmp_path):
    lines = scanner(optics="line", numFibers="4", scanAngleMax_deg="8", headRotatePerSecMax_deg="0")
    pattern = scan_pattern(sensor(helios(tmp_path, lines)))
    np.testing.assert_allclose(
        np.degrees(pattern.elevation_rad[:6]), [-8, -4, 0, 4, -8, -4], atol=1e-9
    )


def test_prisms_bend_beams_at_their_faces(tmp_path):
    pattern = scan_pattern(sensor(helios(tmp_path, scanner(RISLEY))))
    seen = helios_vectors(pattern)
    assert len(seen) == 1000
    for pulse in (0, 17, 400, 999):
        expected = expected_beam(RISLEY, (0.0, 1.0, 0.0), pulse / 10_000)
        np.testing.assert_allclose(seen[pulse], expected, atol=1e-9)


def test_points_of_a_wall_lie_on_it_from_where_the_beam_starts(tmp_path):
    file = helios(tmp_path, scanner(inside='<beamOrigin x="0.5" y="0.3" z="0.2"/>'))
    wall = Thing(2, (20.0, 0.0, 5.0), dimension_m=(1.0, 60.0, 10.0))
    keys = {"calibration": str(file), "range_limit": None, "noise": None}
    model, (step,) = steps([[host(), wall]], config(sensors=[keys]))
    points = points_of(step, 2)
    assert len(points) > 100
    np.testing.assert_allclose(points["x"], 19.5 + 1.2, atol=1e-5)  # rear axle at -1.2 m
    cloud, pattern = step.scans[0].cloud, model.lidars[0].pattern
    beam = cloud.beam[cloud.points["object_id"] == 2]
    along = points["range"][:, None] * pattern.direction[beam]
    np.testing.assert_allclose(xyz(points) - along, [[0.3, -0.5, 0.2]] * len(points), atol=1e-5)


# --- mounts and channels


@pytest.mark.parametrize(
    ("rots", "local", "expected"),
    [
        ('<rot axis="x" angle_deg="30"/>', "", (0, np.cos(np.pi / 6), 0.5)),
        ('<rot axis="Z" angle_deg="90"/>', "", (-1, 0, 0)),
        ('<rot axis="x" angle_deg="90"/><rot axis="z" angle_deg="90"/>', "", (0, 0, 1)),
        ('<rot axis="z" angle_deg="90"/><rot axis="x" angle_deg="90"/>', "", (-1, 0, 0)),
        (
            '<rot axis="z" angle_deg="90"/><rot axis="x" angle_deg="90"/>',
            ' rotations="local"',
            (0, 0, 1),
        ),
    ],
)
def test_rotations_of_a_mount_follow_each_other(tmp_path, rots, local, expected):
    inside = f'<beamOrigin x="1" y="2" z="3"{local}>{rots}</beamOrigin>'
    still = scanner(inside=inside, scanFreqMin_Hz="0", headRotatePerSecMax_deg="0")
    pattern = scan_pattern(sensor(helios(tmp_path, still), scan_hz=0))
    np.testing.assert_allclose(helios_vectors(pattern)[0], expected, atol=1e-12)
    np.testing.assert_allclose(pattern.origin_m, [[2, -1, 3]])  # forward, left, up


def test_a_head_turns_about_the_axis_of_the_file(tmp_path):
    axis = '<headRotateAxis x="2" y="0" z="0"/>'
    over = scanner(inside=axis, scanFreqMin_Hz="0")
    pattern = scan_pattern(sensor(helios(tmp_path, over), scan_hz=0, head_hz=-0.25))
    np.testing.assert_allclose(np.degrees(pattern.elevation_rad[1000]), -4.5)


def test_channels_have_what_is_theirs_and_the_rest_of_the_scanner(tmp_path):
    pattern = scan_pattern(sensor(helios(tmp_path, scanner(inside=CHANNELS)), head_hz=0))
    rows = [np.degrees(pattern.elevation_rad[pattern.ring == ring]) for ring in (0, 1)]
    assert (rows[0].min(), rows[0].max()) == pytest.approx((-25, 65))
    assert (rows[1].min(), rows[1].max()) == pytest.approx((-30, -10), abs=0.1)
    heights = pattern.origin_m[:, 2]
    np.testing.assert_allclose(heights, np.where(pattern.ring == 0, 0.0, 0.1), rtol=1e-6)


def test_channels_of_prisms_have_their_own_incident_beams(tmp_path):
    inside = "".join(
        f'<channel id="{k}"><incidentBeam x="{x}" y="0.99" z="0"/></channel>'
        for k, x in enumerate((-0.05, 0.05))
    )
    double = scanner(RISLEY, inside=f"<channels>{inside}</channels>")
    pattern = scan_pattern(sensor(helios(tmp_path, double)))
    left = np.degrees(pattern.azimuth_rad[pattern.ring == 0]).mean()
    right = np.degrees(pattern.azimuth_rad[pattern.ring == 1]).mean()
    # about what came in, 5.8 deg apart
    assert left - right == pytest.approx(2 * np.degrees(np.arctan(0.05 / 0.99)), rel=0.05)


# --- the configuration


def test_ranges_wavelength_and_noise_are_the_files_unless_given(tmp_path):
    file = helios(tmp_path, scanner(), scanner(RISLEY))
    first = sensor(file, scanner="tls")
    assert (first.min_range_m, first.max_range_m, first.wavelength_nm) == (1.5, 10_000, 1064)
    assert first.noise.range_sigma_m == 0.005
    second = sensor(file, scanner="prisms")
    assert (second.min_range_m, second.max_range_m, second.wavelength_nm) == (0.0, 260, 905)
    assert second.noise is None
    given = {"calibration": {"file": str(file), "scanner": "tls"}, "max_range_m": 50, "noise": None}
    own = Sensor.model_validate(given)
    assert (own.min_range_m, own.max_range_m, own.noise) == (1.5, 50, None)


def test_a_configuration_names_the_file_beside_it(tmp_path):
    helios(tmp_path, scanner(), scanner(RISLEY))
    config = written(
        tmp_path / "config.yaml",
        "version: 1\nsensors:\n"
        "  - calibration: {file: scanners.xml, scanner: prisms, pulse_hz: 10000}\n",
    )
    (only,) = load_config(config).sensors
    assert only.max_range_m == 260
    assert scan_pattern(only).n_beams == 1000
    config.write_text("version: 1\nsensors:\n  - calibration: {file: gone.xml, scanner: prisms}\n")
    with pytest.raises(ConfigurationError, match=r"sensors\[0\].calibration.file: no such file"):
        load_config(config)


def test_a_file_of_one_scanner_needs_no_id(tmp_path):
    file = helios(tmp_path, scanner(RISLEY))
    assert scan_pattern(Sensor.model_validate({"calibration": str(file)})).n_beams == 1000


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, "contains 2 scanners; choose one by scanner: tls, prisms"),
        ({"scanner": "als"}, "contains no scanner 'als', expected one of tls, prisms"),
        ({"scanner": "tls", "pulse_hz": 5}, "tls: pulse_hz: got 5, expected 10000 to 20000"),
        ({"scanner": "tls", "scan_hz": 101}, "tls: scan_hz: got 101, expected 10 to 100"),
        ({"scanner": "tls", "head_hz": -0.26}, "head_hz: got -0.26, expected -0.25 to 0.25"),
        (
            {"scanner": "prisms", "scan_hz": 5},
            "scan_hz: is for mirrors, but the scanner has optics risley",
        ),
    ],
)
def test_a_choice_that_a_file_lacks_is_one_line(tmp_path, keys, words):
    file = helios(tmp_path, scanner(), scanner(RISLEY))
    with one_line(ConfigurationError, words, start=f"{file}: "):
        scan_pattern(sensor(file, **keys))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"columns": 5}, "is a survey scanner, so leave out columns"),
        ({"preset": "VLP-16"}, "is a survey scanner, so leave out preset"),
        (
            {"intrinsics": "naive"},
            "is a survey scanner, got intrinsics: naive, expected intrinsics: calibrated",
        ),
    ],
)
def test_keys_of_a_turning_head_are_refused(tmp_path, keys, words):
    file = helios(tmp_path, scanner(RISLEY))
    with one_line(ConfigurationError, words, start=f"{file}: "):
        scan_pattern(Sensor.model_validate({"calibration": str(file), **keys}))


def test_scanners_and_rates_belong_to_files_of_scanners_only(tmp_path):
    file = text(tmp_path, "Channel,Elevation,Azimuth\n1,2,3\n")
    assert scan_pattern(sensor(file)).n_beams == 1800
    with pytest.raises(
        ConfigurationError, match="is the file of a single sensor, so leave out scanner: 'a'"
    ):
        scan_pattern(sensor(file, scanner="a"))
    with pytest.raises(
        ConfigurationError, match=r"is not a survey scanner \(HELIOS\+\+\), so leave out pulse_hz"
    ):
        scan_pattern(sensor(file, pulse_hz=1))
