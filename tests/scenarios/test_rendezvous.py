# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The rendezvous scenario: files are what the script makes, and hits are those of geometry."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from osi_bridge import rotation_from_orientation
from osi_lidar import load_config
from osi_lidar.scan.from_config import scan_pattern
from tests.scenarios.scripts import script

RENDEZVOUS = Path(__file__).resolve().parents[2] / "scenarios" / "rendezvous"
MADE = ("satellite.obj", "satellite.mtl", "materials.yaml")


@pytest.fixture(scope="module")
def make():
    return script(RENDEZVOUS / "make_rendezvous.py")


@pytest.fixture(scope="module")
def study():
    return script(RENDEZVOUS / "study.py")


def test_script_makes_the_same_files_byte_for_byte(tmp_path, make):
    make.main(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(MADE)
    for name in MADE:
        assert (tmp_path / name).read_bytes() == (RENDEZVOUS / name).read_bytes(), name


def beams_on_reflectors(config, make, radius_m):
    """Count beams that pass through a disc of this radius in place of a reflector."""
    (target,) = config.scene.environment
    turn = rotation_from_orientation(np.radians([target.roll_deg, 0.0, 0.0]))
    direction = scan_pattern(config.sensors[0]).direction.astype(np.float64) @ turn
    origin = -np.array(target.position_m) @ turn  # the sensor in the satellite's frame
    n_beams = 0
    for place in make.REFLECTORS_M:
        along = (place[0] - origin[0]) / direction[:, 0]
        met = origin + along[:, None] * direction
        n_beams += np.count_nonzero(np.linalg.norm(met - place, axis=1) < radius_m)
    return n_beams


@pytest.mark.parametrize("name", ["lissajous", "rosette"])
@pytest.mark.parametrize("frequency_hz", [3.0, 13.0, 20.0, 47.0])
def test_hits_are_the_beams_that_pass_through_the_discs(make, study, name, frequency_hz):
    """A reflector is a polygon of 24 corners, which lies between two circles."""
    config = study.variant(name, frequency_hz)
    hits = np.count_nonzero(study.scanned(config)[1])
    inner_m = (make.REFLECTOR_RADIUS_M - 0.001) * np.cos(np.pi / 24)  # corners lie on 1 mm
    outer_m = make.REFLECTOR_RADIUS_M + 0.001
    fewest, most = (beams_on_reflectors(config, make, radius) for radius in (inner_m, outer_m))
    assert 0 < fewest <= hits <= most


@pytest.mark.parametrize("name", ["lissajous", "rosette"])
def test_hits_over_all_frequencies_are_those_of_the_patterns_density(make, study, name):
    """Beams per solid angle times the discs, without the frequency that closes the curve."""
    counts = [
        beams_on_reflectors(study.variant(name, float(hz)), make, make.REFLECTOR_RADIUS_M)
        for hz in range(1, 51)
        if hz != 31
    ]
    (target,) = load_config(RENDEZVOUS / f"{name}.yaml").scene.environment
    turn = rotation_from_orientation(np.radians([target.roll_deg, 0.0, 0.0]))
    place = np.array(target.position_m) + make.REFLECTORS_M @ turn.T
    distance = np.linalg.norm(place, axis=1)
    azimuth = np.degrees(np.arctan2(place[:, 1], place[:, 0]))
    elevation = np.degrees(np.arcsin(place[:, 2] / distance))
    disc = np.pi * np.degrees(make.REFLECTOR_RADIUS_M / distance) ** 2
    n_beams, half = 20_000, 10.0
    if name == "lissajous":
        root = np.sqrt(half**2 - azimuth**2) * np.sqrt(half**2 - elevation**2)
    else:
        rho = np.hypot(azimuth, elevation)
        root = rho * np.sqrt(half**2 - rho**2)
    expected = (n_beams * disc / (np.pi**2 * root)).sum()
    assert np.mean(counts) == pytest.approx(expected, rel=0.05)


def test_equal_frequencies_draw_one_closed_line_beside_all_reflectors(study):
    """With f_az = f_el a Lissajous curve is a diagonal; with f_rot = f_r a rosette is a circle."""
    for name, own_hz in (("lissajous", 31.0), ("rosette", 31.0)):
        pattern = scan_pattern(study.variant(name, own_hz).sensors[0])
        azimuth, elevation = np.degrees([pattern.azimuth_rad, pattern.elevation_rad])
        if name == "lissajous":
            np.testing.assert_allclose(azimuth, elevation, atol=1e-4)
        else:  # through the centre, with half the radius
            np.testing.assert_allclose(np.hypot(azimuth, elevation - 5.0), 5.0, atol=1e-4)
        assert study.study(name, np.array([own_hz])).hits.tolist() == [0]


def test_a_study_runs_by_one_command(tmp_path):
    command = [sys.executable, "-B", str(RENDEZVOUS / "study.py"), str(tmp_path / "out"), "2:8:6"]
    run = subprocess.run(command, check=True, timeout=300, capture_output=True, text=True)
    with (tmp_path / "out" / "study.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["frequency_hz"]) for row in rows] == [2.0, 8.0]
    best = max(rows, key=lambda row: int(row["rosette"]))
    assert f"most at rotation_hz = {float(best['frequency_hz']):g}" in run.stdout
    picture = tmp_path / "out" / "study.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size < 200_000


@pytest.mark.parametrize("name", ["lissajous", "rosette"])
def test_a_sensor_is_20_to_30_m_from_the_port(name):
    config = load_config(RENDEZVOUS / f"{name}.yaml")
    assert 20.0 < np.linalg.norm(config.scene.environment[0].position_m) < 30.0
