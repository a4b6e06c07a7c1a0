# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensor presets: figures against their sources, and the patterns that follow from them."""

import importlib.resources
import math
from pathlib import Path

import numpy as np
import pytest
import yaml

from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.presets import load_preset, preset_names, read_preset
from tests.builders.refusals import one_line

REPOSITORY = Path(__file__).resolve().parents[3]
KNOWN = preset_names()
DEVICES = [  # number of channels, highest and lowest elevation [deg]
    ("VLP-16", 16, 15.0, -15.0),
    ("Puck-HiRes", 16, 10.0, -10.0),
    ("HDL-32E", 32, 10.67, -30.67),
    ("HDL-64E", 64, 1.971796, -24.893286),
    ("OS1-16", 16, 16.6 - 3 * 33.2 / 63, -16.6),  # every fourth row of the OS1-64: 3, 7, .. 63
    ("OS1-64", 64, 16.6, -16.6),
    ("OS1-128", 128, 21.4764, -21.4764),
    ("Ibeo-LUX-4L", 4, 1.2, -1.2),
    ("VLP-32C", 32, 15.0, -25.0),
    ("VLS-128", 128, 15.0, -25.0),
    ("Pandar64", 64, 14.708, -25.071),
    ("Pandar128", 128, 14.436, -25.0158),
    ("XT32", 32, 15.0, -16.0),
    ("XT32M", 32, 19.5, -20.8),
    ("XT16", 16, 15.0, -15.0),
    ("QT64", 64, 52.133, -52.121),
    ("OS0-32", 32, 43.9, -46.2),
    ("OS0-64", 64, 45.12, -46.2),
    ("OS0-128", 128, 46.2, -46.2),
    ("OS1-64-Gen2", 64, 21.1679, -21.4764),  # every second row of the OS1-128
    ("OS1-32", 32, 20.5477, -21.4764),
    ("Pandar40P", 40, 15.21, -24.569),
    ("OS2-128", 128, 10.76, -11.09),
    ("QT128", 128, 52.6268, -52.6268),
    ("AT128", 128, 12.93, -12.47),
    ("OS0-128-Rev7", 128, 45.16, -46.12),
    ("OS1-128-Rev7", 128, 20.47, -21.95),
]


@pytest.mark.parametrize("name", KNOWN)
def test_every_figure_of_a_preset_has_its_source(name):
    preset = load_preset(name)
    file = importlib.resources.files("osi_lidar.sensors") / "data" / f"{name}.yaml"
    figures = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert preset.name == name
    texts = {"name", "maker", "description", "unknown", "notes", "range_pairs_basis"}
    assert set(figures) - texts == set(preset.sources)
    assert all(len(source) > 10 for source in preset.sources.values())
    told = [key for key, source in preset.sources.items() if source.startswith("measured")]
    assert set(told) <= set(preset.fits)


@pytest.mark.parametrize(("name", "n_channels", "top_deg", "bottom_deg"), DEVICES)
def test_channel_count_and_extremes_are_those_of_the_device(name, n_channels, top_deg, bottom_deg):
    preset = load_preset(name)
    pattern = preset.pattern()
    assert preset.n_channels == n_channels
    assert pattern.ring.max() == n_channels - 1
    assert math.degrees(pattern.elevation_rad[0]) == pytest.approx(top_deg, abs=6e-4)
    assert math.degrees(pattern.elevation_rad[-1]) == pytest.approx(bottom_deg, abs=6e-4)


def test_extremes_of_all_known_sensors_are_compared():
    assert sorted(name for name, *_ in DEVICES) == sorted(KNOWN)


@pytest.mark.parametrize("name", KNOWN)
def test_beams_go_from_top_to_bottom_and_from_left_to_right(name):
    pattern = load_preset(name).pattern()
    assert (np.diff(pattern.ring.astype(int)) >= 0).all()
    assert (np.diff(pattern.elevation_rad) <= 0).all()
    same_row = np.diff(pattern.ring.astype(int)) == 0
    step = np.diff(pattern.azimuth_rad)[same_row]
    step = (step + math.pi) % (2 * math.pi) - math.pi  # a row may begin just beyond the back
    assert (step < 0).all()
    assert (np.diff(pattern.time_s)[same_row] > 0).all()
    steps = set(np.diff(pattern.column.astype(int))[same_row])
    assert steps == ({1, 2} if name == "QT128" else {1})  # lower lasers fire in every other one


@pytest.mark.parametrize(
    ("name", "rate_hz", "columns"),
    [
        # 1 / (rate x firing cycle): the azimuth steps of the data sheets, 0.1, 0.2, 0.4 deg
        ("VLP-16", 5, 3617),  # 3616.9
        ("VLP-16", None, 1808),  # 1808.4
        ("Puck-HiRes", 20, 904),  # 904.2
        ("HDL-32E", 10, 2170),  # 2170.1
        ("HDL-64E", 10, 2083),  # 2083.3
        ("HDL-64E", 15, 1389),  # 1388.9
        ("HDL-64E", 9.72, 2143),  # 2143.3; the KITTI data set has a step of 0.1679 deg, 2144
        ("VLP-32C", 10, 1808),
        ("VLS-128", 10, 1876),  # 1876.2
        ("Pandar64", 10, 1800),
        ("Pandar128", 20, 900),
        ("XT32", 10, 2000),
        ("XT32M", 10, 2000),
        ("XT16", 10, 2000),
        ("QT64", None, 600),
        ("QT128", None, 900),
    ],
)
def test_free_running_sensor_fires_as_many_columns_as_its_clock_allows(name, rate_hz, columns):
    pattern = load_preset(name).pattern(rotation_rate_hz=rate_hz)
    assert pattern.column.max() + 1 == columns


@pytest.mark.parametrize("name", ["OS1-16", "OS1-64", "OS1-128"])
def test_ouster_has_1024_columns_at_10_hz_unless_told_otherwise(name):
    preset = load_preset(name)
    assert preset.pattern().n_beams == 1024 * preset.n_channels
    assert preset.pattern(columns=2048).n_beams == 2048 * preset.n_channels
    assert preset.sweep(columns=512).rotation_rate_hz == 10
    assert preset.sweep(rotation_rate_hz=20).columns == 1024
    assert preset.pattern(columns=512, rotation_rate_hz=20).period_s == 0.05


@pytest.mark.parametrize(
    ("name", "columns", "points_per_second"),
    [
        ("OS1-128", None, 1_310_720),  # half of the 2 621 440 of the data sheet, at 2048 columns
        ("OS1-128", 2048, 2_621_440),
        ("OS0-128-Rev7", 2048, 2_621_440),  # as all Ousters of 128 lasers
        ("OS1-128-Rev7", 2048, 2_621_440),
        (
            "QT128",
            None,
            864_000,
        ),  # 172 800 of two returns in a scan: tier4/nebula, pandar_qt128.hpp
        ("AT128", None, 1_536_000),  # 307 200 likewise, pandar_at128.hpp
    ],
)
def test_beams_per_second_are_the_points_per_second_of_the_data_sheet(
    name, columns, points_per_second
):
    pattern = load_preset(name).pattern(columns=columns)
    assert pattern.n_beams / pattern.period_s == pytest.approx(points_per_second, rel=1e-3)


@pytest.mark.parametrize(("columns", "expected"), [(512, 7), (1024, 14), (2048, 28)])
@pytest.mark.parametrize("name", ["OS1-16", "OS1-64", "OS1-128"])
def test_plate_of_172_cm_at_20_m_is_seen_by_7_14_28_columns(name, columns, expected):
    # The plate subtends 2 atan(0.86 / 20) = 4.924 deg; times columns / 360 deg: 7.0, 14.0, 28.0.
    # How many columns fall on it depends on the phase of the row's offset: one more or less.
    pattern = load_preset(name).pattern(columns=columns)
    on_plate = np.abs(20 * np.tan(pattern.azimuth_rad)) <= 0.86
    on_plate &= np.abs(pattern.azimuth_rad) < math.pi / 2
    per_row = np.bincount(pattern.ring[on_plate])
    assert per_row.min() >= expected - 1
    assert per_row.max() <= expected + 1


def test_ouster_beam_azimuth_angles_point_clockwise():
    # Row 0 of the OS1-128 has 4.2521 deg, so straight-ahead column 512 looks 4.2521 deg right.
    pattern = load_preset("OS1-128").pattern()
    assert math.degrees(pattern.azimuth_rad[512]) == pytest.approx(-4.2521)
    assert pattern.direction[512, 1] < 0


def test_velodyne_lasers_fire_one_after_the_other_within_a_column():
    # Laser 1 of the VLP-16 (1 deg, ring 7) fires 2.304 us after laser 0 (-15 deg, ring 15), of a
    # cycle of 55.296 us: a 24th of a column, in which the head turns 360 / 1808 / 24 deg.
    pattern = load_preset("VLP-16").pattern()
    first, second = 15 * 1808 + 904, 7 * 1808 + 904
    assert pattern.time_s[second] - pattern.time_s[first] == pytest.approx(0.1 / 1808 / 24)
    assert pattern.azimuth_rad[first] == 0
    assert math.degrees(pattern.azimuth_rad[second]) == pytest.approx(-360 / 1808 / 24)


@pytest.mark.parametrize(
    ("name", "laser", "time_us"),
    [
        ("VLP-32C", 30, 15 * 2.304),  # two lasers at once
        ("VLS-128", 63, 7 * 2.665),  # eight at once
        ("VLS-128", 64, 9 * 2.665),  # after a pause behind the eighth group
        ("XT32", 31, 31 * 1.512),
        ("XT32M", 31, 15 * 2.888),  # as laser 15: two fire at a time
        ("Pandar64", 11, 0.0),  # laser 12 of the maker's fires first: -54.668 us
        ("Pandar64", 50, 54.668 - 3.62),
    ],
)
def test_each_laser_fires_at_its_time_of_the_cycle(name, laser, time_us):
    preset = load_preset(name)
    phase = preset.firing_phase(preset.sweep())
    assert phase[laser] * preset.scan.firing_cycle_us == pytest.approx(time_us, abs=1e-6)


def test_lower_lasers_of_the_qt128_take_turns():
    pattern = load_preset("QT128").pattern()
    beams = np.bincount(pattern.column, minlength=900)
    assert (beams == 96).all()
    lowest, next_lower = (pattern.column[pattern.ring == ring] for ring in (127, 95))  # 1, 33
    assert (lowest % 2 == 1).all()
    assert (next_lower % 2 == 0).all()


@pytest.mark.parametrize(("rate_hz", "columns"), [(10, 1200), (20, 600)])
def test_a_scan_of_the_at128_takes_half_of_its_time(rate_hz, columns):
    # 120 deg of the 240 deg by which beams turn while the mirror goes on to its next face
    pattern = load_preset("AT128").pattern(rotation_rate_hz=rate_hz)
    assert (pattern.period_s, pattern.n_beams) == (1 / rate_hz, 128 * columns)
    times_s = pattern.time_s[pattern.ring == 6]  # the seventh laser fires first in each column
    assert times_s[0] == 0
    np.testing.assert_allclose(np.diff(times_s), 41.6667e-6, atol=1e-9)
    heading_deg = np.degrees(pattern.azimuth_rad[pattern.ring == 6]) + 2.4
    assert heading_deg[[0, -1]] == pytest.approx([60, 120 / columns - 60], abs=1e-6)


@pytest.mark.parametrize(
    ("rate_hz", "upper", "lower"),
    [
        # windows of 96 deg and 100.5 deg, both ends included; at 0.5 deg, 50.25 is not on the step
        (12.5, 96 * 8 + 1, 804 + 1),
        (25, 96 * 4 + 1, 402 + 1),
        (50, 96 * 2 + 1, 200 + 1),
    ],
)
def test_ibeo_layers_have_their_own_azimuth_windows(rate_hz, upper, lower):
    pattern = load_preset("Ibeo-LUX-4L").pattern(rotation_rate_hz=rate_hz)
    assert np.bincount(pattern.ring).tolist() == [upper, upper, lower, lower]
    azimuth_deg = np.degrees(pattern.azimuth_rad)
    assert azimuth_deg[pattern.ring == 0].max() == pytest.approx(36)
    assert azimuth_deg[pattern.ring == 0].min() == pytest.approx(-60)
    assert azimuth_deg[pattern.column == 0].min() == pytest.approx(azimuth_deg.max())
    assert pattern.time_s.min() == 0


def test_elevations_of_the_ibeo_are_not_those_of_blensor():
    assert load_preset("Ibeo-LUX-4L").channels.elevation_deg == (1.2, 0.4, -0.4, -1.2)


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("HDL-64E", ((2.5, 50), (14.4, 120))),  # for 10 % of pavement at 88 deg, and r²
        ("OS1-128", ((10, 40), (80, 120))),
        ("VLP-16", ((16, 49.6), (64, 99.2))),
        ("HDL-32E", ()),
    ],
)
def test_range_pairs_are_the_sourced_ones(name, pairs):
    preset = load_preset(name)
    assert preset.range_pairs == pairs
    assert preset.range_fit == "root2"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("os1-128", "OS1-128"),
        ("VLP16", "VLP-16"),
        ("Puck HiRes", "Puck-HiRes"),
        ("hdl_32", "HDL-32E"),
        ("Ibeo 4L", "Ibeo-LUX-4L"),
        ("Alpha Prime", "VLS-128"),
        ("PandarXT-32", "XT32"),
        ("PandarXT-32M2X", "XT32M"),
        ("PandarXT-16", "XT16"),
        ("PandarQT", "QT64"),
        ("PandarQT128", "QT128"),
        ("Pandar AT128", "AT128"),
    ],
)
def test_names_are_read_tolerantly(written, meant):
    assert load_preset(written).name == meant


def test_unknown_sensor_names_the_nearest():
    with one_line(ConfigurationError, match="'OS1-127': did you mean OS1-128"):
        load_preset("OS1-127")
    with pytest.raises(
        ConfigurationError, match=r"unknown sensor 'xyz': known are .*AT128, HDL-32E, "
    ):
        load_preset("xyz")


@pytest.mark.parametrize(
    ("name", "choice", "message"),
    [
        (
            "OS1-64",
            {"columns": 1000},
            "got columns 1000, expected .* of 512x10, 512x20, 1024x10, 1024x20, 2048x10",
        ),
        ("OS1-64", {"columns": 2048, "rotation_rate_hz": 20}, "columns 2048 and rotation_rate_hz"),
        ("VLP-16", {"rotation_rate_hz": 25}, "rotation_rate_hz: got 25, expected 5 to 20"),
        ("VLP-16", {"rotation_rate_hz": math.nan}, "rotation_rate_hz: got nan, expected 5 to 20"),
        ("VLP-16", {"columns": 0}, "columns: got 0, expected 1 to 36000"),
        ("Ibeo-LUX-4L", {"columns": 500}, "columns follow from rotation_rate_hz"),
        ("Ibeo-LUX-4L", {"rotation_rate_hz": 10}, "got 10, expected one of 12.5, 25, 50"),
    ],
)
def test_choice_that_the_device_lacks_names_what_it_has(name, choice, message):
    with one_line(ConfigurationError, match=message):
        load_preset(name).pattern(**choice)


def test_free_running_sensor_takes_any_number_of_columns():
    # 0.1 deg for every sensor, to compare them, as LiMOX does in its figure 12
    pattern = load_preset("HDL-32E").pattern(columns=3600)
    assert pattern.n_beams == 3600 * 32
    assert pattern.time_s.max() < 0.1


def test_damaged_preset_file_is_named(tmp_path):
    file = tmp_path / "X-1.yaml"
    file.write_text("name: X-1\nmaker: none\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"X-1\.yaml: description: Field required"):
        read_preset(file)
    file.write_text("name: [", encoding="utf-8")
    with one_line(ConfigurationError, match=r"X-1\.yaml: cannot be read"):
        read_preset(file)
