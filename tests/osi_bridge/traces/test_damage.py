# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Trace files in: what is whole before the damage, then the damage, never anything else."""

import gzip
import lzma
import re
import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.writer import CompressionType
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import (
    DamagedTrace,
    FrameDecoder,
    TraceError,
    open_trace,
    read_frames,
)
from tests.builders.messages import framed
from tests.osi_bridge.helpers import (
    MESSAGES,
    as_text,
    mcap_bytes,
    save,
    sensor_view,
    views,
)


def until_damage(trace):
    """Return the messages before the damage, and the damage (None if there is none)."""
    messages = []
    try:
        messages.extend(raw.data for raw in trace)
    except DamagedTrace as damage:
        return messages, damage
    return messages, None


@pytest.mark.parametrize("n_whole", [1, 2, 4])
def test_damaged_text_gives_what_was_whole(tmp_path, n_whole):
    text = as_text()
    begins = [match.start() for match in re.finditer(rb"^timestamp", text, re.MULTILINE)]
    path = save(tmp_path / "trace.txth", text[: begins[n_whole] + 30])
    messages, damage = until_damage(open_trace(path))
    assert len(messages) == n_whole
    assert (damage.frame, damage.offset) == (n_whole, begins[n_whole])


def test_osi_cut_at_every_byte_gives_all_whole_frames_then_the_damage(tmp_path):
    whole = framed(MESSAGES)
    ends = [len(framed(MESSAGES[:n])) for n in range(6)]
    for cut in range(4, len(whole)):  # less is no trace, not a damaged one
        path = save(tmp_path / "trace.osi", whole[:cut])
        n_whole = max(n for n, end in enumerate(ends) if end <= cut)
        if n_whole == 0:
            with pytest.raises(DamagedTrace, match="damaged at frame 0, byte 0"):
                open_trace(path)
            continue
        trace = open_trace(path)
        messages, damage = until_damage(trace)
        assert messages == MESSAGES[:n_whole]
        assert trace.count == n_whole
        if cut in ends:
            assert damage is None  # nothing tells that there was more
        else:
            assert (damage.frame, damage.offset) == (n_whole, ends[n_whole])


@pytest.mark.long
@pytest.mark.parametrize("compression", list(CompressionType))
def test_mcap_cut_at_every_byte_gives_all_whole_frames_then_the_damage(tmp_path, compression):
    whole = mcap_bytes(tmp_path / "whole.mcap", compression=compression)
    path = tmp_path / "trace.mcap"
    numbers = {0}
    for cut in range(1, len(whole)):
        path.write_bytes(whole[:cut])
        try:
            trace = open_trace(path)
        except TraceError:
            assert numbers == {0}
            continue
        messages, damage = until_damage(trace)
        assert messages == MESSAGES[: len(messages)]
        assert damage.frame == len(messages) >= max(numbers)
        assert damage.offset <= cut
        numbers.add(len(messages))
    assert max(numbers) == len(MESSAGES)
    if compression is CompressionType.NONE:
        assert numbers == {0, 1, 2, 3, 4, 5}  # a chunk that is cut short gives what is there


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_compressed_trace_cut_short_gives_whole_frames_then_the_damage(tmp_path, suffix, pack):
    messages = views(200)
    packed = pack(framed(messages))
    for cut in range(1, len(packed), 7):
        path = save(tmp_path / f"trace.osi{suffix}", packed[:cut])
        try:
            got, damage = until_damage(open_trace(path))
        except TraceError as error:
            n_magic = {".gz": 2, ".xz": 6}[suffix]
            assert isinstance(error, DamagedTrace) == (cut >= n_magic)  # noqa: PT017
            continue  # not even one message
        assert got == messages[: len(got)]
        assert damage.frame == len(got)
        assert damage.offset == len(framed(got))


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_compressed_text_cut_short_gives_whole_frames_then_the_damage(tmp_path, suffix, pack):
    messages = views(300)
    packed = pack(as_text(messages))
    numbers = []
    for cut in (len(packed) // 2, len(packed) - 1):
        path = save(tmp_path / f"trace.txth{suffix}", packed[:cut])
        got, damage = until_damage(open_trace(path))
        assert [SensorView.FromString(data) for data in got] == [
            SensorView.FromString(data) for data in messages[: len(got)]
        ]
        assert damage.frame == len(got)
        numbers.append(len(got))
    assert 0 < numbers[0] < numbers[1] == 299  # where the last message ends is not known


@pytest.mark.parametrize("format_", [".osi", ".txth", ".mcap"])
@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_compressed_file_broken_at_its_start_is_damaged_at_frame_0(
    tmp_path, format_, suffix, pack
):
    whole = {
        ".osi": lambda: framed(MESSAGES),
        ".txth": as_text,
        ".mcap": lambda: mcap_bytes(tmp_path / "m.mcap"),
    }
    packed = bytearray(pack(whole[format_]()))
    packed[10:40] = b"\xff" * 30
    path = save(tmp_path / f"trace{format_}{suffix}", bytes(packed))
    with pytest.raises(DamagedTrace, match="damaged at frame 0, byte 0: "):
        open_trace(path)


def test_a_message_without_timestamp_is_damage(tmp_path):
    timeless = sensor_view()
    for message in (timeless, timeless.global_ground_truth):
        message.ClearField("timestamp")
    path = save(tmp_path / "trace.osi", framed([*MESSAGES[:2], timeless.SerializeToString()]))
    frames = read_frames(open_trace(path), FrameDecoder("SensorView"))
    assert [next(frames).index for _ in range(2)] == [0, 1]
    with pytest.raises(
        DamagedTrace, match=r"damaged at frame 2, byte \d+: the message has no timestamp$"
    ):
        next(frames)


def test_a_length_of_3_gb_is_damage_not_memory(tmp_path):
    data = framed(MESSAGES[:2]) + struct.pack("<I", 3 * 10**9) + MESSAGES[2]
    messages, damage = until_damage(open_trace(save(tmp_path / "trace.osi", data)))
    assert messages == MESSAGES[:2]
    assert "a message of 3000000000 bytes" in damage.reason


def test_a_message_that_cannot_be_decoded_is_damage(tmp_path):
    broken = [*MESSAGES[:3], b"\xff" * 40, *MESSAGES[4:]]
    path = save(tmp_path / "trace.osi", framed(broken))
    frames = read_frames(open_trace(path), FrameDecoder("SensorView"))
    assert [next(frames).index for _ in range(3)] == [0, 1, 2]
    with pytest.raises(DamagedTrace, match=r"damaged at frame 3, byte \d+: not a SensorView") as e:
        next(frames)
    assert e.value.offset == len(framed(MESSAGES[:3]))


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    suffix=st.sampled_from([".osi", ".mcap", ".osi.gz", ".osi.xz", ".txth"]),
    place=st.floats(0, 1, exclude_max=True),
    value=st.integers(0, 255),
)
def test_a_changed_byte_never_raises_anything_but_our_errors(tmp_path, suffix, place, value):
    data = {
        ".osi": lambda: framed(MESSAGES),
        ".mcap": lambda: mcap_bytes(tmp_path / "whole.mcap"),
        ".osi.gz": lambda: gzip.compress(framed(MESSAGES)),
        ".osi.xz": lambda: lzma.compress(framed(MESSAGES)),
        ".txth": as_text,
    }[suffix]()
    changed = bytearray(data)
    changed[int(place * len(data))] = value
    path = save(tmp_path / f"trace{suffix}", bytes(changed))
    try:
        until_damage(open_trace(path))
    except TraceError as error:
        assert "\n" not in str(error)  # noqa: PT017
