# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Chunks of ROS bags that stand for more than their size allows."""

import bz2
import sqlite3
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from lidar_base.errors import BoundError
from lidar_gap.reading.bag_bounds import bound_chunks
from lidar_gap.reading.packets import bag_content
from osi_lidar.errors import InputError
from tests.builders.bombs import MIB, lz4_zeros, memory_bound
from tests.builders.extras import needs

pytestmark = needs("rosbags")


class Chunk(NamedTuple):
    decompressor: object


@pytest.mark.long
def test_a_chunk_of_a_bag_is_unpacked_up_to_its_bound():
    reader = SimpleNamespace(chunks={0: Chunk(bz2.decompress)})
    bound_chunks(SimpleNamespace(readers=[reader]))
    for data in (bz2.compress(bytes(64 * MIB)), lz4_zeros(200)):
        with memory_bound(130), pytest.raises(BoundError, match=r"got \d+, expected at most \d+"):
            reader.chunks[0].decompressor(data)


def test_a_database_whose_messages_are_computed_is_refused(tmp_path):
    path = tmp_path / "a.db3"
    base = sqlite3.connect(path)
    base.execute("create table topics(id integer, name text, type text)")
    base.execute("create view messages as select 1 topic_id, 0 timestamp, zeroblob(9e8) data")
    base.commit()
    base.close()
    with (
        memory_bound(20),
        pytest.raises(InputError, match="messages is a view or has computed columns"),
    ):
        bag_content(path)
