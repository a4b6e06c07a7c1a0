# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Detections with the fields of a receiver: the bytes equal those that protobuf itself writes."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from osi3.osi_featuredata_pb2 import LidarDetectionData

from osi_bridge import NO_OBJECT, Detections, encode_detections
from osi_bridge.echo_kernels import LAST_CLASSIFICATION, write_echoes
from osi_bridge.records import EchoFields
from tests.builders.refusals import one_line
from tests.builders.strategies import OBJECT_IDS
from tests.builders.threads import kernel_threads

N_BEAMS = 2**14 + 2  # up to where a beam's varint takes three bytes
RNG = np.random.default_rng(4)
ANGLES = {
    "azimuth_rad": RNG.uniform(-np.pi, np.pi, N_BEAMS),
    "elevation_rad": RNG.uniform(-1.5, 1.5, N_BEAMS),
}
BEAM = st.one_of(st.sampled_from([0, 127, 128, 2**14 - 1, 2**14]), st.integers(0, N_BEAMS - 1))
ID = st.one_of(st.sampled_from([0, 127, 128, 2**56 - 1, 2**56, 2**63, NO_OBJECT]), OBJECT_IDS)
F32 = st.floats(width=32)
ROW = st.tuples(BEAM, F32, F32, F32, ID, F32, F32, F32, st.integers(0, LAST_CLASSIFICATION))
TYPES = (*(np.uint32, np.float32, np.float32, np.float32, np.uint64), *(np.float32,) * 3, np.uint8)


def detections_of(rows, *, classified):
    columns = zip(*rows, strict=True) if rows else ((),) * len(TYPES)
    beam, distance, intensity, reflectivity, object_id, existence, rmse, width, kind = (
        np.array(column, dtype) for column, dtype in zip(columns, TYPES, strict=True)
    )
    return Detections(
        beam_index=beam,
        range_m=distance,
        intensity_percent=intensity,
        reflectivity=reflectivity,
        object_id=object_id,
        echo=EchoFields(
            existence_probability=existence,
            range_rmse_m=rmse,
            echo_pulse_width_m=width,
            classification=kind if classified else None,
        ),
    )


def random_detections(n, seed=1, *, classified=True):
    """Return detections of which many share a beam, and neighbours an object."""
    rng = np.random.default_rng(seed)
    rows = zip(
        np.sort(rng.integers(0, min(n, N_BEAMS), n)),
        *rng.uniform(0, 100, (3, n)),
        np.repeat(rng.choice(np.array([0, 7, 300, 2**60, NO_OBJECT], np.uint64), n), 3),
        *rng.uniform(0, 1, (3, n)),
        rng.integers(0, LAST_CLASSIFICATION + 1, n),
        strict=False,
    )
    return detections_of(list(rows), classified=classified)


def message_of(record, azimuth_rad, elevation_rad):
    """Return the message as protobuf's objects, from the direction of each detection."""
    message = LidarDetectionData()
    for i in range(len(record)):
        point = message.detection.add()
        point.existence_probability = float(record.echo.existence_probability[i])
        point.object_id.value = int(record.object_id[i])
        point.position.distance = float(record.range_m[i])
        point.position.azimuth = float(azimuth_rad[i])
        point.position.elevation = float(elevation_rad[i])
        point.position_rmse.distance = float(record.echo.range_rmse_m[i])
        point.intensity = float(record.intensity_percent[i])
        if record.echo.classification is not None:
            point.classification = int(record.echo.classification[i])
        point.reflectivity = float(record.reflectivity[i])
        point.echo_pulse_width = float(record.echo.echo_pulse_width_m[i])
        point.beam_id.value = int(record.beam_index[i])
    return message


def bytes_by_objects(record):
    along_beams = (ANGLES[name][record.beam_index] for name in ("azimuth_rad", "elevation_rad"))
    return message_of(record, *along_beams).SerializeToString(deterministic=True)


@settings(deadline=None)  # the first call compiles
@given(st.lists(ROW, max_size=6), st.booleans())
def test_detections_are_byte_identical_to_protobufs(rows, classified):
    record = detections_of(rows, classified=classified)
    encoded = encode_detections(record, **ANGLES).tobytes()
    assert encoded == bytes_by_objects(record)
    read_back = LidarDetectionData.FromString(encoded)
    assert read_back.SerializeToString(deterministic=True) == encoded


def test_the_error_of_a_position_is_one_of_distance_only():
    encoded = encode_detections(random_detections(3), **ANGLES).tobytes()
    for point in LidarDetectionData.FromString(encoded).detection:
        assert [field.name for field, _ in point.position_rmse.ListFields()] == ["distance"]


@pytest.mark.parametrize("classified", [True, False])
def test_a_classification_is_there_only_where_it_is_given(classified):
    record = random_detections(3, classified=classified)
    encoded = encode_detections(record, **ANGLES).tobytes()
    points = LidarDetectionData.FromString(encoded).detection
    assert {point.HasField("classification") for point in points} == {classified}


def test_echoes_of_a_beam_may_have_angles_of_their_own():
    n = 400
    azimuth_rad, elevation_rad = np.linspace(-3, 3, n), np.linspace(-1, 1, n)
    record = dataclasses.replace(
        random_detections(n), azimuth_rad=azimuth_rad, elevation_rad=elevation_rad
    )
    assert len(np.unique(record.beam_index)) < n
    expected = message_of(record, azimuth_rad, elevation_rad)
    encoded = encode_detections(record, **ANGLES).tobytes()
    assert encoded == expected.SerializeToString(deterministic=True)


def test_columns_may_be_those_of_a_table():
    record = random_detections(50)
    names = ("existence_probability", "range_rmse_m", "echo_pulse_width_m")
    table = np.zeros(50, [("flag", "u1"), *((name, "f4") for name in names)])  # not aligned
    for name in names:
        table[name] = getattr(record.echo, name)
    echo = dataclasses.replace(record.echo, **{name: table[name] for name in names})
    encoded = encode_detections(dataclasses.replace(record, echo=echo), **ANGLES).tobytes()
    assert encoded == bytes_by_objects(record)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_one_kernel_reads_arrays_and_columns_of_tables(n):
    record = random_detections(n)
    names = ("range_m", "intensity_percent", "reflectivity")
    table = np.zeros(n, [("flag", "u1"), *((name, "f4") for name in names)])
    for name in names:
        table[name] = getattr(record, name)
    of_table = dataclasses.replace(record, **{name: table[name] for name in names})
    assert encode_detections(of_table, **ANGLES).tobytes() == bytes_by_objects(record)
    n_compiled = len(write_echoes.signatures)
    encode_detections(record, **ANGLES).tobytes()
    assert len(write_echoes.signatures) == n_compiled


def test_columns_of_doubles_are_rounded_to_float32():
    record = random_detections(3)
    names = ("range_m", "intensity_percent", "reflectivity")
    doubles = {name: getattr(record, name).astype(np.float64) for name in names}
    of_doubles = dataclasses.replace(record, **doubles)
    assert encode_detections(of_doubles, **ANGLES).tobytes() == bytes_by_objects(record)


@pytest.mark.parametrize("classified", [True, False])
def test_a_scan_of_many_blocks_is_the_same_on_any_number_of_threads(classified):
    record = random_detections(20_001, classified=classified)
    expected = bytes_by_objects(record)
    for n_threads in (1, 2):
        with kernel_threads(n_threads):
            assert encode_detections(record, **ANGLES).tobytes() == expected


# 5 blocks, one of them empty; then the second and the last have other detections, and other sizes.
STARTS = [0, 100, 250, 250, 400, 500], [0, 100, 190, 190, 340, 480]
CHANGED = np.array([False, True, False, False, True])


def two_scans(*, classified=True):
    """Return two scans, and where the blocks of each start."""
    first, other = (random_detections(500, seed, classified=classified) for seed in (1, 2))
    rows = np.r_[0:100, 500:590, 250:400, 700:840]  # from 500 on: of the other scan

    def joined(a, b, name):
        column = getattr(a, name)
        return None if column is None else np.concatenate([column, getattr(b, name)])[rows]

    names = [field.name for field in dataclasses.fields(EchoFields)]
    echo = EchoFields(**{name: joined(first.echo, other.echo, name) for name in names})
    names = ["beam_index", "range_m", "intensity_percent", "reflectivity", "object_id"]
    second = Detections(**{name: joined(first, other, name) for name in names}, echo=echo)
    return zip((first, second), map(np.array, STARTS), strict=True)


@pytest.mark.parametrize("classified", [True, False])
def test_unchanged_blocks_are_copied_from_the_scan_before(classified):
    (first, start), (second, second_start) = two_scans(classified=classified)
    before = encode_detections(first, start_of_block=start, **ANGLES)
    assert before.tobytes() == bytes_by_objects(first)
    spoilt = second.range_m.copy()
    spoilt[:100] = np.nan  # shows whether an unchanged block is copied rather than encoded again
    after = encode_detections(
        dataclasses.replace(second, range_m=spoilt),
        start_of_block=second_start,
        changed=CHANGED,
        before=before,
        **ANGLES,
    )
    assert after.tobytes() == bytes_by_objects(second)


def without_classification(record):
    return dataclasses.replace(record, echo=dataclasses.replace(record.echo, classification=None))


def without_echo(record):
    return dataclasses.replace(record, echo=None)


@pytest.mark.parametrize("less", [without_classification, without_echo])
def test_no_block_is_copied_from_a_scan_with_other_fields(less):
    (first, start), (second, second_start) = two_scans()
    for a, b in ((first, less(second)), (less(first), second)):
        before = encode_detections(a, start_of_block=start, **ANGLES)
        before.tobytes()
        after = encode_detections(
            b, start_of_block=second_start, changed=CHANGED, before=before, **ANGLES
        )
        alone = encode_detections(b, start_of_block=second_start, **ANGLES)
        assert after.tobytes() == alone.tobytes()


def test_without_echo_fields_a_detection_exists_for_certain():
    record = dataclasses.replace(random_detections(5), echo=None)
    encoded = encode_detections(record, **ANGLES).tobytes()
    for point in LidarDetectionData.FromString(encoded).detection:
        assert point.existence_probability == 1.0
        assert not point.HasField("position_rmse")
        assert not point.HasField("echo_pulse_width")
        assert not point.HasField("classification")


@pytest.mark.parametrize(
    ("name", "column", "message"),
    [
        ("existence_probability", 0.5, r"existence_probability: expected shape \(n,\), got None"),
        ("existence_probability", np.zeros((4, 1), np.float32), r"shape \(n,\), got \(4, 1\)"),
        ("existence_probability", np.zeros(4), r"y: expected float32 \(4,\), got float64 \(4,\)"),
        ("range_rmse_m", np.zeros(3, np.float32), r"expected float32 \(4,\), got float32 \(3,\)"),
        ("range_rmse_m", None, r"range_rmse_m: expected float32 \(4,\), got None None"),
        ("echo_pulse_width_m", np.zeros(4), r"m: expected float32 \(4,\), got float64 \(4,\)"),
        ("classification", np.zeros(4, np.int64), r"expected uint8 \(4,\), got int64 \(4,\)"),
        ("classification", np.zeros(5, np.uint8), r"expected uint8 \(4,\), got uint8 \(5,\)"),
    ],
)
def test_columns_of_another_length_or_type_are_refused(name, column, message):
    echo = random_detections(4).echo
    with one_line(ValueError, match=message):
        dataclasses.replace(echo, **{name: column})


def test_there_are_fields_for_each_detection():
    with pytest.raises(ValueError, match=r"^echo: expected 4 rows as beam_index, got 5$"):
        dataclasses.replace(random_detections(4), echo=random_detections(5).echo)


def test_a_classification_that_osi_does_not_have_is_refused():
    record = random_detections(4)
    record.echo.classification[2] = LAST_CLASSIFICATION + 1
    with pytest.raises(ValueError, match=r"^classification 6: expected 0 to 5$"):
        encode_detections(record, **ANGLES)


@pytest.mark.parametrize("kind", ["plain", "received", "classified"])
def test_radial_velocities_stand_where_protobuf_writes_them(kind):
    n = 3000
    record = random_detections(n, classified=kind == "classified")
    velocity_m_s = np.random.default_rng(3).normal(0.0, 20.0, n).astype(np.float32)
    record = dataclasses.replace(record, radial_velocity_m_s=velocity_m_s)
    if kind == "plain":
        record = dataclasses.replace(record, echo=None)
    written = encode_detections(record, **ANGLES).tobytes()
    message = LidarDetectionData.FromString(written)
    assert [each.radial_velocity for each in message.detection] == velocity_m_s.tolist()
    assert message.SerializeToString() == written
