# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Traces of few bytes that stand for many end in one line, with little memory."""

import gzip
import lzma
import struct

import pytest

from osi_bridge import TraceError, open_trace
from osi_bridge.traces.mcap import mcap_channels
from tests.builders.bombs import (
    MIB,
    lz4_zeros,
    mcap_chunk,
    mcap_head,
    mcap_message,
    mcap_record,
    mcap_tail,
    memory_bound,
    zstd,
    zstd_of_no_stated_size,
)
from tests.builders.messages import framed
from tests.osi_bridge.helpers import MESSAGES, ground_truth, save

ZEROS = bytes(256 * MIB)


def problem(path, most_mib=120):
    """Return the one line that a trace is refused with."""
    with memory_bound(most_mib), pytest.raises(TraceError) as caught:
        for _ in open_trace(path):
            pass
    assert "\n" not in str(caught.value)
    return str(caught.value)


CHUNKS = {
    "zstd": lambda: mcap_chunk("zstd", zstd(ZEROS), len(ZEROS)),
    "zstd that states little": lambda: mcap_chunk("zstd", zstd(ZEROS), 1000),
    "zstd that states nothing inside": lambda: mcap_chunk(
        "zstd", zstd_of_no_stated_size(ZEROS), 1000
    ),
    "lz4": lambda: mcap_chunk("lz4", lz4_zeros(256), len(ZEROS)),
    "lz4 that states little": lambda: mcap_chunk("lz4", lz4_zeros(256), 1000),
    "nothing packed": lambda: mcap_chunk("", b"", 2**40),
}


@pytest.mark.parametrize("chunk", CHUNKS)
def test_a_chunk_that_stands_for_more_than_its_bytes_allow_is_damage(tmp_path, chunk):
    path = save(tmp_path / "trace.mcap", mcap_head() + CHUNKS[chunk]() + mcap_tail())
    assert " stand for: got " in problem(path, 300)


@pytest.mark.parametrize("packed", ["zstd", "lz4"])
def test_a_bomb_that_is_cut_short_is_bounded_as_well(tmp_path, packed):
    whole = mcap_head() + CHUNKS[packed]()
    path = save(tmp_path / "trace.mcap", whole[: len(whole) - 100])
    assert " stand for: got " in problem(path, 300)


def test_records_of_the_kind_0_are_damage(tmp_path):
    chunk = mcap_chunk("zstd", zstd(bytes(8 * MIB)), 8 * MIB)
    for zeros in (chunk, bytes(8 * MIB)):
        path = save(tmp_path / "trace.mcap", mcap_head() + zeros + mcap_tail())
        assert "a record has the opcode 0, which MCAP does not allow" in problem(path)


def test_records_of_nothing_do_not_keep_a_reader_busy(tmp_path):
    content = mcap_record(0x80, b"") * 200_000
    chunk = mcap_chunk("zstd", zstd(content), len(content))
    path = save(tmp_path / "trace.mcap", mcap_head() + chunk + mcap_tail())
    with pytest.raises(TraceError, match="over 131072 records other than messages"):
        open_trace(path)


def test_chunks_that_stand_for_too_much_together_are_damage(tmp_path):
    truth = ground_truth()
    truth.map_reference = "x" * MIB
    content = mcap_message(truth.SerializeToString()) * 12
    chunk = mcap_chunk("zstd", zstd(content), len(content))
    path = save(tmp_path / "trace.mcap", mcap_head() + chunk * 30 + mcap_tail())
    assert "bytes that chunks stand for: got " in problem(path)


def test_an_index_that_points_at_a_chunk_does_not_unpack_it(tmp_path):
    head = mcap_head()
    content = mcap_message(ground_truth().SerializeToString())
    chunk = mcap_chunk("zstd", zstd(content), len(content))
    bomb = mcap_chunk("zstd", zstd(ZEROS), len(ZEROS))
    path = save(tmp_path / "trace.mcap", head + chunk + bomb + mcap_tail(len(head + chunk)))
    with memory_bound(60):
        assert [each.topic for each in mcap_channels(path)] == ["gt"]


@pytest.mark.long
def test_a_message_longer_than_its_file_allows_is_damage(tmp_path):
    length = struct.pack("<I", 2**28)
    first = framed(MESSAGES[:1])
    for name, pack in (("trace.osi.gz", gzip.compress), ("trace.osi.xz", lzma.compress)):
        path = save(tmp_path / name, pack(first + length + bytes(32 * MIB)))
        assert "a message of 268435456 bytes, expected 1 to " in problem(path, 60)


def test_messages_of_no_bytes_are_damage(tmp_path):
    packed = gzip.compress(framed(MESSAGES) + bytes(64 * MIB))
    path = save(tmp_path / "trace.osi.gz", packed)
    assert f"damaged at frame {len(MESSAGES)}" in problem(path, 60)
    path = save(tmp_path / "trace.mcap", mcap_head() + mcap_message(b"") * 2 + mcap_tail())
    assert "a message is empty" in problem(path)


def test_a_record_in_a_packed_file_is_not_kept_unless_it_is_read(tmp_path):
    attachment = bytes([9]) + struct.pack("<Q", 24 * MIB) + bytes(24 * MIB)
    packed = gzip.compress(mcap_head() + attachment + mcap_tail())
    path = save(tmp_path / "trace.mcap.gz", packed)
    assert "it contains no message" in problem(path, 16)


@pytest.mark.long
def test_a_text_without_lines_ends_where_no_line_is_so_long(tmp_path):
    path = save(tmp_path / "trace.txth.xz", lzma.compress(b"version" + bytes(20 * MIB)))
    assert "line 1 has more than 16777216 bytes" in problem(path, 60)


@pytest.mark.long
def test_a_text_of_empty_lines_ends(tmp_path, monkeypatch):
    monkeypatch.setattr("osi_bridge.traces.text.most_message", lambda _n_bytes: MIB)
    text = b"timestamp { seconds: 1 }\nhost_vehicle_id { value: 7 }\n" + b"\n" * (2 * MIB)
    path = save(tmp_path / "20210818T150542Z_gt_380_7362_1_x.txth.gz", gzip.compress(text))
    with pytest.raises(TraceError, match="bytes of a message: got "):
        open_trace(path)
