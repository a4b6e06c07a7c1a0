# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The walk through an MCAP file that ends within a chunk."""

from unittest.mock import Mock

import lz4.frame
import numpy as np
import pytest

from osi_bridge import DamagedTrace
from osi_bridge.traces.mcap import mcap_messages
from tests.builders.bombs import mcap_chunk, mcap_head, mcap_message, zstd
from tests.osi_bridge.helpers import save

MESSAGES = [np.random.default_rng(n).bytes(150_000) for n in range(3)]
"""Messages that no packer makes smaller; each is longer than a block of zstd or lz4."""
CONTENT = b"".join(map(mcap_message, MESSAGES))
PACKERS = {"": bytes, "zstd": zstd, "lz4": lz4.frame.compress}


def until_damage(path):
    """Return the messages before the damage, and the damage."""
    messages = []
    with pytest.raises(DamagedTrace) as caught:
        messages.extend(raw.data for raw in mcap_messages(path, Mock(id=1)))
    return messages, caught.value


@pytest.mark.parametrize("kind", PACKERS)
def test_a_chunk_that_is_cut_short_gives_the_messages_that_are_whole(tmp_path, kind):
    chunk = mcap_chunk(kind, PACKERS[kind](CONTENT), len(CONTENT))
    path = save(tmp_path / "trace.mcap", mcap_head() + chunk[:-10])
    messages, damage = until_damage(path)
    assert messages == MESSAGES[:2]
    assert (damage.frame, damage.offset) == (2, len(mcap_head()))


@pytest.mark.parametrize("kind", PACKERS)
def test_a_chunk_that_is_cut_within_its_head_gives_no_message(tmp_path, kind):
    chunk = mcap_chunk(kind, PACKERS[kind](CONTENT), len(CONTENT))
    # kind and length of the record; times, unpacked size and checksum; the packing; packed size
    for n_bytes in range(9, 9 + 28 + 4 + len(kind) + 8 + 1):
        path = save(tmp_path / "trace.mcap", mcap_head() + chunk[:n_bytes])
        messages, damage = until_damage(path)
        assert messages == []
        assert "the file ends within a chunk" in str(damage)


@pytest.mark.parametrize("kind", ["brotli", "x" * 40])
def test_a_chunk_that_is_cut_short_names_its_unknown_packing(tmp_path, kind):
    chunk = mcap_chunk(kind, CONTENT, len(CONTENT))
    messages, damage = until_damage(save(tmp_path / "trace.mcap", mcap_head() + chunk[:-10]))
    assert messages == []
    assert f"got the compression '{kind[:19]}" in str(damage)
