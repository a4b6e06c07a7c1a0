# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The files of a calibration are read by the product as the sensor that they describe."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lidar_gap.calibrate import calibrate
from lidar_gap.calibrate.noise import SIGMAS_TOGETHER
from lidar_gap.calibrate.sensor_file import write_sensor
from lidar_gap.calibrate.table import calibration_table
from lidar_gap.records import ScanCloud
from osi_lidar.config import load_config
from osi_lidar.errors import InputError
from osi_lidar.scan.lidar import Lidar
from osi_lidar.sensors.calibration.reading import read_calibration
from osi_lidar.sensors.presets import load_preset
from tests.builders.recordings import N_COLUMN, lasers
from tests.builders.refusals import one_line


@pytest.fixture
def written(found, tmp_path):
    return write_sensor(found, tmp_path / "sensor.yaml", [Path("room.pcap")])


def test_configuration_has_the_lasers_that_were_recorded(written):
    (sensor,) = load_config(written[0]).sensors
    pattern = Lidar(sensor).pattern
    wanted_deg = sorted(np.degrees([laser["vert_correction"] for laser in lasers()]))
    found_deg = sorted(np.unique(np.degrees(pattern.elevation_rad)))
    np.testing.assert_allclose(found_deg, wanted_deg, atol=0.01)
    assert pattern.n_beams == len(wanted_deg) * N_COLUMN
    up_m = read_calibration(written[1]).beam_origin_m[:, 2]
    assert up_m.min() > 0.1


def test_configuration_has_the_noise_that_was_found(written, found):
    (sensor,) = load_config(written[0]).sensors
    for key in ("range_sigma_m", "sigma_dark_m", "quantisation_m", "drop_probability"):
        assert getattr(sensor.noise, key) == pytest.approx(found.findings[key].value, rel=1e-3)


def test_configuration_can_be_run_as_a_physical_sensor(written):
    (sensor,) = load_config(written[0], fidelity="physical").sensors
    assert sensor.receiver is None


def test_every_value_has_its_evidence_beside_it(written):
    lines = [line for line in written[0].read_text().splitlines() if "_sigma_m:" in line]
    assert lines
    assert all(" to " in line and "n = " in line for line in lines)
    assert "min_separation_m: no beam has two echoes" in written[0].read_text()


def test_json_has_all_figures(written, found):
    figures = json.loads(written[2].read_text())["figures"]
    assert figures.keys() == found.findings.keys() - {SIGMAS_TOGETHER}
    assert figures["columns"]["value"] == pytest.approx(N_COLUMN)


def test_table_has_a_row_for_what_was_not_found(found):
    table = calibration_table(found)
    fitted_on = table.headings.index("Fitted on")
    assert any("no beam has two echoes" in row[fitted_on] for row in table.rows)


def test_lasers_of_another_sensor_are_refused(found, tmp_path):
    other = replace(found, preset=load_preset("VLP-16"))
    with pytest.raises(InputError, match=r"--sensor: laser \d+ of .* deg of the VLP-16"):
        write_sensor(other, tmp_path / "sensor.yaml", [])


def too_few(preset):
    """Return the calibration of a cloud with 20 points of each laser of a known sensor."""
    up = np.radians(np.repeat(load_preset("OS0-64").channels.elevation_deg, 20))
    ring = np.repeat(np.arange(64, dtype=np.int32), 20)
    azimuth, range_m = np.linspace(0.0, 6.0, len(up)), np.linspace(3.0, 9.0, len(up))
    flat = [np.cos(up) * np.cos(azimuth), np.cos(up) * np.sin(azimuth)]
    points_m = range_m[:, None] * np.column_stack([*flat, np.sin(up)])
    return calibrate([ScanCloud(name="a", points_m=points_m, range_m=range_m, ring=ring)], preset)


def test_lasers_are_those_of_the_preset_if_none_was_found(tmp_path):
    preset = load_preset("OS0-64")
    config, lasers_file, _ = write_sensor(too_few(preset), tmp_path / "sensor.yaml", [])
    assert "# 0 of 64 lasers found" in config.read_text()
    np.testing.assert_allclose(
        np.degrees(read_calibration(lasers_file).elevation_rad), preset.channels.elevation_deg
    )


@pytest.mark.long
def test_no_laser_without_a_preset_is_told_in_one_line(tmp_path):
    with one_line(InputError, "calibrate: got none of 64 lasers, expected one with 30 points"):
        write_sensor(too_few(None), tmp_path / "sensor.yaml", [])
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_ouster_recording_gives_its_beam_origin(real_data, tmp_path):
    # metadata of the unit: 27.67 mm, 36.18 mm
    reading = pytest.importorskip("lidar_gap.reading")
    pytest.importorskip("ouster.sdk")
    capture = real_data / "scans" / "ouster" / "OS-0-128-U1_v2.3.0_1024x10.pcap"
    if not capture.exists():
        pytest.skip(f"not found: {capture}")
    found = calibrate(reading.read_clouds(capture), load_preset("OS0-128"))
    assert found.findings["beam_origin_radius_m"].value == pytest.approx(0.02767, abs=1e-5)
    assert found.findings["beam_origin_height_m"].value == pytest.approx(0.03618, abs=1e-5)
    config, lasers_file, _ = write_sensor(found, tmp_path / "sensor.yaml", [capture])
    theirs = read_calibration(capture.with_suffix(".json"))
    ours = read_calibration(lasers_file)
    np.testing.assert_allclose(ours.beam_origin_m, theirs.beam_origin_m, atol=1e-4)
    np.testing.assert_allclose(ours.elevation_rad, theirs.elevation_rad, atol=2e-5)
    assert load_config(config).sensors[0].columns == 1024
