# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages that wait for the model: which of them give way, and who waits."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osi_lidar import InputError
from osi_lidar.live.backlog import QUEUE_LENGTH, make_backlog
from osi_lidar.live.counters import Counters
from tests.osi_lidar.live.helpers import DEADLINE_S, arrival, until


def backlog_of(kind):
    counters = Counters()
    return make_backlog(kind, counters), counters


def stream_of(n, connection=1, start=0):
    """Return the messages of one connection."""
    return [arrival(number=start + k, connection=connection, opens=k == 0) for k in range(n)]


async def taken(backlog):
    """Return the numbers of all that wait, in the order in which they are given."""
    backlog.finish()
    numbers = []
    while (message := await backlog.get()) is not None:
        numbers.append(message.number)
    return numbers


def test_latest_keeps_the_first_and_the_newest_message_of_a_connection():
    async def main():
        backlog, counters = backlog_of("latest")
        waiting = []
        for message in stream_of(10):
            assert backlog.offer(message)
            waiting.append(len(backlog))
        assert waiting == [1] + 9 * [2]
        assert counters.skipped == 8
        assert await taken(backlog) == [0, 9]

    asyncio.run(main())


def test_latest_keeps_one_once_the_first_is_taken():
    async def main():
        backlog, counters = backlog_of("latest")
        messages = stream_of(10)
        backlog.offer(messages[0])
        assert (await backlog.get()).number == 0
        for message in messages[1:]:
            backlog.offer(message)
            assert len(backlog) == 1
        assert counters.skipped == 8
        assert await taken(backlog) == [9]

    asyncio.run(main())


def test_latest_never_lets_a_source_wait():
    async def main():
        backlog, _ = backlog_of("latest")
        for message in stream_of(1000):
            await asyncio.wait_for(backlog.put(message), DEADLINE_S)

    asyncio.run(main())


def test_a_new_connection_clears_what_an_earlier_one_has_left():
    async def main():
        backlog, counters = backlog_of("latest")
        for message in [*stream_of(3), *stream_of(3, connection=2, start=3)]:
            backlog.offer(message)
        assert counters.skipped == 4
        assert await taken(backlog) == [3, 5]

    asyncio.run(main())


def test_a_queue_gives_all_messages_in_their_order_also_over_connections():
    async def main():
        backlog, counters = backlog_of("queue:100")
        for message in [*stream_of(3), *stream_of(3, connection=2, start=3)]:
            await backlog.put(message)
        assert await taken(backlog) == list(range(6))
        assert counters == Counters()

    asyncio.run(main())


def test_a_full_queue_lets_its_source_wait_until_there_is_room():
    async def main():
        backlog, _ = backlog_of("queue:2")
        first, second, third, fourth = stream_of(4)
        await backlog.put(first)
        await backlog.put(second)
        assert not backlog.offer(third)
        waiting = asyncio.create_task(backlog.put(third))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not waiting.done()
        assert len(backlog) == 2
        assert await backlog.get() is first
        await asyncio.wait_for(waiting, DEADLINE_S)
        assert not backlog.offer(fourth)
        assert await taken(backlog) == [1, 2]

    asyncio.run(main())


def test_a_message_that_waits_for_room_when_its_source_ends_is_counted():
    async def main():
        backlog, counters = backlog_of("queue:1")
        await backlog.put(arrival())
        waiting = asyncio.create_task(backlog.put(arrival(number=1)))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert counters.unprocessed == 1
        assert await taken(backlog) == [0]

    asyncio.run(main())


@pytest.mark.parametrize("kind", ["latest", "queue"])
def test_who_takes_waits_until_there_is_a_message(kind):
    async def main():
        backlog, _ = backlog_of(kind)
        taking = asyncio.create_task(backlog.get())
        for _ in range(5):
            await asyncio.sleep(0)
        assert not taking.done()
        backlog.offer(arrival(number=7))
        assert (await asyncio.wait_for(taking, DEADLINE_S)).number == 7

    asyncio.run(main())


@pytest.mark.parametrize("end", ["finish", "close"])
def test_the_end_wakes_who_waits_for_a_message(end):
    async def main():
        backlog, counters = backlog_of("queue")
        taking = asyncio.create_task(backlog.get())
        await asyncio.sleep(0)
        getattr(backlog, end)()
        assert await asyncio.wait_for(taking, DEADLINE_S) is None
        assert counters.unprocessed == 0

    asyncio.run(main())


def test_what_waits_at_the_end_is_given_by_finish_and_counted_by_close():
    async def main():
        for end, numbers, unprocessed in (("finish", [0, 1, 2], 0), ("close", [], 3)):
            backlog, counters = backlog_of("queue")
            for message in stream_of(3):
                backlog.offer(message)
            getattr(backlog, end)()
            assert await taken(backlog) == numbers
            assert counters.unprocessed == unprocessed

    asyncio.run(main())


@given(
    st.lists(st.sampled_from(["put", "put", "put", "get", "connect"]), max_size=60),
    st.sampled_from(["latest", "queue:1", "queue:3"]),
)
def test_every_message_is_given_skipped_or_left(actions, kind):
    """And those given are in order, with the first of every connection that was not cleared."""

    async def main():
        backlog, counters = backlog_of(kind)
        given, n_put, connection, opens = [], 0, 1, True
        for action in actions:
            if action == "get":
                if len(backlog):
                    given.append(await backlog.get())
            elif action == "connect":
                connection, opens = connection + 1, True
            else:
                message = arrival(number=n_put, connection=connection, opens=opens)
                if backlog.offer(message):
                    n_put, opens = n_put + 1, False
        assert n_put == len(given) + counters.skipped + len(backlog)
        numbers = [message.number for message in given]
        assert numbers == sorted(numbers)
        firsts = {message.connection for message in given if message.opens}
        assert {message.connection for message in given} == firsts

    asyncio.run(main())


def test_source_and_model_keep_pace_over_a_short_queue():
    async def main():
        backlog, counters = backlog_of("queue:1")
        numbers = []

        async def take():
            while (message := await backlog.get()) is not None:
                numbers.append(message.number)
                await asyncio.sleep(0)

        taking = asyncio.create_task(take())
        for message in stream_of(200):
            await backlog.put(message)
        backlog.finish()
        await until(taking.done)
        assert numbers == list(range(200))
        assert counters.unprocessed == 0

    asyncio.run(main())


@pytest.mark.parametrize(
    ("kind", "length"), [("queue", QUEUE_LENGTH), ("queue:1", 1), ("queue:999999", 999_999)]
)
def test_a_queue_has_the_length_asked_for(kind, length):
    backlog, _ = backlog_of(kind)
    message = arrival()
    n_taken = 0
    while n_taken <= length and backlog.offer(message):
        n_taken += 1
    assert n_taken == length


@pytest.mark.parametrize(
    "kind", ["", "newest", "LATEST", "latest:4", "queue:", "queue:0", "queue:-1", "queue:1000000"]
)
def test_another_kind_of_backlog_is_refused(kind):
    with pytest.raises(InputError, match=r"--backlog: got .* expected latest, queue or queue:N"):
        make_backlog(kind, Counters())
