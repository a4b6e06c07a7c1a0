# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Hesai's angle and firetime correction files, in all their layouts."""

import hashlib
import struct

import numpy as np
import pytest

from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.reading import read_calibration, read_fire_times
from osi_lidar.sensors.calibration.record import BeamTable
from tests.builders.refusals import one_line
from tests.osi_lidar.sensors.calibration.files import at_column, pattern_of, text

ANGLES = "1,-5.0,2.0\n2,10.0,-1.0\n3,0.5,0\n"


@pytest.mark.parametrize(
    "head",
    [
        "Channel,Elevation,Azimuth\n",
        "Laser id,Elevation,Azimuth\n",
        "LaserID,Elevation,Azimuth\r\n",
        "\ufeffChannel,Elevation,Azimuth\n",
    ],
)
def test_every_header_is_read_and_azimuth_turns_clockwise(tmp_path, head):
    file = text(tmp_path, head + ANGLES)
    calibration = read_calibration(file)
    np.testing.assert_allclose(np.degrees(calibration.elevation_rad), [-5.0, 10.0, 0.5])
    np.testing.assert_allclose(np.degrees(calibration.azimuth_offset_rad), [-2.0, 1.0, 0.0])
    pattern = pattern_of(file)
    ahead = at_column(pattern, 900)  # of 1800 columns, at rings from top to bottom
    np.testing.assert_allclose(np.degrees(pattern.elevation_rad[ahead]), [10.0, 0.5, -5.0])
    np.testing.assert_allclose(np.degrees(pattern.azimuth_rad[ahead]), [1.0, 0.0, -2.0], atol=1e-12)


def test_a_checksum_in_the_last_line_is_no_channel(tmp_path):
    checksum = hashlib.sha256(b"").hexdigest()
    file = text(tmp_path, f"Channel,Elevation,Azimuth\n{ANGLES}{checksum},,\n")
    assert read_calibration(file).n_lasers == 3


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("", "contains no channel"),
        ("1,2,3\n1,2,3\n", "line 3: channel 1 is listed twice"),
        ("1,2,3\n3,2,3\n", "channel 2 of 3 is missing"),
        ("1,x,3\n", "line 2: elevation: got 'x', expected a number"),
        ("1,2\n", "line 2: azimuth: got '', expected a number"),
        ("1,nan,0\n", "line 2: elevation: got 'nan', expected a number"),
        ("one,2,3\n", "line 2: channel: got 'one', expected a number"),
        ("0,2,3\n", "line 2: channel: got '0', expected 1 to"),
        ("1,91,3\n", "elevation of laser 0 is 91 deg, expected -90 to 90"),
        ("1,1,400\n", "azimuth of laser 0 is 400 deg, expected -360 to 360"),
    ],
)
def test_a_bad_angle_file_is_one_line_with_its_line(tmp_path, lines, words):
    file = text(tmp_path, "Channel,Elevation,Azimuth\n" + lines)
    with one_line(ConfigurationError, words, start=f"{file}: "):
        read_calibration(file)


# --- firing times

BY_MODE = (
    "2.85,distance>=A1,distance<A1,distance>=A1,distance<A1\n"
    "operation mode,0,0,2,2\nangle state,0,0,0,0\n"
)
BY_LOOP = "EEFF,1,1,\nHorizontal Resolution Mode,1,LoopNum,2\nLoop1,Firetime1,Loop2,Firetime2\n"


@pytest.mark.parametrize(
    ("content", "expected_us"),
    [
        ("\ufeffChannel,fire time(us)\n1,6\n2,7.5\n3,9\n", [0, 1.5, 3]),
        ("Channel,fire time(\u03bcs)\n3,-3.5\n1,-8\n2,-5\n", [0, 3, 4.5]),  # before the block's end
        ("channel,firetime/us\n1,3\n2,2\n3,1\n", [2, 1, 0]),
        (
            "Operational State,0,0,2,2\nAzimuth State,0,1,0,1\n1,-,1,5,6\n2,1,-,4,7\n3,0,0,0,0\n",
            [5, 4, 0],
        ),
        (
            f"{BY_MODE}1,0,0,4436,5201\n2,0,0,0,0\n3,0,0,28554,28554\n",
            [4.436, 0, 28.554],
        ),
        (
            f"{BY_LOOP}3,0.6,2,0.6\n1,1.6,3,1.6\n0,0,0,0\n",
            [1, 0, 0],
        ),
    ],
)
def test_every_layout_of_firing_times_is_read(tmp_path, content, expected_us):
    seconds = read_fire_times(text(tmp_path, content), n_lasers=3)
    np.testing.assert_allclose(1e6 * seconds, expected_us, atol=1e-9)


def test_lasers_fire_at_their_times_while_the_head_turns(tmp_path):
    angles = text(tmp_path, "Channel,Elevation,Azimuth\n1,1,0\n2,0,0\n", name="angles.csv")
    times = text(tmp_path, "Channel,fire time(us)\n1,10\n2,35\n", name="times.csv")
    pattern = pattern_of(angles, firetime=str(times), columns=1800, rotation_rate_hz=10)
    first, second = at_column(pattern, 900)
    assert pattern.time_s[second] - pattern.time_s[first] == pytest.approx(25e-6)
    # 25 us of a turn of 0.1 s are 0.09 deg, clockwise
    turned_deg = np.degrees(pattern.azimuth_rad[second] - pattern.azimuth_rad[first])
    assert turned_deg == pytest.approx(-0.09)


def test_firing_times_longer_than_a_column_are_an_error_with_both_figures(tmp_path):
    angles = text(tmp_path, "Channel,Elevation,Azimuth\n1,1,0\n2,0,0\n", name="angles.csv")
    times = text(tmp_path, "Channel,fire time(us)\n1,0\n2,135\n", name="times.csv")
    message = r"fire within 135 us, but a column lasts 55.5556 us with columns 1800 and rotation_"
    with pytest.raises(ConfigurationError, match=message):
        pattern_of(angles, firetime=str(times))
    assert pattern_of(angles, firetime=str(times), columns=600).n_beams == 1200


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Channel,fire time(us)\n1,6\n2,7\n", "no fire time of channel 3, expected one for each"),
        ("Channel,fire time(us)\n1,6\n4,7\n", "line 3: channel: got '4', expected 1 to 3"),
        ("Channel,fire time(us)\n1,6\n1,7\n", "line 3: channel 1 is listed twice"),
        ("Channel,fire time(us)\n1,\n", "line 2: fire time: got '', expected a number"),
        ("a,b,c\n1,2,3\n", "line 1: got 'a,b,c', expected the header"),
        ("Operational State,0,0\nAzimuth State,0,1\n1,2,3\n", "line 1: has no mode 2 (standard)"),
        ("\n\n", "is empty"),
    ],
)
def test_a_bad_firetime_file_is_one_line_with_its_line(tmp_path, content, words):
    file = text(tmp_path, content)
    with one_line(ConfigurationError, words, start=f"{file}: "):
        read_fire_times(file, n_lasers=3)


def test_a_firetime_file_as_calibration_is_told_where_it_belongs(tmp_path):
    file = text(tmp_path, "Channel,fire time(us)\n1,6\n")
    with pytest.raises(
        ConfigurationError, match="is a firetime correction file, expected a calibration"
    ):
        read_calibration(file)


# --- the binary file of the AT128


def at128(*, resolution=2, version=(1, 5), checksum=True, az_deg=(2.4, -0.6), el_deg=(3.0, -4.0)):
    """Return a file of two lasers, without corrections but laser 1's elevation, 0.1 deg up."""
    unit = 25600 / (resolution or 1)
    n_laser = len(az_deg)
    head = struct.pack("<2s5B8sB", b"\xee\xff", *version, n_laser, 3, 3, b"\1\2\4", resolution)
    frames = struct.pack("<6I", *(round(unit * deg) for deg in (23, 143, 263, 143, 263, 23)))
    lasers = struct.pack(f"<{2 * n_laser}i", *(round(unit * deg) for deg in (*az_deg, *el_deg)))
    adjust = np.zeros((2, n_laser, 180), np.int8)
    adjust[1, 1] = round(0.1 * 100 / (resolution or 1))
    body = head + frames + lasers + adjust.tobytes()
    return body + (hashlib.sha256(body).digest() if checksum else bytes(32))


@pytest.mark.parametrize("resolution", [1, 2])
def test_the_mirror_turns_beams_twice_as_fast_and_ahead_is_in_the_middle(tmp_path, resolution):
    table = read_calibration(text(tmp_path, at128(resolution=resolution), name="a.dat"))
    assert isinstance(table, BeamTable)
    assert table.azimuth_rad.size == 2 * 1200
    azimuth_deg = np.degrees(table.azimuth_rad).reshape(1200, 2)
    # 120 deg in columns of 0.1 deg from left to right; az turns counter-clockwise here
    np.testing.assert_allclose(azimuth_deg[0], [59.95 + 2.4, 59.95 - 0.6], atol=1e-3)
    np.testing.assert_allclose(np.diff(azimuth_deg, axis=0), -0.1, atol=1e-9)
    elevation_deg = np.degrees(table.elevation_rad).reshape(1200, 2)
    np.testing.assert_allclose(elevation_deg, [[3.0, -3.9]] * 1200, atol=1e-4)
    # a face sees 60 deg of the encoder, a sixth of a turn of 0.3 s
    assert table.time_s[-1] == pytest.approx(0.05 * 1199 / 1200)
    pattern = table.source(0.1)
    assert pattern.n_beams == 2400
    assert pattern.at(0.3) is pattern


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (at128()[:10], "ends after 10 bytes, within its header"),
        (at128()[:-1], "got 807 bytes, expected 808 for 3 frames and 2 channels"),
        (at128()[:200] + b"x" + at128()[201:], "is damaged: its checksum does not match"),
        (at128(version=(1, 4)), "has the layout 1.4, which has no public description"),
        (
            at128(resolution=0),
            "3 frames, 2 channels and resolution 0, expected none of them to be 0",
        ),
        (
            at128(version=(9, 9)),
            "has the layout 9.9, which has no public description, expected layout 1.5",
        ),
    ],
)
def test_a_bad_binary_file_is_one_line(tmp_path, content, words):
    file = text(tmp_path, content, name="bad.dat")
    with one_line(ConfigurationError, words, start=f"{file}: "):
        read_calibration(file)


def test_a_frame_that_does_not_end_within_a_scan_is_an_error(tmp_path):
    file = text(tmp_path, at128(), name="a.dat")
    assert pattern_of(file, rotation_rate_hz=20).n_beams == 2400
    with pytest.raises(ConfigurationError, match=r"a\.dat: scan pattern: time_s of beam"):
        pattern_of(file, rotation_rate_hz=25)


def test_a_binary_file_without_checksum_is_taken_as_it_is(tmp_path):
    file = text(tmp_path, at128(checksum=False), name="a.dat")
    assert isinstance(read_calibration(file), BeamTable)
