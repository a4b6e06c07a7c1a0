# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages in UDP datagrams as esmini sends them: lost, repeated, reordered, malformed."""

import itertools
import struct
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osi_bridge import MessageAssembler, datagrams

PIECE = 8192  # OSI_MAX_UDP_DATA_SIZE in esmini's OSIReporter.cpp
LIMIT = 10 * PIECE
NEXT = b"next message"


def datagram(counter, piece):
    """Return a datagram as esmini's struct of int counter, unsigned int datasize, char data[]."""
    return struct.pack("<iI", counter, len(piece)) + piece


def content(size, seed=0):
    """Return bytes of which no two pieces are alike."""
    return b"".join(struct.pack("<II", seed, n) for n in range(size // 8 + 1))[:size]


def fed(sent, max_bytes=LIMIT):
    """Return the messages that come out, and the assembler."""
    assembler = MessageAssembler(max_bytes)
    out = [assembler.feed(one) for one in sent]
    return [message for message in out if message is not None], assembler


def counts(assembler):
    return assembler.n_gaps, assembler.n_malformed, assembler.n_repeated


FIRST = content(3 * PIECE - 100, seed=1)
PIECES = list(datagrams(FIRST))
LAST = list(datagrams(NEXT))


@pytest.mark.parametrize("size", [1, 8191, 8192, 8193, 100_000])
def test_a_message_of_any_size_comes_out_as_it_went_in(size):
    messages = [content(size, seed) for seed in range(3)]
    sent = [one for message in messages for one in datagrams(message)]
    assert len(sent) == 3 * -(-size // PIECE)
    out, assembler = fed(sent, max_bytes=size)
    assert out == messages
    assert counts(assembler) == (0, 0, 0)


def test_the_last_counter_is_negative_and_numbers_are_little_endian():
    assert list(datagrams(b"ab")) == [b"\xff\xff\xff\xff\x02\x00\x00\x00ab"]
    assert [one[:8] for one in PIECES] == [
        b"\x01\x00\x00\x00\x00\x20\x00\x00",  # 1, 8192
        b"\x02\x00\x00\x00\x00\x20\x00\x00",
        b"\xfd\xff\xff\xff\x9c\x1f\x00\x00",  # -3, 8092
    ]


def test_pieces_of_another_size_are_taken():
    """Older versions of esmini send 8200 bytes."""
    message = content(8200 + 5)
    assert fed([datagram(1, message[:8200]), datagram(-2, message[8200:])])[0] == [message]


@pytest.mark.parametrize("lost", range(3))
def test_a_lost_piece_loses_its_message_only_and_is_counted_once(lost):
    out, assembler = fed(PIECES[:lost] + PIECES[lost + 1 :] + LAST)
    assert out == [NEXT]
    assert counts(assembler) == (1, 0, 0)


@pytest.mark.parametrize("repeated", range(3))
def test_a_repeated_piece_loses_nothing(repeated):
    out, assembler = fed(PIECES[: repeated + 1] + PIECES[repeated:] + LAST)
    assert out == [FIRST, NEXT]
    assert counts(assembler) == (0, 0, 1)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[1:])
def test_pieces_in_another_order_lose_their_message_only(order):
    out, assembler = fed([PIECES[n] for n in order] + LAST)
    assert out == [NEXT]
    assert assembler.n_gaps >= 1


def test_whole_messages_in_another_order_come_out_in_that_order():
    messages = [content(20, seed) for seed in range(4)]
    sent = [next(datagrams(messages[n])) for n in (1, 0, 3, 2)]
    assert fed(sent)[0] == [messages[n] for n in (1, 0, 3, 2)]


def test_a_message_that_overtakes_the_end_of_another_one_comes_out():
    out, assembler = fed([*PIECES[:2], *LAST, *PIECES[2:], *PIECES])
    assert out == [NEXT, FIRST]
    assert assembler.n_gaps >= 1


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"\x01",
        b"\x02\x00\x00\x00\x05\x00\x00",
        datagram(2, b""),
        datagram(0, b"piece"),
        struct.pack("<iI", 2, 6) + b"piece",
        struct.pack("<iI", 2, 4) + b"piece",
        struct.pack("<iI", -2, 2**32 - 1) + b"piece",
        struct.pack(">iI", 2, 5) + b"piece",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
    ids=[
        "empty",
        "one byte",
        "half a header",
        "no piece",
        "counter 0",
        "size above",
        "size below",
        "size far above",
        "big-endian",
        "another protocol",
    ],
)
def test_a_malformed_datagram_is_counted_and_disturbs_no_message(bad):
    out, assembler = fed([PIECES[0], bad, *PIECES[1:], bad, *LAST])
    assert out == [FIRST, NEXT]
    assert counts(assembler) == (0, 2, 0)


def test_a_piece_whose_size_lies_is_missing_from_its_message():
    lying = struct.pack("<iI", 2, PIECE + 1) + PIECES[1][8:]
    out, assembler = fed([PIECES[0], lying, PIECES[2], *LAST])
    assert out == [NEXT]
    assert counts(assembler) == (1, 1, 0)


@pytest.mark.parametrize("counter", [2**31 - 1, -(2**31), 4, -4])
def test_a_counter_that_leaps_is_a_gap(counter):
    out, assembler = fed([*PIECES[:2], datagram(counter, b"piece"), *LAST])
    assert out == [NEXT]
    assert counts(assembler) == (1, 0, 0)


def test_a_message_beyond_the_limit_is_lost_and_the_next_one_is_not():
    for size, taken in ((len(FIRST), [FIRST, NEXT]), (len(FIRST) - 1, [NEXT])):
        out, assembler = fed(PIECES + LAST, max_bytes=size)
        assert out == taken
        assert assembler.n_gaps == (FIRST not in taken)


def test_a_message_without_an_end_takes_no_more_memory_than_the_limit():
    pieces = (datagram(n, content(PIECE, seed=n)) for n in range(1, 400))
    tracemalloc.start()
    try:
        out, assembler = fed(itertools.chain(pieces, LAST))
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert out == [NEXT]
    assert assembler.n_gaps == 1
    assert peak_bytes < 2 * LIMIT + 2**20


def test_the_ends_of_two_messages_of_which_neither_is_whole_are_two_gaps():
    """Lost: the end of one and the start of the next, so that a counter comes twice."""
    other = list(datagrams(content(3 * PIECE, seed=2)))
    out, assembler = fed([*PIECES[:2], *other[1:], *LAST])
    assert out == [NEXT]
    assert assembler.n_gaps == 2


@st.composite
def deliveries(draw):
    """Return messages, and their datagrams as a bad network hands them on: (message, datagram).

    Nothing in a datagram tells its message. So left out is what no receiver can tell from a good
    delivery: a piece that a later piece of another message follows.
    """
    n_pieces = draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))
    sent = []
    for message, n_piece in enumerate(n_pieces):
        for number in range(1, n_piece + 1):
            counter = -number if number == n_piece else number
            sent.append((message, datagram(counter, b"%d.%d " % (message, number))))
    times = draw(st.lists(st.sampled_from([1, 1, 1, 0, 2]), min_size=len(sent), max_size=len(sent)))
    delays = draw(
        st.lists(st.sampled_from([0, 0, 0, 0, 1, 2, 3, 6]), min_size=40, max_size=40)
    )  # places that a datagram falls back
    copies = [one for one, n in zip(sent, times, strict=True) for _ in range(n)]
    order = sorted(range(len(copies)), key=lambda n: n + delays[n % len(delays)])
    delivered = []
    for one in (copies[n] for n in order):
        if not delivered or not _may_be_one(delivered[-1], one):
            delivered.append(one)
    messages = [
        b"".join(b"%d.%d " % (message, number) for number in range(1, n_piece + 1))
        for message, n_piece in enumerate(n_pieces)
    ]
    return messages, delivered


def _may_be_one(before, after):
    """Return whether two pieces look like those of one message, though they are not."""
    first, second = (struct.unpack_from("<i", data)[0] for _, data in (before, after))
    return before[0] != after[0] and 0 < first < abs(second)


@given(deliveries())
def test_what_comes_out_has_gone_in_whatever_is_lost_repeated_or_reordered(case):
    messages, delivered = case
    out, assembler = fed(data for _, data in delivered)
    assert set(out) <= set(messages)
    assert assembler.n_malformed == 0


@given(deliveries())
def test_every_message_of_which_something_came_comes_out_or_is_counted(case):
    messages, delivered = case
    out, assembler = fed([data for _, data in delivered] + LAST)
    begun = {messages[message] for message, _ in delivered}
    assert assembler.n_gaps >= len(begun - set(out))


@given(st.lists(st.binary(max_size=20), max_size=30))
def test_no_datagram_raises(sent):
    out, assembler = fed([*sent, *LAST])
    assert out[-1] == NEXT
    assert assembler.n_malformed <= len(sent)
