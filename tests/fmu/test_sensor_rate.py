# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A sensor with a rate of its own in a master of another: the last complete scan is sent again."""

import pytest

from osi_bridge import FrameDecoder
from osi_lidar.config import load_config
from osi_lidar.model import LidarModel
from tests.builders.messages import Thing, host, message
from tests.builders.worlds import RASTER, config_file
from tests.fmu.driving import DATA, VIEW, direct, parsed, running, seconds, without_times

ROSETTE = "{kind: rosette, radius_deg: 9, radial_hz: 33.3, rotation_hz: 7, pulse_hz: 500}"
BESIDE = f"{{name: beside, pattern: {RASTER}}}"


def sensor(pattern):
    return f"{{name: s, timing: sensor_rate, rotation_rate_hz: 10, pattern: {pattern}}}"


def driving(n_messages, step_s=0.01):
    return [
        message(
            [host(x_m=20.0 * step_s * n), Thing(2, (15.0, 8.0 * step_s * n - 1.5, 0.75))],
            time_s=step_s * n,
        )
        for n in range(n_messages)
    ]


def built(way, folder, *sensors):
    config = config_file(folder, f"scene: {{shapes: box}}\nsensors: [{', '.join(sensors)}]\n")
    return way.build(config=config, out=folder), load_config(config)


def measured_s(data, number=0):
    header = parsed(data).feature_data.lidar_sensor[number].header
    return seconds(header.measurement_time)


@pytest.mark.parametrize("pattern", [RASTER, ROSETTE], ids=["raster", "rosette"])
def test_ten_scans_a_second_in_a_hundred_steps_are_those_of_the_model(tmp_path, way, pattern):
    fmu, config = built(way, tmp_path, sensor(pattern))
    messages = driving(41)
    answers = []
    with running(fmu) as one:
        for n, data in enumerate(messages):
            one.put(VIEW, data)
            one.step(0.01 * n, 0.01)
            answers.append(one.message(DATA))
            n_detections = len(parsed(answers[-1]).feature_data.lidar_sensor[0].detection)
            assert (one.get("valid"), one.get("count")) == (1, n_detections)
            assert (n_detections > 0) == (n >= 10)  # the first scan takes 0.1 s
    assert list(map(without_times, answers)) == list(map(without_times, direct(config, messages)))
    for n, data in enumerate(answers[10:], start=10):
        assert measured_s(data) == pytest.approx(n // 10 / 10)  # of the last complete scan
        assert seconds(parsed(data).timestamp) == pytest.approx(0.01 * (n + 1))
        of_scan = parsed(answers[n - n % 10]).feature_data.lidar_sensor[0].detection
        assert parsed(data).feature_data.lidar_sensor[0].detection == of_scan
    scans = [answers[n] for n in (10, 20, 30, 40)]
    assert len({without_times(data) for data in scans}) == 4


def test_steps_without_a_new_message_do_not_disturb_a_scan(tmp_path, way):
    fmu, config = built(way, tmp_path, sensor(RASTER), BESIDE)
    messages = driving(15, step_s=0.02)
    expected = direct(config, messages)
    with running(fmu) as one:
        for n, data in enumerate(messages):
            for part in range(3):
                if part == 0:
                    one.put(VIEW, data)
                elif n % 2:
                    one.put(VIEW, bytes(bytearray(data)))  # the same message at another place
                one.step(0.02 * n + 0.005 * part, 0.005)
                answer, wanted = (
                    parsed(each).feature_data.lidar_sensor
                    for each in (one.message(DATA), expected[n])
                )
                for mine, other in zip(answer, wanted, strict=True):
                    assert mine.detection == other.detection
                    assert mine.header.measurement_time == other.header.measurement_time
                assert one.get("count") == sum(len(each.detection) for each in answer)


def test_files_are_one_for_each_scan(tmp_path, way):
    fmu, _ = built(way, tmp_path, sensor(RASTER))
    with running(fmu, pcd_folder=str(tmp_path / "pcd")) as one:
        for n, data in enumerate(driving(31)):
            one.put(VIEW, data)
            one.step(0.01 * n, 0.01)
    names = sorted(path.name for path in (tmp_path / "pcd" / "lidar" / "s").iterdir())
    assert names == ["000000.pcd", "000001.pcd", "000002.pcd"]


def test_a_pattern_changes_with_the_scan_that_is_completed_next(tmp_path, way):
    fmu, config = built(way, tmp_path, sensor(ROSETTE))
    model, decoder = LidarModel(config), FrameDecoder("SensorView")
    pairs = "{kind: pairs, azimuth_elevation_deg: [[0, -5], [1, -6], [2, -7]]}"
    counts = []
    with running(fmu) as one:
        for n, data in enumerate(driving(31)):
            if n == 15:
                one.set("pattern", pairs)
            one.put(VIEW, data)
            one.step(0.01 * n, 0.01)
            counts.append(one.get("count"))
            if n < 20:
                expected = model.step(decoder.decode(data, n)).sensor_data
                assert without_times(one.message(DATA)) == without_times(expected)
    assert counts[20] == counts[29] == 3
