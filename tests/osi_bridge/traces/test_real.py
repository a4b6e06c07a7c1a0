# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Real traces of seven tools: frame counts and the traps that each of them is known for.

Expected numbers are those that the traces' own messages state, counted once with osi3 alone.
"""

import logging

import numpy as np
import pytest

from osi_bridge import FrameDecoder, TraceError, host_vehicle, open_trace, read_frames
from tests.builders.refusals import one_line

TWO_CARS = "openmaterial3d/20250320T135754Z_sv_360_2112_140_scenario_example_two_vehicles.osi"
TWO_CARS_700 = "openmaterial3d/20250130T100644Z_sv_370_2112_700_scenario_example_two_vehicles.osi"
CUTOUT = "osc-validation/20240603T143803.535904Z_{}.osi"
ONE_OBJECT = "osi-validation/20240221T141700Z_sv_300_2112_10_one_moving_object.osi"
# file, type, frames, time of first and last frame [ns], host id, source of its rear axle
TRACES = [
    (TWO_CARS, "SensorView", 140, 50_000_000, 6_999_999_999, 0, "bbcenter_to_rear"),
    (TWO_CARS_700, "SensorView", 700, 10_000_000, 6_999_999_999, 0, "bbcenter_to_rear"),
    ("lichtblick/MovingHostWith3DModel.mcap", "SensorView", 702, 0, 7_010_000_000, 0, None),
    ("lichtblick/MovingHostWithStopLine.mcap", "SensorView", 152, 0, 6_040_000_000, 0, None),
    (
        "lichtblick/MovingHostWithStopLineVariations.mcap",
        "SensorView",
        152,
        0,
        6_040_000_000,
        0,
        None,
    ),
    ("lichtblick/testBrakeAndIndicatorLights.mcap", "SensorView", 502, 0, 5_010_000_000, 0, None),
    (
        "lichtblick/sensorDataDetectedLaneBoundaries.mcap",
        "SensorView",
        426,
        0,
        8_499_999_999,
        14,
        None,
    ),
    ("omega-prime/highway_merge.osi", "GroundTruth", 433, 0, 14_255_999_999, 0, None),
    ("omega-prime/acc-test.osi", "GroundTruth", 1010, 0, 33_297_000_000, 0, None),
    ("omega-prime/pedestrian.osi", "GroundTruth", 434, 0, 14_288_999_999, 0, None),
    (
        "openmsl/20230621T111704Z_sv_350_32112_100.osi",
        "SensorView",
        100,
        100_000_000,
        9_999_999_999,
        0,
        "bbcenter_to_rear",
    ),
    (
        "openmsl/20230221T153730Z_sv_340_300_0000_protoBin.osi",
        "SensorView",
        150,
        100_000_000,
        14_999_999_999,
        1,
        "dimension",
    ),
    (
        "openmsl/20240617T163554Z_sv_370_244_20_one_object.osi",
        "SensorView",
        20,
        100_000_000,
        2_000_000_000,
        113,
        None,
    ),
    (
        "osi-validation/20240618T122540Z_sv_370_244_20_minimal_valid_example.osi",
        "SensorView",
        20,
        100_000_000,
        2_000_000_000,
        113,
        None,
    ),
    (ONE_OBJECT, "SensorView", 10, 1_000_000_000, 10_000_000_000, 114, "dimension"),
    (
        CUTOUT.format("gt_370_3200_370_pmsf_dronetracker_119_cutout_ESMINIEXPORT"),
        "GroundTruth",
        370,
        0,
        18_450_000_000,
        0,
        None,
    ),
    (
        CUTOUT.format("sv_370_3200_370_pmsf_dronetracker_119_cutout_GTGENSIMEXPORT_stripped"),
        "SensorView",
        370,
        0,
        18_450_000_000,
        0,
        None,
    ),
    (
        CUTOUT.format("sv_370_3200_364_pmsf_dronetracker_119_cutout_resampled50ms"),
        "SensorView",
        364,
        300_000_000,
        18_449_999_999,
        1,
        "dimension",
    ),
    (
        "osc-validation/20240603T152322.095000Z_sv_370_3200_618_dronetracker_135_swerve.mcap",
        "SensorView",
        411,
        0,
        20_500_000_000,
        1,
        None,
    ),
]


@pytest.fixture
def osi_data(real_data):
    return real_data / "osi"


def frames_of(path, **options):
    trace = open_trace(path)
    return list(read_frames(trace, FrameDecoder(trace.message_type, **options)))


@pytest.mark.parametrize(
    ("name", "message_type", "n", "first_ns", "last_ns", "host", "source"),
    TRACES,
    ids=[row[0].split("/")[1][:40] for row in TRACES],
)
def test_every_real_trace_is_read(osi_data, name, message_type, n, first_ns, last_ns, host, source):  # noqa: PLR0917
    trace = open_trace(osi_data / name)
    assert (trace.message_type, trace.count) == (message_type, n)
    frames = frames_of(osi_data / name)
    assert len(frames) == n
    assert (frames[0].time_ns, frames[-1].time_ns) == (first_ns, last_ns)
    assert {frame.host.object_id for frame in frames} == {host}
    assert source is None or {frame.host.source for frame in frames} == {source}
    assert not any(frame.skipped for frame in frames)
    assert np.isfinite([frame.ground_m() for frame in frames]).all()


def test_type_is_told_from_the_content_as_the_name_tells_it(osi_data, tmp_path):
    for name, message_type, *_ in TRACES:
        if name.endswith(".osi"):
            link = tmp_path / "trace.osi"
            link.unlink(missing_ok=True)
            link.symlink_to(osi_data / name)
            assert open_trace(link).message_type == message_type, name


def test_a_box_vanishes_when_its_messages_drop_it(osi_data):
    frames = frames_of(osi_data / "lichtblick/MovingHostWith3DModel.mcap")
    assert sum(frame.objects.type_name[-1] == "TYPE_OTHER" for frame in frames) == 570
    assert {len(frame.objects) for frame in frames} == {1, 2}
    assert frames[0].objects.model_reference[0] == "MilkTruck.glTF"


def test_traffic_lights_and_model_keys_are_read(osi_data):
    frames = frames_of(osi_data / "lichtblick/testBrakeAndIndicatorLights.mcap")
    assert frames[0].objects.kind.tolist() == [0, 0, 3, 3, 3]
    assert frames[0].objects.model_reference[0] == "G12"


def test_model_references_are_those_of_the_messages(osi_data):
    frames = frames_of(osi_data / TWO_CARS)
    assert frames[0].objects.model_reference == ("../vehicle_example/vehicle_example.xoma",) * 2
    assert frames[0].environment_reference == "../environment_example/environment_example.xoma"


def test_a_pedestrian_is_no_vehicle(osi_data):
    frames = frames_of(osi_data / "omega-prime/pedestrian.osi")
    assert frames[0].objects.type_name == ("TYPE_VEHICLE", "TYPE_PEDESTRIAN")


def test_a_host_that_is_not_among_the_objects_gives_one_warning(osi_data, caplog, monkeypatch):
    monkeypatch.setattr(host_vehicle, "_GIVEN", set())
    with caplog.at_level(logging.WARNING):
        frames_of(osi_data / ONE_OBJECT)
        frames_of(osi_data / ONE_OBJECT)
    assert caplog.messages == [
        (
            f"{osi_data / ONE_OBJECT}: host vehicle 113 is not a moving object of the trace: "
            "using the first moving object, id 114"
        )
    ]


def test_the_virtual_sensors_mounting_is_read(osi_data):
    frames = frames_of(osi_data / "openmsl/20230621T111704Z_sv_350_32112_100.osi")
    assert frames[0].virtual_mounting.position_m == (1.5, 0.0, 0.0)


def test_a_box_half_below_zero_lowers_the_ground(osi_data):
    # Centre at z = 0, 1.5 m high.
    frames = frames_of(
        osi_data / "osi-validation/20240618T122540Z_sv_370_244_20_minimal_valid_example.osi"
    )
    assert frames[0].ground_m() == -0.75


def test_ros_encoding_is_refused_in_one_line(osi_data):
    with one_line(TraceError, match="osi_3_msgs/osi_GroundTruth, ros1"):
        open_trace(osi_data / "lichtblick/only_osi_topic.mcap")
