# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scan patterns as a configuration names them, from scan to scan, and those of other packages."""

import json
import math
import sys
from importlib.metadata import EntryPoint, EntryPoints

import numpy as np
import pytest

from osi_lidar import LidarModel, load_config
from osi_lidar.errors import ConfigurationError
from osi_lidar.scan.from_config import pattern_source, scan_pattern
from osi_lidar.sensors import pattern_plugins as plugins
from osi_lidar.sensors.presets import load_preset
from raycore.pattern.curves import lissajous, rosette
from tests.builders.messages import frames, host
from tests.commands import assert_one_line, replay, run
from tests.osi_lidar.sensors.one_pattern import config_of, source_of

LISSAJOUS = (
    "{kind: lissajous, azimuth_span_deg: 60, elevation_span_deg: 20, azimuth_hz: 51, "
    "elevation_hz: 33, pulse_hz: 10000}"
)
PRISMS = "[{wedge_deg: 18.7481, rate_hz: -121.5657}, {wedge_deg: 17.9634, rate_hz: 77.743}]"
RISLEY = f"{{kind: risley, prisms: {PRISMS}, pulse_hz: 10000}}"
SPINNING = "{kind: spinning, elevation_deg: [-1, 1], columns: 360"
CAMERA = "{kind: camera, width: 9, height: 6, horizontal_fov_deg: 60}"


@pytest.mark.parametrize(
    ("pattern", "beams", "rows"),
    [
        (LISSAJOUS, 1000, 1),
        ("{kind: rosette, radius_deg: 20, radial_hz: 97, rotation_hz: -3, pulse_hz: 5000}", 500, 1),
        ("{kind: spiral, radius_deg: 10, arm_pitch_deg: 0.5, pulse_hz: 20000}", 2000, 1),
        ("{kind: line}", 4 * (85 * 4 + 1), 4),
        (
            "{kind: line, layers_deg: [1, -1], step_deg: 1, layer_windows_deg: [[0, 9], [-9, 0]]}",
            20,
            2,
        ),
        (
            "{kind: raster, azimuth_deg: [-10, 10], elevation_deg: [-5, 5], columns: 7, rows: 5}",
            35,
            5,
        ),
        (RISLEY, 1000, 1),
        (RISLEY.replace("pulse_hz", "incident_deg: [[0, -1], [0, 1]], pulse_hz"), 2000, 2),
        ("{kind: camera, width: 16, height: 9, horizontal_fov_deg: 60}", 144, 9),
        ("{kind: spinning, elevation_deg: [-1, 1, 0], columns: 90}", 270, 3),
    ],
)
def test_every_kind_gives_its_beams(tmp_path, pattern, beams, rows):
    config = load_config(config_of(tmp_path, pattern))
    drawn = scan_pattern(config.sensors[0])
    assert (drawn.n_beams, int(drawn.ring.max()) + 1, drawn.period_s) == (beams, rows, 0.1)


def test_a_spinning_sensor_of_ones_own_has_the_beams_of_the_preset_that_it_describes(tmp_path):
    # XT32: 32 lasers of one column fire one after the other, at stated times; 2000 columns, 10 Hz
    preset = load_preset("XT32")
    lasers = preset.channels
    own = {
        "kind": "spinning",
        "elevation_deg": list(lasers.elevation_deg),
        "azimuth_offset_deg": (np.zeros(32) + np.degrees(lasers.azimuth_offset_rad())).tolist(),
        "columns": preset.sweep().columns,
        "firing_us": (1e6 * preset.sweep().column_s * preset.firing_phase(preset.sweep())).tolist(),
    }
    rate_hz = preset.sweep().rotation_rate_hz
    drawn = source_of(tmp_path, json.dumps(own), rotation_rate_hz=rate_hz).at(0.0)
    expected = preset.pattern()
    np.testing.assert_allclose(drawn.direction, expected.direction, atol=1e-6)
    np.testing.assert_allclose(drawn.time_s, expected.time_s, atol=1e-9)
    np.testing.assert_array_equal(drawn.ring, expected.ring)


def test_lasers_of_a_spinning_sensor_fire_in_turn_while_the_head_turns_on(tmp_path):
    # 4 columns in 0.1 s: a column takes 25 ms, the second of two lasers fires 12.5 ms into it, when
    # the head has turned by an eighth of a turn
    pattern = "{kind: spinning, elevation_deg: [5, -5], columns: 4, window_deg: [0, 90]}"
    drawn = source_of(tmp_path, pattern, rotation_rate_hz=10).at(0.0)
    np.testing.assert_allclose(np.degrees(drawn.azimuth_rad), [90, 0, 45, -45], atol=1e-5)
    np.testing.assert_allclose(drawn.time_s, [0.0, 0.025, 0.0125, 0.0375], atol=1e-9)


def test_check_shows_the_beams_of_a_pattern(tmp_path):
    result = run("check", "--config", config_of(tmp_path, LISSAJOUS))
    assert result.exit_code == 0, result.output
    assert "1000" in result.output


def test_angles_and_rates_of_a_file_are_degrees_and_hertz(tmp_path):
    pattern = LISSAJOUS.replace("pulse_hz", "azimuth_phase_deg: 90, pulse_hz")
    drawn = source_of(tmp_path, pattern, rotation_rate_hz=20).at(0.35)
    expected = lissajous(
        azimuth_span_rad=math.radians(60),
        elevation_span_rad=math.radians(20),
        azimuth_rate_hz=51,
        elevation_rate_hz=33,
        azimuth_phase_rad=math.pi / 2,
        pulse_rate_hz=10_000,
        period_s=0.05,
        start_s=0.35,
    )
    np.testing.assert_array_equal(drawn.direction, expected.direction)
    np.testing.assert_array_equal(drawn.time_s, expected.time_s)


def test_a_curve_that_restarts_is_the_same_in_every_scan(tmp_path):
    source = source_of(tmp_path, RISLEY.replace("pulse_hz", "restart: true, pulse_hz"))
    assert source.at(0.0) is source.at(0.1)
    goes_on = source_of(tmp_path, RISLEY)
    np.testing.assert_array_equal(goes_on.at(0.0).direction, source.at(0.1).direction)
    assert (goes_on.at(0.1).direction != source.at(0.1).direction).any()


def test_the_model_shoots_the_next_window_of_a_curve_at_the_next_message(tmp_path):
    config = load_config(config_of(tmp_path, LISSAJOUS))
    model = LidarModel(config)
    source = pattern_source(config.sensors[0])
    for index, frame in enumerate(frames([[host()]] * 4)):  # nothing moves but the beams
        step = model.step(frame)
        assert step.traced
        cloud = step.scans[0].cloud
        points = np.stack([cloud.points[axis] for axis in "xyz"], axis=1)
        direction = points / cloud.points["range"][:, None]
        assert step.scans[0].begin_ns == round(1e8 * max(index - 1, 0))
        shot = source.at(step.scans[0].begin_ns / 1e9).direction[cloud.beam]
        np.testing.assert_allclose(direction, shot, atol=1e-6)
        assert len(points) > 100  # on the ground


def test_a_sensor_of_its_own_rate_shoots_windows_that_join(tmp_path):
    path = config_of(tmp_path, LISSAJOUS, timing="sensor_rate", rotation_rate_hz=20)
    model = LidarModel(load_config(path))
    source = pattern_source(model.config.sensors[0])
    scans = [scan for frame in frames([[host()]] * 3) for scan in model.step(frame).scans]
    assert [scan.begin_ns for scan in scans] == [0, 50_000_000, 100_000_000, 150_000_000]
    cloud, beams = scans[2].cloud, source.at(0.1)
    direction = np.stack([cloud.points[axis] for axis in "xyz"], axis=1)
    direction /= cloud.points["range"][:, None]
    np.testing.assert_allclose(direction, beams.direction[cloud.beam], atol=1e-6)
    np.testing.assert_array_equal(cloud.points["time_ns"], np.rint(1e9 * beams.time_s[cloud.beam]))


def test_a_pattern_is_switched_while_the_model_runs(tmp_path):
    model = LidarModel(load_config(config_of(tmp_path, LISSAJOUS)))
    first, second, third = frames([[host()]] * 3)
    model.step(first)
    other = rosette(
        radius_rad=0.3, radial_rate_hz=9, rotation_rate_hz=2, pulse_rate_hz=700, period_s=0.1
    )
    model.lidars[0].use_pattern(other)
    step = model.step(second)
    assert step.traced
    assert model.lidars[0].pattern is other
    assert step.scans[0].cloud.beam.max() < 70
    assert not model.step(third).traced  # it stays as it is


def test_a_table_of_times_and_angles_comes_from_a_file(tmp_path):
    lines = [f"{0.05 * k:.2f},{k},{-k}" for k in range(6)]
    (tmp_path / "table.csv").write_text("time,azimuth,elevation\n" + "\n".join(lines) + "\n")
    source = source_of(tmp_path, "{kind: table, file: table.csv}")
    drawn = source.at(0.2)
    np.testing.assert_allclose(np.degrees(drawn.azimuth_rad), [4, 5])
    np.testing.assert_allclose(np.degrees(drawn.elevation_rad), [-4, -5])
    np.testing.assert_allclose(drawn.time_s, [0, 0.05], atol=1e-12)
    again = source_of(tmp_path, "{kind: table, file: table.csv, repeats_after_s: 0.5}")
    np.testing.assert_allclose(np.degrees(again.at(0.5).azimuth_rad), [0, 1], atol=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,0,0\n0.1,0\n", "line 2: got '0.1,0', expected time in seconds, azimuth and elevation"),
        ("0,0,0\n0.1,a,0\n", "line 2: got '0.1,a,0'"),
        ("0,0,0\n0.2,0,0\n0.1,0,0\n", "line 3: time 0.1 s, expected 0.2 s or later"),
        ("-1,0,0\n", "line 1: time -1 s, expected 0 s or later"),
        ("0,0,0\nnan,0,0\n", "line 2: time nan s"),
        ("0,0,95\n", "line 1: azimuth 0, elevation 95, expected"),
        ("time,azimuth,elevation\n", "contains no pulses"),
        ("", "contains no pulses"),
        (b"\xff\xfe\x00", "not a CSV file of angles"),
    ],
)
def test_a_table_that_cannot_be_used_is_one_line_with_its_place(tmp_path, text, message):
    (tmp_path / "t.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    path = config_of(tmp_path, "{kind: table, file: t.csv}")
    assert_one_line(run("check", "--config", path), 2, "t.csv", message)


def test_a_table_that_repeats_before_its_end_names_its_file(tmp_path):
    (tmp_path / "t.csv").write_text("0,0,0\n0.5,0,0\n")
    path = config_of(tmp_path, "{kind: table, file: t.csv, repeats_after_s: 0.3}")
    words = ["sensor s", "t.csv", "0.5 s, expected before 0.3 s"]
    assert_one_line(run("check", "--config", path), 2, *words)
    path.write_text(path.read_text().replace("0.3", "1e30"))
    words = ["sensor s", "t.csv", "repeats after 1e+30 s, expected at most 1e+09 s"]
    assert_one_line(run("check", "--config", path), 2, *words)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (LISSAJOUS.replace("10000", "5"), ["pattern: 5 pulses/s give no pulse in a scan of 0.1 s"]),
        (LISSAJOUS.replace("10000", "1e9"), ["pattern", "1e+08 beams", "at most 33554432"]),
        (LISSAJOUS.replace("10000", "0"), ["pattern.pulse_hz", "greater than 0"]),
        (LISSAJOUS.replace("51", ".nan"), ["pattern.azimuth_hz", "nan"]),
        (LISSAJOUS.replace("azimuth_hz", "azimut_hz"), ["azimut_hz", "did you mean 'azimuth_hz'"]),
        (LISSAJOUS.replace("lissajous", "lisajous"), ["did you mean 'lissajous'?"]),
        (f"{SPINNING}, firing_us: [0, 1, 2]}}", ["firing_us", "has 3 entries, expected 2"]),
        (f"{SPINNING}, firing_us: [0, 1000]}}", ["got 1000, expected less than the 277.778 us"]),
        (f"{SPINNING}, window_deg: [90, 0]}}", ["window", "expected 2 pairs of (min, max)"]),
        ("{kind: line, layer_windows_deg: [[0, 9]], layers_deg: []}", ["layers_deg", "1 or more"]),
        (
            "{kind: line, layer_windows_deg: [[0, 9], [0, 9]]}",
            ["pattern.layer_windows_deg", "got 2 windows, expected 4: one for each layer"],
        ),
        ("{kind: line, window_deg: [9, 0]}", ["window_deg", "9 to 0, expected the lower one"]),
        ("{kind: line, step_deg: 1e-6}", ["step_deg", "gives over 33554432 beams"]),
        ("{kind: line, window_deg: [0.1, 0.2]}", ["sensor s", "no column is inside a window"]),
        (
            "{kind: raster, azimuth_deg: [1, 0], elevation_deg: [0, 1], columns: 2, rows: 2}",
            ["pattern.azimuth_deg", "1 to 0, expected the lower one"],
        ),
        (
            "{kind: raster, azimuth_deg: [0, 1], elevation_deg: [0, 1], columns: 9999, rows: 9999}",
            ["pattern", "at most 65536 rows and 33554432 beams"],
        ),
        (RISLEY.replace(PRISMS, "[]"), ["pattern.prisms", "1 or more"]),
        (RISLEY.replace("18.7481", "80"), ["sensor s", "prism 2 reflects beam 0 totally"]),
        ("{kind: camera, width: 9, height: 9, horizontal_fov_deg: 180}", ["horizontal_fov_deg"]),
        (
            CAMERA.replace("}", ", vertical_fov_deg: 180}"),
            ["vertical_fov_deg"],
        ),
        (
            CAMERA.replace("}", ", principal_point_px: [9, 1]}"),
            ["principal_point_px", "got [9, 1], expected a point inside the image of 9 x 6"],
        ),
        (
            "{kind: camera, width: 9999, height: 9999, horizontal_fov_deg: 9}",
            ["expected at most 65536 rows and 33554432 pixels"],
        ),
        ("{kind: plugin, name: none}", ["no package has an entry point 'none'", "none is install"]),
        ("{kind: plugin, name: x, options: {a: [.inf]}}", ["options.a", "expected a number, text"]),
    ],
)
def test_a_pattern_that_cannot_be_is_one_line(tmp_path, pattern, words):
    assert_one_line(run("check", "--config", config_of(tmp_path, pattern)), 2, *words)


def zigzag(start_s, duration_s, *, n=4, wide_rad=0.1):
    time_s = np.arange(n) / n * duration_s
    return time_s, wide_rad * np.where(np.arange(n) % 2, 1, -1) + start_s, np.zeros(n)


def broken(_start_s, _duration_s):
    raise RuntimeError("no\nmirror")


class ForeignArray:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("is not in this computer's memory")


def switched(_start_s, duration_s, *, what):
    good = ([0.0, duration_s / 2], [0.0, 0.1], [0.0, 0.0])
    return {
        "nothing": None,
        "two": good[:2],
        "nan": ([0.0, 0.01], [0.0, math.nan], [0.0, 0.0]),
        "empty": ([], [], []),
        "unsorted": ([0.02, 0.01], *good[1:]),
        "late": ([0.0, 1.0], *good[1:]),
        "early": ([-1.0, 0.0], *good[1:]),
        "steep": (*good[:2], [0.0, 4.0]),
        "uneven": (*good[:2], [0.0]),
        "text": (["a", "b"], *good[1:]),
        "complex": (*good[:2], np.array([0j, 1j])),
        "huge": (*good[:2], [0, 10**400]),
        "foreign": (*good[:2], ForeignArray()),
        "generator": (1 / n for n in (1, 0)),
        "iterator": iter(good[:2]),
        "exit": what == "exit" and sys.exit(3),
    }[what]


NO_FUNCTION = 5


@pytest.fixture
def installed(monkeypatch):
    """Let the functions of this module be entry points of a package."""
    names = ("zigzag", "broken", "switched", "stopping", "NO_FUNCTION", "missing")
    points = EntryPoints(
        EntryPoint(name.lower(), f"{__name__}:{name}", plugins.ENTRY_POINTS) for name in names
    )
    monkeypatch.setattr(plugins, "entry_points", points.select)
    monkeypatch.setattr(EntryPoint, "load", lambda point: globals()[point.attr])


@pytest.mark.usefixtures("installed")
def test_a_pattern_of_another_package_is_asked_for_every_scan(tmp_path):
    source = source_of(tmp_path, "{kind: plugin, name: zigzag, options: {n: 6, wide_rad: 0.2}}")
    np.testing.assert_allclose(source.at(0.0).azimuth_rad, [-0.2, 0.2] * 3)
    np.testing.assert_allclose(source.at(0.5).azimuth_rad, [0.3, 0.7] * 3)
    np.testing.assert_allclose(source.at(0.5).time_s, np.arange(6) / 60)


@pytest.mark.usefixtures("installed")
def test_a_pattern_of_another_package_runs_over_a_trace(tmp_path, trace):
    config = config_of(tmp_path, "{kind: plugin, name: zigzag}")
    result = replay(trace, config)
    assert result.exit_code == 0, result.output
    frames = (tmp_path / "out" / "frames.csv").read_text().splitlines()[1:]
    assert [line.split(",")[3] for line in frames] == ["1"] * 5  # beams move, so each is traced


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("broken", "{}", "pattern 'broken', scan at 0 s: raised RuntimeError: no mirror"),
        ("zigzag", "{m: 3}", "raised TypeError: zigzag() got an unexpected keyword argument 'm'"),
        ("switched", "{what: nothing}", "returned a NoneType, expected three arrays"),
        ("switched", "{what: two}", "returned a tuple, expected three arrays"),
        ("switched", "{what: nan}", "azimuths: the value of pulse 1 is nan"),
        ("switched", "{what: empty}", "has no beam"),
        (
            "switched",
            "{what: unsorted}",
            "pulse 1 (counted from 0): its time 0.01 s is less than the 0.02 s",
        ),
        ("switched", "{what: late}", "time of pulse 1 is 1 s, expected 0 to 0.1 s"),
        ("switched", "{what: early}", "time of pulse 0 is -1 s"),
        ("switched", "{what: steep}", "elevation of pulse 1 is 4 rad"),
        ("switched", "{what: uneven}", "got 2 times, 2 azimuths and 1 elevations"),
        ("switched", "{what: text}", "times are not a list of numbers"),
        (
            "switched",
            "{what: complex}",
            "elevations are not a list of numbers, but of the type compl",
        ),
        ("switched", "{what: huge}", "elevations are not a list of numbers"),
        ("switched", "{what: foreign}", "elevations are not a list of numbers"),
        ("switched", "{what: generator}", "raised ZeroDivisionError: division by zero"),
        ("switched", "{what: iterator}", "returned a tuple, expected three arrays"),
        ("switched", "{what: exit}", "raised SystemExit: 3"),
        ("no_function", "{}", "is a int, expected a function"),
        ("missing", "{}", "cannot be loaded: KeyError"),
        ("zig_zag", "{}", "did you mean 'zigzag'? (installed: broken, missing,"),
    ],
)
def test_a_pattern_of_another_package_that_fails_is_one_line(tmp_path, name, options, message):
    path = config_of(tmp_path, f"{{kind: plugin, name: {name}, options: {options}}}")
    assert_one_line(run("check", "--config", path), 2, message)


def stopping(start_s, duration_s):
    if start_s > 0.25:
        raise ValueError("the motor has stopped")
    return zigzag(start_s, duration_s)


@pytest.mark.usefixtures("installed")
def test_a_pattern_that_fails_in_the_middle_of_a_run_ends_it_with_one_line(tmp_path, trace):
    config = config_of(tmp_path, "{kind: plugin, name: stopping}")
    words = ["sensor s: pattern 'stopping', scan at 0.3 s: raised ValueError: the motor has stopp"]
    assert_one_line(replay(trace, config), 2, *words)
    assert not list((tmp_path / "out").rglob("*.part"))


def test_a_key_that_a_pattern_needs_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"arm_pitch_deg: is missing"):
        load_config(config_of(tmp_path, "{kind: spiral, radius_deg: 10, pulse_hz: 100}"))
