# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The end is asked for before, while and after it is waited for."""

import asyncio
import signal
import threading

from osi_lidar.live.outside_requests import Stop
from tests.osi_lidar.live.helpers import DEADLINE_S


def waited(stop, before=lambda: None):
    """Wait for the end; first let something else happen."""

    async def main():
        waiting = asyncio.create_task(stop.wait())
        await asyncio.sleep(0)
        before()
        await asyncio.wait_for(waiting, DEADLINE_S)

    asyncio.run(main())


def test_a_request_that_came_before_counts():
    stop = Stop()
    stop.request()
    waited(stop)


def test_another_thread_may_ask():
    stop = Stop()
    waited(stop, before=threading.Thread(target=stop.request).start)


def test_a_signal_may_ask():
    stop = Stop()
    before = signal.signal(signal.SIGINT, lambda *_: stop.request())
    try:
        waited(stop, before=lambda: signal.raise_signal(signal.SIGINT))
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_request_after_the_end_does_nothing():
    stop = Stop()
    waited(stop, before=stop.request)
    stop.request()
    assert stop.requested
