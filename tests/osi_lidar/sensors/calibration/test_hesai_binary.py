# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Hesai's binary angle corrections of the FT120, ET25 and ATX, and the fire times that fit them."""

import numpy as np
import pytest

from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.reading import read_calibration
from tests.builders.refusals import one_line
from tests.osi_lidar.sensors.calibration.files import pattern_of, text
from tests.osi_lidar.sensors.calibration.hesai_files import (
    ATX_AZIMUTH,
    ATX_ELEVATION,
    atx,
    et25,
    et25_direction,
    ft120,
)
from tests.osi_lidar.sensors.calibration.test_hesai import at128

TOLERANCE_DEG = 1e-4
FILES = {"ft120": ft120(), "et25": et25(), "atx": atx(), "at128": at128()}


def table_of(folder, content):
    return read_calibration(text(folder, content, name="a.dat"))


def wrong_line(folder, content):
    """Return the line that a bad file gives, without the file's name."""
    file = text(folder, content, name="bad.dat")
    with pytest.raises(ConfigurationError) as caught:
        pattern_of(file)
    line = str(caught.value)
    assert line.startswith(f"{file}: ")
    assert "\n" not in line
    return line.removeprefix(f"{file}: ")


@pytest.mark.parametrize("name", FILES)
def test_a_frame_takes_a_tenth_of_a_second(tmp_path, name):
    table = table_of(tmp_path, FILES[name])
    assert table.duration_s == 0.1
    assert table.time_s.min() == 0.0
    assert table.time_s.max() < 0.1


# --- FT120


@pytest.mark.parametrize(("minor", "resolution"), [(0, 1), (1, 1), (1, 5), (2, 2)])
def test_every_beam_of_an_ft120_has_its_own_angles_and_90_degrees_are_ahead(
    tmp_path, minor, resolution
):
    table = table_of(tmp_path, ft120(minor=minor, resolution=resolution))
    # ring 0 is the second channel, which looks up
    azimuth_deg = np.degrees(table.azimuth_rad).reshape(3, 2)
    np.testing.assert_allclose(azimuth_deg, [[29, 30], [-1, 0], [-31, -30]], atol=1e-9)
    np.testing.assert_allclose(np.degrees(table.elevation_rad), [5, -5] * 3)
    np.testing.assert_array_equal(table.ring, [0, 1] * 3)
    np.testing.assert_allclose(table.time_s, np.repeat([0, 0.1 / 3, 0.2 / 3], 2))


# --- ET25


@pytest.mark.parametrize("minor", [1, 2, 3])
def test_beams_of_an_et25_are_those_of_the_makers_formula(tmp_path, minor):
    table = table_of(tmp_path, et25(minor=minor))
    lasers = (0, 2, 1)  # from top to bottom
    columns, lines = int(table.column.max()) + 1, (int(table.ring.max()) + 1) // 3
    assert columns > 130
    assert lines > 13
    azimuth_deg = -np.degrees(table.azimuth_rad).reshape(lines, columns, 3)
    elevation_deg = np.degrees(table.elevation_rad).reshape(lines, columns, 3)
    # which positions the mirrors take follows from the beam that corrections move least
    step = np.diff(azimuth_deg, axis=1).mean()
    assert step == pytest.approx(0.8, abs=0.01)
    placed = [
        (line, column)
        for line in (0, lines // 2, lines - 1)
        for column in (0, columns // 3, columns - 1)
    ]
    for line, column in placed:
        seen = azimuth_deg[line, column], elevation_deg[line, column]
        mirror = mirrors_of(seen[0][0], seen[1][0], adjusted=minor != 1)
        for rank, laser in enumerate(lasers):
            expected = et25_direction(laser, *mirror, adjusted=minor != 1)
            assert seen[0][rank] == pytest.approx(expected[0], abs=TOLERANCE_DEG)
            assert seen[1][rank] == pytest.approx(expected[1], abs=TOLERANCE_DEG)


def mirrors_of(azimuth_deg, elevation_deg, *, adjusted):
    """Return the position on the grid of 0.8 x 1.6 deg at which laser 0 looks there."""
    across = 0.8 * np.arange(-75, 76)
    down = 1.6 * (np.arange(16) - 7.5)
    found = [
        (a, e)
        for a in across[np.abs(across + 3 - azimuth_deg) < 3]
        for e in down[np.abs(down - elevation_deg) < 3]
        if np.allclose(
            et25_direction(0, a, e, adjusted=adjusted), (azimuth_deg, elevation_deg), atol=0.01
        )
    ]
    assert len(found) == 1
    return found[0]


def test_an_et25_fills_the_field_of_its_corrections_and_leaves_it_nowhere(tmp_path):
    table = table_of(tmp_path, et25())
    azimuth_deg, elevation_deg = np.degrees(table.azimuth_rad), np.degrees(table.elevation_rad)
    assert 55 < azimuth_deg.max() <= 60
    assert -60 <= azimuth_deg.min() < -55
    assert 10 < np.abs(elevation_deg).max() <= 12.5
    assert (np.diff(table.time_s.reshape(-1, 3)[:, 0]) > 0).all()
    assert table.source(0.1).n_beams == table.azimuth_rad.size


# --- ATX


@pytest.mark.parametrize("minor", [1, 2, 3])
def test_an_atx_swings_to_the_right_in_even_frames_and_back_in_odd_ones(tmp_path, minor):
    source = pattern_of_source(tmp_path, atx(minor=minor))
    lasers = [0, 2, 1]  # from top to bottom
    for frame in (0, 1, 2, 3):
        pattern = source.at(0.1 * frame + 5.0)  # 5 s are 50 frames
        odd = frame % 2
        azimuth_deg = np.degrees(pattern.azimuth_rad).reshape(1200, 3)
        first = (30.05, 149.95)[odd]  # of the encoder, clockwise
        offset = np.array(ATX_AZIMUTH[odd if minor > 1 else 0])[lasers]
        steps = np.arange(1200)[:, None] * (0.1, -0.1)[odd]
        expected = 90 - (first + steps + offset)
        np.testing.assert_allclose(azimuth_deg, expected, atol=TOLERANCE_DEG)
        elevation_deg = np.tile(np.array(ATX_ELEVATION)[lasers], (1200, 1))
        if minor == 3:  # 0.01 deg for each degree from 20 on
            elevation_deg = elevation_deg + 0.01 * (90 - expected - 20)
        seen_deg = np.degrees(pattern.elevation_rad).reshape(1200, 3)
        # the file holds 1/256 deg
        np.testing.assert_allclose(seen_deg, elevation_deg, atol=1 / 512 if minor == 3 else 1e-9)
        assert (np.diff(pattern.time_s.reshape(1200, 3)[:, 0]) > 0).all()
        columns = pattern.column.reshape(1200, 3)[:, 0]
        np.testing.assert_array_equal(columns, np.arange(1200)[:: (1, -1)[odd]])


def pattern_of_source(folder, content, **keys):
    table = table_of(folder, content)
    if "fire_s" in keys:
        table = table.firing.at(np.array(keys["fire_s"]))
    return table.source(0.1)


def test_lasers_of_an_atx_fire_later_further_along_the_swing(tmp_path):
    angles = text(tmp_path, atx(), name="a.dat")
    times = text(
        tmp_path, "Channel,Even_fire time(ns),Odd_fire time(ns)\n1,0,5000\n2,50000,0\n3,25000,0\n"
    )
    at_once = pattern_of_source(tmp_path, atx())
    fired = pattern_of_source(tmp_path, atx(), fire_s=[[0, 50e-6, 25e-6], [5e-6, 0, 0]])
    lasers = [0, 2, 1]
    for frame, later_us in enumerate(([0, 50, 25], [5, 0, 0])):
        late = 1e-6 * np.array(later_us)[lasers]
        one, other = at_once.at(0.1 * frame), fired.at(0.1 * frame)
        delay_s = (other.time_s - one.time_s).reshape(1200, 3)
        np.testing.assert_allclose(delay_s, np.tile(late, (1200, 1)), atol=1e-12)
        # 120 deg in 0.1 s, to the right and then to the left
        turned_deg = np.degrees(other.azimuth_rad - one.azimuth_rad).reshape(1200, 3)
        expected = np.tile(late * 1200 * (-1, 1)[frame], (1200, 1))
        np.testing.assert_allclose(turned_deg, expected, atol=1e-9)
    np.testing.assert_array_equal(
        pattern_of(angles, firetime=str(times)).azimuth_rad, fired.at(0.0).azimuth_rad
    )


def test_lasers_of_an_at128_fire_later_at_a_later_angle_of_the_mirror(tmp_path):
    angles = text(tmp_path, at128(), name="a.dat")
    times = text(tmp_path, "Channel,fire time(us)\n1,2\n2,12\n", name="t.csv")
    at_once, fired = pattern_of(angles), pattern_of(angles, firetime=str(times))
    np.testing.assert_allclose((fired.time_s - at_once.time_s)[:2], [0, 10e-6], atol=1e-12)
    # 400 deg of encoder in 0.3 s, doubled by the mirror: 10 us are 0.024 deg
    turned_deg = np.degrees(fired.azimuth_rad - at_once.azimuth_rad)[:2]
    np.testing.assert_allclose(turned_deg, [0, -0.024], atol=1e-9)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Channel,fire time(us)\n1,0\n2,1\n3,2\n", "line 1: got 'Channel,fire time(us)', expected"),
        ("Channel,Even_fire time(ns),Odd_fire time(ns)\n1,0,0\n2,0,0\n", "no fire time of channel"),
        (
            "Channel,Even_fire time(ns),Odd_fire time(ns)\n1,0,0\n2,0,x\n3,0,0\n",
            "line 3: fire time: got 'x', expected a number",
        ),
        (
            "Channel,Even_fire time(ns),Odd_fire time(ns)\n1,0,0\n2,0,90000\n3,0,0\n",
            "its lasers fire within 90 us, but a column lasts 83.3333 us",
        ),
    ],
)
def test_bad_fire_times_of_an_atx_are_one_line(tmp_path, content, words):
    angles, times = text(tmp_path, atx(), name="a.dat"), text(tmp_path, content)
    with one_line(ConfigurationError, words, start=f"{times}: "):
        pattern_of(angles, firetime=str(times))


def test_sensors_whose_lasers_fire_at_once_take_no_fire_times(tmp_path):
    times = text(tmp_path, "Channel,fire time(us)\n1,0\n", name="t.csv")
    for name in ("ft120", "et25"):
        file = text(tmp_path, FILES[name], name=f"{name}.dat")
        with pytest.raises(
            ConfigurationError, match="table of single beams, so leave out firetime"
        ):
            pattern_of(file, firetime=str(times))


# --- hostile files


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_at_any_byte_is_one_line(tmp_path, name):
    content = FILES[name]
    step = 1 if len(content) < 1000 else 7
    for n_byte in range(1, len(content), step):
        assert wrong_line(tmp_path, content[:n_byte])
    assert "bytes, expected" in wrong_line(tmp_path, content + b"\0")


@pytest.mark.parametrize("name", ["et25", "atx", "at128"])
def test_a_changed_byte_does_not_pass_the_checksum(tmp_path, name):
    content = bytearray(FILES[name])
    for place in range(0, len(content), 11):
        content[place] ^= 0x40
        assert wrong_line(tmp_path, bytes(content))
        content[place] ^= 0x40


def problem_of(file):
    """Return the line that a file gives, None if it gives beams."""
    try:
        pattern_of(file)
    except ConfigurationError as error:
        return str(error)
    return None


@pytest.mark.long
@pytest.mark.parametrize("name", ["ft120", "et25", "atx"])
def test_changed_bytes_without_a_checksum_give_beams_or_one_line(tmp_path, name):
    unsealed = FILES[name][:-32] + bytes(32)
    draw = np.random.default_rng(7)
    for _ in range(150):
        content = bytearray(unsealed)
        for place in draw.integers(0, len(content) - 32, 3):
            content[place] = draw.integers(256)
        file = text(tmp_path, bytes(content), name="a.dat")
        line = problem_of(file)
        assert line is None or (line.startswith(f"{file}: ") and "\n" not in line)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (ft120(azimuth_deg=((60, 361),)), "azimuth of beam 1 is 361 deg, expected -360 to 360"),
        (ft120()[:8] + b"\0" + ft120()[9:], "resolution 0, expected none of them to be 0"),
        (et25(division=0), "got 3 channels and angles in 1/0 deg, expected 1 to 1024 channels"),
        (et25(division=8), "a laser has an offset of 192 deg, expected at most 10"),
        (et25(mirrors=(62, 0, 0)), "a mirror has an offset of 62 deg, expected at most 60"),
        (et25(steps=(0, 5)), "steps H of the corrections are 0 deg, expected a whole number"),
        (et25(steps=(20, 7)), "steps V of the corrections are 3.5 deg, expected a whole number"),
        (et25(steps=(10, 5)), "bytes, expected 1162 for 3 channels and 275 corrections"),
        (et25(mirrors=(0, 0, 30)), "its lasers are outside of the field of 120 x 25 deg"),
        (atx(division=0), "got 3 channels and angles in 1/0 deg, expected neither"),
        (atx(elevation_deg=(91, 0, 0)), "elevation of laser 0 is 91 deg, expected -90 to 90"),
        (atx(minor=3, elevation_deg=(89.5, 0, 0)), "with their corrections reach 90.8"),
        (
            b"\xee\xff\x04\x04" + atx()[4:],
            "has the layout 4.4, which has no public description, expected",
        ),
        (b"\xee\xff\x03\x04" + et25()[4:], "expected layout 1.5 (AT128), 2.0 to 2.2 (FT120), 3.1"),
    ],
)
def test_a_wrong_head_or_angle_is_told(tmp_path, content, words):
    assert words in wrong_line(tmp_path, content)
