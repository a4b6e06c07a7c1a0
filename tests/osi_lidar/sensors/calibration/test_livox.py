# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Livox scan patterns: tables of beams, and the scan that is cut out of them."""

import io
import math

import numpy as np
import pytest

from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.reading import read_calibration
from tests.builders.refusals import one_line
from tests.osi_lidar.sensors.calibration.files import pattern_of, text

CSV = "Time/s,Azimuth/deg,Zenith/deg\n0,0,90\n0.01,90,80\n0.02,180,100\n0.03,270,45\n"


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def test_a_csv_table_gives_its_beams_at_their_times(tmp_path):
    pattern = pattern_of(text(tmp_path, CSV), rotation_rate_hz=25)  # the table lasts 0.04 s
    np.testing.assert_allclose(np.degrees(pattern.azimuth_rad), [0, 90, 180, -90])
    np.testing.assert_allclose(np.degrees(pattern.elevation_rad), [0, 10, -10, 45])
    np.testing.assert_allclose(pattern.time_s, [0, 0.01, 0.02, 0.03])


def test_an_array_gives_its_beams_at_the_models_rate(tmp_path):
    angles = np.stack([np.linspace(0, 2 * math.pi, 40_000), np.linspace(-0.1, 0.9, 40_000)], axis=1)
    file = text(tmp_path, npy(angles.astype(np.float32)), name="Mid-360.npy")
    pattern = pattern_of(file)
    assert pattern.n_beams == 20_000  # 200 000 a second, 10 scans a second
    np.testing.assert_allclose(pattern.time_s, np.arange(20_000) / 200_000, atol=1e-12)
    np.testing.assert_allclose(pattern.elevation_rad, angles[:20_000, 1], atol=1e-6)


def test_the_next_scan_goes_on_where_the_last_one_ended_and_the_table_repeats(tmp_path):
    source = read_calibration(text(tmp_path, CSV)).source(0.025)
    scans = [source.at(0.025 * number) for number in range(4)]
    turned = np.concatenate([np.degrees(scan.elevation_rad) for scan in scans])
    np.testing.assert_allclose(turned, ([0, 10, -10, 45] * 3)[:10], atol=1e-12)
    assert all(scan.time_s.min() >= 0 and scan.time_s.max() < 0.025 for scan in scans)


def test_a_table_that_fits_into_a_scan_is_shot_once_in_each(tmp_path):
    pattern = pattern_of(text(tmp_path, CSV), rotation_rate_hz=10)
    np.testing.assert_allclose(pattern.time_s, [0, 0.01, 0.02, 0.03])
    assert pattern.at(0.1) is pattern


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        ("Time/ms,Azimuth/deg,Zenith/deg\n0,0,90\n", "a.csv", "line 1: got 'Time/ms,Azimuth/deg"),
        ("Time/s,Azimuth/deg,Zenith/deg\n0,0,90\n", "a.csv", "1 beams, expected at least 2"),
        (CSV.replace("0.02", "0.005"), "a.csv", "line 4: time 0.005 s comes after 0.01 s"),
        (CSV.replace("180", "x"), "a.csv", "line 4: azimuth: got 'x', expected a number"),
        (CSV.replace(",45", ",200"), "a.csv", "beam 3: azimuth 270, elevation -110, expected"),
        ("Time/s,Azimuth/deg,Zenith/deg\n1,0,90\n1,0,90\n", "a.csv", "all times are 1 s"),
        (npy(np.zeros((5, 2))), "mine.npy", "its name contains no model"),
        (npy(np.zeros((5, 3))), "avia.npy", "got shape (5, 3), expected (n, 2)"),
        (npy(np.zeros((5, 2), int)), "avia.npy", "expected floating-point numbers of shape (n, 2)"),
        (npy(np.full((5, 2), np.nan)), "avia.npy", "beam 0: azimuth nan"),
        (npy(np.full((5, 2), 40.0)), "avia.npy", "beam 0: azimuth 2291.83"),
        (b"\x93NUMPY\1\0", "avia.npy", "not a NumPy array: "),
    ],
)
def test_a_bad_table_is_one_line(tmp_path, content, name, words):
    file = text(tmp_path, content, name=name)
    with one_line(ConfigurationError, words, start=f"{file}: "):
        read_calibration(file)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"preset": "VLP-16"}, "so leave out preset"),
        ({"columns": 100}, "so leave out columns"),
        ({"intrinsics": "naive"}, "expected intrinsics: calibrated"),
        ({"rotation_rate_hz": 1000}, None),
    ],
)
def test_a_table_takes_no_keys_of_a_turning_head(tmp_path, keys, words):
    file = text(tmp_path, CSV)
    if words is None:
        assert pattern_of(file, **keys).n_beams == 1
        return
    with pytest.raises(ConfigurationError, match=words):
        pattern_of(file, **keys)
